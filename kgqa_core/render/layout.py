"""Places for a graph in reading order: where the walk starts on the left, answers on the right.

A layered drawing. Nodes stand in columns, by their distance from an anchor; between two columns
of nodes stands one of the names of relations, so that each name has a line of its own. An edge
bends only in the gaps between columns and runs straight through them, in a row of its own: no
label covers another, and no edge crosses a node it does not touch.

In a narrow place the same is drawn `tall`: the walk starts at the top, and what are columns here
are rows. The drawing is made with lengths exchanged, and turned at the end. Where that is too wide
for a phone, what hangs from one anchor alone stands above what hangs from the next.

The same view is always placed the same way. `like` keeps what two views share in its place.
Lengths are in CSS pixels; x grows to the right, y downwards.
"""

from __future__ import annotations

import unicodedata
from collections import defaultdict
from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise, zip_longest

import networkx as nx

from kgqa_core.render.focus import MOST_SIDE_BY_SIDE
from kgqa_core.render.graph import GraphEdge, GraphNode, GraphView
from kgqa_core.text import shortened

TEXT, SMALL = 14.0, 11.5  # sizes of names of nodes, and of relations and counts
LINE = 17.0  # height of a line of a node's name
MOST_CHARS = 22  # in a line of a node's name, of which there are two
ROWS = 7  # of a list seen at once
ROW = 20.0  # their height
_ICON = 22.0  # beside a node's name
_PAD = 9.0
_GAP = 28.0  # between two columns: room to bend
_STRAIGHT = 15.0  # the same from left to right, where nothing bends: an arrow has room
_APART, _APART_NAMES = 14.0, 7.0  # the least between two in one column
_BETWEEN = 28.0  # between parts that nothing joins
_SWEEPS = 15
_WIDE, _NARROW = 640.0, 350.0  # beyond this width, loose nodes go to the next row
_PHONE = 380.0  # what a phone shows of a picture whose letters can be read


@dataclass(frozen=True, slots=True)
class Box:
    """A rectangle by its centre."""

    x: float
    y: float
    w: float
    h: float

    @property
    def left(self) -> float:
        return self.x - self.w / 2

    @property
    def right(self) -> float:
        return self.x + self.w / 2

    @property
    def top(self) -> float:
        return self.y - self.h / 2

    @property
    def bottom(self) -> float:
        return self.y + self.h / 2


@dataclass(frozen=True, slots=True)
class Name:
    """The name of a relation, once for all edges that share it and an end."""

    id: str
    box: Box
    edges: tuple[GraphEdge, ...]


@dataclass(frozen=True, slots=True)
class Line:
    """A stretch of edges, from left to right, as points between which it bends in gaps.

    `start`, `end`: an arrow stands there.
    """

    points: tuple[tuple[float, float], ...]
    edges: tuple[GraphEdge, ...]
    start: bool = False
    end: bool = False


@dataclass(frozen=True, slots=True)
class Placed:
    nodes: Mapping[str, Box]
    names: tuple[Name, ...]
    lines: tuple[Line, ...]
    widths: tuple[float, ...]  # of the columns; heights of the rows, where it is tall
    gaps: tuple[float, ...] = ()  # behind each of them
    tall: bool = False
    ranks: Mapping[str, int] = field(default_factory=dict)  # of nodes, where anchors take turns

    @property
    def extent(self) -> Box:
        boxes = [*self.nodes.values(), *(name.box for name in self.names)]
        if not boxes:
            return Box(0, 0, 0, 0)
        at = [point for line in self.lines for point in line.points]
        left = min([*(b.left for b in boxes), *(x for x, _ in at)])
        right = max([*(b.right for b in boxes), *(x for x, _ in at)])
        top = min([*(b.top for b in boxes), *(y for _, y in at)])
        bottom = max([*(b.bottom for b in boxes), *(y for _, y in at)])
        return Box((left + right) / 2, (top + bottom) / 2, right - left, bottom - top)


# -- text ------------------------------------------------------------------------------------


