"""A table as facts: each row a thing, each further column a relation of it.

What a row is called stands in the column `name`, `title` or `label`, else in the first one; what
the rows are is the header of that column, or the file's name where the header says no more than
“name”. Where the first column calls several rows the same, a column beside it that calls each its
own comes before it; rows that nothing calls their own, and that say each its own numbers or days,
are called by two columns or three. A cell may hold several values, between bars or semicolons, or
between commas where the column has most of them in other cells, too (“egg, milk”, “milk”);
`subject, relation, object` are triples. Amounts with a unit become numbers of a relation that is
called by it, “weight in kilograms”: by the one in the header, “Weight (kg)”, or else the first one
of the column, to which others that measure the same are converted. Days may be written as in most
of Europe.
"""

from __future__ import annotations

import csv
import gzip
import re
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from decimal import Decimal
from itertools import zip_longest
from pathlib import Path

from kgqa_core.facts import units
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    MONTH,
    STRING,
    YEAR,
    Entity,
    Literal,
    Relation,
    Value,
)
from kgqa_core.facts.units import Unit
from kgqa_core.kg import headers, lines
from kgqa_core.kg.lines import Reading, Unreadable
from kgqa_core.text import singular, stems

Parser = Callable[[str, dict[str, int], Reading], list[str]]

_NAMING = ("name", "title", "label")
_SAYING_NOTHING = frozenset({*_NAMING, "id", "key", "no", "nr", "#", ""})
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_COMMA = re.compile(r"(?P<whole>[+-]?\d{1,3}(?:[.  ]\d{3})+|[+-]?\d+),(?P<part>\d\d?)(?!\d)")
_DATED = re.compile(
    r"year|date|founded|established|born|died|built|made|released|published|opened|closed|since",
    re.IGNORECASE,
)
_A_YEAR = re.compile(r"1\d{3}|20\d\d")
_AMOUNT = re.compile(  # “1.9 kg”, “€189.00”
    r"(?P<before>[€$£]|[A-Z]{3} )? ?(?P<number>-?\d[\d,]*(?:\.\d+)?)"
    r"(?: ?(?P<behind>[^\W\d].*|[€$£%°].*))?"
)
_SEVERAL = re.compile(r"\||;(?=.{1,40}$|.{1,40};)")
_COMMAS = re.compile(r"\||;|, ?(?!\d)")
_OFTEN = 0.6  # of what stands between commas, that is in other cells of a list as well
_TRUTHS = {"ja": "yes", "oui": "yes", "y": "yes", "✓": "yes", "✔": "yes", "x": "yes", "nein": "no",
           "non": "no", "n": "no", "✗": "no", "✘": "no"}  # fmt: skip
_SEXES = {"m": "male", "f": "female", "w": "female"}
_DAY = re.compile(r"(?P<a>\d{1,2})(?P<mark>[./])(?P<b>\d{1,2})(?P=mark)(?P<year>\d{4})")
_MONTHS = {
    name: n
    for n, names_ in enumerate(
        ("january jan januar jänner janvier", "february feb februar février fevrier",
         "march mar märz mars", "april apr avril", "may mai", "june jun juni juin",
         "july jul juli juillet", "august aug août aout", "september sep sept septembre",
         "october oct oktober okt octobre", "november nov novembre",
         "december dec dezember dez décembre"), 1)
    for name in names_.split()
}  # fmt: skip
_SPELT = re.compile(
    r"(?:(?:mon|tue|wed|thu|fri|sat|sun)[a-z]{0,6}\.?,? )?"
    r"(?:(?P<day>\d{1,2})(?:st|nd|rd|th|\.|er)? )?(?P<month>[^\W\d]{3,9})\.?"
    r"(?: (?P<behind>\d{1,2})(?:st|nd|rd|th)?,)? (?P<year>\d{4})",
    re.IGNORECASE,
)
_TWELVE, _DAYS, _FEW, _FEW_WORDS = 12, 31, 5, 4
_PEOPLE = frozenset("employee member student player teacher guest customer client patient".split())
_HOLDING = frozenset(
    "lot trap library list log box book register inventory stock collection catalogue catalog "
    "table data sheet shelf cellar store database archive fleet records diary".split()
)
_OF_PEOPLE = re.compile(r"\b(?:salary|wage|hired|gender|surname|e-?mail|profession|job)\b", re.I)
_FIRST = 1 << 20  # characters of a file in which its way to write days is looked for
_LONG = 80  # characters from which a cell is a text, and no name of a thing
_WIDE = 3  # columns of a table whose first one need not call the rows
_ISO = re.compile(r"\d{4}-\d\d(?:-\d\d)?")
Columns = list[tuple[str, ...]]
_IS = Relation(lines.NAMES + "relation:is%20a", "is a")


