"""run(), Toolkit, StopToken: one terminal event, budgets, metering, Stop."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from typing import Any

import pytest
from pydantic import BaseModel

from kgqa_core.ask import bounds, events
from kgqa_core.ask.events import Answer, Cost, Record, Sentence, status_of
from kgqa_core.ask.run import (
    MAX_QUESTION,
    Budget,
    Steps,
    StopToken,
    Toolkit,
    checked,
    drain,
    merge_uses,
    run,
)
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import (
    BudgetExceeded,
    KGQAError,
    ReplyError,
    SettingsError,
    SourceRejected,
    SourceUnavailable,
    Stopped,
)
from kgqa_core.facts.terms import Entity, Hit, Literal, Relation, RelationUse, Statement
from kgqa_core.kg import base as kg_base
from kgqa_core.llm.openai_chat import OpenAIChat
from tests.fakes import ScriptedLLM, kinds
from tests.patience import PATIENCE_S, wait_until
from tests.servers.openai import OpenAIServer, hang, hang_in_stream, ok, status

ULM, GERMANY = Entity("http://x/ulm", "Ulm"), Entity("http://x/de", "Germany")
COUNTRY = Relation("http://x/country", "country")
FACT = Statement(ULM, COUNTRY, GERMANY)


class Params(BaseModel):
    pass


class Ask(BaseModel):
    question: str


class Text(BaseModel):
    text: str


SAY = Skill("say", "Say it.", Ask, Text)


class SmallGraph:
    """Ulm is in Germany. Each verb counts as one request; `slow` holds every verb up.

    `reached` is set when one is.
    """

    name = "small"

    def __init__(self, slow: threading.Event | None = None) -> None:
        self.slow = slow
        self.reached = threading.Event()

    def _request(self) -> None:
        kg_base.requested()
        if self.slow:
            self.reached.set()
            self.slow.wait(PATIENCE_S)

    def info(self) -> kg_base.GraphInfo:
        return kg_base.GraphInfo("small", 2, 1, 1, "1")

    def search(self, mentions: Any, limit: int = 10) -> list[list[Hit]]:
        self._request()
        return [[Hit(e, 1.0) for e in (ULM, GERMANY) if e.label == m] for m in mentions]

    def describe(self, ids: Any) -> list[Entity | None]:
        return [None for _ in ids]

    def relations_of(self, entities: Any) -> list[list[RelationUse]]:
        self._request()
        use = {ULM: "out", GERMANY: "in"}
        return [[RelationUse(COUNTRY, use[e], 1, ("x",))] for e in entities]

    def statements(self, entities: Any, **_: Any) -> list[list[Statement]]:
        self._request()
        return [[FACT] for _ in entities]

    def relation(self, id_or_label: str) -> Relation | None:
        return None


def toolkit(*replies: Any, kg: Any = None, **options: Any) -> Toolkit:
    return Toolkit(kg or SmallGraph(), ScriptedLLM(*replies), **options)


def say(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    """The smallest method: one step, one model call."""
    yield events.Step(title="Say it")
    said = yield from tools.ask(SAY, question=question)
    return Answer(sentences=(Sentence(text=said.text),))


def records(solve: Any, tools: Toolkit, question: str = "Where is Ulm?") -> list[Record]:
    return list(run(question, solve, tools, Params()))


def last(found: list[Record]) -> Any:
    """The last event, after checking that it alone ends the run and that the stamps are right."""
    assert [r.event.terminal for r in found] == [False] * (len(found) - 1) + [True]
    assert [r.seq for r in found] == list(range(len(found)))
    assert [r.step for r in found] == sorted(r.step for r in found)
    assert [r.at_s for r in found] == sorted(r.at_s for r in found)
    return found[-1].event


# -- one terminal event ------------------------------------------------------------------


def test_an_answer_ends_the_run():
    found = records(say, toolkit(Text(text="Germany")))
    assert kinds(found) == "step asked answered"
    assert last(found).answer.text == "Germany"
    assert status_of(found) == "answered"
    assert [r.step for r in found] == [1, 1, 1]


def test_no_sentence_is_an_abstention_with_a_reason():
    def give_up(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        yield events.Step(title="x")
        return Answer(reason="The graph is silent.")

    found = records(give_up, toolkit())
    assert kinds(found) == "step abstained"
    assert last(found).answer.reason == "The graph is silent."


@pytest.mark.parametrize(
    ("name", "called"),
    [
        ("known", "well-known things"),
        ("known,starter", "well-known things, starter"),
        ("mine", "mine"),
    ],
)
def test_an_abstention_calls_the_graph_as_people_know_it(name, called):
    def give_up(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        yield events.Step(title="x")
        return Answer(reason="What was read says nothing about it.")

    graph = SmallGraph()
    graph.name = name
    reason = last(records(give_up, toolkit(kg=graph))).answer.reason
    assert reason == f"What was read of “{called}” says nothing about it."


@pytest.mark.parametrize(
    "error",
    [
        KGQAError("a"),
        SettingsError("b"),
        SourceUnavailable("c"),
        SourceRejected("d"),
        ReplyError("e"),
        BudgetExceeded("f"),
    ],
    ids=lambda e: type(e).__name__,
)
def test_every_known_error_ends_the_run_with_its_sentence(error):
    found = records(say, toolkit(error))
    assert kinds(found) == "step failed"
    assert last(found) == events.Failed(error=type(error).__name__, message=str(error))


def buggy(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="x")
    raise ZeroDivisionError("oh")


def answerless(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="x")
    return None


def wrong_input(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="x")
    yield from tools.ask(SAY, questions=question)
    return Answer()


@pytest.mark.parametrize(
    ("solve", "error"),
    [(buggy, "ZeroDivisionError"), (answerless, "TypeError"), (wrong_input, "ValidationError")],
)
def test_a_bug_ends_the_run_too_and_is_called_one(solve, error, caplog):
    found = records(solve, toolkit())
    assert kinds(found) == "step failed"
    assert last(found).error == error
    assert "defect" in last(found).message
    assert "run failed" in caplog.text


def test_a_method_with_the_wrong_parameters_fails_instead_of_raising(caplog):
    found = records(lambda question: iter(()), toolkit())
    assert last(found).error == "TypeError"


def test_a_pressed_token_ends_the_run_before_it_begins():
    tools = toolkit(Text(text="x"))
    tools.stop.press()
    tools.stop.press()  # twice is once
    assert kinds(records(say, tools)) == "cancelled"
    assert tools.meter.total.llm_calls == 0


def test_closing_the_run_closes_the_method():
    closed = []

    def patient(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        try:
            yield events.Step(title="one")
            yield events.Step(title="two")
        finally:
            closed.append(True)
        return Answer()

    stream = run("Where?", patient, toolkit(), Params())
    next(stream)
    stream.close()
    assert closed == [True]


# -- questions ---------------------------------------------------------------------------


@pytest.mark.parametrize("question", ["", "   \n", "?!", "🙈🙉🙊", "…", "\u200b"])
def test_what_is_no_question_is_refused_before_any_call(question):
    tools = toolkit()
    found = records(say, tools, question)
    assert kinds(found) == "failed"
    assert last(found).message == "There is no question here. Type one, in words."


def test_a_document_is_no_question():
    found = records(say, toolkit(), "why " * 600)
    assert kinds(found) == "failed"
    assert "2,399 characters" in last(found).message


@pytest.mark.parametrize(
    "question", ["Wo?", "谁写了红楼梦", "من هو", "9", "Ω?", "x" * MAX_QUESTION]
)
def test_any_script_and_any_length_up_to_the_limit_is_a_question(question):
    assert checked(f"  {question}\n") == question


def test_the_method_gets_the_question_trimmed():
    tools = toolkit(Text(text="x"))
    records(say, tools, "  Where\n is  Ulm? ")
    assert tools.llm.inputs == [Ask(question="Where is Ulm?")]


# -- unreadable replies ------------------------------------------------------------------


def test_an_unreadable_reply_is_asked_for_once_more_with_the_complaint():
    tools = toolkit("It is Germany.", '{"text": "Germany"}')
    found = records(say, tools)
    assert kinds(found) == "step asked asked answered"
    first, second = found[1].event, found[2].event
    assert (first.reply, first.parsed) == ("It is Germany.", None)
    assert first.problem == "The reply contains no JSON object."
    assert second.parsed == {"text": "Germany"}
    complaint = tools.llm.complaints[1]
    assert (complaint.reply, complaint.problem) == (first.reply, first.problem)


def test_a_second_unreadable_reply_ends_the_run_with_both_in_the_trace():
    found = records(say, toolkit("no", "{}"))
    assert kinds(found) == "step asked asked failed"
    assert [r.event.reply for r in found[1:3]] == ["no", "{}"]
    assert last(found).error == "ReplyError"
    assert "scripted model gave no usable reply to the step “say”" in last(found).message


def test_the_error_carries_the_reply():
    with pytest.raises(ReplyError) as caught:
        drain(toolkit("no", "nor this").ask(SAY, question="q"))
    assert caught.value.reply == "nor this"


# -- many at once ------------------------------------------------------------------------


def test_replies_come_in_input_order_whoever_is_first():
    slow: Future[Any] = Future()
    tools = toolkit(slow, Text(text="b"), "broken", Text(text="d"), Text(text="c"))

    def finish() -> None:
        slow.set_result(ScriptedLLM(Text(text="a")).ask(SAY, Ask(question="0")).result())

    threading.Timer(0.05, finish).start()
    inputs = [{"question": str(i)} for i in range(4)]
    values, seen = drain(tools.ask_all(SAY, inputs))
    assert [v.text for v in values] == ["a", "b", "c", "d"]
    assert kinds(seen) == "asked asked asked asked asked"
    asked = tools.llm.inputs
    assert [given.question for given in asked] == ["0", "1", "2", "3", "2"]
    assert tools.meter.total.llm_calls == 5


def test_nothing_to_ask_is_no_call():
    assert drain(toolkit().ask_all(SAY, [])) == ([], [])


def test_one_failure_cancels_the_calls_beside_it():
    never: Future[Any] = Future()
    tools = toolkit(never, SourceUnavailable("down"))
    with pytest.raises(SourceUnavailable, match="down"):
        drain(tools.ask_all(SAY, [{"question": "0"}, {"question": "1"}]))
    assert never.cancelled()


def test_text_is_passed_on_while_one_call_runs_alone():
    seen: list[str] = []
    drain(toolkit(Text(text="a"), on_text=seen.append).ask(SAY, question="q"))
    drain(
        toolkit(Text(text="a"), Text(text="b"), on_text=seen.append).ask_all(
            SAY, [{"question": "0"}, {"question": "1"}]
        )
    )
    assert seen == ['{"text":"a"}']


# -- budgets -----------------------------------------------------------------------------


def chatty(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    for i in range(100):
        yield events.Step(title=str(i))
        yield from tools.ask(SAY, question=question)
    return Answer()


def endless(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    while True:
        tools.check()
        yield events.Step(title="x")
        time.sleep(0.01)


def test_calls_beyond_the_budget_are_not_made():
    tools = toolkit(*[Text(text="x")] * 9, budget=Budget(llm_calls=3))
    found = records(chatty, tools)
    assert kinds(found) == "step asked " * 3 + "step failed"
    assert last(found).error == "BudgetExceeded"
    assert "3 model calls" in last(found).message
    assert len(tools.llm.asked) == 3


def test_a_batch_that_does_not_fit_the_budget_is_not_begun():
    tools = toolkit(budget=Budget(llm_calls=2))
    with pytest.raises(BudgetExceeded):
        drain(tools.ask_all(SAY, [{"question": "q"}] * 3))
    assert tools.meter.total.llm_calls == 0


def test_tokens_are_counted_both_ways():
    found = records(chatty, toolkit(*[Text(text="x")] * 9, budget=Budget(tokens=40)))
    assert kinds(found) == "step asked " * 3 + "step failed"  # 15 tokens a call
    assert "40 tokens" in last(found).message


def test_seconds_run_out_between_verbs():
    found = records(endless, toolkit(budget=Budget(seconds=0.1)))
    assert last(found).error == "BudgetExceeded"
    assert "0.1 seconds" in last(found).message


def test_seconds_run_out_inside_a_model_call():
    never: Future[Any] = Future()
    found = records(say, toolkit(never, budget=Budget(seconds=0.1)))
    assert kinds(found) == "step failed"
    assert last(found).error == "BudgetExceeded"
    assert never.cancelled()


def test_a_time_out_of_a_source_is_not_taken_for_the_budget(caplog):
    found = records(say, toolkit(TimeoutError("socket")))
    assert last(found).error == "TimeoutError"


# -- metering ----------------------------------------------------------------------------


def walk(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="link")
    hits = yield from tools.link(["Ulm", "Atlantis"])
    anchors = [hit.entity for found in hits for hit in found]
    yield from tools.survey(anchors)
    yield events.Step(title="expand")
    facts = yield from tools.expand(anchors)
    yield from tools.compute("count", [f.object for f in facts], because=facts)
    said = yield from tools.ask(SAY, question=question)
    return Answer(
        sentences=(Sentence(text=said.text, cites=(0,)),), citations=tuple(facts), values=(GERMANY,)
    )


def total(found: list[Record]) -> Cost:
    return sum((r.cost for r in found), Cost())


def test_what_each_event_took_adds_up():
    tools = toolkit("oops", Text(text="Germany"))
    found = records(walk, tools)
    assert kinds(found) == "step linked surveyed step expanded computed asked asked answered"
    whole = total(found)
    assert whole.model_copy(update={"seconds": 0.0}) == tools.meter.total
    assert (whole.llm_calls, whole.prompt_tokens, whole.completion_tokens) == (2, 20, 10)
    assert whole.kg_requests == 3
    assert whole.seconds == pytest.approx(found[-1].at_s, abs=0.01)
    assert [r.cost.kg_requests for r in found] == [0, 1, 1, 0, 1, 0, 0, 0, 0]
    assert [r.cost.llm_calls for r in found] == [0, 0, 0, 0, 0, 0, 1, 1, 0]
    assert last(found).answer.grounding == "grounded"


def test_a_failed_call_is_paid_for_too():
    found = records(say, toolkit(SourceUnavailable("down")))
    assert total(found).llm_calls == 1


def test_estimates_mark_the_calls_they_belong_to():
    with OpenAIServer() as server:
        llm = OpenAIChat("m", base_url=server.url)
        server.will(ok({"text": "a"}, usage=False), ok({"text": "b"}))

        def twice(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
            yield events.Step(title="x")
            yield from tools.ask(SAY, question=question)
            yield events.Step(title="y")
            yield from tools.ask(SAY, question=question)
            return Answer()

        found = records(twice, Toolkit(SmallGraph(), llm))
        llm.close()
    assert kinds(found) == "step asked step asked abstained"
    assert [r.cost.estimated for r in found] == [False, True, False, False, False]
    assert [r.event.tokens_estimated for r in found if r.event.kind == "asked"] == [True, False]
    assert total(found).estimated


# -- the graph's verbs -------------------------------------------------------------------


def test_empty_input_asks_the_graph_nothing():
    tools = toolkit()
    for steps in (tools.link([]), tools.survey([]), tools.expand([])):
        result, seen = drain(steps)
        assert result == []
        assert len(seen) == 1
    assert tools.relations_of([]) == []
    assert tools.meter.total == Cost()


def test_a_name_is_looked_up_once_and_no_more_than_a_few_hundred_at_once():
    """A model's reply may name a hundred thousand; each would be a request, or a search."""
    tools = toolkit()
    names = ["Ulm", *(f"name {n}" for n in range(bounds.LINKED)), "Ulm"]
    found, seen = drain(tools.link(names))
    assert [bool(hits) for hits in found] == [True, *[False] * bounds.LINKED, True]
    assert seen[0].mentions == tuple(names[: bounds.LINKED])
    assert seen[1].text == "Of 301 names the first 300 are looked up."


