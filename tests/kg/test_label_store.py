"""The index of names on disk finds what the one in memory finds."""

import random
import threading

import pytest

from kgqa_core.kg import label_store
from kgqa_core.kg.label_store import DiskLabels
from kgqa_core.kg.labels import LabelIndex, Name
from tests.speed.load_graph import mentions, name_of, words


@pytest.fixture(scope="module")
def names():
    vocabulary = words(500)
    return [Name(f"e{i}", name_of(i, vocabulary), i % 5 == 0) for i in range(4_000)]


@pytest.fixture(scope="module")
def disk(names, tmp_path_factory):
    file = tmp_path_factory.mktemp("labels") / "labels.sqlite"
    assert label_store.build(file, names) == len(names)
    return DiskLabels(file)


def test_both_indexes_agree(names, disk):
    memory = LabelIndex(names)
    asked = list(mentions(4_000, 20_000))
    differ = []
    for mention in asked:
        best, found = memory.find(mention, 5), disk.find(mention, 5)
        if [m.score for m in best[:1]] != [m.score for m in found[:1]]:
            differ.append((mention, best[:1], found[:1]))
    assert len(differ) <= len(asked) // 50, differ


@pytest.mark.parametrize(
    "mention", ["", " ", '"', "a* OR b", "NEAR(x y)", "'; DROP TABLE name", "½"]
)
def test_a_mention_is_no_query(disk, mention):
    assert isinstance(disk.find(mention), list)
    assert disk.find(mention + "x" * 300) == []


def test_many_threads_search_at_once(names, disk):
    wanted = random.Random(1).sample(names, 8)
    found: dict[str, str] = {}

    def look(name: Name) -> None:
        found[name.id] = disk.find(name.text)[0].text

    threads = [threading.Thread(target=look, args=(name,)) for name in wanted]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == {name.id: name.text for name in wanted}
