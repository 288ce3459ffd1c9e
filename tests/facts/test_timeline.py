from decimal import Decimal

import pytest

from kgqa_core.facts import timeline
from kgqa_core.facts.terms import DATE, DATETIME, DECIMAL, MONTH, YEAR, Entity, Literal, Qualifier
from kgqa_core.facts.terms import Relation as R
from kgqa_core.facts.terms import Statement as S

X, Y = Entity("e:x", "X"), Entity("e:y", "Y")
OFFICE = R("p:office", "position held")
START, END, POINT = (R(f"p:{n}", n) for n in ("start time", "end time", "point in time"))


def year(text):
    return Literal(text, YEAR)


def held(start=None, end=None, point=None, rank="normal", value=Y):
    pairs = ((START, start), (END, end), (POINT, point))
    qualifiers = tuple(Qualifier(r, year(t)) for r, t in pairs if t)
    return S(X, OFFICE, value, qualifiers, rank)


@pytest.mark.parametrize(
    ("statement", "when", "expected"),
    [
        (held("1990", "2000"), "1995", True),
        (held("1990", "2000"), "1990", True),
        (held("1990", "2000"), "2001", False),
        (held("1990", "2000"), "1989-12-31", False),
        (held("1990"), "2030", True),
        (held(None, "2000"), "1800", True),
        (held(point="1995"), "1995-06", True),
        (held(point="1995"), "1996", False),
        (held(), "1995", None),
    ],
)
def test_held_at(statement, when, expected):
    assert timeline.held_at(statement, timeline.parse_time(when)) is expected


def test_current_prefers_rank_then_what_has_not_ended_then_the_latest_measurement():
    old, new = held(point="2000"), held(point="2020")
    assert timeline.current([held("1990", "2000"), held("2000", rank="preferred")]) == [
        held("2000", rank="preferred")
    ]
    assert timeline.current([held("1990", "2000"), held("2001")]) == [held("2001")]
    assert timeline.current([new, old]) == [new]
    assert timeline.current([held("1990", "2000")]) == []


def test_in_order_is_chronological_with_undated_statements_last():
    first, second, undated = held("1990"), held("2000"), held()
    assert timeline.in_order([undated, second, first]) == [first, second, undated]


@pytest.mark.parametrize(
    ("text", "value", "datatype"),
    [
        ("1990", "1990", YEAR),
        ("1990-5", "1990-05", MONTH),
        ("1990-05-17", "1990-05-17", DATE),
        ("-0044", "-0044", YEAR),
        ("800", "0800", YEAR),
        ("AD 79", "0079", YEAR),
        ("79 ad", "0079", YEAR),
        ("44 BC", "-0044", YEAR),
        ("323 BCE", "-0323", YEAR),
    ],
)
def test_parse_time(text, value, datatype):
    assert timeline.parse_time(text) == Literal(value, datatype)


@pytest.mark.parametrize("text", ["", "soon", "19", "1990-05-17-01", "1990/05"])
def test_what_is_no_time_is_none(text):
    assert timeline.parse_time(text) is None


def test_a_number_is_no_time():
    assert timeline.when_of(S(X, OFFICE, Literal("5", DECIMAL))) is None


TWICE = S(
    X,
    OFFICE,
    Y,
    tuple(Qualifier(r, year(t)) for r, t in ((START, "1918"), (START, "1991"), (END, "1939"))),
)


@pytest.mark.parametrize(("when", "held"), [("1930", True), ("1950", False), ("2000", True)])
def test_what_began_again_holds_then_and_is_not_over(when, held):
    """A border that was there between the wars, and is there again."""
    assert timeline.held_at(TWICE, timeline.parse_time(when)) is held
    assert not timeline.is_over(TWICE)
    assert timeline.is_open(TWICE)
    assert timeline.current([TWICE]) == [TWICE]


def test_what_ended_twice_is_over():
    both = S(X, OFFICE, Y, (*TWICE.qualifiers, Qualifier(END, year("1999"))))
    assert timeline.is_over(both)
    assert timeline.held_at(both, timeline.parse_time("2005")) is False


@pytest.mark.parametrize(
    ("value", "datatype", "year", "hours"),
    [
        ("1999-05-17T10:20:30+02:00", DATETIME, 1999, 10),
        ("+1999-05-17T10:20:30Z", DATETIME, 1999, 10),
        ("1999-05-17+02:00", DATE, 1999, 0),
        ("-0044-03-15", DATE, -44, 0),
        ("0079", YEAR, 79, 0),
        ("99999999999-12-31", DATE, 99_999_999_999, 0),
    ],
)
def test_a_time_is_read_whatever_stands_behind_it(value, datatype, year, hours):
    when = Literal(value, datatype)
    assert timeline.year(when) == year
    assert round(timeline.days(when) % 1 * 24, 6) == hours
    assert round(timeline.days(when) / Decimal("365.2425")) in range(year - 2, year + 2)


@pytest.mark.parametrize(
    "value", ["9" * 6_000, "-" + "1" * 4_301 + "-01-01", "", "soon", "-", "²", "1e9", "T10:00:00Z"]
)
def test_what_is_no_time_is_no_error(value):
    for datatype in (DATE, DATETIME, MONTH, YEAR):
        when = Literal(value, datatype)
        assert abs(timeline.year(when)) < 10**12
        assert abs(timeline.days(when)) < 10**15
        timeline.chronological(S(X, POINT, when))
        first, last = timeline.span(when)
        assert first <= last
