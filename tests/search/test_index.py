"""The vector index: one suite over Chroma in process and as a server; kills; bad input."""

import random
import subprocess
import sys
import threading
import time
from contextlib import ExitStack

import pytest

from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import Entity, Literal, Passage, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.search.build import Build, stands
from kgqa_core.search.chroma import ChromaStore
from kgqa_core.search.index import SMALL, Index, rank
from tests.patience import PATIENCE_S, wait_until
from tests.search.build_index import MadeUp, index_of
from tests.servers.chroma import WordHash, chroma_server, real_encoder, word_encoder
from tests.servers.loopback import Loopback, Quiet
from tests.small_graph import FILM, SIRK, STATEMENTS, ULM, small_graph

PASSAGES = [
    Passage("p1", "Sirk left Germany in 1937 and made melodramas.", "Douglas Sirk", "a.md", SIRK),
    Passage("p2", "The Danube flows through the old town.", "Ulm", "b.md", ULM),
]


@pytest.fixture(scope="module", params=["folder", pytest.param("server", marks=pytest.mark.server)])
def places(request, tmp_path_factory):
    """A function that gives a new, empty place to keep an index in."""
    with ExitStack() as stack:
        if request.param == "folder":
            yield lambda: tmp_path_factory.mktemp("index")
        else:
            url = stack.enter_context(chroma_server(tmp_path_factory.mktemp("server")))

            def new():
                for collection in (client := ChromaStore(url).client()).list_collections():
                    client.delete_collection(collection.name)
                return url

            yield new


@pytest.fixture
def where(places):
    return places()


# -- finding -----------------------------------------------------------------------------


def test_the_nearest_statements_come_first_with_their_cosines(where):
    index = Index(small_graph(), real_encoder(), where)
    questions = ["Who is the director of Written on the Wind?", "What is the population of Ulm?"]
    first, second = index.nearest_triples(questions, 3)
    assert (first[0].item.subject, first[0].item.object) == (FILM, SIRK)
    assert first[0].item.relation.name == "director"
    assert second[0].item.subject == ULM
    assert second[0].item.relation.name == "population"
    assert second[0].item.qualifiers  # the statement comes back whole
    for found in (first, second):
        scores = [scored.score for scored in found]
        assert len(scores) == 3
        assert scores == sorted(scores, reverse=True)
        assert all(-1 <= score <= 1 for score in scores)


def test_every_statement_is_found_by_its_own_words(where, tmp_path):
    from kgqa_core.facts import verbalise

    index = Index(small_graph(), word_encoder(tmp_path), where)
    found = index.nearest_triples([verbalise.statement(s) for s in STATEMENTS], 1)
    assert [nearest[0].item for nearest in found] == STATEMENTS
    assert all(nearest[0].score > 0.999 for nearest in found)


def test_a_small_graph_gives_fewer_and_nothing_asked_nothing_found(where, tmp_path):
    index = Index(small_graph(), word_encoder(tmp_path), where)
    assert len(index.nearest_triples(["film"], 500)[0]) == len(STATEMENTS)
    assert index.nearest_triples([], 5) == []
    assert index.nearest_triples(["film"], 0) == [[]]


def test_passages_come_back_whole(where):
    index = Index(small_graph(), real_encoder(), where, PASSAGES)
    (found,) = index.nearest_passages(["Which director emigrated from Germany?"], 1)
    assert found[0].item.entity == SIRK
    assert (found[0].item.text, found[0].item.title) == (PASSAGES[0].text, PASSAGES[0].title)
    assert found[0].item.source == "a.md"


def test_an_empty_graph_and_no_passages(where, tmp_path):
    index = index_of(tmp_path, 0, where)
    assert index.build().triples.state == "ready"
    assert index.nearest_triples(["a"], 5) == [[]]
    assert index.nearest_passages(["a"], 5) == [[]]


