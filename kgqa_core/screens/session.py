"""What the process and the session hold: settings, graphs, models, indexes, runs."""

from __future__ import annotations

import gc
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from functools import cache, partial
from typing import Any

import streamlit as st
from pydantic import BaseModel
from streamlit.runtime.pages_manager import PagesManager

from kgqa_core.ask import preferences
from kgqa_core.ask.events import Cost
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.method import Method
from kgqa_core.ask.outcome import dollars
from kgqa_core.ask.setup import Setup
from kgqa_core.background import Later
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.history.own_examples import Taught
from kgqa_core.history.runs import Run, Runs
from kgqa_core.history.store import open_store
from kgqa_core.kg import kinds as kinds_of_graphs
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.registry import Registry
from kgqa_core.llm import kinds
from kgqa_core.opening import (
    budget_of,
    extension_problems,
    open_auditor,
    open_graph,
    open_index,
    open_model,
)
from kgqa_core.render.steps import escape
from kgqa_core.screens import visitor
from kgqa_core.search.build import Build
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import UNASKED, Index
from kgqa_core.settings import Settings, given_endpoint, load_settings

_QUIET_S = 1.0  # without a look at a page, before work in the background begins
_LAST_S = 5.0  # for what is called off at the end of the process; it takes a quarter of a second
_OPENING: list[str] = []  # graphs that somebody waits for
_LAST_LOOK = [0.0]  # when a page was last drawn as a whole, by anybody


@st.cache_resource
def environment() -> Settings:
    """Settings of the process; raises SettingsError on every page until they are right."""
    return load_settings()


@st.cache_resource
def encoder() -> Encoder:
    """The one encoder of the process; it loads when it is asked, or in a quiet moment."""
    return Encoder(environment())


@st.cache_resource
def warm_encoder() -> Later:
    """Loads it in the background, once nobody waits for anything: its libraries take seconds."""
    shared = encoder()
    later = Later("kgqa-warm", partial(quiet, runs()), partial(shared.warm, then=_spare))
    # A process that ends while a library of it loads is aborted by that
    threading._register_atexit(partial(_settled, shared, later))  # type: ignore[attr-defined]
    return later


def quiet(theirs: Runs) -> bool:
    """Whether nobody waits here: for a run, for a page that was just opened, for a graph."""
    if theirs.going or _OPENING or time.monotonic() - _LAST_LOOK[0] <= _QUIET_S:
        return False
    now = environment()
    return not kinds_of_graphs.begin_graph(now.graph, now)  # soon somebody waits for that


def _settled(shared: Encoder, later: Later) -> None:
    later.stop()
    later.wait(_LAST_S)  # or it might begin to load after the look below
    if shared.state.startswith("warming"):
        with suppress(KGQAError):
            shared.version  # noqa: B018 (waits for it)


@cache
def _spare() -> None:
    """Has the garbage collector pass over what is loaded by now, for it stays until the end.

    To search the graph and the encoder's modules anew stops every thread for half a second; so
    would a last search here, and the first facts would be indexed that much later.
    """
    gc.freeze()


@st.cache_resource(on_release=lambda runs: runs.close())
def runs() -> Runs:
    settings = environment()
    made = Runs(open_store(settings), settings.workers, settings.waiting)
    # At the end of the process Python waits for the threads of runs, which may take minutes;
    # `atexit` comes after that, and this, by which the standard library's own pools end, before.
    threading._register_atexit(made.close)  # type: ignore[attr-defined]
    return made


@st.cache_resource(show_spinner="Loading the graph …")
def graph(name: str) -> KnowledgeGraph:
    _OPENING.append(name)
    try:
        return open_graph(name, environment())
    finally:
        _OPENING.remove(name)
        _LAST_LOOK[0] = time.monotonic()  # what waited for it is drawn now


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


@st.cache_resource(show_spinner=False)
def builds() -> dict[Index, Build]:
    """Every build of the process, by index: a second tab sees the same one."""
    return {}


def begin_index(name: str) -> None:
    """Begins to index a graph in the background, once, where that is done unasked."""
    if environment().build_index and index(name) not in builds():
        builds()[index(name)] = Build(index(name), most=UNASKED, quiet=partial(quiet, runs()))


def close_graph(name: str) -> None:
    """The next look opens the graph and its index anew."""
    graph.clear(name)
    _indexes().pop(name, None)


def graphs() -> Registry:
    return Registry(environment().data_dir)


def first_graph() -> str:
    """What the operator, or nobody, chose to be asked first; it may not be in the list yet."""
    return kinds_of_graphs.written(environment().graph)


