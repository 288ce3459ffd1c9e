"""The subgraph a run has walked so far: a pure fold over a prefix of its records.

`fold.py` gathers what the events say; here is what of it is drawn, and in what words. Live view,
step slider, replay and export call `snapshot(records[:k])`. Ids are stable and the order is that
of first sight, so two snapshots of one run differ by little more than what is new.
What is drawn is capped: everything chosen, cited or anchored; around each node a dozen of the
rest, the remainder as one node “+37 more”.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from hashlib import blake2b
from typing import Literal as OneOf

from kgqa_core.ask.events import EdgeState, NodeState, Provenance, Record
from kgqa_core.facts import relations, verbalise
from kgqa_core.facts.terms import Entity, Statement, Value, telling_id
from kgqa_core.render.fold import Edge, Fold, Node, Result, far_end
from kgqa_core.render.sorts import Sort, sorts_of
from kgqa_core.text import counted, listed, shortened

NodeKind = OneOf["entity", "literal", "computed", "axiom", "more", "list", "step"]

DETAIL = 12  # undecided neighbours drawn around a node; half as many that were left
MOST_CHOSEN = 40  # chosen neighbours drawn around a node, besides the cited ones
MOST_ASIDE = 160  # nodes drawn in all that are neither chosen nor cited
MOST_NODES = 300
LABEL, RELATION = 28, 28  # characters of a label before it is cut
LINE = 4_000  # characters of a line that tells of a thing in full; a passage fits

STATES: dict[NodeState, str] = {
    "anchor": "anchor: the walk starts here",
    "answer": "part of the answer",
    "path": "on the chosen path",
    "frontier": "retrieved, not decided",
    "candidate": "a candidate for a name in the question",
    "pruned": "looked at and left",
    "dead_end": "dead end: nothing further from here",
}
_CLAIMED: tuple[Provenance, ...] = ("proposed", "corrected")  # by a draft, which may be wrong
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

    `anchor` stays true when the state says more (an anchor can be a dead end, or the answer);
    one that is not `named` is only much like a name of the question.
    `told`: something that was read says its sort. `count`: facts that a “more” stands for.
    `folded`: facts around it that are not drawn; `opened`: it was asked for them. `members`: what
    a “list” lists.
    """

    id: str
    label: str
    title: str
    kind: NodeKind
    state: NodeState
    description: str = ""
    anchor: bool = False
    named: bool = True
    provenance: Provenance = "retrieved"
    depth: int = 0
    parent: str | None = None
    sort: Sort = "thing"
    told: bool = False
    count: int = 0
    folded: int = 0
    opened: bool = False
    members: tuple[GraphNode, ...] = ()


@dataclass(frozen=True, slots=True)
class GraphEdge:
    """`key` is the `statement_key` (empty when no statement stands behind the edge).

    `side`: whose it is, where several runs are drawn as one (`together.py`).
    """

    id: str
    source: str
    target: str
    label: str
    title: str
    state: EdgeState
    provenance: Provenance = "retrieved"
    key: str = ""
    side: str = ""


@dataclass(frozen=True, slots=True)
class GraphView:
    nodes: tuple[GraphNode, ...] = ()
    edges: tuple[GraphEdge, ...] = ()

    @property
    def summary(self) -> str:
        """The graph in a sentence, for those who cannot see it."""
        if not self.nodes:
            return "The knowledge graph of this run is still empty."
        nodes, edges = counted(len(self.nodes), "node"), counted(len(self.edges), "edge")
        parts = [f"Knowledge graph with {nodes} and {edges}."]
        anchors = [n.label for n in self.nodes if n.anchor]
        answers = [n.label for n in self.nodes if n.state == "answer"]
        stuck = [n.label for n in self.nodes if n.state == "dead_end"]
        for name, labels in (
            ("Starts at", anchors),
            ("Answer", answers),
            ("Dead ends", stuck),
        ):
            if labels:
                parts.append(f"{name}: {listed(labels, 5)}.")
        return " ".join(parts)


def snapshot(
    records: Sequence[Record], *, detail: int = DETAIL, show: Collection[str] = ()
) -> GraphView:
    """The graph after these records. `show`: statement keys drawn whatever the caps say."""
    fold = Fold(detail)
    for record in records:
        fold.add(record)
    return _draw(fold, frozenset(show))


