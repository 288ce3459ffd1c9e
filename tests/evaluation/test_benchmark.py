"""The runner: parallel, resumable after a kill, within a budget, and the same every time."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from dataclasses import replace
from pathlib import Path

import pytest
from pydantic import BaseModel

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer, Cost, Record, Sentence
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import StopToken, Toolkit, drain
from kgqa_core.ask.skills import CitedSentence, FactAnswer, Mentions
from kgqa_core.errors import SettingsError, SourceUnavailable
from kgqa_core.evaluation import results
from kgqa_core.evaluation.anchors import AnchoredToolkit, coverage, located
from kgqa_core.evaluation.benchmark import (
    Cap,
    Options,
    Processes,
    Setup,
    cause,
    run_benchmark,
)
from kgqa_core.evaluation.datasets import Dataset, Example
from kgqa_core.evaluation.datasets.base import answer
from kgqa_core.evaluation.statistics import compare
from kgqa_core.evaluation.summary import scores
from kgqa_core.facts.terms import Literal
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_auditor
from tests.fakes import ScriptedLLM, kinds
from tests.patience import PATIENCE_S, wait_until
from tests.places import ROOT
from tests.small_graph import FILM, SIRK, STATEMENTS, ULM, small_graph


class Params(BaseModel):
    pause_s: float = 0.0
    lucky: float = 0.5


def answer_by_number(question, tools, params):
    """A method for tests: “right 3”, “wrong 3”, “guess 3”, “unknown 3”, “away 3”: what it does."""
    yield events.Step(title="Look")
    time.sleep(params.pause_s)
    what, number = question.split()
    tools.meter.add(Cost(llm_calls=2, prompt_tokens=10, completion_tokens=5))
    if what == "away":
        raise SourceUnavailable("The model does not answer. Is it running?")
    if what == "broken":
        raise KeyError(number)
    if what == "unknown":
        return Answer(reason="No such thing.")
    said = Literal(number if what == "right" else "nothing")
    fact = STATEMENTS[0]
    yield events.Expanded(entities=(FILM,), statements=(fact,))
    return Answer(
        sentences=(Sentence(text=said.value, cites=(0,)),),
        values=(said,),
        citations=(fact,),
        certain=what != "guess",
    )


METHOD = Method("by-number", "By number", answer_by_number, Params, "", "")
KG = small_graph()


def setup(**params):
    return Setup(METHOD, Params(**params), KG, ScriptedLLM())


def reopened(method):
    assert method == METHOD.name
    return Setup(METHOD, Params(), small_graph(), ScriptedLLM())


def questions(*words, **fields):
    return Dataset(
        "numbers",
        "csv",
        [
            Example(f"q{i}", f"{word} {i}", {"gold": (answer(i),)}, **fields)
            for i, word in enumerate(words)
        ],
    )


MIXED = questions("right", "wrong", "unknown", "right", "broken", "right")


def lines(folder):
    return [json.loads(line) for line in (folder / "results.jsonl").read_text().splitlines()]


# -- what comes out ------------------------------------------------------------------------


def test_a_benchmark_counts_scores_and_lists(tmp_path):
    summary = run_benchmark(MIXED, setup(), tmp_path)
    assert (summary["n"], summary["answered"], summary["abstained"], summary["failed"]) == (
        6,
        4,
        1,
        1,
    )
    f1 = summary["metrics"]["f1"]
    assert (f1["value"], f1["n"]) == (0.5, 6)  # the failed question counts as 0
    assert f1["interval"][0] < 0.5 < f1["interval"][1]
    assert summary["metrics"]["supported_accuracy"]["value"] == 0.5
    assert summary["headline"] == "supported_accuracy"
    assert [f["id"] for f in summary["failures"]] == ["q4"]
    assert summary["cost"]["llm_calls"] == 12
    assert summary["cost"]["per_question"]["prompt_tokens"] == 10
    assert summary["by_grounding"]["abstained"]["n"] == 1
    assert summary["complete"] is True
    assert summary["stopped"] == ""
    assert results.stored_summary(tmp_path) == json.loads(json.dumps(summary))


def test_it_is_kept_how_certain_an_answer_was(tmp_path):
    words = "right wrong guess unknown broken".split()
    summary = run_benchmark(questions(*words), setup(), tmp_path)
    rows = results.read(tmp_path)[1]
    assert [r.certainty for r in rows] == ["certain", "certain", "uncertain", "abstained", ""]
    assert [r.id for r in rows if r.wrong_but_certain] == ["q1"]
    assert summary["metrics"]["wrong_but_certain"]["value"] == 0.2
    asked = {name: found["n"] for name, found in summary["by_certainty"].items()}
    assert asked == {"certain": 2, "abstained": 1, "uncertain": 1}


def test_results_are_a_folder_that_can_be_read_while_it_grows(tmp_path):
    run_benchmark(MIXED, setup(), tmp_path, traces=True)
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write('{"id": "half a li')
    config, rows = results.read(tmp_path)
    assert [row.id for row in rows] == [e.id for e in MIXED.examples]
    assert [row.verdict for row in rows] == "right wrong abstained right failed right".split()
    assert (config.method, config.graph, config.model) == ("by-number", "small", "scripted model")
    assert kinds(results.trace(tmp_path, "q1")) == "step expanded answered"
    assert results.trace(tmp_path, "q9") == []


def test_it_is_the_same_every_time(tmp_path):
    def stable(summary):
        kept = {k: v for k, v in summary.items() if k not in ("cost", "config")}
        return kept | {"config": {**summary["config"], "started_at": ""}}

    one = run_benchmark(MIXED, setup(), tmp_path / "a", Options(seed=4), workers=1)
    two = run_benchmark(MIXED, setup(), tmp_path / "b", Options(seed=4), workers=6)
    assert stable(one) == stable(two)
    assert one["config"]["graph_fingerprint"] == KG.info().fingerprint


def test_an_audit_is_part_of_the_trace_and_of_the_scores(tmp_path):
    read = FactAnswer(sentences=[CitedSentence(text="Douglas Sirk.", facts=[0])], values=["Q76716"])
    method = METHODS["one-hop"]
    llm = ScriptedLLM(Mentions(mentions=["Written on the Wind"]), read)
    once = Setup(method, method.params(), KG, llm, auditor=open_auditor("reader"))
    data = Dataset("films", "csv", [Example("1", "Who directed it?", {"gold": (answer("Q5"),)})])
    summary = run_benchmark(data, once, tmp_path, traces=True)
    assert "audited" in kinds(results.trace(tmp_path, "1"))
    assert summary["metrics"]["claim_support"]["n"] == 1
    assert summary["config"]["audit"] == "reader"


def test_trivial_questions_are_reported_apart(tmp_path):
    data = questions("right", "right", "wrong")
    data.examples += questions("x", "x", "x", "right", trivial=True).examples[3:]
    summary = run_benchmark(data, setup(), tmp_path)
    assert summary["metrics"]["exact"]["value"] == 0.75
    assert summary["trivial"]["n"] == 1
    assert summary["without_trivial"]["metrics"]["exact"]["value"] == pytest.approx(2 / 3, abs=1e-4)


def test_to_abstain_where_nothing_is_right_is_right_and_trivial(tmp_path):
    data = Dataset("numbers", "csv", [Example("a", "unknown 0", {"gold": ()})])
    summary = run_benchmark(data, setup(), tmp_path)
    assert [row.verdict for row in results.read(tmp_path)[1]] == ["right"]
    assert (summary["abstained"], summary["answered"], summary["trivial"]["n"]) == (1, 0, 1)


def test_classes_and_gold_sets_are_reported_each(tmp_path):
    sets = {"gold": (answer("9"),), "gold_2024": (answer("0"),)}
    data = Dataset(
        "numbers",
        "csv",
        [
            Example("a", "right 0", sets, classes=("count", "qualifier")),
            Example("b", "wrong 0", sets, classes=("count",)),
        ],
    )
    summary = run_benchmark(data, setup(), tmp_path)
    assert summary["by_class"]["count"]["metrics"]["f1"]["value"] == 0.5
    assert summary["by_class"]["qualifier"]["metrics"]["f1"]["value"] == 1.0
    assert {k: v["f1"]["value"] for k, v in summary["by_gold"].items()} == {
        "gold": 0.0,
        "gold_2024": 0.5,
    }


def test_repeats_count_a_question_once_and_show_their_spread(tmp_path):
    turns = iter([True, True, True, False])

    def moody(question, tools, params):
        word = "right" if next(turns) else "wrong"
        return (yield from answer_by_number(f"{word} {question.split()[1]}", tools, params))

    once = Setup(Method("moody", "", moody, Params, "", ""), Params(), KG, ScriptedLLM())
    data = questions("any", "any")
    summary = run_benchmark(data, once, tmp_path, Options(repeat=2), workers=1)
    assert (summary["n"], summary["runs"], summary["complete"]) == (2, 4, True)
    assert summary["metrics"]["exact"]["value"] == 0.75
    assert summary["repeats"]["k"] == 2
    assert summary["repeats"]["metrics"]["exact"] == {"value": 0.75, "deviation": 0.3536}


def test_two_benchmarks_are_compared_question_by_question(tmp_path):
    run_benchmark(questions("right", "right", "wrong"), setup(), tmp_path / "a")
    run_benchmark(questions("right", "wrong", "wrong"), setup(), tmp_path / "b")
    (_, ours), (_, theirs) = results.read(tmp_path / "a"), results.read(tmp_path / "b")
    found = compare("exact", scores(ours, "exact"), scores(theirs, "exact"))
    assert (found.test, found.ours_only, found.p_value) == ("McNemar", ("q1",), 1.0)


@pytest.mark.parametrize(
    ("error", "expected"),
    [
        ("BudgetExceeded", "budget"),
        ("ReplyError", "format"),
        ("SourceRejected", "source error"),
        ("KeyError", "defect"),
    ],
)
def test_failures_have_a_cause(error, expected):
    assert (
        cause(MIXED.examples[0], Answer(), trace(events.Failed(error=error, message="")))
        == expected
    )


def test_wrong_answers_have_a_cause():
    def why(*seen, grounded=True, gold="Q76716"):
        asked = Example("a", "Who?", {"gold": (answer(gold),)}, {"Q1": "Written on the Wind"})
        sentence = Sentence(text="x", cites=(0,) if grounded else ())
        said = Answer(sentences=(sentence,), citations=(STATEMENTS[0],))
        return cause(asked, said, trace(*seen, events.Answered(answer=said)))

    linked = events.Linked(mentions=("x",), candidates=((),))
    here = events.Anchored(mention="x", entity=FILM)
    facts = events.Expanded(entities=(FILM,), statements=(STATEMENTS[0],))
    assert why(linked, events.Anchored(mention="x", entity=ULM)) == "linking"
    assert why(linked, here, grounded=False) == "ungrounded"
    assert why(linked, here, facts) == "reading"
    assert why(linked, here, facts, gold="Q5") == "relation choice"


def trace(*seen):
    return [Record(seq=i, step=0, at_s=0.0, event=event) for i, event in enumerate(seen)]


# -- going on ------------------------------------------------------------------------------


def test_a_benchmark_goes_on_where_it_was(tmp_path):
    first = run_benchmark(MIXED, setup(), tmp_path, cap=Cap(calls=5), workers=1)
    assert first["stopped"] == "The budget of 5 model calls is used up."
    assert first["complete"] is False
    before = (tmp_path / "results.jsonl").read_bytes()
    rest = run_benchmark(MIXED, setup(), tmp_path)
    assert (tmp_path / "results.jsonl").read_bytes().startswith(before)
    assert (rest["n"], rest["stopped"], len(lines(tmp_path))) == (6, "", 6)


def test_a_finished_benchmark_asks_nothing(tmp_path):
    run_benchmark(MIXED, setup(), tmp_path)
    seen = []
    run_benchmark(MIXED, setup(), tmp_path, on_progress=seen.append)
    assert [(p.asked, p.done, p.right, p.failed) for p in seen] == [(0, 6, 3, 1)]


def test_another_benchmark_is_not_mixed_in(tmp_path):
    run_benchmark(MIXED, setup(), tmp_path)
    with pytest.raises(SettingsError, match="holds another benchmark: params differ"):
        run_benchmark(MIXED, setup(lucky=0.9), tmp_path)
    fresh = run_benchmark(MIXED, setup(lucky=0.9), tmp_path, resume=False)
    assert (fresh["n"], len(lines(tmp_path))) == (6, 6)


def test_a_torn_line_is_asked_again(tmp_path):
    run_benchmark(MIXED, setup(), tmp_path)
    path = tmp_path / "results.jsonl"
    path.write_bytes(path.read_bytes()[:-30])
    assert run_benchmark(MIXED, setup(), tmp_path)["n"] == 6
    assert sorted(line["id"] for line in lines(tmp_path)) == [e.id for e in MIXED.examples]


def test_a_damaged_line_is_named(tmp_path):
    run_benchmark(MIXED, setup(), tmp_path)
    path = tmp_path / "results.jsonl"
    path.write_text("{}\n" + path.read_text())
    with pytest.raises(SettingsError, match="damaged in line 1"):
        run_benchmark(MIXED, setup(), tmp_path)


def test_two_at_once_do_not_share_a_folder(tmp_path):
    busy, release = threading.Event(), threading.Event()

    def hold(progress):
        busy.set()
        release.wait(PATIENCE_S)

    first = threading.Thread(
        target=run_benchmark, args=(MIXED, setup(), tmp_path), kwargs={"on_progress": hold}
    )
    first.start()
    busy.wait(PATIENCE_S)
    try:
        with pytest.raises(SettingsError, match="Another benchmark is writing"):
            run_benchmark(MIXED, setup(), tmp_path)
    finally:
        release.set()
        first.join(PATIENCE_S)
    assert len(lines(tmp_path)) == 6


KILLED = """
from tests.evaluation.test_benchmark import questions, run_benchmark, setup, Path
import sys
run_benchmark(questions(*["right"] * 200), setup(pause_s=0.05), Path(sys.argv[1]))
"""


def test_a_kill_loses_and_repeats_nothing(tmp_path):
    path = tmp_path / "results.jsonl"
    running = subprocess.Popen([sys.executable, "-c", KILLED, str(tmp_path)], cwd=ROOT)
    wait_until(lambda: path.exists() and len(path.read_bytes()) >= 3000)
    running.send_signal(signal.SIGKILL)
    running.wait(PATIENCE_S)
    before = path.read_bytes()
    assert 0 < before.count(b"\n") < 200
    run_benchmark(questions(*["right"] * 200), setup(pause_s=0.05), tmp_path, workers=20)
    assert path.read_bytes().startswith(before[: before.rindex(b"\n") + 1])
    assert sorted(line["id"] for line in lines(tmp_path)) == sorted(f"q{i}" for i in range(200))


def test_a_model_that_dies_stops_the_benchmark_and_its_questions_are_asked_again(tmp_path):
    dead = questions(*["right"] * 3, *["away"] * 30)
    summary = run_benchmark(dead, setup(), tmp_path, workers=1)
    assert summary["stopped"].startswith("5 questions in a row failed at their source: The model")
    assert (summary["n"], summary["failed"]) == (8, 5)
    alive = questions(*["right"] * 33)
    summary = run_benchmark(alive, setup(), tmp_path)
    assert (summary["n"], summary["failed"], summary["stopped"]) == (33, 0, "")
    assert summary["metrics"]["exact"]["value"] == 1.0


def test_stop_keeps_what_is_done_and_drops_what_is_not(tmp_path):
    stop = StopToken()

    def press(progress):
        if progress.done >= 2:
            stop.press()

    many = questions(*["right"] * 40)
    summary = run_benchmark(many, setup(), tmp_path, workers=1, on_progress=press, stop=stop)
    assert summary["stopped"] == "Stopped by the user."
    assert 2 <= summary["n"] < 40
    assert {line["status"] for line in lines(tmp_path)} == {"answered"}


@pytest.mark.parametrize(
    ("cap", "said"), [(Cap(tokens=30), "30 tokens"), (Cap(seconds=0), "0 seconds")]
)
def test_every_budget_stops_it(tmp_path, cap, said):
    summary = run_benchmark(MIXED, setup(), tmp_path, cap=cap, workers=1)
    assert said in summary["stopped"]
    assert summary["n"] < 6


def test_progress_says_how_long_it_takes(tmp_path):
    seen = []
    data = questions(*["right"] * 8)
    run_benchmark(data, setup(pause_s=0.01), tmp_path, workers=1, on_progress=seen.append)
    assert [p.done for p in seen] == sorted(p.done for p in seen)
    assert seen[0].seconds_left is None
    assert (seen[-1].done, seen[-1].planned, seen[-1].right, seen[-1].seconds_left) == (8, 8, 8, 0)
    assert seen[-1].cost.llm_calls == 16


def test_a_folder_without_a_benchmark_says_so(tmp_path):
    with pytest.raises(SettingsError, match="holds no benchmark"):
        results.read(tmp_path)
    (tmp_path / "config.json").write_text("{}")
    with pytest.raises(SettingsError, match="damaged or of another version"):
        run_benchmark(MIXED, setup(), tmp_path)
    blocked = tmp_path / "file"
    blocked.write_text("")
    with pytest.raises(SettingsError, match="cannot be written"):
        run_benchmark(MIXED, setup(), blocked)


# -- processes -----------------------------------------------------------------------------


@pytest.mark.server
def test_processes_give_the_same_results_as_threads(tmp_path):
    threads = run_benchmark(MIXED, setup(), tmp_path / "t")
    with Processes(2, reopened) as pool:
        processes = run_benchmark(MIXED, setup(), tmp_path / "p", traces=True, processes=pool)
    assert processes["metrics"] == threads["metrics"]
    assert kinds(results.trace(tmp_path / "p", "q0")) == "step expanded answered"


def answer_with_process(question, tools, params):
    yield events.Step(title="Look")
    said = Literal(str(os.getpid()))
    return Answer(sentences=(Sentence(text=said.value),), values=(said,))


def reopened_with_process(name="process"):
    method = Method(name, "Process", answer_with_process, Params, "", "")
    return Setup(method, Params(), small_graph(), ScriptedLLM())


@pytest.mark.server
def test_what_is_built_at_first_use_is_built_before_the_processes_begin(tmp_path):
    by_method = []
    with Processes(2, reopened_with_process) as pool:
        for name in ("one", "two"):
            run_benchmark(MIXED, reopened_with_process(name), tmp_path / name, processes=pool)
            first, *others = [row.text for row in results.read(tmp_path / name)[1]]
            assert first == str(os.getpid())
            assert first not in others
            by_method.append(set(others))
    assert len(by_method[0] | by_method[1]) <= 2  # the same processes serve the next method


ORPHANED = """
import os, sys
from tests.evaluation.test_benchmark import Processes, questions, reopened, run_benchmark
from tests.evaluation.test_benchmark import setup, Path
if __name__ == "__main__":
    def started(progress):
        if progress.asked:
            import multiprocessing
            print(*(p.pid for p in multiprocessing.active_children()), flush=True)
            os.kill(os.getpid(), 9)
    with Processes(2, reopened) as pool:
        run_benchmark(questions(*["right"] * 50), setup(), Path(sys.argv[1]),
                      on_progress=started, processes=pool)
