"""What cannot be true of statements together: a check of a graph's facts, without asking anybody.

Each rule reads a `Book`, the statements by subject and relation, and says in one line what does not
fit. Relations are those of Wikidata; a graph with other ones has nothing that could be checked.
"""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from kgqa_core.facts import timeline, units
from kgqa_core.facts.terms import (
    DATE,
    MONTH,
    NUMBERS,
    PERIODS,
    TIMES,
    YEAR,
    Entity,
    Literal,
    Statement,
    short_id,
)
from kgqa_core.places import ASSETS

HUMAN, COUNTRY = "Q5", "Q6256"
_FORMER = frozenset({"Q3024240"})  # historical country
_OLDEST = 123  # years; nobody is known to have lived longer
_YOUNGEST = 12  # years; who died earlier and has a profession nonetheless is a slip
_LEFT_BEHIND = 3  # years that a film may need after somebody in it has died
_TYPES = {"wikibase-item": "a thing", "time": "a date", "quantity": "a number"}


def _rows(what: str) -> list[list[str]]:
    """Of `assets/checks.tsv`: relations, and what goes with them."""
    lines = (ASSETS / "checks.tsv").read_text(encoding="utf-8").splitlines()
    cells = [line.split("\t") for line in lines if not line.startswith("#")]
    return [row[1:] for row in cells if row[0] == what]


def _ids(what: str) -> tuple[str, ...]:
    return tuple(relation for row in _rows(what) for relation in row[0].split())


_MEASURES = {
    relation: (unit, float(least), float(most)) for relation, unit, least, most in _rows("measure")
}
_COUNTS = {relation: float(most) for relation, most in _rows("count")}
_PERIODS = [(*relations.split(), problem) for relations, problem in _rows("period")]
_OF_HUMANS, _MADE_BY, _MUTUAL = _ids("of humans"), _ids("made by"), _ids("mutual")
(_BORN, _ENDS_LIFE), (_START, _END) = _ids("life"), _ids("time")
(_CHILD,), (_PUBLISHED,), (_KIND,) = _ids("child"), _ids("published"), _ids("kind")
(_CAPITAL,), (_ENDED,), (_COUNTRY,) = _ids("capital"), _ids("ended"), _ids("country")
(_BORDER,), (_WORK,) = _ids("border"), _ids("profession")
_HOLDS, _HELD_BY = _ids("holds office"), _ids("office held by")
_ACTED, _LIES, _WORLDS = _ids("acted"), _ids("lies in"), frozenset(_ids("no territory"))


@dataclass(frozen=True)
class Finding:
    """What does not fit, with the statements that show it."""

    rule: str
    text: str
    statements: tuple[Statement, ...]


class Book:
    """Statements by their subject and relation; both by short ids."""

    def __init__(self, statements: Iterable[Statement]) -> None:
        self.all = [s for s in statements if s.rank != "deprecated"]
        self._rows: dict[tuple[str, str], list[Statement]] = defaultdict(list)
        for s in self.all:
            self._rows[short_id(s.subject.id), short_id(s.relation.id)].append(s)

    def of(self, subject: str, relation: str) -> list[Statement]:
        return self._rows.get((subject, relation), [])

    def values(self, subject: str, relation: str) -> set[str]:
        """The short ids of what it leads to."""
        return {end for s in self.of(subject, relation) if (end := _end(s))}

    def by_relation(self, *relations: str) -> Iterator[Statement]:
        wanted = frozenset(relations)
        return (s for s in self.all if short_id(s.relation.id) in wanted)


def findings(statements: Iterable[Statement]) -> list[Finding]:
    """What cannot be true, rule after rule."""
    book = Book(statements)
    return [finding for rule in RULES for finding in rule(book)]


def _types(book: Book) -> Iterator[Finding]:
    """A value is what the relation's datatype says."""
    for s in book.all:
        value = s.object
        wanted = _TYPES.get(s.relation.datatype)
        is_a = (
            "a thing"
            if isinstance(value, Entity)
            else "a date"
            if value.datatype in TIMES
            else "a number"
            if value.datatype in NUMBERS
            else "a text"
        )
        if wanted and is_a != wanted:
            yield Finding("type", f"{_said(s)}: {is_a}, where {wanted} belongs", (s,))


