"""Runs in a database that servers share: the same verbs, and nothing lost when it goes away."""

import threading

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.skills import Draft
from kgqa_core.history import team_store as module
from kgqa_core.history.runs import Runs
from kgqa_core.history.store import INTERRUPTED, Search
from kgqa_core.history.team_store import TeamStore
from kgqa_core.llm.openai_chat import OpenAIChat
from tests.fakes import ScriptedLLM, setup_of
from tests.history.stores import Verbs, full_run, header, ids, kept
from tests.patience import PATIENCE_S, wait_until
from tests.servers import postgres
from tests.servers.openai import OpenAIServer, hang
from tests.small_graph import small_graph

needs_server = pytest.mark.skipif(not postgres.AVAILABLE, reason="PostgreSQL is not installed")


@pytest.fixture(scope="module")
def server():
    with postgres.Postgres() as running:
        yield running


@pytest.fixture
def opened(server, monkeypatch):
    """Opens a home of runs, as one app server each; all tables are empty before and gone after."""
    monkeypatch.setattr(module, "_BEAT_S", 0.3)
    stores: list[TeamStore] = []

    def opening() -> TeamStore:
        stores.append(TeamStore(server.url))
        return stores[-1]

    yield opening
    for store in stores:
        store.close()
    last = TeamStore(server.url)
    with last._engine.begin() as db:
        module._tables.drop_all(db)
    last.close()


pytestmark = [pytest.mark.server, needs_server]


class TestInADatabase(Verbs):
    @pytest.fixture
    def store(self, opened):
        return opened()


def test_servers_see_each_others_runs(opened):
    one, other = opened(), opened()
    kept(one, "Where is Ulm?", "Who was it?")
    assert ids(other, text="ulm") == ["r0"]
    assert other.load("r1")[1] == full_run()
    other.delete(["r0"])
    assert ids(one) == ["r1"]


def test_a_run_that_goes_on_elsewhere_is_followed_to_its_end(opened):
    one, other = opened(), Runs(opened())
    one.begin(header())
    run = full_run()
    one.append("r1", run[:2], "running")
    followed = other.get("r1")
    assert followed.status == "running"
    assert followed.records == run[:2]
    one.append("r1", run[2:], "answered")
    assert followed.wait(PATIENCE_S)
    assert followed.records == run
    assert other.get("r1") is followed
    other.close()


def test_a_run_is_stopped_from_another_server(opened):
    one, other = Runs(opened()), Runs(opened())
    with OpenAIServer() as model:
        model.always = hang()
        llm = OpenAIChat("test-model", api_key="k", base_url=model.url, timeout_s=PATIENCE_S)
        going = one.start("Where is Ulm?", setup_of("io", small_graph(), llm))
        wait_until(lambda: model.requests)
        followed = other.get(going.header.id)
        assert not followed.here
        followed.stop()
        assert going.wait(PATIENCE_S)
        assert followed.wait(PATIENCE_S)
    assert going.status == followed.status == "cancelled"
    assert isinstance(followed.records[-1].event, events.Cancelled)
    other.close()
    one.close()


def test_a_server_that_is_closed_leaves_what_it_only_watched_alone(opened):
    one, other = opened(), Runs(opened())
    one.begin(header())
    one.append("r1", full_run()[:2], "running")
    assert other.get("r1").status == "running"
    other.close()
    assert one.asked_to_stop(["r1"]) == []


def test_runs_of_a_server_that_is_gone_are_marked_by_the_others(opened, monkeypatch):
    one, other = opened(), opened()
    one.begin(header())
    one.append("r1", full_run()[:2], "running")
    assert other.goes_on("r1")
    one._closing.set()  # killed: no goodbye, no more signs of life
    one._tell.set()
    one._thread.join()
    monkeypatch.setattr(module, "_GONE_S", 0.5)
    wait_until(lambda: other.load("r1")[1][-1].event.terminal)
    assert other.load("r1")[1][-1].event == events.Cancelled(reason=INTERRUPTED)
    assert [(one.id, one.status) for one in other.find(Search())[0]] == [("r1", "cancelled")]
    assert not other.goes_on("r1")


def test_a_server_that_is_stopped_marks_what_it_had_running(opened):
    one, other = opened(), opened()
    one.begin(header())
    one.close()
    assert other.load("r1")[1][-1].event == events.Cancelled(reason=INTERRUPTED)


def test_a_database_that_goes_away_holds_nobody_up_and_loses_nothing(server, opened):
    store = opened()
    kept(store, "before")
    server.stop()
    try:
        store.begin(header("r5"))
        store.append("r5", full_run(), "answered")
        assert "written as soon as it can be reached" in store.problem
        assert "hush" not in store.problem
        assert store.load("r0") is None
    finally:
        server.start()
    wait_until(lambda: not store.problem)
    assert store.load("r5")[1] == full_run()
    assert store.load("r0")[1] == full_run()


def test_records_for_a_run_deleted_for_good_elsewhere_hold_nobody_up(opened):
    store = opened()
    store.append("never begun", full_run(), "answered")
    kept(store, "a")
    assert ids(store) == ["r0"]
    assert not store.problem


def test_a_newer_schema_is_left_alone(server, opened):
    store = opened()
    with store._engine.begin() as db:
        db.execute(module.sa.update(module._meta).values(schema=99))
    assert "newer version" in opened().problem


def test_twenty_servers_may_begin_at_once(server, opened):
    gate = threading.Barrier(8)

    def begin(i):
        gate.wait()
        opened().begin(header(f"r{i}"))

    threads = [threading.Thread(target=begin, args=(i,)) for i in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(ids(opened())) == 8


def test_what_a_database_cannot_hold_is_replaced(opened):
    store = opened()
    store.begin(header().model_copy(update={"question": "a\0b"}))
    store.append("r1", [Record(seq=0, step=0, at_s=0, event=events.Noted(text="\0"))], "running")
    assert not store.problem
    assert store.load("r1")[1][0].event.text == "\0"  # escaped in JSON
    assert store.find(Search())[0][0].question == "a\N{REPLACEMENT CHARACTER}b"


def test_a_question_is_asked_and_kept_there(opened):
    runs = Runs(opened())
    this = runs.start(
        "Who?", setup_of("io", small_graph(), ScriptedLLM(Draft(text="x", values=[])))
    )
    assert this.wait(PATIENCE_S)
    assert ids(opened()) == [this.header.id]
    runs.close()
