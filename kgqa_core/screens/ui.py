"""Streamlit pieces that several pages share. Everything from a graph or model is text here."""

from __future__ import annotations

import gc
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any, get_args, get_origin
from typing import Literal as OneOf

import streamlit as st
from pydantic import BaseModel, ValidationError
from streamlit.runtime.pages_manager import PagesManager

from kgqa_core.ask import preferences
from kgqa_core.ask.events import Answer, Cost
from kgqa_core.ask.header import Header
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.method import Method
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.history.runs import Runs
from kgqa_core.history.store import RunStore
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.registry import Registry
from kgqa_core.methods import METHODS
from kgqa_core.opening import budget_of, open_auditor, open_graph, open_index, open_model
from kgqa_core.render.steps import escape
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings, load_settings

EXAMPLES = (
    "What else did the director of Written on the Wind make?",
    "How many grandchildren did Jacques Cousteau have?",
    "On which stock exchanges are Siemens shares traded?",
    "What is the time zone of Salt Lake City?",
    "When did Francesco Totti marry Ilary Blasi?",
    "Is Berlin the capital of Germany?",
    "Which films did Stanley Kubrick direct before 1970?",
)


@st.cache_resource
def environment() -> Settings:
    """Settings of the process; raises SettingsError on every page until they are right."""
    return load_settings()


@st.cache_resource
def encoder() -> Encoder:
    """The one encoder of the process, warming in the background from the first page on."""
    shared = Encoder(environment())
    shared.warm(then=_spare)
    return shared


@cache
def _spare() -> None:
    """Has the garbage collector pass over what is loaded by now, for it stays until the end.

    To search the graph and the encoder's modules anew stops every thread for half a second.
    """
    gc.collect()
    gc.freeze()


@st.cache_resource(on_release=lambda runs: runs.close())
def runs() -> Runs:
    settings = environment()
    return Runs(RunStore(settings.data_dir), settings.workers)


@st.cache_resource(show_spinner="Loading the graph …")
def graph(name: str) -> KnowledgeGraph:
    return open_graph(name, environment())


def index(name: str) -> Index:
    """The vector index of a graph; what compares meanings reads it. Other texts, another one."""
    texts = graphs().texts(name)
    key = (environment().data_dir, *((t.folder, t.made) for t in texts))
    known = _indexes().get(name)
    if known is None or known[0] != key:
        known = key, open_index(graph(name), encoder(), environment(), name)
        _indexes()[name] = known
    return known[1]


@st.cache_resource(show_spinner=False)
def _indexes() -> dict[str, tuple[Any, Index]]:
    return {}


def close_graph(name: str) -> None:
    """The next look opens the graph and its index anew."""
    graph.clear(name)
    _indexes().pop(name, None)


def graphs() -> Registry:
    return Registry(environment().data_dir)


def graph_box() -> str:
    """The chosen graph: one choice for all pages."""
    titles = {entry.source: entry.title for entry in graphs().entries()}
    if st.session_state.get("graph") not in titles:
        st.session_state.pop("graph", None)  # removed meanwhile
    return st.selectbox(
        "Graph",
        list(titles),
        key="graph",
        format_func=lambda source: titles.get(source, source),
        persist_state="session",
        help="Where the facts come from; more on the Knowledge graphs page",
    )


def model_box() -> str:
    """Who reads: one choice for all pages."""
    titles = models()
    return st.selectbox(
        "Model",
        list(titles),
        key="model",
        format_func=lambda m: titles[m],
        persist_state="session",
        help="Who reads: connect a model on the Settings page",
    )


