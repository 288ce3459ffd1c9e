"""The files of the starter graph (assets/starter) as rows of cells, for whoever checks them."""

from __future__ import annotations

import functools
import re
from collections import defaultdict
from collections.abc import Iterator
from typing import NamedTuple

from tests.places import ROOT

STARTER = ROOT / "assets" / "starter"

ENTITY = re.compile(r"([QL][1-9]\d*) (\S.*)")
PROPERTY = re.compile(r"(P[1-9]\d*) (\S.*)")
DATE = re.compile(r"-?\d{4,}(-(0[1-9]|1[0-2])(-(0[1-9]|[12]\d|3[01]))?)?")
QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q[1-9]\d*) (\S.*))?")
TEXT = re.compile(r'"[^"]*"(@[a-z-]+)?')
URL = re.compile(r"<https://[^ <>]+>")

# Who has no `instance of` is a human (Q5) as the subject of one of these, as the far end of one
# of those, or as a relative of a human.
OF_HUMANS = "P19 P21 P22 P26 P27 P39 P40 P69 P106 P184 P509 P569 P570 P3373".split()
TO_HUMANS = "P6 P35 P50 P57 P58 P86 P161 P184 P185".split()
KINSHIP = "P22 P25 P26 P40 P3373".split()


class Fact(NamedTuple):
    """One row of a facts file."""

    where: str
    subject: str
    prop: str
    value: str
    qualifiers: str
    rank: str
    source: str

    @property
    def s(self) -> str:
        return self.subject.split(" ", 1)[0]

    @property
    def p(self) -> str:
        return self.prop.split(" ", 1)[0]

    @property
    def o(self) -> str:
        return plain(self.value)


def plain(cell: str) -> str:
    """The cell without its label: an id, a bare number, a date, a text or a URL."""
    if ENTITY.fullmatch(cell) or QUANTITY.fullmatch(cell):
        return cell.split(" ", 1)[0]
    return cell


def qualifier_pairs(cell: str) -> list[tuple[str, str]]:
    """Split a qualifiers cell into (property cell, value cell)."""
    pairs = []
    for part in cell.split("; ") if cell else []:
        prop, _, value = part.partition("=")
        pairs.append((prop, value))
    return pairs


def table(name: str) -> list[list[str]]:
    """Rows of a file, without the header, checked for the right number of cells."""
    lines = (STARTER / name).read_text(encoding="utf-8").splitlines()
    width = len(lines[0].split("\t"))
    rows = [line.split("\t") for line in lines[1:]]
    assert all(len(row) == width for row in rows), name
    return rows


@functools.cache
def entities() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table("entities.tsv")}


@functools.cache
def properties() -> dict[str, list[str]]:
    return {row[0]: row[1:] for row in table("properties.tsv")}


@functools.cache
def facts() -> tuple[Fact, ...]:
    files = sorted(STARTER.glob("facts_*.tsv"))
    return tuple(
        Fact(f"{f.name}:{n}", *row) for f in files for n, row in enumerate(table(f.name), 2)
    )


def cells(fact: Fact) -> Iterator[str]:
    """Subject, value and qualifier values of a row."""
    yield fact.subject
    yield fact.value
    for _, value in qualifier_pairs(fact.qualifiers):
        yield value


def entity_cells() -> Iterator[tuple[str, str, str]]:
    """(place, id, label) of each entity named in the facts, units included."""
    for fact in facts():
        for cell in cells(fact):
            if match := ENTITY.fullmatch(cell):
                yield fact.where, match[1], match[2]
            elif (match := QUANTITY.fullmatch(cell)) and match[2]:
                yield fact.where, match[2], match[3]


@functools.cache
def _ends() -> dict[tuple[str, str], set[str]]:
    """What each step leads to from each thing: values by `P40`, subjects by `^P40`."""
    found = defaultdict(set)
    for fact in facts():
        found[fact.s, fact.p].add(fact.o)
        found[fact.o, f"^{fact.p}"].add(fact.s)
    return dict(found)


def objects(*path: str) -> set[str]:
    """The values at the end of a path through the files: `Q83233`, `P40`, `P40`; `^P57` inverts."""
    found = {path[0]}
    for step in path[1:]:
        found = set().union(*(_ends().get((thing, step), ()) for thing in found))
    return found


@functools.cache
def derived_humans() -> set[str]:
    """Who is a human by the rule above, whether or not the files say so."""
    classes = defaultdict(set)
    for fact in facts():
        if fact.p == "P31":
            classes[fact.s].add(fact.o)
    other = {key for key, kinds in classes.items() if "Q5" not in kinds}
    found: set[str] = set()
    before = -1
    humans = {key for key, kinds in classes.items() if "Q5" in kinds}
    while len(found) > before:
        before = len(found)
        for fact in facts():
            if fact.p in OF_HUMANS and fact.s not in other:
                found.add(fact.s)
            to = fact.p in TO_HUMANS or (
                fact.p in KINSHIP and (fact.s in humans or fact.s in found)
            )
            if to and fact.o in entities() and fact.o not in other:
                found.add(fact.o)
    return found
