"""Ask: a question, a method, and the walk over the graph as it happens."""

import time

import streamlit as st

from kgqa_core.ask.run import checked
from kgqa_core.errors import KGQAError
from kgqa_core.kg import kinds
from kgqa_core.methods import METHODS
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, start, widgets
from kgqa_core.screens.explore.walk import OPEN
from kgqa_core.screens.fork import follow, gallery_box
from kgqa_core.screens.run import gone_on, run_view
from kgqa_core.screens.searched import searched_line
from kgqa_core.screens.session import stayed
from kgqa_core.text import visible

# A browser draws all that it is sent at once, which takes it as long as to get ready: what comes
# after the box of a new page waits until that is drawn. The box is drawn 0.3 s after its place was
# (React holds back what takes the place of a placeholder), and again 0.3 s later if a further
# placeholder comes in between.
_BOX_AHEAD_S = 0.0

session.guard()

# A page switch drops the query: the session remembers which run was open. So does the browser's
# way back to the page before the question, which is asked for.
if "run" not in st.query_params and st.session_state.pop("linked", None) and stayed():
    st.session_state.pop("run", None)
run_id = st.query_params.get("run") or st.session_state.get("run")
st.session_state["linked"] = st.query_params.get("run")
run = session.runs().get(run_id) if run_id else None
if run is not None:
    st.session_state["run"] = run.header.id
    if st.session_state.get("question_of") != run.header.id:
        widgets.choose_as(run.header, "ask")
        st.session_state["question_of"] = run.header.id
        st.session_state["question"] = run.header.question
    elif "question" not in st.session_state:
        st.session_state["question"] = run.header.question


def take_example() -> None:
    """An example goes into the box and is asked at once."""
    chosen = st.session_state.get("example")
    if chosen:
        st.session_state["question"] = chosen
        st.session_state["ask_now"] = True


def new_question() -> None:
    for name in ("run", "question_of", "linked"):
        st.session_state.pop(name, None)
    st.session_state["question"] = ""
    st.query_params.clear()


# Held whether it is filled or not: what changes its place on the page is mounted anew.
top = st.empty()
if run is None:
    with top:
        start.opening()
    hint = start.hint(st.session_state.get("graph") or session.first_graph())
else:
    hint = "Ask something else, or go on: “and where was she born?”"
with st.form("ask", border=False, enter_to_submit=True):
    box, button = st.columns([7, 1], vertical_alignment="bottom")
    question = box.text_input(
        "Question",
        key="question",
        placeholder=hint,
        label_visibility="collapsed",
    )
    asked = button.form_submit_button("Ask", type="primary", width="stretch", key="ask_button")

if run is None and not stayed():
    time.sleep(_BOX_AHEAD_S)

pick_method, tune, pick_graph, pick_model, new = st.columns(
    [3, 1, 3, 3, 2], vertical_alignment="bottom"
)
new.button(
    "New question",
    key="new_question",
    icon=":material/add:",
    width="stretch",
    on_click=new_question,
    disabled=run is None,
)
name = pick_method.selectbox(
    "Method",
    list(METHODS),
    key="method",
    format_func=lambda m: f"{METHODS[m].title}",
    persist_state="session",
)
method = METHODS[name]
with tune.popover("", icon=":material/tune:", help="Parameters", width="stretch", key="tune"):
    st.markdown(f"**{method.title}** :small[{escape(method.paper)}]")
    st.caption(method.about)
    params = widgets.params_form(method, "ask")
with pick_graph:
    graph_name = widgets.graph_box()
with pick_model:
    model_name = widgets.model_box()
recorded = run is not None and run.header.origin == "recorded"  # what is asked is not searched
watched = None if recorded else searched_line(method, graph_name)
begins = asked or st.session_state.pop("ask_now", False)
said, shown = st.empty(), st.empty()
refused = begins
if begins and OPEN in question:
    said.warning(f"Put into the question what you want to know, in place of “{OPEN}”.")
elif begins:
    try:
        if params is not None:
            whole = checked(question)
            widgets.clear(shown)  # the run before is no answer to what is asked now
            setup = session.setup(method, params, graph_name, model_name)
            last = run.header.question if run is not None else ""
            goes_on = gone_on(whole, last, run.records) if run is not None else whole
            run = session.start(goes_on, setup)
            refused = False
            follow(run.header.id)
            st.session_state["typed"] = whole
            top.empty()
            st.session_state["run"] = st.session_state["question_of"] = run.header.id
            st.session_state["linked"] = run.header.id
            st.query_params.from_dict({"run": run.header.id})  # one entry of the history
    except KGQAError as error:
        said.error(escape(str(error)))

if run is not None:
    typed, box_says = st.session_state.get("typed", ""), " ".join(visible(question).split())
    with shown.container():
        if typed == box_says and typed != run.header.question:
            st.caption(
                f":material/subdirectory_arrow_right: Asked as: {escape(run.header.question)}"
            )
        elif refused or box_says != run.header.question:
            widgets.of_before(run.header.question)
        run_view(run)
        if session.runs().store.problem:
            st.caption(f":material/warning: {escape(session.runs().store.problem)}")
else:
    if run_id:
        st.warning("There is no run with that id here. Ask the question again.")
    examples = start.examples(graph_name, name)
    if OPEN in question:  # begun elsewhere, about something that is known there
        examples = st.session_state.get("offered", [])[: start.MOST_EXAMPLES] or examples
    if examples:
        st.pills(
            "Try one of these",
            examples,
            format_func=escape,
            key="example",
            on_change=take_example,
            width="stretch",
        )
    else:
        st.caption(
            "Ask what this graph knows. Questions to try can be kept for it on the Knowledge "
            "graphs page."
        )
    left, right = st.columns([3, 2], gap="medium")
    with left:
        start.sample()
        gallery_box()
    with right:
        start.methods()
    try:
        if kinds.begin_graph(graph_name, session.environment()):
            st.caption(
                ":material/hourglass_top: The graph is being prepared for its first use, which "
                "takes some seconds; you can already ask."
            )
        elif graph_name in kinds.BUILT_IN:
            info = session.graph(graph_name).info()
            st.caption(
                f"This graph holds {info.statements:,} facts about "
                f"{info.entities:,} entities. It works without a key and without a network."
            )
        else:
            session.graph(graph_name)
    except KGQAError as error:
        st.error(escape(str(error)))

widgets.encoder_state(
    watched
)  # last: loading it in the background slows down whatever loads beside it
