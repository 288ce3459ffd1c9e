"""A walk over a graph by hand: what is shown of it, and the way back. Values only, no page."""

from __future__ import annotations

import csv
import io
import re
from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from kgqa_core.facts import relations, verbalise
from kgqa_core.facts.terms import (
    STRING,
    Direction,
    Entity,
    Literal,
    Relation,
    RelationUse,
    Statement,
    Value,
    telling_id,
)
from kgqa_core.kg import iris, layout
from kgqa_core.kg.base import Table
from kgqa_core.render.graph import (
    MOST_NODES,
    GraphEdge,
    GraphNode,
    GraphView,
    cut,
    of_sort,
    one_line,
    relation_label,
    statement_key,
)
from kgqa_core.render.sorts import sorts_of
from kgqa_core.text import plural, singular

_Thing = TypeVar("_Thing", Entity, Relation)
_MOST_STEPS = 100  # that can be undone
_COLUMNS = ("subject", "relation", "object", "qualifiers", "subject id", "relation id", "object id")


@dataclass(frozen=True, slots=True)
class Shown:
    """`roots` were looked up, `facts` retrieved around the entities with ids in `opened`."""

    roots: tuple[Entity, ...] = ()
    facts: tuple[Statement, ...] = ()
    opened: tuple[str, ...] = ()

    @property
    def entities(self) -> dict[str, Entity]:
        """Everything at the end of a fact, and the roots, in order of appearance."""
        found = {entity.id: entity for entity in self.roots}
        for fact in self.facts:
            for end in _ends(fact):
                found.setdefault(end.id, end)
        return found

    def with_root(self, entity: Entity) -> Shown:
        if entity in self.roots:
            return self
        return replace(self, roots=(*self.roots, entity))

    def with_facts(self, facts: Iterable[Statement], opened: Collection[str] = ()) -> Shown:
        return replace(
            self,
            facts=tuple(dict.fromkeys((*self.facts, *facts))),
            opened=tuple(dict.fromkeys((*self.opened, *opened))),
        )

    def without(self, entity_id: str) -> Shown:
        """Takes an entity away, with its facts and what only they led to."""
        return Shown(
            tuple(e for e in self.roots if e.id != entity_id),
            tuple(f for f in self.facts if all(e.id != entity_id for e in _ends(f))),
            tuple(i for i in self.opened if i != entity_id),
        )

    def around(self, entity_id: str) -> list[Statement]:
        return [f for f in self.facts if any(e.id == entity_id for e in _ends(f))]


@dataclass(frozen=True, slots=True)
class Exploration:
    """What is shown now, with the way back and forth."""

    now: Shown = Shown()
    past: tuple[Shown, ...] = ()
    future: tuple[Shown, ...] = ()

    def go(self, to: Shown) -> Exploration:
        """A step that can be undone; none when nothing changes."""
        if to == self.now:
            return self
        return Exploration(to, (*self.past, self.now)[-_MOST_STEPS:])

    def undo(self) -> Exploration:
        if not self.past:
            return self
        return Exploration(self.past[-1], self.past[:-1], (self.now, *self.future))

    def redo(self) -> Exploration:
        if not self.future:
            return self
        return Exploration(self.future[0], (*self.past, self.now), self.future[1:])


@dataclass(frozen=True, slots=True)
class Filter:
    """Which facts are drawn and listed. No relations: all; `direction` is seen from `around`."""

    relations: Collection[str] = ()
    direction: Direction | None = None
    around: str = ""

    def __call__(self, fact: Statement) -> bool:
        if self.relations and fact.relation.id not in self.relations:
            return False
        if self.direction is None or not self.around:
            return True
        if self.direction == "out":
            return fact.subject.id == self.around
        return isinstance(fact.object, Entity) and fact.object.id == self.around


def relations_of(facts: Iterable[Statement]) -> list[tuple[Relation, int]]:
    """The relations of these facts with their counts, most used first."""
    return Counter(fact.relation for fact in facts).most_common()


def shown_of(
    facts: Iterable[Statement], entity_id: str, relation: Relation, direction: Direction
) -> int:
    """How many of an entity's facts of one relation and direction are among these."""
    one = Filter({relation.id}, direction, entity_id)
    return sum(one(fact) for fact in facts)


# -- drawing ---------------------------------------------------------------------------------


