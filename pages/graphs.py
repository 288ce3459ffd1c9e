"""Knowledge graphs: which there are, whether they answer, and how to add one."""

import streamlit as st

from kgqa_core.kg.registry import sweep
from kgqa_core.screens import session
from kgqa_core.screens.graphs import manage

session.guard()
sweep(session.environment().data_dir)
manage.clear_away()
left, right = st.columns([3, 2], gap="large")
with right:
    st.markdown("#### Add a graph")
    manage.add_forms()
    loads = st.container()  # under the button that was pressed, however narrow the page
with left:
    st.markdown("#### Knowledge graphs")
    running = manage.going()  # before the list: what ends while that is drawn has it drawn anew
    manage.graph_list()
with loads:
    manage.loads(running)
