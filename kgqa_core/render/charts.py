"""Benchmarks as charts.

Altair takes as long to import as the whole page to draw, so each chart imports it by itself:
the table above them is there first.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from kgqa_core.evaluation.report import CAUSES, Bench, Table, by_class, ends
from kgqa_core.evaluation.statistics import Estimate

if TYPE_CHECKING:
    import altair as alt

    Chart = alt.LayerChart | alt.Chart

COSTS = {
    "seconds": "seconds per question",
    "llm_calls": "model calls per question",
    "tokens": "tokens per question",
    "kg_requests": "graph requests per question",
}
_BAR = 26  # pixels a row
_AROUND = 165  # for axis and legend
_ABREAST = 2  # entries of a legend side by side: as many as a phone has room for
_HIGH = 260  # pixels of a plot, more where its names need more
_AXIS = 90  # below it
_LINE, _NAME = 15, 150  # pixels of a name: its line, and its length at most
_INK, _INK_DARK = "#4a5566", "#b8c1cc"
# Colours that differ for colour-blind eyes too, on white and on black (Okabe and Ito, darkened).
_METHODS = ["#3f7fdc", "#d9822b", "#2a9d6f", "#c05299", "#8a6fd1", "#b58b00", "#4aa8c0", "#a0522d"]
_ENDS = {
    "right": "#2a9d6f",
    "abstained": "#9aa5b1",
    "linking": "#f2c14e",
    "relation choice": "#f29e4c",
    "reading": "#e76f51",
    "ungrounded": "#c8553d",
    "budget": "#8a6fd1",
    "format": "#6f7fd1",
    "source error": "#4aa8c0",
    "defect": "#b5179e",
    "wrong": "#b02a37",
    "failed": "#7a1f2b",
}


def against(table: Table, column: str, cost: str, *, dark: bool = False) -> Chart:
    """The metric of each method against what it costs, on one question set.

    The names stand in a row on the right, each with a line to its point: methods that cost and
    score the same would cover each other's.
    """
    import altair as alt

    cells = {row: cell for row in table.rows if (cell := table.get(row, column)) is not None}
    high = max(_HIGH, _LINE * len(cells))
    places = apart([cell.estimate.value for cell in cells.values()], _LINE / high)
    rows = [
        {
            "method": row,
            "value": cell.estimate.value,
            "low": cell.estimate.low,
            "high": cell.estimate.high,
            "cost": cell.bench.each(cost),
            "place": place,
        }
        for (row, cell), place in zip(cells.items(), places, strict=True)
    ]
    spent = [cell.bench.each(cost) for cell in cells.values()]
    least, most = min(spent), max(spent)
    wide = least > 0 and most / least > 20
    scale = (
        alt.Scale(type="log", domain=[least / 1.5, most * 1.5], nice=False)
        if wide
        else alt.Scale(domain=[0, most * 1.1 or 1.0], nice=False)
    )
    x = alt.X("cost:Q", title=COSTS[cost], scale=scale, axis=alt.Axis(tickCount=6))
    base = alt.Chart(alt.Data(values=rows))
    shown = [
        alt.Tooltip("method:N"),
        alt.Tooltip("value:Q", title=_words(table.metric), format=".3f"),
        alt.Tooltip("cost:Q", title=COSTS[cost], format=",.3f"),
    ]
    y = alt.Y("value:Q", title=_words(table.metric), scale=alt.Scale(domain=[0, 1]))
    edge = alt.value("width")
    return (
        base.mark_rule(opacity=0.35, color="#7d8896").encode(
            x, y, x2=edge, y2=alt.Y2("place:Q"), tooltip=shown
        )
        + base.mark_rule(opacity=0.35, color="#3f7fdc").encode(x, alt.Y("low:Q"), alt.Y2("high:Q"))
        + base.mark_circle(size=70, color="#3f7fdc", opacity=1).encode(x, y, tooltip=shown)
        + base.mark_text(
            align="left", dx=4, fontSize=11, limit=_NAME, color=_INK_DARK if dark else _INK
        ).encode(alt.Y("place:Q"), x=edge, text="method:N", tooltip=shown)
    ).properties(height=high + _AXIS)


def apart(values: Sequence[float], gap: float) -> list[float]:
    """A place in [0, 1] for each value: in their order, at least `gap` apart, and near them.

    Neighbours that are too close are moved together, as little as they can be (like isotonic
    regression by pooling). There must be room: at most 1 / gap values.
    """
    groups: list[tuple[float, int]] = []  # centre and size of those that are `gap` apart
    order = sorted(range(len(values)), key=values.__getitem__)
    for i in order:
        centre, size = values[i], 1
        while True:
            reach = gap * (size - 1) / 2
            centre = min(max(centre, reach), 1 - reach)
            if not groups or groups[-1][0] + gap * (groups[-1][1] + size) / 2 <= centre:
                break
            before, some = groups.pop()
            centre = (before * some + centre * size) / (some + size)
            size += some
        groups.append((centre, size))
    places = (centre + gap * (k - (size - 1) / 2) for centre, size in groups for k in range(size))
    found = dict(zip(order, places, strict=True))
    return [found[i] for i in range(len(values))]


def endings(benches: Mapping[str, Bench]) -> Chart:
    """How the questions of each method ended: right, abstained, or the class of the failure."""
    import altair as alt

    rows = [
        {"method": name, "end": end, "count": count, "place": place, "means": CAUSES.get(end, end)}
        for name, bench in benches.items()
        for place, end in enumerate(_ENDS)
        if (count := ends(bench).get(end, 0))
    ]
    present = [end for end in _ENDS if any(r["end"] == end for r in rows)]
    return (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            alt.X("count:Q", title="questions", stack="zero"),
            alt.Y("method:N", title=None, sort=list(benches), axis=alt.Axis(labelLimit=200)),
            alt.Color(
                "end:N",
                title=None,
                sort=present,
                scale=alt.Scale(domain=present, range=[_ENDS[e] for e in present]),
                legend=alt.Legend(orient="bottom", columns=_ABREAST),
            ),
            alt.Order("place:Q"),
            tooltip=[
                alt.Tooltip("method:N"),
                alt.Tooltip("end:N"),
                alt.Tooltip("means:N", title="that is"),
                alt.Tooltip("count:Q", title="questions", format=","),
            ],
        )
        .properties(height=len(benches) * _BAR + _AROUND)
    )


def classes(benches: Mapping[str, Bench], metric: str, most: int = 10) -> Chart:
    """The metric by class of question: a bar for each method, with its interval."""
    import altair as alt

    found = {name: by_class(bench, metric) for name, bench in benches.items()}
    names = list(dict.fromkeys(c for estimates in found.values() for c in estimates))[:most]
    rows = [
        _class_row(name, kind, estimates[kind])
        for name, estimates in found.items()
        for kind in names
        if kind in estimates
    ]
    base = alt.Chart(alt.Data(values=rows)).encode(
        alt.Y("class:N", title=None, sort=names, axis=alt.Axis(labelLimit=200)),
    )
    colour = alt.Color(
        "method:N",
        title=None,
        sort=list(benches),
        scale=alt.Scale(domain=list(benches), range=_METHODS[: len(benches)]),
        legend=alt.Legend(orient="bottom", columns=_ABREAST),
    )
    place = alt.YOffset("method:N", sort=list(benches))
    middle = alt.YOffset("method:N", sort=list(benches), bandPosition=0.5)  # of its bar
    x = alt.X("value:Q", title=_words(metric), scale=alt.Scale(domain=[0, 1]))
    shown = [
        alt.Tooltip("class:N"),
        alt.Tooltip("method:N"),
        alt.Tooltip("value:Q", title=_words(metric), format=".3f"),
        alt.Tooltip("n:Q", title="questions", format=","),
    ]
    high = len(names) * (14 + 9 * len(benches)) + _AROUND
    return (
        base.mark_bar().encode(x, colour, place, tooltip=shown)
        + base.mark_rule(color="#7d8896").encode(
            alt.X("low:Q", scale=alt.Scale(domain=[0, 1])), alt.X2("high:Q"), middle
        )
    ).properties(height=high)


def overview(table: Table) -> alt.FacetChart:
    """The whole table as a picture: a panel for each question set, a bar for each method."""
    import altair as alt

    rows = [
        {
            "dataset": column,
            "method": row + (" †" if cell.worse else ""),
            "place": place,
            "value": cell.estimate.value,
            "low": cell.estimate.low,
            "high": cell.estimate.high,
        }
        for column in table.columns
        for place, row in enumerate(table.rows)
        if (cell := table.get(row, column)) is not None
    ]
    base = alt.Chart().encode(
        alt.Y("method:N", title=None, sort=alt.SortField("value", order="descending"))
    )
    bars = base.mark_bar(color="#3f7fdc").encode(
        alt.X("value:Q", title=_words(table.metric), scale=alt.Scale(domain=[0, 1]))
    )
    spans = base.mark_rule(color="#333").encode(alt.X("low:Q"), alt.X2("high:Q"))
    numbers = base.mark_text(align="left", dx=4, fontSize=10).encode(
        alt.X("high:Q"), text=alt.Text("value:Q", format=".2f")
    )
    return (
        alt.layer(bars, spans, numbers, data=alt.Data(values=rows))
        .properties(width=320)
        .facet(facet=alt.Facet("dataset:N", title=None, sort=list(table.columns)), columns=2)
        .resolve_scale(y="independent")
    )


def png(chart: Chart | alt.FacetChart) -> bytes:
    """The chart as a picture, made here: nothing is asked of a browser or a network."""
    import vl_convert

    drawn: bytes = vl_convert.vegalite_to_png(chart.to_json(validate=False), scale=2)
    return drawn


def _class_row(method: str, kind: str, found: Estimate) -> dict[str, object]:
    return {
        "class": kind,
        "method": method,
        "value": found.value,
        "low": found.low,
        "high": found.high,
        "n": found.n,
    }


def _words(metric: str) -> str:
    return metric.replace("_", " ")


def most_shown(names: Sequence[str]) -> list[str]:
    """As many methods as there are colours."""
    return list(names[: len(_METHODS)])
