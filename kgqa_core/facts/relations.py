"""What is known about relations: the table `assets/relations.tsv`, its columns explained there.

Code asks here instead of listing relations itself. A relation is known by its Wikidata id or, in
graphs without these, by one of its labels, whatever case.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal as OneOf
from typing import cast

from kgqa_core.facts.terms import Relation, short_id
from kgqa_core.places import ASSETS
from kgqa_core.text import fold

TABLE = ASSETS / "relations.tsv"
_WIKIDATA = "http://www.wikidata.org/"
_PROPERTY = re.compile(r"[Pp]\d+")

Values = OneOf["person", "place", "thing", "item", "date", "amount", "text"]
Number = OneOf["one", "mostly one", "many", "some"]
Stated = OneOf["full", "listed", "partial"]
Group = OneOf[
    "class", "subclass", "part", "place within", "border", "kinship", "sex", "person", "place",
    "office", "head", "calling", "origin", "maker", "sort", "extent", "exact place", "life place",
    "several kinds", "spread", "mutual", "changes", "changes hands", "timed", "begins", "ends",
    "happens", "since", "until", "at", "in part", "told of a person", "told of a place",
    "told of a work",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Known:
    """A row of the table. `inverse`, `start` and `end` name rows; empty: none is known."""

    id: str
    labels: tuple[str, ...]
    values: Values
    number: Number
    stated: Stated
    inverse: tuple[str, ...]
    start: str
    end: str
    groups: frozenset[str]

    @property
    def label(self) -> str:
        return self.labels[0]

    @property
    def key(self) -> str:
        """How other rows name this one."""
        return self.id or self.label

    @property
    def spelled(self) -> str:
        """How the hop of a premise names it: `date of birth P569|birth date`."""
        return "|".join((f"{self.label} {self.id}".strip(), *self.labels[1:]))

    @property
    def names(self) -> tuple[str, ...]:
        """The id, if it has one, and the labels."""
        return (self.id, *self.labels) if self.id else self.labels


@lru_cache(maxsize=1)
def table() -> tuple[Known, ...]:
    """All rows, in the order of the file."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(_row(line) for line in lines if line and not line.startswith("#"))


def _row(line: str) -> Known:
    cells = [*line.split("\t"), *[""] * 8]
    return Known(
        id=cells[0],
        labels=tuple(cells[1].split("|")),
        values=cast(Values, cells[2]),
        number=cast(Number, cells[3]),
        stated=cast(Stated, cells[4]),
        inverse=tuple(filter(None, cells[5].split("|"))),
        start=cells[6],
        end=cells[7],
        groups=frozenset(filter(None, cells[8].split("|"))),
    )


@lru_cache(maxsize=1)
def _by_name() -> Mapping[str, Known]:
    return {fold(name): known for known in table() for name in known.names}


@lru_cache(maxsize=20_000)
def _named(name: str) -> Known | None:
    return _by_name().get(fold(name))


def about(relation: Relation | str) -> Known | None:
    """What is known about a relation, given as such, by its id or by a label."""
    if isinstance(relation, str):
        return _named(relation)
    # the label first: in another Wikibase than Wikidata the same ids mean something else
    return _named(relation.label) or _named(code(relation.id))


def code(relation_id: str) -> str:
    """The short id, by which a relation may be known; empty for a “p6” that is not Wikidata's."""
    short = short_id(relation_id)
    foreign = "://" in relation_id and not relation_id.startswith(_WIKIDATA)
    return "" if foreign and _PROPERTY.fullmatch(short) else short


def row(name: str) -> Known:
    """The row of an id or label that the table has. Raises KeyError for any other."""
    return _by_name()[fold(name)]


def in_group(group: Group) -> tuple[Known, ...]:
    """The rows of a group, in the order of the table."""
    return _grouped()[group]


@lru_cache(maxsize=1)
def _grouped() -> Mapping[str, tuple[Known, ...]]:
    groups = {group for known in table() for group in known.groups}
    return {group: tuple(known for known in table() if group in known.groups) for group in groups}


def belongs(relation: Relation | str, *groups: Group) -> bool:
    """Whether a relation is in one of the groups."""
    known = about(relation)
    return known is not None and not known.groups.isdisjoint(groups)


def labels(group: Group) -> tuple[str, ...]:
    """All labels of a group's relations, in the order of the table."""
    return tuple(label for known in in_group(group) for label in known.labels)


def names(group: Group) -> frozenset[str]:
    """The ids and all labels of a group's relations."""
    return frozenset(name for known in in_group(group) for name in known.names)


def either(group: Group) -> str:
    """A group's relations as the hop of a premise names them: `father P22|mother P25`."""
    return "|".join(known.spelled for known in in_group(group))


def inverse(relation: Relation | str) -> tuple[Known, ...]:
    """The relations that say the same from the other end; empty when none is known."""
    known = about(relation)
    return tuple(map(row, known.inverse)) if known else ()


def symmetric(relation: Relation | str) -> bool:
    """Whether a relation says the same from either end, as that of spouses does."""
    known = about(relation)
    return known is not None and known.key in known.inverse
