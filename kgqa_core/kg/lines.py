"""One line of a graph file as N-Triples: triples, names, qualified statements, Wikidata JSON.

Cells are ids, times, numbers, quoted text and addresses; anything else is the name of a thing.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from fnmatch import fnmatch
from functools import lru_cache
from pathlib import Path
from typing import Any
from typing import Literal as OneOf

from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    DATE,
    DATETIME,
    DECIMAL,
    STRING,
    URL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
    Value,
)
from kgqa_core.kg import iris, layout, wikibase
from kgqa_core.kg.base import WD

Kind = OneOf["entities", "properties", "qualified", "triples", "table", "dump", "lines", "document"]

NAMES = "urn:kg:"  # IRIs of things that only have a name
_RELATION = "relation:"  # and of relations, below it
_BAD_LINES = 20  # kept; more are only counted
_SEEN = 3_000_000  # names whose label is not written again


class Unreadable(ValueError):
    """What is wrong with a line."""


@dataclass
class Report:
    """What was read and what was not; filled while reading."""

    lines: int = 0
    facts: int = 0
    bad: int = 0
    examples: list[str] = field(default_factory=list)

    def skip(self, file: Path, line: int, why: str) -> None:
        self.bad += 1
        if len(self.examples) < _BAD_LINES:
            self.examples.append(f"{file.name}, line {line}: {why}")

    def take(self, other: Report) -> None:
        """Adds what another report skipped, and empties it."""
        self.bad += other.bad
        self.examples = (self.examples + other.examples)[:_BAD_LINES]
        other.bad, other.examples = 0, []


@dataclass(frozen=True)
class Options:
    """How to read. `leave_out`: patterns of source tags; a fact with no other tag is left out.

    `most_bytes` is how large a file may be unpacked, None: any size.
    """

    leave_out: tuple[str, ...] = ()
    most_bytes: int | None = None


@dataclass
class Reading:
    """What the files of one load share."""

    options: Options
    report: Report
    statement_nodes: bool  # whether facts become statement nodes, or truthy triples alone
    qualified: set[int] = field(default_factory=set)  # facts that come with qualifiers elsewhere
    named: set[str] = field(default_factory=set)
    odd: list[str] = field(default_factory=list)  # what of the last line was left out


_SHORT_ID = re.compile(r"[QL][1-9]\d*")
_PROPERTY_ID = re.compile(r"P[1-9]\d*")
_IRI = re.compile(r'<([A-Za-z][A-Za-z0-9+.-]*:[^\s<>"]*)>')
_BARE_IRI = re.compile(r'(?:https?://|urn:)[^\s<>"]+')
_TEXT = re.compile(r'"(.*)"(?:@([A-Za-z][A-Za-z0-9-]*))?', re.DOTALL)
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?")
_TIME = re.compile(r"([+-]?)(\d+)-(\d\d)-(\d\d)(?:T(\d\d:\d\d:\d\d)Z?)?")


def cells_of(line: str) -> list[str]:
    return [cell.strip() for cell in line.split("\t" if "\t" in line else "|")]


def heading(line: str) -> dict[str, int]:
    """Where the columns are; empty when the first line is none but a fact."""
    names = {name.lower(): i for i, name in enumerate(cells_of(line))}
    if "label" in names and names.keys() & {"id", "qid"}:
        return names
    known = {"subject", "s", "head"}, {"property", "predicate", "relation", "p"}, {"object", "o"}
    if all(names.keys() & one for one in known[:2]) and len(names) >= 3:
        return names
    return {}


def _parse_entity(line: str, columns: dict[str, int], _: Reading) -> list[str]:
    cells = line.split("\t")

    def cell(*names: str) -> str:
        at = next((columns[name] for name in names if name in columns), len(cells))
        return cells[at].strip() if at < len(cells) else ""

    one = cell("id", "qid")
    aliases = tuple(a.strip() for a in cell("aliases").split("|") if a.strip())
    if _PROPERTY_ID.fullmatch(one):
        datatype = kinds.datatype(cell("datatype"))
        relation = Relation(WD + one, cell("label"), cell("description"), aliases, datatype)
        return list(layout.write_relation(relation))
    return list(
        layout.write_entity(
            Entity(entity_of_cell(one).id, cell("label"), cell("description"), aliases)
        )
    )


def _parse_property(line: str, _columns: dict[str, int], _: Reading) -> list[str]:
    row = json.loads(line)
    aliases = tuple(map(str, row.get("aliases") or ()))
    about = (row["label"] or "", row.get("description") or "", aliases)
    if _PROPERTY_ID.fullmatch(row["id"]):
        datatype = kinds.datatype(str(row.get("datatype") or ""))
        return list(layout.write_relation(Relation(WD + row["id"], *about, datatype)))
    return list(layout.write_entity(Entity(entity_of_cell(row["id"]).id, *about)))


def _parse_qualified(line: str, _: dict[str, int], reading: Reading) -> list[str]:
    row = json.loads(line)
    if not wanted(row.get("src", ()), reading.options):
        return []
    qualifiers = tuple(
        Qualifier(relation_of_cell(p), value_of_cell(v)) for p, v in row.get("q", ())
    )
    return _triple(row["s"], row["p"], row["o"], qualifiers, reading)


def _parse_triple(line: str, columns: dict[str, int], reading: Reading) -> list[str]:
    return parse_cells(cells_of(line), columns, reading)


def parse_cells(cells: Sequence[str], columns: dict[str, int], reading: Reading) -> list[str]:
    """A triple and its sources, where there is a column of them."""
    if len(cells) < 3:
        raise Unreadable(f"{len(cells)} cells instead of 3")
    if not all(cells[:3]):
        raise Unreadable("an empty cell")
    at = columns.get("sources")
    tags = cells[at].split("|") if at is not None and at < len(cells) else ()
    if not wanted(tags, reading.options):
        return []
    if reading.qualified and hash(tuple(cells[:3])) in reading.qualified:
        return []
    return _triple(cells[0], cells[1], cells[2], (), reading)


def _parse_dump(line: str, _: dict[str, int], reading: Reading) -> list[str]:
    text = line.strip().rstrip(",")
    if text in ("[", "]", ""):
        return []
    found = json.loads(text)
    odd = reading.odd.append
    if wikibase.is_property(found):
        return list(layout.write_relation(wikibase.relation_of(found, odd)))
    written = [*layout.write_entity(wikibase.entity_of(found, odd))]
    statements = list(wikibase.statements_of(found, odd))
    outdone = {s.relation for s in statements if s.rank == "preferred"}
    for s in statements:
        truthy = s.rank == "preferred" or s.relation not in outdone
        try:
            written += list(layout.write_statement(s, truthy=truthy))
            reading.report.facts += 1
        except ValueError as error:
            odd(f"{layout.property_id(s.relation.id)} of {found['id']}: {error}")
    for pid, datatype in wikibase.datatypes_of(found).items():
        if f"datatype {pid}" not in reading.named:
            reading.named.add(f"datatype {pid}")
            written += layout.write_datatype(pid, datatype)
    return written


PARSERS: dict[Kind, Callable[[str, dict[str, int], Reading], list[str]]] = {
    "entities": _parse_entity,
    "properties": _parse_property,
    "qualified": _parse_qualified,
    "triples": _parse_triple,
    "dump": _parse_dump,
}


def wanted(tags: Iterable[str], options: Options) -> bool:
    tags = list(tags)
    if not options.leave_out or not tags:
        return True
    return any(not any(fnmatch(tag, out) for out in options.leave_out) for tag in tags)


def _triple(
    subject: str, relation: str, value: str, qualifiers: tuple[Qualifier, ...], reading: Reading
) -> list[str]:
    known, object_ = relation_of_cell(relation), value_of_cell(value, relation)
    return fact(entity_of_cell(subject), known, object_, qualifiers, reading)


def fact(
    subject: Entity,
    relation: Relation,
    value: Value,
    qualifiers: tuple[Qualifier, ...],
    reading: Reading,
) -> list[str]:
    """A fact as N-Triples, with the names that were not written yet."""
    reading.report.facts += 1
    statement = Statement(subject, relation, value, qualifiers)
    written: list[str] = []
    for thing in (subject, relation, value):
        written += _label(thing, reading)
    if not reading.statement_nodes:
        return [*written, layout.write_truthy(statement)]
    return [*written, *layout.write_statement(statement)]


def _label(thing: Entity | Relation | Literal, reading: Reading) -> list[str]:
    """The label of what only has a name, written once."""
    if isinstance(thing, Literal) or not thing.label or thing.id in reading.named:
        return []
    if len(reading.named) >= _SEEN:
        reading.named.clear()
    reading.named.add(thing.id)
    return list(layout.write_entity(thing))


@lru_cache(maxsize=200_000)
def entity_of_cell(cell: str) -> Entity:
    if _SHORT_ID.fullmatch(cell) or _PROPERTY_ID.fullmatch(cell):
        return Entity(layout.full_id(cell))
    if match := _IRI.fullmatch(cell):
        return Entity(_iri(match[1]))
    if _BARE_IRI.fullmatch(cell):
        return Entity(_iri(cell))
    if not cell:
        raise Unreadable("an empty cell")
    name = iris.escaped(cell)
    if name.startswith(_RELATION):  # is no relation for that
        name = name.replace(":", "%3A", 1)
    return Entity(NAMES + name, cell)


@lru_cache(maxsize=20_000)
def relation_of_cell(cell: str) -> Relation:
    if _PROPERTY_ID.fullmatch(cell):
        return Relation(WD + cell)
    if match := _IRI.fullmatch(cell):
        return Relation(_iri(match[1]))
    if _BARE_IRI.fullmatch(cell):
        return Relation(_iri(cell))
    name = " ".join(cell.replace("_", " ").split())
    if not name:
        raise Unreadable("a relation without a name")
    aliases = (cell,) if cell != name else ()
    return Relation(NAMES + _RELATION + iris.escaped(cell), name, "", aliases)


def value_of_cell(cell: str, relation: str = "") -> Value:
    """Ids, times, numbers, quoted text and addresses; anything else is the name of a thing."""
    if _SHORT_ID.fullmatch(cell):
        return entity_of_cell(cell)
    if match := _TEXT.fullmatch(cell):
        return Literal(match[1], STRING, language=match[2] or "")
    if _PROPERTY_ID.fullmatch(relation) and (match := _IRI.fullmatch(cell)):
        return Literal(match[1], URL)
    if match := _TIME.fullmatch(cell):
        return _time(match)
    if _NUMBER.fullmatch(cell):
        if len(cell) == 4 and "year" in relation.lower():
            return Literal(cell, YEAR)
        return Literal(cell.removeprefix("+"), DECIMAL)
    return entity_of_cell(cell)


def _time(match: re.Match[str]) -> Literal:
    """As RDF writes times: years counted astronomically, a year as its first of January."""
    sign, year, month, day, clock = match.groups()
    full = f"{sign.removeprefix('+')}{int(year):04}-{month}-{day}"
    if clock is None:
        return Literal(layout.from_datetime(full, 11).value, DATE)
    if clock != "00:00:00":
        return layout.from_datetime(f"{full}T{clock}Z", 14)
    found = layout.from_datetime(f"{full}T{clock}Z", 9 if (month, day) == ("01", "01") else 11)
    return found if found.datatype != DATETIME else Literal(found.value[:10], DATE)


def _iri(text: str) -> str:
    try:
        return iris.made_valid(text)
    except ValueError as error:
        raise Unreadable(str(error)) from error


def json_of(line: bytes) -> Any:
    try:
        return json.loads(line.strip().rstrip(b","))
    except ValueError:
        return None
