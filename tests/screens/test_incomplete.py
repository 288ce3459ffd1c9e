"""What an endpoint leaves out is told: in the trace, under the answer, in the shell."""

import json

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg import sparql
from kgqa_core.kg.cache import DiskCache
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import Profile
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.union import UnionGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.screens import session
from kgqa_core.shell.main import main
from tests.patience import PATIENCE_S
from tests.screens.test_pages import APP, finish, text
from tests.servers.sparql import RESULTS, SparqlServer, hang, partial
from tests.small_graph import ULM, small_graph

QUESTION = "Who directed Written on the Wind?"
SAID = "left out part of an answer: results may be incomplete."
ODD = "gave something that cannot be read: it was left out."


def odd(exchange):
    """A row that is none, in every answer."""
    found = json.loads(exchange.answer())
    if "results" in found:
        found["results"]["bindings"].insert(0, {"s": 5})
    exchange.send(200, json.dumps(found).encode(), RESULTS)


@pytest.fixture
def server():
    with SparqlServer(small_graph()._store) as running:
        yield running


def asked(kg):
    records = list(run(QUESTION, react.solve, Toolkit(kg, Offline()), react.Params()))
    assert records[-1].event.kind == "answered"
    notes = [r.event.text for r in records if r.event.kind == "noted"]
    return records[-1].event.answer, [note for note in notes if note.endswith((SAID, ODD))]


@pytest.mark.parametrize(("fault", "said"), [(partial, SAID), (odd, ODD)])
@pytest.mark.parametrize("together", [False, True])
def test_a_run_over_partial_answers_says_so_once_and_is_not_certain(server, together, fault, said):
    server.will(*[fault] * 40)
    graph = SparqlGraph(server.url, name="world")
    empty = EmbeddedGraph.build("empty", [], [], [])
    answer, notes = asked(UnionGraph([empty, graph]) if together else graph)
    assert [value.name for value in answer.values] == ["Douglas Sirk"]
    assert notes == [f"“world” {said}"]
    assert not answer.certain


def test_a_run_over_whole_answers_says_nothing(server):
    answer, notes = asked(SparqlGraph(server.url, name="world"))
    assert notes == []
    assert answer.certain


def test_what_may_be_incomplete_is_not_remembered_on_disk(server, tmp_path):
    file = tmp_path / "cache.sqlite"
    server.will(*[partial] * 40)
    SparqlGraph(server.url, cache=DiskCache(file)).relation("director")
    server._queue.clear()
    before = len(server.requests)
    SparqlGraph(server.url, cache=DiskCache(file)).relation("director")
    assert len(server.requests) > before
    before = len(server.requests)
    SparqlGraph(server.url, cache=DiskCache(file)).relation("director")
    assert len(server.requests) == before


# -- how large an endpoint is ------------------------------------------------------------


def test_facts_are_counted_up_to_a_limit(server, monkeypatch):
    assert SparqlGraph(server.url).info().statements == 16
    monkeypatch.setattr(sparql, "_MOST_COUNTED", 15)
    assert SparqlGraph(server.url).info().statements is None
    assert "LIMIT 16" in server.requests[-1].query
    monkeypatch.setattr(sparql, "_MOST_COUNTED", 16)
    assert SparqlGraph(server.url).info().statements == 16


def test_where_there_are_billions_nobody_counts(server):
    graph = SparqlGraph(server.url, profile=Profile("test", "statements", counted=False))
    assert graph.info().statements is None
    assert server.requests == []


def test_a_count_that_takes_too_long_is_no_failure_and_tried_again(server, tmp_path):
    file = tmp_path / "cache.sqlite"
    profile = Profile("test", "statements")
    server.will(hang)

    quick = Reach(timeout_s=0.2)
    first = SparqlGraph(server.url, profile=profile, cache=DiskCache(file), reach=quick)
    assert first.info().statements is None
    assert len(server.requests) == 1
    again = SparqlGraph(server.url, profile=profile, cache=DiskCache(file))
    assert again.info().statements == 16
    assert again.statements([ULM])[0]


# -- where people see it -----------------------------------------------------------------


def test_it_stands_under_the_answer(server, tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    session.environment.clear()
    session.runs.clear()
    try:
        session.graphs().add(server.url, "endpoint", "mine")
        server.will(*[partial] * 60)
        app = AppTest.from_file(APP, default_timeout=PATIENCE_S)
        app.session_state["skips"] = True  # runs are shown at once
        app.run()
        app.selectbox(key="graph").set_value(server.url)
        app.text_input(key="question").set_value(QUESTION)
        app.button(key="ask_button").click()
        app.run()
        assert finish(app).status == "answered"
        assert SAID in text(app).replace("\\", "")
    finally:
        session.runs.clear()
        session.environment.clear()


def test_it_is_told_in_the_shell(server, tmp_path, monkeypatch, capsys):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)
    server.will(*[partial] * 40)
    assert main(["ask", QUESTION, "--graph", server.url]) == 0
    assert f"Note: “127.0.0.1” {SAID}" in capsys.readouterr().out
