"""The query in the browser's address, without an entry of the history."""

from __future__ import annotations

from urllib.parse import urlencode

import streamlit as st

_address = st.components.v2.component(
    "kgqa_address",
    js="""
export default function ({ data: [query] }) {
  if (location.search !== query) history.replaceState(history.state, "", query);
}
""",
)


def replace_address(query: dict[str, str]) -> None:
    """Puts the query of the page there: a reload and a bookmark come back to it.

    What is written to `st.query_params` is a step that the browser's Back goes back, and a page
    that writes it again wherever it is missing is never left by it.
    """
    # In a list: the values of a dict would be looked through for tables, with pandas
    _address(key="address", data=[f"?{urlencode(query)}"])
