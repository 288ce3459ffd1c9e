"""A placed graph as SVG: the one picture of it, on every page and in every export.

Text of nodes comes from graphs, models and uploads: it is put into a tree of elements, never into
markup. What things look like is in `assets/browser/graph.css`; a file on its own carries that
within.
"""

from __future__ import annotations

import itertools
import json
import re
from collections.abc import Iterable, Sequence
from functools import lru_cache
from xml.etree import ElementTree as Tree

from kgqa_core.places import ASSETS
from kgqa_core.render.graph import GraphEdge, GraphNode, GraphView
from kgqa_core.render.layout import LINE as LINE_HEIGHT
from kgqa_core.render.layout import (
    ROW,
    ROWS,
    SMALL,
    TEXT,
    Box,
    Line,
    Name,
    Placed,
    count_of,
    lines_of,
)
from kgqa_core.render.sorts import SORTS

SPACE = "http://www.w3.org/2000/svg"
MARGIN = 14.0
SIDES = 6  # lines of runs that look different
MANY_NAMES = 20  # names of relations shown at once; of more, those pointed at
_FORBIDDEN = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
_ICONS: dict[str, str] = {  # around the origin, 6 pixels to each side
    "person": "M0 -6a3 3 0 1 1 0 6a3 3 0 1 1 0 -6M-6 6.500a6 5.500 0 0 1 12 0z",
    "place": "M0 7C-3 3 -5 1 -5 -2a5 5 0 1 1 10 0C5 1 3 3 0 7z",
    "work": "M-5 -6h10v12h-10z",
    "group": "M-6 0L-3 -5.500h6L6 0L3 5.500h-6z",
    "event": "M0 -6.500L6.500 0L0 6.500L-6.500 0z",
    "thing": "M0 -5a5 5 0 1 1 0 10a5 5 0 1 1 0 -10",
    "literal": "M-6 -3.500h12M-6 0h12M-6 3.500h7",
    "computed": "M-5 -2.500h10M-5 2.500h10",
    "axiom": "M-6 -5h12v8h-7l-3 3v-3h-2z",
    "more": "M-5 0h.01M0 0h.01M5 0h.01",
    "step": "M-3 -5L3 0L-3 5",
}
_MARKS: dict[str, str] = {  # at the upper right corner of a node
    "answer": "M0 -7l2 4.600 5 .5-3.800 3.300 1.200 4.900L0 3.700"
    "l-4.400 2.600 1.200-4.900L-7 -1.900l5-.5z",
    "dead_end": "M-4 -4l8 8M4 -4l-8 8",
}
_STATES = {
    "anchor": "the walk starts here",
    "answer": "the answer",
    "path": "on the way",
    "frontier": "found",
    "candidate": "may be meant",
    "pruned": "looked at and left",
    "dead_end": "dead end",
}


def svg(
    view: GraphView, at: Placed, *, over: bool = True, alone: bool = False, faded: bool = False
) -> str:
    """The picture. `over`: the run has ended; `alone`: a file of its own, with its style.

    `faded`: what the answer does not rest on is drawn faintly.
    """
    whole = at.extent
    looks = {"live": not over, "many": len(at.names) > MANY_NAMES, "faded": faded}
    box = (whole.left - MARGIN, whole.top - MARGIN, whole.w + 2 * MARGIN, whole.h + 2 * MARGIN)
    root = Tree.Element(
        "svg",
        {
            "class": " ".join(
                ("kg", *(word for word, on in looks.items() if on)),
            ),
            "viewBox": " ".join(map(_n, box)),
            "role": "img",
            "aria-label": clean(view.summary),
        },
    )
    if alone:
        root.set("xmlns", SPACE)
        root.set("width", _n(box[2]))
        root.set("height", _n(box[3]))
        _add(root, "style").text = style()
        _add(root, "rect", {"class": "back", **_rect(box)})
    scene = _add(root, "g", {"class": "scene"})
    nodes = {n.id: n for n in view.nodes}
    for line in sorted(at.lines, key=lambda line: _rank(line.edges)):
        _line(scene, line, at.tall)
    for name in at.names:
        _name(scene, name, at.tall)
    for node_id, place in at.nodes.items():
        _node(scene, nodes[node_id], place)
    return Tree.tostring(root, encoding="unicode")