def choose_as(header: Header, key: str) -> None:
    """Method, parameters, graph and model as a run had them, for the boxes drawn after this.

    What is not here (any more) leaves its box as it is.
    """
    method = METHODS.get(header.method)
    if method is not None:
        st.session_state["method"] = method.name
        with suppress(ValidationError):  # a run of another version, or of somebody else
            params = method.params.model_validate(header.params)
            for name, value in params.model_dump().items():
                if not isinstance(value, dict):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    st.session_state[f"{key}:{method.name}:{name}"] = shown
    for entry in graphs().entries():
        if header.graph_source and entry.address == header.graph_source:
            st.session_state["graph"] = entry.source
    if header.model_source in models():
        st.session_state["model"] = header.model_source


def address(source: str) -> str:
    """What a run keeps to open its graph again: the source without a login."""
    entry = graphs().get(source)
    return entry.address if entry is not None else ""


def examples(source: str) -> tuple[str, ...]:
    """Questions to try on a graph."""
    entry = graphs().get(source)
    if entry is not None and entry.examples:
        return entry.examples
    return EXAMPLES if entry is not None and entry.built_in else ()


def settings() -> Settings:
    """Those of the process, with what this session's Settings page changed."""
    changed = st.session_state.get("settings", {})
    return environment().model_copy(update=changed)


def model(name: str) -> LLM:
    """The built-in reader, or the connected model of this session."""
    return open_model(name, settings(), encoder())


def setup(
    method: Method,
    params: BaseModel,
    graph_name: str,
    model_name: str,
    personal: Sequence[tuple[str, str, str]] = (),
) -> Setup:
    """All that a question is asked with, by what was chosen on a page.

    `personal`: facts laid over the graph. Raises what opening the graph or the model raises.
    """
    kg, now = graph(graph_name), settings()
    return Setup(
        method,
        params,
        preferences.graph_of(personal, kg) if personal else kg,
        model(model_name),
        budget_of(now),
        index(graph_name),
        open_auditor(environment().audit),
        method.equip(now) if method.equip else None,
        graph_source=address(graph_name),
        model_source=model_name,
        personal=tuple(personal),
    )


def price(cost: Cost) -> float | None:
    """What a run's tokens cost, in US dollars; None while the settings name no price."""
    now = settings()
    if now.price_prompt is None and now.price_completion is None:
        return None
    prompt = cost.prompt_tokens * (now.price_prompt or 0.0)
    return (prompt + cost.completion_tokens * (now.price_completion or 0.0)) / 1e6


def priced(cost: Cost) -> str:
    """The same for the end of a line: ` · $0.0123`, or nothing."""
    found = price(cost)
    return "" if found is None else f" · \\${found:.4f}"


def models() -> dict[str, str]:
    """Names to choose from, with their titles; a model appears once it is connected."""
    now = settings()
    found = {"offline": "built-in reader"}
    if now.openai_api_key is not None or now.openai_base_url is not None:
        found["openai"] = now.model
    return found


def guard() -> None:
    """Stops the page with one sentence when a setting is wrong."""
    _keep_navigation()
    try:
        environment()
    except KGQAError as error:
        st.error(escape(str(error)))
        st.stop()


def _keep_navigation() -> None:
    """A link straight to a page, as the first visit, goes through `app.py` like any other.

    Until `st.navigation` was called once in the process, Streamlit takes the folder `pages` for
    its older kind of app, and runs the page without it.
    """
    if "through_app" not in st.session_state:
        PagesManager.uses_pages_directory = False
        st.rerun()


def redraw() -> None:
    """Runs the whole page again, where others would call `st.rerun`.

    First lets in what the user asked for meanwhile: `st.rerun` takes its place, and a click on
    another page that arrived while this one was being drawn would be lost.
    """
    st.empty()
    st.rerun()


def encoder_state() -> None:
    """A line while the encoder warms up or when it failed; nothing once it is ready."""
    warming = not encoder().ready and not encoder().state.startswith("failed")

    @st.fragment(run_every=1.5 if warming else None)
    def line() -> None:
        state = encoder().state
        if state.startswith("failed"):
            st.caption(f":material/error: The encoder {escape(state)}")
        elif not encoder().ready:
            st.caption(f":material/hourglass_top: The encoder is {escape(state)}; ask already.")
        elif warming:
            redraw()  # drops the timer

    line()