def test_statements_around_several_entities_come_once():
    found, seen = drain(toolkit().expand([ULM, GERMANY]))
    assert found == [FACT]
    assert not seen[0].truncated
    _, seen = drain(toolkit().expand([ULM], limit=1))
    assert seen[0].truncated


def test_sparql_on_a_graph_without_it_is_rejected_in_words():
    with pytest.raises(SourceRejected, match="cannot be queried with SPARQL"):
        drain(toolkit().query("SELECT * {}"))


def test_uses_of_a_set_add_up_and_the_most_used_come_first():
    rare, often = Relation("r1", "rare"), Relation("r2", "often")
    merged = merge_uses(
        [
            [RelationUse(rare, "out", 1, ("a",)), RelationUse(often, "out", 2, ("b", "c"))],
            [RelationUse(often, "out", 3, ("c", "d", "e")), RelationUse(often, "in", 1, ("f",))],
        ]
    )
    assert merged == [
        RelationUse(often, "out", 5, ("b", "c", "d")),
        RelationUse(often, "in", 1, ("f",)),
        RelationUse(rare, "out", 1, ("a",)),
    ]


def test_computing_is_an_event_with_its_result():
    result, seen = drain(toolkit().compute("count", [ULM, GERMANY], because=[FACT]))
    assert [r.name for r in result] == ["2"]
    assert isinstance(result[0], Literal)
    assert kinds(seen) == "computed"