def _dates(book: Book) -> Iterator[Finding]:
    """A date of day precision is a day of the calendar; a year has four digits."""
    days = (31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
    for s in book.all:
        for value in (s.object, *(q.value for q in s.qualifiers)):
            if not isinstance(value, Literal) or value.datatype not in (YEAR, MONTH, DATE):
                continue
            written = _DAY.fullmatch(value.value) is not None
            parts = [abs(part) for part in _parts(value)]
            fits = (
                written
                and len(parts) == {YEAR: 1, MONTH: 2, DATE: 3}[value.datatype]
                and parts[0] > 0
            )
            fits = fits and (len(parts) < 2 or 1 <= parts[1] <= 12)
            if not fits or (len(parts) == 3 and not 1 <= parts[2] <= days[parts[1] - 1]):
                yield Finding("date", f"{_said(s)}: “{value.value[:40]}” is not a date", (s,))


def _periods(book: Book) -> Iterator[Finding]:
    """Nothing ends before it starts, and nobody grows older than people do."""
    for first, last, problem in _PERIODS:
        for start in book.by_relation(first):
            ends = book.of(short_id(start.subject.id), last)
            begun = book.of(short_id(start.subject.id), first)
            if len(ends) != 1 or len(begun) != 1:
                continue  # several claims: one of them may be right
            if _before(ends[0].object, start.object):
                text = f"{start.subject.name} {problem}: {_value(start)}, {_value(ends[0])}"
                yield Finding("period", text, (start, ends[0]))
            elif first == _BORN and _year(ends[0]) - _year(start) > _OLDEST:
                text = f"{start.subject.name} lived for {_year(ends[0]) - _year(start)} years"
                yield Finding("age", text, (start, ends[0]))
    for s in book.all:
        given = {short_id(q.relation.id): q.value for q in s.qualifiers}
        if _START in given and _END in given and _before(given[_END], given[_START]):
            yield Finding("period", f"{_said(s)}: its end is before its start", (s,))


def _young(book: Book) -> Iterator[Finding]:
    """Children who died have no profession: one of the two dates is another one's."""
    for start in book.by_relation(_BORN):
        subject = short_id(start.subject.id)
        ends, born = book.of(subject, _ENDS_LIFE), book.of(subject, _BORN)
        if len(ends) != 1 or len(born) != 1 or not book.of(subject, _WORK):
            continue
        if 0 <= (age := _year(ends[0]) - _year(start)) < _YOUNGEST:
            text = f"{start.subject.name} has a profession, but died at the age of {age}"
            yield Finding("young", text, (start, ends[0], *book.of(subject, _WORK)))


def _offices(book: Book) -> Iterator[Finding]:
    """Nobody holds an office before being born, or after death."""
    for s in book.by_relation(*_HOLDS, *_HELD_BY):
        who = short_id(s.subject.id) if _id(s) in _HOLDS else _end(s)
        name = s.subject.name if _id(s) in _HOLDS else s.object.name
        born, died = book.of(who, _BORN), book.of(who, _ENDS_LIFE)
        given = {short_id(q.relation.id): q.value for q in s.qualifiers}
        years = [_year_of(given[q]) for q in (_START, _END) if q in given]
        if len(born) == 1 and years and years[0] <= _year(born[0]):
            text = f"{name} had an office in {years[0]}, but was born in {_year(born[0])}"
            yield Finding("office", text, (s, born[0]))
        elif len(died) == 1 and years and years[-1] > _year(died[0]):
            text = f"{name} had an office in {years[-1]}, but died in {_year(died[0])}"
            yield Finding("office", text, (s, died[0]))


def _acted(book: Book) -> Iterator[Finding]:
    """Nobody plays in, or directs, what came out long after their death."""
    for s in book.by_relation(*_ACTED):
        died, out = book.of(_end(s), _ENDS_LIFE), book.of(short_id(s.subject.id), _PUBLISHED)
        if len(died) == 1 and out and min(map(_year, out)) - _year(died[0]) >= _LEFT_BEHIND:
            text = (
                f"{s.subject.name} came out long after its {s.relation.name} {s.object.name} died"
            )
            yield Finding("work", text, (s, died[0], out[0]))


def _territories(book: Book) -> Iterator[Finding]:
    """What a place lies in is a territory: no planet, no continent."""
    for s in book.by_relation(*_LIES):
        if kinds := book.values(_end(s), _KIND) & _WORLDS:
            text = f"{_said(s)}: that is no territory"
            shown = [k for k in book.of(_end(s), _KIND) if _end(k) in kinds]
            yield Finding("place", text, (s, *shown))


def _parents(book: Book) -> Iterator[Finding]:
    """A child is born after its parents."""
    for s in book.by_relation(_CHILD):
        parent = book.of(short_id(s.subject.id), _BORN)
        child = book.of(_end(s), _BORN)
        if len(parent) == len(child) == 1 and _year(child[0]) <= _year(parent[0]):
            text = f"{s.object.name} is not younger than a parent, {s.subject.name}"
            yield Finding("parent", text, (s, parent[0], child[0]))


def _makers(book: Book) -> Iterator[Finding]:
    """Nobody makes a work before being born."""
    for s in book.by_relation(*_MADE_BY):
        born = book.of(_end(s), _BORN)
        out = book.of(short_id(s.subject.id), _PUBLISHED)
        if len(born) == 1 and out and all(_year(o) < _year(born[0]) for o in out):
            text = (
                f"{s.subject.name} came out before its {s.relation.name} {s.object.name} was born"
            )
            yield Finding("maker", text, (s, out[0], born[0]))


def _humans(book: Book) -> Iterator[Finding]:
    """What only people have is said of people, where it is said what the subject is."""
    told: set[str] = set()
    for s in book.by_relation(*_OF_HUMANS):
        subject = short_id(s.subject.id)
        kinds = book.values(subject, _KIND)
        if subject not in told and kinds & {COUNTRY, "Q515", "Q11424"} and HUMAN not in kinds:
            told.add(subject)
            text = f"{s.subject.name} has a {s.relation.name}, but is not a human"
            yield Finding("human", text, (s, *book.of(subject, _KIND)))


def _capitals(book: Book) -> Iterator[Finding]:
    """The capital of a country lies in it."""
    for s in book.by_relation(_CAPITAL):
        country = short_id(s.subject.id)
        kinds = book.values(country, _KIND)
        if COUNTRY not in kinds or kinds & _FORMER or book.of(country, _ENDED):
            continue
        lies = book.values(_end(s), _COUNTRY)
        if lies and country not in lies:
            text = f"{s.object.name}, capital of {s.subject.name}, lies in another country"
            yield Finding("capital", text, (s, *book.of(_end(s), _COUNTRY)))


def _both_ways(book: Book) -> Iterator[Finding]:
    """Borders of countries, marriages and siblings hold both ways."""
    for s in book.by_relation(_BORDER, *_MUTUAL):
        here, there, relation = short_id(s.subject.id), _end(s), _id(s)
        if not there:
            continue
        if relation == _BORDER and not all(
            COUNTRY in book.values(end, _KIND) for end in (here, there)
        ):
            continue
        if here not in book.values(there, relation):
            text = f"{_said(s)}, but {s.object.name} does not say so of {s.subject.name}"
            yield Finding("both ways", text, (s,))


def _measures(book: Book) -> Iterator[Finding]:
    """Measures have a unit of their kind, and are of a size that there is."""
    for s in book.by_relation(*_MEASURES, *_COUNTS):
        value = s.object
        if not isinstance(value, Literal) or value.datatype not in NUMBERS:
            continue
        try:
            number = float(value.value)
        except ValueError:  # a file calls it a number
            yield Finding("range", f"{_said(s)}: “{value.value[:40]}” is no number", (s,))
            continue
        if (most := _COUNTS.get(_id(s))) is not None:
            if not 0 <= number <= most:
                yield Finding("range", f"{_said(s)} is out of range", (s,))
            continue
        unit, least, largest = _MEASURES[_id(s)]
        if value.unit is None or units.of(value.unit.name) != units.of(unit):
            yield Finding("unit", f"{_said(s)}: the unit should be {unit}", (s,))
        elif not least <= number * units.times(value.unit.name, unit) <= largest:
            yield Finding("range", f"{_said(s)} is out of range", (s,))


Rule = Callable[[Book], Iterator[Finding]]
RULES: tuple[Rule, ...] = (
    _types,
    _dates,
    _periods,
    _young,
    _offices,
    _parents,
    _makers,
    _acted,
    _territories,
    _humans,
    _capitals,
    _both_ways,
    _measures,
)


def _end(s: Statement) -> str:
    """The short id of the thing it leads to; empty for a value."""
    return short_id(s.object.id) if isinstance(s.object, Entity) else ""


def _id(s: Statement) -> str:
    return short_id(s.relation.id)


def _said(s: Statement) -> str:
    return f"{s.subject.name} – {s.relation.name} – {s.object.name}"


def _value(s: Statement) -> str:
    return s.object.name


def _year(s: Statement) -> int:
    """Years BC count down; 0 for what is no date."""
    return _year_of(s.object)


def _year_of(value: object) -> int:
    if not isinstance(value, Literal) or value.datatype not in TIMES:
        return 0
    return _parts(value)[0]


_DAY = re.compile(r"-?(\d{1,11})(?:-(\d\d))?(?:-(\d\d))?", re.ASCII)


def _parts(value: Literal) -> tuple[int, ...]:
    """Year, month and day as far as they are stated; a year 0 for what is no date."""
    found = _DAY.match(value.value)
    if found is None:
        return (0,)
    sign = -1 if value.value.startswith("-") else 1
    return (sign * int(found[1]), *(int(part) for part in found.groups()[1:] if part))


def _before(a: object, b: object) -> bool:
    """Whether date `a` is surely before `b`, at the precision of the coarser one."""
    if not (isinstance(a, Literal) and isinstance(b, Literal)):
        return False
    if a.datatype not in TIMES or b.datatype not in TIMES:
        return False
    if {a.datatype, b.datatype} & PERIODS.keys():
        return timeline.span(a)[1] < timeline.span(b)[0]
    one, other = _parts(a), _parts(b)
    common = min(len(one), len(other))
    return one[:common] < other[:common]
