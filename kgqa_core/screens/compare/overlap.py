"""Which method found what, as charts: circles that overlap, bars, and one graph for all."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import altair as alt
import streamlit as st

from kgqa_core.history import comparison
from kgqa_core.history.comparison import MergedEdge, MergedNode, Region

_SHARED = "#7a8594"


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


def venn(names: Sequence[str], colours: Sequence[str], counts: dict[Region, int]) -> Any:
    """A circle for each of two or three, with the number of facts in every part."""
    n, radius = len(names), 88.0  # pixels
    wide, low, high = 1.9, -2.0 if n == 3 else -1.15, 1.75 if n == 3 else 1.4
    x = alt.X("x:Q", scale=alt.Scale(domain=[-wide, wide], nice=False), axis=None)
    y = alt.Y("y:Q", scale=alt.Scale(domain=[low, high], nice=False), axis=None)
    circles = [
        {"x": a, "y": b, "side": name, "colour": colour}
        for (a, b), name, colour in zip(_CENTRES[n], names, colours, strict=True)
    ]
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
        {"x": a, "y": b, "side": name, "colour": colour}
        for (a, b), name, colour in zip(_NAMES_AT[n], names, colours, strict=True)
    ]
    own = alt.Color("colour:N", scale=None)
    return (
        alt.layer(
            alt.Chart(alt.Data(values=circles))
            .mark_point(
                filled=True, shape="circle", size=pi * radius**2, opacity=0.22, tooltip=False
            )
            .encode(x=x, y=y, color=own),
            alt.Chart(alt.Data(values=circles))
            .mark_point(
                filled=False, shape="circle", size=pi * radius**2, strokeWidth=2, tooltip=False
            )
            .encode(x=x, y=y, color=own),
            alt.Chart(alt.Data(values=labels))
            .mark_text(fontSize=16, fontWeight="bold", color=_ink())
            .encode(x=x, y=y, text="facts:Q", tooltip=["where:N", "facts:Q"]),
            alt.Chart(alt.Data(values=titles))
            .mark_text(fontSize=13, fontWeight="bold", limit=int(wide * radius), tooltip=False)
            .encode(x=x, y=y, text="side:N", color=own),
        )
        .properties(width=2 * wide * radius, height=(high - low) * radius)
        .configure_view(strokeWidth=0)
    )


def bars(names: Sequence[str], colours: Sequence[str], counts: dict[Region, int]) -> Any:
    """Too many sides for circles: one bar for each combination that holds facts."""
    rows = [
        {
            "where": comparison.region_name(region, names),
            "facts": count,
            "colour": colours[region[0]] if len(region) == 1 else _SHARED,
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


def one_graph(
    nodes: Sequence[MergedNode],
    edges: Sequence[MergedEdge],
    names: Sequence[str],
    colours: Sequence[str],
) -> Any:
    """All facts in one drawing, coloured by who found them."""

    def owner(region: Region) -> str:
        if len(region) == 1:
            return names[region[0]]
        return "all found" if len(region) == len(names) else "several"

    order = [*names, "several", "all found"]
    colours = [*colours, _SHARED, _ink()]
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
    return alt.layer(*layers).properties(height=440).configure_view(strokeWidth=0).interactive()


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
