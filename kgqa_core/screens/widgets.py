"""Streamlit pieces that several pages share. Everything from a graph or model is text here."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any, get_args, get_origin
from typing import Literal as OneOf

import streamlit as st
from pydantic import BaseModel, ValidationError
from streamlit.delta_generator import DeltaGenerator

from kgqa_core.ask import preferences
from kgqa_core.ask.events import Answer, Audited, Cost
from kgqa_core.ask.header import Header
from kgqa_core.ask.method import Method
from kgqa_core.errors import KGQAError, misfit
from kgqa_core.facts import verbalise
from kgqa_core.methods import METHODS, presets
from kgqa_core.render.steps import escape
from kgqa_core.render.verdict import in_part, verdict
from kgqa_core.screens import session
from kgqa_core.search.build import stands
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.text import shortened

_CLOSE = "\u202f"  # a narrow space at which no line ends: a number stands by what it is of
_MOST_MARKS = 3  # numbers of facts in a row that are each named in the answer
_MOST_PARTS = 8  # parts of an answer; of more, numbers in a row are named by one mark
_SAID, _MOST_SAID = 120, 6  # characters of a fact, and facts, that the link of a mark says
_MOST_REPEATED = 5  # parts under which one fact is named; under more, once at the end

_SENT_S = 0.05  # what is changed again before it was sent is sent as one


def graph_box(key: str = "graph", usual: str = "") -> str:
    """The chosen graph: one choice for all pages, unless one has a `key` and a `usual` one."""
    titles = {entry.source: entry.title for entry in session.graphs().entries()}
    first = session.usual_graph()
    # The first one is what the box shows where a click has cut off the run that chose one
    titles = {first: titles.get(first) or graph_title(first), **titles}
    if st.session_state.get(key) not in titles:  # the first visit, or removed meanwhile
        known = (usual, st.session_state.get("graph"))
        st.session_state[key] = next((g for g in known if g in titles), first)
    return st.selectbox(
        "Graph",
        list(titles),
        key=key,
        format_func=lambda source: titles.get(source, source),
        persist_state="session",
        help="Where the facts come from; more on the Knowledge graphs page",
    )


def graph_title(name: str, titles: Mapping[str, str] | None = None) -> str:
    """What the list of graphs calls a graph by whose name a run was kept; `titles`: that list."""
    if titles is None:
        titles = {entry.source: entry.title for entry in session.graphs().entries()}
    over, _, base = name.partition(" on ")
    if over == preferences.PERSONAL and base:
        return f"{titles.get(base, base)}, with one’s own facts"
    return titles.get(name, name)


def model_box() -> str:
    """Who reads: one choice for all pages."""
    titles = session.models()
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
    for entry in session.graphs().entries():
        if header.graph_source and entry.address == header.graph_source:
            st.session_state["graph"] = entry.source
    if header.model_source in session.models():
        st.session_state["model"] = header.model_source


def priced(cost: Cost) -> str:
    """The same for the end of a line: ` · $0.0123`, or nothing."""
    found = session.price(cost)
    return "" if found is None else f" · \\${found:.4f}"


def encoder_state(but: Index | None = None) -> None:
    """A line while the encoder warms up or when it failed, and while a graph is being indexed.

    Not of `but`, which the page watches elsewhere.

    It loads when nobody waits for an answer, and once it is ready, the graph that a visit begins
    with is indexed: not before, so that a first question has the processor to itself.
    """
    _begin_index()
    busy = _busy()

    @st.fragment(run_every=0.5 if busy else None)
    def line() -> None:
        _begin_index()
        state = session.encoder().state
        if state.startswith("failed"):
            st.caption(f":material/error: The encoder {escape(state)}")
        elif _loads(session.encoder()):
            st.caption(
                ":material/hourglass_top: Search by meaning is being prepared; you can already ask."
            )
        else:
            for index in _building():
                if index is not but and (index.progress or index.queued):
                    share, how_far = stands(index)
                    text = f"Indexing “{escape(_title_of(index))}” for search by meaning: {how_far}"
                    st.progress(share, f"{text}; you can already ask.")
        if busy and not _busy():
            session.redraw()  # drops the timer

    line()


def _begin_index() -> None:
    state = session.encoder().state  # while that loads, the index gets ready
    if (state == "ready" or state.startswith("warming")) and not session.runs().going:
        with suppress(KGQAError):
            session.begin_index(session.usual_graph())


def _building() -> list[Index]:
    return [index for index, build in list(session.builds().items()) if build.running]


def _title_of(index: Index) -> str:
    """What the list of graphs calls it."""
    return graph_title(index.kg.name)


def _busy() -> bool:
    encoder = session.encoder()
    failed = encoder.state.startswith("failed")
    return not failed and (_loads(encoder) or bool(_building()))


def _loads(encoder: Encoder) -> bool:
    """Whether it will be ready soon: where nothing is done unasked, only once a run needs it."""
    return not encoder.ready and (encoder.state != "cold" or session.environment().build_index)


def params_form(method: Method, key: str) -> BaseModel | None:
    """Widgets for a method's parameters, made from its model; None while a value is wrong."""
    _preset_box(method, key)
    values: dict[str, Any] = {}
    for name, info in method.params.model_fields.items():
        default = info.get_default(call_default_factory=True)
        if isinstance(default, dict):
            continue  # of single steps: set where the step is shown
        label = name.replace("_", " ").capitalize()
        widget = f"{key}:{method.name}:{name}"
        shown = ", ".join(default) if isinstance(default, list) else default
        st.session_state.setdefault(widget, shown)  # where a preset and a past run put theirs
        common: dict[str, Any] = {"help": info.description, "key": widget}
        if isinstance(default, bool):
            values[name] = st.checkbox(label, **common)
        elif isinstance(default, int | float):
            low, high = _bounds(info.metadata, type(default))
            step = 1 if isinstance(default, int) else None
            values[name] = st.number_input(label, low, high, step=step, **common)
        elif get_origin(info.annotation) is OneOf:
            values[name] = st.selectbox(label, get_args(info.annotation), **common)
        elif isinstance(default, list):
            text = st.text_input(label, **common)
            values[name] = [part.strip() for part in text.split(",") if part.strip()]
        else:
            values[name] = st.text_input(label, **common)
    try:
        return method.params(**values)
    except ValidationError as error:
        st.error(escape(f"These parameters do not fit: {misfit(error)}."))
        return None