def of_sort(node: GraphNode, sort: Sort | None) -> GraphNode:
    """The node with its sort, if one is told of it."""
    return node if sort is None else replace(node, sort=sort, told=True)


def alike(view: GraphView, others: Iterable[GraphView]) -> GraphView:
    """The view, its things of the sort that any of the views tells: each looks the same in all.

    What is told to be no more than a thing (a ship, a kind of people) is nothing else in any.
    """
    sorts: dict[str, Sort] = {}
    for one in (*others, view):
        for n in one.nodes:
            if n.told and (n.sort == "thing" or n.id not in sorts):
                sorts[n.id] = n.sort
    return GraphView(tuple(of_sort(n, sorts.get(n.id)) for n in view.nodes), view.edges)


def facts_of(records: Sequence[Record], node_id: str) -> list[Statement]:
    """What was seen so far of a node, an edge or a “+n more”: its statements, strongest first."""
    fold = Fold(DETAIL)
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
    return blake2b("\x1f".join(parts).encode("utf-8", "replace"), digest_size=6).hexdigest()


def _spelled(v: Value) -> tuple[str, ...]:
    if isinstance(v, Entity):
        return ("e", v.id)
    return ("l", v.value, v.datatype, v.unit.id if v.unit else "")


# -- what of it is drawn ----------------------------------------------------------------------


def _draw(fold: Fold, show: frozenset[str]) -> GraphView:
    edges = [_settled(fold, e) for e in fold.edges.values()]
    shown, nodes = _selected(fold, edges, show)
    leaves: list[Leaf] = []
    leaves += _answer_qualifiers(fold, shown)
    leaves += _results(fold, _depths(fold, shown, nodes))
    leaves += _axioms(fold, nodes)
    leaves += _more(edges, shown, nodes)

    best: dict[str, EdgeState] = {}
    for e in edges:
        for end in e.ends:
            if end not in best or _RANK[e.state] > _RANK[best[end]]:
                best[end] = e.state
    left = {e.source for e in edges if e.state in ("cited", "path")}
    stated = [s for s, e in fold.edges.items() if e.provenance not in _CLAIMED]
    sorts = sorts_of((fold.nodes[i].entity for i in nodes), stated)
    drawn = [
        of_sort(_entity_node(fold, i, best.get(i), nodes, i in left), sorts.get(i)) for i in nodes
    ]
    drawn += [_value_node(fold, e) for e in shown if not isinstance(e.statement.object, Entity)]
    drawn += [node for node, _ in leaves if node is not None]
    lines = [_fact(e) for e in shown] + [line for _, some in leaves for line in some]
    return GraphView(
        tuple(replace(n, title=_lines(n.title), description=brief(n.description)) for n in drawn),
        tuple(replace(e, title=_lines(e.title)) for e in lines),
    )


def _depths(fold: Fold, shown: list[Edge], nodes: Collection[str]) -> dict[str, int]:
    """How far from a root each drawn node is, values included."""
    depths = {i: fold.nodes[i].depth for i in nodes}
    for e in shown:
        depths.setdefault(_far_node(e), fold.nodes[e.source].depth + 1)
    return depths


def _settled(fold: Fold, edge: Edge) -> Edge:
    """An undecided edge to an entity that was left is left as well."""
    if edge.state == "frontier" and any(fold.nodes[i].said == "pruned" for i in edge.ends):
        return replace(edge, state="pruned")
    return edge


def _selected(
    fold: Fold, edges: list[Edge], show: frozenset[str]
) -> tuple[list[Edge], dict[str, None]]:
    """The edges to draw, in order of first sight, and the entities at their ends."""
    wanted = {e.seen for e in edges if show and statement_key(e.statement) in show}
    first: list[Edge] = []
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
    kept: list[Edge] = []

    def admit(edges: list[Edge], limit: int, *, anywhere: bool) -> list[Edge]:
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


