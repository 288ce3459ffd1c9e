"""Scripts over Bolt: a real database makes of them what the interpreter does, and keeps nothing."""

from __future__ import annotations

import sys
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import SecretStr

from kgqa_core.ask import events
from kgqa_core.ask.run import StopToken, Toolkit, drain, run
from kgqa_core.errors import SettingsError, SourceRejected, SourceUnavailable, Stopped
from kgqa_core.evaluation import jobs
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods.pgakv import algorithm as pgakv
from kgqa_core.methods.pgakv.cypher import CypherError, from_graph
from kgqa_core.methods.pgakv.cypher.bolt import MAX_CLAUSES, Scratch
from kgqa_core.methods.pgakv.cypher.interpret import interpret
from kgqa_core.methods.pgakv.skills import Draft
from kgqa_core.settings import Settings
from tests.fakes import ScriptedLLM, kinds
from tests.methods.test_cypher import SCRIPTS
from tests.methods.test_pgakv import SCRIPT, all_sentences, correct_the_lakes, tools_for
from tests.screens.test_pages import text
from tests.servers import arcadedb
from tests.servers.arcadedb import ArcadeDB, proxy, silent

SMALL = interpret(
    "CREATE (e:Lake {name: 'Erie', area: 25700})-[:PART_OF]->(g {name: 'Great Lakes'})"
)
READABLE = [pytest.param(script, id=title) for kind, title, script, _ in SCRIPTS if kind[0] != "n"]

GRAPH = EmbeddedGraph.build("small", [], [], [])
needs_database = pytest.mark.skipif(
    arcadedb.HOME is None, reason="arcadedb-embedded is not installed"
)


@pytest.fixture(scope="module")
def database(tmp_path_factory):
    with ArcadeDB(tmp_path_factory.mktemp("arcadedb")) as server:
        yield server


@pytest.fixture
def empty(database):
    """The server, whose databases have to be as empty afterwards."""
    yield database
    assert [database.run("MATCH (n) RETURN n", name) for name in ("scratch", "other")] == [[], []]


# -- what a real database makes of a script --------------------------------------------------


@pytest.mark.server
@needs_database
@pytest.mark.parametrize("script", READABLE)
def test_the_database_makes_the_same_pseudo_graph(empty, script: str):
    read = interpret(script)
    carried_out = empty.scratch().carry_out(read)
    try:
        expected = from_graph(read)
    except CypherError as error:
        with pytest.raises(CypherError, match=f"^{error}$"):
            from_graph(carried_out)
        return
    found = from_graph(carried_out)
    assert found.statements == expected.statements
    assert (found.lost, found.mended, found.parts) == (
        expected.lost,
        expected.mended,
        expected.parts,
    )


@pytest.mark.server
@needs_database
def test_values_come_back_as_they_were(empty):
    read = interpret(
        "CREATE (a {name: 'x', big: 900719925474099312, tall: -1.5e10, yes: true, no: false, "
        "born: date('1879'), died: date('1955-04-18'), mixed: [1, 2.5], odd: ['a', 1, true], "
        "text: 'a\\\\u0060) DETACH DELETE n //', line: 'two\\nlines', emoji: '🍕'})"
    )
    carried_out = empty.scratch().carry_out(read)
    said = carried_out.graph.nodes[0]["properties"]
    wanted = dict(read.graph.nodes[0]["properties"])
    wanted["odd"] = ["a", "1", "true"]  # a database stores lists of one type
    assert said == wanted
    assert [type(v) for v in said.values()] == [type(v) for v in wanted.values()]


@pytest.mark.server
@needs_database
def test_what_the_database_makes_more_of_is_read_too(empty):
    """Two lakes match: a database carries the rest out for each of them."""
    read = interpret("CREATE (a:Lake {name: 'Erie'})-[:IN]->(b:Land {name: 'Ohio'})")
    twice = replace(read, clauses=[*read.clauses, "CREATE (:Lake {name: 'Huron'})-[:IN]->(n1)"])
    said = [str(s.subject.name) for s in from_graph(empty.scratch().carry_out(twice)).statements]
    assert said == ["Erie", "Huron"]


# -- what keeps it safe ----------------------------------------------------------------------


@pytest.mark.server
@needs_database
def test_a_database_with_something_in_it_is_left_alone(database):
    database.run("CREATE (:Mine {name: 'precious'})", "other")
    with pytest.raises(SourceRejected, match="is not empty: scripts are sent only to an empty"):
        database.scratch("other").carry_out(SMALL)
    assert database.run("MATCH (n) RETURN n.name", "other") == [["precious"]]
    database.run("MATCH (n:Mine) DELETE n", "other")


