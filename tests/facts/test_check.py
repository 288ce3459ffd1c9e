"""What cannot be true of statements together."""

import pytest

from kgqa_core.facts.check import findings
from kgqa_core.facts.terms import (
    DATE,
    DATETIME,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
    Value,
)
from kgqa_core.kg.base import WD
from kgqa_core.kg.starter import starter_graph

METRE, KILO = Entity(WD + "Q11573", "metre"), Entity(WD + "Q11570", "kilogram")


def thing(name: str) -> Entity:
    return Entity(WD + name, name)


def date(text: str) -> Literal:
    return Literal(text, DATE if len(text.lstrip("-")) == 10 else YEAR)


def fact(subject: str, relation: str, value: Value, *, datatype: str = "", **given: str):
    qualifiers = tuple(Qualifier(Relation(WD + p, p), date(v)) for p, v in given.items())
    known = Relation(WD + relation, relation, datatype=datatype)
    return Statement(thing(subject), known, value, qualifiers)


FRANCE = [fact(n, "P31", thing("Q6256")) for n in ("France", "Spain")]
WRONG = {
    "type": [fact("Ada", "P26", Literal("a text"), datatype="wikibase-item")],
    "date": [fact("Ada", "P569", date("1815-02-30"))],
    "period": [fact("Ada", "P569", date("1815")), fact("Ada", "P570", date("1814-12-31"))],
    "age": [fact("Ada", "P569", date("1700")), fact("Ada", "P570", date("1852"))],
    "parent": [
        fact("Ada", "P40", thing("Ben")),
        fact("Ada", "P569", date("1815")),
        fact("Ben", "P569", date("1801")),
    ],
    "maker": [
        fact("Film", "P57", thing("Ada")),
        fact("Film", "P577", date("1900")),
        fact("Ada", "P569", date("1950")),
    ],
    "human": [fact("France", "P569", date("1900")), *FRANCE],
    "capital": [
        *FRANCE,
        fact("France", "P36", thing("Madrid")),
        fact("Madrid", "P17", thing("Spain")),
    ],
    "both ways": [*FRANCE, fact("France", "P47", thing("Spain"))],
    "young": [
        fact("Ada", "P569", date("1954")),
        fact("Ada", "P570", date("1958")),
        fact("Ada", "P106", thing("actor")),
    ],
    "office": [fact("Ada", "P39", thing("pope"), P580="1978"), fact("Ada", "P569", date("1978"))],
    "work": [
        fact("Film", "P161", thing("Ada")),
        fact("Film", "P577", date("2008")),
        fact("Ada", "P570", date("2000")),
    ],
    "place": [
        fact("France", "P131", thing("Earth")),
        *FRANCE,
        fact("Earth", "P31", thing("Q634")),
    ],
    "unit": [fact("Hill", "P2044", Literal("300", DECIMAL, KILO))],
    "range": [fact("Hill", "P2044", Literal("30000", DECIMAL, METRE))],
}


@pytest.mark.parametrize("rule", WRONG)
def test_a_rule_names_what_does_not_fit(rule: str) -> None:
    (found,) = findings(WRONG[rule])
    assert found.rule == rule
    assert found.statements[0] in WRONG[rule]


@pytest.mark.parametrize(
    ("ends", "told"),
    [
        (("1901", "1910"), "Ada had an office in 1910, but died in 1901"),
        (("1901", "1901"), ""),
    ],
)
def test_nobody_holds_an_office_in_the_grave(ends: tuple[str, str], told: str) -> None:
    died, end = ends
    facts = [
        fact("France", "P35", thing("Ada"), P580="1867", P582=end),
        fact("Ada", "P570", date(died)),
    ]
    assert [f.text for f in findings(facts)] == [told] * bool(told)


@pytest.mark.parametrize("value", ["9" * 6_000, "", "soon", "1999-05-17+02:00", "1990-13", "-"])
def test_what_a_file_calls_a_date_or_a_number_is_told_and_no_error(value: str) -> None:
    for datatype in (DATE, YEAR):
        found = findings([fact("Ada", "P569", Literal(value, datatype))])
        assert "date" in [one.rule for one in found]
    died = fact("Ada", "P570", date("1852"))
    findings([fact("Ada", "P569", Literal(value, DATETIME)), died])
    number = Literal(value, DECIMAL)
    findings([fact("Ada", "P2048", number), fact("Ulm", "P1082", number)])


def test_a_film_may_come_out_after_its_actor_died() -> None:
    facts = [
        fact("Film", "P161", thing("Ada")),
        fact("Film", "P577", date("2002")),
        fact("Ada", "P570", date("2000")),
    ]
    assert not findings(facts)


def test_nobody_writes_a_script_long_after_death() -> None:
    """Who wrote the book that a film is made from is not its screenwriter."""
    facts = [
        fact("Film", "P58", thing("Ada")),
        fact("Film", "P577", date("2008")),
        fact("Ada", "P570", date("1964")),
    ]
    assert [f.text for f in findings(facts)] == ["Film came out long after its P58 Ada died"]


def test_an_end_before_its_start_in_qualifiers() -> None:
    (found,) = findings([fact("Ada", "P39", thing("queen"), P580="1837", P582="1836-05-01")])
    assert found.text == "Ada – P39 – queen: its end is before its start"


def test_a_coarse_date_contradicts_no_finer_one() -> None:
    assert not findings([fact("A", "P580", date("1914")), fact("A", "P582", date("1914-08-01"))])
    assert not findings([fact("A", "P569", date("-0100")), fact("A", "P570", date("-0044"))])


def test_what_fits_together_is_not_told() -> None:
    right = [
        *FRANCE,
        fact("France", "P36", thing("Paris")),
        fact("Paris", "P17", thing("France")),
        fact("France", "P47", thing("Spain")),
        fact("Spain", "P47", thing("France")),
        fact("Hill", "P2044", Literal("300", DECIMAL, METRE)),
    ]
    assert findings(right) == []


def test_nothing_in_the_starter_graph_is_impossible() -> None:
    assert [f.text for f in findings(starter_graph().all_statements())] == []
