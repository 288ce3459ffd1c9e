"""Keqing's chain of sub-questions: a diagram that fills in, and for each what was tried.

For each sub-question: the templates it was matched to, where each logical chain led, what was kept
and what was cut. Another template or chain can be picked; the run goes on from there.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from textwrap import wrap
from typing import Literal as OneOf

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record, SubQuestion
from kgqa_core.ask.header import Edits
from kgqa_core.ask.run import remembered
from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Value
from kgqa_core.history.runs import Run
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.templates import Library, Template, in_words
from kgqa_core.render.graph import cut
from kgqa_core.render.steps import escape
from kgqa_core.render.svg import clean
from kgqa_core.screens import fork, session, visitor
from kgqa_core.screens.panels import kept
from kgqa_core.text import listed

State = OneOf["waiting", "open", "solved", "dead end"]

_NAMED = 8  # values written out
_LINE = 24  # characters of a line in the diagram
_LINES = 4
_COLOURS: dict[State, tuple[str, str]] = {  # border on light and on dark ground
    "waiting": ("#939da9", "#697684"),
    "open": ("#0b5cad", "#6cb4ff"),
    "solved": ("#00795a", "#2fc79b"),
    "dead end": ("#c2410c", "#ff9160"),
}
_MARKS: dict[State, str] = {
    "waiting": ":material/radio_button_unchecked:",
    "open": ":material/pending:",
    "solved": ":material/check_circle:",
    "dead end": ":material/block:",
}


@dataclass
class PartView:
    """A sub-question as far as the run has come; `at` is the record that matched it."""

    part: SubQuestion
    text: str
    state: State = "waiting"
    matched: events.Matched | None = None
    at: int = 0
    followed: list[events.Followed] = field(default_factory=list)
    values: tuple[Value, ...] = ()
    cut: tuple[Value, ...] = ()


def parts_of(records: Sequence[Record]) -> list[PartView]:
    """The sub-questions of a run, in the order they were split into."""
    views: dict[int, PartView] = {}
    current: PartView | None = None
    for record in records:
        match record.event:
            case events.Decomposed(parts=parts):
                views = {p.id: PartView(p, p.operation or p.text) for p in parts}
            case events.Step(title=title):
                number, _, text = title.partition(". ")
                known = views.get(int(number) - 1) if number.isdecimal() else None
                if known is not None:
                    current, known.state, known.text = known, "open", text
                else:
                    current = None
            case events.Matched() as e if e.part in views:
                views[e.part].matched, views[e.part].at = e, record.seq
            case events.Followed() as e if e.part in views:
                views[e.part].followed.append(e)
            case events.Solved() as e if e.part in views:
                view = views[e.part]
                view.values, view.cut = e.values, e.cut
                view.state = "solved" if e.values else "dead end"
            case events.Computed() as e if current is not None and current.part.operation:
                current.values = e.result
                current.state = "solved" if e.result else "dead end"
    return list(views.values())


def diagram(views: Sequence[PartView], dark: bool) -> str:
    """The sub-questions and which needs which, in the DOT language; labels are quoted text."""
    text = "#e8edf3" if dark else "#1b2430"
    lines = [
        "digraph {",
        'rankdir=LR; bgcolor="transparent"; nodesep=0.25; ranksep=0.35;',
        f'node [shape=box style=rounded fontname="sans-serif" fontsize=11 fontcolor="{text}" '
        "margin=0.12];",
        f'edge [color="{text}" arrowsize=0.6];',
    ]
    for view in views:
        colour = _COLOURS[view.state][dark]
        style = "rounded,dashed" if view.state == "waiting" else "rounded"
        label = [f"{view.part.id + 1}", *_short(view.text)]
        if view.state in ("solved", "dead end"):
            label.append("= " + cut(_listed(view.values, 2) or "nothing", 2 * _LINE))
        lines.append(
            f'n{view.part.id} [label={_quoted(label)} color="{colour}" style="{style}" '
            f"penwidth={1 if view.state == 'waiting' else 2}];"
        )
        lines += [f"n{need} -> n{view.part.id};" for need in view.part.needs]
    return "\n".join([*lines, "}"])


def _short(text: str) -> list[str]:
    lines = wrap(text, _LINE) or [""]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], lines[_LINES - 1] + " …"]


def _quoted(lines: Sequence[str]) -> str:
    """A quoted DOT string: the only places where a label could leave it are escaped."""
    plain = (clean(line).replace("&", "&amp;") for line in lines)  # a null would end it all
    safe = (line.replace("\\", "\\\\").replace('"', '\\"') for line in plain)
    return '"' + "\\n".join(" ".join(line.split()) for line in safe) + '"'


def _listed(values: Sequence[Value], most: int = _NAMED) -> str:
    return listed(map(verbalise.value, values), most)


def draw(run: Run, shown: Sequence[Record]) -> None:
    """The diagram, then each sub-question with its templates and chains."""
    views = parts_of(shown)
    if not views:
        over = bool(shown) and shown[-1].event.terminal
        st.caption(
            "The run ended before the question was split."
            if over
            else "The sub-questions appear here once the question is split."
        )
        return
    if len(views) > 1:
        st.graphviz_chart(diagram(views, st.context.theme.type == "dark"), width="content")
    for view in views:
        _part(run, view)


def _part(run: Run, view: PartView) -> None:
    run_id = run.header.id
    with st.container(border=True, key=f"part:{run_id}:{view.part.id}", gap="small"):
        st.markdown(f"{_MARKS[view.state]} **{view.part.id + 1}.** {escape(view.text)}")
        if view.state == "waiting":
            return
        if view.values or view.state == "dead end":
            st.markdown(f"= {escape(_listed(view.values)) or 'nothing'}")
        if view.cut:
            st.caption(f"cut: {escape(_listed(view.cut))}")
        if view.matched is not None:
            _tried(view)
        if view.matched is not None and run.status != "running":
            library = _library(run)
            _other(run, view, library)
            _keep(run, view, library)


def _tried(view: PartView) -> None:
    """Each template with its score, and where each of its chains led."""
    assert view.matched is not None
    if not view.matched.templates:
        st.caption("No template of the library is like it.")
    led = {event.chain: event for event in view.followed}
    lines = []
    for text, score, chains in zip(
        view.matched.templates, view.matched.scores, view.matched.chains, strict=True
    ):
        lines.append(f"- :material/rule: {escape(in_words(text))} :small[:gray[{score:.2f}]]")
        for chain in chains:
            found = led.get(chain)
            if found is None:
                what = "not followed"
            elif not found.count:
                what = "led nowhere"
            else:
                what = f"{found.count:,}: {escape(_listed(found.ends, 3))}"
            lines.append(f"    - :small[{escape(chain)} — {what}]")
    st.markdown("\n".join(lines))


def _keep(run: Run, view: PartView, library: Library) -> None:
    """Keeps a chain that no template had and that led somewhere; then, the way to it."""
    if view.matched is None or not view.values or library.path is None:
        return
    name, key = library.path.stem, f"keep:{run.header.id}:{view.part.id}"
    for text, written in zip(view.matched.templates, view.matched.chains, strict=True):
        there = library.exact(text) or Template(text, ())
        if set(written) <= set(map(str, there.chains)):
            if key in st.session_state:
                kept.link(name, there.text)
        elif len(written) == 1 and visitor.is_operator(session.settings()):
            chain = templates.parse_chain(written[0])
            template = replace(there, chains=(chain, *there.chains))

            def keep(template: Template = template) -> None:
                path = templates.own_folder(session.settings()) / f"{name}{templates.SUFFIX}"
                templates.save(library.put(template), path)
                st.session_state[key] = True

            st.button(
                "Keep as a template",
                key=f"{key}:{text}",
                icon=":material/bookmark_add:",
                type="tertiary",
                help="The next such question is asked of no model",
                on_click=keep,
            )


def _other(run: Run, view: PartView, library: Library) -> None:
    """Picks another template or chain for a sub-question and goes on from there."""
    run_id, number = run.header.id, view.part.id
    key = f"pick:{run_id}:{number}"
    with st.popover(
        "Take another", type="tertiary", icon=":material/alt_route:", key=f"{key}:open"
    ):
        matched = view.matched.templates if view.matched else ()
        others = (t.text for t in library.templates if t.chains)
        known = list(dict.fromkeys((*matched, *others)))
        chosen = st.selectbox(
            "Template", known, index=None, key=f"{key}:template", placeholder="A template"
        )
        chain = st.text_input(
            "or a logical chain",
            key=f"{key}:chain",
            placeholder="→ director ← director",
            help="→ relation follows it, ← relation follows it backwards",
        )
        wanted = chain.strip() or chosen or ""
        picks = {**run.header.params.get("picks", {}), str(number): wanted}
        st.button(
            "Go on from here",
            key=f"{key}:go",
            icon=":material/fork_right:",
            disabled=not wanted,
            on_click=fork.fork,
            args=(run, Edits(at=view.at, params={"picks": picks})),
        )


def _library(run: Run) -> Library:
    """The one that the run took; empty where it cannot be read."""
    try:
        graph = session.graph(fork.graph_of(run.header))
        name = str(run.header.params.get("templates", ""))
        relations = templates.Relations(graph.relation)
        known = remembered(graph, "keqing: libraries")
        return templates.fitting(name, graph.name, relations, known)
    except KGQAError:
        return Library()
