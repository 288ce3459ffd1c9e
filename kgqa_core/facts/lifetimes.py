"""When somebody lived, or something existed, took place or held: intervals of days."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from kgqa_core.facts import relations, timeline, verbalise
from kgqa_core.facts.premises import Facts
from kgqa_core.facts.terms import DATE, MONTH, TIMES, YEAR, Entity, Literal, Statement

BIRTH, DEATH = relations.row("date of birth").spelled, relations.row("date of death").spelled
LONGEST_LIFE = 110  # years that nobody outlives, where one of two dates is not known
_OLD = 100  # years: without a date of death, who was born longer ago is not taken to be alive
DAYS = Decimal("365.2425")


@dataclass(frozen=True)
class Interval:
    """Days from `first` to `last`; None: not known, or without end. Words for the trace.

    `lacks`: the date that is not known (“when … died”); its bound is then the farthest possible,
    which can exclude something, but shows nothing.
    """

    first: Decimal | None
    last: Decimal | None
    words: str
    because: tuple[Statement, ...] = ()
    lacks: str = ""
    no_first: bool = False
    no_last: bool = False

    @property
    def known(self) -> bool:
        return self.first is not None or self.last is not None


MONTHS = (
    "january february march april may june july august september october november december".split()
)
_WRITTEN = re.compile(
    r"(?:(?P<day>\d{1,2})\s+)?(?:(?P<month>" + "|".join(MONTHS) + r")\s+)?(?P<year>\d{3,4})\b",
    re.IGNORECASE,
)
_YEARS = re.compile(r"\b(\d{3,4})\s*[–-]\s*(\d{3,4})\b")


def time_in(text: str) -> Literal | None:
    """The first date written in a text (`demolished in April 1931`); None without one."""
    found = _WRITTEN.search(text)
    if found is None:
        return None
    year = found["year"].zfill(4)
    if not found["month"]:
        return Literal(year, YEAR)
    month = f"{MONTHS.index(found['month'].casefold()) + 1:02d}"
    if not found["day"]:
        return Literal(f"{year}-{month}", MONTH)
    return Literal(f"{year}-{month}-{int(found['day']):02d}", DATE)


def interval_of(entity: Entity, facts: Facts) -> Interval:
    """When an entity was alive, existed or took place, by its dated facts.

    Of somebody with one date only, the other lies at most LONGEST_LIFE years from it; who was
    born not long ago and has no date of death is alive.
    """
    births, deaths = dates_of(entity, BIRTH, facts), dates_of(entity, DEATH, facts)
    if births or deaths:
        first = min((timeline.span(w)[0] for w, _ in births), default=None)
        last = max((timeline.span(w)[1] for w, _ in deaths), default=None)
        far = LONGEST_LIFE * DAYS
        words = in_words(entity, births, deaths, "born", "died")
        because = tuple(s for _, s in (*births, *deaths))
        if last is None and first is not None and may_live(first):
            return Interval(first, None, words, because)
        return Interval(
            first if first is not None else (last or Decimal(0)) - far,
            last if last is not None else (first or Decimal(0)) + far,
            words,
            because,
            lacks="" if births and deaths else f"when {entity.name} {_DATED[bool(births)]}",
            no_first=not births,
            no_last=not deaths,
        )
    begins = dates_of(entity, relations.either("begins"), facts)
    ends = dates_of(entity, relations.either("ends"), facts)
    points = dates_of(entity, relations.either("happens"), facts)
    if begins or ends or points:
        times = [timeline.span(w) for w, _ in (*begins, *points)]
        starts = [a for a, _ in times]
        closes = [timeline.span(w)[1] for w, _ in ends]
        if not closes and (points or len(begins) > 1):  # an event: over when its last date is
            closes = [b for _, b in times]
        words = in_words(entity, (*begins, *points), ends, "from", "until")
        because = tuple(s for _, s in (*begins, *points, *ends))
        return Interval(min(starts, default=None), max(closes, default=None), words, because)
    return _described(entity, facts)


_DATED = {True: "died", False: "was born"}  # the date that is lacking, by whether birth is known


def may_live(born: Decimal) -> bool:
    """Whether somebody born that day, of whom no death is known, is taken to be alive."""
    return born + _OLD * DAYS > timeline.days(Literal(date.today().isoformat(), DATE))


def _described(entity: Entity, facts: Facts) -> Interval:
    """Years in a description: `war of 1980–1988`, `president (1946–2009)`, `2002 film`."""
    for s in facts.out(entity, relations.row("description").spelled):
        text = s.object.value if isinstance(s.object, Literal) else ""
        if years := _YEARS.search(text):
            a, b = (Literal(y.zfill(4), YEAR) for y in years.groups())
            words = f"{entity.name}: {years[0]}"
            return Interval(timeline.span(a)[0], timeline.span(b)[1], words, (s,))
        if (when := time_in(text)) is not None:
            return Interval(timeline.span(when)[0], None, f"{entity.name}: {when.value}", (s,))
    return Interval(None, None, entity.name)


def dates_of(entity: Entity, names: str, facts: Facts) -> list[tuple[Literal, Statement]]:
    """Dates that these relations give, alternatives by |, with their statements."""
    found = []
    for s in facts.out(entity, names):
        inside = timeline.qualifier(s, timeline.POINT)
        when = inside or (
            s.object
            if isinstance(s.object, Literal) and s.object.datatype in TIMES
            else time_in(s.object.value if isinstance(s.object, Literal) else "")
        )
        if when is not None:
            found.append((when, s))
    return found


def in_words(
    entity: Entity,
    begins: Sequence[tuple[Literal, Statement]],
    ends: Sequence[tuple[Literal, Statement]],
    begin: str,
    end: str,
) -> str:
    parts = [f"{begin} {verbalise.value(begins[0][0])}"] if begins else []
    parts += [f"{end} {verbalise.value(ends[-1][0])}"] if ends else []
    return f"{entity.name} ({', '.join(parts)})"


def held_during(s: Statement) -> Interval:
    point = timeline.qualifier(s, timeline.POINT)
    start, end = timeline.qualifier(s, timeline.START), timeline.qualifier(s, timeline.END)
    first = start or point
    last = end or point
    return Interval(
        timeline.span(first)[0] if first else None, timeline.span(last)[1] if last else None, ""
    )


def over_before(a: Interval, b: Interval) -> bool | None:
    """Whether a is over before b begins; None: that depends on a date that is not known."""
    if a.last is None or b.first is None:
        return False
    if a.last < b.first:
        return True
    ends = a.first if a.no_last else a.last
    begins = b.last if b.no_first else b.first
    return None if ends is None or begins is None or ends < begins else False