def width_of(text: str, size: float) -> float:
    """At least the width of a text in the usual sans-serif fonts."""
    return sum(map(_advance, text)) * size


def _advance(char: str) -> float:
    if char in "ijl.,:;'|!()[]I ":
        return 0.31
    if char in 'ftr-/“”"':
        return 0.41
    if char in "mwMW@%—…":
        return 0.93
    if unicodedata.east_asian_width(char) in "WF":
        return 1.05
    if unicodedata.combining(char):
        return 0.0
    return 0.7 if char.isupper() else 0.59


def lines_of(text: str, most: int = MOST_CHARS) -> list[str]:
    """A name on at most two lines; an ellipsis where it is cut, between words if it can be."""
    words = text.split()
    lines = [""]
    for word in words:
        room = most - len(lines[-1]) - 1
        if not lines[-1]:
            lines[-1] = word
        elif len(word) <= room:
            lines[-1] += f" {word}"
        else:
            lines.append(word)
    first, rest = lines[0], " ".join(lines[1:])
    return [shortened(line, most) for line in (first, rest) if line] or [""]


def count_of(node: GraphNode) -> str:
    """What stands under a node's name about what is folded there."""
    if node.opened:
        return "− fold"
    return f"+ {node.folded:,} more it looked at" if node.folded else ""


def size_of(node: GraphNode) -> tuple[float, float]:
    """Width and height of a node's box."""
    if node.kind == "list":
        rows = min(ROWS, len(node.members))
        widest = max(width_of(m.label, SMALL + 1) for m in node.members)
        head = width_of(node.label, SMALL + 1) + 24
        rest = 16 if len(node.members) > ROWS else 0
        return max(widest, head) + 2 * _PAD + 12, (rows + 1) * ROW + 12 + rest
    lines = lines_of(node.title.partition("\n")[0] if node.kind != "more" else node.label)
    bold = 1.07 if node.anchor or node.state in ("anchor", "answer") else 1.0
    wide = bold * max(width_of(line, TEXT) for line in lines) + _ICON + 2 * _PAD
    under = count_of(node)
    if under:
        wide = max(wide, width_of(under, SMALL) + 2 * _PAD)
    return wide, len(lines) * LINE + 13 + (15 if under else 0)


def name_size(edge: GraphEdge) -> tuple[float, float]:
    return (width_of(edge.label, SMALL) + 12 if edge.label else 8.0), 18.0


# -- the layered drawing ---------------------------------------------------------------------


@dataclass(slots=True, eq=False)
class _Vertex:
    """A node, the name of a relation, or the place where an edge runs through a column."""

    id: str
    column: int
    w: float
    h: float
    y: float = 0.0
    fixed: bool = False
    left: list[tuple[_Vertex, float]] = field(default_factory=list)  # joined to, and how firmly
    right: list[tuple[_Vertex, float]] = field(default_factory=list)


@dataclass(slots=True)
class _Chain:
    """Edges on their way through the columns, from left to right."""

    through: list[_Vertex]
    edges: tuple[GraphEdge, ...]
    start: bool  # an arrow stands there
    end: bool


@dataclass(slots=True)
class _Part:
    """What hangs together."""

    vertices: list[_Vertex]
    chains: list[_Chain]
    names: list[tuple[_Vertex, tuple[GraphEdge, ...]]]


@lru_cache(maxsize=64)
def arranged(*views: GraphView, tall: bool = False) -> Placed:
    """The last view's places: what an earlier view has too stands where it stands there."""
    *before, view = views
    if before == [view]:
        before = []
    turns = tall and any(placed(one, tall=True).extent.w > _PHONE for one in views)
    like: Placed | None = None
    for one in before:
        mine = placed(one, like, tall=tall, turns=turns)
        if like is None:
            like = mine
            continue
        widths = zip_longest(like.widths, mine.widths, fillvalue=0.0)
        gaps = zip_longest(like.gaps, mine.gaps, fillvalue=0.0)
        both = {**mine.nodes, **like.nodes}
        ranks = {**mine.ranks, **like.ranks}
        like = Placed(both, (), (), tuple(map(max, widths)), tuple(map(max, gaps)), ranks=ranks)
    return placed(view, like, tall=tall, turns=turns)


