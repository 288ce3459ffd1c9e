"""Runs side by side: live panes that share node positions, then where they agree and part.

The panes are one fragment with one timer; what is said about the runs together stands below and
takes in a run as soon as it has ended, so a slow one holds nothing up.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from html import escape as html_escape
from math import ceil, pi
from typing import Any

import altair as alt
import streamlit as st

from kgqa_core import comparison, events
from kgqa_core.comparison import MOST_SIDES, Region
from kgqa_core.document import answer_of, total_cost
from kgqa_core.events import Record, Support
from kgqa_core.render.component import graph_library, graph_view
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.steps import escape, facts, steps
from kgqa_core.runs import Run
from kgqa_core.ui import answer_text, grounding_badge, price, priced, redraw

_TICK_S = 0.6
_MOST_ROWS = 500
_HEIGHTS = {1: 420, 2: 400, 3: 340}  # of a graph, by panes in a row
_LINE = 30  # pixels of a line of an answer
_MOST_LINES = 4  # of an answer; a longer one is scrolled
_LETTERS = {1: 120, 2: 62, 3: 36}  # of a line, by panes in a row
_TABLE_WIDTH = 960  # pixels for the columns of a table, on a page of 1280
_CELLS = (("subject", 150), ("relation", 95), ("object", 150))
# Told apart by people with the common colour deficiencies (after Okabe and Ito), on both themes.
COLOURS = ("#2f86cf", "#c9731a", "#149a72", "#bd5aa2", "#8f7a1e", "#8266d4")
_SHARED = "#7a8594"


@dataclass(frozen=True)
class Side:
    """A method with its parameters, graph and model: one run, or several that repeat it."""

    name: str
    colour: str
    runs: tuple[Run, ...]


def sides_of(runs: Sequence[Run]) -> list[Side]:
    groups = comparison.sides([run.header for run in runs])[:MOST_SIDES]
    names = comparison.names([runs[group[0]].header for group in groups])
    return [
        Side(name, COLOURS[i], tuple(runs[n] for n in group))
        for i, (name, group) in enumerate(zip(names, groups, strict=True))
    ]


def comparison_id(runs: Sequence[Run]) -> str:
    return blake2b(",".join(run.header.id for run in runs).encode(), digest_size=6).hexdigest()


def compare_view(runs: Sequence[Run]) -> None:
    """Panes, then the comparison of those that have ended."""
    sides, this = sides_of(runs), comparison_id(runs)
    if len({" ".join(run.header.question.split()) for run in runs}) > 1:
        st.warning("These runs answer different questions.")
    _panes(this, sides)
    _together(this, sides)
    graph_library()  # half a megabyte: once for all panes, and not at each of their looks
    settled = f"compare:{this}:settled"
    if _ended(sides) == len(runs) and not st.session_state.get(settled):
        st.session_state[settled] = True
        redraw()  # once more, with every node in its place; last, as below


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
        # A pane may push aside a node it shares; so each takes its places anew when any changes.
        places = sum(len(run.records) for side in sides for run in side.runs)
        if st.session_state.get(f"compare:{this}:settled"):
            places = -1
        per_row = len(sides) if len(sides) <= 3 else 2 if len(sides) == 4 else 3
        # As much room for each as the longest answer needs, so that graphs stand in line.
        answers = [answer_of(run.records) for side in sides for run in side.runs]
        longest = max(len(answer.text or answer.reason) for answer in answers)
        lines = min(max(2, ceil(longest / _LETTERS[per_row])), _MOST_LINES)
        for start in range(0, len(sides), per_row):
            columns = st.columns(per_row, gap="small")
            for column, side in zip(columns, sides[start : start + per_row], strict=False):
                with column:
                    _pane(this, side, per_row, len(sides), places, lines)
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
            state: Any = st.session_state.get(_graph_key(this, run))
            picked = getattr(state, "picked", None)
            if picked is not None:
                st.session_state[f"compare:{this}:node"] = picked


def _pane(this: str, side: Side, per_row: int, count: int, places: int, lines: int) -> None:
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
        graph_view(
            _snapshot(run, records),
            key=_graph_key(this, run),
            run_id=f"compare:{this}:{run.header.id}",
            positions=f"compare:{this}",
            height=height,
            highlight=[f"places:{places}"],  # no fact's key: lights nothing up, but redraws
            selected=st.session_state.get(f"compare:{this}:node"),
            library=False,
        )
        st.caption(_numbers(run, records))
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
        grounding_badge(last.answer)
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
        f"{cost.llm_calls} call{'s' * (cost.llm_calls != 1)}",
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


# -- what they have in common, and where they part --------------------------------------------


def _together(this: str, sides: Sequence[Side]) -> None:
    runs = [run for side in sides for run in side.runs]
    waiting = sum(run.status == "running" for run in runs)
    firsts = [(side, _first_ended(this, side)) for side in sides]
    ended = [(side, run) for side, run in firsts if run is not None]
    if len(runs) < 2:
        return
    if not ended or (len(ended) < 2 and not any(len(side.runs) > 1 for side in sides)):
        st.caption("What they have in common appears here as soon as two have ended.")
        return
    shown, walked = [side for side, _ in ended], [list(run.records) for _, run in ended]
    st.markdown(f"#### {_headline(shown, walked)}")
    if waiting:
        st.caption(f"{len(runs) - waiting} of {len(runs)} runs have ended; the others follow.")
    views = ["Answers", "Facts", "Steps", "One graph", "Numbers"]
    if any(len(side.runs) > 1 for side in sides):
        views.append("Stability")
    with st.container(horizontal=True, vertical_alignment="center"):
        view = st.segmented_control(
            "Compare by",
            views,
            default=views[0],
            required=True,
            key=f"compare:view:{len(views)}",
            label_visibility="collapsed",
        )
        differing = st.toggle("Only differences", key="compare:differences")
    match view:
        case "Facts":
            _facts(this, shown, walked, differing)
        case "Steps":
            _steps(shown, walked, differing)
        case "One graph":
            _one_graph(this, shown, walked, differing)
        case "Numbers":
            _table(this, sides, differing)
        case "Stability":
            _stability(this, sides)
        case _:
            _answers(this, shown, walked, differing)


def _first_ended(this: str, side: Side) -> Run | None:
    """The run that stands for a side: the repetition looked at, if it has ended."""
    key = f"compare:{this}:repetition:{side.runs[0].header.id}"
    looked_at = side.runs[st.session_state.get(key) or 0]
    return next((r for r in (looked_at, *side.runs) if r.status != "running"), None)


def _headline(sides: Sequence[Side], walked: Sequence[list[Record]]) -> str:
    groups = comparison.agreement(walked)
    said = [g for g in groups if g.values]
    if not said:
        return "None of them found an answer" if len(sides) > 1 else "It found no answer"
    best = said[0]
    says = escape(best.says[:200])
    if len(best.members) == len(sides):
        all_of_them = {1: "The answer", 2: "Both agree"}
        return f"{all_of_them.get(len(sides), f'All {len(sides)} agree')}: {says}"
    if len(best.members) > 1:
        return f"{len(best.members)} of {len(sides)} agree: {says}"
    if len(said) == 1:
        return f"Only {escape(sides[best.members[0]].name)} has an answer: {says}"
    return f"{len(said)} different answers"


def _answers(
    this: str, sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool
) -> None:
    groups = comparison.agreement(walked)
    rows = [
        {
            "answer": group.says,
            "given by": ", ".join(sides[i].name for i in group.members),
            "how many": len(group.members),
        }
        for group in groups
    ]
    st.dataframe(
        rows,
        hide_index=True,
        key=f"compare:{this}:answers",
        alt="Answers, and which methods gave them",
        column_config={
            "answer": st.column_config.TextColumn(width=_TABLE_WIDTH - 320),
            "given by": st.column_config.TextColumn(width=320),
            "how many": st.column_config.NumberColumn(width="small"),
        },
    )
    table = comparison.value_table(walked)
    if differing:
        table = [row for row in table if not all(row[1])]
    if len(table) > 1:
        st.caption("Value by value:")
        st.dataframe(
            [
                {"value": label, **dict(zip((s.name for s in sides), found, strict=True))}
                for label, found in table[:_MOST_ROWS]
            ],
            hide_index=True,
            key=f"compare:{this}:values",
            alt="Each value, and which methods answered it",
        )
    elif differing and len(groups) == 1:
        st.caption("There is no difference: all gave the same answer.")


def _facts(
    this: str, sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool
) -> None:
    reach = st.segmented_control(
        "Which facts",
        ["used", "retrieved"],
        default="used",
        required=True,
        format_func=lambda r: "Used: followed or cited" if r == "used" else "All retrieved",
        key="compare:reach",
        label_visibility="collapsed",
    )
    sets = [_set(records, reach or "used") for records in walked]
    found = comparison.regions(sets)
    if not found:
        st.caption("None of them used a fact of the graph.")
        return
    names = [side.name for side in sides]
    if differing:
        found = {r: held for r, held in found.items() if len(r) < len(sides)}
        if not found:
            st.caption("There is no difference: all of them share every fact.")
            return
    drawn, listed = st.columns([2, 3], gap="medium")
    with drawn:
        counts = {region: len(held) for region, held in found.items()}
        if 2 <= len(sides) <= 3:
            st.altair_chart(
                _venn(sides, counts),
                width="content",
                key=f"compare:{this}:venn",
                alt=_in_words(counts, names),
            )
        else:
            st.altair_chart(
                _bars(sides, counts), key=f"compare:{this}:bars", alt=_in_words(counts, names)
            )
    with listed:
        chosen = st.pills(
            "Which of them",
            list(found),
            format_func=lambda r: f"{comparison.region_name(r, names)}: {len(found[r]):,}",
            key=f"compare:{this}:region:{reach}:{differing}:{len(sides)}",
            label_visibility="collapsed",
        )
        rows = [
            {
                **comparison.fact_cells(fact),
                **{name: i in region for i, name in enumerate(names)},
            }
            for region, held in found.items()
            if chosen is None or region == tuple(chosen)
            for fact in held
        ]
        if len(rows) > _MOST_ROWS:
            st.caption(f"The first {_MOST_ROWS} of {len(rows):,} facts")
        st.dataframe(
            rows[:_MOST_ROWS],
            hide_index=True,
            height=min(38 + 35 * len(rows), 320),
            key=f"compare:{this}:facts",
            alt="Facts, and which methods found them",
            column_config={
                **{cell: st.column_config.TextColumn(width=wide) for cell, wide in _CELLS},
                **{name: st.column_config.CheckboxColumn(width=70) for name in names},
            },
        )


def _set(records: list[Record], reach: str) -> list[Support]:
    return facts(records) if reach == "retrieved" else comparison.used(records)


def _in_words(counts: dict[Region, int], names: Sequence[str]) -> str:
    said = (f"{comparison.region_name(r, names)}: {n}" for r, n in counts.items())
    return "Facts " + "; ".join(said)


def _ink() -> str:
    return "#e6eaf0" if st.context.theme.type == "dark" else "#1b2430"


def _paper() -> str:
    return "#12161c" if st.context.theme.type == "dark" else "#ffffff"


# Centres of the circles, and the middle of each region, in units of the radius.
_CENTRES = {2: [(-0.55, 0.0), (0.55, 0.0)], 3: [(-0.55, 0.35), (0.55, 0.35), (0.0, -0.6)]}
_MIDDLES: dict[int, dict[Region, tuple[float, float]]] = {
    2: {(0,): (-0.95, 0), (1,): (0.95, 0), (0, 1): (0, 0)},
    3: {
        (0,): (-0.98, 0.55),
        (1,): (0.98, 0.55),
        (2,): (0, -1.12),
        (0, 1): (0, 0.72),
        (0, 2): (-0.58, -0.3),
        (1, 2): (0.58, -0.3),
        (0, 1, 2): (0, 0.05),
    },
}
_NAMES_AT = {2: [(-0.75, 1.2), (0.75, 1.2)], 3: [(-0.8, 1.52), (0.8, 1.52), (0.0, -1.8)]}


def _venn(sides: Sequence[Side], counts: dict[Region, int]) -> Any:
    n, radius = len(sides), 88.0  # pixels
    wide, low, high = 1.9, -2.0 if n == 3 else -1.15, 1.75 if n == 3 else 1.4
    x = alt.X("x:Q", scale=alt.Scale(domain=[-wide, wide], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[low, high], nice=False), axis=None)
    circles = [
        {"x": a, "y": b, "side": side.name, "colour": side.colour}
        for (a, b), side in zip(_CENTRES[n], sides, strict=True)
    ]
    names = [side.name for side in sides]
    labels = [
        {
            "x": a,
            "y": b,
            "facts": counts.get(region, 0),
            "where": comparison.region_name(region, names),
        }
        for region, (a, b) in _MIDDLES[n].items()
    ]
    titles = [
        {"x": a, "y": b, "side": side.name, "colour": side.colour}
        for (a, b), side in zip(_NAMES_AT[n], sides, strict=True)
    ]
    colour = alt.Color("colour:N", scale=None)
    return (
        alt.layer(
            alt.Chart(alt.Data(values=circles))
            .mark_point(
                filled=True, shape="circle", size=pi * radius**2, opacity=0.22, tooltip=False
            )
            .encode(x=x, y=y, color=colour),
            alt.Chart(alt.Data(values=circles))
            .mark_point(
                filled=False, shape="circle", size=pi * radius**2, strokeWidth=2, tooltip=False
            )
            .encode(x=x, y=y, color=colour),
            alt.Chart(alt.Data(values=labels))
            .mark_text(fontSize=16, fontWeight="bold", color=_ink())
            .encode(x=x, y=y, text="facts:Q", tooltip=["where:N", "facts:Q"]),
            alt.Chart(alt.Data(values=titles))
            .mark_text(fontSize=13, fontWeight="bold", limit=int(wide * radius), tooltip=False)
            .encode(x=x, y=y, text="side:N", color=colour),
        )
        .properties(width=2 * wide * radius, height=(high - low) * radius)
        .configure_view(strokeWidth=0)
    )


def _bars(sides: Sequence[Side], counts: dict[Region, int]) -> Any:
    """Too many sides for circles: one bar for each combination that holds facts."""
    names = [side.name for side in sides]
    rows = [
        {
            "where": comparison.region_name(region, names),
            "facts": count,
            "colour": sides[region[0]].colour if len(region) == 1 else _SHARED,
        }
        for region, count in sorted(counts.items(), key=lambda item: -item[1])[:20]
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        x=alt.X("facts:Q", axis=None),
        y=alt.Y("where:N", sort=None, title=None, axis=alt.Axis(labelLimit=230)),
        tooltip=["where:N", "facts:Q"],
    )
    return alt.layer(
        base.mark_bar(cornerRadius=3, height=16).encode(color=alt.Color("colour:N", scale=None)),
        base.mark_text(align="left", dx=5, color=_ink()).encode(text="facts:Q"),
    ).properties(height=26 * len(rows) + 20)


def _steps(sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool) -> None:
    values = comparison.Values(answer_of(records) for records in walked)
    rows = comparison.align([comparison.moves(records, values) for records in walked])
    apart = comparison.parting(rows)
    if not rows:
        st.caption("None of them took a step.")
        return
    if len(sides) < 2:
        st.caption("There is nothing to set beside it yet.")
    elif apart is None:
        st.caption("They never part: every step is the same.")
        if differing:
            return
    elif apart == 0:
        st.caption("They part at the very first step.")
    else:
        st.caption(f"They part at step {apart + 1}, marked below.")
    shown = [
        {
            "": "◆ part here" if i == apart else "=" if comparison.together(row) else "≠",
            "step": i + 1,
            **{side.name: move.text if move else "" for side, move in zip(sides, row, strict=True)},
        }
        for i, row in enumerate(rows)
        if not (differing and comparison.together(row))
    ]
    if len(shown) > _MOST_ROWS:
        st.caption(f"The first {_MOST_ROWS} of {len(shown):,} steps")
    st.dataframe(
        shown[:_MOST_ROWS],
        hide_index=True,
        key="compare:steps",
        height=min(38 + 35 * len(shown), 420),
        column_config={
            "": st.column_config.TextColumn(width="small"),
            "step": st.column_config.NumberColumn(width=50),
            **{
                side.name: st.column_config.TextColumn(width=_TABLE_WIDTH // len(sides))
                for side in sides
            },
        },
        alt="Steps of the methods, equal ones in one row",
    )


def _one_graph(
    this: str, sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool
) -> None:
    sets = [comparison.used(records) for records in walked]
    if differing and len(sides) > 1:
        shared = set.intersection(*(set(one) for one in sets))
        sets = [[fact for fact in one if fact not in shared] for one in sets]
    nodes, edges = comparison.merged(sets, [answer_of(records) for records in walked])
    if not nodes:
        st.caption("There is no fact to draw.")
        return
    names = [side.name for side in sides]

    def owner(region: Region) -> str:
        if len(region) == 1:
            return names[region[0]]
        return "all found" if len(region) == len(sides) else "several"

    order = [*names, "several", "all found"]
    colours = [*(side.colour for side in sides), _SHARED, _ink()]
    owners = {owner(n.sides) for n in nodes} | {owner(e.sides) for e in edges}
    present = [o for o in order if o in owners]
    scale = alt.Scale(domain=present, range=[colours[order.index(o)] for o in present])
    colour = alt.Color(
        "found by:N", scale=scale, legend=alt.Legend(title=None, orient="top", labelLimit=260)
    )
    x = alt.X("x:Q", axis=None, scale=alt.Scale(padding=60))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(padding=24))
    lines = [
        {
            "x": e.source.x,
            "y": e.source.y,
            "x2": e.target.x,
            "y2": e.target.y,
            "mx": (e.source.x + e.target.x) / 2,
            "my": (e.source.y + e.target.y) / 2,
            "fact": f"{e.source.label} — {e.label} — {e.target.label}"[:300],
            "relation": e.label[:24],
            "found by": owner(e.sides),
            "methods": ", ".join(names[i] for i in e.sides),
        }
        for e in edges
    ]
    dots = [
        {
            "x": n.x,
            "y": n.y,
            "name": n.label[:300],
            "label": n.label[:28],
            "found by": owner(n.sides),
            "methods": ", ".join(names[i] for i in n.sides),
            "shape": "answer" if n.answer else "entity",
        }
        for n in nodes
    ]
    fact_tip = ["fact:N", "methods:N"]
    layers: list[alt.Chart] = [
        alt.Chart(alt.Data(values=lines))
        .mark_rule(strokeWidth=2.2, opacity=0.75)
        .encode(x=x, y=y, x2="x2:Q", y2="y2:Q", color=colour, tooltip=fact_tip),
        alt.Chart(alt.Data(values=dots))
        .mark_point(filled=True, opacity=1)
        .encode(
            x=x,
            y=y,
            color=colour,
            shape=alt.Shape(
                "shape:N",
                scale=alt.Scale(domain=["entity", "answer"], range=["circle", "diamond"]),
                legend=None,
            ),
            size=alt.Size(
                "shape:N",
                scale=alt.Scale(domain=["entity", "answer"], range=[130, 420]),
                legend=None,
            ),
            tooltip=["name:N", "methods:N"],
        ),
    ]
    if len(edges) <= 40:
        mx, my = alt.X("mx:Q", axis=None), alt.Y("my:Q", axis=None)
        layers += _text(lines, x=mx, y=my, text="relation:N", size=10, colour=_SHARED)
    if len(nodes) <= 80:
        layers += _text(dots, x=x, y=y, text="label:N", size=12, colour=_ink(), dy=-14)
    st.altair_chart(
        alt.layer(*layers).properties(height=440).configure_view(strokeWidth=0).interactive(),
        key=f"compare:{this}:merged",
        alt=f"One graph of all facts used: {len(nodes)} nodes, {len(edges)} facts, "
        "coloured by the method that found them",
    )
    st.caption("Facts followed or cited. Diamonds are answers; hover for names, drag to move.")


def _text(
    rows: list[dict[str, Any]], *, x: Any, y: Any, text: str, size: int, colour: str, dy: int = 0
) -> list[alt.Chart]:
    """Text with a halo of the page's colour, so that no line runs through it."""
    base = alt.Chart(alt.Data(values=rows)).encode(x=x, y=y, text=text)
    common: dict[str, Any] = {"fontSize": size, "dy": dy, "tooltip": False}
    return [
        base.mark_text(**common, stroke=_paper(), strokeWidth=4, color=_paper()),
        base.mark_text(**common, color=colour),
    ]


