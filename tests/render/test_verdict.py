from __future__ import annotations

import pytest

from kgqa_core.ask.events import GUESSED, Answer, Audited, CheckedClaim, Sentence
from kgqa_core.render.verdict import verdict
from tests.screens.graph_story import ABOUT_FILM

CITED = Sentence(text="So.", cites=(0,))
BARE = Sentence(text="Perhaps.")


def answer(*sentences: Sentence, certain: bool = True, reading: str = "") -> Answer:
    return Answer(sentences=sentences, citations=(ABOUT_FILM[0],), certain=certain, reading=reading)


def audited(*marks: str, unread: int = 0) -> Audited:
    claims = tuple(CheckedClaim(text=f"claim {i}", mark=mark) for i, mark in enumerate(marks))
    return Audited(claims=claims, by="reader", unread=unread)


@pytest.mark.parametrize(
    ("given", "audit", "trust", "said"),
    [
        (answer(CITED), audited("supported"), "firm", "every claim rests on its facts"),
        (
            answer(CITED),
            audited("supported", unread=14),
            "firm",
            "all that were checked, 1 of 15 claims",
        ),
        (answer(CITED), None, "firm", "From the graph."),
        (
            answer(CITED),
            audited("supported", "unsupported"),
            "open",
            "not confirm 1 of its 2 claims",
        ),
        (answer(CITED), audited("contradicted"), "weak", "contradict its one claim"),
        (answer(BARE), None, "weak", "From the model alone"),
        (answer(CITED, BARE), None, "weak", "no fact supports 1 of 2"),
        (answer(CITED, certain=False), None, "open", "another answer"),
        (
            answer(CITED, certain=False, reading="author of it" + GUESSED.format(5)),
            audited("supported"),
            "weak",
            "a guess at what is asked",
        ),
        (
            answer(CITED, certain=False, reading="as far as it goes: it may not have all of them"),
            audited("supported"),
            "open",
            "may be incomplete",
        ),
    ],
)
def test_an_answer_has_one_verdict_that_does_not_contradict_its_check(given, audit, trust, said):
    found, words = verdict(given, audit)
    assert found == trust
    assert said in words