def most_abreast(drawn: Callable[[int], GraphView]) -> int:
    """How many neighbours of one kind are drawn one by one where there is little width.

    Where a phone has no room even for these, it is one. `drawn`: the view with so many.
    """
    fits = arranged(drawn(MOST_SIDE_BY_SIDE), tall=True).extent.w <= _PHONE
    return MOST_SIDE_BY_SIDE if fits else 1


def placed(
    view: GraphView, like: Placed | None = None, *, tall: bool = False, turns: bool = False
) -> Placed:
    """Where everything of a view stands; what is in `like` too stands there, if there is room.

    `turns`: anchors stand one after the other, each with what hangs from it alone.
    """
    nodes = {n.id: n for n in view.nodes}
    edges = [e for e in view.edges if e.source in nodes and e.target in nodes]
    graph: nx.Graph = nx.Graph()
    graph.add_nodes_from(nodes)
    graph.add_edges_from((e.source, e.target) for e in edges if e.source != e.target)
    seen = {i: n for n, i in enumerate(nodes)}
    groups = [sorted(group, key=seen.__getitem__) for group in nx.connected_components(graph)]
    groups.sort(key=lambda ids: (-sum(_matters(nodes[i]) for i in ids), seen[ids[0]]))
    where = {i: n for n, ids in enumerate(groups) for i in ids}
    among: defaultdict[int, list[GraphEdge]] = defaultdict(list)
    for e in edges:
        among[where[e.source]].append(e)
    known = like.nodes if like is not None else {}
    taken: dict[str, int] = {}
    parts, single = [], []
    for n, ids in enumerate(groups):
        some = [nodes[i] for i in ids]
        if len(ids) == 1:
            single.append(some[0])
            continue
        within = graph.subgraph(ids)
        ranks = _ranks(within, some)
        if turns:
            ranks = _in_blocks(within, some, ranks)
            if like is not None:
                ranks |= {i: like.ranks[i] for i in ids if i in like.ranks}
            taken |= ranks
        part = _part(some, among[n], ranks, tall)
        for v in part.vertices:
            if v.id in known:
                v.y, v.fixed = known[v.id].x if tall else known[v.id].y, True
        _arrange(part.vertices)
        if turns:
            _together(part.vertices)
        parts.append(part)
    if tall:
        _in_turn(parts, like.ranks if like is not None else ())

    every = [v for part in parts for v in part.vertices]
    count = max((v.column for v in every), default=-1) + 1
    widths = [max((v.w for v in every if v.column == c), default=0.0) for c in range(count)]
    if like is not None:
        widths = [max([w, *like.widths[c : c + 1]]) for c, w in enumerate(widths)]
    bent = {v.column for v in every for u, _ in v.right if abs(u.y - v.y) > 4}
    gaps = [_GAP if tall or c in bent else _STRAIGHT for c in range(count)]
    if like is not None:
        gaps = [max([g, *like.gaps[c : c + 1]]) for c, g in enumerate(gaps)]
    lefts = [sum(widths[:c]) + sum(gaps[:c]) for c in range(count)]
    if not tall:
        end, start, wide = _stacked(parts), 0.0, max(_WIDE, sum(widths))
    else:
        end = lefts[-1] + widths[-1] if count else -_BETWEEN
        start = min((v.y - v.h / 2 for v in every), default=0.0)
        wide = max(_NARROW, max((v.y + v.h / 2 for v in every), default=0.0) - start)

    def box(v: _Vertex) -> Box:
        along = lefts[v.column] + v.w / 2
        return Box(v.y, along, v.h, v.w) if tall else Box(along, v.y, v.w, v.h)

    boxes = {v.id: box(v) for v in every if v.id in nodes}
    boxes |= _rows(single, start, end, wide, known)
    return Placed(
        boxes,
        tuple(Name(v.id, box(v), some) for part in parts for v, some in part.names),
        tuple(_line(chain, lefts, widths, tall) for part in parts for chain in part.chains),
        tuple(widths),
        tuple(gaps),
        tall,
        taken,
    )


