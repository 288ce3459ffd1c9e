"""Runs: everything that was asked, to find, replay, compare, annotate and delete."""

import streamlit as st

from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.runs import runs_view, search_bar

session.guard()
runs_view(search_bar())
if session.runs().store.problem:
    st.warning(escape(session.runs().store.problem))
widgets.encoder_state()  # last: loading it in the background slows down whatever loads beside it