def _preset_box(method: Method, key: str) -> None:
    """Sets all parameters at once; shows which preset they are, if they are one."""
    known = presets.names(method)
    if len(known) < 2:
        return
    box = f"{key}:{method.name}:preset"
    usual = method.params().model_dump()

    def choose() -> None:
        chosen = st.session_state.get(box)
        if chosen:
            for name, value in (usual | presets.values(method, chosen)).items():
                if not isinstance(value, dict):
                    shown = ", ".join(value) if isinstance(value, list) else value
                    st.session_state[f"{key}:{method.name}:{name}"] = shown

    here = {
        name: st.session_state.get(f"{key}:{method.name}:{name}", usual[name]) for name in usual
    }
    with suppress(ValidationError):
        for name, value in here.items():
            if isinstance(usual[name], list) and isinstance(value, str):
                here[name] = [part.strip() for part in value.split(",") if part.strip()]
        given = method.params.model_validate(here)
        st.session_state[box] = presets.of(method, given) or None
    st.segmented_control(
        "Preset",
        known,
        key=box,
        on_change=choose,
        label_visibility="collapsed",
        format_func=preset_title,
        help="As this app runs it best, or as its paper ran it",
    )


def preset_title(name: str) -> str:
    return "recommended" if name == presets.OURS else name


def clear(place: DeltaGenerator) -> None:
    """Takes what stands there off the page at once, and not only when what follows has come."""
    place.empty()
    time.sleep(_SENT_S)


def of_before(question: str) -> None:
    """Says of what stands below that it was asked before: it is no answer to what the box says."""
    st.caption(f":material/history: Below is what was asked before: “{escape(question)}”")


def _bounds(metadata: Sequence[Any], kind: type[int] | type[float]) -> tuple[Any, Any]:
    """Lowest and highest value, of the default's type: a widget takes no mixture."""
    low = next((kind(m.ge) for m in metadata if hasattr(m, "ge")), None)
    high = next((kind(m.le) for m in metadata if hasattr(m, "le")), None)
    return low, high


_TRUST = {
    "firm": ":green[:material/verified:]",
    "open": ":orange[:material/info:]",
    "weak": ":orange[:material/warning:]",
}


def trust_line(answer: Answer, audit: Audited | None = None) -> None:
    """How far the answer can be relied on, in one line."""
    trust, words = verdict(answer, audit)
    st.markdown(f"{_TRUST[trust]} :small[{words}]", width="content")


