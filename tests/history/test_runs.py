"""Runs in the background: watched while they go on, stopped at once, found again later."""

import subprocess
import sys
import time
from concurrent.futures import Future

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.skills import Draft, Mentions
from kgqa_core.errors import Busy
from kgqa_core.history import runs as runs_module
from kgqa_core.history.runs import Runs
from kgqa_core.history.store import INTERRUPTED, RunStore, Search
from tests.fakes import ScriptedLLM, kinds, setup_of
from tests.history.stores import full_run, header
from tests.patience import PATIENCE_S, wait_until
from tests.small_graph import small_graph


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture
def runs(tmp_path):
    registry = Runs(RunStore(tmp_path), workers=2)
    yield registry
    registry.close()


def ask(runs, kg, llm, question="Where is Ulm?", method="io"):
    return runs.start(question, setup_of(method, kg, llm))


def test_a_run_ends_answered_and_is_found_again(runs, kg, tmp_path):
    this = ask(runs, kg, ScriptedLLM(Draft(text="In Germany.", values=["Germany"])))
    assert this.wait(PATIENCE_S)
    assert this.status == "answered"
    assert runs.get(this.header.id) is this
    later = Runs(RunStore(tmp_path))
    again = later.get(this.header.id)
    assert again.records == this.records
    assert again.header == this.header
    assert again.status == "answered"
    assert again.seconds == this.records[-1].at_s
    later.close()


def test_stop_ends_a_hanging_run_and_keeps_what_there_was(runs, kg):
    this = ask(runs, kg, ScriptedLLM(Mentions(mentions=["Ulm"]), Future()), method="one-hop")
    while "expanded" not in kinds(this.records):
        time.sleep(0.01)
    this.stop()
    assert this.wait(PATIENCE_S)
    assert this.status == "cancelled"
    assert "expanded" in kinds(this.records)
    assert len(runs.store.load(this.header.id)[1]) == len(this.records)


@pytest.mark.parametrize("question", ["", "  ", "🤔🤔", "x" * 20_000])
def test_a_question_that_cannot_be_read_fails_in_one_sentence_and_is_kept(runs, kg, question):
    this = ask(runs, kg, ScriptedLLM(), question=question)
    assert this.wait(PATIENCE_S)
    assert this.status == "failed"
    assert this.records[-1].event.message.count("Traceback") == 0
    assert runs.store.load(this.header.id)[0].question == question


def test_six_runs_do_not_wait_for_a_hanging_one(tmp_path, kg):
    registry = Runs(RunStore(tmp_path), workers=6)
    hanging = ask(registry, kg, ScriptedLLM(Future()))
    others = [ask(registry, kg, ScriptedLLM(Draft(text="Yes.", values=[]))) for _ in range(5)]
    assert all(this.wait(PATIENCE_S) for this in others)
    assert hanging.status == "running"
    assert registry.going
    hanging.stop()
    wait_until(lambda: not registry.going)
    registry.close()


def test_questions_wait_for_their_turn_and_know_their_place(tmp_path, kg):
    registry = Runs(RunStore(tmp_path), workers=1, waiting=2)
    first = ask(registry, kg, ScriptedLLM(hanging := Future()))
    wait_until(lambda: registry.before(first) is None)
    second, third = (ask(registry, kg, ScriptedLLM(Draft(text="Yes.", values=[]))) for _ in "ab")
    assert (registry.before(second), registry.before(third)) == (0, 1)
    with pytest.raises(Busy, match="2 questions are waiting"):
        ask(registry, kg, ScriptedLLM())
    second.stop()  # ends at once, though its turn has not come
    assert second.wait(PATIENCE_S)
    assert registry.store.load(second.header.id)[1][-1].event == events.Cancelled()
    assert registry.before(third) == 0
    hanging.set_result(Draft(text="No.", values=[]))
    assert third.wait(PATIENCE_S)
    assert third.status == "answered"
    registry.close()


def test_a_run_cut_off_by_the_end_of_the_process_counts_as_stopped(runs, kg, tmp_path):
    this = ask(runs, kg, ScriptedLLM(Mentions(mentions=["Ulm"]), Future()), method="one-hop")
    while not runs.store.load(this.header.id)[1]:
        time.sleep(0.01)
    later = Runs(RunStore(tmp_path))  # another process looks at the same folder
    found = later.get(this.header.id)
    assert found.status == "cancelled"
    assert isinstance(found.records[-1].event, events.Cancelled)
    later.close()


KILLED = """
import sys
from concurrent.futures import Future
from pathlib import Path
from kgqa_core.history import runs as runs_module
from kgqa_core.history.runs import Runs
from kgqa_core.ask.skills import Mentions
from kgqa_core.history.store import RunStore
from tests.fakes import ScriptedLLM, setup_of
from tests.small_graph import small_graph
runs = Runs(RunStore(Path(sys.argv[1])))
llm = ScriptedLLM(Mentions(mentions=["Ulm"]), Future())
this = runs.start("Where is Ulm?", setup_of("one-hop", small_graph(), llm))
while len(this.records) < int(sys.argv[2]):  # of 7: the model is then asked, and never answers
    this.wait(0.01)
while len(runs.store.load(this.header.id)[1]) < int(sys.argv[2]):  # on the disk, too
    this.wait(0.01)
print(this.header.id, flush=True)
this.wait()
"""


def test_a_killed_process_leaves_its_run_behind_with_all_events_up_to_the_kill(tmp_path):
    with subprocess.Popen(
        [sys.executable, "-c", KILLED, str(tmp_path), "7"], stdout=subprocess.PIPE, text=True
    ) as process:
        run_id = process.stdout.readline().strip()
        process.kill()
    later = Runs(RunStore(tmp_path))
    found = later.get(run_id)
    assert kinds(found.records) == "step asked linked anchored step expanded step cancelled"
    assert found.records[-1].event.reason == INTERRUPTED
    (listed,), _ = later.store.find(Search())
    assert (listed.status, listed.answer) == ("cancelled", INTERRUPTED)
    later.close()


def test_an_unknown_run_is_none(runs):
    assert runs.get("../../etc/passwd") is None


def test_only_so_many_runs_that_have_ended_stay_in_memory(runs, monkeypatch):
    monkeypatch.setattr(runs_module, "_KEPT", 3)
    for n in range(5):
        runs.store.begin(header(f"r{n}"))
        runs.store.append(f"r{n}", full_run(), "answered")
    for n in range(5):
        assert runs.get(f"r{n}").records == full_run()
    assert [*runs._runs] == ["r2", "r3", "r4"]


def test_large_runs_do_not_stay_in_memory_together(runs, monkeypatch):
    monkeypatch.setattr(runs_module, "_KEPT_SIZE", 8_000)
    text = "x" * 2_000
    end = full_run()[-1].model_copy(update={"seq": 1})
    large = [Record(seq=0, step=0, at_s=0.0, event=events.Noted(text=text)), end]
    for n in range(5):
        runs.admit(header(f"r{n}"), large)
    assert [*runs._runs] == ["r3", "r4"]
    assert runs.get("r0").records == large
    runs.admit(
        header("r9"), [large[0].model_copy(update={"event": events.Noted(text=text * 9)}), end]
    )
    assert [*runs._runs] == ["r9"]
