"""Every question of a set with its outcome by method; a click opens the run."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from typing import Any

import streamlit as st

from kgqa_core.ask.events import status_of
from kgqa_core.ask.header import Header
from kgqa_core.evaluation import exports, report, results
from kgqa_core.evaluation.metrics import HEADLINE
from kgqa_core.evaluation.report import CAUSES, Asked, Bench
from kgqa_core.evaluation.results import Row
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.text import counted

_MOST_NAMED = 300  # questions in the list beside the grid; filters bring up others
_MOST_CUT = 160  # characters of a question in a row
_TAG = "benchmark"
_CERTAINTY = {"certain": "said as certain", "uncertain": "marked as a guess"}
_COLOURS = {  # what a cell may say, with the theme's colours
    "right": "green",
    "abstained": "gray",
    "wrong": "red",
    "failed": "red",
    **dict.fromkeys(CAUSES, "red"),
    "budget": "violet",
    "format": "violet",
    "source error": "violet",
    "defect": "violet",
    "not asked": "gray",
}


def questions_view(benches: Sequence[Bench]) -> None:
    benches = report.newest(benches)
    names = report.columns(benches)
    picked, chosen = st.columns([2, 5], vertical_alignment="bottom")
    with_words = sorted(names, key=lambda w: not _has_words(benches, w))
    titles = [names[what] for what in with_words]
    if st.session_state.get("bench:grid-set") not in titles:
        st.session_state.pop("bench:grid-set", None)
    column = picked.selectbox("Question set", titles, key="bench:grid-set", persist_state="session")
    benches = [bench for bench in benches if names[bench.what] == column]
    methods = report.lines(benches)
    order = report.table(benches, HEADLINE).rows
    by_name = {methods[bench.who]: bench for bench in benches}
    shown = chosen.multiselect(
        "Methods",
        list(order),
        key=f"bench:grid-methods:{column}:{len(order)}",
        placeholder="all methods",
    )
    by_name = {name: by_name[name] for name in order if not shown or name in shown}
    asked = report.grid(list(by_name.values()))
    found = _filtered(asked, list(by_name))
    _grid(found, len(asked), by_name)


def _has_words(benches: Sequence[Bench], what: tuple[object, ...]) -> bool:
    return any(b.what == what and b.rows and b.rows[0].question for b in benches)


def _filtered(asked: list[Asked], methods: list[str]) -> list[Asked]:
    box, outcome, cause, kind, differ = st.columns([3, 2, 2, 2, 3], vertical_alignment="bottom")
    text = box.text_input(
        "Find",
        key="bench:find",
        placeholder="Words of the question",
        label_visibility="collapsed",
        persist_state="session",
    )
    verdicts = outcome.multiselect(
        "Outcome",
        (*report.VERDICTS, report.WRONG_BUT_CERTAIN),
        key="bench:outcome",
        persist_state="session",
        placeholder="Outcome",
        label_visibility="collapsed",
    )
    there = sorted({c for one in asked for c in one.causes})
    causes = cause.multiselect(
        "Failure",
        there,
        key=f"bench:cause:{len(there)}",
        placeholder="Failure class",
        label_visibility="collapsed",
        help="\n\n".join(f"**{name}**: {CAUSES.get(name, name)}" for name in there) or None,
    )
    classes = sorted({c for one in asked for c in one.classes})
    kinds = kind.multiselect(
        "Class",
        classes,
        key=f"bench:class:{hash(tuple(classes))}",
        placeholder="Class",
        label_visibility="collapsed",
    )
    only = differ.toggle(
        "Only where methods differ",
        key="bench:differ",
        disabled=len(methods) < 2,
        persist_state="session",
    )
    words = text.casefold().split()
    return [
        one
        for one in asked
        if (not words or all(w in f"{one.id} {one.question}".casefold() for w in words))
        and (not verdicts or one.verdicts & set(verdicts))
        and (not causes or one.causes & set(causes))
        and (not kinds or set(kinds) & set(one.classes))
        and (not only or len(methods) < 2 or one.differs)
    ]


def _grid(found: list[Asked], count: int, benches: dict[str, Bench]) -> None:
    traced = any(results.has_traces(bench.folder) for bench in benches.values())
    opens = "Click an outcome to open its run" if traced else "Click an outcome to see its answer"
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.caption(
            f"{len(found):,} of {counted(count, 'question')} · {opens}, a question to see them all",
            width="content",
        )
        st.download_button(
            "CSV",
            data=lambda: exports.questions_csv(found),
            file_name="questions.csv",
            mime="text/csv",
            key="bench:export:questions",
            icon=":material/table_view:",
            on_click="ignore",
            disabled=not found,
        )
    if not found:
        st.info("No question fits. Clear a filter to see the others.")
        return
    words = any(one.question for one in found)
    named = _named(found)
    what = blake2b(repr([(o.id, *o.runs) for o in found[:200]]).encode(), digest_size=6).hexdigest()
    key = f"bench:grid:{what}:{len(found)}"
    before: Any = st.session_state.get(key)
    room = 250 if before and before["selection"]["cells"] else 430  # the answers fit below it
    state = st.dataframe(
        _columns(found, list(benches), words),
        key=key,
        hide_index=True,
        height=min(38 + 35 * len(found), room),
        on_select="rerun",
        selection_mode="single-cell",
        column_config={
            "id": st.column_config.TextColumn("Id", width=70),
            "question": st.column_config.TextColumn("Question", width=330, pinned=len(benches) > 4),
            "class": st.column_config.ListColumn("Class", width=150),
            "gold": st.column_config.TextColumn("Right answer", width=150),
            **{
                name: st.column_config.MultiselectColumn(
                    name, options=list(_COLOURS), color=list(_COLOURS.values()), width=125
                )
                for name in benches
            },
        },
        alt="Questions with the outcome of each method",
    )
    cells = state["selection"]["cells"]
    if not cells:
        if named is not None:
            _answers(named, benches, "")
        return
    at, column = cells[0]
    if at >= len(found):
        return
    one = found[at]
    if column in benches and st.session_state.get("bench:cell") != (key, at, column):
        st.session_state["bench:cell"] = (key, at, column)  # the way back must not lead here again
        _open_run(one, benches[column])
    _answers(one, benches, column if column in benches else "")
    if not words:
        st.caption(
            "The words of these questions and answers may not be passed on with the app: measure "
            "the set yourself to see them."
        )


def _named(found: Sequence[Asked]) -> Asked | None:
    """A question chosen by its words: by keyboard too, which the grid is not for."""
    some = {one.id: one for one in found[:_MOST_NAMED]}
    chosen = st.selectbox(
        "Open a question",
        list(some),
        index=None,
        format_func=lambda name: _cut(some[name].question or name) if name in some else name,
        key=f"bench:look:{len(some)}:{next(iter(some))}",
        placeholder="Open a question",
        label_visibility="collapsed",
    )
    return some.get(chosen) if chosen else None


def _columns(found: Sequence[Asked], methods: Sequence[str], words: bool) -> dict[str, list[Any]]:
    """The grid, column by column: ten thousand rows are no trouble then."""
    table: dict[str, list[Any]] = {}
    if words:
        table["question"] = [_cut(one.question) for one in found]
    else:
        table["id"] = [one.id for one in found]
    if any(one.classes for one in found):
        table["class"] = [list(one.classes) for one in found]
    if any(one.gold for one in found):
        table["gold"] = [_cut(one.gold) for one in found]
    for name in methods:
        table[name] = [_outcomes(one.runs.get(name, ())) for one in found]
    return table


def _outcomes(rows: Sequence[Row]) -> list[str]:
    """One word a repeat: right, abstained, or the class of the failure."""
    return [_outcome(row) for row in rows] or ["not asked"]


def _outcome(row: Row) -> str:
    if row.verdict in ("right", "abstained"):
        return row.verdict
    return row.cause or row.verdict


def _cut(text: str) -> str:
    text = " ".join(text.split())
    return text if len(text) <= _MOST_CUT else text[: _MOST_CUT - 1] + "…"


# -- one question --------------------------------------------------------------------------


def _answers(one: Asked, benches: dict[str, Bench], clicked: str) -> None:
    """What each method answered; the one that was clicked first."""
    with st.container(border=True):
        st.markdown(f"**{escape(one.question or one.id)}**")
        about = [f"Right: {escape(one.gold)}"] if one.gold else []
        about += [escape(", ".join(one.classes))] if one.classes else []
        if about:
            st.caption(" · ".join(about))
        names = [clicked] if clicked else list(one.runs)
        for name in names:
            for row in one.runs.get(name, ()):
                _answer(one, row, name, benches[name])


def _answer(one: Asked, row: Row, name: str, bench: Bench) -> None:
    key = f"{bench.folder}:{row.id}:{row.repeat}"
    colour = _COLOURS.get(_outcome(row), "red")
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        again = f" ({row.repeat + 1})" if bench.config.repeat > 1 else ""
        st.markdown(f"**{escape(name)}**{again}", width="content")
        st.badge(_outcome(row), color=colour)  # type: ignore[arg-type]
        values = ", ".join(str(v.get("label", "")) for v in row.values[:8])
        said = row.text or values or row.message
        st.markdown(escape(said[:600]) if said else ":gray[no answer]")
        if results.has_traces(bench.folder):
            if st.button("Open the run", key=f"bench:run:{key}", icon=":material/play_circle:"):
                _open_run(one, bench, row.repeat)
        elif row.question and st.button(
            "Ask again",
            key=f"bench:ask:{key}",
            icon=":material/chat:",
            help="Its steps were not kept: asks the question anew, on the Ask page",
        ):
            _ask_again(row, bench)
    cost = row.cost
    meaning = CAUSES.get(row.cause, "") if row.verdict != "abstained" else row.message
    parts = [
        *([meaning] if meaning else []),
        *([_CERTAINTY[row.certainty]] if row.certainty in _CERTAINTY else []),
        f"F1 {row.scores.get('f1', 0):.2f}",
        f"{counted(cost.llm_calls, 'model call')}",
        f"{counted(cost.kg_requests, 'graph request')}",
        f"{cost.seconds:.2f} s",
    ]
    st.caption(escape(" · ".join(parts)))


def _open_run(one: Asked, bench: Bench, repeat: int = 0) -> None:
    """The stored run on the Ask page; nothing where its steps were not kept."""
    if run_id := stored_run(one, bench, repeat):
        st.session_state.pop("question_of", None)
        st.switch_page("pages/ask.py", query_params={"run": run_id})


def stored_run(one: Asked, bench: Bench, repeat: int = 0) -> str:
    """Puts the run of a question among the runs; its id, empty where its steps were not kept.

    The same run has the same id, however often it is opened.
    """
    records = results.trace(bench.folder, one.id, repeat)
    if not records:
        return ""
    config, store = bench.config, session.runs().store
    what = f"{bench.folder.resolve()}\n{config.started_at}\n{one.id}\n{repeat}"
    run_id = "b" + blake2b(what.encode(), digest_size=8).hexdigest()
    if session.runs().get(run_id) is None:
        header = Header(
            id=run_id,
            question=bench.by_question[one.id][0].question,
            method=config.method,
            params=config.params,
            graph=config.graph,
            graph_fingerprint=config.graph_fingerprint,
            model=config.model,
            started_at=config.started_at,
            version=config.version,
        )
        store.begin(header)
        store.append(run_id, records, status_of(records))
        store.annotate(run_id, note="", thumb=None, tags=[_TAG])
    return run_id


def _ask_again(row: Row, bench: Bench) -> None:
    state = st.session_state
    for name in ("run", "question_of"):
        state.pop(name, None)
    state["question"], state["method"] = row.question, bench.config.method
    if any(entry.source == bench.config.graph for entry in session.graphs().entries()):
        state["graph"] = bench.config.graph
    state["ask_now"] = True
    st.switch_page("pages/ask.py")
