"""A template that was kept, and the way to where it stands."""

from __future__ import annotations

import streamlit as st


def link(library: str, template: str) -> None:
    """Leads to the Templates page, where that template of that library stands first."""
    st.page_link(
        "pages/templates.py",
        label="See it among the templates",
        icon=":material/rule:",
        query_params={"library": library, "template": template},
    )
