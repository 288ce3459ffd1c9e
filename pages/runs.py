"""Runs: everything that was asked, to find, replay, compare, annotate and delete."""

import streamlit as st

from kgqa_core.render.steps import escape
from kgqa_core.screens import ui
from kgqa_core.screens.runs import runs_view, search_bar

ui.guard()
runs_view(search_bar())
if ui.runs().store.problem:
    st.warning(escape(ui.runs().store.problem))
ui.encoder_state()  # last: loading it in the background slows down whatever loads beside it
