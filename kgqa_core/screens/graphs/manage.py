"""The Knowledge graphs page: a card for each graph, and the forms that add one."""

from __future__ import annotations

import io
import logging
from collections.abc import Sequence
from hashlib import blake2b
from typing import IO

import streamlit as st

from kgqa_core.background import Work
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.kg import kinds, polite
from kgqa_core.kg.kinds.source import Source
from kgqa_core.kg.registry import (
    Entry,
    Loading,
    Tested,
    endpoint_source,
    folder_source,
    probe,
)
from kgqa_core.opening import index_place
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor
from kgqa_core.screens.graphs.index import index_panel, stop_building
from kgqa_core.screens.graphs.texts import all_gatherings, passages_panel
from kgqa_core.search.gathering import Gathering
from kgqa_core.search.index import forget
from kgqa_core.text import counted

_log = logging.getLogger(__name__)
_PROFILES = {
    "": "find out",
    "wikidata": "Wikidata",
    "qlever": "QLever",
    "dbpedia": "DBpedia",
    "virtuoso": "Virtuoso",
    "fuseki": "Fuseki",
    "generic": "any other",
}
_FILES = "nt ttl turtle n3 rdf owl xml jsonld nq trig tsv txt csv json jsonl ndjson gz bz2".split()
_SAMPLE = "Ada\tfriend of\tBen\nBen\tlikes\tLentil soup"


@st.cache_resource
def all_loads() -> list[Loading]:
    """Every load of this process: it goes on, whoever looks."""
    return []


def _said(source: str) -> dict[str, Tested | str]:
    """What the last test of each graph said, in this session."""
    found: dict[str, Tested | str] = st.session_state.setdefault("graphs:tests", {})
    return found


# -- the list ----------------------------------------------------------------------------------


def graph_list() -> None:
    registry = session.graphs()
    if registry.problem:
        st.error(escape(registry.problem))
    gathering = [work for work in all_gatherings() if work.running]  # before the list is read
    for entry in registry.entries():
        _card(entry, gathering)


def _card(entry: Entry, gathering: Sequence[Gathering]) -> None:
    key = f"graph:{blake2b(entry.source.encode(), digest_size=6).hexdigest()}"
    kind = entry.source_kind
    in_use = (st.session_state.get("graph") or session.usual_graph()) == entry.source
    with st.container(border=True, gap="small", key=key):
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            with st.container(
                horizontal=True,
                vertical_alignment="center",
                gap="small",
                key=f"graph_title:{key}",
            ):
                st.markdown(f":material/{kind.icon}: **{escape(entry.title)}**", width="content")
                st.badge(kind.word, color="gray")
                if in_use:
                    st.badge("in use", icon=":material/check:", color="blue")
            if st.button(
                "Ask", key=f"{key}:use", icon=":material/chat:", help="Choose it, and ask"
            ):
                _choose(entry, "pages/ask.py")
            if st.button("Explore", key=f"{key}:explore", icon=":material/hub:"):
                _choose(entry, "pages/explore.py")
            test = st.button("Test", key=f"{key}:test", icon=":material/network_check:")
        st.caption(_about(entry))
        if test:
            _test(entry)
        said = _said(entry.source).get(entry.source)
        if isinstance(said, Tested):
            st.markdown(f":green[:material/check_circle:] :small[{escape(said.text)}]")
        elif said:
            st.error(escape(said))
        _meter(entry)
        inside = "Questions, passages and index" + ("" if entry.built_in else ", removal")
        more = st.expander(inside, key=f"{key}:more", on_change="rerun", type="compact")
        if more.open:
            with more:
                _more(entry, key, gathering)


def _about(entry: Entry) -> str:
    about = entry.source_kind.about
    if not about:
        return f"`{_middle(entry.address).replace('`', '')}`"
    if entry.kind == "union":
        titles = {one.source: one.title for one in session.graphs().entries()}
        parts = [titles.get(part, part) for part in entry.source.split(",")]
        return f"{about} {escape(', '.join(parts))}"
    return about


def _middle(text: str, most: int = 90) -> str:
    """A long address keeps its beginning and its end."""
    half = most // 2
    return text if len(text) <= most else f"{text[:half]}…{text[-half:]}"


def _choose(entry: Entry, page: str) -> None:
    st.session_state["graph"] = entry.source
    for name in ("run", "question_of", "question"):
        st.session_state.pop(name, None)
    st.switch_page(page)