def params_form(method: Method, key: str) -> BaseModel | None:
    """Widgets for a method's parameters, made from its model; None while a value is wrong."""
    values: dict[str, Any] = {}
    for name, info in method.params.model_fields.items():
        default = info.get_default(call_default_factory=True)
        if isinstance(default, dict):
            continue  # of single steps: set where the step is shown
        label = name.replace("_", " ").capitalize()
        widget = f"{key}:{method.name}:{name}"
        common: dict[str, Any] = {"help": info.description, "key": widget}
        if isinstance(default, bool):
            values[name] = st.checkbox(label, default, **common)
        elif isinstance(default, int | float):
            low, high = _bounds(info.metadata, type(default))
            values[name] = st.number_input(label, low, high, default, **common)
        elif get_origin(info.annotation) is OneOf:
            options = list(get_args(info.annotation))
            values[name] = st.selectbox(label, options, options.index(default), **common)
        elif isinstance(default, list):
            text = st.text_input(label, ", ".join(default), **common)
            values[name] = [part.strip() for part in text.split(",") if part.strip()]
        else:
            values[name] = st.text_input(label, default, **common)
    try:
        return method.params(**values)
    except ValidationError as error:
        first = error.errors()[0]
        st.error(f"{escape(str(first['loc'][0]))}: {escape(first['msg'].lower())}")
        return None


def _bounds(metadata: Sequence[Any], kind: type[int] | type[float]) -> tuple[Any, Any]:
    """Lowest and highest value, of the default's type: a widget takes no mixture."""
    low = next((kind(m.ge) for m in metadata if hasattr(m, "ge")), None)
    high = next((kind(m.le) for m in metadata if hasattr(m, "le")), None)
    return low, high


def grounding_badge(answer: Answer) -> None:
    """What stands under the answer, in one coloured word."""
    match answer.grounding:
        case "grounded":
            st.badge("grounded", icon=":material/verified:", color="green", help=_HELP["grounded"])
        case "ungrounded":
            st.badge("ungrounded", icon=":material/warning:", color="orange", help=_HELP["not"])
        case "abstained":
            st.badge("no answer", icon=":material/do_not_disturb_on:", color="gray")
    if answer.sentences and not answer.certain:
        st.badge("not certain", icon=":material/help:", color="orange", help=_HELP["guess"])


_HELP = {
    "grounded": "Every sentence points at facts of the graph.",
    "not": "At least one sentence has no fact of the graph under it.",
    "guess": "The question or the facts left room for another answer.",
}


def answer_text(answer: Answer) -> str:
    """The answer as Markdown: each sentence with the numbers of its facts, or a mark."""
    parts = []
    for sentence in answer.sentences:
        marks = "".join(f"\\[{i + 1}\\]" for i in sentence.cites)
        mark = f" :small[:primary[{marks}]]" if marks else " :small[:orange[ungrounded]]"
        parts.append(escape(sentence.text) + mark)
    return " ".join(parts)


def value_rows(facts: Sequence[Any]) -> list[dict[str, str]]:
    """Statements and passages as rows of a table."""
    rows = []
    for fact in facts:
        if hasattr(fact, "relation"):
            rows.append(
                {
                    "subject": fact.subject.name,
                    "relation": fact.relation.name,
                    "object": verbalise.value(fact.object),
                    "qualifiers": "; ".join(
                        f"{q.relation.name}: {verbalise.value(q.value)}" for q in fact.qualifiers
                    ),
                }
            )
        else:
            rows.append(
                {
                    "subject": fact.title,
                    "relation": "text",
                    "object": fact.text,
                    "qualifiers": fact.source,
                }
            )
    return rows


def method_title(name: str) -> str:
    return METHODS[name].title if name in METHODS else name
