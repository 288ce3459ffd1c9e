"""The SPARQL console of the Explore page: a query, its rows, and what of them can be drawn."""

from __future__ import annotations

import streamlit as st

from kgqa_core.errors import KGQAError
from kgqa_core.facts import verbalise
from kgqa_core.kg.base import Queryable, Table
from kgqa_core.kg.iris import is_iri
from kgqa_core.render.graph import cut
from kgqa_core.render.steps import escape
from kgqa_core.screens.explore import walk as exploration
from kgqa_core.screens.explore.desk import DRAWN, Explorer
from kgqa_core.text import counted

_LONG = 2_000  # characters of a text that are shown


def console(explorer: Explorer) -> None:
    desk, key = explorer.desk, explorer.key
    if not isinstance(explorer.kg, Queryable):
        st.caption("Several graphs at once cannot be queried as one: choose a single graph.")
        return
    examples = _queries(explorer)

    def take() -> None:
        chosen = st.session_state.get(f"{key}:example")
        if chosen in examples:
            st.session_state[f"{key}:sparql"] = examples[chosen]

    st.selectbox(
        "Examples",
        list(examples),
        key=f"{key}:example",
        index=None,
        placeholder="Take an example query",
        label_visibility="collapsed",
        on_change=take,
    )
    st.text_area(
        "SPARQL",
        key=f"{key}:sparql",
        height=150,
        placeholder="SELECT ?film ?director { ?film wdt:P57 ?director } LIMIT 20",
        label_visibility="collapsed",
        persist_state="session",
    )
    with st.container(horizontal=True, vertical_alignment="center"):
        st.button(
            "Run",
            key=f"{key}:run",
            type="primary",
            icon=":material/play_arrow:",
            on_click=explorer.query,
        )
        st.caption("SELECT and ASK; the usual prefixes are known.", width="content")
    if desk.query_problem:
        st.error(escape(desk.query_problem))
    if desk.table is not None:
        _results(explorer, desk.table)


def _results(explorer: Explorer, table: Table) -> None:
    key = explorer.key
    rows = [
        {
            column: "" if cell is None else verbalise.value(cell)[:_LONG]
            for column, cell in zip(table.columns, row, strict=True)
        }
        for row in table.rows
    ]
    count = counted(len(rows), "row")
    more = "; there are more, or the endpoint left some out" if table.more else ""
    st.caption(f"{count}{more} · {explorer.desk.took_s:.2f} s")
    if not rows:
        return
    st.dataframe(
        rows,
        hide_index=True,
        height=min(38 + 35 * len(rows), 215),
        key=f"{key}:rows",
        alt="Results of the query",
    )
    entities = exploration.entities_in(table, DRAWN + 1)
    with st.container(horizontal=True):
        st.button(
            "Draw in the graph",
            key=f"{key}:draw",
            icon=":material/hub:",
            on_click=explorer.draw,
            args=(table,),
            disabled=not entities,
            help=(
                f"Its entities (at most {DRAWN}) and the facts between them"
                if entities
                else "There is no entity among the results"
            ),
        )
        st.download_button(
            "CSV",
            data=lambda: exploration.table_csv(table).encode("utf-8-sig"),
            file_name="results.csv",
            mime="text/csv",
            key=f"{key}:results",
            icon=":material/download:",
            on_click="ignore",
        )


def _queries(explorer: Explorer) -> dict[str, str]:
    """Example queries that fit the graph's layout, with one about the selected entity."""
    found: dict[str, str] = {}
    entity = explorer.desk.entity
    if entity is not None and is_iri(entity.id):
        node = f"<{entity.id}>"
        found[f"Everything about {cut(entity.name, 40)}"] = (
            f"SELECT ?relation ?value {{\n  {node} ?relation ?value\n}} LIMIT 100"
        )
    return found | (_WIKIDATA_QUERIES if _in_wikidata_layout(explorer) else _PLAIN_QUERIES)


def _in_wikidata_layout(explorer: Explorer) -> bool:
    profile = getattr(explorer.kg, "profile", None)
    if profile is not None:
        return bool(profile.form == "statements")
    try:
        return explorer.kg.relation("P31") is not None
    except KGQAError:
        return False


_WIKIDATA_QUERIES = {
    "Films and who directed them": (
        "SELECT ?film ?director {\n  ?film wdt:P57 ?director\n} LIMIT 20"
    ),
    "Countries, capitals and the continent they are on": (
        "SELECT ?country ?capital ?continent {\n"
        "  ?country wdt:P31 wd:Q6256 ;\n           wdt:P36 ?capital ;\n"
        "           wdt:P30 ?continent\n} LIMIT 30"
    ),
    "Who was married to whom, and since when": (
        "SELECT ?person ?spouse ?since {\n  ?person p:P26 ?marriage .\n"
        "  ?marriage ps:P26 ?spouse ;\n            pq:P580 ?since\n} LIMIT 30"
    ),
    "Parents and grandparents": (
        "SELECT ?person ?parent ?grandparent {\n"
        "  ?person wdt:P22|wdt:P25 ?parent .\n  ?parent wdt:P22|wdt:P25 ?grandparent\n} LIMIT 30"
    ),
    "Is there a film that its director also wrote?": (
        "ASK {\n  ?film wdt:P57 ?person ; wdt:P58 ?person\n}"
    ),
}
_PLAIN_QUERIES = {
    "Some facts": "SELECT ?subject ?relation ?object {\n  ?subject ?relation ?object\n} LIMIT 50",
    "Relations by how often they are used": (
        "SELECT ?relation (COUNT(*) AS ?facts) {\n  ?subject ?relation ?object\n}\n"
        "GROUP BY ?relation ORDER BY DESC(?facts) LIMIT 50"
    ),
    "Things by a word in their name": (
        "SELECT ?thing ?name {\n  ?thing rdfs:label ?name\n"
        '  FILTER(CONTAINS(LCASE(STR(?name)), "berlin"))\n} LIMIT 50'
    ),
}
