from kgqa_core.facts.terms import Passage
from kgqa_core.reader.quote import quote

ULM = Passage(
    "p1",
    "Ulm lies on the Danube. Albert Einstein was born there in 1879. Its minster has the "
    "tallest church tower in the world.",
    "Ulm",
)


def test_the_nearest_sentence_is_quoted_with_its_passage():
    reply = quote("Who was born in Ulm in 1879?", [(4, ULM)])
    assert reply.sentences[0].text == "Albert Einstein was born there in 1879."
    assert reply.sentences[0].facts == [4]
    assert not reply.certain


def test_a_sentence_about_something_else_is_not_quoted():
    reply = quote("How many inhabitants does Paris have?", [(0, ULM)])
    assert reply.sentences == []
    assert reply.reason


def test_no_passages_no_quotation():
    assert quote("Where is Ulm?", []).sentences == []