def trust_words(answer: Answer, audit: Audited | None = None) -> str:
    """The same in a word or two, as Markdown for a cell of a table."""
    found = "perhaps not all" if in_part(answer) else "unsure"
    return {
        "firm": ":green-badge[:material/verified: from the graph]",
        "open": f":orange-badge[:material/info: from the graph, {found}]",
        "weak": ":orange-badge[:material/warning: not from the graph alone]",
    }[verdict(answer, audit)[0]]


def answer_text(answer: Answer, run_id: str = "") -> str:
    """The answer as Markdown: each sentence with the numbers of its facts, or a mark.

    With a run, the numbers are links that say their facts: the page's script presses the button
    of the fact, or of the facts, for them.
    """
    parts = []
    for sentence, marks in zip(answer.sentences, _marked(answer), strict=True):
        told = "".join(_mark(answer, first, last, run_id) for first, last in marks)
        bare = "" if sentence.cites else " :small[:orange[from the model]]"
        mark = f"{_CLOSE}:small[:primary[{told}]]" if told else bare
        parts.append(escape(sentence.text) + mark)
    return " ".join(parts)


def ranges(answer: Answer) -> list[tuple[int, int]]:
    """The first and last fact of each mark of the answer that stands for several."""
    marks = dict.fromkeys(mark for marks in _marked(answer) for mark in marks)
    return [(first, last) for first, last in marks if first < last]


def _marked(answer: Answer) -> list[list[tuple[int, int]]]:
    """For each sentence the first and last fact of its marks.

    A fact that stands under every sentence, or many, is named once, at the end. Of a long row only
    the first and the last are named: all are listed below the answer.
    """
    times = Counter(i for s in answer.sentences for i in dict.fromkeys(s.cites))
    every = len(answer.sentences)
    shared = {i for i, n in times.items() if n > _MOST_REPEATED or n == every > 2}
    one_by_one = _MOST_MARKS if every <= _MOST_PARTS else 1
    found = []
    for n, sentence in enumerate(answer.sentences):
        mine = [i for i in sentence.cites if i not in shared]
        mine = sorted([*mine, *shared]) if n == every - 1 else mine
        marks: list[tuple[int, int]] = []
        for row in _rows(mine):
            marks += [(row[0], row[-1])] if len(row) > one_by_one else [(i, i) for i in row]
        found.append(marks)
    return found


def _mark(answer: Answer, first: int, last: int, run_id: str) -> str:
    number = f"\\[{first + 1}\\]" if first == last else f"\\[{first + 1}–{last + 1}\\]"
    if not run_id:
        return number
    meant = answer.citations[first : last + 1]
    said = [shortened(verbalise.support(item), _SAID) for item in meant[:_MOST_SAID]]
    said += [f"and {len(meant) - _MOST_SAID} more"] if len(meant) > _MOST_SAID else []
    title = escape("; ".join(said)).replace('"', '\\"')
    return f'[{number}](#{cite_key(run_id, first, last)} "{title}")'


def cite_key(run_id: str, first: int, last: int) -> str:
    """What the link of a mark and the button that it presses are called."""
    return f"cite-{run_id}-{first}" + (f"-{last}" if first < last else "")


def _rows(cites: Sequence[int]) -> list[list[int]]:
    """Numbers that follow one another, together."""
    rows: list[list[int]] = []
    for i in cites:
        if rows and rows[-1][-1] + 1 == i:
            rows[-1].append(i)
        else:
            rows.append([i])
    return rows


def value_rows(facts: Sequence[Any]) -> list[dict[str, str]]:
    """Statements and passages as rows of a table, with where a graph has them from if it says."""
    told = any(getattr(fact, "origin", "") for fact in facts)
    rows = []
    for fact in facts:
        if hasattr(fact, "relation"):
            rows.append(
                {
                    "subject": fact.subject.name,
                    "relation": fact.relation.name,
                    "object": verbalise.value(fact.object, fact.relation),
                    "qualifiers": verbalise.details(fact),
                    **({"from": fact.origin} if told else {}),
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
    if not any(row["qualifiers"] for row in rows):
        for row in rows:
            del row["qualifiers"]  # what nothing says takes no room
    return rows


def method_title(name: str) -> str:
    return METHODS[name].title if name in METHODS else name
