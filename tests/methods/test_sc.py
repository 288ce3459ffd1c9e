"""Self-consistency and the few-shot baselines, with a scripted model."""

from __future__ import annotations

from concurrent.futures import Future

import pytest

from kgqa_core.ask.llm import Reply
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.ask.skills import Draft
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, cot, io, sc
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import small_graph

QUESTION = "Which river flows through Vienna?"


def says(*values, text="So."):
    return Draft(thought="…", text=text, values=list(values))


UNKNOWN = Draft(text="", values=[], reason="I do not know.")


def ask(*drafts, **params):
    llm = ScriptedLLM(*drafts)
    tools = Toolkit(small_graph(), llm)
    answer, seen = drain(sc.solve(QUESTION, tools, sc.Params(**params)))
    return answer, seen, llm


def names(answer):
    return [getattr(v, "value", "") or v.name for v in answer.values]


def test_most_samples_win():
    answer, seen, llm = ask(says("Inn"), says("Danube"), says("danube."))
    assert names(answer) == ["Danube"]
    assert answer.grounding == "ungrounded"
    assert answer.certain
    assert kinds(seen) == "step asked asked asked step noted"
    assert seen[-1].text == "2 of 3 samples say “Danube”."
    assert {skill.temperature for skill, _ in llm.asked} == {0.7}
    assert {len(skill.examples) for skill, _ in llm.asked} == {6}


def test_the_same_answer_is_recognised_in_any_order_and_form():
    answer, _, _ = ask(says("1,200", "Inn"), says("x"), says("inn", "1200"))
    assert names(answer) == ["1200", "Inn"]


def test_without_a_majority_the_first_is_taken_but_not_certain():
    answer, _, _ = ask(says("A"), says("B"), says("C"))
    assert names(answer) == ["A"]
    assert not answer.certain


def test_who_does_not_know_has_no_vote():
    answer, seen, _ = ask(UNKNOWN, UNKNOWN, says("Danube"))
    assert names(answer) == ["Danube"]
    assert not answer.certain
    assert "1 of 3" in seen[-1].text


def test_when_none_knows_it_abstains():
    answer, _, _ = ask(UNKNOWN, UNKNOWN, UNKNOWN)
    assert answer.grounding == "abstained"
    assert answer.reason == "I do not know."


def test_samples_and_shots_can_be_set():
    _, _, llm = ask(*[says("A")] * 5, samples=5, shots=2, temperature=1.0)
    assert len(llm.asked) == 5
    assert len(llm.asked[0][0].examples) == 2


def test_samples_are_asked_at_once():
    """No reply is there before all three were asked for."""
    waiting: list[Future[Reply[Draft]]] = []

    def reply(_):
        future: Future[Reply[Draft]] = Future()
        waiting.append(future)
        if len(waiting) == 3:
            for one in waiting:
                one.set_result(Reply(prompt="", text="", value=says("Danube")))
        return future

    answer, _, _ = ask(reply, reply, reply)
    assert names(answer) == ["Danube"]


def test_an_unreadable_sample_is_asked_again():
    answer, seen, llm = ask(says("A"), "no JSON", says("B"), says("B"))
    assert names(answer) == ["B"]
    assert kinds(seen).count("asked") == 4
    assert llm.complaints[-1] is not None


def test_the_built_in_reader_abstains():
    tools = Toolkit(small_graph(), Offline())
    *_, last = run(QUESTION, METHODS["sc"].solve, tools, METHODS["sc"].params())
    assert last.event.kind == "abstained"
    assert "knows nothing by itself" in last.event.answer.reason


@pytest.mark.parametrize(
    ("method", "params"), [(io, io.Params(shots=6)), (cot, cot.FewShotParams())]
)
def test_the_baselines_have_six_shots(method, params):
    llm = ScriptedLLM(says("Danube"))
    drain(method.solve(QUESTION, Toolkit(small_graph(), llm), params))
    (skill, _) = llm.asked[0]
    assert len(skill.examples) == 6
    thoughts = {bool(reply.thought) for _, reply in skill.examples}
    assert thoughts == {method is cot}
