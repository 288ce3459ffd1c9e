"""The audit: answers split into claims, each marked by the facts of the graph."""

import pytest

from kgqa_core.ask import events, skills
from kgqa_core.ask.audit import Auditor, audited
from kgqa_core.ask.events import RECORDS, Answer, Audited, Sentence
from kgqa_core.ask.outcome import audit_of, document
from kgqa_core.ask.run import Budget, Toolkit, drain, run
from kgqa_core.ask.skills import AtomicClaim, CitedSentence, Claims, FactAnswer, Mentions, Verdict
from kgqa_core.facts.premises import DESCRIPTION, Judgement, Premise
from kgqa_core.facts.terms import DATE, STRING, YEAR, Entity, Literal, Statement
from kgqa_core.kg.base import WD
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import one_hop, react
from kgqa_core.opening import open_auditor
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import DATE_OF, DIRECTOR, FILM, HURST, LATER, SIRK, small_graph

READER = open_auditor("reader")
BY_SIRK = Statement(FILM, DIRECTOR, SIRK)
LATER_1959 = Statement(LATER, DATE_OF, Literal("1959", YEAR))
IN_1956 = Statement(FILM, DATE_OF, Literal("1956-12-25", DATE))


@pytest.fixture(scope="module")
def kg():
    return small_graph()


# -- how the reader splits -------------------------------------------------------------------


# -- how the reader judges -------------------------------------------------------------------


# -- the audit of a run ----------------------------------------------------------------------


def test_an_audit_comes_right_before_the_answer(kg):
    tools = Toolkit(kg, Offline())
    question = "Who directed Written on the Wind?"
    records = list(run(question, audited(react.solve, READER), tools, react.Params()))
    assert kinds(records).endswith("step pruned step audited answered")
    found = records[-2].event
    assert isinstance(found, Audited)
    assert [(c.mark, c.facts) for c in found.claims] == [("supported", (BY_SIRK,))]
    assert found.by == "built-in reader"
    assert found.support == 1
    assert found.summary == "1 of 1 claim supported"
    assert audit_of(records) == found
    kept = document(question, "react", records)["audit"]
    assert (kept["support"], kept["claims"][0]["mark"]) == (1, "supported")
    assert kept["claims"][0]["facts"][0]["object"]["label"] == "Douglas Sirk"
    again = RECORDS.validate_json(RECORDS.dump_json(records))
    assert audit_of(again) == found


def test_an_audit_by_the_reader_costs_no_model_call(kg):
    question = "Who directed Written on the Wind?"
    plain, checked = Toolkit(kg, Offline()), Toolkit(kg, Offline())
    list(run(question, react.solve, plain, react.Params()))
    list(run(question, audited(react.solve, READER), checked, react.Params()))
    assert plain.meter.total.llm_calls == checked.meter.total.llm_calls


def test_switched_off_it_is_not_there(kg):
    assert audited(react.solve, open_auditor("off")) is react.solve


def test_no_answer_has_nothing_to_check(kg):
    tools = Toolkit(kg, Offline())
    solve = audited(react.solve, READER)
    records = list(run("Who directed Nothing at All?", solve, tools, react.Params()))
    assert records[-1].event.kind == "abstained"
    assert audit_of(records) is None


def model_answer(text, *cited, values=()):
    """What a model says after it has read all facts about the film."""
    return (
        Mentions(mentions=["Written on the Wind"]),
        lambda given: FactAnswer(
            sentences=[
                CitedSentence(
                    text=text,
                    facts=[i for i, f in enumerate(given.facts) if f.relation in cited],
                )
            ],
            values=list(values),
        ),
    )


def one_hop_audit(kg, how, *replies, budget=None):
    llm = ScriptedLLM(*replies)
    tools = Toolkit(kg, llm, budget=budget)
    auditor = how if isinstance(how, Auditor) else open_auditor(how)
    question = "Who directed Written on the Wind?"
    return list(run(question, audited(one_hop.solve, auditor), tools, one_hop.Params())), llm


def test_what_a_model_makes_up_is_contradicted_with_the_triple(kg):
    script = model_answer("Written on the Wind was directed by Fannie Hurst in 1956.", DIRECTOR)
    records, _ = one_hop_audit(kg, "reader", *script)
    assert records[-1].event.kind == "answered"
    (claim,) = audit_of(records).claims
    assert claim.mark == "contradicted"
    assert claim.facts == (BY_SIRK,)
    assert "Douglas Sirk" in claim.why
    assert audit_of(records).summary == "0 of 1 claim supported, 1 contradicted"
    assert not records[-1].event.answer.certain


