"""What speaks against an answer, and what the reader does not even try."""

from __future__ import annotations

import pytest

from kgqa_core.reader.doubts import beyond, unread, unweighed
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.parse import parse


@pytest.mark.parametrize(
    ("question", "weighed"),
    [
        ("Who is the former wife of Douglas Sirk?", False),
        ("Who is the child of Douglas Sirk?", True),
        ("Who is the child of Douglas Sirk and who is the wife of Lana Turner?", False),
    ],
)
def test_small_words_that_matter_have_to_be_part_of_the_reading(
    question: str, weighed: bool
) -> None:
    assert unweighed(question, parse(question)[0].plan, lexicon()) is not weighed


def test_the_future_is_in_no_graph() -> None:
    assert "what will be" in beyond("What will the population of France be in 2040?")


@pytest.mark.parametrize("question", ["Who directed Psycho in Ulm?", "Who did not direct Psycho?"])
def test_words_without_a_part_in_the_plan_are_left_unread(question: str) -> None:
    plan = parse("Who directed Psycho?")[0].plan
    assert not unread("Who directed Psycho?", plan)
    assert unread(question, plan)
