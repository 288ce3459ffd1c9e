"""A graph as one HTML file to drag about, made with pyvis; the only file that knows it.

The file needs no network: vis-network is within, and what pyvis would fetch from elsewhere is
taken out. Labels reach it as JSON, drawn on a canvas; its content policy lets no request out.
"""

from __future__ import annotations

import re

from kgqa_core.render.graph import GraphEdge, GraphNode, GraphView, brief
from kgqa_core.render.layout import placed
from kgqa_core.render.standalone import with_policy

_ELSEWHERE = re.compile(
    r"<!--.*?-->|<link[^>]*href=\"(?:https?:|\.\.)[^>]*>|<script[^>]*\ssrc=[^>]*>\s*</script>",
    re.DOTALL,
)
_TITLE = re.compile(r"<center>\s*<h1>.*?</h1>\s*</center>", re.DOTALL)  # of pyvis, and empty
_COLOURS = {
    "person": "#b4437a",
    "place": "#1d7a4f",
    "work": "#2563b8",
    "group": "#8a5a00",
    "event": "#7547b5",
    "thing": "#5d6c80",
}
_SHAPES = {
    "person": "dot",
    "place": "triangleDown",
    "work": "square",
    "group": "hexagon",
    "event": "diamond",
    "thing": "dot",
}
_BOXED = {"literal": "#5d6c80", "computed": "#7a5800", "axiom": "#6244a8", "more": "#7688a0"}
# pyvis shows titles as HTML as soon as one of them holds “href”; vis-network shows them as text.
_TOOLTIPS = """<script>
for (const all of [nodes, edges])
  all.update(all.get().map(({ id, about }) => ({ id, title: about })));
</script>"""
_APART = 1.5  # names stand below their shapes here
_LINES = {"cited": "#00714f", "path": "#2c6cab", "frontier": "#7688a0", "pruned": "#b4bfcc"}


def interactive_html(view: GraphView, *, height: str = "96vh") -> str:
    """All of a view in reading order, as on the pages; everything in it can be moved."""
    from pyvis.network import Network  # brings IPython along: only when somebody asks for it

    network = Network(height=height, width="100%", directed=True, cdn_resources="in_line")
    network.toggle_physics(False)
    network.set_edge_smooth("continuous")
    places = placed(view).nodes
    for node in view.nodes:
        network.add_node(node.id, x=places[node.id].x, y=_APART * places[node.id].y, **_node(node))
    for edge in view.edges:
        network.add_edge(edge.source, edge.target, **_edge(edge))
    page = network.generate_html(notebook=False)
    page = _TITLE.sub("", _ELSEWHERE.sub("", page))
    return with_policy(page.replace("</body>", f"{_TOOLTIPS}\n</body>"))


def _node(node: GraphNode) -> dict[str, object]:
    boxed = _BOXED.get(node.kind)
    answer = node.state == "answer"
    return {
        "label": f"★ {node.label}" if answer else node.label,
        "about": brief(node.title),
        "shape": "box" if boxed else _SHAPES[node.sort],
        "color": {
            "background": "#ffffff" if boxed else _COLOURS[node.sort],
            "border": "#00714f" if answer else "#0b5cad" if node.anchor else boxed or "#ffffff",
        },
        "borderWidth": 4 if answer or node.anchor else 1,
        "size": 14,
    }


def _edge(edge: GraphEdge) -> dict[str, object]:
    return {
        "label": edge.label,
        "about": brief(edge.title),
        "color": _LINES[edge.state],
        "width": 3 if edge.state == "cited" else 1.5,
        "dashes": edge.state == "pruned" or edge.provenance != "retrieved",
        "font": {"size": 11, "strokeWidth": 4},
    }