def _test(entry: Entry) -> None:
    said = _said(entry.source)
    try:
        with st.spinner("Asking it something small …"):
            said[entry.source] = probe(session.graph(entry.source))
    except KGQAError as error:
        said[entry.source] = str(error)
        session.close_graph(entry.source)  # the next try opens it anew


def _more(entry: Entry, key: str, gathering: Sequence[Gathering]) -> None:
    """Example questions, texts, the index, and removal; for strangers to look at alone."""
    shown = session.examples(entry.source)
    mine = visitor.is_operator(session.environment())
    if entry.source_kind.texts or not mine:
        st.markdown("**Questions to try**")
        st.markdown("\n".join(f"- {escape(question)}" for question in shown))
    else:
        text = st.text_area(
            "Questions to try, one a line",
            "\n".join(shown),
            height=130,
            key=f"{key}:examples",
            placeholder="Who …?",
            help="Offered on the Ask page when this graph is chosen",
        )
        if st.button("Keep questions", key=f"{key}:keep"):
            try:
                session.graphs().set_examples(entry.source, text.splitlines())
                st.toast("Kept.", icon=":material/check:")
            except KGQAError as error:
                st.error(escape(str(error)))
    st.markdown("**Passages**")
    try:
        passages_panel(entry, key, gathering)
    except KGQAError as error:
        st.error(escape(str(error)))
    st.markdown("**Index for search by meaning**")
    try:
        index_panel(session.index(entry.source), key=f"{key}:index")
    except KGQAError as error:
        st.error(escape(str(error)))
    if not mine:
        st.caption(visitor.FOR_ALL)
    elif not entry.built_in:
        _removal(entry, key)


def _removal(entry: Entry, key: str) -> None:
    """Asks once more: an upload is deleted for good."""
    loaded = entry.kind == "loaded"
    what = "Delete this graph" if loaded else "Remove from the list"
    with st.popover(what, icon=":material/delete:", key=f"{key}:remove"):
        goes = "Its facts, questions, texts" if loaded else "Its questions, texts"
        stays = "" if loaded else " Its facts stay where they are."
        st.markdown(f"{goes} and index are deleted.{stays}")
        if st.button("Delete" if loaded else "Remove", type="primary", key=f"{key}:remove:yes"):
            _remove(entry)


def _remove(entry: Entry) -> None:
    stop_building(entry.source)
    try:
        session.graphs().remove(entry.source)
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    for work in all_gatherings():
        if work.source == entry.source:
            work.stop()
    session.close_graph(entry.source)
    clear_away()
    _said(entry.source).pop(entry.source, None)
    st.session_state.get("explore", {}).pop(entry.source, None)
    st.toast(f"“{escape(entry.title)}” is gone from the list.", icon=":material/delete:")
    session.redraw()


class _ClearingAway(Work):
    """Deletes the indexes of removed graphs. What is in use is left for the next time."""

    def __init__(self) -> None:
        super().__init__("kgqa-clearing-away")
        self._registry, self._where = session.graphs(), index_place(session.environment())
        self.start()

    def do(self) -> None:
        for source in self._registry.gone:
            for wait_s in (0, 1, 4):  # a build that was told to stop takes its time
                self.pause(wait_s)
                try:
                    forget(self._where, source)
                except KGQAError as error:
                    _log.info("the index of %s stays for now: %s", source, error)
                else:
                    self._registry.cleared(source)
                    break


@st.cache_resource
def _clearing() -> list[_ClearingAway]:
    """The latest one of this process."""
    return []


def clear_away() -> None:
    """In the background, unless that is going on or there is nothing to do."""
    if session.graphs().gone and not any(work.running for work in _clearing()):
        _clearing()[:] = [_ClearingAway()]


def _meter(entry: Entry) -> None:
    """What went to the hosts of a graph elsewhere, from this process."""
    for host, meter in polite.meters().items():
        ours = entry.source_kind.host_of(entry.source, host)
        if not (ours and (meter.sent or meter.from_cache)):
            continue
        parts = [f"{meter.sent:,} sent", f"{meter.from_cache:,} from cache"]
        if meter.waiting:
            parts.append(f"{meter.waiting:,} waiting")
        if meter.failed:
            parts.append(f"{meter.failed:,} failed")
        if meter.gap_s:
            parts.append(f"{meter.gap_s:.1f} s between requests, as it asks")
        st.caption(f":material/swap_vert: {escape(host)}: {' · '.join(parts)}")
        for warning in list(meter.warnings)[-2:]:
            st.caption(f":material/warning: {escape(warning)}")


