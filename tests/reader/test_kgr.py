"""A draft that somebody wrote, put right by the facts."""

from kgqa_core.facts.terms import DATE, DECIMAL, Literal, Statement
from kgqa_core.history.gallery import Example, record
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.kgr import Checked, ToRetrofit, ToSelect, ToVerifyAll
from kgqa_core.reader.kgr import retrofit, select, verify_all
from tests.fakes import setup_of
from tests.small_graph import DATE_OF, DIRECTOR, FILM, PEOPLE, SIRK, ULM


def by_hand(text, question="Who directed Written on the Wind?"):
    """What the reader makes of a draft that somebody wrote, on the starter graph."""
    draft = {"text": text, "values": []}
    example = Example("kgr", question, "", by_hand={"think step by step": draft})
    _, records = record(example, setup_of("kgr", starter_graph(), Offline()))
    return records[-1].event.answer, [r.event.text for r in records if r.event.kind == "noted"]


def test_the_reader_puts_a_draft_written_by_hand_right():
    answer, told = by_hand("Alfred Hitchcock directed Written on the Wind.")
    assert answer.text == "Douglas Sirk directed Written on the Wind."
    assert answer.grounding == "grounded"
    assert [v.name for v in answer.values] == ["Douglas Sirk"]
    assert told[0].startswith("contradicted: ")
    assert told[1].startswith("supported: ")


def test_the_reader_puts_two_mistakes_right():
    question = "When was Albert Einstein born?"
    answer, told = by_hand("Albert Einstein was born in 1880 in Munich.", question)
    assert answer.text == "Albert Einstein was born on 14 March 1879 in Ulm."
    assert len(told) == 2


def test_the_reader_keeps_what_the_facts_leave_open_without_facts():
    answer, told = by_hand("Written on the Wind was admired by Napoleon.")
    assert answer.grounding == "ungrounded"
    assert told[0].startswith("unsupported: ")


MADE = Statement(FILM, DIRECTOR, SIRK)
OUT = Statement(FILM, DATE_OF, Literal("1956-12-25", DATE))
POPULOUS = Statement(ULM, PEOPLE, Literal("126790", DECIMAL))
FACTS = [POPULOUS, OUT, MADE]


def test_facts_are_selected_that_bear_on_the_claim():
    def selected(claim):
        return select(ToSelect(question="?", claim=claim, facts=FACTS)).indices

    assert selected("Written on the Wind was directed by Fannie Hurst") == [2]
    assert selected("Written on the Wind was released in 1956") == [1]
    assert selected("Ulm lies on the Danube") == []


def test_each_claim_is_decided_by_its_own_facts():
    told = ["Written on the Wind was directed by Douglas Sirk", "Ulm has 200,000 inhabitants"]
    found = verify_all(ToVerifyAll(question="?", claims=told, facts=FACTS)).verdicts
    assert [(v.claim, v.verdict, v.facts) for v in found] == [
        (0, "supported", [2]),
        (1, "contradicted", [0]),
    ]


def test_where_nothing_can_be_exchanged_the_fact_itself_is_told():
    claim = Checked(
        claim="Fannie Hurst and Ann Roth directed it", verdict="contradicted", facts=[2]
    )
    given = ToRetrofit(question="Who directed it?", draft="", claims=[claim], facts=FACTS)
    (sentence,) = retrofit(given).sentences
    assert sentence.text == "The director of Written on the Wind is Douglas Sirk."
    assert sentence.facts == [2]