def test_the_index_agrees_with_comparing_one_by_one(where, tmp_path):
    index = index_of(tmp_path, 3000, where)
    index.build()
    texts = [f"thing {i} follows thing {i * 7}" for i in range(0, 400, 4)]
    exact = rank(index.encoder, texts, list(index.kg.all_statements()), 10)
    found = index.nearest_triples(texts, 10)
    shared = [
        len({s.item for s in a} & {s.item for s in b}) for a, b in zip(found, exact, strict=True)
    ]
    assert sum(shared) / (10 * len(texts)) > 0.95


IMDB = Relation("http://x/imdb", "IMDb ID", "", ("IMDb",), "externalid")


def test_identifiers_are_not_indexed_and_a_question_for_one_is_told(where, tmp_path):
    ids = [Statement(FILM, IMDB, Literal(f"tt{n}")) for n in range(30)]
    ends = dict.fromkeys(e for s in STATEMENTS for e in (s.subject, s.object))
    relations = {s.relation for s in (*STATEMENTS, *ids)}
    kg = EmbeddedGraph.build(
        "ids", [e for e in ends if isinstance(e, Entity)], relations, [*STATEMENTS, *ids]
    )
    built = Index(kg, word_encoder(tmp_path), where)
    assert built.triples_reach("Who directed Written on the Wind?") == ("all", "")
    (found,) = built.nearest_triples(["IMDb ID of Written on the Wind"], 100)
    assert {s.item for s in found} == set(STATEMENTS)
    shelf = built.info().triples
    assert (shelf.state, shelf.count, shelf.total) == ("ready", len(found), len(found))
    again = Index(kg, word_encoder(tmp_path), where)  # another process
    for index in (built, again):
        reach, why = index.triples_reach("What is the IMDb ID of Written on the Wind?")
        assert reach == "some"
        assert why == "The index of triples of “ids” is without IMDb ID"
        assert index.triples_reach() == ("all", "")


def test_ranking_needs_no_store(tmp_path):
    (nearest,) = rank(word_encoder(tmp_path), ["Imitation of Life, director: Sirk"], STATEMENTS, 2)
    assert nearest[0].item.subject.label == "Imitation of Life"
    assert nearest[0].item.relation.label == "director"
    assert rank(word_encoder(tmp_path), ["a"], [], 3) == [[]]


# -- trusting ----------------------------------------------------------------------------


def test_it_is_built_once_and_found_again(where, tmp_path):
    first = index_of(tmp_path, 50, where)
    assert first.info().triples.state == "missing"
    built = first.build().triples
    assert (built.state, built.count, built.total) == ("ready", 50, 50)
    second = index_of(tmp_path, 50, where)
    assert second.info().triples.built == built.built
    second.build(pytest.fail)  # no progress: nothing to do


def test_other_facts_make_it_outdated_and_the_old_one_goes(where, tmp_path):
    index_of(tmp_path, 50, where).build()
    changed = index_of(tmp_path, 60, where)
    assert changed.info().triples.state == "outdated"
    assert len(changed.nearest_triples(["thing 3"], 100)[0]) == 60
    assert "other facts" in changed.info().triples.note
    names = [c.name for c in ChromaStore(where).collections() if c.name.startswith("triples")]
    assert len(names) == 1


def test_indexes_of_two_models_stand_side_by_side(where, tmp_path):
    for name, model in (("one", WordHash()), ("two", WordHash(dim=16))):
        index = Index(MadeUp(20), word_encoder(tmp_path, model, name), where)
        assert index.info().triples.state == "missing"
        index.build()
    again = Index(MadeUp(20), word_encoder(tmp_path, WordHash(), "one"), where)
    assert again.info().triples.state == "ready"


@pytest.mark.parametrize("other", [WordHash(salt="trained otherwise"), WordHash(dim=16)])
def test_another_model_of_the_same_name_is_found_out(where, tmp_path, other):
    index_of(tmp_path, 20, where).build()
    (tmp_path / "other").mkdir()
    index = Index(MadeUp(20), word_encoder(tmp_path / "other", other), where)
    assert index.info().triples.state == "outdated"
    (found,) = index.nearest_triples(["thing 3 follows thing 4"], 1)
    assert found[0].score > 0.999
    assert "another model" in index.info().triples.note