# -- adding ------------------------------------------------------------------------------------


def add_forms() -> None:
    """One tab for each way to add a graph; what was typed stays when it cannot be added."""
    others = [kind for kind in kinds.kinds() if kind.asks_for]
    endpoint, upload, typed, folder, several, *rest = st.tabs(
        [
            "Endpoint",
            "Upload",
            "Type in",
            "Folder",
            "Combine",
            *(k.word.capitalize() for k in others),
        ],
        key="graphs:add",
    )
    with endpoint:
        _endpoint()
    with upload:
        _upload()
    with typed:
        _typed()
    with folder:
        _folder()
    with several:
        _several()
    for kind, tab in zip(others, rest, strict=True):
        with tab:
            _other(kind)


def _endpoint() -> None:
    with st.form("graphs:endpoint", border=False):
        url = st.text_input("Address", placeholder="https://dbpedia.org/sparql", key="graphs:url")
        one, two = st.columns(2)
        profile = one.selectbox(
            "Kind of endpoint",
            list(_PROFILES),
            format_func=lambda p: _PROFILES[p],
            key="graphs:profile",
            help="How names are looked up there; found out unless you say",
        )
        title = two.text_input("Name", placeholder="taken from the address", key="graphs:name")
        pressed = st.form_submit_button("Test and add", type="primary", key="graphs:add_endpoint")
    st.caption("Only reading queries are sent. Answers are kept for a week.")
    if pressed:
        try:
            source = endpoint_source(url, profile)
        except SettingsError as error:
            st.error(escape(str(error)))
            return
        _add(source, "endpoint", title)


def _folder() -> None:
    if session.environment().hosted:
        st.caption("This app is open to strangers, and opens no folders. Upload files instead.")
        return
    with st.form("graphs:folder", border=False):
        path = st.text_input("Folder", placeholder="~/graphs/metaqa", key="graphs:path")
        title = st.text_input("Name", placeholder="taken from the folder", key="graphs:folder_name")
        pressed = st.form_submit_button("Test and add", type="primary", key="graphs:add_folder")
    st.caption("Made by `python -m kgqa_core load FILES --into FOLDER`; also an Oxigraph store.")
    if pressed:
        try:
            source = folder_source(path)
        except SettingsError as error:
            st.error(escape(str(error)))
            return
        _add(source, "folder", title)


def _other(kind: Source) -> None:
    with st.form(f"graphs:{kind.kind}", border=False):
        name = st.text_input(kind.asks_for, key=f"graphs:{kind.kind}:asked")
        title = st.text_input("Name", key=f"graphs:{kind.kind}:name")
        pressed = st.form_submit_button(
            "Test and add", type="primary", key=f"graphs:{kind.kind}:add"
        )
    if pressed:
        if kind.takes(name.strip()):
            _add(kinds.written(name.strip()), kind.kind, title)
        else:
            st.error(f"This names no graph. {escape(kind.asks_for)}: {escape(kind.named)}.")


def _several() -> None:
    titles = {
        entry.source: entry.title for entry in session.graphs().entries() if entry.kind != "union"
    }
    with st.form("graphs:several", border=False):
        chosen = st.multiselect(
            "Graphs",
            list(titles),
            format_func=lambda source: titles.get(source, source),
            key="graphs:union",
            help="Where they name a thing differently, the first one wins",
        )
        title = st.text_input("Name", placeholder="made of their names", key="graphs:union_name")
        pressed = st.form_submit_button("Add", type="primary", key="graphs:add_several")
    st.caption("Your own facts on top of a large graph: choose yours first.")
    if pressed:
        if len(chosen) < 2:
            st.error("Choose at least two graphs.")
            return
        names = " + ".join(titles[source] for source in chosen)
        _add(",".join(chosen), "union", title or names)