def parser(heading: str, file: Path) -> Parser:
    """How the lines below this heading are read. Raises Unreadable for one column alone."""
    mark = max(",;\t", key=heading.count)
    names = _cells(heading, mark)
    if len(names) < 2:
        raise Unreadable("a table has at least two columns, named in its first line")
    if triple := lines.heading("\t".join(names)):
        return lambda line, _, reading: lines.parse_cells(_cells(line, mark), triple, reading)
    said = [headers.in_words(name) for name in names]
    columns = _columns(file, mark)
    own, kind = _thing([name for name, _ in said], file, columns)
    call = (own,) if names[own].casefold() in _NAMING else _together(own, columns)
    if len(call) > 1:
        own, kind = -1, singular(file.name.split(".")[0].replace("_", " ").strip())
    calls = file.name.split(".")[0] if own < 0 or _differ(columns[own : own + 1]) else ""
    row = _row(kind, calls, [name for name, _ in said])
    told_in = {name: unit for name, unit in said if unit is not None}
    day_first = _writes_days_first(file)
    listing = {n for n, cells in enumerate(columns) if n != own and _lists(cells)}

    def values(cell: str, at: int) -> Iterator[tuple[str, Value]]:
        column, between = said[at][0], _COMMAS if at in listing else _SEVERAL
        for part in filter(None, map(str.strip, between.split(cell))):
            plain = _COMMA.sub(lambda m: f"{re.sub('[^-+0-9]', '', m['whole'])}.{m['part']}", part)
            if day := _day(part, day_first):
                yield column, day
            else:
                yield _amount(plain, column, told_in) or (column, _value(plain, column))

    def parse(line: str, _: dict[str, int], reading: Reading) -> list[str]:
        cells = _cells(line, mark)
        if len(cells) > len(names):
            raise Unreadable(f"{len(cells)} cells under {len(names)} columns")
        called = ", ".join(cells[at] for at in call if at < len(cells) and cells[at])
        if not called:
            raise Unreadable(f"no cell under “{names[call[0]]}”")
        subject = lines.entity_of_cell(called)
        written = lines.fact(subject, _IS, row, (), reading)
        for at, cell in enumerate(cells):
            if at != own and names[at]:
                for name, value in values(cell, at):
                    written += lines.fact(subject, lines.relation_of_cell(name), value, (), reading)
        return written

    return parse


def _thing(names: list[str], file: Path, columns: Columns) -> tuple[int, str]:
    """Which column says what a row is called, and what the rows are."""
    low = [name.casefold() for name in names]
    named = [n for name in _NAMING if name in low and _may_call(n := low.index(name), columns)]
    own = named[0] if named else _calling(columns)
    called = re.sub(
        r" (?:name|title|label|id|no|nr|number|key)\.?$", "", names[own], flags=re.IGNORECASE
    )
    kind = called if called.casefold() not in _SAYING_NOTHING else file.name.split(".")[0]
    return own, singular(kind.replace("_", " ").strip())


