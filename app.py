"""KGQA Explorer: the pages and their order. Start it with `make run` or `kgqa app`."""

from contextlib import suppress

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.kg.kinds import begin_graph
from kgqa_core.places import ASSETS
from kgqa_core.screens.mended import let_runs_end
from kgqa_core.settings import load_settings

let_runs_end()
if "page" not in st.session_state:  # beside all that a page imports and draws
    with suppress(KGQAError):  # the page says it
        begin_graph((environment := load_settings()).graph, environment)

st.set_page_config(page_title="KGQA Explorer", page_icon=str(ASSETS / "icon.svg"), layout="wide")

# Streamlit has no setting for these: room at the edges, the graph that stays while the right side
# scrolls, the answer in large type
st.html(
    """<style>
    [data-testid=stMainBlockContainer] { padding: 4.25rem max(1rem, min(2.5rem, 4vw)) 2rem; }
    [data-testid=stCaptionContainer] { color: inherit; opacity: 0.8; }
    [data-testid=stExpander] summary { opacity: 0.85 !important; }
    [class*=st-key-hero] p { font-size: 1.5rem; line-height: 1.35; font-weight: 500; }
    [class*=st-key-told] p { font-size: 1.1rem; line-height: 1.5; }
    [class*=st-key-hero] small, [class*=st-key-told] small { font-weight: 400; }
    [data-testid=stButtonGroup] button[data-variant=pills] { flex-grow: 0; }
    [class*=st-key-family] { row-gap: 0; }
    [class*=st-key-runs_open] button p, [class*=st-key-gallery] button p { text-align: left; }
    [class*=st-key-question] [data-testid=InputInstructions] { display: none; }
    /* the primary colour is made for white upon it: on dark it is too dark for words */
    [data-testid=stSliderThumbValue] p, [data-testid=stButtonGroup] [data-selected] p,
    [role=tab][aria-selected=true] p {
      color: light-dark(#1f5fbf, #79a6ee);
    }
    .cells { display: grid; gap: 0 .5rem; align-items: center; }
    .cells { font-size: .85rem; overflow-wrap: anywhere; }
    [class*=st-key-runs_head] { border-bottom: 1px solid rgba(128, 128, 128, .4); }
    [class*=st-key-runs_head] button { padding: 0; min-height: 2rem; }
    @media (min-width: 800px) {
      [data-testid=stLayoutWrapper]:has(> [class*=st-key-stays]) {
        position: sticky; top: 4.25rem;
      }
    }
    @media (max-width: 640px) {  /* the answer before the graph */
      [class*=st-key-runs_head] [data-testid=stHorizontalBlock] { flex-wrap: wrap; row-gap: 0; }
      [class*=st-key-runs_head] [data-testid=stColumn] { flex: 0 0 auto; min-width: 0; }
      [class*=st-key-runs_head] [data-testid=stColumn] { width: auto; }
      [class*=st-key-runs_head] button, [class*=st-key-runs_head] button p {
        width: max-content; max-width: none; overflow: visible;
      }
      [class*=st-key-runs_row] {
        padding: .5rem 0; border-bottom: 1px solid rgba(128, 128, 128, .2);
      }
      [class*=st-key-runs_row] [data-testid=stHorizontalBlock] { gap: 0; }
      [class*=st-key-runs_row] [data-testid=stColumn] { min-width: 100%; }
      [class*=st-key-runs_row] [data-testid=stColumn]:first-child { min-width: 2rem; flex: 0; }
      [class*=st-key-runs_row] [data-testid=stColumn]:nth-child(2) {
        min-width: 0; flex: 1 0 calc(100% - 2rem);
      }
      .cells { display: flex; flex-wrap: wrap; gap: 0 .8rem; }
      .cells span::before { content: attr(title) " "; opacity: .7; }
      [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] [class*=st-key-stays]) {
        flex-direction: column-reverse;
      }
      [data-testid=stColumn]:has([class*=st-key-stays]),
      [data-testid=stColumn]:has(+ [data-testid=stColumn] [class*=st-key-stays]),
      [data-testid=stColumn]:has([class*=st-key-stays]) + [data-testid=stColumn] {
        min-width: 100%;
      }
      /* question and button in one row; what is asked by, in one row to swipe along, which once
         there is a run makes room for its answer */
      [data-testid=stHorizontalBlock]:has([class*=st-key-ask_button]) { flex-wrap: nowrap; }
      [data-testid=stHorizontalBlock]:has([class*=st-key-ask_button]) > [data-testid=stColumn] {
        min-width: 0;
      }
      [data-testid=stHorizontalBlock] > [data-testid=stColumn]:has([class*=st-key-ask_button]) {
        flex: 0 0 4.5rem;
      }
      [data-testid=stMainBlockContainer]:has([class*=st-key-stays])
      [data-testid=stLayoutWrapper]:has(> * > [data-testid=stColumn] [class~=st-key-tune]) {
        order: 1; padding: .25rem 0 .5rem; background: light-dark(#ffffff, #12161c);
        border-top: 1px solid rgba(128, 128, 128, .4);
      }
      [data-testid=stColumn]:has([class*=st-key-compare_repeats]),
      [data-testid=stColumn]:has([class*=st-key-compare_button]) {
        min-width: 0; flex: 1 1 calc(50% - 1rem);
      }
      [data-testid=stLayoutWrapper]:has(> [class*=st-key-recorded]) { order: 1; }
      [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] [class~=st-key-runs_more]) {
        display: grid; grid-template-columns: 1fr 1fr 1fr auto; gap: .5rem;
      }
      [data-testid=stHorizontalBlock]:has(> * [class~=st-key-runs_more]) > [data-testid=stColumn] {
        min-width: 0; width: auto;
      }
      [data-testid=stColumn]:has([class~=st-key-runs_text]) { grid-column: 1 / -1; }
      [data-testid=stLayoutWrapper]:has(> [class*=st-key-graph_title]) { flex: 1 0 100%; }
      [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] [class~=st-key-tune]) {
        flex-wrap: nowrap; overflow-x: auto; padding-bottom: .25rem;
      }
      [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] [class~=st-key-tune])
      > [data-testid=stColumn] { flex: 0 0 auto; min-width: 9.5rem; }
      [data-testid=stHorizontalBlock]:has(> [data-testid=stColumn] [class~=st-key-tune])
      > [data-testid=stColumn]:has([class~=st-key-tune]) { min-width: 4.5rem; }
      [data-testid=InputInstructions] { display: none; }
    }
    @media (max-width: 640px) and (min-height: 600px) {
      [data-testid=stMainBlockContainer]:has([class*=st-key-stays])
      [data-testid=stLayoutWrapper]:has(> * > [data-testid=stColumn] [class~=st-key-tune]) {
        position: sticky; bottom: 0; z-index: 5;
      }
    }
    </style>"""
)

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
st.session_state["stayed"] = st.session_state.get("page") == page.title
st.session_state["page"] = page.title
st.session_state["through_app"] = True  # pages check it, see ui.guard()
page.run()
