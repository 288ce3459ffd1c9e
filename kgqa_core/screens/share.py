"""A run on its way out: link, files for people and programs, and one's own benchmark."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from urllib.parse import urlsplit, urlunsplit

import streamlit as st

from kgqa_core.ask.events import Record
from kgqa_core.ask.outcome import answer_of
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation import own
from kgqa_core.history.run_file import exported
from kgqa_core.history.runs import Run
from kgqa_core.places import ASSETS
from kgqa_core.render.graph import snapshot
from kgqa_core.render.pyvis_page import interactive_html
from kgqa_core.render.standalone import player_html
from kgqa_core.render.steps import escape
from kgqa_core.render.texts import csv_steps, markdown, ntriples
from kgqa_core.screens import session, widgets
from kgqa_core.text import counted


def share(run: Run, records: list[Record]) -> None:
    """The link, the downloads, and what made the run."""
    header = run.header
    st.caption("This link shows the run again, at this step:")
    step = st.query_params.get("step")
    st.code(address(f"?run={header.id}" + (f"&step={step}" if step else "")), language=None)
    files: tuple[tuple[str, str, str, str, Callable[[], str]], ...] = (
        (
            "Player (HTML)",
            "html",
            "text/html",
            "Graph, answer and all steps in one file that opens anywhere, without a network",
            lambda: player_html(header, records),
        ),
        (
            "Interactive graph (HTML, pyvis)",
            "graph.html",
            "text/html",
            "Everything the run looked at, to drag about; opens anywhere, without a network",
            lambda: interactive_html(snapshot(records)),
        ),
        (
            "Run (JSON)",
            "json",
            "application/json",
            "All of it, to be imported on another machine's Runs page",
            lambda: exported(header, records),
        ),
        (
            "Markdown",
            "md",
            "text/markdown",
            "Question, answer, facts and steps as text",
            lambda: markdown(header, records),
        ),
        (
            "Evidence (N-Triples)",
            "nt",
            "application/n-triples",
            "The facts the answer cites, as RDF",
            lambda: ntriples(answer_of(records).citations),
        ),
        (
            "Steps (CSV)",
            "csv",
            "text/csv",
            "One row for each event, for a spreadsheet",
            lambda: csv_steps(records),
        ),
    )
    with st.container(horizontal=True, gap="small"):
        for title, ending, mime, words, data in files:
            st.download_button(
                title,
                data=partial(_bytes, data),
                file_name=f"run-{header.id}.{ending}",
                mime=mime,
                key=f"{ending}:{header.id}",
                icon=":material/download:",
                help=words,
                disabled=run.status == "running",
                on_click="ignore",
            )
    st.caption("A picture (PNG or SVG): the download button above the graph.")
    if answer_of(records).values:
        _benchmark(run)
    graph = widgets.graph_title(header.graph)
    st.caption(
        f"{escape(widgets.method_title(header.method))} on “{escape(graph)}”, read by "
        f"{escape(header.model)}, {header.started_at[:19].replace('T', ' ')} UTC"
    )


def address(query: str) -> str:
    """A full address on the Ask page, wherever this is shown; `query` alone where it is unknown."""
    here = st.context.url
    if not here:
        return query
    parts = urlsplit(here)
    return urlunsplit((parts.scheme, parts.netloc, _root(parts.path), query.removeprefix("?"), ""))


def _root(path: str) -> str:
    """Where the app lies: the Ask page has no path of its own."""
    names = {file.stem for file in (ASSETS.parent / "pages").glob("*.py")}
    head, _, last = path.rstrip("/").rpartition("/")
    return f"{head}/" if last in names else f"{path.rstrip('/')}/"


def _bytes(text: Callable[[], str]) -> bytes:
    """A download, made when it is asked for; half a character in a label spoils none of it."""
    return text().encode("utf-8", "replace")


def _benchmark(run: Run) -> None:
    st.button(
        "Add to my benchmark",
        key=f"own:{run.header.id}",
        icon=":material/playlist_add:",
        help="Keeps question and answer as a question of your own, with this as the right answer: "
        "for when you have checked it",
        on_click=add_to_benchmark,
        args=([run],),
    )
    told = st.session_state.pop("own_told", "")
    if told:
        st.caption(told)


def add_to_benchmark(runs: list[Run]) -> None:
    """A callback: the questions with the answers these runs gave; those without one are not."""
    data_dir = session.environment().data_dir
    found = [
        own.collected(
            run.header.question,
            answer_of(run.records),
            graph=run.header.graph_source or run.header.graph,
            run=run.header.id,
        )
        for run in runs
        if answer_of(run.records).values
    ]
    try:
        own.add(data_dir, *found)
        total = len(own.read(data_dir))
    except KGQAError as error:
        st.session_state["own_told"] = f":material/warning: {escape(str(error))}"
        return
    count = counted(len(found), "question")
    st.session_state["own_told"] = f":material/check: {count} added; there are {total:,} now."
