"""Texts of a graph: gathered, kept with its entry in the list, read by the methods, removed."""

import io
import os
import sqlite3
import threading

import pytest

from kgqa_core.errors import KGQAError, SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.kg.kinds import written
from kgqa_core.kg.registry import Registry, sweep
from kgqa_core.opening import open_index
from kgqa_core.search import gathering
from kgqa_core.search.chroma import ChromaStore
from kgqa_core.search.gathering import (
    FactGathering,
    FileGathering,
    Home,
    WikipediaGathering,
    best_known,
    home_in,
    named,
    texts_of,
)
from kgqa_core.search.index import Index, forget
from kgqa_core.search.passages import read_folders
from kgqa_core.settings import Settings
from kgqa_core.shell.main import main
from tests.patience import PATIENCE_S, wait_until
from tests.search.build_index import MadeUp, index_of
from tests.search.test_passages import MediaWiki, wiki  # noqa: F401 (a fixture)
from tests.servers.chroma import word_encoder
from tests.small_graph import FILM, SIRK, ULM, small_graph


@pytest.fixture
def registry(tmp_path):
    found = Registry(tmp_path)
    found.add("http://host/sparql", "endpoint", "mine")
    return found


SOURCE = "http://host/sparql"


def finished(work):
    work.wait(PATIENCE_S)
    assert not work.running
    return work


def left_over(registry):
    return [p.name for p in (registry.data_dir / "texts").rglob("*")]


def files(*named_bytes):
    return [(name, io.BytesIO(data)) for name, data in named_bytes]


# -- ways in -----------------------------------------------------------------------------


def test_uploaded_files_are_kept_read_and_removed(registry):
    upload = files(("a/../ulm.md", b"# Ulm\n\nUlm lies on the Danube."), ("b.txt", b"\xff\xfe\xfd"))
    work = finished(FileGathering(home_in(registry, SOURCE, "notes"), "2 files", upload))
    assert work.error == ""
    (texts,) = registry.texts(SOURCE)
    assert (texts.title, texts.kind, texts.articles) == ("2 files", "files", 1)
    assert work.notes == ["The file b.txt is not text in UTF-8 (byte 2). Save it as UTF-8."]
    (passage,) = read_folders([texts.folder])
    assert (passage.title, passage.text) == ("Ulm", "Ulm lies on the Danube.")
    registry.remove_texts(SOURCE, texts.folder)
    assert registry.texts(SOURCE) == ()
    assert left_over(registry) == []


@pytest.mark.parametrize("upload", [(), (("a.txt", b""),), (("a.txt", b"\0\1"),)])
def test_nothing_to_read_leaves_nothing(registry, upload):
    work = finished(FileGathering(home_in(registry, SOURCE, "x"), "x", files(*upload)))
    assert "There is no text or Markdown file with words" in work.error
    assert left_over(registry) == []
    assert registry.texts(SOURCE) == ()


def test_the_facts_of_the_best_known_are_told(registry):
    home = home_in(registry, SOURCE, "facts")
    work = finished(FactGathering(home, small_graph(), most=2))
    assert work.error == ""
    passages = read_folders([t.folder for t in registry.texts(SOURCE)])
    assert len(passages) == len({p.entity for p in passages}) == 2
    ulm = next(p for p in passages if p.entity == ULM)
    assert "population: 117,977 (point in time: 2009)" in ulm.text
    assert ulm.source == "small/Q3012" or ulm.source.endswith("/Q3012")


def test_entities_are_named_by_label_id_or_spelling(registry):
    found, unknown = named(small_graph(), ["Ulm", ULM.id, "  Duglas Sirk ", "", "Atlantis", "x> }"])
    assert found == [ULM, SIRK]
    assert unknown == ["Atlantis", "x> }"]
    home = home_in(registry, SOURCE, "facts")
    work = finished(FactGathering(home, small_graph(), names=["Ulm", "Atlantis"]))
    assert work.texts.articles == 1
    assert work.notes == ["This graph has nothing called “Atlantis”."]


def test_a_graph_that_cannot_be_read_whole_wants_names():
    class Endpoint:
        name = "wikidata"

    with pytest.raises(KGQAError, match="name those you want"):
        best_known(Endpoint(), 5, lambda: None)