@lru_cache(maxsize=1)
def style() -> str:
    """The style sheet, for pictures that stand alone."""
    return (ASSETS / "browser" / "graph.css").read_text(encoding="utf-8")


def clean(text: str) -> str:
    """The text without what XML cannot hold."""
    return _FORBIDDEN.sub("\ufffd", text)


def icon(shape: str, state: str = "", *, live: bool = False) -> str:
    """A small picture for a legend."""
    looks = "kg live" if live else "kg"
    root = Tree.Element("svg", {"class": looks, "viewBox": "-10 -10 20 20", "aria-hidden": "true"})
    if state in ("answer", "dead_end"):
        _mark(root, state, 0, 0)
    elif state:
        group = _add(root, "g", {"class": f"node {state}"})
        if state == "anchor":
            _add(group, "rect", {"class": "ring", **_rect((-9, -8, 18, 16)), "rx": "5"})
        _add(group, "rect", {"class": "box", **_rect((-6, -5, 12, 10)), "rx": "3"})
    else:
        _add(root, "path", {"class": f"icon {shape}", "d": _ICONS[shape]})
    return Tree.tostring(root, encoding="unicode")


def side_icon(side: str) -> str:
    """The line of a run, for a legend."""
    return _line_icon(f"path {_side(side)}")


def _line_icon(look: str) -> str:
    root = Tree.Element("svg", {"class": "kg", "viewBox": "-10 -10 20 20", "aria-hidden": "true"})
    group = _add(root, "g", {"class": f"line {look}"})
    _add(group, "path", {"class": "stroke", "d": "M-9 0H9"})
    return Tree.tostring(root, encoding="unicode")


def _side(side: str) -> str:
    return f"side side-{int(side) % SIDES}" if side.isdecimal() else f"side side-{side}"


def legend(view: GraphView, *, over: bool = True) -> list[tuple[str, str]]:
    """What the picture's shapes and rings mean: (a small picture, words)."""
    everyone = [*view.nodes, *(m for n in view.nodes for m in n.members)]
    sorts = {n.sort for n in everyone if n.kind == "entity"}
    found = [(icon(s), words) for s, words in SORTS.items() if s in sorts]
    for kind, words in (("literal", "value"), ("computed", "computed"), ("axiom", "axiom")):
        if any(n.kind == kind for n in everyone):
            found.append((icon(kind), words))
    drafted = [n for n in everyone if n.provenance == "proposed"]
    states = {
        n.state
        for n in everyone
        if n.kind in ("entity", "literal", "list") and n.provenance != "proposed"
    }
    states |= {n.state for n in everyone if n.state in ("answer", "dead_end")}
    found += [(icon("", s, live=not over), words) for s, words in _STATES.items() if s in states]
    if drafted:
        found.append((icon("", "proposed"), "drafted"))
    if any(e.provenance == "corrected" for e in view.edges):
        found.append((_line_icon("corrected"), "drafted, not so in the graph"))
    return found


def as_list(view: GraphView) -> list[tuple[str, str]]:
    """The graph's content in words: (id of a node or an edge, sentence), strongest first."""
    nodes = {n.id: n for n in view.nodes}
    rows = []
    for edge in sorted(view.edges, key=lambda e: -_strength(e)):
        a, b = nodes[edge.source], nodes[edge.target]
        by = f" ({edge.title.rpartition(chr(10))[2]})" if edge.side else ""
        way = f" — {edge.label} — " if edge.label else " → "
        rows.append((edge.id, f"{_first(a)}{way}{_first(b)}{by}"))
    joined = {end for e in view.edges for end in (e.source, e.target)}
    rows += [(n.id, f"{_first(n)}, {_STATES[n.state]}") for n in view.nodes if n.id not in joined]
    return [(i, clean(text)) for i, text in rows]


def _first(node: GraphNode) -> str:
    return node.label if node.kind == "list" else node.title.partition("\n")[0]


# -- parts -----------------------------------------------------------------------------------