def view(shown: Shown, wanted: Filter | None = None) -> GraphView:
    """The graph to draw: roots, facts that pass, as many as there is room for."""
    nodes: dict[str, GraphNode] = {}
    edges: list[GraphEdge] = []
    roots, opened = {e.id for e in shown.roots}, set(shown.opened)

    loose: list[GraphNode] = []

    def put(entity: Entity, parent: GraphNode | None) -> GraphNode:
        if entity.id not in nodes:
            if parent is None and entity.id not in roots:
                # results that nothing joins are drawn around the first of them, not in a row
                node = _entity_node(entity, loose[0] if loose else None, roots, opened)
                loose.append(node)
            else:
                node = _entity_node(entity, parent, roots, opened)
            nodes[entity.id] = node
        return nodes[entity.id]

    for root in shown.roots:
        if len(nodes) < MOST_NODES:
            put(root, None)
    for fact in shown.facts:
        if wanted is not None and not wanted(fact):
            continue
        key, far = statement_key(fact), fact.object
        leaf = f"value:{key}"
        ends = {fact.subject.id, far.id if isinstance(far, Entity) else leaf}
        if len(nodes) + len(ends - nodes.keys()) > MOST_NODES:
            continue
        if isinstance(far, Entity):
            first, second = fact.subject, far
            if first.id not in nodes and second.id in nodes:
                first, second = second, first
            put(second, put(first, None))
            target = far.id
        else:
            told = verbalise.value(far, fact.relation)
            nodes[leaf] = _value_node(leaf, told, put(fact.subject, None))
            target = leaf
        edges.append(_edge(fact, key, target))
    sorts = sorts_of(shown.entities.values(), shown.facts)
    drawn = (of_sort(n, sorts.get(n.id)) for n in nodes.values())
    return GraphView(tuple(drawn), tuple(edges))


def _entity_node(
    entity: Entity, parent: GraphNode | None, roots: Collection[str], opened: Collection[str]
) -> GraphNode:
    root = entity.id in roots
    about = list(filter(None, (entity.name, telling_id(entity.id))))
    if entity.description:
        about.append(entity.description)
    return GraphNode(
        id=entity.id,
        label=cut(entity.name),
        title="\n".join(map(one_line, about)),
        kind="entity",
        state="anchor" if root else "path" if entity.id in opened else "frontier",
        description=entity.description,
        anchor=root,
        depth=parent.depth + 1 if parent else 0,
        parent=parent.id if parent else None,
    )


def _value_node(node_id: str, name: str, parent: GraphNode) -> GraphNode:
    return GraphNode(
        id=node_id,
        label=cut(name),
        title=_shortened(one_line(name)),
        kind="literal",
        state="frontier",
        depth=parent.depth + 1,
        parent=parent.id,
    )


def _edge(fact: Statement, key: str, target: str) -> GraphEdge:
    return GraphEdge(
        id=f"fact:{key}",
        source=fact.subject.id,
        target=target,
        label=relation_label(fact),
        title=_shortened(one_line(verbalise.statement(fact))),
        state="frontier",
        key=key,
    )


def _shortened(text: str, most: int = 600) -> str:
    return text if len(text) <= most else text[:most] + "…"


def _ends(fact: Statement) -> tuple[Entity, ...]:
    return (fact.subject, fact.object) if isinstance(fact.object, Entity) else (fact.subject,)


# -- results of a query ------------------------------------------------------------------------


def entities_in(table: Table, most: int) -> list[Entity]:
    """The entities among the cells, each once, in order."""
    cells = dict.fromkeys(v for row in table.rows for v in row if isinstance(v, Entity))
    return list(cells)[:most]


def facts_in(table: Table, facts: Iterable[Statement]) -> list[Statement]:
    """Those of the facts that a row holds both ends of, or a result table two entities of."""
    everyone = {v for row in table.rows for v in row if isinstance(v, Entity)}
    beside: set[tuple[str, str]] = set()
    for row in table.rows:
        values = [v.value for v in row if isinstance(v, Literal)]
        beside.update((e.id, value) for e in row if isinstance(e, Entity) for value in values)
    return [
        fact
        for fact in facts
        if (
            fact.object in everyone
            if isinstance(fact.object, Entity)
            else (fact.subject.id, fact.object.value) in beside
        )
    ]


# -- asking and taking away -----------------------------------------------------------------------


OPEN = "…"  # in a question that is begun: what is still to be said


def question_about(entity: Entity, relation: Relation | None = None, *, many: bool = False) -> str:
    """A question begun: whole when a relation of the entity says what to ask for.

    `many`: it has several values.
    """
    if relation is None:
        return f"What is the {OPEN} of {entity.name}?"
    known = relations.about(relation)
    asks = "Who" if known is not None and known.values == "person" else "What"
    many = many or _several(relation.name) == relation.name  # “languages”, a column of a table
    verb, noun = ("are", _several(relation.name)) if many else ("is", relation.name)
    return f"{asks} {verb} the {noun} of {entity.name}?"


def questions_about(entity: Entity, uses: Sequence[RelationUse]) -> list[str]:
    """Whole questions that the relations of an entity answer."""
    return [
        question_about(entity, use.relation, many=use.count > 1)
        for use in uses
        if use.direction == "out" and asks_well(use.relation)
    ]


