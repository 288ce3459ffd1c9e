"""Families and borders: relations that belong together, and what may be missing of them."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import DECIMAL, Entity, Literal, Statement
from kgqa_core.reader.reader import IN_PART
from tests.reader.small import ask, fact, named, of, thing

ANNA, BEN, NILS, OLE = (
    thing(n, name) for n, name in enumerate(("Anna Berg", "Ben Berg", "Nils Nord", "Ole Nord"), 1)
)
HUMAN, WOMAN, MAN = thing(5, "human"), thing(6581072, "female"), thing(6581097, "male")
NORLAND, SUDLAND, WESTAD = thing(61, "Norland"), thing(62, "Sudland"), thing(63, "Westad")


def _child(parent: Entity, child: Entity) -> Statement:
    return fact(parent, "P40", "child", child)


def _human(*who: Entity) -> list[Statement]:
    return [fact(one, "P31", "instance of", HUMAN) for one in who]


def _sex(which: Entity, *who: Entity) -> list[Statement]:
    return [fact(one, "P21", "sex or gender", which) for one in who]


def _stated(number: str) -> Statement:
    return fact(ANNA, "P1971", "number of children", Literal(number, DECIMAL))


FAMILY = [_child(ANNA, BEN), *_human(ANNA, BEN)]


def test_children_are_counted_but_there_may_be_more():
    found = ask(of(FAMILY), "How many children does Anna Berg have?")
    assert named(found) == {"1"}
    assert not found.certain
    assert found.reading.endswith(IN_PART)


def test_what_is_counted_is_named_and_not_what_led_there():
    facts = [_child(BEN, NILS), _child(BEN, OLE), _child(ANNA, BEN)]
    graph = of([*facts, *_human(ANNA, BEN, NILS, OLE)])
    found = ask(graph, "How many grandchildren does Anna Berg have?")
    assert found.text == "2: Nils Nord and Ole Nord."


@pytest.mark.parametrize("both_ways", [False, True])
def test_neighbours_are_counted_by_name_from_either_side(both_ways):
    ends = [(NORLAND, SUDLAND), (NORLAND, WESTAD), *[(SUDLAND, NORLAND)] * both_ways]
    graph = of([fact(one, "P47", "shares border with", other) for one, other in ends])
    assert ask(graph, "How many neighbours does Norland have?").text == "2: Sudland and Westad."


def test_who_the_children_are_need_not_be_all():
    found = ask(of(FAMILY), "Who are the children of Anna Berg?")
    assert named(found) == {"Ben Berg"}
    assert not found.certain


def test_a_number_that_the_graph_states_is_no_count():
    found = ask(of([*FAMILY, _stated("3")]), "How many children does Anna Berg have?")
    assert named(found) == {"3"}
    assert found.certain


def test_a_grandfather_is_found_along_steps_of_which_the_last_is_a_man():
    facts = [_child(BEN, ANNA), _child(NILS, BEN), _child(OLE, BEN)]
    graph = of([*facts, *_human(ANNA, BEN, NILS, OLE), *_sex(MAN, NILS), *_sex(WOMAN, OLE)])
    assert named(ask(graph, "Who is the grandfather of Anna Berg?")) == {"Nils Nord"}


def test_who_is_no_mother_is_the_father_though_not_for_certain():
    graph = of([_child(NILS, ANNA), _child(OLE, ANNA), *_human(ANNA, NILS, OLE), *_sex(WOMAN, OLE)])
    found = ask(graph, "Who is the father of Anna Berg?")
    assert named(found) == {"Nils Nord"}
    assert not found.certain
