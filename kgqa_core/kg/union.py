"""Several graphs as one; each fact says which of them it comes from.

Things are the same when their ids are. An overlay is a union whose first graph is a small one of
the user's own: its names win.
"""

from __future__ import annotations

import contextvars
from collections.abc import Callable, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from hashlib import blake2b
from typing import TypeVar

from kgqa_core.errors import SettingsError, SourceRejected
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Hit,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.kg import layout, lines
from kgqa_core.kg.base import GraphInfo, KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.labels import same_name
from kgqa_core.kg.order import arranged

T = TypeVar("T")

_NAMESAKES = 5  # of a name that are compared with it
_COUNTED = 500  # statements of a relation that are compared to count what two graphs share


class UnionGraph:
    """A graph of graphs. Where they name a thing differently, the first one that names it wins."""

    def __init__(self, graphs: Sequence[KnowledgeGraph], name: str = "") -> None:
        if not graphs:
            raise SettingsError("A union needs at least one graph.")
        self._graphs = tuple(graphs)
        self.name = name or " + ".join(graph.name for graph in graphs)

    @property
    def graphs(self) -> tuple[KnowledgeGraph, ...]:
        return self._graphs

    def info(self) -> GraphInfo:
        """Sums: what two graphs share counts twice."""
        infos = self._all(lambda graph: graph.info())
        marks = "\0".join(info.fingerprint for info in infos)
        return GraphInfo(
            self.name,
            _sum([info.entities for info in infos]),
            _sum([info.statements for info in infos]),
            _sum([info.relations for info in infos]),
            blake2b(marks.encode(), digest_size=16).hexdigest(),
        )

    def search(self, mentions: Sequence[str], limit: int = 10) -> list[list[Hit]]:
        found = self._all(lambda graph: graph.search(mentions, limit))
        merged = [_best(hits, limit) for hits in zip(*found, strict=True)]
        return [self._sorted(hits) for hits in merged]

    def describe(self, ids: Sequence[str]) -> list[Entity | None]:
        found = self._all(lambda graph: graph.describe(ids))
        return [_described(versions) for versions in zip(*found, strict=True)]

    def relations_of(self, entities: Sequence[Entity]) -> list[list[RelationUse]]:
        found = self._all(lambda graph: graph.relations_of(entities))
        return [
            self._merged_uses(entity, uses)
            for entity, uses in zip(entities, zip(*found, strict=True), strict=True)
        ]

    def statements(
        self,
        entities: Sequence[Entity],
        *,
        direction: Direction | None = None,
        relation: Relation | None = None,
        limit: int = 500,
    ) -> list[list[Statement]]:
        found = self._all(
            lambda graph: graph.statements(
                entities, direction=direction, relation=relation, limit=limit
            )
        )
        names = _Names()
        for groups in found:
            for group in groups:
                for statement in group:
                    names.learn(statement)
        return [
            _together(entity, [names.named(s) for s in _once(groups)], limit)
            for entity, groups in zip(entities, zip(*found, strict=True), strict=True)
        ]

    def relation(self, id_or_label: str) -> Relation | None:
        found = [r for r in self._all(lambda graph: graph.relation(id_or_label)) if r]
        if not found:
            return None
        named = next((r for r in found if r.label), found[0])
        exact = next((r for r in found if r.label.casefold() == id_or_label.casefold()), named)
        return exact

    def _merged_uses(
        self, entity: Entity, per_graph: Sequence[Sequence[RelationUse]]
    ) -> list[RelationUse]:
        merged: dict[tuple[Relation, Direction], list[RelationUse]] = {}
        for uses in per_graph:
            for use in uses:
                merged.setdefault((use.relation, use.direction), []).append(use)
        result = []
        for (relation, direction), uses in merged.items():
            count = sum(use.count for use in uses)
            if len(uses) > 1 and count <= _COUNTED:  # what several graphs say counts once
                same = self.statements([entity], direction=direction, relation=relation)[0]
                count = len(same) or count
            examples = dict.fromkeys(example for use in uses for example in use.examples)
            named = next((use.relation for use in uses if use.relation.label), relation)
            result.append(RelationUse(named, direction, count, tuple(examples)[:3]))
        return sorted(result, key=lambda u: (-u.count, u.relation.name, u.direction))

    def _sorted(self, hits: Sequence[tuple[Hit, int]]) -> list[Hit]:
        """Best first; among equals, those whose graph put them higher."""
        ranked = sorted(hits, key=lambda found: (-found[0].score, found[1]))
        described = self.describe([hit.entity.id for hit, _ in ranked]) if ranked else []
        return [
            replace(hit, entity=known or hit.entity)
            for (hit, _), known in zip(ranked, described, strict=True)
        ]

    def _all(self, ask: Callable[[KnowledgeGraph], T]) -> list[T]:
        """The same question to every graph at once; answers in their order."""
        if len(self._graphs) == 1:
            return [ask(self._graphs[0])]
        with ThreadPoolExecutor(len(self._graphs)) as pool:
            asked = [
                pool.submit(contextvars.copy_context().run, ask, graph) for graph in self._graphs
            ]
            return [one.result() for one in asked]


def overlay(mine: KnowledgeGraph, base: KnowledgeGraph, name: str = "") -> UnionGraph:
    """A graph of one's own on top of another."""
    return UnionGraph([mine, base], name or f"{mine.name} on {base.name}")