def _matters(node: GraphNode) -> float:
    return 100.0 if node.state == "answer" else 10.0 if node.anchor else 1.0


def _ranks(graph: nx.Graph, nodes: Sequence[GraphNode]) -> dict[str, int]:
    """The column of each node: its distance from an anchor, answers as far right as any."""
    roots = [n.id for n in nodes if n.anchor and n.state != "answer"]
    roots = roots or [n.id for n in nodes if n.anchor]
    first = [n.id for n in nodes if n.parent is None or n.parent not in graph]
    if any(n.kind == "computed" for n in nodes):  # all that it was computed from begin alike
        roots = roots or [n.id for n in nodes if n.kind == "entity" and n.id in first]
    roots = roots or first[:1]
    roots = roots or [nodes[0].id]
    ranks: dict[str, int] = {}
    for distance, layer in enumerate(nx.bfs_layers(graph, roots)):
        ranks.update(dict.fromkeys(layer, distance))
    byid = {n.id: n for n in nodes}
    for n in nodes:  # what is computed stands right of all it was computed from
        if n.kind == "computed":
            ranks[n.id] = 1 + max((ranks[i] for i in graph[n.id]), default=0)
        elif n.kind == "step":
            ranks[n.id] = n.depth
    last = max(ranks.values())
    ends = [
        n.id
        for n in nodes
        if n.state == "answer" and all(ranks[i] < ranks[n.id] for i in graph[n.id])
    ]
    for i in ends:
        ranks[i] = last if any(byid[j].state != "answer" for j in graph[i]) else ranks[i]
    if nodes[0].kind == "step":  # a part may begin late
        ranks = {i: rank - min(ranks.values()) for i, rank in ranks.items()}
    return ranks


def _in_blocks(
    graph: nx.Graph, nodes: Sequence[GraphNode], ranks: Mapping[str, int]
) -> dict[str, int]:
    """Ranks of the same, where each anchor comes with what is nearer to it than to any other.

    An axiom about several stands before them, what else is between them after the last.
    """
    anchors = [n.id for n in nodes if n.anchor and n.state != "answer"]
    if len(anchors) < 2:
        return dict(ranks)
    far = {a: nx.single_source_shortest_path_length(graph, a) for a in anchors}
    blocks: dict[str, list[str]] = {"axiom": [], **{a: [] for a in anchors}, "": []}
    for n in nodes:
        near = sorted(anchors, key=lambda a: far[a][n.id])
        if far[near[0]][n.id] < far[near[1]][n.id]:
            blocks[near[0]].append(n.id)
        else:
            blocks["axiom" if n.kind == "axiom" else ""].append(n.id)
    found: dict[str, int] = {}
    first = 0
    for ids in filter(None, blocks.values()):
        order = sorted({ranks[i] for i in ids})
        found |= {i: first + order.index(ranks[i]) for i in ids}
        first += len(order)
    return found


def _part(
    nodes: Sequence[GraphNode], edges: Sequence[GraphEdge], ranks: Mapping[str, int], tall: bool
) -> _Part:
    at = {n.id: _Vertex(n.id, 2 * ranks[n.id], *_turned(size_of(n), tall)) for n in nodes}
    part = _Part(list(at.values()), [], [])

    def chain(a: _Vertex, b: _Vertex, some: tuple[GraphEdge, ...], start: bool, end: bool) -> None:
        """Joins two vertices, a left of b, through all columns between them."""
        firm = 4.0 if any(e.state in ("cited", "path") for e in some) else 1.0
        through = [a]
        for column in range(a.column + 1, b.column):
            through.append(_Vertex(f"via:{some[0].id}:{column}", column, 4.0, 8.0))
        through.append(b)
        part.vertices += through[1:-1]
        for left, right in pairwise(through):
            left.right.append((right, firm))
            right.left.append((left, firm))
        part.chains.append(_Chain(through, some, start, end))

    for name, hub, some in _bundles(edges, ranks):
        first = some[0]
        wide, high = _turned(name_size(first), tall)
        into = first.target == hub  # arrows point at the hub
        arrow = bool(first.provenance != "axiom")
        others = dict.fromkeys(e.source if into else e.target for e in some)
        flat = any(ranks[o] == ranks[hub] for o in others)
        right = flat or all(ranks[o] > ranks[hub] for o in others)
        middle = _Vertex(name, 2 * ranks[hub] + (1 if right else -1), wide, high)
        part.vertices.append(middle)
        part.names.append((middle, tuple(some)))
        if right:
            chain(at[hub], middle, tuple(some), arrow and into, False)
        else:
            chain(middle, at[hub], tuple(some), False, arrow and into)
        for other in others:
            mine = tuple(e for e in some if other in (e.source, e.target))
            if other == hub:
                continue
            if flat or not right:
                chain(at[other], middle, mine, arrow and not into, False)
            else:
                chain(middle, at[other], mine, False, arrow and not into)
    return part