def _add(parent: Tree.Element, tag: str, attributes: dict[str, str] | None = None) -> Tree.Element:
    return Tree.SubElement(parent, tag, attributes or {})


def _n(value: float) -> str:
    return f"{value:.1f}".removesuffix(".0")


def _rect(box: tuple[float, float, float, float]) -> dict[str, str]:
    return dict(zip(("x", "y", "width", "height"), map(_n, box), strict=True))


def _strength(edge: GraphEdge) -> int:
    return {"pruned": 0, "frontier": 1, "path": 2, "cited": 3}[edge.state]


def _rank(edges: Sequence[GraphEdge]) -> int:
    return max(map(_strength, edges))


def _look(edges: Sequence[GraphEdge]) -> str:
    best = max(edges, key=_strength)
    look = best.state if best.provenance == "retrieved" else f"{best.state} {best.provenance}"
    return f"{look} {_side(best.side)}" if best.side else look


def _about(edges: Iterable[GraphEdge]) -> dict[str, str]:
    some = list(edges)
    titles = list(dict.fromkeys(e.title for e in some))
    return {
        "data-edges": " ".join(_without_blanks(e.id) for e in some),
        "data-ends": json.dumps([[clean(e.source), clean(e.target), e.key] for e in some]),
        "data-id": clean(some[0].id),
        "data-keys": " ".join(e.key for e in some if e.key),
        "data-title": clean("\n".join(titles[:8])),
    }


def _without_blanks(name: str) -> str:
    return re.sub(r"\s", "_", clean(name))


def curve(points: Sequence[tuple[float, float]], tall: bool = False) -> str:
    """A path that is level at every point: between two heights it bends halfway.

    `tall`: upright at every point, between two places side by side.
    """
    parts = [f"M{_n(points[0][0])} {_n(points[0][1])}"]
    for (x1, y1), (x2, y2) in itertools.pairwise(points):
        if tall:
            middle = _n((y1 + y2) / 2)
            if abs(x1 - x2) < 0.05:
                parts.append(f"V{_n(y2)}" if abs(y2 - y1) >= 0.05 else "")
            else:
                parts.append(f"C{_n(x1)} {middle} {_n(x2)} {middle} {_n(x2)} {_n(y2)}")
            continue
        if abs(x2 - x1) < 0.05 and abs(y2 - y1) < 0.05:
            continue
        if abs(y1 - y2) < 0.05:
            parts.append(f"H{_n(x2)}")
        else:
            middle = _n((x1 + x2) / 2)
            parts.append(f"C{middle} {_n(y1)} {middle} {_n(y2)} {_n(x2)} {_n(y2)}")
    return "".join(parts)


def _line(scene: Tree.Element, line: Line, tall: bool) -> None:
    group = _add(scene, "g", {"class": f"line {_look(line.edges)}", **_about(line.edges)})
    way = curve(line.points, tall)
    _add(group, "path", {"class": "hit", "d": way})
    _add(group, "path", {"class": "stroke", "d": way})
    for there, (x, y), side in (
        (line.start, line.points[0], 1),
        (line.end, line.points[-1], -1),
    ):
        if there:
            head = f"l-4.500 {8 * side}h9z" if tall else f"l{8 * side} -4.500v9z"
            _add(group, "path", {"class": "arrow", "d": f"M{_n(x)} {_n(y)}{head}"})


def _name(scene: Tree.Element, name: Name, tall: bool) -> None:
    edge = name.edges[0]
    group = _add(
        scene,
        "g",
        {
            "class": f"name {_look(name.edges)}",
            "transform": f"translate({_n(name.box.x)} {_n(name.box.y)})",
            **_about(name.edges),
        },
    )
    w, h = name.box.w, name.box.h
    under = _add(group, "g", {"class": f"line {_look(name.edges)}"})  # seen where it is hidden
    way = f"M0 {_n(-h / 2)}V{_n(h / 2)}" if tall else f"M{_n(-w / 2)} 0H{_n(w / 2)}"
    _add(under, "path", {"class": "stroke", "d": way})
    if not edge.label:
        return
    _add(group, "rect", {**_rect((-w / 2 + 3, -h / 2 + 1, w - 6, h - 2)), "rx": "4"})
    _add(group, "text", {"y": "4", "font-size": _n(SMALL)}).text = clean(edge.label)


