"""What all parsing rules share: plans made from plans."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    at_time,
    best_of,
    both_hold,
    coming_from,
    ending,
    inside_class,
    is_office,
    is_office_of,
    onto,
    other_end,
    without_prep,
)
from kgqa_core.reader.words import Span

RIVERS = p.Kind("river")
LONGEST = p.Nth(RIVERS, "longest", "highest")
NORE = p.Anchor("Nore")
IN_1950 = Span("during", "1950")


def test_a_set_takes_the_place_of_its_class_wherever_that_stands() -> None:
    assert onto(LONGEST, RIVERS, NORE) == p.Nth(NORE, "longest", "highest")
    assert onto(RIVERS, RIVERS, NORE) == NORE
    owned = p.Hop(p.Anchor("Selo"), "river", "role")
    assert onto(owned, RIVERS, NORE) == p.Join(NORE, owned, "intersection")


def test_a_class_and_a_nationality_go_inside_of_an_ordering() -> None:
    assert inside_class(LONGEST, "river") == LONGEST
    of_set = p.Nth(NORE, "longest", "highest")
    assert inside_class(of_set, "river") == p.Nth(p.Of(NORE, "river"), "longest", "highest")
    assert coming_from(LONGEST, "selian").source == p.From(RIVERS, "selian")


def test_a_time_is_that_of_the_hop_and_else_of_the_class() -> None:
    mayor = p.Hop(NORE, "mayor", "role")
    assert at_time(p.Of(mayor, "person"), IN_1950).source.when == IN_1950
    assert at_time(RIVERS, IN_1950) == p.Limit(RIVERS, "river", IN_1950)
    dated = p.Hop(NORE, "mayor", "role", when=Span("during", "1940"))
    assert at_time(dated, IN_1950) == dated


def test_of_two_restrictions_one_goes_into_the_hole_of_the_other() -> None:
    hole = p.Of(p.Hole(), "river")
    assert both_hold(NORE, hole) == both_hold(hole, NORE) == p.Of(NORE, "river")
    assert both_hold(NORE, RIVERS) == p.Join(NORE, RIVERS, "intersection")


def test_the_cheapest_of_each_reading_is_kept_in_order() -> None:
    read = [p.Reading(2, NORE), p.Reading(1, RIVERS), p.Reading(0.5, NORE), p.Reading(9, LONGEST)]
    assert best_of(read, 3) == [p.Reading(0.5, NORE), p.Reading(1, RIVERS)]
    assert best_of(read, 1) == [p.Reading(0.5, NORE)]


def test_only_the_time_of_a_statement_has_an_end() -> None:
    term = p.Hop(NORE, "hold", "agent", "time", beside=p.Anchor("mayor"))
    ended = ending(term)
    assert isinstance(ended, p.Hop)
    assert ended.noun == "end"
    assert ending(NORE) == NORE


@pytest.mark.parametrize(
    ("name", "office", "of"),
    [
        ("prime minister", True, False),
        ("the prime minister of Selo", False, True),
        ("the pope", True, True),
        ("river of Selo", False, False),
    ],
)
def test_a_title_is_told_from_other_nouns(name: str, office: bool, of: bool) -> None:
    assert is_office(name) is office
    assert is_office_of(name) is of


def test_small_things() -> None:
    assert (other_end("highest"), other_end("lowest")) == ("lowest", "highest")
    assert (without_prep("lives in"), without_prep("in")) == ("lives", "in")
