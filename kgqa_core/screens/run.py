"""One run on the page: the graph as it grew, the answer, its facts, the steps, the cost.

Live view, step slider and replay are this one view over `records[:k]`.
"""

from __future__ import annotations

import json
import re
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from itertools import accumulate

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Record, Support
from kgqa_core.ask.follow_up import carried
from kgqa_core.ask.outcome import (
    answer_of,
    audit_of,
    by_reader,
    calls_in_words,
    total_cost,
    uncounted,
    warnings,
)
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Relation, Statement, short_id, telling_id
from kgqa_core.history.runs import Run
from kgqa_core.kg import layout
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.render.graph import GraphView, facts_of, snapshot, statement_key
from kgqa_core.render.sorts import sorts_of
from kgqa_core.render.steps import StepView, escape, facts, hops, steps, unread
from kgqa_core.screens import fork, reply_form, session, start
from kgqa_core.screens.explore.walk import asks_well, question_about
from kgqa_core.screens.graph_component import graph_view
from kgqa_core.screens.panels import PANELS
from kgqa_core.screens.panels.audit import audit_line
from kgqa_core.screens.panels.corrections import layered
from kgqa_core.screens.share import share
from kgqa_core.screens.widgets import (
    answer_text,
    cite_key,
    priced,
    ranges,
    trust_line,
    value_rows,
)
from kgqa_core.text import counted, listed, plain, shortened, stems

WIKIDATA = "http://www.wikidata.org/entity/Q"
_TICK_S = 0.4  # between two looks at a run that goes on
_PLAY_S = 0.7  # between two steps of a replay
_FOLLOW_S = 0.4  # between two steps of a run that is faster than eyes
_MOST_STOPS = 15  # steps shown one by one when a run is followed; of longer ones several at once
_LEAST_TICK_S = 0.35  # of a fast replay: a page takes this long to be drawn
_SPEEDS = (1, 2, 5, 20, 100)
_SOON_S = 1.0  # a run that has taken less may be over at the next look
_BRIEF = 4  # steps of a play that is over before a diagram is looked at
_MANY = 150  # events of a run whose closed steps are not drawn
_GRAPH_HEIGHT = 470  # pixels: graph, player and answer fit on 1280 × 800
_MOST_ROWS = 500
_STEP_WIDTH = 170  # pixels of a step's title, so that its figures stand beside it
_FIGURE_WIDTH = 65  # of a column of figures, which a title has where there are none
_LONG_ANSWER = 140  # characters; a longer one is set smaller
_FEW = 3  # facts under an answer that need no folding
_MOST_INSTEAD = 5  # questions offered after an abstention
_BEGUN = "question_begun"  # in the session: one stands in the box that the page has to show
_MOST_CARRIED = 15  # values that “them” of a further question stands for
_MOST_WARNINGS = 3  # under the answer; all are among the steps
_HANDLE = re.compile(r"\b[nsS]\d{1,2}\b")  # of a set: means something among the steps alone
_LITTLE = frozenset(
    stems(
        "a an the of in on at to by for from and or all every each any some who whom whose what "
        "which that how is are was were be been do does did has have had there it its they their "
        "he his she her name list give tell me show so"
    )
)


def gone_on(question: str, last: str, records: Sequence[Record]) -> str:
    """A question that goes on from the run of the `last` one, with what it leaves out."""
    found, people = about(records)
    values = [v for v in answer_of(records).values if isinstance(v, Entity)]
    several = values if 1 < len(values) <= _MOST_CARRIED else ()
    anchored = [r.event for r in records if isinstance(r.event, events.Anchored)]
    named = {name for one in anchored for name in (one.mention, one.entity.name)}
    named |= {one.name for one in found}  # a template of the question needs no anchor
    return carried(question, found, people, several, last, named)