def personal(text: str, base: KnowledgeGraph | None = None, name: str = "mine") -> EmbeddedGraph:
    """A small graph typed by hand, `subject | relation | object` a line.

    What the base knows under exactly that name is meant by it, things and relations alike.
    Raises SourceRejected for a line that has not three parts, naming it.
    """
    known = _Base(base)
    facts = []
    for number, line in enumerate(text.split("\n"), start=1):
        if not line.strip() or line.lstrip().startswith("#"):
            continue
        cells = [cell.strip() for cell in line.split("\t" if "\t" in line else "|")]
        if len(cells) != 3 or not all(cells):
            raise SourceRejected(
                f"Line {number} is not a fact: write subject | relation | object.", source=name
            )
        facts.append(known.fact(cells, f"Line {number}", name))
    return _built(facts, name)


def from_rows(
    rows: Iterable[Sequence[str]], base: KnowledgeGraph | None = None, name: str = "mine"
) -> EmbeddedGraph:
    """The same from rows of subject, relation and object, as text.

    Raises SourceRejected for a row that cannot be a fact, naming it.
    """
    known = _Base(base)
    facts = [known.fact(row, f"Fact {number}", name) for number, row in enumerate(rows, start=1)]
    return _built(facts, name)


def _built(facts: Sequence[Statement], name: str) -> EmbeddedGraph:
    entities = {e for f in facts for e in (f.subject, f.object) if isinstance(e, Entity)}
    relations = {f.relation for f in facts}
    return EmbeddedGraph.build(name, sorted(entities, key=_id), sorted(relations, key=_id), facts)


class _Base:
    """Names looked up in the graph below."""

    def __init__(self, base: KnowledgeGraph | None) -> None:
        self._base = base
        self._entities: dict[str, Entity] = {}

    def fact(self, row: Sequence[str], where: str, source: str) -> Statement:
        subject, relation, value = row
        try:
            return Statement(
                self.entity(subject),
                self.relation(relation),
                self.value(value, relation),
                source=source,
            )
        except ValueError as error:
            raise SourceRejected(
                f"{where} cannot be used: {error}. Correct it, or leave it out.", source=source
            ) from error

    def entity(self, name: str) -> Entity:
        if name not in self._entities:
            made = lines.entity_of_cell(name)
            hits = self._base.search([name], _NAMESAKES)[0] if self._base and made.label else []
            known = (h.entity for h in hits if h.score >= 0.97 and same_name(h.matched, name))
            self._entities[name] = next(known, made)
        return self._entities[name]

    def relation(self, name: str) -> Relation:
        return (self._base and self._base.relation(name)) or lines.relation_of_cell(name)

    def value(self, cell: str, relation: str) -> Value:
        made = lines.value_of_cell(cell, relation)
        return self.entity(cell) if isinstance(made, Entity) else made


class _Names:
    """The fullest version of everything several graphs name."""

    def __init__(self) -> None:
        self._entities: dict[str, Entity] = {}
        self._relations: dict[str, Relation] = {}

    def learn(self, statement: Statement) -> None:
        for end in (statement.subject, statement.object):
            if isinstance(end, Entity) and end.label:
                self._entities.setdefault(end.id, end)
        if statement.relation.label:
            self._relations.setdefault(statement.relation.id, statement.relation)

    def named(self, s: Statement) -> Statement:
        end: Value = s.object
        if isinstance(end, Entity):
            end = self._entities.get(end.id, end)
        return replace(
            s,
            subject=self._entities.get(s.subject.id, s.subject),
            relation=self._relations.get(s.relation.id, s.relation),
            object=end,
        )


def _once(groups: Sequence[Sequence[Statement]]) -> list[Statement]:
    """Each statement once; its source names all graphs that have it."""
    found: dict[Statement, Statement] = {}
    for statement in (s for group in groups for s in group):
        before = found.get(statement)
        if before is None:
            found[statement] = statement
        elif statement.source not in before.source.split(", "):
            rank = before.rank if before.rank != "normal" else statement.rank
            found[statement] = replace(
                before, source=f"{before.source}, {statement.source}", rank=rank
            )
    return list(found.values())


def _together(entity: Entity, found: Sequence[Statement], limit: int) -> list[Statement]:
    node = Entity(layout.full_id(entity.id))
    out = arranged((s for s in found if s.subject == node), limit)
    into = arranged((s for s in found if s.subject != node), limit)
    return out + into


def _best(per_graph: Sequence[Sequence[Hit]], limit: int) -> list[tuple[Hit, int]]:
    """The best hit of every entity, and how high a graph put it."""
    best: dict[str, tuple[Hit, int]] = {}
    for hits in per_graph:
        for place, hit in enumerate(hits):
            before = best.get(hit.entity.id)
            if before is None or (-hit.score, place) < (-before[0].score, before[1]):
                best[hit.entity.id] = hit, place
    return sorted(best.values(), key=lambda found: (-found[0].score, found[1]))[:limit]


def _described(versions: Sequence[Entity | None]) -> Entity | None:
    known = [version for version in versions if version]
    if not known:
        return None
    labels = [e.label for e in known if e.label]
    descriptions = [e.description for e in known if e.description]
    others = {alias for e in known for alias in e.aliases} | set(labels[1:])
    label = labels[0] if labels else ""
    return Entity(
        known[0].id,
        label,
        descriptions[0] if descriptions else "",
        tuple(sorted(others - {label})),
    )


def _sum(counts: Sequence[int | None]) -> int | None:
    known = [count for count in counts if count is not None]
    return sum(known) if len(known) == len(counts) else None


def _id(thing: Entity | Relation) -> str:
    return thing.id