@pytest.mark.scale
def test_an_interrupted_build_goes_on_and_says_so(where, tmp_path):
    class Enough(Exception):
        pass

    def stop(progress):
        if progress.done >= 1500:
            raise Enough

    index = index_of(tmp_path, 3500, where)
    with pytest.raises(Enough):
        index.build(stop)
    assert index.info().triples.state == "partial"
    again = index_of(tmp_path, 3500, where)
    seen = []
    info = again.build(seen.append).triples
    assert (info.state, info.count) == ("ready", 3500)
    assert info.note == "An interrupted build went on: 1,500 triples were there already."
    assert [p.done for p in seen] == [2500, 3500]
    assert seen[-1].left_s == 0
    assert seen[-1].rate > 0


def test_a_large_graph_is_not_indexed_unasked(where, tmp_path):
    index = index_of(tmp_path, SMALL + 1, where)
    with pytest.raises(SourceUnavailable, match=rf"is not built. Build it .*{SMALL + 1:,} triples"):
        index.nearest_triples(["thing 3"], 1)


def test_what_is_there_is_searched_while_the_rest_is_being_built(where, tmp_path, monkeypatch):
    index = index_of(tmp_path, 600, where)
    assert index.triples_reach() == ("none", "The index of triples of “made up” is not built")
    monkeypatch.setattr(index.kg, "name", "known")
    assert "triples of “well-known things” is" in index.triples_reach()[1]  # as pages call it
    monkeypatch.undo()
    reaches = []

    def look(progress):
        reach, why = index.triples_reach()
        (found,) = index.nearest_triples(["thing 3 follows thing 4"], 1)
        reaches.append((reach, why, found[0].score > 0.999))

    index.build(look)
    of = "The index of triples of “made up” is being built"
    assert reaches == [("some", f"{of} ({n} of 600)", True) for n in (250, 500, 600)]
    assert index.triples_reach() == ("all", "")


def test_who_is_to_be_built_after_another_one_waits_for_that(tmp_path):
    first, second = index_of(tmp_path, 600), index_of(tmp_path, 500)
    why = []
    with first.store.writing():
        after = Build(second)
        wait_until(lambda: second.queued)
        why.append(second.triples_reach())
        assert stands(second) == (0.0, "it waits until another index is built")
    after.wait(PATIENCE_S)
    of = "The index of triples of “made up”"
    assert why == [("none", f"{of} waits until another one is built")]
    assert (second.queued, second.triples_reach()) == (False, ("all", ""))
    first.build()
    assert not first.queued


def test_a_build_tells_at_once_of_how_much_it_is(tmp_path):
    seen = []

    class Counted(MadeUp):
        def all_statements(self):
            seen.append(stands(index))
            yield from super().all_statements()

    index = Index(Counted(600), word_encoder(tmp_path), tmp_path / "index")
    index.build()
    assert seen == [(0.0, "0 of 600 triples")]


@pytest.mark.scale
def test_what_an_interrupted_build_left_is_searched_by_who_builds_on(where, tmp_path):
    class Enough(Exception):
        pass

    def stop(progress):
        raise Enough

    with pytest.raises(Enough):
        index_of(tmp_path, 600, where).build(stop)
    again = index_of(tmp_path, 600, where)
    assert again.triples_reach() == ("none", "The index of triples of “made up” is not complete")
    with pytest.raises(SourceUnavailable, match="is not complete"):
        again.nearest_triples(["thing 3"], 5)
    reaches = []
    again.build(lambda progress: reaches.append(again.triples_reach()[0]))
    assert set(reaches) == {"some"}
    assert again.triples_reach() == ("all", "")
    assert len(again.nearest_triples(["thing 3"], 5)[0]) == 5


