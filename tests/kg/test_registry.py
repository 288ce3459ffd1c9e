"""The list of graphs, addresses as people type them, and files on their way in."""

import gzip
import io
import json
import os
import threading
from pathlib import Path

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.kg import kinds
from kgqa_core.kg import registry as graphs
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.registry import Loading, Registry, endpoint_source, folder_source, sweep
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import Sources, open_setup
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings
from tests.patience import PATIENCE_S
from tests.small_graph import small_graph

URL = "https://dbpedia.org/sparql"
FACTS = b"Ada\tfriend of\tBen\nBen\tlikes\tLentil soup\n"

BUILT_IN = 3  # known, starter, wikidata


@pytest.fixture
def registry(tmp_path):
    return Registry(tmp_path)


def load(registry, *files, title="mine"):
    found = Loading(registry, title, [(name, io.BytesIO(data)) for name, data in files])
    found.wait(PATIENCE_S)
    assert not found.running
    return found


def left_over(registry):
    home = registry.data_dir / "graphs"
    return [str(p) for p in home.rglob("*") if p.name != ".loading"]


def test_the_built_in_graphs_are_always_there(registry):
    assert [entry.source for entry in registry.entries()] == ["known", "starter", "wikidata"]
    registry.remove("starter")
    assert registry.get("starter") is not None


def test_a_graph_is_kept_listed_and_removed(registry, tmp_path):
    registry.add(URL, "endpoint", "DBpedia")
    again = Registry(tmp_path)
    assert again.get(URL).title == "DBpedia"
    again.remove(URL)
    assert registry.get(URL) is None


def test_a_graph_is_listed_once_and_names_differ(registry):
    registry.add(URL, "endpoint", "mine")
    with pytest.raises(SettingsError, match="in the list already, as “mine”"):
        registry.add(URL, "endpoint", "other")
    assert registry.add("/data/x", "folder", "mine").title == "mine (2)"
    assert registry.add("/data/y", "folder", "starter").title == "starter (2)"


def test_questions_are_kept_for_a_graph(registry):
    registry.add(URL, "endpoint", "DBpedia")
    registry.set_examples(URL, ["Who?", "  ", "Who?", "x" * 1000])
    registry.set_examples("wikidata", ["What?"])
    assert registry.get(URL).examples == ("Who?", "x" * 300)
    assert registry.get("wikidata").examples == ("What?",)
    assert [entry.kind for entry in registry.entries()] == [
        "known",
        "starter",
        "wikidata",
        "endpoint",
    ]


@pytest.mark.parametrize("text", ["{", '{"graphs": [{"source": 1}]}', "[]", "\x00"])
def test_a_damaged_list_gives_a_sentence_and_loses_nothing(registry, text):
    path = registry.data_dir / "graphs.json"
    path.write_text(text)
    assert "delete it to begin a new list" in registry.problem
    assert len(registry.entries()) == BUILT_IN
    with pytest.raises(SettingsError):
        registry.add(URL, "endpoint", "DBpedia")
    assert path.read_text() == text


