"""One run on the page: the graph as it grew, the answer, its facts, the steps, the cost.

Live view, step slider and replay are this one view over `records[:k]`.
"""

from __future__ import annotations

import json
import time
from collections.abc import Sequence

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Record
from kgqa_core.ask.outcome import answer_of, total_cost, warnings
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Statement, short_id
from kgqa_core.history.runs import Run
from kgqa_core.render.graph import GraphView, facts_of, snapshot, statement_key
from kgqa_core.render.steps import StepView, escape, facts, hops, steps
from kgqa_core.screens import fork, session
from kgqa_core.screens.graph_component import graph_view
from kgqa_core.screens.panels import PANELS
from kgqa_core.screens.panels.audit import audit_line
from kgqa_core.screens.panels.corrections import layered
from kgqa_core.screens.share import share
from kgqa_core.screens.widgets import answer_text, grounding_badge, priced, value_rows
from kgqa_core.text import counted, shortened

_TICK_S = 0.4  # between two looks at a run that goes on
_PLAY_S = 0.7  # between two events of a replay
_FOLLOW_S = 0.4  # between two steps of a run that is faster than eyes
_MOST_STOPS = 15  # steps shown one by one when a run is followed; of longer ones several at once
_LEAST_TICK_S = 0.35  # of a fast replay: a page takes this long to be drawn
_SPEEDS = (1, 2, 5, 20, 100)
_MANY = 150  # events of a run whose closed steps are not drawn
_GRAPH_HEIGHT = 470  # pixels: graph, player and answer fit on 1280 × 800
_MOST_ROWS = 500
_MOST_WARNINGS = 3  # under the answer; all are among the steps


def run_view(run: Run) -> None:
    """Draws a run; while it goes on or plays, only this part of the page is redrawn."""
    every = _interval(run)

    @st.fragment(run_every=every, key=f"run:{run.header.id}")
    def draw() -> None:
        if st.session_state.get("run", run.header.id) != run.header.id:
            session.redraw()  # a fork was started: the page shows that
        _draw(run)
        if _interval(run) != every:
            # The timer belongs to the whole page. Last, since what is not drawn is unmounted.
            session.redraw()

    draw()


def _interval(run: Run) -> float | None:
    """Seconds between two looks: while the run goes on, while it is played, else never."""
    if _follows(run.header.id):
        return _FOLLOW_S
    if run.status == "running":
        return _TICK_S
    if not st.session_state.get(f"playing:{run.header.id}"):
        return None
    return max(_LEAST_TICK_S, _PLAY_S / _speed(run.header.id))


def _speed(run_id: str) -> int:
    """How many times as fast as one event in `_PLAY_S` a replay goes."""
    return int(st.session_state.get(f"speed:{run_id}") or 1)


def _follows(run_id: str) -> bool:
    return f"follows:{run_id}" in st.session_state


def _skip(run_id: str) -> None:
    st.session_state["skips"] = True
    st.session_state.pop(f"follows:{run_id}", None)


def _next_stop(records: Sequence[Record], at: int) -> int:
    """How many records are shown next: to the end of a step, or of several of a long run."""
    starts = [i for i, r in enumerate(records) if isinstance(r.event, events.Step) and i > 0]
    stops = [i for i in (*starts, len(records)) if i > at]
    many = max(1, round((len(starts) + 1) / _MOST_STOPS))
    return stops[min(many, len(stops)) - 1] if stops else len(records)


def _stride(run_id: str) -> int:
    """Events from one look to the next: the page is not drawn more often than it can be."""
    return max(1, round(_LEAST_TICK_S * _speed(run_id) / _PLAY_S))


def _draw(run: Run) -> None:
    records = list(run.records)
    ended = bool(records) and records[-1].event.terminal
    shown = records[: _position(run, len(records), ended)]
    fork.banner(run)
    left, right = st.columns([3, 2], gap="medium")
    with right:
        _answer_panel(run, shown, ended)
    with left:
        _graph_panel(run, shown, records, ended)
    with right:
        _details(run, shown, records)


def _position(run: Run, count: int, ended: bool) -> int:
    """How many records are shown: all of them, unless somebody stepped back."""
    run_id = run.header.id
    at, playing = f"at:{run_id}", f"playing:{run_id}"
    if _follows(run_id):
        return _followed(run, count, ended)
    if not ended or not count:
        return count
    if at not in st.session_state:
        wanted = st.query_params.get("step", "")
        _move(run_id, min(max(1, int(wanted)), count) if wanted.isdecimal() else count)
    elif st.session_state.get(playing):
        _move(run_id, min(st.session_state[at] + _stride(run_id), count))
        st.session_state[playing] = st.session_state[at] < count
    return int(st.session_state[at])


