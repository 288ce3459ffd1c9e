"""The first page: what this is, an example that plays, the methods and which one to take."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from itertools import islice

import streamlit as st

from kgqa_core.ask.outcome import answer_of
from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.history import gallery
from kgqa_core.kg import kinds
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods import METHODS
from kgqa_core.render.graph import snapshot
from kgqa_core.render.steps import escape, steps
from kgqa_core.screens import session
from kgqa_core.screens.explore.walk import asks_well, question_about
from kgqa_core.screens.first_box import HINT, HINT_ELSEWHERE, NAME, SENTENCE
from kgqa_core.screens.fork import follow, open_run
from kgqa_core.screens.graph_component import graph_view
from kgqa_core.text import fold, shortened

EXAMPLE = "example-react-what-else-did-the-director-of"
_PLAY_S = 1.2  # between two steps of the example
MOST_EXAMPLES = 5
_TICKS = frozenset({"yes", "no", "true", "false"})  # “What is the vegetarian of …?” asks nobody
_LOOKED_AT, _SHORT = 200, 40  # facts that questions are made of, letters of a name in one
GROUPS: tuple[tuple[str, str, tuple[str, ...]], ...] = (
    (
        "Walk",
        "Several hops, exact answers. Start here.",
        ("compass", "react", "tog", "tog-r", "structgpt", "oda"),
    ),
    (
        "Retrieve",
        "One or two facts, or passages of text. Quick.",
        ("one-hop", "kaping", "rag-triples", "rag-hybrid", "rag"),
    ),
    ("Verify", "Checks what the model says or what common sense says.", ("r3", "pgakv", "kgr")),
    ("Decompose", "Long questions, in parts or as a query.", ("keqing", "kb-binder")),
    (
        "Model alone",
        "No graph: to compare with. Needs a model.",
        ("io", "cot", "cot-few-shot", "sc"),
    ),
)


def opening() -> None:
    """The name and one sentence."""
    with st.container(gap="xsmall"):
        st.markdown(f"### {NAME}")
        st.markdown(SENTENCE)


def examples(graph: str, method: str) -> list[str]:
    """Questions to try on a graph, those that show the method first."""
    offered = list(session.examples(graph))
    if graph in kinds.BUILT_IN:
        recorded = [h for h, _ in gallery.recorded().values() if h.graph_source == graph]
        known = [h.question for h in recorded if h.method == method]
        offered = list(dict.fromkeys([*known, *offered]))
    return (offered or _made(graph))[:MOST_EXAMPLES]


def hint(graph: str) -> str:
    """What stands in the empty box of the first page: of one's own graph a question it answers."""
    if graph and graph not in kinds.BUILT_IN:
        offered = examples(graph, "")
        if offered:
            return f"For example: {offered[0]}"
        return HINT_ELSEWHERE
    return HINT


def _made(graph: str) -> list[str]:
    """Questions that the first facts of a graph in this process answer, one a relation."""
    found: dict[str, list[Statement]] = {}
    with suppress(KGQAError):  # the page says below what is wrong with it
        kg = session.graph(graph)
        if isinstance(kg, EmbeddedGraph):
            for fact in islice(kg.all_statements(), _LOOKED_AT):
                ticked = fold(verbalise.value(fact.object)) in _TICKS
                if asks_well(fact.relation) and len(fact.subject.name) <= _SHORT and not ticked:
                    found.setdefault(fact.relation.id, []).append(fact)
    return asked_of_each(found.values())


def asked_of_each(facts: Iterable[Sequence[Statement]]) -> list[str]:
    """A question for each relation, about another thing each time if there is one."""
    asked: list[str] = []
    about: set[Entity] = set()
    for known in facts:
        fact = next((f for f in known if f.subject not in about), known[0])
        about.add(fact.subject)
        asked.append(question_about(fact.subject, fact.relation))
    return asked


def sample() -> None:
    """A recorded run that plays once, step by step."""
    header, records = gallery.recorded()[EXAMPLE]
    ends: list[int] = []
    for step in steps(records):
        ends.append((ends[-1] if ends else 0) + len(step.records))
    at = st.session_state.setdefault("sample", 0)

    @st.fragment(run_every=_PLAY_S if at < len(ends) - 1 else None)
    def play() -> None:
        now = min(st.session_state["sample"], len(ends) - 1)
        over = now == len(ends) - 1
        shown = records[: ends[now]]
        st.markdown(f"**{escape(header.question)}**")
        graph_view(
            snapshot(shown),
            key="sample_graph",
            run_id="sample",
            height=300,
            like=[snapshot(records)],
            over=over,
        )
        with st.container(horizontal=True, vertical_alignment="center"):
            said = shortened(answer_of(records).text, 60) if over else steps(shown)[-1].title
            st.caption(f"step {now + 1} of {len(ends)} · {escape(said)}")
            st.button(
                "Watch it whole",
                key="sample_open",
                icon=":material/play_circle:",
                type="tertiary",
                on_click=_watch,
            )
        if not over:
            st.session_state["sample"] = now + 1
        elif at < len(ends) - 1:
            session.redraw()  # drops the timer

    play()


def _watch() -> None:
    st.session_state["skips"] = False
    open_run(EXAMPLE)
    follow(EXAMPLE)


def methods() -> None:
    """All methods in their groups, each group with what it is good for; a click chooses one."""
    st.markdown("**Which method?** :small[A click chooses one; what it does shows on hover.]")
    grouped = {name for _, _, names in GROUPS for name in names}
    others = tuple(name for name in METHODS if name not in grouped)
    first, *rest = GROUPS
    groups = [(first[0], first[1], (*first[2], *others)), *rest]
    every = st.container(gap="xsmall")
    for title, hint, names in groups:
        with every.container(gap=None):
            st.markdown(f"**{title}** :small[:gray[{hint}]]")
            with st.container(horizontal=True, gap="small", key=f"family:{title}"):
                for name in names:
                    if name in METHODS:
                        method = METHODS[name]
                        st.button(
                            method.title,
                            key=f"choose:{name}",
                            type="tertiary",
                            help=method.about,
                            on_click=_choose,
                            args=(name,),
                        )


def _choose(name: str) -> None:
    st.session_state["method"] = name
