"""A table as facts: each row a thing, each further column a relation of it.

What a row is called stands in the column `name`, `title` or `label`, else in the first one; what
the rows are is the header of that column, or the file's name where the header says no more than
“name”. A cell may hold several values, between bars; `subject, relation, object` are triples.
Amounts with a unit become numbers of a relation that is called by it, “weight in kilograms”: by the
first unit of the column, to which others that measure the same are converted.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

from kgqa_core.facts import units
from kgqa_core.facts.terms import DECIMAL, STRING, YEAR, Literal, Relation, Value
from kgqa_core.facts.units import PER, Unit
from kgqa_core.kg import lines
from kgqa_core.kg.lines import Reading, Unreadable
from kgqa_core.text import plural, singular

Parser = Callable[[str, dict[str, int], Reading], list[str]]

_NAMING = ("name", "title", "label")
_SAYING_NOTHING = frozenset({*_NAMING, "id", "key", "no", "nr", "#", ""})
_THOUSANDS = re.compile(r"[+-]?\d{1,3}(?:,\d{3})+(?:\.\d+)?")
_DATED = re.compile(
    r"year|date|founded|established|born|died|built|made|released|published|opened|closed|since",
    re.IGNORECASE,
)
_A_YEAR = re.compile(r"1\d{3}|20\d\d")
_AMOUNT = re.compile(  # “1.9 kg”, “€189.00”
    r"(?P<before>[€$£]|[A-Z]{3} )? ?(?P<number>-?\d[\d,]*(?:\.\d+)?)"
    r"(?: ?(?P<behind>[^\W\d].*|[€$£%°].*))?"
)
_LONG = 80  # characters from which a cell is a text, and no name of a thing
_IS = Relation(lines.NAMES + "relation:is%20a", "is a")


def parser(heading: str, file: Path) -> Parser:
    """How the lines below this heading are read. Raises Unreadable for one column alone."""
    mark = max(",;\t", key=heading.count)
    names = [n if n[:2].isupper() else n[:1].lower() + n[1:] for n in _cells(heading, mark)]
    if len(names) < 2:
        raise Unreadable("a table has at least two columns, named in its first line")
    if triple := lines.heading("\t".join(names)):
        return lambda line, _, reading: lines.parse_cells(_cells(line, mark), triple, reading)
    low = [name.casefold() for name in names]
    own = next((low.index(name) for name in _NAMING if name in low), 0)
    kind = names[own] if low[own] not in _SAYING_NOTHING else file.name.split(".")[0]
    kind = singular(kind.replace("_", " ").strip())
    told_in: dict[str, Unit] = {}

    def parse(line: str, _: dict[str, int], reading: Reading) -> list[str]:
        cells = _cells(line, mark)
        if len(cells) > len(names):
            raise Unreadable(f"{len(cells)} cells under {len(names)} columns")
        subject = lines.entity_of_cell(cells[own]) if own < len(cells) else None
        if subject is None:
            raise Unreadable(f"no cell under “{names[own]}”")
        written = lines.fact(subject, _IS, lines.entity_of_cell(kind), (), reading)
        for at, cell in enumerate(cells):
            if at != own and cell and names[at]:
                for part in filter(None, map(str.strip, cell.split("|"))):
                    name, value = _amount(part, names[at], told_in) or (
                        names[at], _value(part, names[at])
                    )  # fmt: skip
                    relation = lines.relation_of_cell(name)
                    written += lines.fact(subject, relation, value, (), reading)
        return written

    return parse


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
    unit = units.unit(written) if written else None
    if found is None or unit is None:
        return None
    own = told_in.setdefault(column, unit)
    number = Decimal(found["number"].replace(",", ""))
    if own != unit and own.of and own.of == unit.of and not (own.zero or unit.zero):
        number, unit = number * unit.size / own.size, own
    named = unit.name if PER in unit.name else plural(unit.name)
    return f"{column} in {named}", Literal(f"{number.normalize():f}", DECIMAL)


def _value(cell: str, column: str) -> Value:
    if len(cell) > _LONG:
        return Literal(cell, STRING)
    if _THOUSANDS.fullmatch(cell):
        cell = cell.replace(",", "")
    if _A_YEAR.fullmatch(cell) and _DATED.search(column):
        return Literal(cell, YEAR)
    return lines.value_of_cell(cell, column)