@pytest.mark.server
@needs_database
def test_a_database_that_does_not_roll_back_is_told(database):
    """The proxy says COMMIT (0x12) where the client says ROLLBACK (0x13)."""

    def lie(data: bytes) -> bytes:
        return data.replace(b"\x00\x02\xb0\x13\x00\x00", b"\x00\x02\xb0\x12\x00\x00")

    with (
        proxy(database.port, lie) as port,
        pytest.raises(SourceRejected, match="kept what was rolled back"),
    ):
        database.scratch(port=port).carry_out(SMALL)
    database.run("MATCH (n) DETACH DELETE n")


@pytest.mark.server
@needs_database
@pytest.mark.parametrize(
    ("changes", "error", "said"),
    [
        ({"password": SecretStr("wrong")}, SourceRejected, "does not accept the user and password"),
        ({"user": ""}, SourceRejected, "does not accept the user and password"),
        ({"database": "nowhere"}, SourceRejected, "“nowhere” at .* does not exist"),
    ],
)
def test_what_the_database_does_not_accept(empty, changes, error, said):
    with pytest.raises(error, match=f"{said}.*\\.$"):
        replace(empty.scratch(), **changes).carry_out(SMALL)


@pytest.mark.server
@needs_database
def test_a_script_that_the_database_refuses_is_an_unreadable_one(empty):
    broken = replace(SMALL, clauses=["CREATE (n0:`Lake` {"])
    with pytest.raises(CypherError, match=r"^The database refused the script: .+\.$"):
        empty.scratch().carry_out(broken)


@pytest.mark.server
@needs_database
def test_a_connection_that_breaks_within_a_script(empty):
    with (
        proxy(empty.port, lambda data: None if b"CREATE" in data else data) as port,
        pytest.raises(SourceUnavailable, match=f"at 127.0.0.1:{port} cannot be reached"),
    ):
        empty.scratch(port=port).carry_out(SMALL)


@pytest.mark.server
@needs_database
def test_a_database_that_stops_answering_within_a_script(empty):
    with (
        proxy(empty.port, lambda data: b"" if b"CREATE" in data else data) as port,
        pytest.raises(SourceUnavailable, match="took more than 1 seconds"),
    ):
        replace(empty.scratch(port=port), timeout_s=1).carry_out(SMALL)


def test_a_server_that_says_nothing():
    with silent() as port, pytest.raises(SourceUnavailable, match=r"took more than 0\.3 seconds"):
        Scratch(f"bolt://127.0.0.1:{port}", "scratch", timeout_s=0.3).carry_out(SMALL)


def test_no_server():
    with pytest.raises(SourceUnavailable, match="cannot be reached"):
        Scratch("bolt://127.0.0.1:1", "scratch").carry_out(SMALL)


@pytest.mark.parametrize(
    ("url", "database", "said"),
    [
        ("bolt://localhost", "", "Name the throw-away database .* KGQA_BOLT_DATABASE"),
        ("http://localhost", "x", "KGQA_BOLT_URL is not the address of a database"),
        ("localhost:7687", "x", "KGQA_BOLT_URL is not the address of a database"),
        ("bolt://localhost:port", "x", "KGQA_BOLT_URL is not the address of a database"),
        ("bolt://me:secret@localhost", "x", "has a user in it"),
    ],
)
def test_settings_that_are_not_complete(url, database, said):
    with pytest.raises(SettingsError, match=said) as caught:
        Scratch(url, database).carry_out(SMALL)
    assert "secret" not in str(caught.value)


def test_without_the_driver(monkeypatch):
    monkeypatch.setitem(sys.modules, "neo4j", None)
    with pytest.raises(SettingsError, match="needs the package `neo4j`: install it"):
        Scratch("bolt://localhost", "scratch").carry_out(SMALL)


def test_a_long_script_is_not_sent():
    script = interpret("\n".join(f"CREATE (:N {{name: 'n{i}'}})" for i in range(MAX_CLAUSES + 1)))
    with pytest.raises(CypherError, match="501 clauses; a database is sent at most 500"):
        Scratch("bolt://localhost", "scratch").carry_out(script)


# -- as part of a run ------------------------------------------------------------------------


