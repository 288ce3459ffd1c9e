"""Compare: one question, several methods at once, and where they agree and part."""

import json

import streamlit as st
from pydantic import BaseModel

from kgqa_core.ask.run import checked
from kgqa_core.errors import KGQAError
from kgqa_core.history.comparison import MOST_REPEATS, MOST_RUNS, MOST_SIDES, sides
from kgqa_core.history.runs import Run
from kgqa_core.methods import DEFAULT, METHODS
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.compare.panes import compare_view
from kgqa_core.text import visible

session.guard()
models = session.models()
graphs = {entry.source: entry.title for entry in session.graphs().entries()}
state = st.session_state
first_methods = list(METHODS)
SIDE_BY_SIDE, LEAGUE = "A few, with their graphs", "A league of many"
Chosen = tuple[str, BaseModel | None, str, str]  # method, parameters, graph, model


def opened() -> tuple[list[Run], int]:
    """The runs of the link (a page switch drops it), and how many of them are not here."""
    listed = st.query_params.get("runs") or state.get("comparing", "")
    ids = list(dict.fromkeys(filter(None, listed.split(","))))[:MOST_RUNS]
    found = [run for run in map(session.runs().get, ids) if run is not None]
    if found:
        state["comparing"] = st.query_params["runs"] = ",".join(r.header.id for r in found)
    return found, len(ids) - len(found)


def take_over(shown: list[Run]) -> None:
    """Question and choices of the runs that are opened, so that they can be asked again."""
    state["compare_question"] = shown[0].header.question
    headers = [shown[group[0]].header for group in sides([r.header for r in shown])]
    state["compare_mode"] = SIDE_BY_SIDE if len(headers) <= MOST_SIDES else LEAGUE
    if len(headers) > MOST_SIDES:
        state["compare_league"] = [h.method for h in headers if h.method in METHODS]
        return
    state["compare_slots"] = list(range(min(len(headers), MOST_SIDES)))
    state["compare_next"] = MOST_SIDES
    for slot, header in enumerate(headers[:MOST_SIDES]):
        if header.method not in METHODS:
            continue
        state[f"compare:{slot}:method"] = header.method
        if header.graph in graphs:
            state[f"compare:{slot}:graph"] = header.graph
        state[f"compare:{slot}:model"] = next(
            (m for m, title in models.items() if title == header.model), next(iter(models))
        )
        for field in METHODS[header.method].params.model_fields:
            info = METHODS[header.method].params.model_fields[field]
            value = header.params.get(field)
            if value not in (None, info.get_default(call_default_factory=True)):
                key = f"compare{slot}:{header.method}:{field}"
                state[key] = ", ".join(value) if isinstance(value, list) else value


runs, missing = opened()
if runs and state.get("compare_of") != state["comparing"]:
    state["compare_of"] = state["comparing"]
    take_over(runs)
slots: list[int] = state.setdefault("compare_slots", [0, 1])


def add() -> None:
    new = state.get("compare_next", MOST_SIDES)
    state["compare_next"] = new + 1
    taken = {state.get(f"compare:{slot}:method") for slot in slots}
    state[f"compare:{new}:method"] = next((m for m in METHODS if m not in taken), DEFAULT)
    slots.append(new)


def take_example() -> None:
    if state.get("compare_example"):
        state["compare_question"] = state["compare_example"]
        state["compare_now"] = True


def side_by_side() -> list[Chosen]:
    """A few methods, each with its parameters, graph and model."""
    chosen: list[Chosen] = []
    for start in range(0, len(slots), 3):
        for place, slot in zip(st.columns(3), slots[start : start + 3], strict=False):
            state.setdefault(f"compare:{slot}:method", first_methods[slot % len(first_methods)])
            with place.container(
                horizontal=True, wrap=False, vertical_alignment="bottom", gap="small"
            ):
                name = st.selectbox(
                    f"Method {slots.index(slot) + 1}",
                    first_methods,
                    key=f"compare:{slot}:method",
                    format_func=lambda m: METHODS[m].title,
                    label_visibility="collapsed",
                    persist_state="session",
                )
                method = METHODS[name]
                with st.popover(
                    "",
                    icon=":material/tune:",
                    help="Parameters, graph and model",
                    key=f"tune:{slot}",
                ):
                    st.markdown(f"**{method.title}** :small[{escape(method.paper)}]")
                    st.caption(method.about)
                    if (
                        state.get(f"compare:{slot}:graph") not in graphs
                    ):  # new, or removed meanwhile
                        shared = state.get("graph")
                        state[f"compare:{slot}:graph"] = (
                            shared if shared in graphs else session.usual_graph()
                        )
                    graph_name = st.selectbox(
                        "Graph",
                        list(graphs),
                        key=f"compare:{slot}:graph",
                        format_func=lambda source: graphs.get(source, source),
                        persist_state="session",
                    )
                    model_name = st.selectbox(
                        "Model",
                        list(models),
                        key=f"compare:{slot}:model",
                        format_func=lambda m: models[m],
                        persist_state="session",
                    )
                    params = widgets.params_form(method, f"compare{slot}")
                if len(slots) > 1:
                    st.button(
                        "",
                        key=f"compare:{slot}:remove",
                        icon=":material/close:",
                        help="Remove this method",
                        on_click=slots.remove,
                        args=(slot,),
                    )
            chosen.append((name, params, graph_name, model_name))
    return chosen


