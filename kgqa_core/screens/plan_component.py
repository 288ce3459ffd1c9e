"""A plan that fills in, as a Streamlit component: the cards of `render/plan.py`, drawn in place."""

from __future__ import annotations

from typing import Any

import streamlit as st

from kgqa_core.screens.browser_files import fetching, serve_files
from kgqa_core.screens.graph_component import allowed

_plan = st.components.v2.component(
    "kgqa_plan",
    html='<div class="plan"></div>',
    js=fetching("plan.js", "plan.css"),
)


def plan_view(picture: dict[str, Any], key: str) -> None:
    """Shows a plan; of one of the same key what has changed is filled in."""
    serve_files()
    # In a list: the values of a dict would be looked through for tables, with pandas
    _plan(data=[picture], key=allowed(key), height="content")