# -- stop --------------------------------------------------------------------------------


def stopped_once(happened: Callable[[], Any], solve: Any, tools: Toolkit) -> list[Record]:
    """The records of a run that is stopped from another thread, once something has happened.

    What it is stopped in would go on for ever: that it ends at all is what Stop does.
    """

    def press() -> None:
        wait_until(happened)
        tools.stop.press()

    pressing = threading.Thread(target=press)
    pressing.start()
    found = records(solve, tools)
    pressing.join()
    return found


@pytest.fixture
def server() -> Iterator[OpenAIServer]:
    with OpenAIServer() as server:
        yield server


@pytest.fixture
def llm(server: OpenAIServer) -> Iterator[OpenAIChat]:
    llm = OpenAIChat("m", base_url=server.url, api_key="sk-1")
    yield llm
    llm.close()


def then(behave: Callable[[Any], None]) -> tuple[Callable[[Any], None], ...]:
    return ok({"text": "first"}), behave


@pytest.mark.parametrize(
    "behave",
    [hang(), hang_in_stream('{"text": '), ok({"text": "x" * 99}, drip_s=0.3, size=1)],
    ids=["silent", "half a reply", "dripping"],
)
def test_stop_ends_a_run_inside_a_model_call_and_keeps_what_was_found(server, llm, behave):
    server.will(*then(behave))
    found = stopped_once(lambda: len(server.requests) == 2, chatty, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step asked step cancelled"
    assert last(found) == events.Cancelled()
    assert found[1].event.parsed == {"text": "first"}
    assert total(found).llm_calls == 2
    assert server.requests[-1].hung_up.wait(PATIENCE_S)


def test_stop_ends_the_wait_for_a_busy_endpoint(server, llm):
    server.always = status(429, retry_after="55")
    found = stopped_once(lambda: server.requests, say, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step cancelled"


def test_stop_ends_many_calls_at_once(server, llm):
    server.always = hang()

    def many(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        yield events.Step(title="x")
        yield from tools.ask_all(SAY, [{"question": "q"}] * 10)
        return Answer()

    found = stopped_once(lambda: len(server.requests) >= 8, many, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step cancelled"
    assert all(request.hung_up.wait(PATIENCE_S) for request in server.requests)


def test_stop_ends_a_run_inside_a_verb_of_the_graph():
    let_go = threading.Event()
    graph = SmallGraph(let_go)
    found = stopped_once(graph.reached.is_set, walk, toolkit(kg=graph))
    let_go.set()
    assert kinds(found) == "step cancelled"


def test_stop_ends_a_loop_that_checks():
    began = threading.Event()

    def loop(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        began.set()
        return (yield from endless(question, tools, params))

    found = stopped_once(began.is_set, loop, toolkit())
    assert last(found) == events.Cancelled()


def test_a_token_waits_for_everything_or_a_time_out():
    stop = StopToken()
    done: Future[int] = Future()
    done.set_result(1)
    never: Future[int] = Future()
    assert stop.wait([done, done]) == [1, 1]
    assert stop.wait([]) == []
    with pytest.raises(TimeoutError):
        stop.wait([done, never], timeout_s=0.02)
    assert never.cancelled()
    stop.press()
    with pytest.raises(Stopped):
        stop.wait([Future()])


def test_a_run_over_http_ends_well_and_badly(server, llm):
    server.will(ok({"text": "Germany"}))
    found = records(say, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step asked answered"
    assert total(found).prompt_tokens == 100
    assert found[1].event.rung == "json_schema"
    server.will(ok("Germany"), ok("", finish="length"))
    found = records(say, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step asked asked failed"
    assert "token limit" in last(found).message
    server.will(status(401))
    found = records(say, Toolkit(SmallGraph(), llm))
    assert kinds(found) == "step failed"
    assert "refused the key" in last(found).message
    assert "sk-1" not in str([r.model_dump_json() for r in found])
