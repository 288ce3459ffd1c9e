"""What runs side by side have in common, and where they part: answers, facts, steps, numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from kgqa_core.ask.events import Record, Support
from kgqa_core.ask.outcome import answer_of, total_cost
from kgqa_core.history import comparison
from kgqa_core.history.comparison import Region
from kgqa_core.history.runs import Run
from kgqa_core.render.steps import escape, facts
from kgqa_core.render.together import MOST_EDGES, one_graph, partings
from kgqa_core.screens.graph_component import graph_view
from kgqa_core.screens.session import price
from kgqa_core.text import listed, shortened

_MOST_ROWS = 500
_MOST_SAID = 400  # characters of an answer in the table of answers
_MOST_TOLD = 200  # and above it, where no more than so many values are named:
_FEW_VALUES = 4
_MOST_DRAWN = 6  # steps in a picture: more would be small print
_STEPS = 320  # pixels: height of a picture of steps
_PICTURE = 440  # pixels: height of a picture of several runs
_TABLE_WIDTH = 960  # pixels for the columns of a table, on a page of 1280
_CELLS = (("subject", 150), ("relation", 95), ("object", 150))
# Those of the lines in `assets/browser/graph.css`. Told apart by people with the common colour
# deficiencies (after Okabe and Ito), on both themes.
COLOURS = ("#2f86cf", "#c9731a", "#149a72", "#bd5aa2", "#8f7a1e", "#8266d4")


@dataclass(frozen=True)
class Side:
    """A method with its parameters, graph and model: one run, or several that repeat it."""

    name: str
    colour: str
    runs: tuple[Run, ...]


def sides_of(runs: Sequence[Run]) -> list[Side]:
    groups = comparison.sides([run.header for run in runs])
    names = comparison.names([runs[group[0]].header for group in groups])
    return [
        Side(name, COLOURS[i % len(COLOURS)], tuple(runs[n] for n in group))
        for i, (name, group) in enumerate(zip(names, groups, strict=True))
    ]


def together(this: str, sides: Sequence[Side], seen: Sequence[Side]) -> None:
    """Who agrees, and the view that is chosen of what they share; runs that go on follow later.

    `seen`: the sides whose graphs are drawn; of many, facts and steps are compared of these.
    """
    runs = [run for side in sides for run in side.runs]
    waiting = sum(run.status == "running" for run in runs)
    firsts = [(side, _first_ended(this, side)) for side in sides]
    ended = [(side, run) for side, run in firsts if run is not None]
    if len(runs) < 2:
        return
    if not ended or (len(ended) < 2 and not any(len(side.runs) > 1 for side in sides)):
        st.caption("What they have in common appears here once two have ended.")
        return
    shown, walked = [side for side, _ in ended], [list(run.records) for _, run in ended]
    st.markdown(f"#### {_headline(shown, walked)}")
    if waiting:
        st.caption(f"{len(runs) - waiting} of {len(runs)} runs have ended; the others follow.")
    views = ["Answers", "Facts", "Where they part", "One graph", "Numbers"]
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
    near = [(side, records) for side, records in zip(shown, walked, strict=True) if side in seen]
    few, theirs = [side for side, _ in near], [records for _, records in near]
    if len(few) < len(shown) and view in ("Facts", "Where they part", "One graph"):
        st.caption(f"For the {len(few)} whose graphs are drawn above.")
    match view:
        case "Facts":
            _facts(this, few, theirs, differing)
        case "Where they part":
            _steps(this, few, theirs, differing)
        case "One graph":
            _one_graph(this, few, theirs, differing)
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
    says = escape(_in_short(best, walked))
    if len(best.members) == len(sides):
        all_of_them = {1: "The answer", 2: "Both agree"}
        return f"{all_of_them.get(len(sides), f'All {len(sides)} agree')}: {says}"
    if len(best.members) > 1:
        return f"{len(best.members)} of {len(sides)} agree: {says}"
    if len(said) == 1:
        return f"Only {escape(sides[best.members[0]].name)} has an answer: {says}"
    return f"{len(said)} different answers"


def _in_short(group: comparison.Group, walked: Sequence[list[Record]]) -> str:
    """What a group answered; of many values the first few and how many more there are."""
    labels = comparison.Values(answer_of(records) for records in walked).labels
    names = sorted(labels[key] for key in group.values if key in labels)
    if len(names) <= _FEW_VALUES:
        return shortened(group.says, _MOST_TOLD)
    most = _FEW_VALUES - 1  # “and 1 more” would take the room of the one
    return listed([shortened(name, _MOST_TOLD // _FEW_VALUES) for name in names], most)


def _answers(
    this: str, sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool
) -> None:
    groups = comparison.agreement(walked)
    rows = [
        {
            "Answer": escape(shortened(group.says, _MOST_SAID)),
            "Given by": escape("; ".join(sides[i].name for i in group.members)),
            "How many": str(len(group.members)),
        }
        for group in groups
    ]
    # no data frame: its cells cut a long list of names off
    st.table(
        rows,
        border="horizontal",
        hide_index=True,
        alt="Answers, and which methods gave them",
    )
    table = comparison.value_table(walked)
    if differing:
        table = [row for row in table if not all(row[1])]
    if len(table) > 1:
        cut = f", the first {_MOST_ROWS} of {len(table):,}" if len(table) > _MOST_ROWS else ""
        st.caption(f"Value by value{cut}:")
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
        from kgqa_core.screens.compare import overlap

        colours = [side.colour for side in sides]
        counts = {region: len(held) for region, held in found.items()}
        if 2 <= len(sides) <= 3:
            st.altair_chart(
                overlap.venn(names, colours, counts),
                width="content",
                key=f"compare:{this}:venn",
                alt=_in_words(counts, names),
            )
        else:
            st.altair_chart(
                overlap.bars(names, colours, counts),
                key=f"compare:{this}:bars",
                alt=_in_words(counts, names),
            )
            if len(counts) > overlap.MOST_BARS:
                st.caption(f"The {overlap.MOST_BARS} largest of {len(counts)} combinations")
    with listed:
        chosen = st.pills(
            "Which of them",
            list(found),
            format_func=lambda r: f"{escape(comparison.region_name(r, names))}: {len(found[r]):,}",
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


def _steps(
    this: str, sides: Sequence[Side], walked: Sequence[list[Record]], differing: bool
) -> None:
    values = comparison.Values(answer_of(records) for records in walked)
    rows = comparison.align([comparison.moves(records, values) for records in walked])
    apart = comparison.parting(rows)
    if not rows:
        st.caption("None of them has taken a step.")
        return
    if len(sides) < 2:
        st.caption("There is nothing to compare it with yet.")
    elif apart is None:
        st.caption("They never part: every step is the same.")
        if differing:
            return
    elif apart == 0:
        st.caption("They part at the very first step.")
    else:
        st.caption(f"They part at step {apart + 1}.")
    names = [side.name for side in sides]
    first = begin_of(len(rows), apart)
    if len(rows) > _MOST_DRAWN:
        last = len(rows) - _MOST_DRAWN + 1
        key = f"compare:{this}:from"
        first = (
            st.slider(
                f"{_MOST_DRAWN} of {len(rows)} steps are drawn, from step",
                1,
                last,
                first + 1,
                key=key,
            )
            - 1
        )
    graph_view(
        partings(rows[first : first + _MOST_DRAWN], names),
        key=f"compare:{this}:partings",
        run_id=f"compare:{this}:partings:{','.join(names)}",
        height=_STEPS,
        whole=True,
        sides=_lines(names),
    )
    with st.expander("The same as a table", key="compare:steps_table"):
        _step_table(sides, rows, apart, differing)


def begin_of(count: int, apart: int | None) -> int:
    """The first of the steps that are drawn: shortly before the runs part, as many as fit."""
    return max(0, min((apart or 0) - 2, count - _MOST_DRAWN))


def _step_table(
    sides: Sequence[Side], rows: Sequence[comparison.Row], apart: int | None, differing: bool
) -> None:
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
    names = [side.name for side in sides]
    view = one_graph(walked, names, differing=differing and len(sides) > 1)
    if not view.nodes:
        st.caption("There is no fact to draw.")
        return
    graph_view(
        view,
        key=f"compare:{this}:merged",
        run_id=f"compare:{this}:merged:{differing}:{','.join(names)}",
        height=_PICTURE,
        whole=True,
        sides=_lines(names),
    )
    cut = f" No more than {MOST_EDGES} facts are drawn." if len(view.edges) >= MOST_EDGES else ""
    st.caption(f"What they followed, computed or cited. Lines show who found a fact.{cut}")


def _lines(names: Sequence[str]) -> list[tuple[str, str]]:
    """What the lines of a picture of several runs mean."""
    found = [(str(i), name) for i, name in enumerate(names)]
    if len(names) > 2:
        found.append(("several", "several"))
    return [*found, ("all", "all of them")] if len(names) > 1 else found


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