def test_what_is_between_popular_things_is_indexed_first(tmp_path):
    follows, group = (Relation(f"http://x/{r}", r) for r in ("follows", "group"))
    hermit, *known = (Entity(f"http://x/{n}", f"thing {n}") for n in range(5))
    everything = Entity("http://x/all", "everything")
    facts = [Statement(e, group, everything) for e in (hermit, *known)]
    facts += [Statement(hermit, follows, known[0])]
    facts += [Statement(a, follows, b) for a in known for b in known]
    things, relations = [everything, hermit, *known], [follows, group]
    index = Index(
        EmbeddedGraph.build("x", things, relations, facts), word_encoder(tmp_path), tmp_path / "i"
    )
    order = list(index._triples._items())
    assert set(order) == set(facts)
    assert {s.relation.name for s in order[:16]} == {"follows"}
    assert hermit not in {s.subject for s in order[:16]}


def popular_graph(size):
    """One thing of which much is stated, and `size` of which a little is."""
    named = Relation("http://x/named", "nickname")
    star, *others = (Entity(f"http://x/{n}", f"thing {n}") for n in range(size + 1))
    facts = [Statement(other, named, Literal(f"little {n}")) for n, other in enumerate(others)]
    facts += [Statement(star, named, Literal(f"great {n}")) for n in range(30)]
    return EmbeddedGraph.build("popular", [star, *others], [named], facts), star


def test_the_best_known_facts_are_indexed_before_the_graph_is_read_whole(tmp_path, monkeypatch):
    class Enough(Exception):
        pass

    def read_whole():
        raise Enough
        yield

    monkeypatch.setattr("kgqa_core.search.index._FIRST_BATCH", 25)
    kg, star = popular_graph(SMALL)
    monkeypatch.setattr(kg, "all_statements", read_whole)
    index = Index(kg, word_encoder(tmp_path), tmp_path / "index")
    seen = []
    with pytest.raises(Enough):
        index.build(lambda progress: seen.append(star in {s.subject for s in found(index)}))
    assert seen[0]
    assert kg.most_stated(1)[0][0] == star


