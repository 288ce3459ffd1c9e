"""Runs side by side: a league of answers, live graphs that share node positions, then what they
have in common.

League and graphs are one fragment with one timer; what is said about the runs together stands
below and takes in a run as soon as it has ended, so a slow one holds nothing up.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from hashlib import blake2b
from html import escape as html_escape

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.outcome import answer_of, audit_of, by_reader, total_cost
from kgqa_core.history import comparison
from kgqa_core.history.comparison import MOST_SIDES
from kgqa_core.history.runs import Run
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.steps import escape, facts, steps
from kgqa_core.render.verdict import verdict
from kgqa_core.screens.compare.together import Side, sides_of, together
from kgqa_core.screens.graph_component import graph_view, just_clicked
from kgqa_core.screens.session import price, redraw
from kgqa_core.screens.widgets import trust_words
from kgqa_core.text import shortened

_TICK_S = 0.6
_HEIGHTS = {1: 420, 2: 400, 3: 340}  # of a graph, by panes in a row
_FEW = 3  # of many, whose graphs are drawn unasked
_MOST_SAID = 160  # characters of an answer in the league


def comparison_id(runs: Sequence[Run]) -> str:
    return blake2b(",".join(run.header.id for run in runs).encode(), digest_size=6).hexdigest()


def compare_view(runs: Sequence[Run]) -> None:
    """The league of all, the graphs of a few, then the comparison of those that have ended."""
    sides, this = sides_of(runs), comparison_id(runs)
    if len({" ".join(run.header.question.split()) for run in runs}) > 1:
        st.warning("These runs were asked different questions.")
    seen = _drawn(this, sides)
    _panes(this, sides, seen)
    together(this, sides, seen)


def _drawn(this: str, sides: list[Side]) -> list[Side]:
    """Whose graphs are drawn: all of a few, of many those that are chosen below the league."""
    if len(sides) <= MOST_SIDES:
        return sides
    chosen: Sequence[str] = st.session_state.get(f"compare:{this}:drawn", _first(sides))
    return [side for side in sides if side.name in chosen]


def _first(sides: Sequence[Side]) -> list[str]:
    return [side.name for side in sides[:_FEW]]


# -- panes ----------------------------------------------------------------------------------


def _ended(sides: Sequence[Side]) -> int:
    return sum(run.status != "running" for side in sides for run in side.runs)


def _panes(this: str, sides: list[Side], seen: list[Side]) -> None:
    ended = _ended(sides)
    running = ended < sum(len(side.runs) for side in sides)

    @st.fragment(run_every=_TICK_S if running else None, key=f"compare:{this}")
    def draw() -> None:
        now = _ended(sides)  # before drawing: what ends meanwhile is drawn by the next look
        _league(this, sides)
        _pick_everywhere(this, seen)
        done = [run for side in seen for run in side.runs if run.status != "running"]
        like = [_snapshot(run, list(run.records)) for run in done]
        per_row = len(seen) if len(seen) <= 3 else 2 if len(seen) == 4 else 3
        for start in range(0, len(seen), per_row):
            columns = st.columns(per_row, gap="small")
            for column, side in zip(columns, seen[start : start + per_row], strict=False):
                with column:
                    _pane(this, side, per_row, len(seen), like)
        if now != ended:
            # The timer belongs to the whole page. Last, since what is not drawn is unmounted.
            redraw()

    draw()
    if len(sides) > MOST_SIDES:
        st.multiselect(
            "Graphs of",
            [side.name for side in sides],
            default=_first(sides),
            key=f"compare:{this}:drawn",
            max_selections=MOST_SIDES,
            help="Whose graphs, facts and steps are set side by side",
        )


def _league(this: str, sides: Sequence[Side]) -> None:
    """Answer, verdict and cost of each in a line; the surest first once all have ended."""
    lines = [(side, _looked_at(this, side)) for side in sides]
    places: list[str] = []
    if all(run.status != "running" for _, run in lines):
        agreeing = {
            i: len(group.members)
            for group in comparison.agreement([run.records for _, run in lines])
            for i in group.members
        }
        standing = [_standing(run, agreeing[i]) for i, (_, run) in enumerate(lines)]
        order = sorted(range(len(lines)), key=standing.__getitem__)
        lines = [lines[i] for i in order]
        places = places_of([standing[i][:2] for i in order])
    rows = []
    for n, (side, run) in enumerate(lines):
        records = list(run.records)
        cost = total_cost(records)
        dollars = price(cost)
        row = {
            **({"Place": places[n]} if places else {}),
            "Method": f"**{escape(side.name)}**",
            "Answer": _answer(run, records),
            "Verdict": _verdict(records),
            **({} if dollars is None else {"Price": f"\\${dollars:.4f}"}),
            "Facts": f"{len(answer_of(records).citations)} of {len(facts(records)):,}",
            "Calls": f"{cost.llm_calls:,}{_BY_READER * by_reader(records)}",
            "Tokens": f"{cost.prompt_tokens + cost.completion_tokens:,}",
            "Seconds": f"{run.seconds:.1f}",
        }
        rows.append(row)
    with st.container(key="compare_lines"):  # on a phone each line is a card, see pages.css
        st.table(
            rows,
            border="horizontal",
            hide_index=True,
            alt="Answer, verdict and cost of each method; the surest first once all have ended",
        )
    if places:
        st.caption(
            "The surest answer first, then the one that most agree on. Equal ones share a place, "
            "the fewest calls and tokens first."
        )


def places_of(standing: Sequence[tuple[float, ...]]) -> list[str]:
    """Places of what is sorted, the best first; equal ones share theirs, no answer has none."""
    return [str(standing.index(one) + 1) if one[0] < _NO_ANSWER else "–" for one in standing]


_BY_READER = " :small[:gray[by the reader]]"
_TRUST_ORDER = {"firm": 0, "open": 1, "weak": 2}
_NO_ANSWER = 3


def _standing(run: Run, agreeing: int) -> tuple[float, ...]:
    """Less is better: how sure the answer is, how many agree with it, then what it took."""
    records = list(run.records)
    last = records[-1].event if records else None
    cost = total_cost(records)
    spent = (cost.llm_calls, cost.prompt_tokens + cost.completion_tokens)
    if isinstance(last, events.Answered):
        return (_TRUST_ORDER[verdict(last.answer, audit_of(records))[0]], -agreeing, *spent)
    return (_NO_ANSWER + (not isinstance(last, events.Abstained)), 0, *spent)


def _verdict(records: Sequence[Record]) -> str:
    """How it ended, as Markdown: a mark, and a word or two."""
    last = records[-1].event if records else None
    if isinstance(last, events.Answered):
        return trust_words(last.answer, audit_of(records))
    if isinstance(last, events.Abstained):
        return ":gray-badge[:material/do_not_disturb_on: no answer]"
    if isinstance(last, events.Failed):
        return ":red-badge[:material/error: failed]"
    if isinstance(last, events.Cancelled):
        return ":gray-badge[:material/stop_circle: stopped]"
    if records:
        return ":blue-badge[:material/progress_activity: running]"
    return ":gray-badge[:material/hourglass_top: waiting]"


def _graph_key(this: str, run: Run) -> str:
    return f"compare:{this}:graph:{run.header.id}"


def _pick_everywhere(this: str, sides: Sequence[Side]) -> None:
    """A node clicked in one pane is selected in all, before any of them is drawn."""
    for side in sides:
        for run in side.runs:
            picked = just_clicked(_graph_key(this, run))
            if picked is not None:
                st.session_state[f"compare:{this}:node"] = picked


def _pane(this: str, side: Side, per_row: int, count: int, like: Sequence[GraphView]) -> None:
    height = _HEIGHTS[per_row] if count <= 3 else 290
    with st.container(border=True, gap="small", height="stretch"):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.html(
                f'<b style="border-left:5px solid {side.colour};padding-left:.5rem">'
                f"{html_escape(side.name)}</b>",
                width="content",
            )
            st.page_link(
                "pages/ask.py",
                label="Open",
                icon=":material/open_in_full:",
                query_params={"run": _looked_at(this, side).header.id},
                help="All steps, facts and the player on the Ask page",
            )
            if any(one.status == "running" for one in side.runs):
                st.button(
                    "Stop",
                    key=f"compare:{this}:stop:{side.runs[0].header.id}",
                    icon=":material/stop_circle:",
                    on_click=_stop,
                    args=(side,),
                    help="Stops this one alone; what it found so far stays",
                )
        run = _shown_run(this, side)
        records = list(run.records)
        graph_view(
            _snapshot(run, records),
            key=_graph_key(this, run),
            run_id=f"compare:{this}:{run.header.id}",
            like=like,
            over=run.status != "running",
            height=height,
            selected=st.session_state.get(f"compare:{this}:node"),
        )


def _stop(side: Side) -> None:
    for run in side.runs:
        run.stop()


def _looked_at(this: str, side: Side) -> Run:
    """The only run of a side, or the repetition that was chosen to be seen."""
    chosen = st.session_state.get(f"compare:{this}:repetition:{side.runs[0].header.id}")
    return side.runs[chosen or 0]


def _shown_run(this: str, side: Side) -> Run:
    """The same, with the choice drawn."""
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


def _answer(run: Run, records: Sequence[Record]) -> str:
    """The answer, or what stands for it, as Markdown on a line or two."""
    last = records[-1].event if records else None
    if isinstance(last, events.Answered):
        return escape(shortened(last.answer.text, _MOST_SAID))
    if isinstance(last, events.Abstained):
        return f":gray[{escape(shortened(_first_sentence(last.answer.reason), _MOST_SAID))}]"
    if isinstance(last, events.Failed):
        return f":red[{escape(shortened(last.message, _MOST_SAID))}]"
    if isinstance(last, events.Cancelled):
        return escape(last.reason)
    found = steps(records)
    if not found:
        return ":gray[Waiting for a free worker]"
    return f":gray[{escape(shortened(run.live_text[-200:] or found[-1].title, _MOST_SAID))}]"


def _first_sentence(reason: str) -> str:
    """What stands for an answer: the rest of why there is none is told where the run is opened."""
    found = re.match(r".{30,}?[.!?](?= [A-Z“])", reason)
    return (found[0] if found else reason) or "I do not know."


def _snapshot(run: Run, records: Sequence[Record]) -> GraphView:
    """The graph of a run, folded again only when something happened since."""
    kept: dict[str, tuple[int, GraphView]] = st.session_state.setdefault("compare:graphs", {})
    count, view = kept.get(run.header.id, (-1, None))
    if view is None or count != len(records):
        view = snapshot(records)
        kept.pop(run.header.id, None)
        kept[run.header.id] = (len(records), view)
        while len(kept) > comparison.MOST_RUNS:
            del kept[next(iter(kept))]
    return view