def _columns(file: Path, mark: str) -> Columns:
    """The cells of the beginning of a table, column by column, without its heading."""
    rows = [_plain_cells(line, mark) for line in _beginning(file).splitlines()[1:]]
    return list(zip_longest(*filter(any, rows), fillvalue=""))


def _calling(columns: Columns) -> int:
    """The column that calls the rows: the first; where it has days, or calls several of them the
    same, one of words all different: beside it, if it has words itself."""
    worded = bool(columns) and any(_is_word(cell) for cell in columns[0])
    if not columns or (worded and (_differ(columns[:1]) or len(columns) < _WIDE)):
        return 0
    near = columns[:3] if worded else columns
    named = (n for n, cells in enumerate(near) if all(map(_is_word, cells)))
    return next((n for n in named if _differ(columns[n : n + 1])), 0)


def _may_call(at: int, columns: Columns) -> bool:
    """Whether a column of such a heading calls the rows: a label of discs is many a disc's."""
    return not at or at >= len(columns) or _differ(columns[at : at + 1])


def _together(own: int, columns: Columns) -> tuple[int, ...]:
    """The columns that call the rows together, where one calls several the same, of which each
    says its own number or day: what was seen, and when."""
    if _differ(columns[own : own + 1]) or not any(_tells(cells, columns[own]) for cells in columns):
        return (own,)
    worded = [n for n, cells in enumerate(columns) if all(map(_is_word, cells))]
    whole = [n for n, cells in enumerate(columns) if all(0 < len(cell) < _LONG for cell in cells)]
    pairs = [(n, own) for n in (own, *worded) if n != own]
    pairs += [(n, m) for n in worded for m in whole if n != m]
    more = [(*pair, m) for pair in pairs for m in whole if m not in pair]
    for call in (*pairs, *more):
        if _differ(
            [tuple("\0".join(row) for row in zip(*(columns[n] for n in call), strict=True))]
        ):
            return call
    return (own,)


def _tells(cells: tuple[str, ...], own: tuple[str, ...]) -> bool:
    """Whether rows of the same name have numbers or days of which a thing has one only."""
    said: dict[str, set[str]] = {}
    for name, cell in zip(own, cells, strict=True):
        if name and cell and (_AMOUNT.fullmatch(cell) or _day(cell, True) or _ISO.fullmatch(cell)):
            said.setdefault(name, set()).add(cell)
    return any(len(found) > 1 for found in said.values())


def _differ(own: Columns) -> bool:
    """Whether every row has a name of its own: as many things are told as there are rows."""
    called = [cell.casefold() for cells in own for cell in cells if cell]
    return len(set(called)) == len(called)


def _is_word(cell: str) -> bool:
    """Whether it may be what a thing is called: no day, number or nothing."""
    value = _value(cell, "") if cell and not _day(cell, True) else None
    return isinstance(value, Entity) and len(cell) < _LONG


def _lists(cells: tuple[str, ...]) -> bool:
    """Whether a column has several values between commas: most of them, and of the first ones,
    stand in other cells, too. A name turned round (“Lee, Ann”) says the same wherever it is, and
    a town stands first in no other place.
    """
    different = {cell.casefold(): None for cell in cells if cell}
    split = [[part.strip() for part in _COMMAS.split(cell)] for cell in different]
    often = Counter(part for several in split for part in set(several))
    lists = [several for several in split if len(several) > 1]
    parts = [part for several in lists for part in several]
    if not parts or any(len(part.split()) > _FEW_WORDS for part in parts):
        return False
    firsts = [several[0] for several in lists]
    return all(sum(often[p] > 1 for p in some) >= _OFTEN * len(some) for some in (parts, firsts))


def _plain_cells(line: str, mark: str) -> list[str]:
    try:
        return _cells(line, mark)
    except Unreadable:
        return []


