"""Several runs in one picture: all they rest on as one graph, and their steps where they part.

Both are views like any other. The `side` of an edge says whose it is: the number of a run, or
“several”, or “all”.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace
from itertools import pairwise

from kgqa_core.ask.events import NodeState, Record
from kgqa_core.history.comparison import Move, Row
from kgqa_core.render.graph import GraphEdge, GraphNode, GraphView, alike, cut, one_line, snapshot
from kgqa_core.text import enumerated

MOST_EDGES = 150  # more is a hairball
_STEP = 44  # characters of a step: two lines
_STATES: dict[object, NodeState] = {
    "answer": "answer",
    "no answer": "dead_end",
    "dead end": "dead_end",
    "failed": "dead_end",
    "stopped": "dead_end",
}
_RANK: dict[NodeState, int] = {"dead_end": 1, "anchor": 2, "answer": 3}  # the others: 0


def side_of(owners: Collection[int], count: int) -> str:
    """Whose something is, of so many runs."""
    if len(owners) == 1:
        return str(next(iter(owners)))
    return "all" if len(owners) == count else "several"


def one_graph(
    walks: Sequence[Sequence[Record]], names: Sequence[str], *, differing: bool = False
) -> GraphView:
    """What the runs followed, computed or cite, each fact once. `differing`: not what all share."""
    nodes: dict[str, GraphNode] = {}
    edges: dict[tuple[str, str, str, str], GraphEdge] = {}
    owners: dict[tuple[str, str, str, str], dict[int, None]] = {}
    views = [_with_common_ids(snapshot(records)) for records in walks]
    for n, view in enumerate(alike(view, views) for view in views):
        for node in view.nodes:
            had = nodes.get(node.id)
            stronger = had is None or _RANK.get(node.state, 0) > _RANK.get(had.state, 0)
            best = node if had is None or stronger else had
            nodes[node.id] = replace(best, anchor=node.anchor or (had is not None and had.anchor))
        for e in view.edges:
            if e.state in ("cited", "path"):
                key = (e.source, e.target, e.label, e.key)
                edges.setdefault(key, e)
                owners.setdefault(key, {})[n] = None
    found = []
    for key, e in edges.items():
        if differing and len(owners[key]) == len(walks):
            continue
        by = f"Found by {enumerated([names[i] for i in owners[key]])}."
        fact = e.title.partition("\n")[0]
        side = side_of(owners[key], len(walks))
        found.append(replace(e, state="path", side=side, title=f"{fact}\n{by}"))
    found = found[:MOST_EDGES]
    ends = {end for e in found for end in (e.source, e.target)}
    kept = (n for n in nodes.values() if n.id in ends)
    return GraphView(
        tuple(n if n.state in _RANK else replace(n, state="path") for n in kept), tuple(found)
    )


def _with_common_ids(view: GraphView) -> GraphView:
    """What was computed is called by what it is: in each run it came at another moment."""
    operations = {e.target: e.label for e in view.edges if e.provenance == "computed"}
    called = {
        n.id: f"computed:{operations.get(n.id, '')}:{n.label}"
        for n in view.nodes
        if n.kind == "computed"
    }
    return GraphView(
        tuple(replace(n, id=called.get(n.id, n.id)) for n in view.nodes),
        tuple(
            replace(e, source=called.get(e.source, e.source), target=called.get(e.target, e.target))
            for e in view.edges
        ),
    )


def partings(rows: Sequence[Row], names: Sequence[str]) -> GraphView:
    """Aligned steps from left to right: one line where all do the same, then a branch for each."""
    nodes: dict[str, GraphNode] = {}
    ways: list[list[str]] = [[] for _ in names]
    for n, row in enumerate(rows):
        groups: dict[object, list[int]] = {}
        for i, move in enumerate(row):
            if move is not None:
                groups.setdefault(move.key, []).append(i)
        for members in groups.values():
            move = row[members[0]]
            assert move is not None
            node = _step(f"step:{n}:{members[0]}", n, move, [names[i] for i in members])
            if not any(ways[i] for i in members):
                node = replace(node, anchor=True)
            nodes[node.id] = node
            for i in members:
                ways[i].append(node.id)
    owners: dict[tuple[str, str], list[int]] = {}
    for i, way in enumerate(ways):
        for pair in pairwise(way):
            owners.setdefault(pair, []).append(i)
    edges = (
        GraphEdge(
            f"{a}>{b}",
            a,
            b,
            "",
            enumerated([names[i] for i in who]),
            "path",
            side=side_of(who, len(names)),
        )
        for (a, b), who in owners.items()
    )
    return GraphView(tuple(nodes.values()), tuple(edges))


def _step(node_id: str, column: int, move: Move, by: Sequence[str]) -> GraphNode:
    kind = move.key[0] if isinstance(move.key, tuple) else ""
    return GraphNode(
        node_id,
        cut(move.text, _STEP),
        f"{one_line(move.text)}\n{enumerated(by)}",
        "step",
        _STATES.get(kind, "path"),
        depth=column,
    )