def _table(this: str, sides: Sequence[Side], differing: bool) -> None:
    rows = []
    for side in sides:
        for n, run in enumerate(side.runs):
            row: dict[str, Any] = {"method": side.name}
            if any(len(s.runs) > 1 for s in sides):
                row["repetition"] = str(n + 1)
            records = list(run.records)
            row |= comparison.numbers(records)
            dollars = price(total_cost(records))
            rows.append(row if dollars is None else {**row, "price in $": round(dollars, 6)})
    if differing:
        same = {k for k in rows[0] if k != "method" and len({r[k] for r in rows}) == 1}
        rows = [{k: v for k, v in row.items() if k not in same} for row in rows]
    st.dataframe(
        rows,
        hide_index=True,
        key=f"compare:{this}:numbers",
        alt="What each run found and what it took; a click on a heading sorts",
        column_config={"seconds": st.column_config.NumberColumn(format="%.2f")},
    )


def _stability(this: str, sides: Sequence[Side]) -> None:
    rows: list[dict[str, Any]] = []
    for side in sides:
        found = comparison.stability([list(run.records) for run in side.runs])
        if found is None:
            continue
        rows.append(
            {
                "method": side.name,
                "ended": f"{found.ended} of {len(side.runs)}",
                "same answer": 100 * found.share,
                "different answers": found.distinct,
                "commonest answer": found.commonest,
                "model calls": _range(*found.calls, digits=0),
                "seconds": _range(*found.seconds, digits=2),
            }
        )
    st.dataframe(
        rows,
        hide_index=True,
        key=f"compare:{this}:stability",
        alt="How alike the repetitions of each method are",
        column_config={
            "same answer": st.column_config.ProgressColumn(
                format="%.0f %%",
                min_value=0,
                max_value=100,
                help="Share of the repetitions that gave the commonest answer",
            )
        },
    )


def _range(low: float, high: float, digits: int) -> str:
    a, b = f"{low:.{digits}f}", f"{high:.{digits}f}"
    return a if a == b else f"{a} – {b}"