def test_wikipedia_is_asked_for_the_entities_that_can_have_articles(registry, wiki):  # noqa: F811
    client, _ = wiki
    home = home_in(registry, SOURCE, "wikipedia")
    names = ["Ulm", "Douglas Sirk"]
    work = finished(WikipediaGathering(home, small_graph(), names=names, client=client))
    assert work.error == ""
    assert work.texts.articles == 1
    (passage,) = read_folders([work.texts.folder])
    assert (passage.entity, passage.title) == (ULM, "Ulm (about Ulm)")
    assert passage.source.endswith("/wiki/Ulm")
    assert any("Douglas Sirk" in note for note in work.notes)


def test_what_wikipedia_gave_before_it_stopped_is_kept(registry, wiki):  # noqa: F811
    client, _ = wiki
    kg = small_graph()
    read = client._article

    def read_once(entity, title):
        article = read(entity, title)
        MediaWiki.troubles = [(403, {}, b"blocked")]
        return article

    client._article = read_once
    client._titles = lambda entities: {e.id: "Ulm" for e in entities}
    home = home_in(registry, SOURCE, "wikipedia")
    work = finished(WikipediaGathering(home, kg, names=[ULM.id, "Germany"], client=client))
    assert work.texts.articles == 1
    assert "status 403" in work.notes[-1]
    assert "the rest was given up" in work.notes[-1]


def test_a_gathering_that_is_stopped_leaves_nothing(registry, wiki):  # noqa: F811
    client, _ = wiki
    MediaWiki.troubles = [(503, {"Retry-After": "60"}, b"")] * 9
    there: list[WikipediaGathering] = []
    begun = threading.Event()

    def wait(seconds):
        begun.wait(PATIENCE_S)
        there[0].stop()
        there[0].pause(seconds)

    client._wait = wait
    home = home_in(registry, SOURCE, "w")
    there.append(WikipediaGathering(home, small_graph(), names=["Ulm"], client=client))
    begun.set()
    assert finished(there[0]).error == "Stopped; nothing was kept."
    assert left_over(registry) == []
    assert registry.texts(SOURCE) == ()


def test_wikipedia_is_asked_by_one_at_a_time(registry, wiki):  # noqa: F811
    client, _ = wiki
    home = home_in(registry, SOURCE, "w")
    with gathering._only_one:
        work = WikipediaGathering(home, small_graph(), names=["Ulm"], client=client)
        wait_until(lambda: work.doing == "waiting for another one")
        assert MediaWiki.requests == []
    assert finished(work).texts.articles == 1


def test_no_entity_that_can_have_an_article(registry):
    made_up = MadeUp(5)
    home = home_in(registry, SOURCE, "w")
    work = finished(WikipediaGathering(home, made_up))
    assert "None of the entities has a Wikidata id" in work.error


def test_a_language_that_is_none(registry):
    with pytest.raises(SettingsError, match="is not a language"):
        WikipediaGathering(home_in(registry, SOURCE, "w"), small_graph(), language="evil.example/")


def test_a_place_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    work = finished(FactGathering(Home(tmp_path / "file" / "texts"), small_graph()))
    assert "cannot be written" in work.error


def test_a_folder_is_read_where_it_is_and_never_deleted(registry, tmp_path):
    folder = tmp_path / "notes"
    folder.mkdir()
    (folder / "a.txt").write_text("A text.")
    texts, problems = texts_of(folder, str(folder), "folder")
    assert problems == []
    registry.add_texts(SOURCE, texts)
    registry.add_texts(SOURCE, texts)  # read again
    assert len(registry.texts(SOURCE)) == 1
    registry.remove(SOURCE)
    assert (folder / "a.txt").exists()


def test_what_a_killed_gathering_left_is_swept(tmp_path):
    gone = tmp_path / "texts" / ".gathering" / "999999999-aa"
    ours = tmp_path / "texts" / ".gathering" / f"{os.getpid()}-bb"
    for folder in (gone, ours):
        folder.mkdir(parents=True)
    sweep(tmp_path)
    assert not gone.exists()
    assert ours.exists()


# -- read by the index -------------------------------------------------------------------


def indexed(tmp_path, source, folders=None, **settings):
    found = Settings(data_dir=tmp_path, **settings)
    return open_index(small_graph(), word_encoder(tmp_path), found, source, folders)