def _has_slot(edge: Edge, detail: int) -> bool:
    if edge.slot is None or edge.important:
        return False
    return edge.slot < (detail // 2 if edge.state == "pruned" else detail)


def _entity_node(
    fold: Fold, node_id: str, best: EdgeState | None, drawn: Collection[str], left: bool
) -> GraphNode:
    node = fold.nodes[node_id]
    state = _state(node, best, left)
    parent = node.parent
    while parent is not None and parent not in drawn:
        parent = fold.nodes[parent].parent
    name = node.entity.name
    known = [telling_id(node_id)] if telling_id(node_id) else []
    about = known if node.real else ["Named by the model, not in the graph"]
    if node.entity.description:
        about.append(node.entity.description)
    about.append(STATES[state].capitalize())
    if node.depth:
        about[-1] += f" · {counted(node.depth, 'hop')} from the start"
    return GraphNode(
        id=node_id,
        label=cut(name),
        title="\n".join(map(one_line, [name, *about])),
        kind="entity",
        state=state,
        description=node.entity.description,
        anchor=node.anchor,
        named=node.named or not node.anchor,
        provenance="retrieved" if node.real else "proposed",
        depth=node.depth,
        parent=parent,
    )


def _state(node: Node, best: EdgeState | None, left: bool) -> NodeState:
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


def _value_node(fold: Fold, edge: Edge) -> GraphNode:
    """A literal is a leaf of its own statement, never shared between subjects."""
    value = edge.statement.object
    name = verbalise.value(value, edge.statement.relation)
    answer = edge.state == "cited" and value in fold.values
    state: NodeState = "answer" if answer else "path" if edge.state == "cited" else edge.state
    return GraphNode(
        id=f"value:{statement_key(edge.statement)}",
        label=cut(name),
        title=f"{one_line(name)}\n{STATES[state].capitalize()}",
        kind="literal",
        state=state,
        provenance=edge.provenance,
        depth=fold.nodes[edge.statement.subject.id].depth + 1,
        parent=edge.statement.subject.id,
    )


def _fact(edge: Edge) -> GraphEdge:
    s, key = edge.statement, statement_key(edge.statement)
    says = edge.note or PROVENANCES[edge.provenance]
    if edge.provenance == "retrieved":
        says = f"{EDGE_STATES[edge.state]} {says}"
    return GraphEdge(
        id=f"fact:{key}",
        source=s.subject.id,
        target=s.object.id if isinstance(s.object, Entity) else f"value:{key}",
        label=relation_label(s),
        title=f"{one_line(verbalise.statement(s))}\n{says}",
        state=edge.state,
        provenance=edge.provenance,
        key=key,
    )


def relation_label(s: Statement) -> str:
    """What stands at a fact's edge; a deprecated one is not drawn as if it held."""
    wrong = "deprecated: " if s.rank == "deprecated" else ""
    return cut(f"{wrong}{s.relation.name}", RELATION)


Leaf = tuple[GraphNode | None, list[GraphEdge]]  # None: the node is there already


def _answer_qualifiers(fold: Fold, shown: list[Edge]) -> list[Leaf]:
    """An answer that stands in a qualifier (“since when?”) hangs on its statement."""
    drawn = {e.statement for e in shown}
    leaves: list[Leaf] = []
    for s, i in fold.qualified:
        if s not in drawn:
            continue
        key, q, near = statement_key(s), s.qualifiers[i], far_end(s)
        name = verbalise.value(q.value, q.relation)
        leaf = GraphNode(
            id=f"qualifier:{key}:{i}",
            label=cut(name),
            title=f"{one_line(name)}\n{STATES['answer'].capitalize()}",
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
            title=f"{one_line(verbalise.statement(s))}\n{EDGE_STATES['cited']}",
            state="cited",
            key=key,
        )
        leaves.append((None if isinstance(q.value, Entity) else leaf, [line]))
    return leaves


def _results(fold: Fold, nodes: Mapping[str, int]) -> list[Leaf]:
    """Computed values, tied to what they were computed from. `nodes`: the depths of all drawn."""
    leaves: list[Leaf] = []
    for seq, found in fold.computed.items():
        basis = [i for i in _counted(fold, found) if i in nodes]
        for i, value in enumerate(found.values):
            name = verbalise.value(value)
            state: NodeState = "answer" if value in fold.values else "path"
            node = GraphNode(
                id=f"computed:{seq}:{i}",
                label=cut(name),
                title=f"{one_line(name)}\n{one_line(found.operation)} of "
                f"{counted(len(found.because), 'fact')}\n{STATES[state].capitalize()}",
                kind="computed",
                state=state,
                provenance="computed",
                depth=1 + max((nodes[b] for b in basis), default=-1),
                parent=basis[0] if basis else None,
            )
            lines = [
                GraphEdge(
                    id=f"computed-from:{seq}:{i}:{b}",
                    source=b,
                    target=node.id,
                    label=cut(found.operation),
                    title=f"{one_line(f'{found.operation}: {name}')}\n{PROVENANCES['computed']}",
                    state="path",
                    provenance="computed",
                )
                for b in basis
            ]
            leaves.append((node, lines))
    return leaves


def _counted(fold: Fold, found: Result) -> dict[str, None]:
    """What was counted; else the far ends of what a result rests on: not those that led there."""
    if found.of:
        stated: dict[Value, list[str]] = {}
        for s in found.because:
            stated.setdefault(s.object, []).append(_far_node(fold.edges[s]))
        return dict.fromkeys(
            i
            for value in found.of
            for i in ([value.id] if isinstance(value, Entity) else stated.get(value, []))
        )
    every = [fold.edges[s] for s in found.because]
    kinds = relations.names("class") | relations.names("subclass")
    edges = [e for e in every if e.statement.relation.name not in kinds] or every
    passed = {e.source for e in edges}
    ends = {_far_node(e): None for e in edges}
    return {i: None for i in ends if i not in passed} or dict.fromkeys(passed)


def _far_node(edge: Edge) -> str:
    """The end that an edge leads to, seen from where it was reached."""
    if not isinstance(edge.statement.object, Entity):
        return f"value:{statement_key(edge.statement)}"
    return next((end for end in edge.ends if end != edge.source), edge.source)


def _axioms(fold: Fold, nodes: Collection[str]) -> list[Leaf]:
    leaves: list[Leaf] = []
    for text, about in fold.axioms.items():
        near = [i for i in about if i in nodes]
        if not near:
            continue
        name = blake2b(text.encode(), digest_size=6).hexdigest()
        node = GraphNode(
            id=f"axiom:{name}",
            label=cut(text),
            title=f"{one_line(text)}\n{PROVENANCES['axiom']}",
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
                title=f"{one_line(text)}\n{PROVENANCES['axiom']}",
                state="path",
                provenance="axiom",
            )
            for i in dict.fromkeys(near)
        ]
        leaves.append((node, lines))
    return leaves