def about(records: Sequence[Record]) -> tuple[list[Entity], set[str]]:
    """What a run was about, for a question that goes on from it, and ids of who of it are people.

    Its one answer, else its start, then what the facts of the answer name.
    """
    answer = answer_of(records)
    values = [v for v in answer.values if isinstance(v, Entity)]
    anchors = [r.event.entity for r in records if isinstance(r.event, events.Anchored)]
    cited = [s for s in answer.citations if isinstance(s, Statement)]
    named = [e for s in cited for e in (s.subject, s.object) if isinstance(e, Entity)]
    one = values if len(values) == 1 else []
    found = list(dict.fromkeys([*one, *anchors, *named]))
    known = [s for s in facts(records) if isinstance(s, Statement)]
    sorts = sorts_of(found, known)
    return found, {e.id for e in found if sorts.get(e.id) == "person"}


def run_view(run: Run) -> None:
    """Draws a run; while it goes on or plays, only this part of the page is redrawn."""
    every = _interval(run)

    @st.fragment(run_every=every, key=f"run:{run.header.id}")
    def draw() -> None:
        begun = "ask_now" in st.session_state or st.session_state.pop(_BEGUN, False)
        if begun or st.session_state.get("run", run.header.id) != run.header.id:
            session.redraw()  # a fork was started, or a question begun: the page shows that
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
    """How many times as fast as one step in `_PLAY_S` a replay goes."""
    return int(st.session_state.get(f"speed:{run_id}") or 1)


def _follows(run_id: str) -> bool:
    return f"follows:{run_id}" in st.session_state


def _skip(run_id: str) -> None:
    st.session_state["skips"] = True
    st.session_state.pop(f"follows:{run_id}", None)


def _stops(records: Sequence[Record], ended: bool) -> list[int]:
    """How many records each look shows: to the end of a step, in a long run of several.

    Of a run that has ended, the answer follows as soon as the graph stands that leads to it.
    """
    starts = [i for i, r in enumerate(records) if isinstance(r.event, events.Step) and i > 0]
    while ended and len(starts) > 1 and _same(records[: starts[-2]], records[: starts[-1]]):
        starts.pop()
    many = max(1, round((len(starts) + 1) / _MOST_STOPS))
    return [*starts[many - 1 :: many], len(records)]


def _same(some: Sequence[Record], more: Sequence[Record]) -> bool:
    return snapshot(some) == snapshot(more)


def _stride(run_id: str) -> int:
    """Steps from one look to the next: the page is not drawn more often than it can be."""
    return max(1, round(_LEAST_TICK_S * _speed(run_id) / _PLAY_S))


def _draw(run: Run) -> None:
    records = list(run.records)
    ended = bool(records) and records[-1].event.terminal
    shown = records[: _position(run, len(records), ended)]
    fork.banner(run)
    left, right = st.columns([3, 2], gap="medium")
    with right:
        _answer_panel(run, shown, ended)
    with left, st.container(key=f"stays:{run.header.id}"):
        _graph_panel(run, shown, records, ended)
    with right:
        node = st.session_state.get(f"node:{run.header.id}")
        if node:
            _node_panel(run, node, shown)
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
        ends = _ends(run.records[:count])
        asked = wanted.isdecimal() and len(wanted) < 9 and 1 <= int(wanted) <= len(ends)
        _move(run_id, ends[int(wanted) - 1] if asked else count)
    elif st.session_state.get(playing):
        ends = [end for end in _ends(run.records[:count]) if end > st.session_state[at]]
        _move(run_id, ends[min(_stride(run_id), len(ends)) - 1] if ends else count)
        st.session_state[playing] = st.session_state[at] < count
    return int(st.session_state[at])


def _followed(run: Run, count: int, ended: bool) -> int:
    """How many records are shown of a run that is followed; it may be drawn in between.

    By the clock: where a look takes longer than a step is shown, the next one shows several.
    """
    key, now = f"follows:{run.header.id}", time.monotonic()
    shown, since = st.session_state[key]
    due = int((now - since) / _FOLLOW_S + 0.2) if since else 1
    stops = [stop for stop in _stops(run.records[:count], ended) if stop > shown]
    if due and stops:
        shown = stops[min(due, len(stops)) - 1]
        since = since + due * _FOLLOW_S if since else now
    elif due:
        since = now
    st.session_state[key] = shown, since
    if ended and shown >= count:
        del st.session_state[key]
        _move(run.header.id, count)
    return int(shown)