def add_note(registry, folder, text="Sirk left Germany in 1937."):
    folder.mkdir(exist_ok=True)
    (folder / "note.txt").write_text(text)
    registry.add_texts(SOURCE, texts_of(folder, str(folder), "folder")[0])


def test_the_texts_of_a_graph_are_its_passages(registry, tmp_path):
    assert not indexed(tmp_path, SOURCE).has_passages
    add_note(registry, tmp_path / "notes")
    (found,) = indexed(tmp_path, SOURCE).nearest_passages(["Who left Germany in 1937?"], 3)
    assert found[0].item.text == "Sirk left Germany in 1937."
    assert not indexed(tmp_path, "http://other/sparql").has_passages
    several = indexed(tmp_path, f"starter,{SOURCE}")
    assert len(several._texts) > 50  # the starter graph's own, too
    (tmp_path / "notes" / "note.txt").write_text("Now it says something else.")
    (found,) = indexed(tmp_path, SOURCE).nearest_passages(["something else"], 3)
    assert [s.item.text for s in found] == ["Now it says something else."]


def test_a_folder_named_in_the_shell_stands_beside_the_texts_of_the_graph(registry, tmp_path):
    add_note(registry, tmp_path / "notes")
    other = tmp_path / "other"
    other.mkdir()
    (other / "x.txt").write_text("Another text.")
    indexed(tmp_path, SOURCE).build()
    named_folder = indexed(tmp_path, SOURCE, [other])
    named_folder.build()
    assert named_folder.nearest_passages(["text"], 3)[0][0].item.text == "Another text."
    assert named_folder.info().triples.state == "ready"  # the triples are shared
    assert indexed(tmp_path, SOURCE).info().passages.state == "ready"


def test_a_folder_that_is_gone_gives_a_sentence(registry, tmp_path):
    add_note(registry, tmp_path / "notes")
    (tmp_path / "notes" / "note.txt").unlink()
    (tmp_path / "notes").rmdir()
    with pytest.raises(SourceRejected, match=r"There is no folder .*Knowledge graphs page"):
        indexed(tmp_path, SOURCE).nearest_passages(["a"], 1)


def test_a_hosted_app_reads_no_folder_outside_its_own(registry, tmp_path_factory, tmp_path):
    add_note(registry, tmp_path_factory.mktemp("elsewhere") / "notes")
    with pytest.raises(SettingsError, match="upload the texts"):
        indexed(tmp_path, SOURCE, hosted=True).nearest_passages(["a"], 1)


