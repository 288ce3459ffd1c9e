"""Runs side by side: live panes that share node positions, then where they agree and part.

The panes are one fragment with one timer; what is said about the runs together stands below and
takes in a run as soon as it has ended, so a slow one holds nothing up.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import blake2b
from html import escape as html_escape
from math import ceil

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.outcome import answer_of, audit_of, total_cost
from kgqa_core.history import comparison
from kgqa_core.history.comparison import MOST_SIDES
from kgqa_core.history.runs import Run
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.steps import escape, facts, steps
from kgqa_core.screens.compare.together import Side, sides_of, together
from kgqa_core.screens.graph_component import graph_library, graph_view, just_clicked
from kgqa_core.screens.session import redraw
from kgqa_core.screens.widgets import answer_text, priced, trust_badge
from kgqa_core.text import counted

_TICK_S = 0.6
_HEIGHTS = {1: 420, 2: 400, 3: 340}  # of a graph, by panes in a row
_LINE = 30  # pixels of a line of an answer
_MOST_LINES = 4  # of an answer; a longer one is scrolled
_LETTERS = {1: 120, 2: 62, 3: 36}  # of a line, by panes in a row


def comparison_id(runs: Sequence[Run]) -> str:
    return blake2b(",".join(run.header.id for run in runs).encode(), digest_size=6).hexdigest()


def compare_view(runs: Sequence[Run]) -> None:
    """Panes, then the comparison of those that have ended."""
    sides, this = sides_of(runs), comparison_id(runs)
    if len({" ".join(run.header.question.split()) for run in runs}) > 1:
        st.warning("These runs answer different questions.")
    _panes(this, sides)
    together(this, sides)
    graph_library()  # once for all panes, and not at each of their looks


# -- panes ----------------------------------------------------------------------------------


def _ended(sides: Sequence[Side]) -> int:
    return sum(run.status != "running" for side in sides for run in side.runs)


def _panes(this: str, sides: list[Side]) -> None:
    ended = _ended(sides)
    running = ended < sum(len(side.runs) for side in sides)

    @st.fragment(run_every=_TICK_S if running else None, key=f"compare:{this}")
    def draw() -> None:
        now = _ended(sides)  # before drawing: what ends meanwhile is drawn by the next look
        _pick_everywhere(this, sides)
        done = [run for side in sides for run in side.runs if run.status != "running"]
        like = [_snapshot(run, list(run.records)) for run in done]
        per_row = len(sides) if len(sides) <= 3 else 2 if len(sides) == 4 else 3
        # As much room for each as the longest answer needs, so that graphs stand in line.
        answers = [answer_of(run.records) for side in sides for run in side.runs]
        longest = max(len(answer.text or answer.reason) for answer in answers)
        lines = min(max(2, ceil(longest / _LETTERS[per_row])), _MOST_LINES)
        for start in range(0, len(sides), per_row):
            columns = st.columns(per_row, gap="small")
            for column, side in zip(columns, sides[start : start + per_row], strict=False):
                with column:
                    _pane(this, side, per_row, len(sides), like, lines)
        if now != ended:
            # The timer belongs to the whole page. Last, since what is not drawn is unmounted.
            redraw()

    draw()


def _graph_key(this: str, run: Run) -> str:
    return f"compare:{this}:graph:{run.header.id}"


def _pick_everywhere(this: str, sides: Sequence[Side]) -> None:
    """A node clicked in one pane is selected in all, before any of them is drawn."""
    for side in sides:
        for run in side.runs:
            picked = just_clicked(_graph_key(this, run))
            if picked is not None:
                st.session_state[f"compare:{this}:node"] = picked


def _pane(
    this: str, side: Side, per_row: int, count: int, like: Sequence[GraphView], lines: int
) -> None:
    run = _shown_run(this, side)
    records = list(run.records)
    height = _HEIGHTS[per_row] if count <= 3 else 290
    with st.container(border=True, gap="small"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(
                f'<b style="border-left:5px solid {side.colour};padding-left:.5rem">'
                f"{html_escape(side.name)}</b>",
                width="content",
            )
            _state(run, records)
        with st.container(height=lines * _LINE, border=False, gap=None):
            _answer(run, records)
        st.caption(_numbers(run, records))
        graph_view(
            _snapshot(run, records),
            key=_graph_key(this, run),
            run_id=f"compare:{this}:{run.header.id}",
            like=like,
            over=run.status != "running",
            height=height,
            selected=st.session_state.get(f"compare:{this}:node"),
            library=False,
        )
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            if any(one.status == "running" for one in side.runs):
                st.button(
                    "Stop",
                    key=f"compare:{this}:stop:{side.runs[0].header.id}",
                    icon=":material/stop_circle:",
                    on_click=_stop,
                    args=(side,),
                    help="Stops this one alone; what it found so far stays",
                )
            st.page_link(
                "pages/ask.py",
                label="Open",
                icon=":material/open_in_full:",
                query_params={"run": run.header.id},
                help="All steps, facts and the player on the Ask page",
            )


def _stop(side: Side) -> None:
    for run in side.runs:
        run.stop()


def _shown_run(this: str, side: Side) -> Run:
    """The only run of a side, or the repetition chosen to be seen."""
    if len(side.runs) == 1:
        return side.runs[0]
    chosen = st.segmented_control(
        f"Repetition of {side.name}",
        list(range(len(side.runs))),
        default=0,
        required=True,
        format_func=lambda i: f"{i + 1}{'' if side.runs[i].status != 'running' else ' …'}",
        key=f"compare:{this}:repetition:{side.runs[0].header.id}",
        label_visibility="collapsed",
    )
    return side.runs[chosen or 0]


def _state(run: Run, records: Sequence[Record]) -> None:
    last = records[-1].event if records else None
    if isinstance(last, events.Answered | events.Abstained):
        trust_badge(last.answer, audit_of(records))
    elif isinstance(last, events.Failed):
        st.badge("failed", icon=":material/error:", color="red")
    elif isinstance(last, events.Cancelled):
        st.badge("stopped", icon=":material/stop_circle:", color="gray")
    elif records:
        st.badge("running", icon=":material/progress_activity:", color="blue")
    else:
        st.badge("waiting", icon=":material/hourglass_top:", color="gray")


def _answer(run: Run, records: Sequence[Record]) -> None:
    last = records[-1].event if records else None
    if isinstance(last, events.Answered):
        st.markdown(answer_text(last.answer))
    elif isinstance(last, events.Abstained):
        st.markdown(f"I do not know. {escape(last.answer.reason)}")
    elif isinstance(last, events.Failed):
        st.markdown(f":red[{escape(last.message)}]")
    elif isinstance(last, events.Cancelled):
        st.markdown(escape(last.reason))
    else:
        found = steps(records)
        st.markdown(escape(found[-1].title if found else "Waiting for a free worker"))
        if run.live_text:
            st.caption(escape(run.live_text[-200:]))


def _numbers(run: Run, records: Sequence[Record]) -> str:
    cost = total_cost(records)
    tokens = cost.prompt_tokens + cost.completion_tokens
    cited = len(answer_of(records).citations)
    parts = [
        f"{cited} of {len(facts(records)):,} facts cited",
        counted(cost.llm_calls, "call"),
        f"{tokens:,} tokens",
        f"{run.seconds:.1f} s",
    ]
    return " · ".join(parts) + priced(cost)


def _snapshot(run: Run, records: Sequence[Record]) -> GraphView:
    """The graph of a run, folded again only when something happened since."""
    kept: dict[str, tuple[int, GraphView]] = st.session_state.setdefault("compare:graphs", {})
    count, view = kept.get(run.header.id, (-1, None))
    if view is None or count != len(records):
        view = snapshot(records)
        kept.pop(run.header.id, None)
        kept[run.header.id] = (len(records), view)
        while len(kept) > MOST_SIDES * comparison.MOST_REPEATS:
            del kept[next(iter(kept))]
    return view
