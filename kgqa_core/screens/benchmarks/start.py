"""A new benchmark, and the question sets it may ask: one's own, uploaded, downloaded."""

from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas
import streamlit as st

from kgqa_core.ask.run import StopToken
from kgqa_core.errors import KGQAError, Stopped
from kgqa_core.evaluation import catalogue, jobs, own, sets
from kgqa_core.evaluation.catalogue import CATALOGUE, Entry
from kgqa_core.evaluation.datasets import FORMATS, load, parse_where
from kgqa_core.evaluation.datasets.table import NOTHING
from kgqa_core.evaluation.jobs import Plan
from kgqa_core.evaluation.sets import QuestionSet
from kgqa_core.methods import DEFAULT, METHODS
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.benchmarks import results
from kgqa_core.text import counted

_MOST_UPLOAD = 200  # megabytes
_MOST_COUNTED = 3 << 20  # bytes of a question set whose questions are counted before it is asked
_AUDITS = {"off": "no", "reader": "by the reader", "model": "by the model"}


def start_view() -> None:
    """What is asked, of whom, and how far it may go."""
    data_dir = session.environment().data_dir
    here = sets.available(data_dir)
    if not here:
        st.info("There is no question set yet: type, upload or download one under “Question sets”.")
        return
    if st.session_state.get("bench:set") not in here:
        st.session_state.pop("bench:set", None)
    left, right = st.columns([2, 3])
    titles = {entry.source: entry.title for entry in session.graphs().entries()}

    def take_its_graph() -> None:
        its = _graph_of(here[st.session_state["bench:set"]])
        if its in titles:
            st.session_state["bench:graph"] = its

    name = left.selectbox(
        "Question set",
        list(here),
        format_func=lambda n: here[n].title,
        key="bench:set",
        on_change=take_its_graph,
    )
    methods = right.multiselect(
        "Methods",
        list(METHODS),
        default=[DEFAULT],
        format_func=widgets.method_title,
        key="bench:methods",
        placeholder="Choose one or several",
    )
    about = [
        _how_many(here[name]),
        here[name].about,
        f"about {here[name].graph}" if here[name].graph else "",
    ]
    if any(about):
        left.caption(escape(" · ".join(filter(None, about))))
    one, two, three, four, five = st.columns([3, 3, 2, 2, 2], vertical_alignment="bottom")
    with one:
        graph = widgets.graph_box("bench:graph", _graph_of(here[name]))
    with two:
        model = widgets.model_box()
    if _graph_of(here[name]) in titles and _graph_of(here[name]) != graph:
        _about_another(titles[_graph_of(here[name])], titles[graph], take_its_graph)
    count = three.number_input(
        "Questions", 1, None, None, key="bench:count", placeholder="all", help="Empty: all of them"
    )
    drawn = four.selectbox("Which", ["the first", "at random"], key="bench:drawn")
    repeat = five.number_input(
        "Repeats", 1, 20, 1, key="bench:repeat", help="How many times each question is asked"
    )
    with st.expander("Budget, parallelism, selection", key="bench:options"):
        options = _options()
    params = _params(methods)
    if not st.button(
        "Start",
        key="bench:start",
        type="primary",
        icon=":material/play_arrow:",
        disabled=not methods or params is None,
    ):
        return
    assert params is not None
    try:
        plan = _plan(here[name], graph, model, params, count, drawn == "at random", repeat, options)
        results.start(plan, jobs.new_folder(data_dir, plan.title))
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    session.redraw()


def _how_many(chosen: QuestionSet) -> str:
    """`264 questions`: what “all” comes to; empty for a file too large to be read for that."""
    try:
        file = chosen.path.stat()
        if not chosen.path.is_file() or file.st_size > _MOST_COUNTED:
            return ""
        return counted(_size(str(chosen.path), file.st_mtime, chosen.format), "question")
    except (OSError, KGQAError):  # that it cannot be read is said once it is to be asked
        return ""


@st.cache_data(max_entries=50, show_spinner=False)
def _size(path: str, changed: float, format_name: str) -> int:
    return len(load(Path(path), format_name).examples)