def test_many_passages_are_not_indexed_unasked(registry, tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.index.SMALL_TEXT", 0)
    add_note(registry, tmp_path / "notes")
    with pytest.raises(SourceUnavailable, match=r"Build it under Knowledge graphs \(1 passages\)"):
        indexed(tmp_path, SOURCE).nearest_passages(["a"], 1)


@pytest.mark.scale
def test_an_article_of_100_000_words_is_cut_indexed_and_found(registry, tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.index.SMALL_TEXT", 10_000)
    data = " ".join(f"Sentence number {i} is told of thing{i * 7}." for i in range(16_000)).encode()
    assert len(data.split()) > 100_000
    upload = files(("long.txt", data))
    work = finished(FileGathering(home_in(registry, SOURCE, "long"), "long.txt", upload))
    passages = read_folders([work.texts.folder])
    assert 500 < len(passages) < 800
    index = indexed(tmp_path, SOURCE)
    found = index.nearest_passages([verbalise.support(p) for p in passages], 1)
    assert [near[0].item for near in found] == passages
    assert index.info().passages.count == len(passages)


# -- removing ----------------------------------------------------------------------------


def collections(tmp_path):
    return sorted(c.name.partition("-")[0] for c in ChromaStore(tmp_path / "index").collections())


def test_the_index_of_a_removed_graph_is_forgotten_and_no_other(registry, tmp_path):
    add_note(registry, tmp_path / "notes")
    for name in ("one", "two"):  # two models
        Index(
            small_graph(), word_encoder(tmp_path, name=name), tmp_path / "index", source=SOURCE
        ).build()
    indexed(tmp_path, SOURCE).build()
    indexed(tmp_path, "http://other/sparql").build()
    assert collections(tmp_path) == ["passages", *["triples"] * 4]
    forget(tmp_path / "index", SOURCE)
    assert collections(tmp_path) == ["triples"]
    assert indexed(tmp_path, "http://other/sparql").info().triples.state == "ready"
    (segment,) = [p for p in (tmp_path / "index").iterdir() if p.is_dir()]
    assert any(segment.iterdir())  # the other graph's
    forget(tmp_path / "index", SOURCE)  # there is nothing left
    forget(tmp_path / "nowhere", SOURCE)
    assert not (tmp_path / "nowhere").exists()


def test_the_disk_gets_its_room_back(tmp_path):
    index = index_of(tmp_path, 2_000)
    index.build()
    full = index.info().size_bytes
    index.build(anew=True)
    assert index.info().size_bytes < 1.5 * full
    assert len(index.nearest_triples(["thing 3 follows thing 4"], 5)[0]) == 5
    forget(tmp_path / "index", "")
    assert index.info().size_bytes < full / 5
    index.build()
    assert index.nearest_triples(["thing 3 follows thing 4"], 1)[0][0].score > 0.999


def test_what_is_being_written_is_not_forgotten(tmp_path):
    index = indexed(tmp_path, SOURCE)
    index.build()
    with index.store.writing():
        refused = []

        def attempt():
            with pytest.raises(SourceUnavailable, match="being built"):
                forget(tmp_path / "index", SOURCE)
            refused.append(True)

        thread = threading.Thread(target=attempt)
        thread.start()
        thread.join()
        assert refused
    held = sqlite3.connect(tmp_path / "index" / "writer.lock", isolation_level=None)
    held.execute("BEGIN EXCLUSIVE")
    with pytest.raises(SourceUnavailable, match="Another process"):
        forget(tmp_path / "index", SOURCE)
    held.close()
    forget(tmp_path / "index", SOURCE)
    assert collections(tmp_path) == []


def test_removed_graphs_are_remembered_until_their_index_is_gone(registry):
    registry.remove(SOURCE)
    assert Registry(registry.data_dir).gone == [SOURCE]
    registry.cleared(SOURCE)
    assert registry.gone == []
    registry.add(SOURCE, "endpoint", "again")
    registry.remove(SOURCE)
    registry.add(SOURCE, "endpoint", "again")
    assert registry.gone == []  # it is there again, with its index
    registry.remove("starter")
    assert registry.gone == []


# -- the shell ---------------------------------------------------------------------------


@pytest.fixture
def shell(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL", "KGQA_ENCODER"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)


def test_texts_are_written_and_asked_in_the_shell(shell, capsys):
    assert main(["passages", "--entity", "Inception", "--into", "texts"]) == 0
    assert capsys.readouterr().out.startswith("1 text in ")
    question = "Who directed Inception?"
    ask = ["ask", question, "--method", "rag", "--passages", "texts", "--param", "passages=1"]
    assert main(ask) == 0
    said = capsys.readouterr()
    assert "director: Christopher Nolan" in said.out
    assert "triples" not in said.err  # it reads none of them, and waits for no index of them


@pytest.mark.parametrize(
    ("args", "code", "said"),
    [
        (["passages", "--into", "."], 2, "is not empty"),
        (["passages", "--into", "t", "--most", "0"], 2, "--most"),
        (["passages", "--into", "t", "--wikipedia", "../x"], 2, "is not a language"),
        (["passages", "--into", "t", "--entity", "Atlantis Qwertz"], 1, "no text or Markdown"),
        (["ask", "Who?", "--method", "rag", "--passages", "nowhere"], 2, "there is no folder"),
    ],
)
def test_bad_usage_is_one_line(shell, capsys, tmp_path, args, code, said):
    (tmp_path / "something").write_text("")
    assert main(args) == code
    error = capsys.readouterr().err
    assert said in error.splitlines()[-1]
    assert not (tmp_path / "t").exists()


def test_one_way_to_write_a_source(monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    assert written("starter, graphs/x,http://h/s") == f"starter,{tmp_path}/graphs/x,http://h/s"
    assert written(written("graphs/x")) == written("graphs/x")


def test_an_entity_keeps_its_id_on_its_way_through_a_file(registry):
    work = finished(FactGathering(home_in(registry, SOURCE, "f"), small_graph(), names=[FILM.id]))
    (passage,) = read_folders([work.texts.folder])
    assert passage.entity == FILM
