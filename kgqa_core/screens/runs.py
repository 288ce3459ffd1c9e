"""All stored runs as a table to search and sort, and what can be done with the selected ones."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from functools import partial
from html import escape as html_escape
from io import BytesIO
from typing import Any
from zipfile import ZIP_DEFLATED, ZipFile

import streamlit as st

from kgqa_core.ask.header import Header
from kgqa_core.history import gallery
from kgqa_core.history.comparison import MOST_RUNS
from kgqa_core.history.run_file import MOST_BYTES, DocumentError, exported, imported
from kgqa_core.history.store import INTERRUPTED, Listed, Search, SortedBy
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor, widgets
from kgqa_core.screens.share import add_to_benchmark
from kgqa_core.text import counted, shortened

_PAGE = 25  # rows shown at first, and with each “Show more”
_MOST_CUT = 120  # characters of a question in a row
_MOST_ANSWER = 60  # of an outcome and its answer
_MOST_NAME = 40  # of a graph's or model's name
_WIDTHS = [0.35, 3.6, 3.2, 5.6]
# What stands right of question and answer: heading and share of the width.
_COLUMNS: dict[SortedBy, tuple[str, float]] = {
    "method": ("Method", 1.7),
    "graph": ("Graph", 1.3),
    "model": ("Model", 1.5),
    "started_at": ("When", 1.3),
    "llm_calls": ("Calls", 0.8),
    "tokens": ("Tokens", 1.0),
    "seconds": ("Seconds", 1.1),
}
_USUAL: list[SortedBy] = ["method", "graph", "started_at", "llm_calls", "tokens", "seconds"]
_COLOURS = {
    "from the graph": "green",
    "from the model": "orange",
    "failed": "red",
    "interrupted": "orange",
    "running": "blue",
}
_OUTCOMES = {
    "grounded": "from the graph",
    "ungrounded": "from the model",
    "abstained": "no answer",
    "failed": "failed",
    "cancelled": "stopped",
    "running": "running",
}


def search_bar() -> Search:
    """Search box and filters; what was typed and chosen stays for the session."""
    known = session.runs().store.choices(session.mine())
    box, method, outcome, tag, more = st.columns([4, 3, 2, 2, 1], vertical_alignment="bottom")
    text = box.text_input(
        "Search",
        key="runs_text",
        placeholder="Search questions, answers and notes",
        label_visibility="collapsed",
        persist_state="session",
    )
    with method:
        methods = _several("Method", known["method"], widgets.method_title)
    with outcome:
        outcomes = _several("Outcome", list(_OUTCOMES), _OUTCOMES.__getitem__)
    with tag:
        tags = _several("Tag", known["tags"])
    with more.popover(
        "", icon=":material/filter_list:", help="More filters, and which columns", key="runs_more"
    ):
        graphs = _several("Graph", known["graph"])
        models = _several("Model", known["model"])
        since = st.date_input("From", None, key="runs_since", persist_state="session")
        until = st.date_input("To", None, key="runs_until", persist_state="session")
        st.pills(
            "Columns",
            list(_COLUMNS),
            default=_USUAL,
            selection_mode="multi",
            format_func=lambda name: _COLUMNS[name][0],
            key="runs_columns",
            persist_state="session",
        )
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
    """The table, and above it what can be done with the selected runs."""
    store = session.runs().store
    limit = st.session_state.get("runs_limit", _PAGE)
    by, rising = _order()
    found, count = store.find(replace(search, visitor=session.mine()), limit, by, rising)
    if told := visitor.who_sees(session.environment()):
        st.caption(told)
    _undo()
    if not found:
        _nothing(search)
        _others()
        return
    selected = [one for one in found if st.session_state.get(_tick(one.id))]
    _actions(found, selected, count, search)
    if len(selected) == 1:
        _remarks(selected[0])
    columns = [name for name in _COLUMNS if name in st.session_state.get("runs_columns", _USUAL)]
    titles = {entry.source: entry.title for entry in session.graphs().entries()}
    with st.container(key="runs_list", gap=None):
        _head(columns)
        for one in found:
            _row(one, columns, titles)
    if count > len(found):
        with st.container(horizontal=True, vertical_alignment="center"):
            first = "newest" if (by, rising) == _NEWEST else "first"
            st.caption(f"The {first} {len(found):,} of {count:,} are shown.")
            st.button("Show more", key="runs_show_more", on_click=_more, args=(limit,))
    _others()


def _others() -> None:
    """Runs that were made elsewhere: from a file, or recorded with the program."""
    st.divider()
    left, right = st.columns([2, 3], gap="large")
    with left:
        st.markdown("**Import a run**")
        st.file_uploader(
            "A run exported as JSON",
            type="json",
            key="runs_file",
            max_upload_size=MOST_BYTES >> 20,
            on_change=_import,
            help="Export one from the Share tab of a run",
        )
        told = st.session_state.get("runs_imported")
        if isinstance(told, str):
            st.error(escape(told))
        elif told:
            st.success(f"“{escape(_cut(told[1]))}” is among the runs now.")
            if st.button("Open it", key="runs_open_imported", icon=":material/play_circle:"):
                _open(told[0])
    with right:
        _recorded()


def _recorded() -> None:
    """The recorded examples, a list for each model: one run a line, then those of one question."""
    found: dict[str, list[Header]] = {}
    for header, _ in gallery.recorded().values():
        found.setdefault(header.model, []).append(header)
    st.markdown("**Recorded examples** :small[real runs, replayed without a model or a network]")
    for problem in gallery.problems():
        st.caption(f":material/warning: {escape(problem)}")
    for n, (model, headers) in enumerate(found.items()):
        days = sorted({header.started_at[:10] for header in headers})
        spent = sum(header.dollars or 0.0 for header in headers)
        said = [counted(len(headers), "run"), " to ".join(dict.fromkeys((days[0], days[-1])))]
        said += [f"${spent:.2f}"] if spent else []
        title = f"**{escape(model)}** :small[{escape(', '.join(said))}]"
        # the lists are long and alike: one of them is open
        with st.expander(title, expanded=n == 0, key=f"gallery_of:{model}"):
            _examples(headers)
    absent = escape(", ".join(gallery.without_example()))
    if absent:
        st.caption(
            f"{absent}: not recorded. They ask the model alone, and the built-in reader knows "
            "nothing by itself, as IO shows."
        )


def _examples(headers: Sequence[Header]) -> None:
    for header in headers:
        if header.question != gallery.EVERYBODY:
            title = widgets.method_title(header.method)
            with st.container(gap=None):
                _example(header, f"{title}: {escape(header.question)}")
                st.caption(escape(gallery.why(header)))
    asked = [header for header in headers if header.question == gallery.EVERYBODY]
    if asked:
        st.caption(f"{escape(gallery.EVERYBODY)} {escape(gallery.why(asked[0]))}")
        with st.container(horizontal=True, gap="small"):
            for header in asked:
                _example(header, widgets.method_title(header.method))


def _example(header: Header, title: str) -> None:
    if st.button(
        title, key=f"gallery:{header.id}", type="tertiary", icon=":material/movie:", help="Play it"
    ):
        _open(header.id)


def _import() -> None:
    """A callback: what was uploaded becomes a run, or a sentence that says why it does not."""
    file = st.session_state.get("runs_file")
    if file is None:
        st.session_state.pop("runs_imported", None)
        return
    try:
        header, records = imported(file.getvalue())
        mine = visitor.visitor(session.environment())
        run = session.runs().admit(header.model_copy(update={"visitor": mine}), records)
    except DocumentError as error:
        st.session_state["runs_imported"] = str(error)
    else:
        st.session_state["runs_imported"] = (run.header.id, run.header.question)


def _tick(run_id: str) -> str:
    return f"runs_tick:{run_id}"


_NEWEST: tuple[SortedBy, bool] = ("started_at", False)


def _order() -> tuple[SortedBy, bool]:
    """By which column the table is sorted, and whether upwards."""
    found: tuple[SortedBy, bool] = st.session_state.get("runs_order", _NEWEST)
    return found


def _sort(by: SortedBy) -> None:
    """A callback: numbers and days from the top first, names from A; once more turns it round."""
    now, rising = _order()
    upwards = by not in ("started_at", "llm_calls", "tokens", "seconds")
    st.session_state["runs_order"] = (by, not rising if by == now else upwards)


def _head(columns: Sequence[SortedBy]) -> None:
    """The headings: a click sorts all runs, not only those that are shown."""
    with st.container(key="runs_head"):
        _, what, answer, rest = st.columns(_WIDTHS, vertical_alignment="center", gap="small")
        _heading(what, "question", "Question")
        _heading(answer, "answer", "Answer")
        if columns:
            places = rest.columns([_COLUMNS[name][1] for name in columns], gap="xsmall")
            for place, name in zip(places, columns, strict=True):
                _heading(place, name, _COLUMNS[name][0])


def _heading(place: Any, name: SortedBy, title: str) -> None:
    by, rising = _order()
    mark = ("", " ▲" if rising else " ▼")[by == name]
    place.button(
        f":small[**{title}{mark}**]",
        key=f"runs_sort:{name}",
        type="tertiary",
        help=f"Sort by {title.lower()}",
        on_click=_sort,
        args=(name,),
    )


def _row(one: Listed, columns: Sequence[SortedBy], titles: Mapping[str, str]) -> None:
    """One run as elements of the page, so that keyboard and screen reader find them too.

    `titles`: of graphs, by their sources.
    """
    with st.container(key=f"runs_row:{one.id}"):
        tick, what, answer, how = st.columns(_WIDTHS, vertical_alignment="center", gap="small")
        which = one.started_at[:19].replace("T", " ")  # for who hears it: its moment tells it apart
        tick.checkbox(f"Select the run of {which}", key=_tick(one.id), label_visibility="collapsed")
        with what, st.container(gap=None):
            if st.button(
                escape(_cut(one.question)) or "(no words)",
                key=f"runs_open:{one.id}",
                type="tertiary",
                help="Open and replay it",
            ):
                _open(one.id)
            marks = [
                {1: "👍", 0: "👎"}[one.thumb] if one.thumb is not None else "",
                ":material/fork_right: fork" if one.parent else "",
                *(f":gray-badge[{escape(tag)}]" for tag in one.tags),
                f":material/sticky_note_2: {escape(_cut(one.note, 40))}" if one.note else "",
            ]
            if any(marks):
                st.caption(" ".join(filter(None, marks)))
        outcome = _outcome(one)
        room = _MOST_ANSWER - len(outcome)
        said = f" · {escape(_cut(one.answer, room))}" if one.answer else ""
        answer.markdown(f":small[:{_COLOURS.get(outcome, 'gray')}[{outcome}]{said}]")
        if columns:
            widths = " ".join(f"minmax(0,{_COLUMNS[name][1]}fr)" for name in columns)
            cells = "".join(
                f'<span title="{_COLUMNS[name][0]}">{html_escape(_cell(one, name, titles))}</span>'
                for name in columns
            )
            how.html(f'<div class="cells" style="grid-template-columns:{widths}">{cells}</div>')


def _cell(one: Listed, name: SortedBy, titles: Mapping[str, str]) -> str:
    match name:
        case "method":
            return widgets.method_title(one.method)
        case "graph":
            return _cut(widgets.graph_title(one.graph, titles), _MOST_NAME)
        case "started_at":
            return one.started_at[:16].replace("T", " ")
        case "seconds":
            return f"{one.seconds:.1f}"
        case "llm_calls" | "tokens" if one.model == session.models()["offline"]:
            return "–"
        case "llm_calls" | "tokens":
            return f"{getattr(one, name):,}"
        case _:
            return _cut(str(getattr(one, name)), _MOST_NAME)


def _open(run_id: str) -> None:
    st.session_state.pop("question_of", None)  # the question is put into the box again
    st.switch_page("pages/ask.py", query_params={"run": run_id})


def _cut(text: str, most: int = _MOST_CUT) -> str:
    return shortened(" ".join(text.split()), most)


def _outcome(one: Listed) -> str:
    """How it ended, in a word; `running` only for what this process still runs."""
    if one.status == "running":
        run = session.runs().get(one.id)
        return "running" if run is not None and run.status == "running" else "interrupted"
    if one.status == "cancelled" and one.answer == INTERRUPTED:
        return "interrupted"
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


def _actions(
    found: Sequence[Listed], selected: Sequence[Listed], count: int, search: Search
) -> None:
    ids = [one.id for one in selected]
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        all_of_them = len(selected) == len(found)
        st.button(
            "Select none" if all_of_them else "Select all",
            key="runs_select_all",
            on_click=_select,
            args=([one.id for one in found], not all_of_them),
        )
        if st.button(
            "Compare",
            key="runs_compare",
            icon=":material/compare:",
            disabled=not 2 <= len(ids) <= MOST_RUNS,
            help="Two or more, side by side",
        ):
            st.switch_page("pages/compare.py", query_params={"runs": ",".join(ids)})
        st.button(
            "Add to my benchmark",
            key="runs_benchmark",
            icon=":material/playlist_add:",
            disabled=not ids,
            help="Keeps their questions, with the answers given as the right ones",
            on_click=_to_benchmark,
            args=(ids,),
        )
        one = len(ids) == 1
        st.download_button(
            "Export",
            data=partial(_exported, ids),
            file_name=f"run-{ids[0]}.json" if one else "runs.zip",
            mime="application/json" if one else "application/zip",
            key="runs_export",
            icon=":material/download:",
            help="As JSON, several in one ZIP file; each can be imported below",
            disabled=not ids,
            on_click="ignore",
        )
        st.button(
            "Delete",
            key="runs_delete",
            icon=":material/delete:",
            disabled=not ids,
            on_click=_delete,
            args=(selected,),
        )
        of_all = " that fit" if search != Search() else ""
        chosen = f"{len(ids)} selected of " if ids else ""
        st.caption(f"{chosen}{counted(count, 'run')}{of_all}")
    told = st.session_state.pop("own_told", "")
    if told:
        st.caption(told)


def _select(ids: Sequence[str], on: bool) -> None:
    for run_id in ids:
        st.session_state[_tick(run_id)] = on


def _to_benchmark(ids: Sequence[str]) -> None:
    add_to_benchmark([run for run in map(session.runs().get, ids) if run is not None])


def _exported(ids: Sequence[str]) -> bytes:
    """One run as its JSON document; several as a ZIP file of such documents."""
    documents = {
        run.header.id: exported(run.header, run.records).encode("utf-8", "replace")
        for run in map(session.runs().get, ids)
        if run is not None
    }
    if len(ids) == 1:
        return next(iter(documents.values()), b"")
    packed = BytesIO()
    with ZipFile(packed, "w", ZIP_DEFLATED) as archive:
        for run_id, document in documents.items():
            archive.writestr(f"run-{run_id}.json", document)
    return packed.getvalue()


def _delete(gone: Sequence[Listed]) -> None:
    for one in gone:
        run = session.runs().get(one.id) if one.status == "running" else None
        if run is not None:
            run.stop()
    ids = [one.id for one in gone]
    session.runs().delete(ids)
    _select(ids, False)
    st.session_state["runs_deleted"] = ids


def _restore(ids: Sequence[str]) -> None:
    session.runs().store.restore(ids)
    _select(ids, False)  # a browser that undid it at once has not yet forgotten the ticks
    st.session_state.pop("runs_deleted", None)


def _undo() -> None:
    gone: list[str] = st.session_state.get("runs_deleted", [])
    if gone:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.caption(f"{counted(len(gone), 'run')} deleted.", width="content")
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
        # After a quick click elsewhere a browser reports a field of a page half drawn: what it
        # does not hold stays as it was.
        told = st.session_state.get
        session.runs().store.annotate(
            one.id,
            note=told(noting, one.note) or "",
            thumb=told(rating, one.thumb),
            tags=told(tagging, one.tags) or [],
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
            sorted({*session.runs().store.choices(session.mine())["tags"], *one.tags}),
            default=list(one.tags),
            key=tagging,
            accept_new_options=True,
            on_change=keep,
            placeholder="Choose or type a tag",
        )
        right.text_area("Note", one.note, key=noting, height=68, max_chars=4000, on_change=keep)
