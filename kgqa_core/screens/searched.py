"""What a method that searches a whole graph by meaning can search now; one click for the rest."""

from __future__ import annotations

import streamlit as st

from kgqa_core.ask.method import Method
from kgqa_core.errors import KGQAError
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.search.build import Build, stands
from kgqa_core.search.index import Index

KEY = "index-the-rest"


_WATCHED = "watched_index"  # whose build this session has seen: its end is told


def searched_line(method: Method, graph: str) -> Index | None:
    """Nothing where all of it is searched, soon will be, or is asked elsewhere; the end of a build
    that was watched is told.

    The index whose build it watches, if there is one.
    """
    if method.searches != "triples" or not session.encoder().ready:
        return None
    try:
        index = session.index(graph)
        if not index.has_triples:
            return None
        reach, _ = index.triples_reach()
        total = index.kg.info().statements or 0
        count = index.first_count()
    except KGQAError as error:
        st.caption(escape(str(error)))
        return None
    build = session.builds().get(index)
    running = build is not None and build.running
    if reach == "all":
        if st.session_state.get(_WATCHED) == index.title:
            st.caption(
                f":material/check_circle: All {total:,} facts of “{escape(index.title)}” are "
                f"indexed: {escape(method.title)} searches the whole graph by meaning."
            )
        return None
    if build is not None and build.error:
        st.error(escape(build.error))
    of = f"of “{escape(index.title)}”"
    best = f"the {count:,} best-known facts {of}, and "
    which = f"what is indexed so far {of}, and " if running else best if count else ""
    around = f"all facts {'' if which else f'{of} '}around what the question names"
    said, beside = st.columns([5, 4] if running else [7, 2], vertical_alignment="center")
    said.caption(
        f":material/manage_search: {escape(method.title)} searches {which}{around}. Once all "
        f"{total:,} are indexed, it searches the whole graph by meaning; you can ask meanwhile."
    )
    if running:
        st.session_state[_WATCHED] = index.title
        with beside:
            _watch(index)
        return index
    if beside.button(f"Index all {total:,} facts", key=KEY, width="stretch"):
        session.builds()[index] = Build(index)
        st.session_state[_WATCHED] = index.title
        session.redraw()
    return None


@st.fragment(run_every=0.5)
def _watch(index: Index) -> None:
    """How far the build is, until it is over."""
    build = session.builds().get(index)
    if build is None or not build.running:
        session.redraw()
    share, how_far = stands(index)
    st.progress(share, f"Indexing: {how_far}")