def _followed(run: Run, count: int, ended: bool) -> int:
    """How many records are shown of a run that is followed; it may be drawn in between."""
    key, now = f"follows:{run.header.id}", time.monotonic()
    shown, since = st.session_state[key]
    if now - since >= _FOLLOW_S * 0.8:
        shown = _next_stop(run.records[:count], shown)
        st.session_state[key] = shown, now
    if ended and shown >= count:
        del st.session_state[key]
        _move(run.header.id, count)
    return int(shown)


def _move(run_id: str, to: int) -> None:
    """Shows the run up to event `to`. A slider only takes a value when it is new: so it is."""
    st.session_state[f"at:{run_id}"] = to
    st.session_state[f"playing:{run_id}"] = False
    st.session_state[f"slider:{run_id}"] = st.session_state.get(f"slider:{run_id}", 0) + 1


def _slider(run_id: str) -> str:
    return f"slider:{run_id}:{st.session_state.get(f'slider:{run_id}', 0)}"


def _play_from(run_id: str, at: int) -> None:
    _move(run_id, at)
    st.session_state[f"playing:{run_id}"] = True


def _graph_panel(run: Run, shown: list[Record], records: list[Record], ended: bool) -> None:
    run_id = run.header.id
    cited = st.session_state.get(f"cited:{run_id}")
    clicked = graph_view(
        snapshot(
            layered(shown, st.session_state.get(f"layer:{run_id}")), show=[cited] if cited else []
        ),
        key=f"graph:{run_id}",
        run_id=run_id,
        height=_GRAPH_HEIGHT,
        grows=True,
        highlight=[cited] if cited else [],
        like=_places(run, records, ended),
        over=ended and len(shown) == len(records),
        library=False,
        address=f"?run={run_id}",
        empty="This run has walked no graph." if ended and len(shown) == len(records) else "",
    )
    if _follows(run_id):
        with st.container(horizontal=True, vertical_alignment="center"):
            if not ended:
                _stop_button(run)
            st.button(
                "Skip",
                key=f"skip:{run_id}",
                icon=":material/skip_next:",
                on_click=_skip,
                args=(run_id,),
                help="From now on, runs are shown at once; ▶ plays them",
            )
            st.caption(escape(current[-1].title) if (current := steps(shown)) else "")
    elif ended:
        _player(run, shown, records)
    else:
        with st.container(horizontal=True, vertical_alignment="center"):
            _stop_button(run)
            current = steps(shown)
            doing = current[-1].title if current else _place(run)
            st.caption(f":material/progress_activity: {escape(doing)} · {run.seconds:.1f} s")
    if clicked is not None:
        st.session_state[f"node:{run_id}"] = clicked
    node = st.session_state.get(f"node:{run_id}")
    if node:
        _node_panel(node, shown)


def _place(run: Run) -> str:
    """Where a run stands that has not begun."""
    before = session.runs().before(run)
    if not before:
        return "It is its turn next"
    return f"{counted(before, 'question')} before this one"


def _places(run: Run, records: Sequence[Record], ended: bool) -> list[GraphView]:
    """Where things stand: as in the run this was forked from, then as at this one's own end."""
    parent = fork.parent_of(run.header)
    told = [list(parent.records)] if parent is not None else []
    if ended:
        told.append(list(records))
    return [snapshot(one) for one in told if one and one[-1].event.terminal]


def _stop_button(run: Run) -> None:
    key = f"stop:{run.header.id}"
    st.button("Stop", key=key, icon=":material/stop_circle:", on_click=run.stop)


