"""The section of a page about the texts of one graph: what there is, and four ways to add some."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.kg.registry import Entry, Texts
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, visitor
from kgqa_core.search.gathering import (
    MOST,
    MOST_TOLD,
    FactGathering,
    FileGathering,
    Gathering,
    Home,
    WikipediaGathering,
    home_in,
    texts_of,
)
from kgqa_core.search.index import Enumerable
from kgqa_core.search.passages import SUFFIXES
from kgqa_core.text import counted

_ICONS = {
    "folder": "folder",
    "files": "description",
    "wikipedia": "menu_book",
    "facts": "format_quote",
}
_NOTES = 3  # shown of what was left out
_NAMES_HELP = "Names or ids, one a line"


@st.cache_resource
def all_gatherings() -> list[Gathering]:
    """Every one of this process: it goes on, whoever looks."""
    return []


def passages_panel(entry: Entry, key: str, gathering: Sequence[Gathering]) -> None:
    """What the methods that read passages read about this graph.

    `gathering`: what was on its way when the entry was read.
    """
    own = [work for work in all_gatherings() if work.source == entry.source]
    if entry.source_kind.texts:
        st.caption("Short texts about its main entities come with it.")
    for i, texts in enumerate(entry.texts):
        _row(entry, texts, f"{key}:texts:{i}")
    if not entry.texts and not entry.source_kind.texts:
        st.caption(
            "None yet. Text RAG and hybrid RAG read passages beside the facts: add files, "
            "Wikipedia's articles, or the graph's own facts told as text."
        )
    if own:
        _watch(entry.source, [work for work in own if work in gathering])
    if not visitor.is_operator(session.environment()):  # their texts would answer all others
        return
    turn = st.session_state.get(f"{key}:turn", 0)  # another popover is a closed one
    with st.popover("Add texts", icon=":material/add:", key=f"{key}:add_texts:{turn}"):
        files, wikipedia, facts, folder = st.tabs(["Files", "Wikipedia", "Its facts", "Folder"])
        with files:
            _files(entry, key)
        with wikipedia:
            _wikipedia(entry, key)
        with facts:
            _facts(entry, key)
        with folder:
            _folder(entry, key)


def _row(entry: Entry, texts: Texts, key: str) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small"):
        count = counted(texts.articles, "text")
        st.markdown(
            f":material/{_ICONS[texts.kind]}: **{escape(texts.title)}** "
            f":small[· {count} · {texts.made:%d %b %Y}]",
            width="stretch",
        )
        if not visitor.is_operator(session.environment()):
            return
        if texts.kind == "folder":
            st.button(
                ":material/refresh:",
                key=f"{key}:again",
                help="Read the folder again",
                type="tertiary",
                on_click=_add_folder,
                args=(entry.source, texts.folder, f"{key}:problem"),
            )
        st.button(
            ":material/close:",
            key=f"{key}:remove",
            help="Remove from this graph"
            + ("" if texts.kind == "folder" else " and delete the texts"),
            type="tertiary",
            on_click=_remove,
            args=(entry.source, texts.folder, f"{key}:problem"),
        )
    _said(f"{key}:problem")


def _remove(source: str, folder: Path, problem: str) -> None:
    try:
        session.graphs().remove_texts(source, folder)
    except KGQAError as error:
        st.session_state[problem] = str(error)


def _said(problem: str) -> None:
    """What a callback left to say, once."""
    if text := st.session_state.pop(problem, ""):
        st.error(escape(text))


# -- adding ------------------------------------------------------------------------------------


def _files(entry: Entry, key: str) -> None:
    with st.form(f"{key}:files", border=False, clear_on_submit=True):
        files = st.file_uploader(
            "Text or Markdown files",
            type=[suffix.removeprefix(".") for suffix in SUFFIXES],
            accept_multiple_files=True,
            key=f"{key}:text_files",
            help="UTF-8; the first heading is the title",
        )
        pressed = st.form_submit_button("Add", type="primary", key=f"{key}:add_files")
    if pressed:
        if not files:
            st.error("Choose at least one file.")
            return
        title = files[0].name if len(files) == 1 else f"{len(files):,} files"
        named = [(file.name, file) for file in files]
        _begin(key, lambda: FileGathering(_home(entry, title), title, named))


def _wikipedia(entry: Entry, key: str) -> None:
    with st.form(f"{key}:wikipedia", border=False):
        names = _names(entry, key, "wikipedia")
        one, two = st.columns(2)
        most = one.number_input("At most", 1, MOST, 50, key=f"{key}:wikipedia:most")
        language = two.text_input("Language", "en", key=f"{key}:wikipedia:language")
        pressed = st.form_submit_button("Fetch", type="primary", key=f"{key}:add_wikipedia")
    st.caption("Asks wikipedia.org and wikidata.org, one request at a time, only now.")
    if pressed:
        _begin(
            key,
            lambda: WikipediaGathering(
                _home(entry, "wikipedia"),
                session.graph(entry.source),
                names=names.splitlines(),
                most=int(most),
                language=language.strip(),
                contact=session.environment().contact,
            ),
        )


def _facts(entry: Entry, key: str) -> None:
    with st.form(f"{key}:facts", border=False):
        names = _names(entry, key, "facts")
        most = st.number_input("At most", 1, MOST_TOLD, 500, key=f"{key}:facts:most")
        pressed = st.form_submit_button("Write", type="primary", key=f"{key}:add_facts")
    st.caption("What the graph states of an entity, told as a short text.")
    if pressed:
        _begin(
            key,
            lambda: FactGathering(
                _home(entry, "facts"),
                session.graph(entry.source),
                names=names.splitlines(),
                most=int(most),
            ),
        )


def _names(entry: Entry, key: str, what: str) -> str:
    whole = isinstance(session.graph(entry.source), Enumerable)
    return st.text_area(
        "Entities, one a line" + ("; none: the best known" if whole else ""),
        height=90,
        key=f"{key}:{what}:names",
        help=_NAMES_HELP,
    )


def _folder(entry: Entry, key: str) -> None:
    if session.environment().hosted:
        st.caption("This app is open to strangers, and opens no folders. Upload files instead.")
        return
    with st.form(f"{key}:folder", border=False):
        path = st.text_input("Folder", placeholder="~/notes", key=f"{key}:folder:path")
        pressed = st.form_submit_button("Add", type="primary", key=f"{key}:add_folder")
    st.caption("Its text and Markdown files are read where they are.")
    if pressed:
        if not path.strip():
            st.error("Type the path of a folder.")
            return
        folder = Path(path.strip()).expanduser().absolute()
        _add_folder(entry.source, folder, f"{key}:folder:problem")
        if f"{key}:folder:problem" not in st.session_state:
            _close(key)
    _said(f"{key}:folder:problem")


def _add_folder(source: str, folder: Path, problem: str) -> None:
    try:
        texts, problems = texts_of(folder, str(folder), "folder")
        session.graphs().add_texts(source, texts)
    except KGQAError as error:
        st.session_state[problem] = str(error)
        return
    for told in problems[:_NOTES]:
        st.toast(escape(told), icon=":material/warning:")


def _home(entry: Entry, title: str) -> Home:
    return home_in(session.graphs(), entry.source, title)


def _begin(key: str, start: Callable[[], Gathering]) -> None:
    try:
        all_gatherings().append(start())
    except KGQAError as error:
        st.error(escape(str(error)))
        return
    _close(key)


def _close(key: str) -> None:
    st.session_state[f"{key}:turn"] = st.session_state.get(f"{key}:turn", 0) + 1
    session.redraw()


# -- watching ----------------------------------------------------------------------------------


def _watch(source: str, running: Sequence[Gathering]) -> None:
    """What is being gathered for a graph, and how the last ones ended."""

    @st.fragment(run_every=0.5 if running else None)
    def watch() -> None:
        if not all(work.running for work in running):
            session.redraw()  # nothing is called added before it is in the list
        for work in [work for work in all_gatherings() if work.source == source]:
            _progress(work)

    watch()


def _progress(work: Gathering) -> None:
    key = f"gathering:{id(work)}"
    if work.running:
        part = work.done / work.total if work.total else 0.0
        doing = f"{work.done:,} of {work.total:,}" if work.total else work.doing
        st.progress(min(1.0, part), f"{escape(work.title)}: {doing}")
        st.button("Cancel", key=f"{key}:stop", on_click=work.stop)
        return
    with st.container(horizontal=True, vertical_alignment="center", wrap=False):
        if work.texts is None:
            st.error(f"{escape(work.title)}: {escape(work.error)}")
        else:
            notes = " ".join(work.notes[:_NOTES])
            more = len(work.notes) - _NOTES
            count = counted(work.texts.articles, "text")
            st.success(
                f"{escape(work.title)}: {count} added. {escape(notes)}"
                + (f" And {counted(more, 'more note')}." if more > 0 else "")
            )
        st.button(
            ":material/close:",
            key=f"{key}:close",
            help="Dismiss",
            type="tertiary",
            on_click=lambda: all_gatherings().remove(work),
        )
