"""The graph that comes with the app: `assets/starter/*.tsv` into an embedded graph.

entities.tsv     id, label, description, aliases
properties.tsv   id, label, description, aliases, datatype
facts_*.tsv      subject, property, value, qualifiers, rank

Several aliases are joined by ` | `. A cell with an id may go on with the label, for people:
`Q64 Berlin`; an id with L (`L1001 Douglas Sirk`) is local, not Wikidata's. A value is an id, a
date (`1897-04-26`, `1897-04`, `1897`, `-0044` for 44 BC), a number (with a unit:
`4167 Q828224 kilometre`), `"text"`, `"text"@en` or `<https://address>`; a bare number is a year
where the property's datatype is time. Qualifiers read `P580 start time=1934; P582 end time=1944`.
Rank is empty, `preferred` or `deprecated`.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from kgqa_core.errors import SourceRejected
from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    MONTH,
    STRING,
    URL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Rank,
    Relation,
    Statement,
    Value,
    short_id,
)
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.layout import full_id
from kgqa_core.places import ASSETS

T = TypeVar("T")

FOLDER = ASSETS / "starter"
NAME = "starter"

_ENTITY_COLUMNS = ("id", "label", "description", "aliases")
_PROPERTY_COLUMNS = (*_ENTITY_COLUMNS, "datatype")
_FACT_COLUMNS = ("subject", "property", "value", "qualifiers", "rank")
_RANKS: dict[str, Rank] = {
    "": "normal",
    "normal": "normal",
    "preferred": "preferred",
    "deprecated": "deprecated",
}

_ENTITY = re.compile(r"(Q[1-9]\d*|L[1-9]\d*)(?: .*)?")
_PROPERTY = re.compile(r"(P[1-9]\d*)(?: .*)?")
_TIME = re.compile(r"-?(\d{4,})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")
_QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q[1-9]\d*)(?: .*)?)?")
_TEXT = re.compile(r'"(.*)"(?:@([A-Za-z-]+))?')
_ADDRESS = re.compile(r"<(\S+)>")
_NEXT_QUALIFIER = re.compile(r";\s*(?=P[1-9]\d*[ =])")


class _Unreadable(ValueError):
    """What is wrong with a line."""


@dataclass
class _Known:
    """The entities and properties that facts may name."""

    entities: dict[str, Entity]
    relations: dict[str, Relation]
    datatypes: dict[str, str]


@functools.cache
def starter_graph() -> EmbeddedGraph:
    """The starter graph, read once in a process: nothing changes it."""
    return load_starter()


def load_starter(folder: Path | None = None) -> EmbeddedGraph:
    """The starter graph, or another one in the same format.

    Raises SourceRejected for an unreadable file, naming file and line.
    """
    folder = folder or FOLDER
    entities = {short_id(e.id): e for e in _read(folder / "entities.tsv", _ENTITY_COLUMNS, _entity)}
    properties = list(_read(folder / "properties.tsv", _PROPERTY_COLUMNS, _property))
    known = _Known(
        entities,
        {r.id.removeprefix(WD): r for r, _ in properties},
        {r.id.removeprefix(WD): datatype for r, datatype in properties},
    )
    files = sorted(folder.glob("facts_*.tsv"))
    facts = (
        fact
        for file in files
        for fact in _read(file, _FACT_COLUMNS, lambda cells: _statement(cells, known))
    )
    return EmbeddedGraph.build(NAME, entities.values(), known.relations.values(), facts)


def _read(file: Path, columns: tuple[str, ...], parse: Callable[[list[str]], T]) -> Iterator[T]:
    """Every line after the heading, parsed; empty cells may be missing at the end of a line."""
    line = 1
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as lines:
            for line, text in enumerate(lines, start=1):
                cells = [cell.strip() for cell in text.split("\t")]
                if line == 1:
                    if tuple(cells) != columns:
                        raise _Unreadable(f"the heading must be: {' '.join(columns)}")
                elif any(cells):
                    if len(cells) > len(columns):
                        raise _Unreadable(f"{len(cells)} cells instead of {len(columns)}")
                    yield parse(cells + [""] * (len(columns) - len(cells)))
    except _Unreadable as error:
        raise _broken(file, line, str(error)) from error
    except UnicodeDecodeError as error:
        raise _broken(file, line, "not UTF-8 text") from error
    except OSError as error:
        raise SourceRejected(
            f"{file} cannot be read ({error.strerror}): install the app again to restore it.",
            source=NAME,
        ) from error


def _broken(file: Path, line: int, problem: str) -> SourceRejected:
    return SourceRejected(
        f"{file.name}, line {line}: {problem}; correct the line in {file.parent}, or install the "
        "app again to restore the file.",
        source=NAME,
    )


def _entity(cells: list[str]) -> Entity:
    qid, label, description, aliases = cells
    return Entity(full_id(_id(_ENTITY, qid)), label, description, _aliases(aliases))


def _property(cells: list[str]) -> tuple[Relation, str]:
    pid, label, description, aliases, datatype = cells
    iri = WD + _id(_PROPERTY, pid)
    known = kinds.datatype(datatype)
    return Relation(iri, label, description, _aliases(aliases), known), datatype


def _statement(cells: list[str], known: _Known) -> Statement:
    subject, pid, value, qualifiers, rank = cells
    if rank not in _RANKS:
        raise _Unreadable(f"“{rank}” is no rank")
    relation, datatype = _relation(pid, known)
    return Statement(
        _known_entity(subject, known),
        relation,
        _value(value, datatype, known),
        tuple(_qualifiers(qualifiers, known)),
        _RANKS[rank],
        NAME,
    )


def _qualifiers(cell: str, known: _Known) -> Iterator[Qualifier]:
    for part in _NEXT_QUALIFIER.split(cell) if cell else ():
        pid, equals, value = part.partition("=")
        if not equals:
            raise _Unreadable(f"the qualifier “{part}” has no “=”")
        relation, datatype = _relation(pid.strip(), known)
        yield Qualifier(relation, _value(value.strip(), datatype, known))


def _value(cell: str, datatype: str, known: _Known) -> Value:
    if match := _TEXT.fullmatch(cell):
        return Literal(match[1], STRING, language=match[2] or "")
    if match := _ADDRESS.fullmatch(cell):
        return Literal(match[1], URL)
    if datatype == "time":
        if (match := _TIME.fullmatch(cell)) and int(match[1]):
            return Literal(cell, DATE if match[3] else MONTH if match[2] else YEAR)
        raise _Unreadable(f"“{cell}” is no date: write YYYY, YYYY-MM or YYYY-MM-DD")
    if match := _QUANTITY.fullmatch(cell):
        unit = _known_entity(match[2], known) if match[2] else None
        return Literal(match[1].removeprefix("+"), DECIMAL, unit)
    if _ENTITY.fullmatch(cell):
        return _known_entity(cell, known)
    raise _Unreadable(f"“{cell}” is no value: text needs quotation marks, an address <…>")


def _relation(cell: str, known: _Known) -> tuple[Relation, str]:
    pid = _id(_PROPERTY, cell)
    if pid not in known.relations:
        raise _Unreadable(f"{pid} is not in properties.tsv")
    return known.relations[pid], known.datatypes[pid]


def _known_entity(cell: str, known: _Known) -> Entity:
    qid = _id(_ENTITY, cell)
    if qid not in known.entities:
        raise _Unreadable(f"{qid} is not in entities.tsv")
    return known.entities[qid]


def _id(pattern: re.Pattern[str], cell: str) -> str:
    match = pattern.fullmatch(cell)
    if match is None:
        raise _Unreadable(f"“{cell}” does not begin with an id like {pattern.pattern[1]}42")
    return match[1]


def _aliases(cell: str) -> tuple[str, ...]:
    return tuple(alias.strip() for alias in cell.split("|") if alias.strip())
