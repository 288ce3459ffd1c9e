"""Times and numbers as graphs of strangers write them: what is called one and is none is a text.

So nothing that reckons meets a year of 6,000 digits, a NaN or a 45th of a month.
"""

from __future__ import annotations

import re
from typing import Any

from kgqa_core.facts.terms import (
    DATE,
    DATETIME,
    MONTH,
    NUMBERS,
    PERIODS,
    STRING,
    YEAR,
    Entity,
    Literal,
)
from kgqa_core.kg import layout

_YEAR, _MONTH, _DAY = r"[+-]?\d{1,11}", r"-(?:0\d|1[0-2])", r"-(?:[0-2]\d|3[01])"
_CLOCK, _ZONE = r"T\d\d:\d\d:\d\d(?:\.\d+)?", r"(Z|[+-]\d\d:\d\d)?"
_SHAPES = {
    kind: re.compile(shape, re.ASCII)
    for kind, shape in {
        # more digits, or a larger exponent, are nothing that can be reckoned with
        **dict.fromkeys(NUMBERS, r"[+-]?(?:\d{1,300}(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d{1,2})?"),
        DATETIME: _YEAR + _MONTH + _DAY + _CLOCK + _ZONE,
        DATE: _YEAR + _MONTH + _DAY + _ZONE,
        MONTH: _YEAR + _MONTH,
        **dict.fromkeys((YEAR, *PERIODS), _YEAR),
    }.items()
}
_TIME = re.compile(rf"({_YEAR}(?:{_MONTH}(?:{_DAY})?)?)({_CLOCK})?{_ZONE}", re.ASCII)
_PARTS = re.compile(r"([+-]?\d+)(?:-(\d\d))?(?:-(\d\d))?")
_OF_A_DAY = 11  # Wikidata's number for the precision of a day
_LONGEST = 10_000  # characters of a text; a longer one is cut
_COUNT = re.compile(r"\d{1,18}", re.ASCII)
_PRECISION = re.compile(r"\d{1,2}", re.ASCII)


def shortened(text: str) -> str:
    """A text as far as anybody reads it."""
    return text if len(text) <= _LONGEST else text[:_LONGEST] + "…"


def count(text: str) -> int | None:
    """How many an endpoint says there are; None where it says no number."""
    return int(text) if _COUNT.fullmatch(text) else None


def fits(value: str, datatype: str) -> bool:
    """Whether it is what its datatype says, as far as times and numbers are concerned."""
    shape = _SHAPES.get(datatype)
    return shape is None or shape.fullmatch(value) is not None


def of(value: str, datatype: str, unit: Entity | None = None) -> Literal:
    """A value by its datatype. A month or day that is 00 is not known, a day has no zone."""
    if not fits(value, datatype):
        return Literal(shortened(value), STRING)
    if datatype in (DATE, MONTH):
        year, month, day = _PARTS.match(value).groups("00")  # type: ignore[union-attr]
        if month == "00":
            return Literal(year, YEAR)
        if day == "00":
            return Literal(f"{year}-{month}", MONTH)
        return Literal(f"{year}-{month}-{day}", DATE)
    return Literal(shortened(value), datatype, unit)


def time(text: str, precision: Any = None, *, julian: bool = False) -> Literal:
    """A time of RDF, as `layout.from_datetime` reads it."""
    found = _TIME.fullmatch(text)
    if found is None:
        return Literal(shortened(text), STRING)
    day, clock, zone = found[1], found[2] or "", (found[3] or "Z").removeprefix("Z")
    exact = int(precision) if _PRECISION.fullmatch(str(precision)) else None
    if zone and clock and (exact is None or exact > _OF_A_DAY):
        return Literal(text.removeprefix("+"), DATETIME)
    if not clock:
        exact = _OF_A_DAY if exact is None else min(exact, _OF_A_DAY)
    return layout.from_datetime(day + clock, exact, julian=julian)
