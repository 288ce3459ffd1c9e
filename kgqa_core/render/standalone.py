"""A run as one HTML file that needs no network: graph, answer, facts and a player of its steps.

The graph is the same SVG as on the pages; `assets/player.js` goes through the steps.

Labels and answers are untrusted: the text around the graph is escaped, that of the graph is put
into a tree of elements. On top of that the file's content policy runs only the scripts that were
there when it was made, and lets no request out.
"""

from __future__ import annotations

import json
import re
from base64 import b64encode
from collections.abc import Sequence
from hashlib import sha256
from html import escape

from kgqa_core.ask.events import Answer, Record
from kgqa_core.ask.header import Header
from kgqa_core.ask.outcome import answer_of
from kgqa_core.facts import verbalise
from kgqa_core.methods import METHODS
from kgqa_core.places import ASSETS
from kgqa_core.render.focus import focused
from kgqa_core.render.graph import GraphEdge, GraphView, alike, brief, snapshot
from kgqa_core.render.layout import arranged
from kgqa_core.render.steps import steps
from kgqa_core.render.svg import legend, style, svg
from kgqa_core.render.verdict import verdict

_STYLE = """<style>
body { margin: 0 auto; max-width: 1200px; padding: 16px; color: #1b2430; background: #fff;
       font: 15px/1.5 system-ui, sans-serif; overflow-wrap: anywhere; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; } h2 { font-size: 1.05rem; margin: 1.2rem 0 .3rem; }
.frame { margin: .6rem 0; padding: 8px; border: 1px solid #d5dbe3; border-radius: 8px; }
.frame[hidden] { display: none; }
.frame svg { display: block; width: 100%; height: min(560px, 70vh); }
.legend { display: flex; flex-wrap: wrap; gap: 2px 16px; padding: 4px 0; margin: 0;
          list-style: none; font-size: .85rem; }
.legend li { display: inline-flex; align-items: center; gap: 5px; }
.legend svg { width: 18px; height: 18px; }
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
<button id="player-first" aria-label="To the beginning">|◀</button>
<button id="player-back" aria-label="One step back">◀</button>
<button id="player-play" aria-label="Play">▶</button>
<button id="player-next" aria-label="One step forward">▷</button>
<button id="player-last" aria-label="To the end">▶|</button>
<input id="player-slider" type="range" min="0" value="0" aria-label="Step">
<label>speed <select id="player-speed"><option value="0.5">½ ×</option>
<option value="1" selected>1 ×</option><option value="2">2 ×</option><option value="4">4 ×</option>
</select></label></div>
<p id="player-where" aria-live="polite"></p><div id="player-lines"></div>
"""


def player_html(header: Header, records: Sequence[Record]) -> str:
    """A run with all its steps: the graph as it stood after each, what happened, and the answer."""
    ends = _ends(records)
    frames = [snapshot(records[:end]) for end in ends]
    last = focused(frames[-1]) if frames else GraphView()
    pictures = []
    for n, frame in enumerate(frames):
        over = n == len(frames) - 1
        view = focused(alike(frame, frames[-1:]), over=over)
        picture = svg(view, arranged(last, view), over=over) if view.nodes else ""
        pictures.append(f"<figure class='frame' hidden>{picture}</figure>")
    story = [
        {
            "title": brief(step.title),
            "thought": brief(step.thought),
            "lines": [brief(text) for r in step.records if (text := r.event.line)],
        }
        for step in steps(records)
    ]
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
    return _page(
        "".join(pictures),
        frames[-1] if frames else GraphView(),
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


def standalone_html(view: GraphView, *, title: str, answer: Answer | None = None) -> str:
    """Title (the question), answer with citations, graph, legend and facts: one UTF-8 page."""
    drawn = focused(view)
    picture = svg(drawn, arranged(drawn)) if drawn.nodes else ""
    return _page(f"<figure class='frame'>{picture}</figure>", view, title=title, answer=answer)


def _page(
    pictures: str,
    view: GraphView,
    *,
    title: str,
    answer: Answer | None,
    player: str = "",
    script: str = "",
) -> str:
    """`pictures`, `player` and `script` are HTML of our own."""
    page = (
        f'<!DOCTYPE html>\n<html lang="en">\n<head>\n<meta charset="utf-8">\n'
        f"<title>{_words(title)}</title>\n<style>{style()}</style>\n{_STYLE}\n</head>\n"
        f"<body>\n{_above(title, answer)}{pictures}\n{player}{_below(view)}{script}\n"
        "</body>\n</html>\n"
    )
    return with_policy(page)


def with_policy(page: str) -> str:
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
        parts.append(f"<p><b>{' '.join(sentences)}</b></p>")
        parts.append(f"<p class='muted'>{_words(verdict(answer)[1])}</p>")
    else:
        parts.append(f"<p><b>No answer.</b> {_words(answer.reason)}</p>")
    named = [verbalise.led_to(v, answer.citations) for v in answer.values]
    if any(name not in answer.text for name in named):
        parts.append(f"<p class='muted'>{', '.join(map(_words, named))}</p>")
    if answer.citations:
        items = "".join(f"<li>{_words(verbalise.support(c))}</li>" for c in answer.citations)
        parts.append(f"<ol>{items}</ol>")
    return "\n".join(parts) + "\n"


def _below(view: GraphView) -> str:
    entries = "".join(f"<li>{picture}{_words(words)}</li>" for picture, words in legend(view))
    rows = "".join(_row(e) for e in view.edges if e.key)
    table = f"<table><tr><th>Fact</th><th>Where it stands</th></tr>{rows}</table>"
    return f"<ul class='legend'>{entries}</ul>\n<h2>Facts</h2>\n{table}\n"


def _row(edge: GraphEdge) -> str:
    fact, _, about = edge.title.partition("\n")
    return f"<tr><td>{_words(fact)}</td><td class='muted'>{_words(about)}</td></tr>"
