"""Knowledge graphs: which there are, whether they answer, and how to add one."""

import streamlit as st

from kgqa_core.kg.registry import sweep
from kgqa_core.screens import session
from kgqa_core.screens.graphs import manage as ui_graphs

session.guard()
sweep(session.environment().data_dir)
ui_graphs.clear_away()
left, right = st.columns([3, 2], gap="large")
with right:
    st.markdown("#### Add a graph")
    ui_graphs.add_forms()
with left:
    st.markdown("#### Knowledge graphs")
    ui_graphs.loads()
    ui_graphs.graph_list()
