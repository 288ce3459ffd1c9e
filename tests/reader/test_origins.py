"""Where somebody is from, asked by an adjective: citizens of states that are no more."""

from __future__ import annotations

import pytest

from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import from_rows
from tests.reader.small import ask, named

ROWS = [
    ("Bela Torn", "country of citizenship", "Duchy of Lorm"),
    ("Bela Torn", "place of birth", "Pitava"),
    ("Ada Wick", "country of citizenship", "Kingdom of Poland"),
    ("Odo Rass", "country of citizenship", "Russian Empire"),
    ("Ivo Hemm", "country of citizenship", "Old Prosk"),
    ("Ivo Hemm", "place of birth", "Pitava"),
    ("Una Vald", "country of citizenship", "Duchy of Lorm"),
    ("Lea Sand", "country of citizenship", "Chile"),
    ("Lea Sand", "place of birth", "Pitava"),
    ("Pitava", "instance of", "town"),
    ("Pitava", "country", "Italy"),
    ("Italy", "continent", "Europe"),
    ("Chile", "instance of", "country"),
    ("Old Prosk", "official language", "German"),
    *((state, "instance of", "historical country") for state in (
        "Duchy of Lorm", "Kingdom of Poland", "Russian Empire", "Old Prosk"
    )),
]  # fmt: skip


@pytest.fixture(scope="module")
def people() -> EmbeddedGraph:
    return from_rows(ROWS, name="people")


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Was Bela Torn Italian?", "true"),  # born where Italy is now
        ("Was Ada Wick Polish?", "true"),  # the state is called after it
        ("Was Odo Rass Russian?", "true"),
        ("Was Ivo Hemm Italian?", "true"),
        ("Was Lea Sand Chilean?", "true"),
        ("Was Lea Sand Italian?", "false"),  # a citizen of a state of today
    ],
)
def test_a_state_of_the_past_is_told_by_its_name_or_by_the_place_of_birth(
    question: str, verdict: str, people: EmbeddedGraph
) -> None:
    assert named(ask(people, question)) == {verdict}


@pytest.mark.parametrize(
    "question",
    [
        "Was Ivo Hemm German?",  # so the state spoke
        "Was Una Vald Italian?",  # where she was born is not told
    ],
)
def test_a_state_of_the_past_alone_denies_nothing(question: str, people: EmbeddedGraph) -> None:
    assert ask(people, question).grounding == "abstained"


def test_what_was_born_there_is_not_certain(people: EmbeddedGraph) -> None:
    assert not ask(people, "Was Bela Torn Italian?").certain
    assert ask(people, "Was Lea Sand Chilean?").certain