"""


@pytest.mark.server
def test_worker_processes_end_with_a_killed_parent(tmp_path):
    script = tmp_path / "bench.py"
    script.write_text(ORPHANED)
    done = subprocess.run(
        [sys.executable, str(script), str(tmp_path / "out")],
        capture_output=True,
        text=True,
        timeout=PATIENCE_S,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    workers = [int(pid) for pid in done.stdout.split()]
    assert workers, done.stderr
    wait_until(lambda: not any(map(alive, workers)))
    assert not any(map(alive, workers))


def alive(pid):
    try:
        return "State:\tZ" not in Path(f"/proc/{pid}/status").read_text()
    except FileNotFoundError:
        return False


# -- entities of the question set ----------------------------------------------------------


def asked(number, topic):
    return Example(str(number), "Who?", {"gold": (answer("x"),)}, topic)


def test_coverage_by_id_and_by_name():
    by_id = [asked(1, {"Q1": "", "Q76716": ""}), asked(2, {"Q999": "Atlantis"})]
    told = "2 of 3 topic entities are in this graph. It has not, or no more: Atlantis (Q999)"
    assert str(coverage(by_id, KG)) == told
    many = [asked(3, {f"Q{n}": "" for n in range(9000, 9025)} | {"Q76716": ""})]
    assert str(coverage(many, KG)).endswith("Q9018, Q9019 and 5 more")
    by_name = [asked(1, {"Ulm": "Ulm", "Atlantis": "Atlantis"})]
    assert (coverage(by_name, KG).known, coverage(by_name, KG).checked) == (1, 2)


class Moved:
    """The small graph, in which Q888888 was merged into Ulm."""

    def __getattr__(self, name):
        return getattr(KG, name)

    def describe(self, ids):
        return KG.describe(["Q3012" if one == "Q888888" else one for one in ids])


def test_a_gold_answer_that_was_merged_counts_as_what_it_is_now_and_a_deleted_one_is_named(
    tmp_path,
):
    old = {"gold": (answer("Q888888", ["Ulm on the Danube"]), answer("Q777", ["Atlantis"]))}
    data = Dataset("old", "csv", [Example("1", "unknown 1", old), *questions("one").examples])
    notes = []
    here = replace(setup(), kg=Moved())
    run_benchmark(data, here, tmp_path / "a", on_note=notes.append)
    assert notes[-2:] == [
        "1 gold answer redirected to another entity: Q888888 counts as Ulm (Q3012).",
        "1 of 2 gold answers are not in this graph, or no more: Atlantis (Q777).",
    ]
    gold = next(row["gold"]["gold"] for row in lines(tmp_path / "a") if row["id"] == "1")
    assert [(one["id"], one["label"]) for one in gold] == [("Q3012", "Ulm"), ("Q777", "Atlantis")]


def test_a_question_set_for_another_graph_is_refused(tmp_path):
    data = Dataset("other", "metaqa", [asked(1, {"Atlantis": "Atlantis"})])
    with pytest.raises(SettingsError, match=r"None of the 1 topic .* about MetaQA's film graph"):
        run_benchmark(data, setup(), tmp_path / "a")
    data.examples.append(asked(2, {"Ulm": "Ulm"}))
    notes = []
    summary = run_benchmark(
        Dataset("o", "csv", [asked(1, {"Ulm": "", "Q999": ""})]),
        Setup(
            METHODS["io"], METHODS["io"].params(), KG, ScriptedLLM(skills.Draft(text="", values=[]))
        ),
        tmp_path / "b",
        on_note=notes.append,
    )
    assert (summary["coverage"], notes) == (None, [])  # IO needs no graph


def test_gold_entities_are_located_by_id_and_by_name():
    found = located([asked(1, {"Q76716": "Sirk"}), asked(2, {"Ulm": "Ulm"}), asked(3, {})], KG)
    assert found == {"1": [("Sirk", SIRK)], "2": [("Ulm", ULM)]}


def test_given_entities_replace_linking_and_nothing_else(tmp_path):
    def read(given):
        at = next(i for i, f in enumerate(given.facts) if f.relation.label == "director")
        return FactAnswer(
            sentences=[CitedSentence(text="Douglas Sirk.", facts=[at])], values=["Douglas Sirk"]
        )

    method = METHODS["one-hop"]
    llm = ScriptedLLM(read)
    question = Example(
        "1", "Who directed it?", {"gold": (answer("Q76716"),)}, {"Q1": "that wind film"}
    )
    data = Dataset("films", "csv", [question])
    summary = run_benchmark(
        data,
        Setup(method, method.params(), KG, llm),
        tmp_path,
        Options(gold_entities=True),
        traces=True,
    )
    assert summary["metrics"]["supported_accuracy"]["value"] == 1.0
    assert llm.skills == ["answer from facts"]
    assert "given for 1 of 1 questions" in summary["notes"][-1]
    seen = [r.event for r in results.trace(tmp_path, "1")]
    assert [e.entity for e in seen if isinstance(e, events.Anchored)] == [FILM]


def test_given_entities_leave_other_names_to_the_graph():
    tools = AnchoredToolkit(KG, ScriptedLLM(), anchors=[("the film", FILM)])
    found, seen = drain(tools.link(["the film", "Ulm"]))
    assert [hits[0].entity for hits in found] == [FILM, ULM]
    assert kinds(seen) == "linked linked"
    mentions, _ = drain(tools.ask(skills.EXTRACT, question="Who?"))
    assert mentions == Mentions(mentions=["the film"])
    assert isinstance(tools, Toolkit)


# -- one question never ends it ------------------------------------------------------------


def with_facts(*facts):
    data = questions("right", "right", "right")
    data.examples[1] = replace(data.examples[1], facts=facts)
    return data


def test_odd_names_in_a_questions_facts_are_names(tmp_path):
    data = with_facts(("Pie", "has ingredient", "[Pork mince"), ("[REC]", "is [a]", "a\ud800\x7f"))
    found = run_benchmark(data, setup(), tmp_path)
    assert (found["answered"], found["failed"]) == (3, 0)


@pytest.mark.parametrize(
    ("fact", "error", "said"),
    [
        (("http://a:b/", "is", "odd"), "SourceRejected", "is not a full IRI"),
        (("two cells", "are too few"), "ValueError", "unexpected ValueError"),
    ],
)
def test_a_question_whose_facts_cannot_be_used_fails_alone(tmp_path, fact, error, said):
    found = run_benchmark(with_facts(fact), setup(), tmp_path)
    assert (found["answered"], found["failed"], found["stopped"]) == (2, 1, "")
    (row,) = [row for row in lines(tmp_path) if row["status"] == "failed"]
    assert (row["id"], row["error"]) == ("q1", error)
    assert said in row["message"]
    assert "\n" not in row["message"]


def test_half_a_character_in_a_question_costs_nothing_but_itself(tmp_path):
    data = questions("right", "right")
    data.examples[1] = replace(
        data.examples[1], question="right \ud83d", gold={"gold": (answer("\ud83d"),)}
    )
    found = run_benchmark(data, setup(), tmp_path, traces=True)
    assert found["n"] == 2
    assert found["stopped"] == ""
    assert len(lines(tmp_path)) == 2
