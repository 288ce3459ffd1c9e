"""KGR as its paper tells it: draft, claims, facts, verdicts, retrofit."""

import pytest

from kgqa_core.ask import events, shown
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import AtomicClaim, CitedSentence, Claims, Draft, FactAnswer
from kgqa_core.facts.terms import Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import kgr
from kgqa_core.methods.kgr import ClaimVerdict, Params, Selected, Verdicts
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import FILM, SIRK, small_graph

QUESTION = "Who directed Written on the Wind?"


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def claims(*texts):
    found = [AtomicClaim(text=t, mentions=["Written on the Wind"]) for t in texts]
    return Claims(claims=found)


def verdicts(*marks):
    """A verdict for each claim: its mark, and the relation of the facts it names."""

    def reply(given):
        found = []
        for n, (mark, relation) in enumerate(marks):
            named = [i for i, s in enumerate(given.facts) if s.relation.name == relation]
            found.append(ClaimVerdict(claim=n, verdict=mark, facts=named))
        return Verdicts(verdicts=found)

    return reply


def solve(kg, llm, **params):
    return drain(kgr.solve(QUESTION, Toolkit(kg, llm), Params(**params)))


def test_a_draft_whose_claims_all_hold_is_kept_and_grounded(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="Douglas Sirk directed it.", values=["Douglas Sirk"]),
        claims("Written on the Wind was directed by Douglas Sirk."),
        verdicts(("supported", "director")),
    )
    answer, seen = solve(kg, llm)
    assert answer.values == (SIRK,)  # as the facts have it, no text any more
    assert answer.text == "Douglas Sirk directed it."
    assert answer.grounding == "grounded"
    assert [(c.subject, c.object) for c in answer.citations] == [(FILM, SIRK)]
    assert kinds(seen) == (
        "step asked step asked step linked anchored expanded step asked noted chosen"
    )
    assert llm.skills == [
        "think step by step",
        "list claims",
        "verify claims",
    ]


def test_what_is_contradicted_is_retrofitted_and_checked_again(kg):
    def retrofit(given):
        assert [c.verdict for c in given.claims] == ["contradicted", "unsupported"]
        (deciding,) = given.claims[0].facts
        assert given.facts[deciding].object == SIRK
        return FactAnswer(
            sentences=[
                CitedSentence(text="Douglas Sirk directed it.", facts=[deciding]),
                CitedSentence(text="It is a masterpiece.", facts=[]),
            ],
            values=["Douglas Sirk"],
        )

    llm = ScriptedLLM(
        Draft(thought="", text="Fannie Hurst directed it, a masterpiece.", values=[]),
        claims("Fannie Hurst directed Written on the Wind.", "Written on the Wind is great."),
        # the second names no fact, so it supports nothing
        verdicts(("contradicted", "director"), ("supported", "none")),
        retrofit,
        claims("Douglas Sirk directed Written on the Wind."),
        verdicts(("supported", "director")),
    )
    answer, seen = solve(kg, llm)
    assert "Douglas Sirk directed it." in answer.text
    assert answer.values == (SIRK,)
    assert [e.level for e in seen if isinstance(e, events.Noted)] == ["warning", "warning", "info"]
    assert not llm.left


def test_the_model_may_select_the_facts_one_claim_at_a_time(kg):
    def select(given):
        return Selected(
            indices=[i for i, s in enumerate(given.facts) if s.relation.name == "director"]
        )

    def verify(given):
        assert {s.relation.name for s in given.facts} == {"director"}
        return verdicts(("supported", "director"))(given)

    llm = ScriptedLLM(
        Draft(thought="", text="Douglas Sirk directed it.", values=[]),
        claims("Written on the Wind was directed by Douglas Sirk."),
        select,
        verify,
    )
    answer, _ = solve(kg, llm, selection="model")
    assert answer.grounding == "grounded"


def test_what_the_facts_leave_open_stays_ungrounded(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="It cost a million.", values=[]),
        claims("Written on the Wind cost a million."),
        verdicts(("unsupported", "none")),
        FactAnswer(sentences=[CitedSentence(text="It cost a million.", facts=[])], values=[]),
    )
    answer, _ = solve(kg, llm)
    assert answer.grounding == "ungrounded"
    assert not llm.left


def test_claims_are_listed_with_the_values_of_the_draft(kg):
    def listed(given):
        assert given.values == ["Douglas Sirk"]
        return claims("Written on the Wind was directed by Douglas Sirk.")

    llm = ScriptedLLM(
        Draft(thought="", text="Douglas Sirk.", values=["Douglas Sirk"]),
        listed,
        verdicts(("supported", "director")),
    )
    answer, _ = solve(kg, llm)
    assert answer.values == (SIRK,)


def test_a_retrofit_without_values_keeps_those_of_the_draft_that_it_names(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="Sirk and Hurst.", values=["Douglas Sirk", "Fannie Hurst"]),
        claims("Douglas Sirk directed it.", "Fannie Hurst directed it."),
        verdicts(("unsupported", "none"), ("contradicted", "director")),
        FactAnswer(sentences=[CitedSentence(text="It was Douglas Sirk.", facts=[])], values=[]),
        claims("Douglas Sirk directed it."),
        verdicts(("supported", "director")),
    )
    answer, _ = solve(kg, llm)
    assert answer.values == (SIRK,)


