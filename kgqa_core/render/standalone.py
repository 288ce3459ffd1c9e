"""A run as one HTML file that needs no network: graph, answer, facts and a player of its steps.

pyvis makes the network; `assets/player.js` goes through the steps.

Labels and answers are untrusted. The text around the graph is escaped; in the graph, tooltips
are text unless a title contains "href", which pyvis turns into HTML: so none does. On top of
that the file's content policy runs only the scripts that were there when it was made, and
lets no request out.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from pyvis.network import Network

from kgqa_core.ask.events import Answer, EdgeState, NodeState, Provenance, Record
from kgqa_core.ask.header import Header
from kgqa_core.ask.outcome import answer_of
from kgqa_core.facts import verbalise
from kgqa_core.methods import METHODS
from kgqa_core.places import ASSETS
from kgqa_core.render.graph import (
    PROVENANCES,
    STATES,
    GraphEdge,
    GraphNode,
    GraphView,
    brief,
    snapshot,
)
from kgqa_core.render.steps import steps

_BACK, _TEXT, _MUTED = "#ffffff", "#1b2430", "#68727e"
_HALO = {"strokeWidth": 3, "strokeColor": _BACK}
_LOOKS: dict[NodeState, tuple[str, int, str, str]] = {  # shape, size, border, fill
    "anchor": ("diamond", 17, "#0b5cad", "#0b5cad"),
    "answer": ("star", 17, "#00795a", "#00795a"),
    "path": ("dot", 10, "#2478b8", "#cfe6f8"),
    "frontier": ("dot", 8, "#5d6c80", _BACK),
    "candidate": ("triangle", 8, "#5d6c80", _BACK),
    "pruned": ("dot", 5, "#939da9", _BACK),
    "dead_end": ("square", 9, "#c2410c", "#c2410c"),
}
_LINES: dict[EdgeState, tuple[str, float]] = {
    "cited": ("#00795a", 3.5),
    "path": ("#2478b8", 2.5),
    "frontier": ("#5d6c80", 1.2),
    "pruned": ("#939da9", 1.0),
}
_CLAIMS: dict[Provenance, tuple[str, list[int] | bool]] = {  # colour, dashes
    "proposed": ("#a23b86", [10, 5]),
    "corrected": ("#c2410c", [4, 4]),
    "axiom": ("#6d4fb0", [2, 4]),
    "computed": ("#8a6400", [12, 4, 2, 4]),
}
_OPTIONS = """{
  "layout": {"randomSeed": 7, "improvedLayout": false},
  "interaction": {"hover": true, "keyboard": {"enabled": true, "bindToWindow": false}},
  "physics": {
    "solver": "barnesHut",
    "barnesHut": {
      "gravitationalConstant": -6000, "centralGravity": 0.5, "springLength": 90,
      "springConstant": 0.03, "damping": 0.3, "avoidOverlap": 0.4
    },
    "stabilization": {"iterations": 400, "fit": true}
  }
}"""
# The layout stands still once it has settled: dragging a node moves that node only.
_SETTLE = """<script>
network.once("stabilizationIterationsDone", () => network.setOptions({physics: false}));
</script>"""
_STYLE = """<style>
body { margin: 0 auto; max-width: 1200px; padding: 16px; color: #1b2430; background: #fff;
       font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 1.2rem 0 .3rem; }
#mynetwork { float: none !important; border-radius: 8px; }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 4px 0; margin: 0;
          list-style: none; font-size: .85rem; }