def test_an_uncited_sentence_is_checked_by_what_the_run_retrieved(kg):
    script = model_answer("Written on the Wind was released in 1956.")
    records, _ = one_hop_audit(kg, "reader", *script)
    assert records[-1].event.answer.grounding == "ungrounded"
    assert [(c.mark, c.facts) for c in audit_of(records).claims] == [("supported", (IN_1956,))]


def test_what_the_run_did_not_retrieve_is_looked_up(kg):
    script = model_answer("Imitation of Life was directed by Douglas Sirk.")
    records, _ = one_hop_audit(kg, Auditor(Offline(), look_up=False), *script)
    assert [c.mark for c in audit_of(records).claims] == ["unsupported"]
    records, _ = one_hop_audit(kg, "reader", *script)
    assert "step linked expanded audited answered" in kinds(records)
    (claim,) = audit_of(records).claims
    assert (claim.mark, claim.facts) == ("supported", (Statement(LATER, DIRECTOR, SIRK),))


def test_what_a_model_proposed_is_no_evidence(kg):
    made_up = Statement(FILM, DIRECTOR, HURST)

    def solve(question, tools, params):
        yield events.Proposed(statements=(made_up,))
        return Answer(
            sentences=(
                Sentence(text="Written on the Wind was directed by Fannie Hurst", cites=(0,)),
            ),
            citations=(made_up,),
        )

    tools = Toolkit(kg, Offline())
    records = list(run("Who?", audited(solve, READER), tools, one_hop.Params()))
    (claim,) = audit_of(records).claims
    assert claim.mark == "contradicted"
    assert claim.facts == (BY_SIRK,)


def test_rules_count_as_reasoning_not_as_facts(kg):
    rule = "People can only marry while they are alive."

    def solve(question, tools, params):
        yield events.Axiom(text="People can marry only while alive.")
        return Answer(
            sentences=(Sentence(text=rule), Sentence(text="No one can marry a mountain."))
        )

    tools = Toolkit(kg, Offline())
    records = list(run("Who?", audited(solve, READER), tools, one_hop.Params()))
    found = audit_of(records)
    assert [(c.reasoning, c.mark) for c in found.claims] == [
        (True, "supported"),
        (True, "unsupported"),
    ]
    assert found.claims[0].axiom == "People can marry only while alive."
    assert found.support is None
    assert found.summary == "reasoning 1 of 2"


@pytest.mark.parametrize(
    "told", ["Ulm: town on the Danube.", "Ulm is described as town on the Danube."]
)
def test_what_tells_a_cited_fact_is_no_reasoning(kg, told):
    value = "a town" if "a town" in told else "town on the Danube"
    said = Statement(Entity("e:ulm", "Ulm"), DESCRIPTION, Literal(value, STRING))

    def solve(question, tools, params):
        yield events.Expanded(entities=(said.subject,), statements=(said,))
        return Answer(sentences=(Sentence(text=told.lower(), cites=(0,)),), citations=(said,))

    records = list(run("Q?", audited(solve, READER), Toolkit(kg, Offline()), one_hop.Params()))
    assert [(c.reasoning, c.mark) for c in audit_of(records).claims] == [(False, "supported")]


def test_a_verdict_follows_from_an_axiom_whose_premises_the_graph_decided(kg):
    premise = Premise(text="The film has a director.")

    def solve(because, read):
        def run_it(question, tools, params):
            yield events.Expanded(entities=(FILM,), statements=read)
            yield events.Axiom(text="A film with a director was directed.", premises=(premise,))
            judged = Judgement(premise=premise, state="satisfied", because=because)
            yield events.Judged(branch=0, depth=0, judgements=(judged,))
            yield events.Verdict(branch=0, depth=0, verdict="true")
            told = "Yes: Written on the Wind — director — Douglas Sirk."
            return Answer(sentences=(Sentence(text=told, cites=(0,)),), citations=(BY_SIRK,))

        tools = Toolkit(kg, Offline())
        records = list(run("Q?", audited(run_it, READER), tools, one_hop.Params()))
        return [(c.reasoning, c.mark) for c in audit_of(records).claims]

    assert solve((BY_SIRK,), (BY_SIRK,)) == [(True, "supported"), (False, "supported")]
    assert solve((IN_1956,), (BY_SIRK,))[0] == (True, "unsupported")  # decided by no known fact