def test_a_conclusion_stands_where_all_that_it_follows_from_holds(kg):
    """Whether it follows is the model's word, so it is not certain."""
    said = claims("Written on the Wind was directed by Douglas Sirk.")
    said.claims.append(AtomicClaim(text="So the answer is yes.", reasoning=True))
    llm = ScriptedLLM(
        Draft(thought="", text="Yes, Douglas Sirk directed it.", values=["true"]),
        said,
        verdicts(("supported", "director"), ("unsupported", "none")),
    )
    answer, _ = solve(kg, llm)
    assert answer.grounding == "grounded"
    assert [value.value for value in answer.values] == ["true"]
    assert not answer.certain


def test_a_retrofit_that_leaves_nothing_is_no_answer(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="Fannie Hurst.", values=[]),
        claims("Fannie Hurst directed Written on the Wind."),
        verdicts(("contradicted", "director")),
        FactAnswer(sentences=[], values=[], reason="Nothing of it is left."),
    )
    answer, _ = solve(kg, llm)
    assert answer.grounding == "abstained"
    assert answer.reason == "Nothing of it is left."


def test_claims_about_nothing_in_the_graph_are_not_looked_up(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="Yes.", values=[]),
        Claims(claims=[AtomicClaim(text="It is so.")]),
    )  # nothing to verify it by, and nothing to retrofit it with: neither is asked
    answer, seen = solve(kg, llm, draft="io")
    assert answer.grounding == "ungrounded"
    assert "linked" not in kinds(seen)
    assert llm.skills[0] == "answer directly"


def test_a_draft_without_claims_is_as_it_was(kg):
    llm = ScriptedLLM(Draft(thought="", text="Hello.", values=[]), Claims(claims=[]))
    answer, _ = solve(kg, llm)
    assert (answer.text, answer.grounding) == ("Hello.", "ungrounded")


@pytest.mark.parametrize(
    ("question", "draft", "said"),
    [
        (QUESTION, Draft(text="Douglas Sirk.", values=["Douglas Sirk"]), "Douglas Sirk"),
        (
            "Did Douglas Sirk direct Written on the Wind?",
            Draft(
                text="Yes: Written on the Wind – director – Douglas Sirk.",
                values=["Yes"],
            ),
            "true",
        ),
    ],
)
def test_the_reader_lets_a_right_draft_stand(kg, question, draft, said):
    reader = Offline(None)

    class Remembering:
        name = "a reader that remembers"

        def ask(self, skill, given, **more):
            found = ScriptedLLM(draft) if skill.name == "think step by step" else reader
            return found.ask(skill, given, **more)

    answer, _ = drain(kgr.solve(question, Toolkit(kg, Remembering()), Params()))
    assert [getattr(v, "name", None) or v.value for v in answer.values] == [said]
    assert answer.grounding == "grounded"


def test_the_reader_has_no_draft_and_says_so(kg):
    answer, seen = solve(kg, Offline())
    assert answer.grounding == "abstained"
    assert "no draft to retrofit" in answer.reason
    assert "knows nothing by itself" in answer.reason
    assert kinds(seen) == "step asked"


def test_what_the_first_facts_leave_open_is_held_against_the_next():
    """Of many facts a prompt holds some: a claim that these do not decide is checked once more."""
    talks = Relation("x:talks", "gave a talk about")
    born = Relation("x:born", "year of birth")
    ada = Entity("x:ada", "Ada Nobody")
    facts = [Statement(ada, talks, Literal(f"the talking of things {n:03}")) for n in range(300)]
    facts.append(Statement(ada, born, Literal("1901")))
    graph = EmbeddedGraph.build("talks", [ada], [talks, born], facts)
    claim = AtomicClaim(text="Ada gave a talk about the talking of 7", mentions=["Ada Nobody"])
    read = []

    def open_(given):
        read.append(given.facts[: shown.fitting(given.facts)])
        return Verdicts(verdicts=[ClaimVerdict(claim=0, verdict="unsupported")])

    def decides(given):
        read.append(given.facts[: shown.fitting(given.facts)])
        last = len(read[1]) - 1
        return Verdicts(verdicts=[ClaimVerdict(claim=0, verdict="supported", facts=[last])])

    llm = ScriptedLLM(
        Draft(thought="", text="She did.", values=[]), Claims(claims=[claim]), open_, decides
    )
    answer, seen = drain(kgr.solve("What of?", Toolkit(graph, llm), Params()))
    assert not set(read[0]) & set(read[1])
    assert answer.citations == (read[1][-1],)
    assert any(e.title.startswith("Read on: ") for e in seen if isinstance(e, events.Step))


def test_who_has_read_all_is_not_asked_again(kg):
    llm = ScriptedLLM(
        Draft(thought="", text="Somebody else did.", values=[]),
        claims("Written on the Wind was directed by somebody else."),
        verdicts(("unsupported", "nothing")),
        FactAnswer(sentences=[], values=[]),
    )
    solve(kg, llm)  # a handful of facts: they were all in the prompt
    assert llm.skills.count("verify claims") == 1