def league() -> list[Chosen]:
    """Any number of methods, as they come, on one graph with one model."""
    state.setdefault("compare_league", first_methods)
    names = st.multiselect(
        "Methods",
        first_methods,
        key="compare_league",
        format_func=lambda m: METHODS[m].title,
        label_visibility="collapsed",
        persist_state="session",
    )
    left, right = st.columns(2)
    with left:
        graph_name = widgets.graph_box()
    with right:
        model_name = widgets.model_box()
    return [(name, METHODS[name].params(), graph_name, model_name) for name in names]


with st.form("compare_form", border=False, enter_to_submit=True):
    box, times, button = st.columns([9, 2, 2], vertical_alignment="bottom")
    question = box.text_input(
        "Question",
        key="compare_question",
        placeholder="One question for all of them",
        label_visibility="collapsed",
        persist_state="session",
    )
    repeats = times.selectbox(
        "Repetitions",
        range(1, MOST_REPEATS + 1),
        format_func=lambda k: "asked once" if k == 1 else f"{k} times each",
        key="compare_repeats",
        label_visibility="collapsed",
        help="Several times each: shows how stable the methods are",
        persist_state="session",
    )
    asked = button.form_submit_button(
        "Compare", type="primary", width="stretch", key="compare_button"
    )

state.setdefault("compare_mode", SIDE_BY_SIDE)
with st.container(key="compare_what"):
    with st.container(horizontal=True, vertical_alignment="center"):
        mode = st.segmented_control(
            "Which methods",
            [SIDE_BY_SIDE, LEAGUE],
            required=True,
            key="compare_mode",
            label_visibility="collapsed",
            persist_state="session",
        )
        if mode != LEAGUE and len(slots) < MOST_SIDES:
            st.button("Add a method", key="compare_add", icon=":material/add:", on_click=add)
    chosen: list[Chosen] = league() if mode == LEAGUE else side_by_side()

said, shown = st.empty(), st.empty()
refused = False
if asked or state.pop("compare_now", False):
    refused = True
    keys = {
        json.dumps([n, p.model_dump(mode="json") if p else None, g, m], sort_keys=True)
        for n, p, g, m in chosen
    }
    if len(keys) * repeats > MOST_RUNS:
        said.warning(f"That would be more than {MOST_RUNS} runs: take fewer methods, or once each.")
    elif len(keys) * repeats < 2:
        said.warning("Add a method, change a parameter of one of two, or ask several times.")
    elif all(params is not None for _, params, _, _ in chosen):
        try:
            question = checked(question)
            widgets.clear(shown)  # what was compared before is no answer to what is asked now
            started = [
                session.start(question, session.setup(METHODS[name], params, graph, model))
                for _ in range(repeats)
                for name, params, graph, model in chosen
                if params is not None
            ]
            runs, missing, refused = started, 0, False
            ids = ",".join(run.header.id for run in started)
            state["comparing"] = state["compare_of"] = ids
            st.query_params.clear()
            st.query_params["runs"] = ids
        except KGQAError as error:
            said.error(escape(str(error)))

if missing:
    st.warning(
        f"{missing} of the runs of this link {'is' if missing == 1 else 'are'} not here. "
        "Ask the question again."
    )
if runs:
    with shown.container():
        if refused or " ".join(visible(question).split()) != runs[0].header.question:
            widgets.of_before(runs[0].header.question)
        compare_view(runs)
        if session.runs().store.problem:
            st.caption(f":material/warning: {escape(session.runs().store.problem)}")
else:
    st.markdown("Ask one question and watch several methods walk the graph side by side.")
    st.caption(
        "Choose two to six methods above, or one method twice with other parameters, another "
        "graph or another model (:material/tune:); or a league of many, up to all of them. Then "
        "see who agrees, which facts each one used, and where they part. Stored runs are "
        "compared from the Runs page."
    )
    st.pills(
        "Try one of these",
        session.examples(chosen[0][2]) if chosen else (),
        format_func=escape,
        key="compare_example",
        on_change=take_example,
        width="stretch",
    )

widgets.encoder_state()  # last: loading it in the background slows down whatever loads beside it