def _row(kind: str, calls: str, names: list[str]) -> Entity:
    """The kind of thing that the rows are; who asks for a thing, or a person, means it as well.

    So does who asks for what the file is called by, in many: the horns of “alpine_horns.csv”.
    """
    known = lines.entity_of_cell(kind)
    people = kind in _PEOPLE or any(_OF_PEOPLE.search(name) for name in names)
    also = ("thing", "item", "entry", *(("person",) if people else ()))
    also += ("property", "building") if kind == "address" else ()
    words = re.findall(r"[^\W\d_]+", calls.casefold())
    many, one = " ".join(words), singular(" ".join(words))
    told = {stem for name in names for stem in stems(name)}
    if many != one and not told & set(stems(one.split()[-1])):
        also += (one.split()[-1], one)
    elif words[1:] and words[-1] in _HOLDING and not told & set(stems(words[-2])):
        also += (singular(words[-2]),)  # a car of “car_lot.csv”
    return replace(known, aliases=tuple(n for n in dict.fromkeys(also) if n != kind.casefold()))


def _writes_days_first(file: Path) -> bool:
    """Whether 3/4/2020 is in April: unless a day of the file can only be the second number."""
    found = list(_DAY.finditer(_beginning(file)))
    return any(int(m["a"]) > _TWELVE for m in found) or all(int(m["b"]) <= _TWELVE for m in found)


def _beginning(file: Path) -> str:
    opened = gzip.open if file.suffix == ".gz" else open
    with opened(file, "rt", encoding="utf-8", errors="replace") as text:
        start = text.read(_FIRST)
    return start if len(start) < _FIRST else start.rpartition("\n")[0]


def _cells(line: str, mark: str) -> list[str]:
    try:
        row = next(csv.reader([line], delimiter=mark, strict=True), [])
    except csv.Error as error:
        raise Unreadable(f"a cell that does not end in its line ({error})") from error
    return [" ".join(cell.split()) for cell in row]


def _amount(cell: str, column: str, told_in: dict[str, Unit]) -> tuple[str, Value] | None:
    """What “1.9 kg” or “€189.00” is a value of, and the number; None where the unit is unknown."""
    found = _AMOUNT.fullmatch(cell)
    written = ((found["before"] or "") + (found["behind"] or "")).strip() if found else ""
    unit = units.unit(written) if written else told_in.get(column)
    if found is None or unit is None:
        return None
    own = told_in.setdefault(column, unit)
    number = Decimal(found["number"].replace(",", ""))
    if own != unit and own.of and own.of == unit.of and not (own.zero or unit.zero):
        number, unit = number * unit.size / own.size, own
    return headers.measured(column, unit), Literal(f"{number.normalize():f}", DECIMAL)


def _day(cell: str, day_first: bool) -> Literal | None:
    """A day or a month as Europe and America write them: 12.03.2011, 12 March 2011, March 2011."""
    if found := _DAY.fullmatch(cell):
        first, second = int(found["a"]), int(found["b"])
        german = found["mark"] == "."
        day, month = (first, second) if day_first or german else (second, first)
    elif found := _SPELT.fullmatch(cell):
        month = _MONTHS.get(found["month"].casefold(), 0)
        day = int(found["day"] or found["behind"] or 0)
    if not found or not 1 <= month <= _TWELVE or day > _DAYS:
        return None
    if not day:
        return Literal(f"{found['year']}-{month:02}", MONTH)
    return Literal(f"{found['year']}-{month:02}-{day:02}", DATE)


def _value(cell: str, column: str) -> Value:
    cell = _TRUTHS.get(cell.casefold(), cell) if len(cell) < _FEW else cell
    cell = _SEXES.get(cell.casefold(), cell) if column.casefold() in {"sex", "gender"} else cell
    if len(cell) > _LONG:
        return Literal(cell, STRING)
    if _THOUSANDS.fullmatch(cell):
        cell = cell.replace(",", "")
    if _A_YEAR.fullmatch(cell) and _DATED.search(column):
        return Literal(cell, YEAR)
    return lines.value_of_cell(cell, column)