def _turned(size: tuple[float, float], tall: bool) -> tuple[float, float]:
    return (size[1], size[0]) if tall else size


def _bundles(
    edges: Sequence[GraphEdge], ranks: Mapping[str, int]
) -> list[tuple[str, str, list[GraphEdge]]]:
    """Edges with the same name at the same end, as (id, that end, edges)."""
    both: list[tuple[GraphEdge, list[tuple[str, ...]]]] = []
    sizes: defaultdict[tuple[str, ...], int] = defaultdict(int)
    for e in edges:
        ends = sorted((e.source, e.target), key=lambda i: ranks[i])
        flat = ranks[ends[0]] == ranks[ends[1]]
        keys: list[tuple[str, ...]] = []
        for side, hub in (("out", ends[0]), ("in", ends[1])):
            way = "from" if e.source == hub else "to"
            one = e.id if flat else ""  # of two side by side, each has a line of its own
            keys.append((side, hub, e.label, way, e.state, e.provenance, e.side, one))
        for key in keys:
            sizes[key] += 1
        both.append((e, keys))
    found: dict[tuple[str, ...], list[GraphEdge]] = {}
    for e, keys in both:
        key = max(keys, key=lambda k: sizes[k])
        found.setdefault(key, []).append(e)
    return [(f"name:{'|'.join(key)}", key[1], some) for key, some in found.items()]


def _arrange(vertices: Sequence[_Vertex]) -> None:
    """Orders every column by its neighbours, and sets the heights: near them, without overlap."""
    columns: defaultdict[int, list[_Vertex]] = defaultdict(list)
    for v in vertices:
        columns[v.column].append(v)
    order = sorted(columns)
    started: set[int] = set()
    for sweep in range(_SWEEPS):
        last = sweep >= _SWEEPS - 3
        for c in order if sweep % 2 == 0 else reversed(order):
            column = columns[c]
            wish = {}
            for n, v in enumerate(column):
                near = v.left if sweep % 2 == 0 else v.right
                near = v.left + v.right if last else near
                near = [(u, firm) for u, firm in near if u.column in started or sweep]
                total = sum(firm for _, firm in near)
                mean = sum(u.y * firm for u, firm in near) / total if near else v.y
                wish[v] = v.y if v.fixed else mean
                if sweep == 0 and not near and not v.fixed:
                    wish[v] = 60.0 * n
            if not last:  # what has its place keeps it: the rest goes below
                column.sort(key=lambda v: (not v.fixed, wish[v]))
            _spread(column, wish)
            started.add(c)
    if vertices and not any(v.fixed for v in vertices):
        anchor = columns[order[0]][0].y
        for v in vertices:
            v.y -= anchor


