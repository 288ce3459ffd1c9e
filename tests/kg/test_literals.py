"""What a graph calls a time or a number, and is none, is a text to everybody who asks."""

import time

import pyoxigraph as ox
import pytest
from hypothesis import example, given
from hypothesis import strategies as some

from kgqa_core.facts import compute, timeline, verbalise
from kgqa_core.facts.decide import coordinates
from kgqa_core.facts.terms import (
    AGE,
    DATE,
    DATETIME,
    DECIMAL,
    MONTH,
    NUMBERS,
    STRING,
    TIMES,
    YEAR,
    Entity,
    Literal,
)
from kgqa_core.kg import layout, literals, wikibase
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.wikibase import WKT
from tests.properties import ANYTHING

WD, P = layout.PREFIXES["wd"], "http://www.wikidata.org/prop/"
ODD = some.one_of(
    ANYTHING,
    some.text("0123456789-+:.TZeE²٣９/ ", max_size=24),
    some.builds(
        str.__add__, some.sampled_from(["", "-", "+", "1950-01-01T"]), some.just("9" * 6_000)
    ),
    some.sampled_from(
        ["NaN", "sNaN", "-INF", "Infinity", "1e400", "1e-999999999", "1_000", "0x10"]
    ),
    some.sampled_from(["today", "--05-17", "2023-13-45", "1950-00-00T00:00:00Z", "1950-99", "-"]),
    some.sampled_from(["1999-01-01T10:00:00+02:00", "1950-01-01-05:00", "10000-01-01", "-0000"]),
)


def graph(*triples: str) -> EmbeddedGraph:
    store = ox.Store()
    store.load("".join(f"{t} .\n" for t in triples).encode(), format=ox.RdfFormat.N_TRIPLES)
    return EmbeddedGraph("odd", store)


def term(text: str, datatype: str) -> str:
    return str(
        ox.Literal(text.encode("utf-8", "replace").decode(), datatype=ox.NamedNode(datatype))
    )


def usable(value: Literal) -> None:
    """Everybody reckons with it, or nobody does."""
    verbalise.value(value)
    if value.datatype in TIMES:
        assert abs(timeline.year(value)) < 10**12
        first, last = timeline.span(value)
        assert first <= last
    if compute.comparable(value):
        assert value.datatype in TIMES | NUMBERS
        assert compute.amount(value).is_finite()


@given(ODD, some.sampled_from(sorted(TIMES | NUMBERS)))
def test_a_plain_value_of_anything(text, datatype):
    kg = graph(f"<http://x/a> <http://x/p> {term(text, datatype)}")
    ((fact,),) = kg.statements([Entity("http://x/a")])
    assert fact.object.datatype in {STRING, *NUMBERS, *TIMES}
    usable(fact.object)


@given(ODD, ODD, some.sampled_from([DATETIME, DATE, DECIMAL, STRING]), some.booleans())
@example("-0043-03-15T00:00:00Z", "11", DATETIME, True)
@example("1950-05-17T00:00:00Z", "x" * 5_000, DATETIME, False)
def test_a_time_with_any_precision(text, precision, datatype, julian):
    calendar = [f"<http://x/v> <{layout.TIME_CALENDAR}> <{layout.JULIAN}>"] if julian else []
    kg = graph(
        f"<{WD}Q1> <{P}P569> <{WD}statement/1>",
        f"<{WD}statement/1> <{P}statement/P569> {term(text, datatype)}",
        f"<{WD}statement/1> <{P}statement/value/P569> <http://x/v>",
        f"<http://x/v> <{layout.TIME_VALUE}> {term(text, datatype)}",
        f"<http://x/v> <{layout.TIME_PRECISION}> {term(precision, DECIMAL)}",
        *calendar,
    )
    ((fact,),) = kg.statements([Entity(f"{WD}Q1")])
    usable(fact.object)


@given(ODD, some.one_of(some.just(f"<{WD}Q11573>"), ODD.map(lambda text: term(text, STRING))))
def test_an_amount_with_anything_as_its_unit(text, unit):
    kg = graph(
        f"<{WD}Q1> <{P}P2048> <{WD}statement/1>",
        f"<{WD}statement/1> <{P}statement/P2048> {term(text, DECIMAL)}",
        f"<{WD}statement/1> <{P}statement/value/P2048> <http://x/v>",
        f"<http://x/v> <{layout.AMOUNT}> {term(text, DECIMAL)}",
        f"<http://x/v> <{layout.UNIT}> {unit}",
    )
    ((fact,),) = kg.statements([Entity(f"{WD}Q1")])
    usable(fact.object)
    assert fact.object.unit in (None, Entity(f"{WD}Q11573"))


