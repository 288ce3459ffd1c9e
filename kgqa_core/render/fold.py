"""What the events of a run say of its graph, one record after the other.

How much of it is drawn, and in what words, is up to `graph.py`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, replace
from itertools import zip_longest

from kgqa_core.ask.events import Answer, EdgeState, NodeState, Provenance, Record
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import PSEUDO, Entity, Literal, Statement, Value, is_open


@dataclass(slots=True)
class Node:
    """An entity, where it was reached from (`parent`), and what was said of it."""

    entity: Entity
    parent: str | None = None
    depth: int = 0
    said: NodeState | None = None  # by the latest event that named the node itself
    anchor: bool = False
    named: bool = False  # an anchor, by a name of its own
    candidate: bool = False
    answer: bool = False
    real: bool = False  # the knowledge graph knows it
    visited: bool = False  # the walk looked around it


@dataclass(slots=True)
class Edge:
    """A statement; `seen` counts the statements before it."""

    statement: Statement
    seen: int
    source: str  # the end it was seen from
    state: EdgeState = "frontier"
    provenance: Provenance = "retrieved"
    note: str = ""
    slot: int | None = None  # its place among the neighbours drawn around its source
    taken: int = -1  # the step in which it was chosen last

    @property
    def ends(self) -> tuple[str, ...]:
        s = self.statement
        return (s.subject.id, s.object.id) if isinstance(s.object, Entity) else (s.subject.id,)

    @property
    def important(self) -> bool:
        return self.state in ("cited", "path") or self.provenance != "retrieved"


@dataclass(slots=True)
class Result:
    """Literals that were computed, and from what."""

    operation: str
    values: tuple[Literal, ...]
    because: tuple[Statement, ...]
    of: tuple[Value, ...] = ()


@dataclass
class Fold:
    """The graph so far. `detail`: neighbours that get a slot around each node."""

    detail: int
    nodes: dict[str, Node] = field(default_factory=dict)
    edges: dict[Statement, Edge] = field(default_factory=dict)
    used: Counter[str] = field(default_factory=Counter)  # slots taken around each node
    mentions: dict[str, list[str]] = field(default_factory=dict)
    rivals: dict[str, str] = field(default_factory=dict)  # of one name with which anchor
    computed: dict[str, Result] = field(default_factory=dict)
    axioms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    loose: dict[str, None] = field(default_factory=dict)  # drawn although no edge leads there
    values: tuple[Literal, ...] = ()  # of the answer
    qualified: list[tuple[Statement, int]] = field(default_factory=list)  # answers in qualifiers
    focus: str | None = None  # where the walk stands
    _seq: int = 0  # of the record that is being drawn
    _step: int = 0

    def add(self, record: Record) -> None:
        self._seq, self._step = record.seq, record.step
        record.event.draw(self)

    def _node(self, entity: Entity, parent: str | None = None, hops: int = 0) -> Node:
        """The node of an entity; seen for the first time, it hangs on `parent`.

        Without a hop, no fact leads there: the parent is only where it is drawn.
        """
        node = self.nodes.get(entity.id)
        if node is None:
            above = self.nodes.get(parent) if parent else None
            depth = above.depth + hops if above else 0
            node = Node(entity, parent if above else None, depth)
            self.nodes[entity.id] = node
        elif entity.label and not node.entity.label:
            node.entity = entity
        return node

    def say(self, entity: Entity, state: NodeState) -> Node:
        node = self._node(entity, self.focus)
        node.said, node.real = state, True
        if state in ("path", "dead_end"):
            self.loose[entity.id] = None
        return node

    def see(
        self,
        statements: Iterable[Statement],
        provenance: Provenance = "retrieved",
        near: Collection[str] = (),
    ) -> list[Edge]:
        """The statements' edges; new ones compete for the slots around their source."""
        edges, new, known, nodes = [], [], self.edges, self.nodes
        for s in statements:
            edge = known.get(s)
            if edge is None:
                source = self._hang(s, near)
                edge = known[s] = Edge(s, len(known), source, provenance=provenance)
                new.append(edge)
            elif provenance == "retrieved" and edge.provenance != "retrieved":
                edge.provenance, edge.note = "retrieved", ""
            edges.append(edge)
            if provenance == "retrieved":
                for end in edge.ends:
                    nodes[end].real = True
        self._slots(new)
        return edges

    def _hang(self, s: Statement, near: Collection[str]) -> str:
        """Hangs the far end of a new statement on its near end, which is returned."""
        subject = s.subject
        if not isinstance(s.object, Entity):
            self._node(subject)
            return subject.id
        a, b, known = subject.id, s.object.id, self.nodes
        forward = a in near or (b not in near and (a in known or b not in known))
        first, second = (subject, s.object) if forward else (s.object, subject)
        self._node(first)
        self._node(second, first.id, hops=1)
        return first.id

    def _slots(self, new: list[Edge]) -> None:
        """Gives free slots to new edges, in turn over their relations, so that all show."""
        around: defaultdict[str, defaultdict[str, list[Edge]]] = defaultdict(
            lambda: defaultdict(list)
        )
        for edge in new:
            if self.used[edge.source] < self.detail:
                around[edge.source][edge.statement.relation.id].append(edge)
        for source, relations in around.items():
            for row in zip_longest(*relations.values()):
                if self.used[source] >= self.detail:
                    break
                for edge in row:
                    if edge is not None and self.used[source] < self.detail:
                        edge.slot = self.used[source]
                        self.used[source] += 1

    def take(self, statements: Iterable[Statement], state: EdgeState) -> None:
        for edge in self.see(statements):
            edge.taken = self._step
            if edge.state != "cited":
                edge.state = state
            for end in edge.ends:
                node = self.nodes[end]
                node.said = "path"
                if node.visited:
                    self._begin_at(end)
                if node.candidate and node.visited and node.parent is None:
                    node.anchor = True  # the question names it, and the walk went on from there

    def _begin_at(self, node_id: str) -> None:
        """The walk goes on from here: not from its namesake, if nobody looked around that."""
        before = self.nodes.get(self.rivals.get(node_id, ""))
        if before is None or before.visited or not before.anchor:
            return
        node = self.nodes[node_id]
        node.anchor, node.named, node.parent = True, before.named, None
        before.anchor, before.said, before.parent = False, "pruned", node_id
        self.loose.pop(before.entity.id, None)

    def leave(self, statements: Iterable[Statement], entities: Iterable[Entity]) -> None:
        """What was chosen in the same step is not left by it: it was among what was looked at."""
        for edge in self.see(statements):
            if edge.state != "cited" and edge.taken != self._step:
                edge.state = "pruned"
        for entity in entities:
            self._node(entity, self.focus).said = "pruned"

    def beside(self, entities: Iterable[Entity | None]) -> None:
        """Entities found without a statement: a passage's, a row's."""
        for entity in [e for e in entities if e is not None][: self.detail]:
            self._node(entity, self.focus).real = True
            self.loose[entity.id] = None

    def visit(self, entities: Sequence[Entity], statements: Iterable[Statement]) -> None:
        near = {e.id for e in entities}
        for entity in entities:
            node = self._node(entity, self.focus)
            node.real = node.visited = True
        self.see(statements, near=near)
        if entities:
            self.focus = entities[0].id

    def link(self, mention: str, candidates: Sequence[Entity]) -> None:
        self.mentions[mention] = [entity.id for entity in candidates[:5]]
        for entity in candidates[:5]:
            node = self._node(entity)
            node.candidate = node.real = True

    def anchor(self, mention: str, entity: Entity, named: bool) -> None:
        node = self._node(entity)
        node.anchor = node.real = True
        node.named = node.named or named
        node.said = None
        self.loose[entity.id] = None
        self.focus = entity.id
        others = [i for i in self.mentions.get(mention, ()) if i != entity.id]
        self.mentions[mention] = others[:2]
        for other in others:
            self.rivals[other] = entity.id
            rival = self.nodes[other]
            if not rival.anchor and rival.said is None:
                rival.said = "pruned"
            if rival.parent is None and not rival.anchor:
                rival.parent = entity.id

    def rule(self, text: str, entities: Sequence[Entity]) -> None:
        for entity in entities:
            self._node(entity, self.focus).real = True
        self.axioms[text] = tuple(entity.id for entity in entities)

    def compute(
        self,
        operation: str,
        result: Sequence[Value],
        because: tuple[Statement, ...],
        of: Sequence[Value] = (),
    ) -> None:
        self.see(because)
        for value in result:
            if isinstance(value, Entity):
                self.say(value, "path")
        literals = tuple(v for v in result if isinstance(v, Literal))
        if literals:
            self.computed[str(self._seq)] = Result(operation, literals[:3], because, tuple(of))

    def correct(self, claimed: Statement | None, found: Statement | None, *, wrong: bool) -> None:
        if found is not None:
            self.take([found], "path")
        if claimed is None:
            return
        filled = found is not None and (is_open(claimed.subject) or is_open(claimed.object))
        if found is not None:
            claimed = self._identify(claimed, found)
        if claimed == found:
            return
        (edge,) = self.see([claimed], "proposed")
        if edge.provenance == "retrieved":  # the graph may hold it nevertheless
            return
        if filled or not wrong:  # nothing about it was wrong: the fact stands for it
            del self.edges[claimed]
            return
        edge.provenance, edge.state = "corrected", "pruned"
        edge.note = (
            f"Corrected to: {verbalise.statement(found)}"
            if found
            else "Dropped: the knowledge graph does not support it."
        )

    def _identify(self, claimed: Statement, found: Statement) -> Statement:
        """The claim about the graph's own nodes, where it and the fact name the same things."""
        ends = [e for e in (found.subject, found.object) if isinstance(e, Entity)]
        for mine in [e for e in (claimed.subject, claimed.object) if isinstance(e, Entity)]:
            for theirs in ends:
                made_up = mine.id.startswith(PSEUDO)
                if made_up and mine.name.casefold() == theirs.name.casefold():
                    claimed = self._merge(claimed, mine.id, theirs)
        pairs = ((claimed.subject, found.subject), (claimed.object, found.object))
        for near, other in pairs:
            if isinstance(near, Entity) and is_open(near) and isinstance(other, Entity):
                claimed = self._merge(claimed, near.id, other)
        return claimed

    def _merge(self, claimed: Statement, made_up: str, real: Entity) -> Statement:
        """What was said of a node the model named is said of the graph's own from here on."""
        for statement, edge in list(self.edges.items()):
            if made_up in edge.ends:
                del self.edges[statement]
                edge.statement = _renamed(statement, made_up, real)
                edge.source = real.id if edge.source == made_up else edge.source
                self.edges.setdefault(edge.statement, edge)
        self.nodes.pop(made_up, None)
        self._node(real).real = True
        for node in self.nodes.values():
            if node.parent == made_up:
                node.parent = real.id if node.entity != real else None
        return _renamed(claimed, made_up, real)

    def answer(self, answer: Answer) -> None:
        self.take((c for c in answer.citations if isinstance(c, Statement)), "cited")
        for c in answer.citations:
            if not isinstance(c, Statement) and c.entity is not None:
                self.say(c.entity, "path")
        self._qualifiers(answer)
        for value in answer.values:
            if isinstance(value, Entity):
                self._node(value, self.focus).answer = True
                self.loose[value.id] = None
        self.values = tuple(v for v in answer.values if isinstance(v, Literal))

    def _qualifiers(self, answer: Answer) -> None:
        """Answers that stand in no cited statement but in one's qualifiers."""
        cited = [c for c in answer.citations if isinstance(c, Statement)]
        wanted = set(answer.values) - {end for s in cited for end in (s.subject, s.object)}
        wanted -= {v for found in self.computed.values() for v in found.values}
        for s in cited:
            for i, q in enumerate(s.qualifiers):
                if q.value in wanted:
                    self.qualified.append((s, i))
                    if isinstance(q.value, Entity):
                        self._node(q.value, far_end(s), hops=1)


def _renamed(s: Statement, node_id: str, entity: Entity) -> Statement:
    """The statement with another entity in place of one."""
    end = s.object
    return replace(
        s,
        subject=entity if s.subject.id == node_id else s.subject,
        object=entity if isinstance(end, Entity) and end.id == node_id else end,
    )


def far_end(s: Statement) -> str:
    """The node a qualifier hangs on: the object, or the subject of a literal."""
    return s.object.id if isinstance(s.object, Entity) else s.subject.id
