"""What a method that searches a whole graph by meaning can search now; one click for the rest."""

from __future__ import annotations

import streamlit as st

from kgqa_core.ask.method import Method
from kgqa_core.errors import KGQAError
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.search.build import Build

KEY = "index-the-rest"


def searched_line(method: Method, graph: str) -> None:
    """Nothing where all of it is searched, soon will be, or is asked elsewhere."""
    if method.searches != "triples" or not session.encoder().ready:
        return
    try:
        index = session.index(graph)
        if not index.has_triples:
            return
        reach, _ = index.triples_reach()
        total = index.kg.info().statements or 0
        count = index.first_count()
    except KGQAError as error:
        st.caption(escape(str(error)))
        return
    build = session.builds().get(index)
    if reach == "all":
        return
    running = build is not None and build.running
    which = f"the {count:,} best-known of its {total:,} facts and " if count else ""
    if running:
        which = "what is indexed so far and "
    said, button = st.columns([7, 2], vertical_alignment="center")
    said.caption(
        f":material/manage_search: {escape(method.title)} searches {which}all facts around what "
        f"the question names in “{escape(index.title)}”. The whole graph is searched by meaning "
        "once it is indexed; you can ask meanwhile."
    )
    if not running and button.button(f"Index all {total:,} facts", key=KEY, width="stretch"):
        session.builds()[index] = Build(index)
        session.redraw()
