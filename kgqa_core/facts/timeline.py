"""When statements hold: start, end and point in time as qualifiers, in chronological order."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import UTC, datetime
from decimal import Decimal

from kgqa_core.facts import periods, relations
from kgqa_core.facts.terms import (
    DATE,
    DATETIME,
    MONTH,
    PERIODS,
    TIMES,
    UNKNOWN,
    YEAR,
    Literal,
    Statement,
    short_id,
)

_OF_AN_ERA = re.compile(
    r"(?:(?:AD|CE) (?P<ad>\d{1,4})|(?P<year>\d{1,4}) (?P<after>AD|BCE?|CE))", re.IGNORECASE
)
START, END, POINT = relations.names("since"), relations.names("until"), relations.names("at")


# Files of strangers call much a time: a year of 6,000 digits, a zone behind it, none at all.
_STATED = re.compile(
    r"[+]?(-?)0*(\d{1,12})(?!\d)(?:-(\d\d?)(?!\d))?(?:-(\d\d?)(?!\d))?(?:T(\d\d?)(?=:))?"
)


def states(when: Literal) -> bool:
    """Whether there is a year in it."""
    return _STATED.match(when.value) is not None


def year(when: Literal) -> int:
    """The year of a time value; negative before Christ; 0 where none is stated."""
    found = _STATED.match(when.value)
    return (-1 if found[1] else 1) * int(found[2]) if found else 0


def days(v: Literal) -> Decimal:
    """Days since the year 0 (proleptic Gregorian, as SPARQL compares dateTimes)."""
    found = _STATED.match(v.value)
    if found is None:
        return Decimal(0)
    if v.datatype in PERIODS:
        return _days(_years(v)[0])
    year = -int(found[2]) if found[1] else int(found[2])
    month = max(1, int(found[3] or 1))
    in_month = max(1, int(found[4] or 1))
    hours = int(found[5] or 0) if v.datatype == DATETIME else 0
    return _days(year, month, in_month) + Decimal(hours) / 24


def _days(year: int, month: int = 1, in_month: int = 1) -> Decimal:
    past = year - 1
    leaps = past // 4 - past // 100 + past // 400
    return Decimal(past * 365 + leaps + sum(_month_lengths(year)[: month - 1]) + in_month)


def _years(when: Literal) -> tuple[int, int]:
    """The first and the last year of a period, or the year of any other time."""
    own, length = year(when), PERIODS.get(when.datatype)
    return periods.first_and_last(own, length) if length and own else (own, own)


def _month_lengths(year: int) -> tuple[int, ...]:
    return (31, 28 + _leap(year), 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)


def _leap(year: int) -> bool:
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def parse_time(text: str) -> Literal | None:
    """`1990`, `1990-05`, `1990-05-17`, `now`, also `AD 79` and before Christ (`-0044`, `44 BC`),
    `1880s` and `19th century`; None otherwise.
    """
    text = text.strip()
    if period := periods.parse(text):
        year, length = period
        of = next(datatype for datatype, own in PERIODS.items() if own == length)
        return Literal(f"{'-' * (year < 0)}{abs(year):04d}", of)
    if era := _OF_AN_ERA.fullmatch(text):
        before = (era["after"] or "").upper().startswith("B")
        return Literal(f"{'-' * before}{(era['ad'] or era['year']).zfill(4)}", YEAR)
    if text.casefold() in {"now", "today", "current", "currently"}:
        return Literal(datetime.now(UTC).strftime("%Y-%m-%d"), DATE)
    body = text.removeprefix("-")
    parts = body.split("T")[0].split("-")
    if not all(p.isdigit() for p in parts) or not 3 <= len(parts[0]) <= 4 or len(parts) > 3:
        return None
    sign = "-" if text.startswith("-") else ""
    value = sign + "-".join([parts[0].zfill(4), *(p.zfill(2) for p in parts[1:])])
    return Literal(value, (YEAR, MONTH, DATE)[len(parts) - 1])


def first_and_last(when: Literal) -> tuple[str, str]:
    """The first and the last day of a year, month, day or period, as dates."""
    if when.datatype in PERIODS:
        from_, to = (f"{'-' * (year < 0)}{abs(year):04d}" for year in _years(when))
        return f"{from_}-01-01", f"{to}-12-31"
    text = when.value.split("T")[0]
    before = text.startswith("-")
    year, month, day = [*map(int, text.lstrip("-").split("-")), 0, 0][:3]
    last = month or 12
    months = _month_lengths(-year if before else year)
    sign = "-" if before else ""
    return (
        f"{sign}{year:04d}-{month or 1:02d}-{day or 1:02d}",
        f"{sign}{year:04d}-{last:02d}-{day or months[last - 1]:02d}",
    )


def qualifier(statement: Statement, names: frozenset[str]) -> Literal | None:
    """The first time value of a qualifier with one of the names (short ids or labels)."""
    for q in statement.qualifiers:
        if (
            isinstance(q.value, Literal)
            and q.value.datatype in TIMES
            and (short_id(q.relation.id) in names or q.relation.label in names)
        ):
            return q.value
    return None


def _all(statement: Statement, names: frozenset[str]) -> list[Literal]:
    """The time values of all qualifiers with one of the names, the earliest first."""
    found = [
        q.value
        for q in statement.qualifiers
        if isinstance(q.value, Literal)
        and q.value.datatype in TIMES
        and (short_id(q.relation.id) in names or q.relation.label in names)
    ]
    return sorted(found, key=days)


def spells(statement: Statement) -> list[tuple[Literal | None, Literal | None]]:
    """From when until when a statement held: more than once, where it began more than once."""
    starts, ends = _all(statement, START), _all(statement, END)
    if len(starts) < 2:
        return [(qualifier(statement, START), qualifier(statement, END))]
    found: list[tuple[Literal | None, Literal | None]] = []
    for start, again in zip(starts, [*starts[1:], None], strict=True):
        own = [e for e in ends if days(start) <= days(e) and not (again and days(again) < days(e))]
        found.append((start, own[0] if own else again))
    return found


def when_of(statement: Statement) -> Literal | None:
    """The time a statement is filed under: start, point in time, own value or end."""
    own = statement.object
    dated = own if isinstance(own, Literal) and own.datatype in TIMES else None
    if not statement.qualifiers:
        return dated
    return (
        qualifier(statement, START)
        or qualifier(statement, POINT)
        or dated
        or qualifier(statement, END)
    )


def chronological(statement: Statement) -> tuple[bool, Decimal]:
    """Sort key; undated statements last."""
    when = when_of(statement)
    return (when is None, days(when) if when else Decimal(0))


def span(when: Literal) -> tuple[Decimal, Decimal]:
    """First and last day a time can mean: a year is all its days, a century all its years."""
    first = days(when)
    if when.datatype in PERIODS:
        return first, _days(_years(when)[1], 12, 31)
    if when.datatype == YEAR:
        return first, first + 364 + _leap(year(when))
    if when.datatype == MONTH:
        found = _STATED.match(when.value)
        month = min(12, max(1, int((found and found[3]) or 1)))
        return first, first + _month_lengths(year(when))[month - 1] - 1
    return first, first


def lasted(statement: Statement) -> Decimal | None:
    """How many days a statement held; None where its start or its end is not stated."""
    start, end = qualifier(statement, START), qualifier(statement, END)
    return None if start is None or end is None else days(end) - days(start)


def held_at(statement: Statement, when: Literal) -> bool | None:
    """Whether the statement held then; None when it carries no time at all."""
    first, last = span(when)
    point, own = qualifier(statement, POINT), spells(statement)
    if own == [(None, None)]:
        if point is None:
            return None
        p1, p2 = span(point)
        return p1 <= last and first <= p2
    return any(
        (start is None or span(start)[0] <= last) and (end is None or span(end)[1] >= first)
        for start, end in own
    )


def began(statement: Statement) -> Literal | None:
    """The start of a statement, else its point in time."""
    return qualifier(statement, START) or qualifier(statement, POINT)


def is_open(statement: Statement) -> bool:
    """Whether it has a start, and nothing says that it ended since."""
    start, end = spells(statement)[-1]
    return start is not None and end is None


def began_in(statement: Statement, when: Literal) -> bool:
    """Whether the statement is dated to a time, by when it began."""
    day = began(statement)
    if day is None:
        return False
    (b1, b2), (first, last) = span(day), span(when)
    return b1 <= last and first <= b2


def is_measured(statement: Statement) -> bool:
    """Whether it is of one point in time, as a measurement is."""
    return qualifier(statement, POINT) is not None


def current(statements: Sequence[Statement]) -> list[Statement]:
    """Those that hold now: preferred rank, else not ended, else the latest measured."""
    preferred = [s for s in statements if s.rank == "preferred"]
    if preferred:
        return preferred
    standing = [s for s in statements if not is_over(s)]
    measured = [s for s in standing if qualifier(s, POINT) is not None]
    if measured:
        latest = max(chronological(s)[1] for s in measured)
        return [s for s in measured if chronological(s)[1] == latest]
    return standing


def is_over(statement: Statement) -> bool:
    """Whether it has an end, be it an unknown one, and did not begin again after it."""
    own = spells(statement)
    if (
        len(own) > 1
        and own[-1][1] is None
        and UNKNOWN not in (q.value for q in statement.qualifiers)
    ):
        return False
    return any(
        (q.value == UNKNOWN or (isinstance(q.value, Literal) and q.value.datatype in TIMES))
        and (short_id(q.relation.id) in END or q.relation.label in END)
        for q in statement.qualifiers
    )


def in_order(statements: Iterable[Statement]) -> list[Statement]:
    """Preferred rank first, then chronological; stable for the undated."""
    return sorted(statements, key=lambda s: (s.rank != "preferred", chronological(s)))
