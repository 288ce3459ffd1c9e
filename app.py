"""KGQA Explorer: the pages and their order. Start it with `make run` or `kgqa app`."""

from contextlib import suppress

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.kg.kinds import begin_graph
from kgqa_core.places import ASSETS
from kgqa_core.screens.mended import let_parts_arrive, let_runs_end, let_widgets_go
from kgqa_core.settings import load_settings

let_runs_end()
let_parts_arrive()
let_widgets_go()
if "page" not in st.session_state:  # beside all that a page imports and draws
    with suppress(KGQAError):  # the page says it
        begin_graph((environment := load_settings()).graph, environment)

st.set_page_config(page_title="KGQA Explorer", page_icon=str(ASSETS / "icon.svg"), layout="wide")

page = st.navigation(
    [
        st.Page("pages/ask.py", title="Ask", icon=":material/chat:", default=True),
        st.Page("pages/compare.py", title="Compare", icon=":material/compare:"),
        st.Page("pages/runs.py", title="Runs", icon=":material/history:"),
        st.Page("pages/graphs.py", title="Knowledge graphs", icon=":material/database:"),
        st.Page("pages/explore.py", title="Explore", icon=":material/hub:"),
        st.Page("pages/benchmarks.py", title="Benchmarks", icon=":material/leaderboard:"),
        st.Page("pages/templates.py", title="Templates", icon=":material/rule:"),
        st.Page("pages/preferences.py", title="Preferences", icon=":material/balance:"),
        st.Page("pages/settings.py", title="Settings", icon=":material/tune:"),
    ],
    position="top",
)
st.html(ASSETS / "pages.css")
st.html(f"<style>:root {{ --page: '{page.title}'; }}</style>")
st.session_state["stayed"] = st.session_state.get("page") == page.title
st.session_state["page"] = page.title
st.session_state["through_app"] = True  # pages check it, see ui.guard()
page.run()