def _move(run_id: str, to: int) -> None:
    """Shows the run up to record `to`. A slider only takes a value when it is new: so it is."""
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
    cited = (st.session_state.get(f"cited:{run_id}") or "").split()
    clicked = graph_view(
        snapshot(layered(shown, st.session_state.get(f"layer:{run_id}")), show=cited),
        key=f"graph:{run_id}",
        run_id=run_id,
        height=_GRAPH_HEIGHT,
        grows=True,
        highlight=cited,
        like=_places(run, records, ended),
        over=ended and len(shown) == len(records),
        address=f"?run={run_id}",
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


def _place(run: Run) -> str:
    """Where a run stands that has not begun."""
    before = session.runs().before(run)
    if not before:
        return "Next in line"
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


def _ends(records: Sequence[Record]) -> list[int]:
    """How many records there are at the end of each step."""
    return list(accumulate(len(step.records) for step in steps(records)))


def _player(run: Run, shown: list[Record], records: list[Record]) -> None:
    """Graph, slider and step list stand at one step: its number is what the page counts."""
    run_id, ends = run.header.id, _ends(records)
    playing, count = f"playing:{run_id}", len(ends)
    at = len(_ends(shown))

    def play(going: bool) -> None:
        if going and at >= count:
            _move(run_id, ends[0])
        st.session_state[playing] = going

    def slide() -> None:
        # A slow browser may still report one that has been replaced: it is not the user's hand.
        if slider == _slider(run_id):
            st.session_state[f"at:{run_id}"] = ends[st.session_state[slider] - 1]
            st.session_state[playing] = False

    is_playing = st.session_state.get(playing, False)
    slider = _slider(run_id)
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        for name, icon, words, to, off in (
            ("first", "first_page", "To the beginning", 1, at <= 1),
            ("back", "chevron_left", "One step back", at - 1, at <= 1),
            ("play", "", "", 0, False),
            ("next", "chevron_right", "One step forward", at + 1, at >= count),
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
                    args=(run_id, ends[min(max(1, to), count) - 1]),
                    disabled=off,
                )
        if count > 1:
            st.slider(
                "Step",
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
    current = steps(shown)
    title = current[-1].title if current else ""
    st.caption(f"step {at} of {count} · {escape(title)}")
    if at < count:
        st.query_params["step"] = str(at)
    elif "step" in st.query_params:
        del st.query_params["step"]


def _node_panel(run: Run, node: str, shown: Sequence[Record]) -> None:
    """The card of what was clicked: what it is, where to go on with it, its facts."""
    run_id = run.header.id
    found = facts_of(shown, node)
    entity = next(
        (e for s in found for e in (s.subject, s.object) if isinstance(e, Entity) and e.id == node),
        None,
    )

    def close() -> None:
        st.session_state.pop(f"node:{run_id}", None)

    def ask_about(entity: Entity) -> None:
        st.session_state["question"] = question_about(entity)
        st.session_state[_BEGUN] = True

    with st.container(border=True):
        with st.container(horizontal=True, vertical_alignment="center", wrap=False):
            name = entity.name if entity is not None else "This part of the graph"
            known = telling_id(node) if entity is not None else ""
            about = f" :small[{escape(known)}]" if known else ""
            st.markdown(f"**{escape(name)}**{about}")
            st.button(
                "",
                key=f"close:{run_id}",
                icon=":material/close:",
                type="tertiary",
                help="Close",
                on_click=close,
            )
        if entity is not None:
            if entity.description:
                st.caption(escape(entity.description))
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.button(
                    "Ask about this",
                    key=f"about:{run_id}",
                    icon=":material/chat:",
                    type="tertiary",
                    on_click=ask_about,
                    args=(entity,),
                )
                with suppress(SettingsError):  # a graph that is not in the list any more
                    st.page_link(
                        "pages/explore.py",
                        label="Explore from here",
                        icon=":material/hub:",
                        query_params={
                            "graph": fork.graph_of(run.header),
                            "entity": layout.link_id(entity.id),
                        },
                    )
                if entity.id.startswith(WIKIDATA) and short_id(entity.id)[1:].isdecimal():
                    st.link_button(
                        "Wikidata",
                        f"https://www.wikidata.org/wiki/{short_id(entity.id)}",
                        icon=":material/open_in_new:",
                        type="tertiary",
                    )
        if found:
            if len(found) > _MOST_ROWS:
                st.caption(f"The first {_MOST_ROWS} of {len(found):,} facts")
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
    run_id = run.header.id
    with st.container(border=True, gap="small", key=f"answer:{run_id}"):
        if isinstance(last, events.Answered):
            long = len(answer.text) > _LONG_ANSWER
            with st.container(key=f"{'told' if long else 'hero'}:{run_id}"):
                st.markdown(answer_text(answer, run_id))
            with st.container(
                horizontal=True, vertical_alignment="center", gap="small", key=f"rests:{run_id}"
            ):
                trust_line(answer, audit_of(shown))
                audit_line(run_id, shown)
                st.caption(_summary(run, shown, answer), width="content")
            if not answer.certain and (reading := read_as(run.header.question, answer.reading)):
                st.caption(f"Read as: {escape(reading)}")
        elif isinstance(last, events.Abstained):
            with st.container(key=f"told:{run_id}"):
                st.markdown(f"I do not know. {escape(answer.reason)}")
            for text in uncounted(shown):
                st.caption(f":material/explore: {escape(text)}")
            st.caption(_summary(run, shown, answer))
            _instead(run, shown)
        elif isinstance(last, events.Failed):
            st.error(escape(last.message))
            if run.header.model_source == "openai":
                st.page_link(
                    "pages/settings.py", label="The model’s settings", icon=":material/tune:"
                )
        elif isinstance(last, events.Cancelled):
            st.markdown(escape(last.reason) + " What was found so far is kept below.")
        elif ended and not _follows(run_id):
            _before_the_end(run, shown)
        else:
            st.caption(
                f":material/progress_activity: Walking the graph … {_summary(run, shown, answer)}"
            )
            if run.live_text:
                st.caption(escape(run.live_text[-400:]))
        told = [text for text in warnings(shown) if not _HANDLE.search(text)]
        for text in told[:_MOST_WARNINGS]:
            st.caption(f":orange[:material/warning:] {escape(text)}")
        if answer.citations:
            _citations(run, answer)


def _before_the_end(run: Run, shown: Sequence[Record]) -> None:
    """Somebody stepped back, or came by a link to a step: nothing is under way."""
    run_id, count = run.header.id, len(run.records)
    at, of = len(_ends(shown)), len(_ends(run.records))
    st.caption(f":material/history: As it stood at step {at} of {of}, before the answer.")
    st.button(
        "Show the answer",
        key=f"to_end:{run_id}",
        icon=":material/last_page:",
        type="tertiary",
        on_click=_move,
        args=(run_id, count),
    )


def read_as(question: str, reading: str) -> str:
    """The reading where it says something else; how far the graph goes is told above it."""
    own = reading.partition("as far as the graph goes")[0].rstrip(", ")
    return "" if _content(own) == _content(question) else own


def _content(text: str) -> set[str]:
    """The words that say what is asked, whatever their form and order."""
    counting = re.sub(r"\bhow many\b", "number of", text, flags=re.IGNORECASE)
    return set(stems(counting)) - _LITTLE


def named_first(question: str, anchored: Sequence[Entity]) -> list[Entity]:
    """Those whose own names the question has; where there are none, all of them.

    What only goes by a name is seldom meant (a football club, by “sky blue”).
    """
    asked = f" {plain(question)} "
    return [e for e in anchored if f" {plain(e.name)} " in asked] or list(anchored)


def _instead(run: Run, shown: Sequence[Record]) -> None:
    """After “I do not know”: questions that what was found can answer."""
    anchored = [r.event.entity for r in shown if isinstance(r.event, events.Anchored)]
    anchors = {entity.id for entity in named_first(run.header.question, anchored)}
    known = [
        (r.event.entities[0], use.relation, use.count > 1)
        for r in shown
        if isinstance(r.event, events.Surveyed) and len(r.event.entities) == 1
        for use in r.event.relations
        if use.direction == "out"
    ]
    stated = Counter((s.subject, s.relation) for s in facts(shown) if isinstance(s, Statement))
    known += [(*said, count > 1) for said, count in stated.items()]
    if not known:
        known = _stated_of(run, shown)
    asked: dict[tuple[str, str], str] = {}
    for entity, relation, many in known:
        if entity.id in anchors and asks_well(relation):
            question = question_about(entity, relation, many=many)
            asked.setdefault((entity.id, relation.id), question)
    offered = list(dict.fromkeys(asked.values()))
    if not asked:  # nothing of the question is there: what is asked of this graph otherwise
        header = run.header
        examples = start.examples(header.graph_source, header.method)
        offered = [question for question in examples if question != header.question]
    if not offered:
        return

    def ask() -> None:
        chosen = st.session_state.get(f"instead:{run.header.id}")
        if chosen:
            st.session_state["question"] = chosen
            st.session_state["ask_now"] = True

    st.pills(
        "What the graph does say" if asked else "What can be asked here",
        offered[:_MOST_INSTEAD],
        format_func=escape,
        key=f"instead:{run.header.id}",
        on_change=ask,
    )


def _stated_of(run: Run, shown: Sequence[Record]) -> list[tuple[Entity, Relation, bool]]:
    """What a graph in this process states of what a run began with, as relations with a count.

    No other is asked: a page is drawn often.
    """
    begun = [r.event.entity for r in shown if isinstance(r.event, events.Anchored)]
    with suppress(KGQAError):  # a graph that is not in the list any more, or was moved
        kg = session.graph(fork.graph_of(run.header))
        if begun and isinstance(kg, EmbeddedGraph):
            uses = zip(begun, kg.relations_of(begun), strict=True)
            return [
                (entity, use.relation, use.count > 1)
                for entity, some in uses
                for use in some
                if use.direction == "out"
            ]
    return []


def _citations(run: Run, answer: Answer) -> None:
    """The facts under the answer; a click lights one up in the graph, another click ends that.

    So do the buttons of several: a mark of the answer that stands for a row of facts presses one.
    """
    run_id = run.header.id
    key = f"cited:{run_id}"
    lit = st.session_state.get(key)
    keys = [statement_key(c) if isinstance(c, Statement) else "" for c in answer.citations]
    names = [f"\\[{i + 1}\\] {_fact(item)}" for i, item in enumerate(answer.citations)]
    rows = {
        (first, last): " ".join(filter(None, keys[first : last + 1]))
        for first, last in ranges(answer)
    }

    def toggle(cited: str) -> None:
        st.session_state[key] = None if st.session_state.get(key) == cited else cited

    few = len(answer.citations) <= _FEW
    shown = (
        st.container(gap=None)
        if few
        else st.expander(
            counted(len(answer.citations), "fact") + " it rests on", key=f"cites:{run_id}"
        )
    )
    if not few and lit:
        for name, cited in zip(names, keys, strict=True):
            if cited == lit:
                st.markdown(f":primary[:material/my_location:] :small[**{name}**]")
        for (first, last), cited in rows.items():
            if cited == lit:
                st.markdown(
                    f":primary[:material/my_location:] :small[**\\[{first + 1}–{last + 1}\\] "
                    f"{counted(last - first + 1, 'fact')} lit up in the graph**]"
                )
    with shown:
        for (first, last), cited in rows.items():
            label = f"\\[{first + 1}–{last + 1}\\] Show these {last - first + 1} in the graph"
            st.button(
                f"**{label}**" if lit == cited else label,
                key=cite_key(run_id, first, last),
                type="tertiary",
                icon=":material/my_location:",
                disabled=not cited,
                on_click=toggle,
                args=(cited,),
            )
        for i, (label, item) in enumerate(zip(names, answer.citations, strict=True)):
            if isinstance(item, Statement):
                with st.container(
                    horizontal=True, horizontal_alignment="distribute", gap="small", wrap=False
                ):
                    st.button(
                        f"**{label}**" if lit == keys[i] else label,
                        key=cite_key(run_id, i, i),
                        type="tertiary",
                        on_click=toggle,
                        args=(keys[i],),
                        help="Show in the graph",
                    )
                    if run.status != "running":
                        fork.without_button(run, item, f"without:{run_id}:{i}")
            else:
                with st.container(key=cite_key(run_id, i, i)):
                    st.caption(label)


def _fact(item: Support) -> str:
    return escape(shortened(verbalise.support(item), 300))


def _summary(run: Run, shown: Sequence[Record], answer: Answer) -> str:
    parts = []
    if answer.citations:
        parts.append(counted(len(answer.citations), "fact"))
        starts = [r.event.entity for r in shown if isinstance(r.event, events.Anchored)]
        parts.append(counted(hops(answer.citations, starts), "hop"))
    parts.append(f"{run.seconds:.1f} s" if run.seconds >= 0.05 else "under 0.1 s")
    return " · ".join(parts)


def _details(run: Run, shown: list[Record], records: list[Record]) -> None:
    """The tabs; while a quick run is followed only titles, for the rest is heavy to draw."""
    run_id = run.header.id
    playing = _follows(run_id) and (run.status != "running" or run.seconds < _SOON_S)
    brief = playing and len(_stops(records, ended=True)) <= _BRIEF
    panels = [panel for panel in PANELS if run.header.method in panel.methods]
    *extra, tab_steps, tab_facts, tab_cost, tab_share = st.tabs(
        [panel.title for panel in panels] + ["Steps", "Facts", "Cost", "Share"],
        key=f"tabs:{run_id}",
    )
    for tab, panel in zip(extra, panels, strict=True):
        with tab:
            if not brief:
                panel.draw(run, shown)
    with tab_steps:
        if playing:
            for step in steps(shown):
                st.caption(f"{_status(step, False)} {escape(step.title)}")
        else:
            _steps(run, steps(shown))
    if playing:
        return
    goes_on = run.status == "running"
    with tab_facts:
        _facts(run_id, shown)
        if not goes_on:
            fork.without_one(run)
    with tab_cost:
        _cost(run_id, shown, whole=not goes_on)
    with tab_share:
        if goes_on:
            st.caption("A link and files stand here once the run has ended.")
        else:
            share(run, records)


def _steps(run: Run, found: list[StepView]) -> None:
    if not found:
        st.caption("Each step appears here: thought, action, observation.")
    run_id = run.header.id
    # Of a long run, only the steps that are open are drawn: replaying stays smooth. Which those are
    # is told from the first look at a run that may become long, and kept by us: by Streamlit a
    # step that changes its mark is another one, and closed.
    many = len(run.records) > _MANY
    tells = st.session_state.setdefault(f"tells:{run_id}", many or run.status == "running")
    for i, step in enumerate(found):
        key = f"step:{run_id}:{i}"
        if tells and st.session_state.get(key):
            st.session_state[key] = True
        part = st.expander(
            escape(step.title),
            type="step",
            key=key,
            icon=_status(step, run.status == "running" and i == len(found) - 1),
            on_change="rerun" if tells else "ignore",
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
                    args=(run_id, step.records[-1].seq + 1),
                )
            if step.thought:
                st.markdown(f":violet-badge[thought] {escape(step.thought)}")
            for record in step.records:
                line = record.event.line
                if isinstance(record.event, events.Asked):
                    _asked(run, record)
                elif fork.can_choose_entity(run, record):
                    with st.popover(escape(line), type="tertiary", key=f"p:{run_id}:{record.seq}"):
                        fork.entity_editor(run, record)
                elif isinstance(record.event, events.Noted) and record.event.level == "warning":
                    st.markdown(f":orange[:material/warning:] :small[{escape(line)}]")
                elif isinstance(record.event, events.Queried):
                    st.markdown(":blue-badge[action] :small[A query to the graph]")
                    st.code(record.event.sparql, language="sparql", wrap_lines=True)
                    st.markdown(f":gray-badge[observation] :small[{escape(line)}]")
                elif line:
                    st.markdown(f"{_kind(record.event)} :small[{escape(line)}]")


def _asked(run: Run, record: Record) -> None:
    """A call of the model, its prompt and reply behind a click.

    They are drawn once they are looked at: with a page of text a call, a run of ten calls would
    send a hundred kilobytes at each step.
    """
    event = record.event
    assert isinstance(event, events.Asked)
    text = st.popover(
        escape(event.line),
        type="tertiary",
        key=f"p:{run.header.id}:{record.seq}",
        on_change="rerun",
    )
    if not text.open:
        return
    with text:
        fork.reply_editor(run, record)
        st.caption("Prompt")
        st.code(event.prompt, language=None, wrap_lines=True)
        st.caption(f"Reply ({escape(event.rung) or 'no structure'})")
        st.code(_reply(event), language="json", wrap_lines=True)
        if event.reasoning:
            st.caption("Reasoning")
            st.code(event.reasoning, language=None, wrap_lines=True)


_ACTIONS = (events.Chosen, events.Pruned, events.Computed)


def _kind(event: events.Event) -> str:
    """Whether a line tells what the method did or what it saw."""
    if event.terminal:
        colour = "green" if isinstance(event, events.Answered) else "orange"
        return f":{colour}-badge[{event.heading.lower()}]"
    return ":blue-badge[action]" if isinstance(event, _ACTIONS) else ":gray-badge[observation]"


_TROUBLE: dict[type[events.Event], str] = {
    events.Failed: ":material/error:",
    events.Abstained: ":material/help:",
    events.Cancelled: ":material/stop_circle:",
    events.DeadEnd: ":material/block:",
}


def _status(step: StepView, current: bool) -> str:
    """How a step went, as a mark before its title; `current`: it may still go on."""
    said = [r.event for r in step.records]
    for kind, icon in _TROUBLE.items():
        if any(isinstance(e, kind) for e in said):
            return icon
    if any(isinstance(e, events.Noted) and e.level == "warning" for e in said):
        return ":material/warning:"
    if current and not any(e.terminal for e in said):
        return ":material/progress_activity:"
    return ":material/check_circle:"


def _reply(event: events.Asked) -> str:
    """As the model wrote it; of the built-in reader, what it says beyond the usual values."""
    if event.parsed is None or event.rung != "reader":
        return event.reply
    return json.dumps(reply_form.lean(event), ensure_ascii=False, indent=1)


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
    left = unread(shown)
    more = escape(f". Of {listed(left, 3)} the graph has more than was read.") if left else ""
    st.caption(f"{counted(len(found), 'fact')} retrieved{cut}{more}")
    st.dataframe(
        value_rows(found[:_MOST_ROWS]),
        hide_index=True,
        height=min(38 + 35 * len(found), 300),
        key=f"all-facts:{run_id}",
        alt="All facts this run retrieved",
    )


def _cost(run_id: str, shown: Sequence[Record], *, whole: bool) -> None:
    """What the run took so far; `whole`: and each step of it."""
    total = total_cost(shown)
    estimated = " (some estimated)" if total.estimated else ""
    reader = by_reader(shown)
    said = [calls_in_words(shown).capitalize()]
    if not reader and total.llm_calls:
        said.append(f"{total.prompt_tokens:,} + {total.completion_tokens:,} tokens{estimated}")
    said += [counted(total.kg_requests, "graph request"), f"{total.seconds:.2f} s"]
    st.caption(" · ".join(said) + priced(total))
    if not whole:
        return
    rows = [
        {
            "step": step.title,
            "reader" if reader else "model": step.cost.llm_calls,
            "tokens": step.cost.prompt_tokens + step.cost.completion_tokens,
            "graph": step.cost.kg_requests,
            "seconds": round(step.cost.seconds, 3),
        }
        for step in steps(shown)
    ]
    empty = [name for name in rows[0] if not any(row[name] for row in rows)] if rows else []
    st.dataframe(
        [{name: row[name] for name in row if name not in empty} for row in rows],
        hide_index=True,
        key=f"cost:{run_id}",
        column_config={
            "step": st.column_config.TextColumn(width=_STEP_WIDTH + _FIGURE_WIDTH * len(empty))
        },
        alt="Cost of each step",
    )