def _several(name: str) -> str:
    """`country of origin` → `countries of origin`; what is in the plural stays."""
    head, rest = _HEAD.fullmatch(name).groups()  # type: ignore[union-attr]
    one = singular(head)
    return f"{head if one != head and plural(one) == head else plural(head)}{rest}"


_HEAD = re.compile(r"(.*?)((?: (?:of|in|per|for|at|on) .*)?)", re.DOTALL)


_LOOSE = ("of", "in", "by", "from", "at", "with", "to", "for", "on")
_VERBS = frozenset(
    "applies born built consists connects contains crosses depicts does employs follows has held "
    "is knows led likes lives loves made manages named owns present replaces shares speaks spoken "
    "states teaches uses won written wrote".split()
)


def asks_well(relation: Relation) -> bool:
    """Whether “What is the … of …?” reads well: not “What is the instance of of …?”."""
    words = relation.label.split()
    if not words or "or" in words or "(" in relation.label:
        return False
    ends = (words[0], words[-1])
    verbs = [w for w in ends if w in _VERBS or (w.endswith("ed") and not w.endswith("eed"))]
    return not verbs and not {words[0], words[-1]} & set(_LOOSE)


def csv_of(facts: Sequence[Statement]) -> str:
    """One line for each fact, with names and ids."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    writer.writerow(_COLUMNS)
    for fact in facts:
        far = fact.object
        writer.writerow(
            _cell(text)
            for text in (
                fact.subject.name,
                fact.relation.name,
                verbalise.value(far, fact.relation),
                verbalise.details(fact, None),
                fact.subject.id,
                fact.relation.id,
                far.id if isinstance(far, Entity) else "",
            )
        )
    return out.getvalue()


def table_csv(table: Table) -> str:
    """The rows of a query with names; an entity's id stands in a column beside it."""
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    named = [any(isinstance(row[i], Entity) for row in table.rows) for i in _places(table)]
    writer.writerow(
        _cell(text)
        for i in _places(table)
        for text in (table.columns[i], f"{table.columns[i]} id")[: 1 + named[i]]
    )
    for row in table.rows:
        cells: list[str] = []
        for i in _places(table):
            value = row[i]
            cells.append("" if value is None else verbalise.value(value))
            if named[i]:
                cells.append(value.id if isinstance(value, Entity) else "")
        writer.writerow(map(_cell, cells))
    return out.getvalue()


def _places(table: Table) -> range:
    return range(len(table.columns))


def _cell(text: str) -> str:
    """A spreadsheet takes what begins with these for a formula, unless it is a number."""
    if text[:1] in ("=", "@", "\t", "\r"):
        return f"'{text}"
    if text[:1] in ("+", "-") and not text[1:].replace(",", "").replace(".", "").isdigit():
        return f"'{text}"
    return text


def ntriples_of(facts: Sequence[Statement]) -> str:
    """The facts with their qualifiers and names, as `load` reads them.

    What has no IRI, such as an endpoint may name things, becomes a URN.
    """
    return "".join(dict.fromkeys(_lines([_with_iris(fact) for fact in facts])))


def _with_iris(fact: Statement) -> Statement:
    return replace(
        fact,
        subject=_renamed(fact.subject),
        relation=_renamed(fact.relation),
        object=_renamed_value(fact.object),
        qualifiers=tuple(
            replace(q, relation=_renamed(q.relation), value=_renamed_value(q.value))
            for q in fact.qualifiers
        ),
    )


def _renamed_value(value: Value) -> Value:
    if isinstance(value, Entity):
        return _renamed(value)
    return replace(value, unit=_renamed(value.unit)) if value.unit is not None else value


def _renamed(thing: _Thing) -> _Thing:
    try:
        layout.stored_id(thing.id)
    except ValueError:
        return replace(thing, id=f"urn:kgqa:{iris.escaped(thing.id)}")
    return thing


def _lines(facts: Sequence[Statement]) -> Iterator[str]:
    things: dict[str, Entity | Relation] = {}
    for fact in facts:
        pairs = [(fact.relation, fact.object)]
        pairs += [(q.relation, q.value) for q in fact.qualifiers]
        things.setdefault(fact.subject.id, fact.subject)
        for relation, value in pairs:
            things.setdefault(relation.id, relation)
            if isinstance(value, Entity):
                things.setdefault(value.id, value)
            elif value.unit is not None:
                things.setdefault(value.unit.id, value.unit)
    for thing in things.values():
        if isinstance(thing, Relation):
            yield from layout.write_relation(thing)
        else:
            yield from layout.write_entity(thing)
    for fact in facts:
        try:
            yield from list(layout.write_statement(fact))
        except (ArithmeticError, ValueError):  # a value that is not what its type says
            text = Literal(fact.object.value, STRING) if isinstance(fact.object, Literal) else None
            if text is not None:
                yield from layout.write_statement(replace(fact, object=text, qualifiers=()))
