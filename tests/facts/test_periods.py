"""Decades, centuries and what is coarser: told as such, compared by all their years, kept."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts import check, compute, periods, timeline, verbalise
from kgqa_core.facts.terms import (
    AGE,
    CENTURY,
    DATE,
    DECADE,
    MILLENNIUM,
    YEAR,
    Entity,
    Literal,
    Relation,
    RelationUse,
    Statement,
)
from kgqa_core.kg import layout, wikibase
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.window import store_of
from kgqa_core.reader.details import dates_in, means
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
ABBEY, FOUNDED = Entity(WD + "Q1", "Cleeve Abbey"), Relation(WD + "P571", "inception")

# As Wikidata writes them (precision and time), and as people do.
TOLD = [
    (8, "+1880-00-00T00:00:00Z", "1880s"),
    (8, "+1885-01-01T00:00:00Z", "1880s"),
    (8, "+0075-00-00T00:00:00Z", "AD 70s"),
    (8, "-0500-01-01T00:00:00Z", "500s BC"),
    (7, "+1801-01-01T00:00:00Z", "19th century"),
    (7, "+1900-00-00T00:00:00Z", "19th century"),
    (7, "+1950-00-00T00:00:00Z", "20th century"),
    (7, "+2001-00-00T00:00:00Z", "21st century"),
    (7, "+0100-00-00T00:00:00Z", "1st century"),
    (7, "-0044-00-00T00:00:00Z", "1st century BC"),
    (7, "-4000-01-01T00:00:00Z", "40th century BC"),
    (6, "+1500-00-00T00:00:00Z", "2nd millennium"),
    (6, "-3000-00-00T00:00:00Z", "3rd millennium BC"),
    (5, "-20000-00-00T00:00:00Z", "about 20000 BC"),
    (4, "-200000-00-00T00:00:00Z", "about 200000 BC"),
    (3, "-665000000-00-00T00:00:00Z", "about 665 million BC"),
    (2, "-4540000000-00-00T00:00:00Z", "about 4.54 billion BC"),
    (9, "+1880-00-00T00:00:00Z", "1880"),
]


def read(precision, time):
    value = {"time": time, "precision": precision}
    return wikibase._value({"snaktype": "value", "datavalue": {"type": "time", "value": value}})


@pytest.mark.parametrize(("precision", "time", "words"), TOLD)
def test_each_is_told_as_such_and_survives_storage(precision, time, words):
    value = read(precision, time)
    assert verbalise.value(value) == words
    fact = Statement(ABBEY, FOUNDED, value)
    lines = [
        *layout.write_entity(ABBEY),
        *layout.write_relation(FOUNDED),
        *layout.write_statement(fact),
    ]
    graph = EmbeddedGraph("stored", store_of(lines))
    ((kept,),) = graph.statements([ABBEY], direction="out")
    assert kept == fact
    assert kept.object.datatype == value.datatype
    assert f'Precision> "{precision}"' in "".join(lines)
    ((use,),) = graph.relations_of([ABBEY])
    assert verbalise.relation_use(use) == f"inception → {words}"


@pytest.mark.parametrize(("precision", "time", "words"), TOLD)
def test_what_is_told_is_read_as_the_same_years(precision, time, words):
    value, again = read(precision, time), timeline.parse_time(words)
    assert again.datatype == value.datatype
    assert timeline.span(again) == timeline.span(value)


@pytest.mark.parametrize(
    ("text", "first", "last"),
    [
        ("1880s", "1880-01-01", "1889-12-31"),
        ("the 19th century", "1801-01-01", "1900-12-31"),
        ("1st century", "0001-01-01", "0100-12-31"),
        ("1st century BC", "-0100-01-01", "-0001-12-31"),
        ("40s BC", "-0049-01-01", "-0040-12-31"),
        ("2nd millennium", "1001-01-01", "2000-12-31"),
    ],
)
def test_a_period_is_all_its_years(text, first, last):
    when = timeline.parse_time(text)
    assert timeline.first_and_last(when) == (first, last)
    days = tuple(timeline.days(Literal(day, DATE)) for day in (first, last))
    assert timeline.span(when) == days
    assert timeline.days(when) == days[0]


def test_an_age_is_what_rounds_to_it():
    assert periods.first_and_last(-4540000000, periods.AGE) == (-4545000000, -4535000000)
    assert periods.first_and_last(-20000, periods.AGE) == (-25000, -15000)


def test_periods_are_compared_by_their_years():
    century, decade = Literal("1900", CENTURY), Literal("1885", DECADE)
    assert compute.apply("lowest", [decade, Literal("1950", YEAR), century]) == [century]
    assert compute.apply("highest", [decade, century, Literal("1870", YEAR)]) == [decade]
    assert not check._before(Literal("1850", YEAR), century)
    assert check._before(Literal("1799-12", YEAR), century)
    assert check._before(century, Literal("1901", YEAR))


def test_years_are_not_counted_from_a_decade_and_no_year_is_made_of_it():
    decade = Literal("1880", DECADE)
    with pytest.raises(compute.NotComputable, match="“1880s” is no single year"):
        compute.apply("years_between", [decade], [Literal("1900", YEAR)])
    assert compute.apply("year_of", [decade, Literal("1912-04-15", DATE)]) == [
        decade,
        Literal("1912", YEAR),
    ]
    formed, now = Literal("-4540000000", AGE), Literal("2026", YEAR)
    assert compute.apply("years_between", [formed], [now]) == [compute.number(4540000000)]
    assert Literal("-4540000000", AGE).name == "about 4.54 billion BC"


@pytest.mark.parametrize("text", ["1880", "5s", "19th", "101st century", "about six", "", "20s s"])
def test_what_is_no_period_is_none(text):
    assert periods.parse(text) is None


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It was founded in the 1880s.", Literal("1880", DECADE)),
        ("It was founded in the 19th century.", Literal("1801", CENTURY)),
        ("It dates from the 2nd millennium BC.", Literal("-2000", MILLENNIUM)),
        ("It formed about 4.54 billion BC.", Literal("-4540000000", AGE)),
        ("It was founded in the 1880s.", Literal("1885", YEAR)),
    ],
)
def test_a_claim_that_says_a_period_is_held_against_it(text, value):
    (said,) = dates_in(text)
    assert means(value, said)
    assert not means(Literal("1790", YEAR), said)


def test_a_list_of_relations_an_expansion_and_a_prompt_tell_the_period():
    fact = Statement(ABBEY, FOUNDED, Literal("1198", CENTURY))
    graph = EmbeddedGraph.build("abbeys", [ABBEY], [FOUNDED], [fact])
    tools = Toolkit(graph, ScriptedLLM())
    uses, _ = drain(tools.survey([ABBEY], about="When was it founded?"))
    assert uses == [RelationUse(FOUNDED, "out", 1, ("12th century",))]
    found, _ = drain(tools.expand([ABBEY]))
    assert [verbalise.statement(s) for s in found] == ["Cleeve Abbey — inception — 12th century"]