def _add(source: str, kind: str, title: str) -> None:
    """Adds a graph that answers; one that does not is told about, and nothing is lost."""
    try:
        with st.spinner("Asking it something small …"):
            kg = session.graph(source)
            tested = probe(kg)
        entry = session.graphs().add(source, kind, title or kg.name)
    except KGQAError as error:
        if session.graphs().get(source) is None:
            session.close_graph(source)
        st.error(escape(str(error)))
        return
    _said(source)[source] = tested
    st.toast(f"“{escape(entry.title)}” is in the list.", icon=":material/check:")
    session.redraw()


def _upload() -> None:
    # emptied, so that a second press loads nothing twice
    with st.form("graphs:upload", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Files",
            type=_FILES,
            accept_multiple_files=True,
            key="graphs:files",
            help="RDF (Turtle, N-Triples, RDF/XML, JSON-LD), triples between tabs or bars, a table "
            "(CSV) with a thing in each row, or Wikidata JSON lines; also gzipped",
        )
        title = st.text_input("Name", placeholder="taken from the file", key="graphs:upload_name")
        pressed = st.form_submit_button("Load", type="primary", key="graphs:load")
    most = st.get_option("server.maxUploadSize")
    st.caption(
        f"At most {most} MB per file. For more: `python -m kgqa_core load FILES --into FOLDER`."
    )
    if pressed:
        if not files:
            st.error("Choose at least one file.")
            return
        _load(title or files[0].name.split(".")[0], [(file.name, file) for file in files])


def _typed() -> None:
    with st.form("graphs:typed", border=False):
        text = st.text_area(
            "Facts, one a line: subject | relation | object",
            height=130,
            key="graphs:facts",
            placeholder=_SAMPLE.replace("\t", " | "),
        )
        title = st.text_input("Name", placeholder="my facts", key="graphs:typed_name")
        pressed = st.form_submit_button("Load", type="primary", key="graphs:load_typed")
    if pressed:
        lines = ["\t".join(cell.strip() for cell in line.split("|")) for line in text.splitlines()]
        data = "\n".join(line for line in lines if line.strip())
        if not data:
            st.error("Type at least one fact.")
            return
        _load(title or "my facts", [("facts.tsv", io.BytesIO(data.encode()))])


def _load(title: str, files: Sequence[tuple[str, IO[bytes]]]) -> None:
    try:
        load = Loading(session.graphs(), title, files)
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    all_loads().append(load)
    st.session_state.setdefault("graphs:mine", []).append(load)
    session.redraw()


def going() -> list[Loading]:
    """What is being loaded now; to be looked up before the list is drawn."""
    return [load for load in all_loads() if load.running]


def loads(running: Sequence[Loading]) -> None:
    """What is being loaded, and how the last loads ended.

    `running`: those that were on their way when the page began.
    """
    mine: list[Loading] = st.session_state.get("graphs:mine", [])
    for load in [load for load in mine if not load.running]:
        mine.remove(load)
        if load.entry:  # on a phone its card has just pushed the message out of sight
            st.toast(f"“{escape(load.entry.title)}” is in the list.", icon=":material/check:")

    @st.fragment(run_every=0.5 if running else None)
    def watch() -> None:
        if not all(load.running for load in running):
            session.redraw()  # nothing is called loaded before it is in the list
        for load in list(all_loads()):
            _progress(load)

    watch()


def _progress(load: Loading) -> None:
    key = f"load:{id(load)}"
    if load.running:
        with st.container(border=True, gap="small"):
            st.progress(
                min(1.0, load.part),
                f"Loading {escape(load.title)}: {load.triples:,} triples · {escape(load.doing)}",
            )
            st.button("Cancel", key=f"{key}:stop", on_click=load.stop)
        return
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        if load.entry is None:
            st.error(f"{escape(load.title)}: {escape(load.error)}")
        else:
            skipped = ""
            if load.skipped:
                many = counted(load.skipped, "line or statement")
                skipped = f"{many} could not be read, such as {load.notes[0]}."
            told = " ".join(filter(None, (skipped, load.remark)))
            st.success(
                f"{escape(load.entry.title)} is loaded: "
                f"{counted(load.triples, 'fact')}. {escape(told)}"
            )
            if session.graphs().get(load.entry.source) and st.button(
                "Try a question", key=f"{key}:try", icon=":material/chat:", type="tertiary"
            ):
                _choose(load.entry, "pages/ask.py")
        st.button(
            ":material/close:",
            key=f"{key}:close",
            help="Dismiss",
            type="tertiary",
            on_click=lambda: all_loads().remove(load),
        )
