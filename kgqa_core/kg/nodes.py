"""Ids as nodes of a store, and the one way to ask a store for triples.

A store takes None for anything at all, so None must never stand for a node that could not be made:
its triples would be those of everything. `matching` refuses None; who means anything says ANY.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from typing import Final

import pyoxigraph as ox

from kgqa_core.kg import layout

Node = ox.NamedNode | ox.BlankNode
Term = Node | ox.Literal | ox.Triple


class Anything(Enum):
    """What a place in a pattern may hold beside a term."""

    ANY = "anything"


ANY: Final = Anything.ANY


def node_of(entity_id: str) -> Node | None:
    """The node of an id, short or full; None for text that is no id, whatever it contains."""
    try:
        if entity_id.startswith("_:"):
            return ox.BlankNode(entity_id[2:])
        return ox.NamedNode(layout.full_id(entity_id))
    except ValueError:
        return None


def matching(
    store: ox.Store,
    subject: Term | Anything,
    predicate: ox.NamedNode | Anything,
    value: Term | Anything,
) -> Iterator[ox.Quad]:
    """The triples with these terms in these places; none where a text stands as subject.

    Raises TypeError for None, which is no node.
    """
    if subject is None or predicate is None or value is None:
        raise TypeError("None is not a node: say ANY for anything.")
    if isinstance(subject, ox.Literal | ox.Triple):
        return iter(())
    return _each(
        store,
        None if subject is ANY else subject,
        None if predicate is ANY else predicate,
        None if value is ANY else value,
    )


def _each(
    store: ox.Store,
    subject: ox.NamedNode | ox.BlankNode | None,
    predicate: ox.NamedNode | None,
    value: Term | None,
) -> Iterator[ox.Quad]:
    """Lets go of the store's iterator when it has ended, in the thread that read it.

    One that a kept traceback still names is dropped by whatever thread collects garbage, which it
    cannot stand.
    """
    yield from store.quads_for_pattern(subject, predicate, value)