def _more(edges: list[Edge], shown: list[Edge], nodes: Collection[str]) -> list[Leaf]:
    """What is not drawn around each node, as one node that says how much it is."""
    drawn = {e.seen for e in shown}
    left: defaultdict[str, list[Edge]] = defaultdict(list)
    for e in edges:
        if e.seen not in drawn and e.source in nodes:
            left[e.source].append(e)
    leaves: list[Leaf] = []
    for source, hidden in left.items():
        strongest = max((e.state for e in hidden), key=_RANK.__getitem__)
        state: NodeState = "path" if strongest == "cited" else strongest
        common = Counter(e.statement.relation.name for e in hidden).most_common()
        most = ", ".join(f"{name} ({n})" for name, n in common[:8])
        rest = ", …" if len(common) > 8 else ""
        label = f"+{len(hidden):,} more"
        title = f"{counted(len(hidden), 'more fact')}\n{most}{rest}"
        node = GraphNode(
            id=f"more:{source}",
            label=label,
            title=title,
            kind="more",
            state=state,
            parent=source,
            count=len(hidden),
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


def one_line(text: str) -> str:
    """A label on one line: in titles, a new line begins what is said about it."""
    return " ".join(text.split())


def cut(text: str, most: int = LABEL) -> str:
    """A label on one line, with an ellipsis where it is cut, between two words if it can be."""
    return shortened(one_line(text), most)


def brief(text: str) -> str:
    """The text as it is, unless it is endless: a graph may hold labels of a megabyte."""
    return text if len(text) <= LINE else cut(text, LINE)


def _lines(text: str) -> str:
    return "\n".join(map(brief, text.split("\n")))
