"""Explore: walk a knowledge graph by hand, see its facts, query it."""

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.explore import desk as explorer
from kgqa_core.screens.explore import view

session.guard()
explorer.follow_link()
pick_graph, find = st.columns([2, 5], vertical_alignment="bottom")
with pick_graph:
    source = widgets.graph_box()
with find:
    view.search_box(source)
try:
    kg = session.graph(source)
except KGQAError as error:
    st.error(escape(str(error)))
    st.stop()
view.explore(source, kg)