def _graph_of(chosen: QuestionSet) -> str:
    """The graph that questions are about, as the list of graphs names it; empty: not known."""
    return "wikidata" if chosen.graph == "Wikidata" else chosen.graph


def _about_another(its: str, chosen: str, take: Callable[[], None]) -> None:
    """Says so where another graph is chosen than the one that the questions are about."""
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.markdown(
            f":orange[:material/warning:] These questions are about “{escape(its)}”, "
            f"and “{escape(chosen)}” is chosen."
        )
        st.button(f"Choose “{escape(its)}”", key="bench:its-graph", on_click=take)


def _options() -> dict[str, Any]:
    calls, tokens, minutes, workers = st.columns(4, vertical_alignment="bottom")
    found: dict[str, Any] = {
        "calls": calls.number_input(
            "Most model calls",
            1,
            None,
            None,
            key="bench:calls",
            placeholder="no limit",
            help="Of all methods together; what is done by then is kept, and can be continued",
        ),
        "tokens": tokens.number_input(
            "Most tokens", 1, None, None, key="bench:tokens", placeholder="no limit"
        ),
        "minutes": minutes.number_input(
            "Most minutes", 0.1, None, None, key="bench:minutes", placeholder="no limit"
        ),
        "workers": workers.number_input(
            "Questions at once",
            1,
            64,
            None,
            key="bench:workers",
            placeholder="as fits",
            help="Empty: as many as fit this machine and the model",
        ),
    }
    where, seed, audit, flags = st.columns([3, 1, 2, 2], vertical_alignment="bottom")
    found["where"] = where.text_input(
        "Only questions with",
        key="bench:where",
        placeholder="class=count, trivial=false",
        help="Fields of the set: id, class, trivial, and the file's own; commas between several",
    )
    found["seed"] = seed.number_input("Seed", 0, None, 0, key="bench:seed")
    found["audit"] = audit.selectbox(
        "Check the answers",
        list(_AUDITS),
        format_func=_AUDITS.__getitem__,
        key="bench:audit",
        help="Claim by claim against the graph: for the metrics claim support and reasoning check",
    )
    found["entities"] = flags.toggle(
        "Give the gold entities",
        key="bench:entities",
        help="The method gets the entities that the file names, instead of linking its own",
    )
    found["traces"] = flags.toggle(
        "Keep every run",
        value=True,
        key="bench:traces",
        help="With all its steps, so that a click opens it; some 20 kB a question",
    )
    return found


def _params(methods: list[str]) -> dict[str, dict[str, Any]] | None:
    """What differs from the defaults; None while a value is wrong."""
    found: dict[str, dict[str, Any]] = {}
    wrong = False
    with st.expander("Parameters of the methods", key="bench:params", on_change="rerun") as box:
        for name in methods:
            if not box.open:
                found[name] = st.session_state.get("bench:set-params", {}).get(name, {})
                continue
            st.markdown(f"**{widgets.method_title(name)}**")
            values = widgets.params_form(METHODS[name], "bench")
            wrong = wrong or values is None
            usual = METHODS[name].params().model_dump(mode="json")
            now = values.model_dump(mode="json") if values is not None else {}
            found[name] = {key: value for key, value in now.items() if usual.get(key) != value}
    st.session_state.setdefault("bench:set-params", {}).update(found)
    return None if wrong else found


def _plan(
    chosen: QuestionSet,
    graph: str,
    model: str,
    params: dict[str, dict[str, Any]],
    count: int | None,
    drawn: bool,
    repeat: int,
    options: dict[str, Any],
) -> Plan:
    """Raises SettingsError for a selection that does not fit."""
    pairs = [part.strip() for part in options["where"].split(",") if part.strip()]
    minutes = options["minutes"]
    return Plan(
        title=chosen.title,
        dataset=chosen.path,
        format=chosen.format,
        methods=params,
        graph=graph,
        llm=model,
        limit=None if drawn else count,
        sample=count if drawn else None,
        where=parse_where(pairs),
        seed=int(options["seed"]),
        repeat=int(repeat),
        gold_entities=options["entities"],
        workers=int(options["workers"] or 0),
        calls=options["calls"],
        tokens=options["tokens"],
        seconds=None if minutes is None else 60 * minutes,
        traces=options["traces"],
        audit=options["audit"],
    )


