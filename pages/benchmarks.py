"""Benchmarks: scores of methods on question sets, running ones and stored ones."""

import streamlit as st

from kgqa_core.screens import session, widgets
from kgqa_core.screens.benchmarks import results as ui_bench

session.guard()
ui_bench.jobs_view()
# A tab's code is read when it is opened: the results are there the sooner.
tabs = ["Results", "Questions", "New benchmark", "Recipes", "Question sets"]
if "bench:tab" not in st.session_state and "bench:last" in st.session_state:
    # a page switch forgets which tab was open: the way back from a run leads to the grid again
    st.session_state["bench:tab"] = st.session_state["bench:last"]
opened = st.tabs(tabs, key="bench:tab", on_change="rerun")
results, questions, new, recipes, sets = opened
for name, tab in zip(tabs, opened, strict=True):
    if tab.open:
        st.session_state["bench:last"] = name
if results.open:
    with results:
        ui_bench.results_view()
elif questions.open:
    with questions:
        from kgqa_core.screens.benchmarks.questions import questions_view

        if benches := ui_bench.found_results():
            questions_view(benches)
        else:
            ui_bench.nothing_yet()
elif new.open:
    with new:
        from kgqa_core.screens.benchmarks.start import start_view

        start_view()
elif recipes.open:
    with recipes:
        from kgqa_core.screens.benchmarks.recipes import recipes_view

        recipes_view()
elif sets.open:
    with sets:
        from kgqa_core.screens.benchmarks.start import sets_view

        sets_view()
widgets.encoder_state()  # last: loading it in the background slows down whatever loads beside it
