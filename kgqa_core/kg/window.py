"""What an endpoint answered, as a small store in this process: a window on its graph."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager

import pyoxigraph as ox

from kgqa_core.facts.terms import Direction
from kgqa_core.kg import base, layout
from kgqa_core.kg.base import WD
from kgqa_core.kg.endpoint import Term

_IRI = re.compile(r"<([^<>\s]+)>")
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
) -> tuple[tuple[str, Direction], tuple[str, str], list[str]]:
    """Whose edge a row tells of, which edge, and the triples in it."""
    entity = row.get("e")
    direction: Direction = "in" if "q" in row or "s0" in row else "out"
    unit = (entity.value if entity else "", direction)
    if "s0" in row:
        edge = str(row.get("p")), str(row["s0"])
        return unit, edge, line_of(row.get("s0"), row.get("p"), entity)
    if "st" not in row:
        if not {"p", "o"} <= row.keys():
            return unit, ("", ""), []
        lines = line_of(entity, row["p"], row["o"])
        lines += line_of(row["o"], ox.NamedNode(layout.LABEL), row.get("ol"))
        return unit, (str(row["p"]), str(row["o"])), lines
    # what enters without a subject has one that is no IRI: it is not this entity
    subject = row.get("s") if "q" in row else row.get("s", entity)
    lines = line_of(subject, row.get("p"), row["st"])
    lines += line_of(row["st"], row.get("p2"), row.get("o2"))
    lines += line_of(row.get("o2"), row.get("p3"), row.get("o3"))
    return unit, (str(row.get("q", row.get("p"))), str(row["st"])), lines


def line_of(subject: Term | None, relation: Term | None, value: Term | None) -> list[str]:
    """A triple; nothing where a part is missing, or of a kind that cannot stand there."""
    stands = isinstance(subject, ox.NamedNode | ox.BlankNode)
    if not (stands and isinstance(relation, ox.NamedNode) and value is not None):
        return []
    return [f"{subject} {relation} {value} .\n"]


def store_of(lines: Sequence[str]) -> ox.Store:
    store = ox.Store()
    extend(store, lines)
    return store


def extend(store: ox.Store, lines: Sequence[str]) -> None:
    """Blank nodes keep their names: `parse` does not rename them, `load` does."""
    data = "".join(lines).encode()
    store.extend(ox.parse(input=data, format=ox.RdfFormat.N_TRIPLES, lenient=True))


def ids_in(store: ox.Store, also: Sequence[str]) -> list[str]:
    """Everything in a window that may have a name."""
    found = dict.fromkeys([*also, *relations_in(store)])
    for quad in store:
        if quad.predicate.value == layout.TIME_CALENDAR:  # is never shown by its name
            continue
        for term in (quad.subject, quad.object):
            if isinstance(term, ox.NamedNode) and not _is_helper(term.value):
                found[term.value] = None
    return list(found)


def relations_in(store: ox.Store) -> list[str]:
    """The ids of all relations of a window."""
    found: dict[str, None] = {}
    for quad in store:
        role, pid = layout.role(quad.predicate.value)
        if pid:
            found[WD + pid] = None
        elif role == "plain":
            found[quad.predicate.value] = None
    return list(found)


def _is_helper(iri: str) -> bool:
    return iri.startswith(_HELPERS) or layout.UNKNOWN in iri


def properties_in(store: ox.Store) -> set[str]:
    return {pid for quad in store if (pid := layout.role(quad.predicate.value)[1])}


@contextmanager
def quietly() -> Iterator[None]:
    """What is read in a window is no request."""
    token = base._on_request.set(None)
    try:
        yield
    finally:
        base._on_request.reset(token)