@given(ODD, some.one_of(some.integers(-(10**20), 10**20), ANYTHING, some.none()))
def test_a_time_of_a_document(text, precision):
    snak = {"snaktype": "value", "datavalue": {"type": "time"}}
    snak["datavalue"]["value"] = {"time": text, "precision": precision}
    document = {"id": "Q1", "claims": {"P569": [{"mainsnak": snak}]}}
    (fact,) = wikibase.statements_of(document)
    usable(fact.object)


@given(some.one_of(ODD, some.text("Point() -.e12345", max_size=20)), ODD)
@example("Point(. .)", "")
@example("Point(-.5 .5)", "")
def test_a_place_is_on_the_globe_or_none(text, other):
    for value in (text, f"Point({text} {other})", f"{text}°N, {other}°E"):
        found = coordinates(Literal(value, WKT))
        assert found is None or (abs(found[0]) <= 90 and abs(found[1]) <= 360)


@pytest.mark.parametrize(
    ("text", "datatype", "read"),
    [
        ("1950-05-17", DATE, Literal("1950-05-17", DATE)),
        ("1950-05-17+02:00", DATE, Literal("1950-05-17", DATE)),
        ("1950-05-00", DATE, Literal("1950-05", MONTH)),
        ("1950-00-00", DATE, Literal("1950", YEAR)),
        ("1950-13-01", DATE, Literal("1950-13-01")),
        ("-0044", YEAR, Literal("-0044", YEAR)),
        ("1.5e3", DECIMAL, Literal("1.5e3", DECIMAL)),
        ("٣", DECIMAL, Literal("٣")),
        ("NaN", DECIMAL, Literal("NaN")),
    ],
)
def test_what_is_a_time_or_a_number_stays_one(text, datatype, read):
    assert literals.of(text, datatype) == read


@pytest.mark.parametrize(
    ("text", "precision", "read"),
    [
        ("1950-05-17T00:00:00Z", None, Literal("1950-05-17", DATE)),
        ("+1950-05-17T00:00:00Z", "9", Literal("1950", YEAR)),
        ("-0043-03-15T00:00:00Z", "11", Literal("-0044-03-15", DATE)),
        ("1950-05-17T10:00:00+02:00", "11", Literal("1950-05-17", DATE)),
        ("1950-05-17T10:00:00+02:00", None, Literal("1950-05-17T10:00:00+02:00", DATETIME)),
        ("1950-05-17", "14", Literal("1950-05-17", DATE)),
        ("-13798000000-00-00T00:00:00Z", "0", Literal("-13798000000", AGE)),
        ("soon", "11", Literal("soon")),
    ],
)
def test_a_time_is_read_as_far_as_it_is_known(text, precision, read):
    assert literals.time(text, precision) == read


def test_a_long_text_is_read_as_far_as_anybody_reads_it():
    long = "x" * 1_000_000
    kg = graph(
        f'<http://x/a> <http://x/p> "{long}"',
        f'<http://x/a> <http://x/q> "{long}"@en',
        f'<http://x/a> <{layout.LABEL}> "{long}"@en',
        f'<http://x/a> <{layout.ALIAS}> "{long}"@en',
        f'<http://x/a> <{layout.DESCRIPTION}> "{long}"@en',
    )
    (found,) = kg.statements([Entity("http://x/a")])
    (thing,) = kg.describe(["http://x/a"])
    texts = [s.object.value for s in found]
    texts += [thing.label, thing.description, *thing.aliases]
    assert len(texts) == 5
    assert {len(text) for text in texts} == {10_001}
    assert all(literals.shortened(text) == text for text in texts)  # a graph of a graph's answers


def test_what_is_no_time_is_earlier_than_nothing():
    assert not compute.comparable(Literal("soon", DATE))
    assert compute.comparable(Literal("1950", YEAR))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("Point(13.4 52.5)", (52.5, 13.4)),
        ("Point(1e-05 -.5)", (-0.5, 0.00001)),
        ("52°30'N, 13°24'E", (52.5, 13.4)),
        ("Point(181 -95)", None),
        ("Point(1.2.3 4)", None),
    ],
)
def test_where_something_is(text, place):
    assert coordinates(Literal(text, WKT)) == place


def test_a_long_text_is_no_place_and_takes_no_time():
    for one in "9", ".", "9°", "Point(9 ", " ":
        began = time.process_time()
        assert coordinates(Literal(one * 200_000, WKT)) is None
        assert time.process_time() - began < 5