def usual_graph() -> str:
    """The graph of a first visit; it is in the list from then on.

    Stops the page with one sentence when it cannot be opened.
    """
    name = first_graph()
    if graphs().get(name) is None:
        try:
            kg, source = graph(name), kinds_of_graphs.of_name(name)
            assert source is not None
            with suppress(SettingsError):  # another visitor was faster
                graphs().add(name, source.kind, kg.name)
        except KGQAError as error:
            shown = escape(kinds_of_graphs.without_login(name))
            st.error(f"KGQA_GRAPH names “{shown}”: {escape(str(error))}")
            st.stop()
    return name


def address(source: str) -> str:
    """What a run keeps to open its graph again: the source without a login."""
    entry = graphs().get(source)
    return entry.address if entry is not None else ""


def examples(source: str) -> tuple[str, ...]:
    """Questions to try on a graph."""
    entry = graphs().get(source)
    if entry is not None and entry.examples:
        return entry.examples
    return entry.source_kind.examples if entry is not None else ()


def settings() -> Settings:
    """Those of the process, with what this session's Settings page changed."""
    given = environment()
    changed = dict(st.session_state.get("settings", {}))
    if not visitor.is_operator(given):  # a stranger's run takes no more than the operator allows
        for name in ("max_llm_calls", "max_tokens", "max_seconds"):
            if name in changed:
                changed[name] = min(changed[name], getattr(given, name))
    return given.model_copy(update=changed)


def model(name: str) -> LLM:
    """The built-in reader, or the connected model of this session."""
    return open_model(name, settings(), encoder())


def _taught(name: str) -> LLM:
    """The model; where that is wished for, with examples from this session's own right runs."""
    most, llm = settings().own_examples, model(name)
    if not (_own(name) or visitor.is_operator(environment())):
        llm = visitor.Metered(llm, environment(), runs())
    return Taught(llm, runs().store, most, mine()) if most else llm


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
    if method.searches:
        begin_index(graph_name)
    return Setup(
        method,
        params,
        preferences.graph_of(personal, kg) if personal else kg,
        _taught(model_name),
        budget_of(now),
        index(graph_name),
        open_auditor(environment().audit),
        method.equip(now) if method.equip else None,
        graph_source=address(graph_name),
        model_source=model_name,
        personal=tuple(personal),
        visitor=visitor.visitor(now),
    )


def start(question: str, setup: Setup) -> Run:
    """Asks, unless this visitor has asked too much: then SettingsError."""
    admit(setup)
    return runs().start(question, setup)


def admit(setup: Setup) -> None:
    """Raises SettingsError when this visitor has asked too much of a hosted app."""
    visitor.admit(environment(), runs(), _own(setup.model_source))


def _own(model_name: str) -> bool:
    """Whether a model costs the operator nothing: the visitor's own, or the built-in reader."""
    now, given = settings(), environment()
    theirs = now.openai_api_key == given.openai_api_key and given_endpoint(now)
    return model_name != "openai" or not theirs


def mine() -> str | None:
    """Whose runs this session sees, as `Search.visitor`; None: everybody's."""
    now = environment()
    return None if visitor.is_operator(now) else visitor.visitor(now)


def price(cost: Cost) -> float | None:
    """What a run's tokens cost, in US dollars; None while the settings name no price."""
    return dollars(cost, settings())


def models() -> dict[str, str]:
    """Names to choose from, with their titles; a model appears once it is connected."""
    now = settings()
    titles = {name: model.title(now) for name, model in kinds.models().items()}
    return {name: title for name, title in titles.items() if title}


def guard() -> None:
    """Stops the page with one sentence when a setting is wrong."""
    _keep_navigation()
    _LAST_LOOK[0] = time.monotonic()
    try:
        visitor.remember(environment())
    except KGQAError as error:
        st.error(escape(str(error)))
        st.stop()
    if environment().build_index:
        warm_encoder()
    for problem in extension_problems():
        st.caption(f":material/extension_off: {escape(problem)}")


def _keep_navigation() -> None:
    """A link straight to a page, as the first visit, goes through `app.py` like any other.

    Until `st.navigation` was called once in the process, Streamlit takes the folder `pages` for
    its older kind of app, and runs the page without it.
    """
    if "through_app" not in st.session_state:
        PagesManager.uses_pages_directory = False
        st.rerun()


def stayed() -> bool:
    """Whether this session's last look was at the same page."""
    return bool(st.session_state.get("stayed"))


def redraw() -> None:
    """Runs the whole page again, where others would call `st.rerun`.

    First lets in what the user asked for meanwhile: `st.rerun` takes its place, and a click on
    another page that arrived while this one was being drawn would be lost.
    """
    st.empty()
    st.rerun()
