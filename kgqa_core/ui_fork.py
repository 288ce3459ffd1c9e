"""Runs asked again with something changed: from any step, without a fact, with another reply."""

from __future__ import annotations

import streamlit as st

from kgqa_core import ui
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.fork import Edits
from kgqa_core.runs import Run
from kgqa_core.store import Header


def fork(run: Run, edits: Edits) -> None:
    """A callback: starts the fork and opens it on the Ask page; a problem is shown at the run."""
    try:
        graph = graph_of(run.header)
        model = st.session_state.get("model")
        model = model if model in ui.models() else "offline"
        child = ui.runs().fork(
            run,
            edits,
            ui.graph(graph),
            ui.model(model),
            ui.budget(),
            ui.index(graph),
            model_source=model,
        )
    except KGQAError as error:
        st.session_state[problem_key(run)] = str(error)
        return
    open_run(child.header.id)


def open_run(run_id: str) -> None:
    """The Ask page shows this run, its question in the box, from the next look on."""
    st.session_state["run"] = run_id
    st.session_state.pop("question_of", None)
    st.query_params.clear()
    st.query_params["run"] = run_id


def problem_key(run: Run) -> str:
    return f"fork_problem:{run.header.id}"


def graph_of(header: Header) -> str:
    """The source of a run's graph. Raises SettingsError unless it is in the list of graphs.

    A run may have come from elsewhere: what it calls its graph is never opened as an address.
    """
    entries = ui.graphs().entries()
    for entry in entries:
        if header.graph_source and entry.address == header.graph_source:
            return entry.source
    for entry in entries:
        if not header.graph_source and entry.title == header.graph:
            return entry.source
    raise SettingsError(
        f"The graph “{header.graph}” of this run is not in the list: add it on the Knowledge "
        "graphs page, or ask the question again on another."
    )
