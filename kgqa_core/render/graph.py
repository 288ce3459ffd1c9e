"""The subgraph a run has walked so far: a pure fold over a prefix of its records.

Live view, step slider, replay and export call `snapshot(records[:k])`. Ids are stable and the
order is that of first sight, so two snapshots of one run differ by little more than what is new.
What is drawn is capped: everything chosen, cited or anchored; around each node a dozen of the
rest, the remainder as one node “+37 more”.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass, field, fields, replace
from functools import lru_cache
from hashlib import blake2b
from itertools import zip_longest
from typing import Any
from typing import Literal as OneOf

from kgqa_core import events, verbalise
from kgqa_core.events import Answer, Record
from kgqa_core.terms import PSEUDO, Entity, Literal, Statement, Value, is_open, short_id

NodeKind = OneOf["entity", "literal", "computed", "axiom", "more"]
NodeState = OneOf["anchor", "answer", "path", "frontier", "candidate", "pruned", "dead_end"]
EdgeState = OneOf["cited", "path", "frontier", "pruned"]
Provenance = OneOf["retrieved", "proposed", "corrected", "axiom", "computed"]

DETAIL = 12  # undecided neighbours drawn around a node; half as many that were left
MOST_CHOSEN = 40  # chosen neighbours drawn around a node, besides the cited ones
MOST_ASIDE = 160  # nodes drawn in all that are neither chosen nor cited
MOST_NODES = 300
LABEL, RELATION = 28, 24  # characters of a label before it is cut

STATES: dict[NodeState, str] = {
    "anchor": "anchor: the walk starts here",
    "answer": "part of the answer",
    "path": "on the chosen path",
    "frontier": "retrieved, not decided",
    "candidate": "a candidate for a name in the question",
    "pruned": "looked at and left",
    "dead_end": "dead end: nothing further from here",
}
EDGE_STATES: dict[EdgeState, str] = {
    "cited": "The answer cites this fact.",
    "path": "On the chosen path.",
    "frontier": "Retrieved, not decided.",
    "pruned": "Looked at and left.",
}
PROVENANCES: dict[Provenance, str] = {
    "retrieved": "From the knowledge graph.",
    "proposed": "Proposed by the model, not checked yet.",
    "corrected": "Proposed by the model, refuted by the knowledge graph.",
    "axiom": "A commonsense axiom stated by the model.",
    "computed": "Computed from these facts.",
}
_RANK: dict[EdgeState, int] = {"pruned": 0, "frontier": 1, "path": 2, "cited": 3}


@dataclass(frozen=True, slots=True)
class GraphNode:
    """`title` is the tooltip, its first line the full name; `depth` counts hops from a root.

    `parent` is where the node was reached from, and where it appears.

    `anchor` stays true when the state says more (an anchor can be a dead end, or the answer).
    """

    id: str
    label: str
    title: str
    kind: NodeKind
    state: NodeState
    description: str = ""
    anchor: bool = False
    provenance: Provenance = "retrieved"
    depth: int = 0
    parent: str | None = None


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """`key` is the `statement_key` (empty when no statement stands behind the edge).

    `bend` keeps parallel edges apart: 0 straight, else to one side or the other.
    """

    id: str
    source: str
    target: str
    label: str
    title: str
    state: EdgeState
    provenance: Provenance = "retrieved"
    key: str = ""
    bend: float = 0.0


_NODE_FIELDS = [f.name for f in fields(GraphNode) if f.name != "description"]  # in the title
_EDGE_FIELDS = [f.name for f in fields(GraphEdge)]


@dataclass(frozen=True, slots=True)
class GraphView:
    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()

    @property
    def summary(self) -> str:
        """The graph in a sentence, for those who cannot see it."""
        if not self.nodes:
            return "The knowledge graph of this run is still empty."
        parts = [f"Knowledge graph with {len(self.nodes)} nodes and {len(self.edges)} edges."]
        anchors = [n.label for n in self.nodes if n.anchor]
        answers = [n.label for n in self.nodes if n.state == "answer"]
        stuck = [n.label for n in self.nodes if n.state == "dead_end"]
        for name, labels in (
            ("Starts at", anchors),
            ("Answer", answers),
            ("Dead ends", stuck),
        ):
            if labels:
                more = f" and {len(labels) - 5} more" if len(labels) > 5 else ""
                parts.append(f"{name}: {', '.join(labels[:5])}{more}.")
        return " ".join(parts)

    def as_data(self) -> dict[str, Any]:
        """Plain lists and dictionaries, without what has its default value or is said twice."""
        return {
            "nodes": [_slim(n, _NODE_FIELDS) for n in self.nodes],
            "edges": [_slim(e, _EDGE_FIELDS) for e in self.edges],
            "summary": self.summary,
        }


def snapshot(
    records: Sequence[Record], *, detail: int = DETAIL, show: Collection[str] = ()
) -> GraphView:
    """The graph after these records. `show`: statement keys drawn whatever the caps say."""
    fold = _Fold(detail)
    for record in records:
        fold.add(record)
    return _draw(fold, frozenset(show))


def facts_of(records: Sequence[Record], node_id: str) -> list[Statement]:
    """What was seen so far of a node, an edge or a “+n more”: its statements, strongest first."""
    fold = _Fold(DETAIL)
    for record in records:
        fold.add(record)
    edges = sorted(fold.edges.values(), key=lambda e: (-_RANK[e.state], e.seen))
    if node_id in fold.nodes:
        return [e.statement for e in edges if node_id in e.ends]
    kind, _, rest = node_id.partition(":")
    if kind == "more":
        drawn = {e.key for e in _draw(fold, frozenset()).edges}
        left = (e for e in edges if e.source == rest)
        return [e.statement for e in left if statement_key(e.statement) not in drawn]
    if kind == "computed":
        found = fold.computed.get(rest.partition(":")[0])
        return list(found.because) if found else []
    if kind in ("value", "fact", "qualifier"):
        key = rest.partition(":")[0]
        return [e.statement for e in edges if statement_key(e.statement) == key]
    return []


@lru_cache(maxsize=16_384)
def statement_key(statement: Statement) -> str:
    """A short stable name of a statement: pages highlight an edge by it."""
    parts = [statement.subject.id, statement.relation.id, *_spelled(statement.object)]
    for q in statement.qualifiers:
        parts += [q.relation.id, *_spelled(q.value)]
    return blake2b("\x1f".join(parts).encode(), digest_size=6).hexdigest()


def _renamed(s: Statement, node_id: str, entity: Entity) -> Statement:
    """The statement with another entity in place of one."""
    end = s.object
    return replace(
        s,
        subject=entity if s.subject.id == node_id else s.subject,
        object=entity if isinstance(end, Entity) and end.id == node_id else end,
    )


def _far(s: Statement) -> str:
    """The node a qualifier hangs on: the object, or the subject of a literal."""
    return s.object.id if isinstance(s.object, Entity) else s.subject.id


def _spelled(v: Value) -> tuple[str, ...]:
    if isinstance(v, Entity):
        return ("e", v.id)
    return ("l", v.value, v.datatype, v.unit.id if v.unit else "")


# -- folding: what the events say -----------------------------------------------------------


@dataclass(slots=True)
class _Node:
    entity: Entity
    parent: str | None = None
    depth: int = 0
    said: NodeState | None = None  # by the latest event that named the node itself
    anchor: bool = False
    candidate: bool = False
    answer: bool = False
    real: bool = False  # the knowledge graph knows it
    visited: bool = False  # the walk looked around it


@dataclass(slots=True)
class _Edge:
    statement: Statement
    seen: int
    source: str  # the end it was seen from
    state: EdgeState = "frontier"
    provenance: Provenance = "retrieved"
    note: str = ""
    slot: int | None = None  # its place among the neighbours drawn around its source

    @property
    def ends(self) -> tuple[str, ...]:
        s = self.statement
        return (s.subject.id, s.object.id) if isinstance(s.object, Entity) else (s.subject.id,)

    @property
    def important(self) -> bool:
        return self.state in ("cited", "path") or self.provenance != "retrieved"


@dataclass(slots=True)
class _Computed:
    operation: str
    values: tuple[Literal, ...]
    because: tuple[Statement, ...]


@dataclass
class _Fold:
    detail: int
    nodes: dict[str, _Node] = field(default_factory=dict)
    edges: dict[Statement, _Edge] = field(default_factory=dict)
    used: Counter[str] = field(default_factory=Counter)  # slots taken around each node
    mentions: dict[str, list[str]] = field(default_factory=dict)
    computed: dict[str, _Computed] = field(default_factory=dict)
    axioms: dict[str, tuple[str, ...]] = field(default_factory=dict)
    loose: dict[str, None] = field(default_factory=dict)  # drawn although no edge leads there
    values: tuple[Literal, ...] = ()  # of the answer
    qualified: list[tuple[Statement, int]] = field(default_factory=list)  # answers in qualifiers
    focus: str | None = None  # where the walk stands

    def add(self, record: Record) -> None:
        match record.event:
            case events.Expanded() as e:
                self._expanded(e)
            case events.Retrieved() as e:
                self._see([s for s in e.found if isinstance(s, Statement)])
                self._beside(p.entity for p in e.found if not isinstance(p, Statement))
            case events.Chosen() as e:
                self._take(e.statements, "path")
                for entity in e.entities:
                    self._say(entity, "path")
            case events.Pruned() as e:
                self._leave(e)
            case events.DeadEnd() as e:
                for entity in e.entities[: self.detail]:
                    self._say(entity, "dead_end")
            case events.Linked() as e:
                self._linked(e)
            case events.Anchored() as e:
                self._anchored(e)
            case events.Queried() as e:
                cells = (v for row in e.rows[: self.detail] for v in row)
                self._beside(v for v in cells if isinstance(v, Entity))
            case events.Computed() as e:
                self._compute(record.seq, e)
            case events.Proposed() as e:
                self._see(e.statements, "proposed")
            case events.Corrected() as e:
                self._correct(e)
            case events.Axiom() as e:
                for entity in e.entities:
                    self._node(entity, self.focus).real = True
                self.axioms[e.text] = tuple(entity.id for entity in e.entities)
            case events.Answered() | events.Abstained() as e:
                self._answer(e.answer)

    def _node(self, entity: Entity, parent: str | None = None, hops: int = 0) -> _Node:
        """The node of an entity; seen for the first time, it hangs on `parent`.

        Without a hop, no fact leads there: the parent is only where it is drawn.
        """
        node = self.nodes.get(entity.id)
        if node is None:
            above = self.nodes.get(parent) if parent else None
            depth = above.depth + hops if above else 0
            node = _Node(entity, parent if above else None, depth)
            self.nodes[entity.id] = node
        elif entity.label and not node.entity.label:
            node.entity = entity
        return node

    def _say(self, entity: Entity, state: NodeState) -> _Node:
        node = self._node(entity, self.focus)
        node.said, node.real = state, True
        if state in ("path", "dead_end"):
            self.loose[entity.id] = None
        return node

    def _see(
        self,
        statements: Iterable[Statement],
        provenance: Provenance = "retrieved",
        near: Collection[str] = (),
    ) -> list[_Edge]:
        """The statements' edges; new ones compete for the slots around their source."""
        edges, new, known, nodes = [], [], self.edges, self.nodes
        for s in statements:
            edge = known.get(s)
            if edge is None:
                source = self._hang(s, near)
                edge = known[s] = _Edge(s, len(known), source, provenance=provenance)
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

    def _slots(self, new: list[_Edge]) -> None:
        """Gives free slots to new edges, in turn over their relations, so that all show."""
        around: defaultdict[str, defaultdict[str, list[_Edge]]] = defaultdict(
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

    def _take(self, statements: Iterable[Statement], state: EdgeState) -> None:
        for edge in self._see(statements):
            if edge.state != "cited":
                edge.state = state
            for end in edge.ends:
                self.nodes[end].said = "path"

    def _leave(self, event: events.Pruned) -> None:
        for edge in self._see(event.statements):
            if edge.state != "cited":
                edge.state = "pruned"
        for entity in event.entities:
            self._node(entity, self.focus).said = "pruned"

    def _beside(self, entities: Iterable[Entity | None]) -> None:
        """Entities found without a statement: a passage's, a row's."""
        for entity in [e for e in entities if e is not None][: self.detail]:
            self._node(entity, self.focus).real = True
            self.loose[entity.id] = None

    def _expanded(self, event: events.Expanded) -> None:
        near = {e.id for e in event.entities}
        for entity in event.entities:
            node = self._node(entity, self.focus)
            node.real = node.visited = True
        self._see(event.statements, near=near)
        if event.entities:
            self.focus = event.entities[0].id

    def _linked(self, event: events.Linked) -> None:
        for mention, hits in zip(event.mentions, event.candidates, strict=True):
            self.mentions[mention] = [hit.entity.id for hit in hits[:5]]
            for hit in hits[:5]:
                node = self._node(hit.entity)
                node.candidate = node.real = True

    def _anchored(self, event: events.Anchored) -> None:
        node = self._node(event.entity)
        node.anchor = node.real = True
        node.said = None
        self.loose[event.entity.id] = None
        self.focus = event.entity.id
        others = [i for i in self.mentions.get(event.mention, ()) if i != event.entity.id]
        self.mentions[event.mention] = others[:2]
        for other in others:
            rival = self.nodes[other]
            if not rival.anchor and rival.said is None:
                rival.said = "pruned"
            if rival.parent is None and not rival.anchor:
                rival.parent = event.entity.id

    def _compute(self, seq: int, event: events.Computed) -> None:
        self._see(event.because)
        for value in event.result:
            if isinstance(value, Entity):
                self._say(value, "path")
        literals = tuple(v for v in event.result if isinstance(v, Literal))
        if literals:
            self.computed[str(seq)] = _Computed(event.operation, literals[:3], event.because)

    def _correct(self, event: events.Corrected) -> None:
        self._see(event.because)
        claimed, found = event.claimed, event.found
        if found is not None:
            self._take([found], "path")
        if claimed is None:
            return
        filled = found is not None and (is_open(claimed.subject) or is_open(claimed.object))
        if found is not None:
            claimed = self._identify(claimed, found)
        if claimed == found:
            return
        (edge,) = self._see([claimed], "proposed")
        if edge.provenance == "retrieved":  # the graph may hold it nevertheless
            return
        if filled or event.outcome == "kept":  # nothing about it was wrong: the fact stands for it
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

    def _answer(self, answer: Answer) -> None:
        self._take((c for c in answer.citations if isinstance(c, Statement)), "cited")
        for c in answer.citations:
            if not isinstance(c, Statement) and c.entity is not None:
                self._say(c.entity, "path")
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
                        self._node(q.value, _far(s), hops=1)


# -- drawing: what of it is shown -----------------------------------------------------------


def _draw(fold: _Fold, show: frozenset[str]) -> GraphView:
    edges = [_settled(fold, e) for e in fold.edges.values()]
    shown, nodes = _selected(fold, edges, show)
    leaves: list[Leaf] = []
    leaves += _answer_qualifiers(fold, shown)
    leaves += _results(fold, nodes)
    leaves += _axioms(fold, nodes)
    leaves += _more(edges, shown, nodes)

    best: dict[str, EdgeState] = {}
    for e in edges:
        for end in e.ends:
            if end not in best or _RANK[e.state] > _RANK[best[end]]:
                best[end] = e.state
    left = {e.source for e in edges if e.state in ("cited", "path")}
    drawn = [_entity_node(fold, i, best.get(i), nodes, i in left) for i in nodes]
    drawn += [_value_node(fold, e) for e in shown if not isinstance(e.statement.object, Entity)]
    drawn += [node for node, _ in leaves if node is not None]
    lines = [_fact(e) for e in shown] + [line for _, some in leaves for line in some]
    return GraphView(tuple(drawn), tuple(_apart(lines)))


def _settled(fold: _Fold, edge: _Edge) -> _Edge:
    """An undecided edge to an entity that was left is left as well."""
    if edge.state == "frontier" and any(fold.nodes[i].said == "pruned" for i in edge.ends):
        return replace(edge, state="pruned")
    return edge


def _selected(
    fold: _Fold, edges: list[_Edge], show: frozenset[str]
) -> tuple[list[_Edge], dict[str, None]]:
    """The edges to draw, in order of first sight, and the entities at their ends."""
    wanted = {e.seen for e in edges if show and statement_key(e.statement) in show}
    first: list[_Edge] = []
    chosen: Counter[str] = Counter()
    for e in edges:
        if e.state == "cited" or e.seen in wanted:
            first.append(e)
        elif e.important and chosen[e.source] < MOST_CHOSEN:
            chosen[e.source] += 1
            first.append(e)
    first.sort(key=lambda e: (e.state != "cited" and e.seen not in wanted, e.seen))
    taken = {e.seen for e in first}
    aside = [e for e in edges if e.seen not in taken and _has_slot(e, fold.detail)]
    aside.sort(key=lambda e: (e.slot or 0, e.seen))  # every source gets its first slots

    nodes = dict.fromkeys(i for i, n in fold.nodes.items() if n.anchor)
    nodes.update(dict.fromkeys(list(fold.loose)[: MOST_NODES // 2]))
    for mentioned in fold.mentions.values():
        nodes.update(dict.fromkeys(mentioned))
    count = len(nodes)
    kept: list[_Edge] = []

    def admit(edges: list[_Edge], limit: int, *, anywhere: bool) -> list[_Edge]:
        """Takes what there is room for; returns what has to wait for its source."""
        nonlocal count
        waiting = []
        for e in edges:
            new = [i for i in e.ends if i not in nodes]
            size = len(new) + (len(e.ends) == 1)
            source = fold.nodes[e.source]
            reached = e.source in nodes or source.visited or source.parent is None
            if not (reached or anywhere):
                waiting.append(e)
            elif count + size <= limit:
                count += size
                nodes.update(dict.fromkeys(new))
                kept.append(e)
        return waiting

    admit(first, MOST_NODES, anywhere=True)
    room = min(MOST_NODES, count + MOST_ASIDE)
    admit(admit(aside, room, anywhere=False), room, anywhere=False)
    kept.sort(key=lambda e: e.seen)
    in_order = [i for i in fold.nodes if i in nodes]
    return kept, dict.fromkeys(in_order)


def _has_slot(edge: _Edge, detail: int) -> bool:
    if edge.slot is None or edge.important:
        return False
    return edge.slot < (detail // 2 if edge.state == "pruned" else detail)


def _entity_node(
    fold: _Fold, node_id: str, best: EdgeState | None, drawn: Collection[str], left: bool
) -> GraphNode:
    node = fold.nodes[node_id]
    state = _state(node, best, left)
    parent = node.parent
    while parent is not None and parent not in drawn:
        parent = fold.nodes[parent].parent
    name = node.entity.name
    about = [short_id(node_id)] if node.real else ["Named by the model, not in the graph"]
    if node.entity.description:
        about.append(node.entity.description)
    about.append(STATES[state].capitalize())
    if node.depth:
        about[-1] += f" · {node.depth} {'hop' if node.depth == 1 else 'hops'} from the start"
    return GraphNode(
        id=node_id,
        label=cut(name),
        title="\n".join([name, *about]),
        kind="entity",
        state=state,
        description=node.entity.description,
        anchor=node.anchor,
        provenance="retrieved" if node.real else "proposed",
        depth=node.depth,
        parent=parent,
    )


def _state(node: _Node, best: EdgeState | None, left: bool) -> NodeState:
    """`left`: the walk went on from here, so one vain attempt makes it no dead end."""
    if node.answer:
        return "answer"
    if node.said == "dead_end" and not left:
        return "dead_end"
    if node.anchor:
        return "anchor"
    if node.said is not None and node.said != "dead_end":
        return node.said
    if best in ("cited", "path"):
        return "path"
    if best is not None:
        return "frontier" if best == "frontier" else "pruned"
    return "candidate" if node.candidate else "frontier"


def _value_node(fold: _Fold, edge: _Edge) -> GraphNode:
    """A literal is a leaf of its own statement, never shared between subjects."""
    value = edge.statement.object
    name = verbalise.value(value)
    answer = edge.state == "cited" and value in fold.values
    state: NodeState = "answer" if answer else "path" if edge.state == "cited" else edge.state
    return GraphNode(
        id=f"value:{statement_key(edge.statement)}",
        label=cut(name),
        title=f"{name}\n{STATES[state].capitalize()}",
        kind="literal",
        state=state,
        provenance=edge.provenance,
        depth=fold.nodes[edge.statement.subject.id].depth + 1,
        parent=edge.statement.subject.id,
    )


def _fact(edge: _Edge) -> GraphEdge:
    s, key = edge.statement, statement_key(edge.statement)
    says = edge.note or PROVENANCES[edge.provenance]
    if edge.provenance == "retrieved":
        says = f"{EDGE_STATES[edge.state]} {says}"
    return GraphEdge(
        id=f"fact:{key}",
        source=s.subject.id,
        target=s.object.id if isinstance(s.object, Entity) else f"value:{key}",
        label=cut(s.relation.name, RELATION),
        title=f"{verbalise.statement(s)}\n{says}",
        state=edge.state,
        provenance=edge.provenance,
        key=key,
    )


Leaf = tuple[GraphNode | None, list[GraphEdge]]  # None: the node is there already


def _answer_qualifiers(fold: _Fold, shown: list[_Edge]) -> list[Leaf]:
    """An answer that stands in a qualifier (“since when?”) hangs on its statement."""
    drawn = {e.statement for e in shown}
    leaves: list[Leaf] = []
    for s, i in fold.qualified:
        if s not in drawn:
            continue
        key, q, near = statement_key(s), s.qualifiers[i], _far(s)
        name = verbalise.value(q.value)
        leaf = GraphNode(
            id=f"qualifier:{key}:{i}",
            label=cut(name),
            title=f"{name}\n{STATES['answer'].capitalize()}",
            kind="literal",
            state="answer",
            depth=fold.nodes[near].depth + 1,
            parent=near,
        )
        line = GraphEdge(
            id=f"qualifier-of:{key}:{i}",
            source=near,
            target=q.value.id if isinstance(q.value, Entity) else leaf.id,
            label=cut(q.relation.name, RELATION),
            title=f"{verbalise.statement(s)}\n{EDGE_STATES['cited']}",
            state="cited",
            key=key,
        )
        leaves.append((None if isinstance(q.value, Entity) else leaf, [line]))
    return leaves


def _results(fold: _Fold, nodes: Collection[str]) -> list[Leaf]:
    """Computed values, tied to the nodes whose facts they rest on."""
    leaves: list[Leaf] = []
    for seq, found in fold.computed.items():
        sources = Counter(fold.edges[s].source for s in found.because)
        basis = [i for i, _ in sources.most_common() if i in nodes][:4]
        for i, value in enumerate(found.values):
            name = verbalise.value(value)
            state: NodeState = "answer" if value in fold.values else "path"
            node = GraphNode(
                id=f"computed:{seq}:{i}",
                label=cut(name),
                title=f"{name}\n{found.operation} of {len(found.because)} facts\n"
                f"{STATES[state].capitalize()}",
                kind="computed",
                state=state,
                provenance="computed",
                depth=1 + max((fold.nodes[b].depth for b in basis), default=-1),
                parent=basis[0] if basis else None,
            )
            lines = [
                GraphEdge(
                    id=f"computed-from:{seq}:{i}:{b}",
                    source=b,
                    target=node.id,
                    label=cut(found.operation),
                    title=f"{found.operation}: {name}\n{PROVENANCES['computed']}",
                    state="path",
                    provenance="computed",
                )
                for b in basis
            ]
            leaves.append((node, lines))
    return leaves


def _axioms(fold: _Fold, nodes: Collection[str]) -> list[Leaf]:
    leaves: list[Leaf] = []
    for text, about in fold.axioms.items():
        near = [i for i in about if i in nodes]
        if not near:
            continue
        name = blake2b(text.encode(), digest_size=6).hexdigest()
        node = GraphNode(
            id=f"axiom:{name}",
            label=cut(text),
            title=f"{text}\n{PROVENANCES['axiom']}",
            kind="axiom",
            state="path",
            provenance="axiom",
            depth=fold.nodes[near[0]].depth + 1,
            parent=near[0],
        )
        lines = [
            GraphEdge(
                id=f"axiom-about:{name}:{i}",
                source=node.id,
                target=i,
                label="axiom",
                title=f"{text}\n{PROVENANCES['axiom']}",
                state="path",
                provenance="axiom",
            )
            for i in dict.fromkeys(near)
        ]
        leaves.append((node, lines))
    return leaves


def _more(edges: list[_Edge], shown: list[_Edge], nodes: Collection[str]) -> list[Leaf]:
    """What is not drawn around each node, as one node that says how much it is."""
    drawn = {e.seen for e in shown}
    left: defaultdict[str, list[_Edge]] = defaultdict(list)
    for e in edges:
        if e.seen not in drawn and e.source in nodes:
            left[e.source].append(e)
    leaves: list[Leaf] = []
    for source, hidden in left.items():
        strongest = max((e.state for e in hidden), key=_RANK.__getitem__)
        state: NodeState = "path" if strongest == "cited" else strongest
        relations = Counter(e.statement.relation.name for e in hidden).most_common()
        listed = ", ".join(f"{name} ({n})" for name, n in relations[:8])
        rest = ", …" if len(relations) > 8 else ""
        label = f"+{len(hidden):,} more"
        title = f"{len(hidden):,} more {'fact' if len(hidden) == 1 else 'facts'}\n{listed}{rest}"
        node = GraphNode(
            id=f"more:{source}", label=label, title=title, kind="more", state=state, parent=source
        )
        line = GraphEdge(
            id=f"more-of:{source}",
            source=source,
            target=node.id,
            label="",
            title=title,
            state=strongest,
        )
        leaves.append((node, [line]))
    return leaves


def _apart(edges: Iterable[GraphEdge]) -> Iterable[GraphEdge]:
    """Bends the second and further edges between the same two nodes, to alternate sides."""
    between: Counter[tuple[str, str]] = Counter()
    for e in edges:
        pair = (e.source, e.target) if e.source <= e.target else (e.target, e.source)
        n = between[pair]
        between[pair] += 1
        if n and e.source != e.target:
            side = 1 if (n % 2) == (e.source <= e.target) else -1
            e = replace(e, bend=side * 0.18 * ((n + 1) // 2))
        yield e


def cut(text: str, most: int = LABEL) -> str:
    """A label on one line, with an ellipsis where it is cut."""
    text = " ".join(text.split())
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"


def _slim(item: GraphNode | GraphEdge, names: Sequence[str]) -> dict[str, Any]:
    values = ((name, getattr(item, name)) for name in names)
    return {name: v for name, v in values if v not in (None, "", 0, False, "retrieved")}
