"""All stored runs as a list to search, and what can be done with the selected ones."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from hashlib import blake2b
from typing import Any

import streamlit as st

from kgqa_core import ui
from kgqa_core.comparison import MOST_REPEATS, MOST_SIDES
from kgqa_core.render.steps import escape
from kgqa_core.store import Listed, Search

_PAGE = 200  # rows shown at first, and with each “Show more”
_MOST_CUT = 160  # characters of a question or answer in a row
_OUTCOMES = {
    "grounded": "grounded",
    "ungrounded": "ungrounded",
    "abstained": "no answer",
    "failed": "failed",
    "cancelled": "stopped",
    "running": "running",
}


def search_bar() -> Search:
    """Search box and filters; what was typed and chosen stays for the session."""
    known = ui.runs().store.choices()
    box, method, outcome, tag, more = st.columns([4, 3, 2, 2, 1], vertical_alignment="bottom")
    text = box.text_input(
        "Search",
        key="runs_text",
        placeholder="Search questions, answers and notes",
        label_visibility="collapsed",
        persist_state="session",
    )
    with method:
        methods = _several("Method", known["method"], ui.method_title)
    with outcome:
        outcomes = _several("Outcome", list(_OUTCOMES), _OUTCOMES.__getitem__)
    with tag:
        tags = _several("Tag", known["tags"])
    with more.popover("", icon=":material/filter_list:", help="More filters", key="runs_more"):
        graphs = _several("Graph", known["graph"])
        models = _several("Model", known["model"])
        since = st.date_input("From", None, key="runs_since", persist_state="session")
        until = st.date_input("To", None, key="runs_until", persist_state="session")
    return Search(
        text=text,
        method=methods,
        graph=graphs,
        model=models,
        tags=tags,
        outcome=outcomes,
        since=since.isoformat() if isinstance(since, date) else "",
        until=until.isoformat() if isinstance(until, date) else "",
    )


def _several(label: str, options: Sequence[str], title: Any = str) -> tuple[str, ...]:
    key = f"runs_{label.lower()}"
    chosen = st.session_state.get(key)
    if chosen and not set(chosen) <= set(options):  # the last run of its kind is gone
        st.session_state[key] = [one for one in chosen if one in options]
    return tuple(
        st.multiselect(
            label,
            options,
            key=key,
            format_func=title,
            placeholder=label,
            label_visibility="collapsed",
            persist_state="session",
        )
    )


def runs_view(search: Search) -> None:
    """The list, and above it what can be done with the selected runs."""
    store = ui.runs().store
    limit = st.session_state.get("runs_limit", _PAGE)
    found, count = store.find(search, limit)
    _undo()
    if not found:
        _nothing(search)
        return
    # The selection counts rows: with other rows it must not stand for other runs.
    shown = blake2b(",".join(one.id for one in found).encode(), digest_size=6).hexdigest()
    key = f"runs:{shown}"
    state: Any = st.session_state.get(key)
    rows = state.selection.rows if state else []
    selected = [found[i] for i in rows if i < len(found)]
    _actions(selected, count, search)
    st.dataframe(
        [_row(one) for one in found],
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(found), 320 if len(selected) == 1 else 560),
        on_select="rerun",
        selection_mode="multi-row",
        column_config=_COLUMNS,
        alt="Stored runs, newest first; tick one to open it, two or more to compare them",
    )
    if count > len(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            st.caption(f"The newest {len(found):,} of {count:,} are shown.")
            st.button("Show more", key="runs_show_more", on_click=_more, args=(limit,))
    if len(selected) == 1:
        _remarks(selected[0])


_COLUMNS: dict[str, Any] = {
    "when": st.column_config.DatetimeColumn("When (UTC)", format="YYYY-MM-DD HH:mm", width=125),
    "question": st.column_config.TextColumn("Question", width=250),
    "method": st.column_config.TextColumn("Method", width=110),
    "outcome": st.column_config.TextColumn("Outcome", width=85),
    "answer": st.column_config.TextColumn("Answer", width=190),
    "calls": st.column_config.NumberColumn("Calls", width=50),
    "tokens": st.column_config.NumberColumn("Tokens", width=60),
    "seconds": st.column_config.NumberColumn("Seconds", format="%.1f", width=65),
    "rating": st.column_config.TextColumn("Rating", width=55),
    "tags": st.column_config.ListColumn("Tags", width=110),
    "note": st.column_config.TextColumn("Note", width=140),
    "graph": st.column_config.TextColumn("Graph", width=90),
    "model": st.column_config.TextColumn("Model", width=120),
}


def _row(one: Listed) -> dict[str, Any]:
    return {
        "when": datetime.fromisoformat(one.started_at).replace(tzinfo=None),
        "question": _cut(one.question),
        "method": ui.method_title(one.method),
        "outcome": _outcome(one),
        "answer": _cut(one.answer),
        "calls": one.llm_calls,
        "tokens": one.tokens,
        "seconds": one.seconds,
        "rating": {1: "👍", 0: "👎"}.get(one.thumb, "") if one.thumb is not None else "",
        "tags": list(one.tags),
        "note": _cut(one.note),
        "graph": one.graph,
        "model": one.model,
    }


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CUT else text[: _MOST_CUT - 1] + "…"


def _outcome(one: Listed) -> str:
    """How it ended, in a word; `running` only for what this process still runs."""
    if one.status == "running":
        run = ui.runs().get(one.id)
        return "running" if run is not None and run.status == "running" else "interrupted"
    return _OUTCOMES.get(one.grounding or one.status, one.status)


def _more(limit: int) -> None:
    st.session_state["runs_limit"] = limit + _PAGE


def _nothing(search: Search) -> None:
    if search != Search():
        st.info("No run fits. Clear the search or a filter to see the others.")
        return
    st.markdown("Every question you ask is kept here, with all its steps.")
    st.page_link("pages/ask.py", label="Ask a question", icon=":material/chat:")
    st.page_link("pages/compare.py", label="Compare methods", icon=":material/compare:")


def _actions(selected: Sequence[Listed], count: int, search: Search) -> None:
    ids = [one.id for one in selected]
    most = MOST_SIDES * MOST_REPEATS
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button(
            "Open",
            key="runs_open",
            icon=":material/play_circle:",
            disabled=len(ids) != 1,
            help="Replay it on the Ask page",
        ):
            st.session_state.pop("question_of", None)  # the question is put into the box again
            st.switch_page("pages/ask.py", query_params={"run": ids[0]})
        if st.button(
            "Compare",
            key="runs_compare",
            icon=":material/compare:",
            disabled=not 2 <= len(ids) <= most,
            help="Two or more, side by side",
        ):
            st.switch_page("pages/compare.py", query_params={"runs": ",".join(ids)})
        st.button(
            "Delete",
            key="runs_delete",
            icon=":material/delete:",
            disabled=not ids,
            on_click=_delete,
            args=(selected,),
        )
        fitting = "run" if count == 1 else "runs"
        of_all = " that fit" if search != Search() else ""
        chosen = f"{len(ids)} selected of " if ids else ""
        hint = "" if ids else " · tick one to open it, several to compare them"
        st.caption(f"{chosen}{count:,} {fitting}{of_all}{hint}")


def _delete(gone: Sequence[Listed]) -> None:
    for one in gone:
        run = ui.runs().get(one.id) if one.status == "running" else None
        if run is not None:
            run.stop()
    ids = [one.id for one in gone]
    ui.runs().delete(ids)
    st.session_state["runs_deleted"] = ids


def _restore(ids: Sequence[str]) -> None:
    ui.runs().store.restore(ids)
    st.session_state.pop("runs_deleted", None)


def _undo() -> None:
    gone: list[str] = st.session_state.get("runs_deleted", [])
    if gone:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f"{len(gone)} run{'s' * (len(gone) != 1)} deleted.", width="content")
            st.button(
                "Undo",
                key="runs_undo",
                icon=":material/undo:",
                type="tertiary",
                on_click=_restore,
                args=(gone,),
            )


def _remarks(one: Listed) -> None:
    """Rating, tags and a note on the selected run; kept as soon as they are given."""
    rating, tagging, noting = (f"runs:{what}:{one.id}" for what in ("thumb", "tags", "note"))

    def keep() -> None:
        state = st.session_state
        ui.runs().store.annotate(
            one.id, note=state[noting] or "", thumb=state[rating], tags=state[tagging] or []
        )

    with st.container(border=True):
        st.markdown(f"**{escape(_cut(one.question))}**")
        if one.answer:
            st.markdown(escape(one.answer))
        left, middle, right = st.columns([1, 3, 5], vertical_alignment="top")
        with left:
            st.caption("Rating")
            st.feedback("thumbs", key=rating, default=one.thumb, on_change=keep)
        middle.multiselect(
            "Tags",
            sorted({*ui.runs().store.choices()["tags"], *one.tags}),
            default=list(one.tags),
            key=tagging,
            accept_new_options=True,
            on_change=keep,
            placeholder="Choose or type a tag",
        )
        right.text_area("Note", one.note, key=noting, height=68, max_chars=4000, on_change=keep)