@pytest.mark.server
@needs_database
def test_a_run_with_a_database_corrects_the_same_triples(empty):
    def lakes(scratch):
        tools, _ = tools_for(
            ScriptedLLM(Draft(plan="areas", script=SCRIPT), correct_the_lakes, all_sentences)
        )
        tools.equipment = scratch
        return drain(pgakv.solve("Which lake?", tools, pgakv.Params(subjects=2)))

    alone, seen_alone = lakes(None)
    answer, seen = lakes(empty.scratch())
    assert answer == alone
    (note,) = [e for e in seen if e not in seen_alone]
    assert note.text == (
        f"The database “scratch” at 127.0.0.1:{empty.port} carried the script out, then rolled it "
        "back."
    )


class Refusing:
    """A database that refuses every script."""

    name = "“scratch”"

    def carry_out(self, script):
        raise CypherError("The database refused the script: too many lakes.")


def test_a_refused_script_is_asked_for_once_more():
    llm = ScriptedLLM(*[Draft(plan="areas", script=SCRIPT)] * 2)
    tools = Toolkit(GRAPH, llm, equipment=Refusing())
    answer, seen = drain(pgakv.solve("Which lake?", tools, pgakv.Params()))
    assert kinds(seen) == "step linked asked noted asked noted"
    assert llm.inputs[1].problem == "The database refused the script: too many lakes."
    assert answer.reason == "No pseudo-graph could be read."


def test_a_database_that_is_gone_ends_the_run_with_a_sentence():
    llm = ScriptedLLM(Draft(plan="areas", script=SCRIPT))
    tools = Toolkit(GRAPH, llm, equipment=Scratch("bolt://127.0.0.1:1", "scratch"))
    *_, last = run("Which lake?", pgakv.solve, tools, pgakv.Params())
    assert isinstance(last.event, events.Failed)
    assert "cannot be reached" in last.event.message


def test_stop_does_not_wait_for_the_database():
    stop = StopToken()
    stop.press()
    with silent() as port:
        scratch = Scratch(f"bolt://127.0.0.1:{port}", "scratch", timeout_s=0.3)
        tools = Toolkit(GRAPH, None, equipment=scratch, stop=stop)
        with pytest.raises(Stopped):
            tools.call(tools.equipment.carry_out, SMALL)


def test_a_benchmark_opens_it_from_the_settings(tmp_path):
    settings = Settings(
        data_dir=tmp_path,
        bolt_url="bolt://localhost:7687",
        bolt_database="scratch",
        bolt_user="me",
        bolt_password=SecretStr("secret"),
        bolt_timeout_s=5,
    )
    setup = jobs.opened({"pgakv": {}}, "starter", "offline", settings, "pgakv")
    expected = Scratch("bolt://localhost:7687", "scratch", "me", SecretStr("secret"), 5)
    assert setup.equipment == expected
    assert "secret" not in repr(setup.equipment)
    assert Scratch.from_settings(Settings(data_dir=tmp_path)) is None


# -- on the Settings page --------------------------------------------------------------------


def plain(shown) -> str:
    return shown.value.replace("\\", "")


def fill(app, **fields: str):
    app.switch_page("pages/settings.py").run()
    for label, value in fields.items():
        (box,) = [i for i in app.text_input if i.label == label.replace("_", " ")]
        box.set_value(value)
    return app.button(key="try_bolt").click().run()


def test_the_page_says_what_is_missing(app):
    fill(app, Address="bolt://127.0.0.1:1")
    assert not app.exception
    assert "Name the throw-away database" in plain(app.error[0])
    fill(app, Address="")
    assert plain(app.success[0]) == "Scripts are interpreted here."


@pytest.mark.server
@needs_database
def test_the_page_tries_a_database_out(app, empty):
    address = f"bolt://127.0.0.1:{empty.port}"
    fill(app, Address=address, User="root")
    fill(app, **{"Throw-away_database": "scratch"})
    assert "does not accept the user and password" in plain(app.error[0])
    password = next(i for i in app.text_input if i.label == "Password")
    password.set_value(arcadedb.PASSWORD)
    app.button(key="try_bolt").click().run()
    assert not app.exception
    assert "carried out a script and rolled it back: 2 nodes, 1 relation." in plain(app.success[0])
    assert arcadedb.PASSWORD not in text(app)


def test_a_hosted_app_takes_no_address(tmp_path: Path, app, monkeypatch):
    from kgqa_core.screens import session

    monkeypatch.setenv("KGQA_HOSTED", "true")
    session.environment.clear()
    app.switch_page("pages/settings.py").run()
    assert not app.exception
    assert not [b for b in app.button if b.key == "try_bolt"]
    assert "only its environment can name one" in text(app)