def test_a_model_can_be_the_judge(kg):
    script = model_answer("Douglas Sirk directed it, a masterpiece.", DIRECTOR)
    listed = Claims(
        claims=[
            AtomicClaim(text="Douglas Sirk directed Written on the Wind."),
            AtomicClaim(text="Written on the Wind is a masterpiece."),
        ]
    )

    def first(given):
        assert given.facts[: given.cited] == [BY_SIRK]
        return Verdict(verdict="supported", facts=[0])

    records, llm = one_hop_audit(
        kg, "model", *script, listed, first, Verdict(verdict="supported", facts=[99])
    )
    assert llm.skills[2:] == ["list claims", "verify claim", "verify claim"]
    assert kinds(records).endswith("step asked asked asked audited answered")
    assert [c.mark for c in audit_of(records).claims] == ["supported", "unsupported"]
    assert audit_of(records).claims[1].why == "the verdict names no fact"
    assert audit_of(records).by == "scripted model"


def test_what_a_check_leaves_out_is_told(kg):
    """Of many claims the first are checked; a prompt says which facts it has no room for."""
    films = [Entity(f"{WD}Q{n}", f"Film number {n} of a long name") for n in range(3000, 3200)]
    facts = tuple(Statement(film, DIRECTOR, SIRK) for film in films)

    def solve(question, tools, params):
        yield events.Expanded(entities=(SIRK,), statements=facts)
        return Answer(sentences=(Sentence(text="Many.", cites=(0,)),), citations=facts[:1])

    listed = Claims(claims=[AtomicClaim(text=f"Douglas Sirk made {n}.") for n in range(45)])
    llm = ScriptedLLM(listed, *(Verdict(verdict="unsupported") for _ in range(40)))
    tools = Toolkit(kg, llm)
    auditor = Auditor(look_up=False)
    records = list(run("Who?", audited(solve, auditor), tools, one_hop.Params()))
    assert len(audit_of(records).claims) == 40
    assert audit_of(records).summary == "0 of 40 claims supported; 5 more not checked"
    notes = [r.event.text for r in records if r.event.kind == "noted"]
    assert notes[0] == "Of 45 claims the first 40 are checked."
    assert notes[1].startswith("No room in the prompt for")
    assert "more of director (P57)" in notes[1]
    assert len(llm.inputs[1].facts) > 200


def test_an_audit_without_budget_leaves_the_answer(kg):
    script = model_answer("Douglas Sirk directed it.", DIRECTOR)
    records, _ = one_hop_audit(kg, "model", *script, budget=Budget(llm_calls=2))
    assert kinds(records).endswith("step noted answered")
    assert "was not checked" in records[-2].event.text


def test_a_run_stopped_during_its_audit_keeps_its_answer(kg):
    script = model_answer("Douglas Sirk directed it.", DIRECTOR)
    tools = Toolkit(kg, ScriptedLLM(*script, lambda given: tools.stop.press() or Claims(claims=[])))
    solve = audited(one_hop.solve, open_auditor("model"))
    records = list(run("Who directed Written on the Wind?", solve, tools, one_hop.Params()))
    assert records[-1].event.kind in ("answered", "cancelled")
    assert any(r.event.kind == "noted" for r in records)


def test_the_reader_can_do_both_skills():
    assert all(Offline().can(s.name) for s in (skills.LIST_CLAIMS, skills.VERIFY_CLAIM))


def test_what_the_reader_answers_from_the_graph_is_supported():
    """Nothing the reader finds on the starter graph is marked as made up."""
    kg, llm = starter_graph(), Offline()
    solve = audited(react.solve, READER)
    for question in (
        "Who directed Inception?",
        "How many children did Jacques Cousteau have?",
        "What else did the director of Written on the Wind make?",
        "Which countries border both Germany and Italy?",
    ):
        records = list(run(question, solve, Toolkit(kg, llm), react.Params()))
        assert audit_of(records).support == 1, question


def test_closing_a_run_closes_the_method(kg):
    closed = []

    def solve(question, tools, params):
        try:
            yield events.Step(title="one")
            yield events.Step(title="two")
        finally:
            closed.append(True)
        return Answer()

    steps = audited(solve, READER)("q", Toolkit(kg, Offline()), one_hop.Params())
    next(steps)
    steps.close()
    assert closed
    assert (
        drain(audited(solve, READER)("q", Toolkit(kg, Offline()), one_hop.Params()))[0] == Answer()
    )