# -- question sets -------------------------------------------------------------------------


def sets_view() -> None:
    _own()
    left, right = st.columns(2, gap="medium")
    with left:
        _uploads()
    with right:
        _catalogue()


def _own() -> None:
    """Typed here, or collected from runs: a table to edit."""
    st.markdown("**Your own questions**")
    data_dir = session.environment().data_dir
    try:
        there = own.read(data_dir)
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    if said := st.session_state.pop("bench:own-said", ""):
        st.toast(escape(said), icon=":material/check:")
    version = st.session_state.get("bench:own-version", 0)
    table = {
        "question": [one.question for one in there],
        "answers": [_answers(one) for one in there],
        "class": [one.kind for one in there],
    }
    edited = st.data_editor(
        pandas.DataFrame(table, dtype="str"),  # an empty list alone has no type
        num_rows="dynamic",
        hide_index=True,
        key=f"bench:own:{version}:{len(there)}",
        height=min(73 + 35 * max(1, len(there)), 260),
        column_config={
            "question": st.column_config.TextColumn("Question", width="large", required=True),
            "answers": st.column_config.TextColumn(
                "Right answers",
                width="medium",
                help=f"Names or ids, | between several; {NOTHING} if nothing is right",
            ),
            "class": st.column_config.TextColumn("Class", width="small"),
        },
        alt="Your own questions",
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        if st.button("Save", key="bench:own-save", icon=":material/save:"):
            _save(there, edited)
        st.caption(
            "Type in the last line to add one. Several right answers are separated by |, each a "
            f"name or an id; {NOTHING}: nothing is right."
        )


def _answers(one: own.Question) -> str:
    return " | ".join(one.answer_labels.get(a, a) for a in one.gold) or NOTHING


def _save(there: list[own.Question], edited: pandas.DataFrame) -> None:
    """Rows that are as they were keep their ids and where they came from."""
    before = {(one.question, _answers(one)): one for one in there}
    kept, problems = [], []
    lines = zip(edited["question"], edited["answers"], edited["class"], strict=True)
    for number, cells in enumerate(lines, 1):
        question, answers, kind = (_text(cell) for cell in cells)
        if not question and not answers:
            continue
        known = before.get((question, answers))
        try:
            new = own.typed(question, answers, kind)
            kept.append(known.model_copy(update={"kind": new.kind}) if known else new)
        except KGQAError as error:
            problems.append(f"Line {number}: {error}")
    if problems:
        st.error(escape(" ".join(problems)))
        return
    try:
        own.replace(session.environment().data_dir, kept)
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    st.session_state["bench:own-version"] = st.session_state.get("bench:own-version", 0) + 1
    st.session_state["bench:own-said"] = f"{counted(len(kept), 'question')} saved."
    session.redraw()


def _text(cell: Any) -> str:
    """An empty cell of a new row is None, or not a number."""
    return cell.strip() if isinstance(cell, str) else ""


def _uploads() -> None:
    st.markdown("**From a file**")
    data_dir = session.environment().data_dir
    upload = st.file_uploader(
        "Questions", key="bench:upload", max_upload_size=_MOST_UPLOAD, label_visibility="collapsed"
    )
    form, button = st.columns([3, 2], vertical_alignment="bottom")
    format_name = form.selectbox(
        "Format",
        list(FORMATS),
        index=list(FORMATS).index("csv"),
        format_func=lambda f: f"{f} · {FORMATS[f].about}",
        key="bench:format",
    )
    if button.button(
        "Keep", key="bench:keep", icon=":material/upload_file:", disabled=upload is None
    ):
        assert upload is not None
        try:
            new = sets.keep(data_dir, upload.name, upload, format_name)
            st.session_state["bench:set"] = new.name
            st.session_state["bench:own-said"] = f"“{new.title}” can be asked now."
            session.redraw()
        except KGQAError as error:
            st.error(escape(str(error)))
    for one in sets.available(data_dir).values():
        if one.uploaded:
            with st.container(horizontal=True, vertical_alignment="center", gap="small"):
                st.markdown(escape(one.title), width="content")
                st.caption(escape(one.format))
                st.button(
                    "",
                    key=f"bench:forget:{one.name}",
                    icon=":material/delete:",
                    help="Delete the file; results measured with it stay",
                    type="tertiary",
                    on_click=sets.forget,
                    args=(data_dir, one.name),
                )


class Fetch:
    """A download in the background. It outlives the page that started it."""

    def __init__(self, entry: Entry) -> None:
        self.entry = entry
        self.progress = catalogue.Progress(0, entry.bytes)
        self.error = ""
        self.found: catalogue.Download | None = None
        self._stop = StopToken()
        self._folder = catalogue.folder_of(session.environment().data_dir)
        self._thread = threading.Thread(target=self._run, name="kgqa-fetch", daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stop.press()

    def _run(self) -> None:
        try:
            self.found = catalogue.download(
                self.entry, self._folder, on_progress=self._tell, stop=self._stop
            )
        except Stopped as stopped:
            self.error = str(stopped)
        except KGQAError as error:
            self.error = str(error)

    def _tell(self, progress: catalogue.Progress) -> None:
        self.progress = progress


@st.cache_resource
def fetches() -> dict[str, Fetch]:
    """Every download of the process, by set."""
    return {}


def _catalogue() -> None:
    st.markdown("**Public sets**")
    folder = catalogue.folder_of(session.environment().data_dir)
    name = st.selectbox(
        "Public question set",
        list(CATALOGUE),
        format_func=lambda n: CATALOGUE[n].title,
        key="bench:public",
        label_visibility="collapsed",
    )
    entry = CATALOGUE[name]
    here = catalogue.downloaded(entry, folder)
    size = here.bytes if here else entry.bytes
    known = entry.sha256 or (here.sha256 if here else "")
    st.markdown(escape(entry.about))
    st.caption(
        f"{entry.questions:,} questions about {escape(entry.graph)} · licence: "
        f"{escape(entry.licence)} · size: {f'{size:,} bytes' if size else 'not known beforehand'} "
        f"· SHA-256: {known[:16] + '…' if known else 'not known; the first download is recorded'}"
    )
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        st.link_button("Website", entry.home, icon=":material/open_in_new:")
        if entry.url and here is None:
            fetching = fetches().get(name)
            if st.button(
                "Download",
                key="bench:download",
                icon=":material/download:",
                disabled=fetching is not None and fetching.running,
            ):
                fetches()[name] = Fetch(entry)
                session.redraw()
        if here is not None:
            st.badge("here", icon=":material/check:", color="green")
            st.button(
                "",
                key="bench:undownload",
                icon=":material/delete:",
                help="Delete the file; results measured with it stay",
                type="tertiary",
                on_click=catalogue.remove,
                args=(entry, folder),
            )
    if not entry.url:
        st.caption(f"To be fetched by hand: {escape(entry.by_hand)} Then upload it on the left.")
    if (fetching := fetches().get(name)) is not None and here is None:
        _fetching(fetching)


def _fetching(fetching: Fetch) -> None:
    every = 0.5 if fetching.running else None

    @st.fragment(run_every=every, key=f"bench:fetch:{fetching.entry.name}")
    def draw() -> None:
        now = fetching.progress
        if fetching.running:
            part = now.bytes / now.of if now.of else 0.0
            of = f" of {now.of:,}" if now.of else ""
            st.progress(min(1.0, part), f"{now.bytes:,}{of} bytes")
            st.button("Stop", key="bench:fetch-stop", on_click=fetching.stop)
        elif every:
            session.redraw()
        if fetching.error:
            st.error(escape(fetching.error))

    draw()