def test_the_list_is_replaced_whole_and_private(registry):
    threads = [
        threading.Thread(target=registry.add, args=(f"{URL}/{n}", "endpoint", "x"))
        for n in range(8)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    path = registry.data_dir / "graphs.json"
    assert len(json.loads(path.read_text())["graphs"]) == 8
    assert os.stat(path).st_mode & 0o077 == 0
    assert [p.name for p in registry.data_dir.iterdir()] == ["graphs.json"]


def test_a_folder_that_cannot_be_written_gives_a_sentence(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(SettingsError, match="KGQA_DATA_DIR"):
        Registry(tmp_path / "file").add(URL, "endpoint", "x")


@pytest.mark.parametrize(
    "url",
    ["", "dbpedia.org/sparql", "ftp://x/y", "file:///etc/passwd", "http://", "http://a b/", "/tmp"],
)
def test_an_address_that_is_none(url):
    with pytest.raises(SettingsError, match="is not the address of an endpoint"):
        endpoint_source(url, "")


def test_an_address_with_a_profile_a_comma_and_a_password(registry):
    assert endpoint_source(f" {URL} ", "") == URL
    assert endpoint_source(f"{URL}#generic", "virtuoso") == f"{URL}#virtuoso"
    assert endpoint_source(f"{URL}?a=1,2", "") == f"{URL}?a=1%2C2"
    entry = registry.add("http://me:secret@host:8890/sparql#virtuoso", "endpoint", "x")
    assert entry.address == "http://host:8890/sparql"


@pytest.mark.parametrize(
    ("source", "shown"),
    [
        ("http://me:hush@x/sparql?apikey=hush#virtuoso", "http://x/sparql"),
        ("http://x/sparql?a=hush&default-graph-uri=http%3A%2F%2Fg", None),
        ("starter,http://me:hush@x/y,http://x/?token=hush", "starter,http://x/y,http://x/"),
        ("http://me:hush@[::1/sparql", "http://"),
        ("http://me:hu@sh@x:port/?k=hush", "http://x:port/"),
        ("known", "known"),
        ("/home/ada/graph?", "/home/ada/graph?"),
    ],
)
def test_what_names_a_graph_is_told_without_what_is_secret_in_it(source, shown):
    told = kinds.without_login(source)
    assert told == (shown or "http://x/sparql?default-graph-uri=http%3A%2F%2Fg")
    assert kinds.without_login(told) == told


def test_a_run_does_not_tell_how_its_graph_was_logged_in_to():
    row = METHODS["io"]
    sources = Sources(small_graph(), Offline(), Encoder(Settings()))
    for source in ("http://me:hush@x/sparql", "http://x/sparql?apikey=hush"):
        setup = open_setup(row, row.params(), source, "offline", Settings(), sources=sources)
        assert setup.header("Who?").graph_source == "http://x/sparql"


def test_a_folder_as_people_type_it(monkeypatch):
    monkeypatch.setenv("HOME", "/home/ada")
    assert folder_source(" ~/graphs ") == "/home/ada/graphs"
    for wrong in ("", "  ", "/a,b"):
        with pytest.raises(SettingsError):
            folder_source(wrong)


def test_a_graph_that_answers_says_how_large_it_is():
    tested = graphs.probe(starter_graph())
    assert tested.text.startswith("connected, ")
    assert tested.text.endswith(" facts")
    sizes = [graphs.compact(n) for n in (7, 3214, 99_999, 450_000, 1_234_567, 15 * 10**9)]
    assert sizes == ["7", "3,214", "99,999", "450 k", "1.2 M", "15 G"]


# -- files on their way in -------------------------------------------------------------------


def test_files_become_a_graph_of_the_list(registry):
    loading = load(registry, ("facts.tsv", FACTS), title="My <b>facts</b>")
    assert loading.error == ""
    assert registry.entries()[-1] == loading.entry
    kg = open_folder(Path(loading.entry.source))
    ada = kg.search(["ada"])[0][0].entity
    assert [s.object.name for s in kg.statements([ada])[0]] == ["Ben"]
    assert not list((registry.data_dir / "graphs" / ".loading").iterdir())


def test_no_upload_takes_the_name_of_another_graph(registry):
    loading = load(registry, ("facts.tsv", FACTS), title="starter")
    assert loading.entry.title == "starter (2)"
    assert open_folder(Path(loading.entry.source)).name == "starter (2)"


def test_a_removed_upload_is_deleted(registry):
    loading = load(registry, ("facts.tsv", FACTS))
    registry.remove(loading.entry.source)
    assert left_over(registry) == []


@pytest.mark.parametrize(
    ("name", "data"),
    [
        ("facts.ttl", b"\x89PNG\r\n\x1a\n" + bytes(range(256))),
        ("facts.ttl.gz", b"not packed at all"),
        ("facts.nt.gz", gzip.compress(FACTS, mtime=0)[:20]),
        ("facts.rdf", b"<html><body>Log in first</body></html>"),
        ("facts.json", b"{]"),
        ("facts.tsv", b""),
        ("../../../etc/passwd", FACTS[:0]),
    ],
)
def test_a_file_that_is_not_what_it_says_leaves_nothing_but_a_sentence(registry, name, data):
    loading = load(registry, (name, data))
    assert loading.error
    assert "\n" not in loading.error
    assert "Traceback" not in loading.error
    assert left_over(registry) == []
    assert len(registry.entries()) == BUILT_IN


def test_a_load_that_is_stopped_leaves_nothing(registry):
    lines = b"".join(b"thing %d\tlinks to\tthing %d\n" % (n, n + 1) for n in range(40_000))
    loading = Loading(registry, "large", [("facts.tsv", io.BytesIO(lines))])
    loading.stop()
    loading.wait(PATIENCE_S)
    assert loading.error == "Stopped; nothing was kept."
    assert left_over(registry) == []


def test_what_a_killed_process_left_is_swept(tmp_path):
    gone = tmp_path / "graphs" / ".loading" / "999999999-aa"
    ours = tmp_path / "graphs" / ".loading" / f"{os.getpid()}-bb"
    for folder in (gone, ours):
        folder.mkdir(parents=True)
    sweep(tmp_path)
    assert not gone.exists()
    assert ours.exists()