def test_the_first_facts_are_searched_before_more_is_read(tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.index._FIRST_BATCH", 40)
    kg, _ = popular_graph(SMALL)
    read, seen = [], []

    def statements(things, *, direction=None, limit=500):
        read.extend(things)
        return known(things, direction=direction, limit=limit)

    known = kg.statements
    monkeypatch.setattr(kg, "statements", statements)
    index = Index(kg, word_encoder(tmp_path), tmp_path / "index")
    index.build(lambda progress: seen.append(len(read)))
    assert seen[0] == 20 < len(read)  # those that are read together


def found(index):
    (nearest,) = index.nearest_triples(["thing 0, nickname: great 1"], 5)
    return [scored.item for scored in nearest]


def test_the_first_facts_are_searched_before_the_texts_and_these_before_the_rest(tmp_path):
    texts = [Passage(f"p{n}", f"text {n}", "t", "t.md", ULM) for n in range(30)]
    index = Index(MadeUp(600), word_encoder(tmp_path), tmp_path / "index", texts)
    seen = []
    told = []
    index.build(
        lambda progress: (
            seen.append((progress.what, progress.done)),
            told.append(stands(index)[1].partition(" · ")[0]),
        )
    )
    assert seen == [("triples", 250), ("passages", 30), ("triples", 500), ("triples", 600)]
    # While the texts are filed it is told that facts are searched
    assert told == [
        "250 of 600 triples",
        "250 triples are searched",
        "500 of 600 triples",
        "600 of 600 triples",
    ]
    assert index.progress is None


def test_of_a_large_graph_the_best_known_facts_are_indexed_and_it_says_so(
    where, tmp_path, monkeypatch
):
    """Unasked; the next process finds them again, and building goes on from there."""
    monkeypatch.setattr("kgqa_core.search.chroma._LOOKS", 1)  # nothing here is torn
    kg, star = popular_graph(SMALL)
    index = Index(kg, word_encoder(tmp_path), where)
    seen = []
    index.build(seen.append, most=100, first=True)
    assert (seen[-1].done, seen[-1].total) == (230, 230)
    shelf = index.info().triples
    assert (shelf.state, shelf.count, shelf.total) == ("first", 230, 230)
    again = Index(kg, word_encoder(tmp_path), where)
    for known in (index, again):
        why = "The index of triples of “popular” holds the best known of 230"
        assert known.triples_reach() == ("some", why)
        assert known.first_count() == 230
        assert star in {s.subject for s in found(known)}
    again.build(pytest.fail, most=100, first=True)
    assert again.build().triples.state == "ready"
    assert again.first_count() == 0
    assert again.triples_reach() == ("all", "")


def test_of_a_large_graph_no_more_than_the_best_known_is_read(where, tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.index.FIRST", 25)
    kg, star = popular_graph(SMALL)
    monkeypatch.setattr(kg, "all_statements", pytest.fail)
    index = Index(kg, word_encoder(tmp_path), where)
    assert index.build(most=100, first=True).triples.count == 25
    assert {s.subject for s in found(index)} == {star}
    untouched = Index(MadeUp(SMALL + 1), word_encoder(tmp_path), tmp_path / "other")
    assert untouched.build(most=100, first=True).triples.state == "missing"


def test_an_index_that_somebody_dropped_is_looked_for_again(where, tmp_path):
    index = index_of(tmp_path, 20, where)
    index.build()
    for collection in list(index.store.collections()):
        index.store.drop(collection.name)
    with pytest.raises(SourceUnavailable):
        index.nearest_triples(["thing 3"], 1)
    assert len(index.nearest_triples(["thing 3"], 1)[0]) == 1


def test_two_threads_build_once(where, tmp_path):
    index, seen = index_of(tmp_path, 1500, where), []
    threads = [threading.Thread(target=index.build, args=[seen.append]) for _ in range(3)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [p.done for p in seen] == [250, 500, 1500]


# -- bad luck ----------------------------------------------------------------------------


def test_a_graph_that_cannot_be_read_whole(tmp_path):
    class Endpoint:
        name = "wikidata"

    index = Index(Endpoint(), word_encoder(tmp_path), tmp_path / "index")
    assert not index.has_triples
    assert index.info().triples is None
    with pytest.raises(SourceRejected, match="KAPING"):
        index.nearest_triples(["a"], 1)


def test_one_process_writes_at_a_time(tmp_path):
    index = index_of(tmp_path, 10)
    code = (
        "import sys; from kgqa_core.search.chroma import ChromaStore\n"
        "with ChromaStore(__import__('pathlib').Path(sys.argv[1])).writing():\n"
        "    print('writing', flush=True); sys.stdin.read()"
    )
    command = [sys.executable, "-c", code, str(tmp_path / "index")]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE) as other:
        assert other.stdout.readline() == b"writing\n"
        with pytest.raises(SourceUnavailable, match="Another process is building"):
            index.build()
        other.kill()  # the lock goes with its holder
    assert index.build().triples.state == "ready"


def test_a_server_that_is_not_there(tmp_path):
    index = index_of(tmp_path, 5, "http://127.0.0.1:9")
    with pytest.raises(SourceUnavailable, match=r"cannot be used: .*Start it with `chroma run`"):
        index.nearest_triples(["a"], 1)


@pytest.fixture
def strange_server():
    """Starts servers that say `status` and `body` to everything; `said` is what was asked."""
    running = ExitStack()

    def start(status, body, said=None):
        class Strange(Quiet):
            def do_GET(self):
                if said is not None:
                    said.append(self.path)
                self.send_response(status)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            do_POST = do_GET

        return running.enter_context(Loopback(Strange)).url

    with running:
        yield start


V1_ONLY = b'{"error":"Unimplemented","message":"The v2 API is gone. Please use /v9 apis"}'


@pytest.mark.parametrize(
    ("status", "body", "why"),
    [
        (200, b'"0.5.23"', r"it is of version 0\.5\.23"),  # what 0.5.23 really answers
        (404, b'{"detail":"Not Found"}', r"does not speak API v2 \(.* gives 404\)"),  # 0.4
        (410, V1_ONLY, r"does not speak API v2 \(.* gives 410\)"),
        (200, b"<html>Welcome</html>", "does not speak API v2"),
    ],
)
def test_a_server_of_another_version_is_told_before_anything_is_sent(
    strange_server, tmp_path, status, body, why
):
    asked = []
    index = index_of(tmp_path, 5, strange_server(status, body, asked))
    with pytest.raises(SourceUnavailable, match=f"{why}.*version 1.0 or newer") as told:
        index.nearest_triples(["a"], 1)
    assert "\n" not in str(told.value)
    assert asked == ["/api/v2/version"]


def test_a_server_that_says_a_good_version_and_nothing_else(strange_server, tmp_path):
    index = index_of(tmp_path, 5, strange_server(200, b'"1.5.9"'))
    with pytest.raises(SourceUnavailable, match="cannot be used"):
        index.nearest_triples(["a"], 1)


@pytest.mark.parametrize("damage", ["file in the way", "no database"])
def test_a_folder_that_cannot_be_used(tmp_path, damage):
    if damage == "file in the way":
        (tmp_path / "index").write_text("no folder")
    else:
        (tmp_path / "index").mkdir()
        (tmp_path / "index" / "chroma.sqlite3").write_bytes(b"not a database" * 1000)
    with pytest.raises(SourceUnavailable, match="delete the folder to have it built anew"):
        index_of(tmp_path, 5).nearest_triples(["a"], 1)


@pytest.mark.scale
def test_a_full_disk(tmp_path):
    """Stands in for a full disk: no file of the process may grow beyond 300 KB."""
    code = (
        "import resource, signal, sys\n"
        "from pathlib import Path\n"
        "from tests.search.build_index import index_of\n"
        "index = index_of(Path(sys.argv[1]), 4000)\n"
        "index.store.client()\n"
        "signal.signal(signal.SIGXFSZ, signal.SIG_IGN)\n"
        "resource.setrlimit(resource.RLIMIT_FSIZE, (300_000, 300_000))\n"
        "try: index.build()\n"
        "except Exception as error: print(type(error).__name__, error)"
    )
    command = [sys.executable, "-c", code, str(tmp_path)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=PATIENCE_S)
    assert done.stdout.startswith("SourceUnavailable The index in"), done.stdout + done.stderr
    assert "Check that the disk has room" in done.stdout
    assert index_of(tmp_path, 4000).build().triples.state == "ready"


def kill_a_build(folder, size, told, after_s):
    """Starts a build in a process of its own, and kills it a while after it told of so many."""
    command = [sys.executable, "-m", "tests.search.build_index", str(folder), str(size)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as builder:
        assert builder.stdout.readline() == "start\n"
        done = 0
        while done < told and (line := builder.stdout.readline()) != "end\n":
            done = int(line)
        time.sleep(after_s)
        builder.kill()


def check_whole(folder, size):
    index = index_of(folder, size)
    assert index.build().triples.state == "ready"
    texts = [f"thing {i} follows thing {i + 1}" for i in range(0, size, size // 50)]
    found = index.nearest_triples(texts, 3)
    whole = [any(s.score > 0.999 for s in nearest) for nearest in found]
    assert sum(whole) >= 0.95 * len(texts)  # the search is approximate
    assert index.info().triples.count == size


@pytest.mark.scale
def test_a_build_killed_at_any_point_is_resumed_or_rebuilt(tmp_path):
    """Twenty more points are among the kills of `python -m tests.faults`."""
    any_time = random.Random(7)
    for first, second in ((0, 0), (250, 1_500)):
        folder = tmp_path / str(first)
        for told in (first, second):  # the second kill hits a resumed build
            kill_a_build(folder, 3_000, told, any_time.uniform(0, 0.4))
        check_whole(folder, 3_000)


@pytest.mark.scale
def test_torn_files_of_a_killed_build_end_no_process_but_the_one_that_looks(tmp_path):
    command = [sys.executable, "-m", "tests.search.build_index", str(tmp_path), "12000"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as builder:
        while builder.stdout.readline().strip() != "5500":
            assert builder.poll() is None
        builder.kill()
    torn = [path for path in tmp_path.rglob("*.bin") if path.stat().st_size]
    assert torn
    for path in torn:
        path.write_bytes(path.read_bytes()[: path.stat().st_size // 3])
    check_whole(tmp_path, 12_000)
