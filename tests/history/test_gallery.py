"""The recorded examples are whole, and still what the program would say today."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.setup import Setup
from kgqa_core.history import gallery
from kgqa_core.history.gallery import EXAMPLES, FOLDER, read, record, recorded, write
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings

MEANING = {
    "kaping",
    "rag",
    "rag-triples",
    "rag-hybrid",
    "keqing",
    "pgakv",
    "oda",
    "kb-binder",
    "tog-r",
    "r3",
}  # these wake the encoder


@pytest.fixture(scope="module")
def kg():
    return starter_graph()


@pytest.fixture(scope="module")
def meaning(kg, tmp_path_factory):
    """The index of the graph, with a real encoder."""
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"))
    index = open_index(kg, Encoder(settings), settings)
    index.build()
    return index


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda e: e.id)
def test_an_example_is_readable_and_says_who_made_it(example):
    header, records = read(example)
    assert header.id == example.id
    assert (header.method, header.question) == (example.method, example.question)
    assert header.model == "built-in reader"
    assert header.origin == "recorded"
    assert records[-1].event.terminal
    assert METHODS[header.method].params.model_validate(header.params)


def setup(example, kg, llm, index=None):
    method = METHODS[example.method]
    return Setup(method, method.params(**example.params), kg, llm, index=index)


def again(example, kg, index=None):
    llm = Offline(index.encoder if index else None)
    was, now = read(example)[1], record(example, setup(example, kg, llm, index))[1]
    assert answer_of(now).values == answer_of(was).values
    assert answer_of(now).grounding == answer_of(was).grounding


@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if e.method not in MEANING], ids=lambda e: e.id
)
def test_asked_again_it_answers_the_same(example, kg):
    again(example, kg)


@pytest.mark.scale
@pytest.mark.parametrize(
    "example", [e for e in EXAMPLES if e.method in MEANING], ids=lambda e: e.id
)
def test_asked_again_by_meaning_it_answers_the_same(example, kg, meaning):
    again(example, kg, meaning)


def test_there_is_one_for_every_file_and_a_file_for_every_one():
    assert list(recorded()) == [example.id for example in EXAMPLES]
    assert {path.stem for path in FOLDER.glob("*.json")} == {
        example.id.removeprefix("example-") for example in EXAMPLES
    }
    assert not list(gallery.strangers())


def test_every_method_has_one():
    assert {example.method for example in EXAMPLES} >= set(METHODS) - NOT_BY_THE_READER
    assert gallery.without_example() == [
        METHODS[m].title for m in METHODS if m in NOT_BY_THE_READER
    ]


# They begin with what a model knows by itself, as `io` does, whose example says what that means.
NOT_BY_THE_READER = {"cot", "cot-few-shot", "sc"}


def test_a_file_is_written_again_only_for_more_than_its_clocks(tmp_path, monkeypatch, kg):
    monkeypatch.setattr(gallery, "FOLDER", tmp_path)
    example = EXAMPLES[0]
    assert write(example, *record(example, setup(example, kg, Offline())))
    assert not write(example, *record(example, setup(example, kg, Offline())))
    header, records = record(example, setup(example, kg, Offline()))
    assert write(example, header, records[:1] + records[-1:])
