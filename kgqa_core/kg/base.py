"""What a method may ask of a knowledge graph: few verbs, batched.

One result per input, in input order; empty means none. Concurrency stays inside a batch, so
all code reads synchronously. `tests/kg_conformance.py` is the specification in code.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from kgqa_core.errors import SourceRejected
from kgqa_core.facts.terms import Direction, Entity, Hit, Relation, RelationUse, Statement, Value

WD = "http://www.wikidata.org/entity/"
WDT = "http://www.wikidata.org/prop/direct/"

_on_request: ContextVar[Callable[[int], None] | None] = ContextVar("on_request", default=None)

_on_incomplete: ContextVar[Callable[[str], object] | None] = ContextVar(
    "on_incomplete", default=None
)


def incomplete(text: str) -> None:
    """A source calls this, with a sentence, when an answer lacks something that it asked for."""
    report = _on_incomplete.get()
    if report is not None:
        report(text)


def requested(count: int = 1) -> None:
    """A source calls this for every request it sends (the embedded store: for every verb)."""
    report = _on_request.get()
    if report is not None:
        report(count)


def no_sparql(name: str) -> SourceRejected:
    return SourceRejected(
        f"The graph “{name}” cannot be queried with SPARQL. Choose another graph or method.",
        source=name,
    )


@dataclass(frozen=True)
class Table:
    """Rows of a SELECT; an ASK is one row with one boolean. `more`: cut at the limit."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Value | None, ...], ...]
    more: bool = False


@dataclass(frozen=True)
class GraphInfo:
    """What a page says about a graph. `fingerprint` changes when the facts do."""

    name: str
    entities: int | None  # None: too large to count
    statements: int | None
    relations: int | None
    fingerprint: str


@runtime_checkable
class KnowledgeGraph(Protocol):
    """All verbs raise SourceUnavailable (try again) or SourceRejected (will not help)."""

    name: str

    def info(self) -> GraphInfo: ...

    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        """Entities whose label or alias is like each mention, best first.

        Exact matches first, then matches that forgive case, accents, typing errors and missing
        parts; among equals, the entity with more statements first.
        """
        ...

    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        """The entities with label, description and aliases; None for an id not in the graph.

        Takes full IRIs or short ids.
        """
        ...

    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        """Which relations leave and enter each entity, with counts, most used first."""
        ...

    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        """Statements of each entity: as subject ("out"), as object ("in"), or both (None).

        At most `limit` per entity and direction, or one of each relation where these are more
        (`order.py`). Deprecated ones are left out. Grouped by relation; within one, preferred
        rank first, then chronologically by start time, point in time or value.
        """
        ...

    def relation(self, id_or_label: str) -> Relation | None:
        """A relation by IRI, short id or exact label."""
        ...


@runtime_checkable
class Queryable(Protocol):
    """A source that also speaks SPARQL 1.1 (SELECT and ASK; updates are refused)."""

    def query(self, sparql: str, limit: int = 1000) -> Table: ...
