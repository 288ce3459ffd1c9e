"""Stretches of time, ages, and who came next."""

import pytest

from kgqa_core.facts.compute import number
from kgqa_core.facts.terms import DATE, YEAR, Entity, Literal
from tests.reader.small import ask, fact, held, of, thing

ANN, BEN, CAT = thing(1, "Ann Roth"), thing(2, "Ben Ask"), thing(3, "Cat Lund")
OFFICE = thing(10, "President of Norland")
GUILD = thing(11, "treasurer of the guild")


TERMS = [
    held(ANN, OFFICE, 1901, 1905),
    held(BEN, OFFICE, 1905, 1909),
    held(CAT, OFFICE, 1909, 1911),
    held(BEN, GUILD, 1890, 1891),
]


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("Who was president after Ben Ask?", CAT),
        ("Who was the president before Ben Ask?", ANN),
        ("Who succeeded Ann Roth?", BEN),
        ("Who was the predecessor of Cat Lund?", BEN),
    ],
)
def test_who_came_next_in_an_office_that_is_not_named_in_full(question: str, who: Entity) -> None:
    assert ask(of(TERMS), question).values == (who,)


def test_nobody_is_so_old_at_what_happened_before_their_birth() -> None:
    """The date of a film is not the birth of whom it is called after."""
    film, kennedy = thing(40, "JFK"), thing(41, "John F. Kennedy")
    facts = [
        fact(film, "P577", "publication date", Literal("1991", YEAR)),
        fact(kennedy, "P569", "date of birth", Literal("1917-05-29", DATE)),
        fact(kennedy, "P570", "date of death", Literal("1963-11-22", DATE)),
    ]
    (age,) = ask(of(facts), "How old was JFK when he was shot?").values
    assert age == number(46)


def test_ages_of_several_are_not_told_as_that_of_the_first() -> None:
    ann, bob = thing(43, "Ann Tammik"), thing(44, "Bob Tammik")
    facts = [
        fact(ann, "P569", "date of birth", Literal("1897-05-29", DATE)),
        fact(bob, "P569", "date of birth", Literal("1901-08-18", DATE)),
    ]
    answer = ask(of(facts), "How old are “Ann Tammik” and “Bob Tammik”?")
    assert answer.values == ()
    assert "one at a time" in answer.reason


def test_an_age_from_years_alone_may_be_one_less() -> None:
    ann = thing(42, "Ann Tammik")
    for born, died, kind in (("1897", "1962", YEAR), ("1897-05-29", "1962-08-18", DATE)):
        facts = [
            fact(ann, "P569", "date of birth", Literal(born, kind)),
            fact(ann, "P570", "date of death", Literal(died, kind)),
        ]
        answer = ask(of(facts), "How old was Ann Tammik when she died?")
        assert answer.values == (number(65),)
        assert answer.certain is (kind == DATE)


@pytest.mark.parametrize(
    ("question", "says"),
    [
        ("Did the War of the Reeds happen in 1916?", "Yes"),
        ("Did the War of the Reeds take place in 1914?", "Yes"),
        ("Did the War of the Reeds take place in 1918?", "Yes"),
        ("Did the War of the Reeds happen in 1913?", "No"),
        ("Did the War of the Reeds happen in 1925?", "No"),
        ("Did the War of the Reeds start in 1916?", "No"),
    ],
)
def test_what_goes_on_for_years_happens_in_each_of_them(question: str, says: str) -> None:
    war = thing(50, "War of the Reeds")
    facts = [
        fact(war, "P580", "start time", Literal("1914-07-28", DATE)),
        fact(war, "P582", "end time", Literal("1918", YEAR)),
        fact(war, "P585", "point in time", Literal("1918", YEAR)),
    ]
    assert ask(of(facts), question).text.startswith(says)
