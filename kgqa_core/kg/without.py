"""A graph seen without some of its statements: what a counterfactual asks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from hashlib import blake2b
from typing import cast

from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Hit,
    Relation,
    RelationUse,
    Statement,
    far_end,
)
from kgqa_core.kg.base import GraphInfo, KnowledgeGraph, Queryable, Table
from kgqa_core.kg.order import arranged

_COUNTED = 5_000  # statements of one relation of an entity that are looked through


class Hidden:
    """Statements that are not to be seen; one without qualifiers stands for all of its triple."""

    def __init__(self, statements: Sequence[Statement]) -> None:
        self.statements = tuple(dict.fromkeys(statements))
        self._exact = frozenset(statements)
        self._triples = {_triple(s) for s in statements if not s.qualifiers}

    def __contains__(self, statement: Statement) -> bool:
        return statement in self._exact or _triple(statement) in self._triples

    def touching(self, entity: Entity) -> list[tuple[Relation, Direction]]:
        """The relations by which something hidden leaves or enters an entity."""
        out = [(s.relation, "out") for s in self.statements if s.subject == entity]
        into = [(s.relation, "in") for s in self.statements if s.object == entity]
        return cast(list[tuple[Relation, Direction]], list(dict.fromkeys(out + into)))


class WithoutStatements:
    """KnowledgeGraph protocol. Entities stay, with or without anything around them."""

    def __init__(self, kg: KnowledgeGraph, hidden: Hidden) -> None:
        self.name = kg.name
        self._kg = kg
        self._hidden = hidden

    def info(self) -> GraphInfo:
        """Counts are the whole graph's; the fingerprint is this view's own."""
        info = self._kg.info()
        marks = (info.fingerprint, *(repr(s) for s in self._hidden.statements))
        own = blake2b("\0".join(marks).encode(), digest_size=16).hexdigest()
        return replace(info, fingerprint=own)

    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        return self._kg.search(mentions, limit)

    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        return self._kg.describe(ids)

    def relation(self, id_or_label: str) -> Relation | None:
        return self._kg.relation(id_or_label)

    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        found = self._kg.relations_of(entities)
        return [self._uses(e, uses) for e, uses in zip(entities, found, strict=True)]

    def _uses(self, entity: Entity, uses: list[RelationUse]) -> list[RelationUse]:
        touched = self._hidden.touching(entity)
        kept = []
        for use in uses:
            if (use.relation, use.direction) in touched:
                (found,) = self._kg.statements(
                    [entity], relation=use.relation, direction=use.direction, limit=_COUNTED
                )
                seen = [s for s in found if s not in self._hidden]
                names = {far_end(s, entity).name for s in seen}
                use = replace(
                    use,
                    count=use.count - (len(found) - len(seen)),
                    examples=tuple(name for name in use.examples if name in names),
                )
            if use.count > 0:
                kept.append(use)
        return sorted(kept, key=lambda use: -use.count) if touched else kept

    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        most = limit + len(self._hidden.statements)  # so that what is hidden takes no place
        directions: tuple[Direction, ...] = (direction,) if direction else ("out", "in")
        touched = [bool(self._hidden.touching(entity)) for entity in entities]
        if not any(touched):
            return self._kg.statements(
                entities, direction=direction, relation=relation, limit=limit
            )
        found: list[list[Statement]] = [[] for _ in entities]
        for one in directions:
            around = self._kg.statements(entities, direction=one, relation=relation, limit=most)
            for kept, statements in zip(found, around, strict=True):
                kept += arranged((s for s in statements if s not in self._hidden), limit)
        return [list(dict.fromkeys(statements)) for statements in found]


class _Queryable(WithoutStatements):
    """Also Queryable. A query sees the whole graph: what it rests on cannot be told in general."""

    def query(self, sparql: str, limit: int = 1000) -> Table:
        return cast(Queryable, self._kg).query(sparql, limit)


def without(kg: KnowledgeGraph, hidden: Hidden) -> KnowledgeGraph:
    """The graph without what is hidden; it speaks SPARQL if the graph does."""
    kind = _Queryable if isinstance(kg, Queryable) else WithoutStatements
    return kind(kg, hidden)


def _triple(s: Statement) -> tuple[object, ...]:
    return s.subject, s.relation, s.object
