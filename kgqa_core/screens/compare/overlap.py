"""Which method found what, as charts: circles that overlap, or bars."""

from __future__ import annotations

from collections.abc import Sequence
from math import pi
from typing import Any

import altair as alt
import streamlit as st

from kgqa_core.history import comparison
from kgqa_core.history.comparison import Region

_SHARED = "#7a8594"
MOST_BARS = 20


def _ink() -> str:
    return "#e6eaf0" if st.context.theme.type == "dark" else "#1b2430"


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
        for region, count in sorted(counts.items(), key=lambda item: -item[1])[:MOST_BARS]
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