.legend b { display: inline-block; margin-right: 4px; }
table { border-collapse: collapse; width: 100%; font-size: .9rem; }
td, th { text-align: left; vertical-align: top; padding: 3px 8px;
         border-bottom: 1px solid #d5dbe3; }
.muted { color: #5d6c80; }
.player { display: flex; gap: 6px; align-items: center; padding: 6px 0; }
.player button { min-width: 36px; padding: 4px; }
.player input { flex: 1; }
#player-where { font-weight: 600; margin: .2rem 0; }
#player-lines { max-height: 11rem; overflow: auto; font-size: .9rem; }
#player-lines ul { margin: .2rem 0; padding-left: 1.2rem; }
</style>"""
_PLAYER = """<div class="player">
<button id="player-first" aria-label="To the beginning">⏮</button>
<button id="player-back" aria-label="One step back">◀</button>
<button id="player-play" aria-label="Play">▶</button>
<button id="player-next" aria-label="One step on">▷</button>
<button id="player-last" aria-label="To the end">⏭</button>
<input id="player-slider" type="range" min="0" value="0" aria-label="Step">
<label>speed <select id="player-speed"><option value="0.5">½ ×</option>
<option value="1" selected>1 ×</option><option value="2">2 ×</option><option value="4">4 ×</option>
</select></label></div>
<p id="player-where" aria-live="polite"></p><div id="player-lines"></div>
"""
_SIGNS: dict[NodeState, str] = {
    "anchor": "◆",
    "answer": "★",
    "path": "●",
    "frontier": "○",
    "candidate": "△",
    "pruned": "◌",
    "dead_end": "■",
}
_STROKES: dict[Provenance, str] = {
    "proposed": "╌",
    "corrected": "╍",
    "axiom": "┄",
    "computed": "╴·",
}


def player_html(header: Header, records: Sequence[Record]) -> str:
    """A run with all its steps: the graph as it stood after each, what happened, and the answer."""
    frames = [snapshot(records[:end]) for end in _ends(records)]
    nodes = {node.id: node for frame in frames for node in frame.nodes}
    edges = {edge.id: edge for frame in frames for edge in frame.edges}
    whole = GraphView(tuple(nodes.values()), tuple(edges.values()))
    looks: dict[str, int] = {}  # how something is drawn, as JSON, by number

    def look(fields: dict[str, object]) -> int:
        changing = {k: v for k, v in fields.items() if k not in ("label", "title", "smooth")}
        return looks.setdefault(json.dumps(changing, sort_keys=True), len(looks))

    place = {id_: i for ids in (nodes, edges) for i, id_ in enumerate(ids)}
    story = {
        "nodes": list(nodes),
        "edges": list(edges),
        "frames": [
            {
                "title": brief(step.title),
                "thought": brief(step.thought),
                "lines": [brief(text) for r in step.records if (text := r.event.line)],
                "nodes": {place[n.id]: look(_node(n)) for n in frame.nodes},
                "edges": {place[e.id]: look(_edge(e)) for e in frame.edges},
            }
            for frame, step in zip(frames, steps(records), strict=True)
        ],
    }
    story["looks"] = [json.loads(one) for one in looks]
    about = (
        f"{METHODS[header.method].title if header.method in METHODS else header.method} on "
        f"“{header.graph}”, read by {header.model}, {header.started_at[:19].replace('T', ' ')} UTC"
    )
    # in a script, only the beginning of a tag could end it
    data = json.dumps(story).replace("<", "\\u003c")
    player = (
        f"{_PLAYER}<p class='muted'>{_words(about)}</p>\n"
        f'<script type="application/json" id="run-steps">{data}</script>\n'
    )
    script = f"<script>{(ASSETS / 'player.js').read_text(encoding='utf-8')}</script>"
    return standalone_html(
        whole,
        title=header.question,
        answer=answer_of(records),
        player=player,
        script=script,
    )


def _ends(records: Sequence[Record]) -> list[int]:
    """How many records there are at the end of each step."""
    ends: list[int] = []
    for step in steps(records):
        ends.append((ends[-1] if ends else 0) + len(step.records))
    return ends


def standalone_html(
    view: GraphView,
    *,
    title: str,
    answer: Answer | None = None,
    player: str = "",
    script: str = "",
) -> str:
    """Title (the question), answer with citations, graph, legend and facts: one UTF-8 page.

    `player` and `script` are HTML of our own, below the graph and at the end.
    """
    network = Network(
        height="560px",
        width="100%",
        directed=True,
        bgcolor=_BACK,
        cdn_resources="in_line",
    )
    joined = {end for edge in view.edges for end in (edge.source, edge.target)}
    for node in view.nodes:
        # what nothing leads to would only push the rest aside
        if player or node.id in joined or node.state in ("anchor", "answer", "dead_end"):
            network.add_node(node.id, **_node(node))
    for edge in view.edges:
        network.add_edge(edge.source, edge.target, id=edge.id, **_edge(edge))
    network.set_options(_OPTIONS)
    page = _without_requests(network.generate_html())
    head = f"<title>{_words(title)}</title>\n{_STYLE}\n</head>"
    page = _last(page, "</head>", head)
    page = _last(page, "<body>", f"<body>\n{_above(title, answer)}")
    page = _last(page, "</body>", f"{player}{_below(view)}{_SETTLE}{script}\n</body>")
    return "<!DOCTYPE html>\n" + _with_policy(page)


def _last(page: str, tag: str, replacement: str) -> str:
    """Replaces the last occurrence: vis-network's source, before it, may hold the same words."""
    before, _, after = page.rpartition(tag)
    return before + replacement + after


def _node(node: GraphNode) -> dict[str, object]:
    shape, size, border, fill = _LOOKS[node.state]
    if node.kind != "entity":
        shape, fill = "box", "#d6f2e8" if node.state == "answer" else _BACK
    if node.provenance in _CLAIMS:
        border = _CLAIMS[node.provenance][0]
    muted = node.state == "pruned" or node.kind == "more"
    return {
        "label": _inert(node.label),
        "title": _inert(node.title),
        "shape": shape,
        "size": size,
        "borderWidth": 2,
        "color": {"border": border, "background": fill},
        "font": {"size": 12 if muted else 17, "color": _MUTED if muted else _TEXT, **_HALO},
        "widthConstraint": {"maximum": 150},
        "shapeProperties": {"borderDashes": [4, 3] if muted else False},
    }


def _edge(edge: GraphEdge) -> dict[str, object]:
    colour, width = _LINES[edge.state]
    dashes: list[int] | bool = [3, 5] if edge.state == "pruned" else False
    if edge.provenance in _CLAIMS:
        colour, dashes = _CLAIMS[edge.provenance]
    side = "curvedCW" if edge.bend > 0 else "curvedCCW"
    return {
        "label": _inert(edge.label),
        "title": _inert(edge.title),
        "width": width,
        "color": colour,
        "dashes": dashes,
        "font": {"size": 12, "color": _MUTED, "align": "middle", **_HALO},
        "smooth": {"enabled": bool(edge.bend), "type": side, "roundness": abs(edge.bend)},
        "arrows": {"to": {"enabled": bool(edge.key), "scaleFactor": 0.6}},
    }


def _inert(text: str) -> str:
    """The same to the eye, without the word that makes pyvis take tooltips for HTML."""
    return re.sub("href", lambda m: f"{m[0][0]}\u2060{m[0][1:]}", text, flags=re.IGNORECASE)


def _without_requests(page: str) -> str:
    """pyvis' page without the stylesheet and script it takes from a content network."""
    page = re.sub(r"<!-- <link [^>]*node_modules.*?-->", "", page, flags=re.DOTALL)
    page = re.sub(r"<link\b[^>]*\bhttps?://[^>]*>", "", page)
    page = re.sub(r'<script\s[^>]*\bsrc="https?://[^>]*>\s*</script>', "", page)
    return re.sub(r"<center>\s*<h1>.*?</h1>\s*</center>", "", page, flags=re.DOTALL)


def _with_policy(page: str) -> str:
    """Allows exactly the scripts in the page, no event handlers in attributes, no requests."""
    scripts = re.findall(r"<script[^>]*>(.*?)</script>", page, flags=re.DOTALL)
    hashes = sorted({b64encode(sha256(s.encode()).digest()).decode() for s in scripts})
    allowed = " ".join(f"'sha256-{h}'" for h in hashes)
    policy = (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; "
        "img-src data: blob:; base-uri 'none'; form-action 'none'"
    )
    meta = f'<meta http-equiv="Content-Security-Policy" content="{policy}">'
    encoding = '<meta charset="utf-8">'
    return page.replace(encoding, f"{encoding}\n{meta}", 1)


def _words(text: str) -> str:
    return escape(brief(text))


def _above(title: str, answer: Answer | None) -> str:
    parts = [f"<h1>{_words(title)}</h1>"]
    if answer is None:
        return parts[0] + "\n"
    if answer.sentences:
        sentences = []
        for sentence in answer.sentences:
            cites = "".join(f" [{i + 1}]" for i in sentence.cites)
            sentences.append(f"{_words(sentence.text)}<span class='muted'>{cites}</span>")
        parts.append(f"<p><b>Answer</b> ({answer.grounding}): {' '.join(sentences)}</p>")
    else:
        parts.append(f"<p><b>No answer.</b> {_words(answer.reason)}</p>")
    if answer.values:
        values = ", ".join(_words(verbalise.value(v)) for v in answer.values)
        parts.append(f"<p class='muted'>{values}</p>")
    if answer.citations:
        items = "".join(f"<li>{_words(verbalise.support(c))}</li>" for c in answer.citations)
        parts.append(f"<ol>{items}</ol>")
    return "\n".join(parts) + "\n"


def _below(view: GraphView) -> str:
    states = [s for s in STATES if any(n.state == s for n in view.nodes)]
    claims = [p for p in _STROKES if any(e.provenance == p for e in view.edges)]
    legend = [_entry(_LOOKS[s][2], _SIGNS[s], STATES[s]) for s in states]
    legend += [_entry(_CLAIMS[p][0], _STROKES[p], PROVENANCES[p]) for p in claims]
    rows = "".join(_row(e) for e in view.edges if e.key)
    table = f"<table><tr><th>Fact</th><th>Where it stands</th></tr>{rows}</table>"
    return f"<ul class='legend'>{''.join(legend)}</ul>\n<h2>Facts</h2>\n{table}\n"


def _entry(colour: str, sign: str, words: str) -> str:
    return f"<li><b style='color:{colour}'>{sign}</b>{_words(words)}</li>"


def _row(edge: GraphEdge) -> str:
    fact, _, about = edge.title.partition("\n")
    return f"<tr><td>{_words(fact)}</td><td class='muted'>{_words(about)}</td></tr>"