def _node(scene: Tree.Element, node: GraphNode, box: Box) -> None:
    shape = node.kind if node.kind in _ICONS else node.sort
    classes = ["node", node.state, shape, node.provenance, node.kind]
    if node.anchor and node.state != "anchor":
        classes.append("also-anchor")
    group = _add(
        scene,
        "g",
        {
            "class": " ".join(dict.fromkeys(classes)),
            "transform": f"translate({_n(box.x)} {_n(box.y)})",
            "data-id": clean(node.id),
            "data-title": clean(node.title),
        },
    )
    w, h = box.w, box.h
    if node.anchor or node.state == "anchor":
        around = _rect((-w / 2 - 3, -h / 2 - 3, w + 6, h + 6))
        _add(group, "rect", {"class": "ring", **around, "rx": "11"})
    _add(group, "rect", {"class": "box", **_rect((-w / 2, -h / 2, w, h)), "rx": "8"})
    if node.kind == "list":
        _list(group, node, box)
    else:
        _face(group, node, shape, box)
    if node.state in ("answer", "dead_end"):
        _mark(group, node.state, w / 2 - 3, -h / 2 + 2)


def _face(group: Tree.Element, node: GraphNode, shape: str, box: Box) -> None:
    under = count_of(node)
    first = node.title.partition("\n")[0] if node.kind != "more" else node.label
    lines = lines_of(clean(first))
    top = -box.h / 2 + 6.5
    middle = top + len(lines) * LINE_HEIGHT / 2
    x = -box.w / 2 + 9
    _add(
        group,
        "path",
        {
            "class": f"icon {shape}",
            "d": _ICONS[shape],
            "transform": f"translate({_n(x + 6)} {_n(middle)})",
        },
    )
    text = _add(group, "text", {"font-size": _n(TEXT)})
    for n, line in enumerate(lines):
        y = top + n * LINE_HEIGHT + 13
        _add(text, "tspan", {"x": _n(x + 22), "y": _n(y)}).text = line
    if under:
        pill = _add(group, "g", {"class": "fold", "data-fold": clean(node.id)})
        _add(pill, "rect", {**_rect((-box.w / 2 + 4, box.h / 2 - 19, box.w - 8, 16)), "rx": "6"})
        _add(
            pill, "text", {"x": _n(x), "y": _n(box.h / 2 - 7), "font-size": _n(SMALL)}
        ).text = under


def _list(group: Tree.Element, node: GraphNode, box: Box) -> None:
    """As many rows as fit; the page scrolls the rest, and says that there is more."""
    left, top = -box.w / 2, -box.h / 2
    size = _n(SMALL + 1)
    head = {"class": "head", "x": _n(left + 10), "y": _n(top + 17), "font-size": size}
    _add(group, "text", head).text = clean(node.label)
    if len(node.members) > ROWS:
        rest = {"class": "rest", "x": _n(left + 10), "y": _n(-top - 8), "font-size": _n(SMALL)}
        _add(group, "text", rest).text = f"▾ {len(node.members) - ROWS:,} more"
    rows = _add(group, "g", {"class": "rows", "data-count": str(len(node.members))})
    for n, member in enumerate(node.members):
        row = _add(
            rows,
            "g",
            {
                "class": f"row {member.state}" + (" beyond" if n >= ROWS else ""),
                "data-id": clean(member.id),
                "data-title": clean(member.title),
                "transform": f"translate({_n(left)} {_n(top + 24 + n * ROW)})",
            },
        )
        _add(row, "rect", {**_rect((4, 0, box.w - 8, ROW)), "rx": "4"})
        text = _add(row, "text", {"x": "10", "y": "14", "font-size": size})
        text.text = clean(member.label)


def _mark(group: Tree.Element, state: str, x: float, y: float) -> None:
    mark = _add(group, "g", {"class": f"mark {state}", "transform": f"translate({_n(x)} {_n(y)})"})
    _add(mark, "circle", {"r": "9"})
    _add(mark, "path", {"d": _MARKS[state]})
