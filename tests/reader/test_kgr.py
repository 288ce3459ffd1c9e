"""A draft that somebody wrote, put right by the facts."""

from kgqa_core.history.gallery import Example, record
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from tests.fakes import setup_of


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
