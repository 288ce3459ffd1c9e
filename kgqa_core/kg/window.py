"""What an endpoint answered, as a small store in this process: a window on its graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

import pyoxigraph as ox

from kgqa_core.facts.terms import Direction
from kgqa_core.kg import base, layout
from kgqa_core.kg.base import WD
from kgqa_core.kg.endpoint import Term

_IRI = re.compile(r"<([^<>\s]+)>")
_SUBJECTS = (ox.NamedNode, ox.BlankNode)
_HELPERS = (
    layout.PREFIXES["wds"],
    layout.PREFIXES["wdv"],
    layout.WIKIBASE,
    layout.NO_VALUE,
    layout.NONE,
)


REDIRECT = layout.WIKIBASE + "redirectsTo"  # ours, for what the service says with owl:sameAs
_REDIRECT = re.compile(rf"<([^>]+)> <{re.escape(REDIRECT)}> <([^>]+)> \.\n")


def redirects_in(lines: Iterable[str]) -> dict[str, str]:
    """Ids that are other ones now, each with the id it leads to."""
    found = (_REDIRECT.fullmatch(line) for line in lines if REDIRECT in line)
    return {match[1]: match[2] for match in found if match}


def followed(line: str, redirects: Mapping[str, str]) -> str:
    """A triple with its redirects followed."""
    return _IRI.sub(lambda found: f"<{redirects.get(found[1], found[1])}>", line, count=3)


def edge_of(
    row: Mapping[str, Term],
) -> tuple[tuple[str, Direction], tuple[Term | None, Term | None], list[str]]:
    """Whose edge a row tells of, which edge, and the triples in it."""
    entity = row.get("e")
    inward = "q" in row or "s0" in row
    unit: tuple[str, Direction] = (entity.value if entity else "", "in" if inward else "out")
    said, statement = row.get("p"), row.get("st")
    if "s0" in row:
        return unit, (said, row["s0"]), line_of(row["s0"], said, entity)
    if statement is None:
        value = row.get("o")
        lines = line_of(entity, said, value)
        if "ol" in row:
            lines += line_of(value, ox.NamedNode(layout.LABEL), row["ol"])
        return unit, (said, value), lines
    # what enters without a subject has one that is no IRI: it is not this entity
    lines = line_of(row.get("s") if inward else row.get("s", entity), said, statement)
    lines += line_of(statement, row.get("p2"), row.get("o2"))
    if "p3" in row:
        lines += line_of(row.get("o2"), row["p3"], row.get("o3"))
    return unit, (row.get("q", said), statement), lines


def line_of(subject: Term | None, relation: Term | None, value: Term | None) -> list[str]:
    """A triple; nothing where a part is missing, or of a kind that cannot stand there."""
    if value is None or not isinstance(relation, ox.NamedNode):
        return []
    stands = isinstance(subject, _SUBJECTS)
    # !s: without it each term is asked for its format first, which takes as long again
    return [f"{subject!s} {relation!s} {value!s} .\n"] if stands else []


def store_of(lines: Sequence[str]) -> ox.Store:
    store = ox.Store()
    extend(store, lines)
    return store


def extend(store: ox.Store, lines: Sequence[str]) -> None:
    """Blank nodes keep their names: `parse` does not rename them, `load` does."""
    data = "".join(lines).encode()
    store.extend(ox.parse(input=data, format=ox.RdfFormat.N_TRIPLES, lenient=True))


@dataclass(frozen=True)
class Inside:
    """What a window is about: the ids of its relations, its things, and short ids of properties."""

    relations: list[str]
    things: list[str]
    properties: set[str]


def inside(store: ox.Store) -> Inside:
    predicates: dict[str, None] = {}
    things: dict[str, None] = {}
    for quad in store:
        predicate, subject, value = quad.predicate.value, quad.subject, quad.object
        predicates[predicate] = None
        if predicate == layout.TIME_CALENDAR:  # is never shown by its name
            continue
        if isinstance(subject, ox.NamedNode):
            things[subject.value] = None
        if isinstance(value, ox.NamedNode):
            things[value.value] = None
    relations: dict[str, None] = {}
    properties: set[str] = set()
    for predicate in predicates:
        role, pid = layout.role(predicate)
        if pid:
            relations[WD + pid] = None
            properties.add(pid)
        elif role == "plain":
            relations[predicate] = None
    return Inside(list(relations), [one for one in things if not _is_helper(one)], properties)


def _is_helper(iri: str) -> bool:
    return iri.startswith(_HELPERS) or layout.UNKNOWN in iri


@contextmanager
def quietly() -> Iterator[None]:
    """What is read in a window is no request."""
    token = base._on_request.set(None)
    try:
        yield
    finally:
        base._on_request.reset(token)