def _player(run: Run, shown: list[Record], records: list[Record]) -> None:
    run_id, count = run.header.id, len(records)
    playing = f"playing:{run_id}"
    at = len(shown)

    def play(going: bool) -> None:
        if going and at >= count:
            _move(run_id, 1)
        st.session_state[playing] = going

    def slide() -> None:
        # A slow browser may still report one that has been replaced: it is not the user's hand.
        if slider == _slider(run_id):
            st.session_state[f"at:{run_id}"] = st.session_state[slider]
            st.session_state[playing] = False

    is_playing = st.session_state.get(playing, False)
    slider = _slider(run_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, words, to, off in (
            ("first", "first_page", "To the beginning", 1, at <= 1),
            ("back", "chevron_left", "One event back", at - 1, at <= 1),
            ("play", "", "", 0, False),
            ("next", "chevron_right", "One event on", at + 1, at >= count),
            ("last", "last_page", "To the end", count, at >= count),
        ):
            if name == "play":
                st.button(
                    ":material/pause:" if is_playing else ":material/play_arrow:",
                    key=f"play:{run_id}",
                    help="Pause" if is_playing else "Replay the run",
                    on_click=play,
                    args=(not is_playing,),
                )
            else:
                st.button(
                    f":material/{icon}:",
                    key=f"{name}:{run_id}",
                    help=words,
                    on_click=_move,
                    args=(run_id, to),
                    disabled=off,
                )
        if count > 1:
            st.slider(
                "Event",
                1,
                count,
                at,
                key=slider,
                label_visibility="collapsed",
                on_change=slide,
            )
        st.selectbox(
            "Speed",
            _SPEEDS,
            key=f"speed:{run_id}",
            format_func=lambda speed: f"{speed} ×",
            label_visibility="collapsed",
            width=80,
            help="Speed of the replay",
        )
    all_steps = len(steps(records))
    current = steps(shown)
    title = current[-1].title if current else ""
    st.caption(f"step {len(current)} of {all_steps} · {escape(title)}")
    if at < count:
        st.query_params["step"] = str(at)
    elif "step" in st.query_params:
        del st.query_params["step"]


def _node_panel(node: str, shown: Sequence[Record]) -> None:
    found = facts_of(shown, node)
    with st.container(border=True):
        entity = next(
            (e for s in found for e in (s.subject, s.object) if getattr(e, "id", "") == node),
            None,
        )
        if entity is not None and not isinstance(entity, str):
            about = getattr(entity, "description", "")
            st.markdown(f"**{escape(entity.name)}** :small[{escape(short_id(node))}]")
            if about:
                st.caption(escape(about))
        if found:
            st.dataframe(
                value_rows(found[:_MOST_ROWS]),
                hide_index=True,
                height=min(38 + 35 * len(found), 250),
                key=f"facts:{node}",
                alt="Facts of the selected node that this run retrieved",
            )
        else:
            st.caption("This run retrieved no facts about it.")


def _answer_panel(run: Run, shown: list[Record], ended: bool) -> None:
    last = shown[-1].event if shown else None
    answer = answer_of(shown)
    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            st.markdown("**Answer**")
            if isinstance(last, events.Answered | events.Abstained):
                grounding_badge(answer)
            elif isinstance(last, events.Failed):
                st.badge("failed", icon=":material/error:", color="red")
            elif isinstance(last, events.Cancelled):
                st.badge("stopped", icon=":material/stop_circle:", color="gray")
            elif _follows(run.header.id) or not ended:
                st.badge("running", icon=":material/progress_activity:", color="blue")
            st.caption(_summary(run, shown, answer))
        if isinstance(last, events.Answered):
            st.markdown(answer_text(answer, run.header.id))
            if answer.reading and not answer.certain:
                st.caption(f"Read as: {escape(answer.reading)}")
            audit_line(run.header.id, shown)
        elif isinstance(last, events.Abstained):
            st.markdown(f"I do not know. {escape(answer.reason)}")
        elif isinstance(last, events.Failed):
            st.error(escape(last.message))
        elif isinstance(last, events.Cancelled):
            st.markdown(escape(last.reason) + " What was found so far is kept below.")
        elif run.live_text:
            st.caption(escape(run.live_text[-400:]))
        else:
            following = _follows(run.header.id)
            st.caption("Walking the graph …" if following or not ended else "No answer yet.")
        for text in warnings(shown)[:_MOST_WARNINGS]:
            st.caption(f":orange[:material/warning:] {escape(text)}")
        if answer.citations:
            _citations(run, answer)


def _citations(run: Run, answer: Answer) -> None:
    """The facts under the answer; a click lights one up in the graph, another click ends that."""
    run_id = run.header.id
    key = f"cited:{run_id}"

    def toggle(cited: str) -> None:
        st.session_state[key] = None if st.session_state.get(key) == cited else cited

    with st.container(
        gap=None, height=170 if len(answer.citations) > 5 else "content", border=False
    ):
        for i, item in enumerate(answer.citations):
            label = f"\\[{i + 1}\\] {escape(shortened(verbalise.support(item), 300))}"
            if isinstance(item, Statement):
                cited = statement_key(item)
                with st.container(
                    horizontal=True, horizontal_alignment="distribute", gap="small", wrap=False
                ):
                    st.button(
                        f"**{label}**" if st.session_state.get(key) == cited else label,
                        key=f"cite:{run_id}:{i}",
                        type="tertiary",
                        on_click=toggle,
                        args=(cited,),
                        help="Show in the graph",
                    )
                    if run.status != "running":
                        fork.without_button(run, item, f"without:{run_id}:{i}")
            else:
                st.caption(label)


def _summary(run: Run, shown: Sequence[Record], answer: Answer) -> str:
    parts = []
    if answer.citations:
        parts.append(counted(len(answer.citations), "fact"))
        parts.append(counted(hops(answer.citations), "hop"))
    parts.append(f"{run.seconds:.1f} s")
    return " · ".join(parts)


def _details(run: Run, shown: list[Record], records: list[Record]) -> None:
    run_id = run.header.id
    panels = [panel for panel in PANELS if run.header.method in panel.methods]
    *extra, tab_steps, tab_facts, tab_cost, tab_share = st.tabs(
        [panel.title for panel in panels] + ["Steps", "Facts", "Cost", "Share"],
        key=f"tabs:{run_id}",
    )
    for tab, panel in zip(extra, panels, strict=True):
        with tab:
            panel.draw(run, shown)
    with tab_steps:
        _steps(run, steps(shown))
    with tab_facts:
        _facts(run_id, shown)
        if run.status != "running":
            fork.without_one(run)
    with tab_cost:
        _cost(run_id, shown)
    with tab_share:
        share(run, records)


def _steps(run: Run, found: list[StepView]) -> None:
    if not found:
        st.caption("Each step appears here: thought, action, observation.")
    run_id = run.header.id
    # Of a long run, only the steps that are open are drawn: replaying stays smooth.
    many = len(run.records) > _MANY
    for i, step in enumerate(found):
        part = st.expander(
            escape(step.title),
            type="step",
            key=f"step:{run_id}:{i}",
            on_change="rerun" if many else "ignore",
        )
        if many and not part.open:
            continue
        with part:
            if run.status != "running":
                st.button(
                    "Replay from here",
                    key=f"from:{run_id}:{i}",
                    icon=":material/play_arrow:",
                    type="tertiary",
                    on_click=_play_from,
                    args=(run_id, step.records[0].seq + 1),
                )
            if step.thought:
                st.markdown(f"*{escape(step.thought)}*")
            for record in step.records:
                line = record.event.line
                if isinstance(record.event, events.Asked):
                    with st.popover(escape(line), type="tertiary", key=f"p:{run_id}:{record.seq}"):
                        st.caption("Prompt")
                        st.code(record.event.prompt, language=None, wrap_lines=True)
                        st.caption(f"Reply ({record.event.rung or 'no structure'})")
                        st.code(_reply(record.event), language="json", wrap_lines=True)
                        if record.event.reasoning:
                            st.caption("Reasoning")
                            st.code(record.event.reasoning, language=None, wrap_lines=True)
                        fork.reply_editor(run, record)
                elif fork.can_choose_entity(run, record):
                    with st.popover(escape(line), type="tertiary", key=f"p:{run_id}:{record.seq}"):
                        fork.entity_editor(run, record)
                elif isinstance(record.event, events.Noted) and record.event.level == "warning":
                    st.markdown(f":orange[:material/warning:] :small[{escape(line)}]")
                elif isinstance(record.event, events.Queried):
                    st.code(record.event.sparql, language="sparql", wrap_lines=True)
                elif line:
                    st.markdown(f":small[{escape(line)}]")


def _reply(event: events.Asked) -> str:
    if event.parsed is not None and event.rung == "reader":
        return json.dumps(event.parsed, ensure_ascii=False, indent=1)
    return event.reply


def _facts(run_id: str, shown: Sequence[Record]) -> None:
    found = facts(shown)
    if not found:
        over = bool(shown) and shown[-1].event.terminal
        st.caption(
            "No facts were retrieved."
            if over
            else "Facts appear here as the method retrieves them."
        )
        return
    cut = f", the first {_MOST_ROWS} shown" if len(found) > _MOST_ROWS else ""
    st.caption(f"{len(found):,} facts retrieved{cut}")
    st.dataframe(
        value_rows(found[:_MOST_ROWS]),
        hide_index=True,
        height=300,
        key=f"all-facts:{run_id}",
        alt="All facts this run retrieved",
    )


def _cost(run_id: str, shown: Sequence[Record]) -> None:
    rows = [
        {
            "step": step.title,
            "model calls": step.cost.llm_calls,
            "tokens": step.cost.prompt_tokens + step.cost.completion_tokens,
            "graph requests": step.cost.kg_requests,
            "seconds": round(step.cost.seconds, 3),
        }
        for step in steps(shown)
    ]
    total = total_cost(shown)
    estimated = " (some estimated)" if total.estimated else ""
    st.caption(
        f"{total.llm_calls} model calls · {total.prompt_tokens:,} + {total.completion_tokens:,} "
        f"tokens{estimated} · {total.kg_requests} graph requests · {total.seconds:.2f} s"
        f"{priced(total)}"
    )
    st.dataframe(rows, hide_index=True, key=f"cost:{run_id}", alt="Cost of each step")
