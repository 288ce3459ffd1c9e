"""A page of its own for the graph's browser tests."""

import streamlit as st

from kgqa_core.render.graph import facts_of, snapshot, statement_key
from kgqa_core.screens.graph_component import graph_view
from tests.screens import graph_story

st.set_page_config(layout="wide")
STORIES = {
    "walk": graph_story.story,
    "hostile": graph_story.hostile,
    "pseudo-graph": graph_story.pseudo_graph,
    "crowd": graph_story.crowd,
}
name = st.query_params.get("story", "walk")
records = graph_story.recorded(STORIES[name]())
st.session_state.setdefault("step", int(st.query_params.get("step", 0)))

left, right = st.columns([3, 2])
with right:
    forward = st.button("Next")
    if forward:
        st.session_state.step = min(st.session_state.step + 1, len(records))
    if st.button("Previous"):
        st.session_state.step = max(st.session_state.step - 1, 0)
    if st.button("All"):
        st.session_state.step = len(records)
    away = st.checkbox("Take the graph off the page")
    cite = st.checkbox("Light the director up")
shown = records[: st.session_state.step]
with left:
    lit = [statement_key(graph_story.ABOUT_FILM[0])] if cite else []
    picked = None
    if not away:
        picked = graph_view(
            snapshot(shown), key="graph", run_id=name, height=520, highlight=lit, over=bool(shown)
        )
with right:
    st.write(f"step {st.session_state.step}")
    if picked:
        st.text(f"picked {picked}")
        st.text(f"facts {len(facts_of(shown, picked))}")
