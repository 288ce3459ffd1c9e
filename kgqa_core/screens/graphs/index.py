"""The section of a page about one index: what is in it, its size and age, and a build to watch."""

from __future__ import annotations

from datetime import UTC, datetime

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.search.build import Build, span, stands
from kgqa_core.search.index import SMALL, Index, ShelfInfo

_STATES = {
    "missing": "not built",
    "first": "the best known; building goes on with the others",
    "partial": "interrupted; building goes on where it stopped",
    "outdated": "of other facts or another model; it will be built anew",
}


def stop_building(source: str) -> None:
    """For a graph that goes away."""
    for index, build in list(session.builds().items()):
        if index.source == source:
            build.stop()
            del session.builds()[index]


def index_panel(index: Index, key: str = "index") -> None:
    """What is indexed of a graph, and a button to build it. Never waits for the encoder."""
    build = session.builds().get(index)
    if not index.encoder.ready or (build and build.running):
        _watch(index, key)
        return
    if build and build.error:
        st.error(escape(build.error))
    try:
        info = index.info()
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    if info.problem:
        st.warning(escape(info.problem))
    shelves = [shelf for shelf in (info.triples, info.passages) if shelf and shelf.total]
    if info.triples is None:
        st.caption(
            "This graph cannot be read whole. Methods compare the triples around the entities "
            "of a question, on demand."
        )
    for shelf in shelves:
        st.markdown(_line(shelf))
    size = "" if info.size_bytes is None else f" · {info.size_bytes / 1e6:,.0f} MB"
    st.caption(escape(f"encoder {info.encoder} · {info.where}{size}"))
    if not shelves:
        return
    complete = all(shelf.state == "ready" for shelf in shelves)
    if st.button("Build anew" if complete else "Build", key=f"{key}-build"):
        session.builds()[index] = Build(index, anew=complete)
        session.redraw()


@st.fragment(run_every=0.5)
def _watch(index: Index, key: str) -> None:
    """Progress, rate and time left, until there is nothing left to watch."""
    build = session.builds().get(index)
    running = build is not None and build.running
    if not running and index.encoder.ready:
        session.redraw()
    if index.encoder.state.startswith("failed"):
        st.error(escape(index.encoder.state))
        return
    if running and index.encoder.ready:
        st.progress(*stands(index))
    else:
        st.caption(f"Encoder {escape(index.encoder.name)}: {escape(index.encoder.state)}")
    if build and running and st.button("Stop", key=f"{key}-stop"):
        build.stop()


def _line(shelf: ShelfInfo) -> str:
    line = f"**{shelf.kind.capitalize()}**: {shelf.count:,} of {shelf.total:,}"
    if shelf.built:
        line += f", built {span((datetime.now(UTC) - shelf.built).total_seconds())} ago"
    else:
        quick = shelf.state == "missing" and shelf.kind == "triples" and shelf.total <= SMALL
        state = "built with the first search" if quick else _STATES.get(shelf.state, shelf.state)
        line += f" ({state})"
    return f"{line}. {escape(shelf.note)}" if shelf.note else line