def _together(vertices: Sequence[_Vertex]) -> None:
    """Moves columns that have no place yet, each as a whole, to where a phone shows them all."""
    columns: defaultdict[int, list[_Vertex]] = defaultdict(list)
    for v in vertices:
        columns[v.column].append(v)
    ends = {
        c: (min(v.y - v.h / 2 for v in some), max(v.y + v.h / 2 for v in some))
        for c, some in columns.items()
    }
    middle = (min(top for top, _ in ends.values()) + max(end for _, end in ends.values())) / 2
    for c, (top, end) in ends.items():
        room = max(0.0, (_NARROW - (end - top)) / 2)  # to each side
        off = (top + end) / 2 - middle
        if not any(v.fixed for v in columns[c]):
            for v in columns[c]:
                v.y += max(-room, min(room, off)) - off


def _spread(column: Sequence[_Vertex], wish: Mapping[_Vertex, float]) -> None:
    """Sets heights as near to the wished ones as goes without overlap, in the order given.

    Least squares under the least distances: pools of neighbours that touch move as one.
    """
    offsets, pools = [0.0], []  # a pool: first index, weight, weighted mean of wish − offset
    for above, below in pairwise(column):
        close = "name:" in (above.id[:5], below.id[:5]) or above.id[:4] == below.id[:4] == "via:"
        least = _APART_NAMES if close else _APART
        offsets.append(offsets[-1] + (above.h + below.h) / 2 + least)
    for n, v in enumerate(column):
        weight = 1e9 if v.fixed else 1.0
        pools.append((n, weight, wish[v] - offsets[n]))
        while len(pools) > 1 and pools[-2][2] >= pools[-1][2]:
            _, w2, m2 = pools.pop()
            first, w1, m1 = pools.pop()
            pools.append((first, w1 + w2, (w1 * m1 + w2 * m2) / (w1 + w2)))
    for k, (first, _, mean) in enumerate(pools):
        end = pools[k + 1][0] if k + 1 < len(pools) else len(column)
        for n in range(first, end):
            column[n].y = mean + offsets[n]


def _stacked(parts: Sequence[_Part]) -> float:
    """Moves parts below one another where they would meet; returns where the last one ends."""
    bottom: float | None = None
    for part in parts:
        top = min(v.y - v.h / 2 for v in part.vertices)
        settled = any(v.fixed for v in part.vertices)
        if bottom is not None and (not settled or top < bottom + _BETWEEN):
            for v in part.vertices:
                v.y += bottom + _BETWEEN - top
        end = max(v.y + v.h / 2 for v in part.vertices)
        bottom = end if bottom is None else max(bottom, end)
    return bottom if bottom is not None else -_BETWEEN


def _in_turn(parts: Sequence[_Part], settled: Container[str] = ()) -> None:
    """Puts each part's columns behind those of the part before, unless they are `settled`."""
    first = 0
    for part in parts:
        if not any(v.id in settled for v in part.vertices):
            for v in part.vertices:
                v.column += first
        first = max(first, max(v.column for v in part.vertices) + 1)


def _rows(
    nodes: Sequence[GraphNode], left: float, bottom: float, wide: float, known: Mapping[str, Box]
) -> dict[str, Box]:
    """Nodes that nothing joins, in rows below the rest."""
    boxes: dict[str, Box] = {}
    x, y, high = 0.0, bottom + _BETWEEN, 0.0
    order = {i: n for n, i in enumerate(known)}
    for n in sorted(nodes, key=lambda n: order.get(n.id, len(order))):
        w, h = size_of(n)
        if x and x + w > wide:
            x, y, high = 0.0, y + high + _APART, 0.0
        boxes[n.id] = Box(left + x + w / 2, y + h / 2, w, h)
        x, high = x + w + _APART, max(high, h)
    return boxes


def _line(chain: _Chain, lefts: Sequence[float], widths: Sequence[float], tall: bool) -> Line:
    points: list[tuple[float, float]] = []
    last = len(chain.through) - 1
    for n, v in enumerate(chain.through):
        left, right = lefts[v.column], lefts[v.column] + widths[v.column]
        if n > 0:
            points.append((left, v.y))
        if n < last:
            if n == 0:
                points.append((left + v.w, v.y))
            points.append((right, v.y))
    turned = tuple((y, x) for x, y in points) if tall else tuple(points)
    return Line(turned, chain.edges, chain.start, chain.end)
