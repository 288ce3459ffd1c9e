"""Which entity a name of a question may mean."""

from __future__ import annotations

import pytest

from kgqa_core.ask.skills import Candidate, WhichEntity
from kgqa_core.facts.terms import Entity, Hit, Relation, RelationUse
from kgqa_core.reader.choosing import likely
from kgqa_core.reader.reader import Reader


@pytest.mark.parametrize(
    ("mention", "label", "truth"),
    [
        ("Einstein", "Albert Einstein", True),
        ("Albert Einstien", "Albert Einstein", True),
        ("wind", "Gone with the Wind", False),
        ("the Nile", "Nile", True),
        ("Mars", "Bars", False),
    ],
)
def test_which_names_may_stand_for_an_entity(mention: str, label: str, truth: bool) -> None:
    assert likely(mention, Entity("e:1", label)) is truth


def test_of_two_of_a_name_the_one_of_the_year_is_meant() -> None:
    shown = Relation("p:1", "publication date")
    candidates = [
        Candidate(
            hit=Hit(Entity(f"e:{year}", "Night Hill"), 1.0),
            relations=[RelationUse(shown, "out", 1, (year,))],
        )
        for year in ("1951", "1997")
    ]
    reader = Reader()
    for year, index in (("1951", 0), ("1997", 1)):
        question = f"Who starred in the {year} film Night Hill?"
        given = WhichEntity(question=question, mention="Night Hill", candidates=candidates)
        assert reader.choose_entity(given).index == index


def test_of_a_thing_and_a_country_of_one_name_the_kind_asked_for_is_meant() -> None:
    named = (("norland", "a large bird"), ("Norland", "state in Asia"))
    candidates = [
        Candidate(
            hit=Hit(Entity(f"e:{n}", label, about), 1 - 0.03 * n),
            relations=[RelationUse(Relation("p:1", "colour"), "out", 1, ("grey",))],
        )
        for n, (label, about) in enumerate(named)
    ]
    for question, index in (("is norland a bird", 0), ("is norland a state", 1)):
        given = WhichEntity(question=question, mention="norland", candidates=candidates)
        assert Reader().choose_entity(given).index == index
