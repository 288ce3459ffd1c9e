"""The Explore page: a graph walked by hand, what is known of a node, a console for queries."""

from __future__ import annotations

import re
import time
from collections.abc import Callable
from dataclasses import dataclass, field

import streamlit as st

from kgqa_core import exploration, ui, verbalise
from kgqa_core.errors import KGQAError, SourceRejected
from kgqa_core.exploration import Exploration, Filter
from kgqa_core.kg import layout
from kgqa_core.kg.base import KnowledgeGraph, Queryable, Table
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.render.component import graph_view
from kgqa_core.render.graph import MOST_NODES, cut, statement_key
from kgqa_core.render.steps import escape
from kgqa_core.terms import Direction, Entity, Hit, RelationUse, Statement, short_id

_GRAPH_HEIGHT = 520
_HITS = 8
_LINE = 48  # characters on the button of a relation
_RELATIONS = 40  # offered at once; the rest is found by name
_LIMITS = (10, 20, 50, 100, 500)
_MOST_ROWS = 1_000
_DRAWN = 40  # entities of a query's result that are drawn
_LONG = 2_000  # characters of a text that are shown
_REMEMBERED = 200  # entities whose relations are remembered
_STARTS = {
    "starter": ("Albert Einstein", "The Beatles", "Douglas Sirk", "Berlin", "Nile"),
    "wikidata": ("Albert Einstein", "The Beatles", "Douglas Sirk", "Berlin", "Nile"),
}
_IRI = re.compile(r"[a-z][a-z0-9+.-]*:[^\x00-\x20<>\"{}|^`\\]+", re.IGNORECASE)
_SIDES: dict[str, Direction | None] = {"Both": None, "→": "out", "←": "in"}


@dataclass
class Desk:
    """What one session has before it of one graph. Survives page switches."""

    walk: Exploration = field(default_factory=Exploration)
    selected: str = ""  # a node or edge of the graph
    found_for: str = ""
    hits: list[Hit] = field(default_factory=list)
    uses: dict[str, list[RelationUse]] = field(default_factory=dict)
    unknown: dict[str, str] = field(default_factory=dict)  # why relations could not be read
    problem: str = ""
    table: Table | None = None
    took_s: float = 0.0
    query_problem: str = ""

    @property
    def entity(self) -> Entity | None:
        return self.walk.now.entities.get(self.selected)

    @property
    def fact(self) -> Statement | None:
        """The fact behind the selected edge or value."""
        kind, _, key = self.selected.partition(":")
        if kind not in ("fact", "value"):
            return None
        return next((f for f in self.walk.now.facts if statement_key(f) == key), None)


def desk_of(source: str) -> Desk:
    desks: dict[str, Desk] = st.session_state.setdefault("explore", {})
    return desks.setdefault(source, Desk())


class Explorer:
    """One graph and the desk before it: what the buttons do."""

    def __init__(self, source: str, kg: KnowledgeGraph) -> None:
        self.source, self.kg = source, kg
        self.desk = desk_of(source)
        self.key = f"explore:{source}"
        self.far = not isinstance(kg, EmbeddedGraph)

    def attempt(self, action: Callable[[], None]) -> None:
        """Does it, or says in a sentence why not; what is shown stays."""
        self.desk.problem = ""
        if self.far:
            st.toast(f"Asking {escape(self.kg.name)} …", icon=":material/cloud_sync:")
        try:
            action()
        except KGQAError as error:
            self.desk.problem = str(error)

    def find(self) -> None:
        text = " ".join(str(st.session_state.get(f"{self.key}:find", "")).split())
        self.desk.found_for, self.desk.hits = text, []
        if text:
            self.attempt(lambda: self._found(text))

    def _found(self, text: str) -> None:
        self.desk.hits = self.kg.search([text], _HITS)[0]

    def start(self, label: str) -> None:
        self.attempt(lambda: self._start(label))

    def _start(self, label: str) -> None:
        hits = self.kg.search([label], 1)[0]
        if hits:
            self.place(hits[0].entity)

    def link(self, entity_id: str) -> None:
        """Shows the entity of a deep link."""
        self.attempt(lambda: self._link(entity_id))

    def _link(self, entity_id: str) -> None:
        found = self.kg.describe([entity_id])[0]
        if found is None:
            raise SourceRejected(
                f"There is no “{cut(entity_id, 80)}” in this graph: find the entity by its name."
            )
        self.place(found)

    def place(self, entity: Entity) -> None:
        """Puts an entity on the desk, selected."""
        self.desk.walk = self.desk.walk.go(self.desk.walk.now.with_root(entity))
        self.select(entity.id)
        self.desk.hits, self.desk.found_for = [], ""

    def take(self, entity: Entity) -> None:
        """Chooses one of the hits; the search box is free again."""
        self.place(entity)
        st.session_state[f"{self.key}:find"] = ""

    def select(self, item: str) -> None:
        self.desk.selected = item

    def expand(self, entity: Entity, use: RelationUse | None) -> None:
        self.attempt(lambda: self._expand(entity, use))

    def _expand(self, entity: Entity, use: RelationUse | None) -> None:
        most = int(st.session_state.get(f"{self.key}:limit", _LIMITS[1]))
        now = self.desk.walk.now
        if use is None:
            side = _SIDES.get(str(st.session_state.get(f"{self.key}:side")))
            facts = self.kg.statements([entity], direction=side, limit=most)[0]
        else:
            there = exploration.shown_of(now.facts, entity.id, use.relation, use.direction)
            facts = self.kg.statements(
                [entity], direction=use.direction, relation=use.relation, limit=there + most
            )[0]
        self.desk.walk = self.desk.walk.go(now.with_facts(facts, [entity.id]))

    def uses(self, entity: Entity) -> list[RelationUse]:
        """Read once; after a failure only when somebody asks again."""
        known, unknown = self.desk.uses, self.desk.unknown
        if entity.id not in known and entity.id not in unknown:
            if len(known) >= _REMEMBERED:
                known.clear()
            try:
                known[entity.id] = self.kg.relations_of([entity])[0]
            except KGQAError as error:
                unknown[entity.id] = str(error)
        return known.get(entity.id, [])

    def remove(self, entity: Entity) -> None:
        self.desk.walk = self.desk.walk.go(self.desk.walk.now.without(entity.id))
        self.desk.selected = ""

    def undo(self) -> None:
        self.desk.walk = self.desk.walk.undo()

    def redo(self) -> None:
        self.desk.walk = self.desk.walk.redo()

    def clear(self) -> None:
        self.desk.walk = self.desk.walk.go(exploration.Shown())
        self.desk.selected = ""

    def query(self) -> None:
        """Runs the console's query; the last results stay when it cannot be run."""
        text = str(st.session_state.get(f"{self.key}:sparql", ""))
        self.desk.query_problem = ""
        if not text.strip():
            self.desk.query_problem = "Type a query, or choose an example."
            return
        if not isinstance(self.kg, Queryable):
            return
        started = time.monotonic()
        try:
            self.desk.table = self.kg.query(text, _MOST_ROWS)
            self.desk.took_s = time.monotonic() - started
        except KGQAError as error:
            self.desk.query_problem = str(error)

    def draw(self, table: Table) -> None:
        self.attempt(lambda: self._draw(table))

    def _draw(self, table: Table) -> None:
        """The entities of a result, and the facts of the graph that its rows speak of."""
        entities = exploration.entities_in(table, _DRAWN)
        around = self.kg.statements(entities, direction="out", limit=200)
        facts = exploration.facts_in(table, [fact for some in around for fact in some])
        now = self.desk.walk.now.with_facts(facts)
        linked = now.entities
        for entity in entities:
            if entity.id not in linked:
                now = now.with_root(entity)
        self.desk.walk = self.desk.walk.go(now)

    def ask(self, question: str) -> None:
        """On to the Ask page, with a question begun."""
        for name in ("run", "question_of"):
            st.session_state.pop(name, None)
        st.session_state["question"] = question
        st.switch_page("pages/ask.py")


def follow_link() -> None:
    """`?graph=…&entity=Q…`, once: afterwards the address follows what is done here."""
    wanted = (st.query_params.get("graph", ""), st.query_params.get("entity", ""))
    if not any(wanted) or wanted == st.session_state.get("explore:link"):
        return
    st.session_state["explore:link"] = wanted
    graph, entity = wanted
    if graph:
        entries = ui.graphs().entries()
        entry = next((e for e in entries if graph in (e.source, e.title)), None)
        if entry is None:
            st.warning(
                f"The link leads to the graph “{escape(cut(graph, 80))}”, which is not in the "
                "list here: add it on the Knowledge graphs page."
            )
            return
        st.session_state["graph"] = entry.source
    if entity:
        st.session_state["explore:entity"] = entity


def keep_link(explorer: Explorer) -> None:
    entry = ui.graphs().get(explorer.source)
    graph = entry.title if entry and not entry.built_in else explorer.source
    entity = explorer.desk.entity
    wanted = {"graph": graph}
    if entity is not None:
        short = short_id(entity.id)
        wanted["entity"] = short if layout.full_id(short) == entity.id else entity.id
    if st.query_params.to_dict() != wanted:
        st.query_params.from_dict(wanted)
    st.session_state["explore:link"] = (graph, wanted.get("entity", ""))


# -- drawing -----------------------------------------------------------------------------------


def explore(source: str, kg: KnowledgeGraph) -> None:
    """Everything below the choice of the graph and the search."""
    explorer = Explorer(source, kg)
    desk = explorer.desk
    if linked := st.session_state.pop("explore:entity", None):
        explorer.link(linked)
    if desk.problem:
        st.error(escape(desk.problem))
    _hits(explorer)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        with st.container(horizontal=True, vertical_alignment="center", gap="small"):
            wanted = _toolbar(explorer)
        stage = st.container()
    with right:
        lit = _panels(explorer, wanted)
    with stage:
        _stage(explorer, wanted, lit)
    keep_link(explorer)


def search_box(source: str) -> None:
    explorer_key = f"explore:{source}"
    st.text_input(
        "Find an entity",
        key=f"{explorer_key}:find",
        placeholder="Find an entity by name; spelling mistakes are forgiven",
        on_change=_search,
        args=(source,),
        persist_state="session",
    )


def _search(source: str) -> None:
    try:
        explorer = Explorer(source, ui.graph(source))
    except KGQAError:
        return  # the page says it
    explorer.find()


def _hits(explorer: Explorer) -> None:
    desk = explorer.desk
    if not desk.found_for or desk.problem:
        return
    with st.container(border=True, gap=None):
        if not desk.hits:
            st.caption(
                f"Nothing in this graph is called “{escape(cut(desk.found_for, 80))}”. Try another "
                "name or fewer words."
            )
        for i, hit in enumerate(desk.hits):
            entity = hit.entity
            also = ""
            if hit.matched and hit.matched.casefold() != entity.name.casefold():
                also = f" · also called {escape(cut(hit.matched, 40))}"
            about = f" · {escape(cut(entity.description, 90))}" if entity.description else ""
            st.button(
                f"**{escape(cut(entity.name, 60))}** "
                f":small[{escape(cut(short_id(entity.id), 40))}{about}{also}]",
                key=f"{explorer.key}:hit:{i}",
                type="tertiary",
                icon=":material/add_circle:",
                on_click=explorer.take,
                args=(entity,),
            )


def _toolbar(explorer: Explorer) -> Filter:
    desk, key = explorer.desk, explorer.key
    walk, now = desk.walk, desk.walk.now
    for name, icon, words, action, off in (
        ("undo", "undo", "Undo", explorer.undo, not walk.past),
        ("redo", "redo", "Redo", explorer.redo, not walk.future),
        ("clear", "delete_sweep", "Clear the desk", explorer.clear, now == exploration.Shown()),
    ):
        st.button(
            f":material/{icon}:",
            key=f"{key}:{name}",
            help=words,
            on_click=action,
            disabled=off,
        )
    wanted = _filter(explorer)
    facts = [fact for fact in now.facts if wanted(fact)]
    with st.popover("Export", icon=":material/download:", disabled=not facts, key=f"{key}:export"):
        st.download_button(
            "Facts as CSV",
            data=lambda: exploration.csv_of(facts).encode("utf-8-sig"),
            file_name="facts.csv",
            mime="text/csv",
            key=f"{key}:csv",
            on_click="ignore",
            width="stretch",
        )
        st.download_button(
            "Facts as N-Triples",
            data=lambda: exploration.ntriples_of(facts).encode("utf-8", "replace"),
            file_name="facts.nt",
            mime="application/n-triples",
            key=f"{key}:nt",
            on_click="ignore",
            width="stretch",
        )
        st.caption("As a picture (PNG): the download button in the graph.")
    return wanted


def _filter(explorer: Explorer) -> Filter:
    """What to draw and list; it hides and takes nothing away."""
    desk, key = explorer.desk, explorer.key
    counts = exploration.relations_of(desk.walk.now.facts)
    names = {relation.id: f"{relation.name} ({count})" for relation, count in counts}
    kept = [r for r in st.session_state.get(f"{key}:relations", []) if r in names]
    if kept != st.session_state.get(f"{key}:relations", kept):
        st.session_state[f"{key}:relations"] = kept
    side = _SIDES.get(str(st.session_state.get(f"{key}:shown side", "Both")))
    entity = desk.entity
    active = bool(kept) + (side is not None and entity is not None)
    with st.popover(
        f"Filter ({active})" if active else "Filter",
        icon=":material/filter_alt:",
        disabled=not names,
        key=f"{key}:filter",
    ):
        relations = st.multiselect(
            "Relations",
            list(names),
            key=f"{key}:relations",
            format_func=lambda r: names.get(r, r),
            placeholder="All relations",
            persist_state="session",
        )
        st.segmented_control(
            f"Facts around {escape(cut(entity.name, 30))}" if entity else "Direction",
            list(_SIDES),
            default="Both",
            required=True,
            key=f"{key}:shown side",
            disabled=entity is None,
            help="→ leaving the selected entity, ← entering it",
            persist_state="session",
        )
    return Filter(tuple(relations), side, entity.id if entity else "")


def _stage(explorer: Explorer, wanted: Filter, lit: str) -> None:
    desk = explorer.desk
    now = desk.walk.now
    if not now.entities:
        _empty(explorer)
        return
    view = exploration.view(now, wanted)
    clicked = graph_view(
        view,
        key=f"{explorer.key}:graph",
        run_id=explorer.key,
        height=_GRAPH_HEIGHT,
        highlight=[lit] if lit else [],
        selected=desk.selected,
    )
    facts = sum(wanted(fact) for fact in now.facts)
    hidden = len(now.facts) - facts
    parts = [_many(len(now.entities), "entity", "entities"), _many(facts, "fact", "facts")]
    if hidden:
        parts.append(f"{hidden:,} hidden by the filter")
    if facts > len(view.edges):
        parts.append(f"the first {MOST_NODES} nodes are drawn, the table has all facts")
    st.caption(" · ".join(parts))
    if clicked is not None and clicked != desk.selected:
        explorer.select(clicked)
        st.rerun()


def _many(count: int, one: str, several: str) -> str:
    return f"{count:,} {one if count == 1 else several}"


def _empty(explorer: Explorer) -> None:
    with st.container(
        border=True,
        height=_GRAPH_HEIGHT,
        horizontal_alignment="center",
        vertical_alignment="center",
    ):
        st.markdown("#### :material/hub: Begin with an entity", text_alignment="center")
        st.caption(
            "Find one by name above. Then open its relations on the right: each click adds "
            "facts, and everything can be undone.",
            text_alignment="center",
            width=380,
        )
        starts = _STARTS.get(explorer.source, ())
        if starts:
            with st.container(horizontal=True, horizontal_alignment="center", gap="small"):
                for label in starts:
                    st.button(
                        label,
                        key=f"{explorer.key}:start:{label}",
                        on_click=explorer.start,
                        args=(label,),
                    )


def _panels(explorer: Explorer, wanted: Filter) -> str:
    """Entity, facts and console; returns the key of the fact to light up."""
    one, two, three = st.tabs(["Entity", "Facts", "SPARQL"], key=f"{explorer.key}:tabs")
    with one:
        _entity_panel(explorer)
    with two:
        lit = _facts_panel(explorer, wanted)
    with three:
        _console(explorer)
    return lit


def _entity_panel(explorer: Explorer) -> None:
    desk, key = explorer.desk, explorer.key
    entities = desk.walk.now.entities
    if not entities:
        st.caption("The relations of the selected entity appear here, with their counts.")
        return

    def choose() -> None:
        explorer.select(st.session_state[f"{key}:chosen"] or "")

    st.session_state[f"{key}:chosen"] = desk.selected if desk.selected in entities else None
    st.selectbox(
        "Selected entity",
        list(entities),
        key=f"{key}:chosen",
        index=None,
        format_func=lambda i: f"{cut(entities[i].name, 60)} · {short_id(i)}",
        placeholder=f"Click a node, or choose one of the {len(entities):,} shown",
        label_visibility="collapsed",
        on_change=choose,
    )
    fact, entity = desk.fact, desk.entity
    if fact is not None:
        _fact(explorer, fact)
    elif entity is not None:
        _entity(explorer, entity)


def _fact(explorer: Explorer, fact: Statement) -> None:
    with st.container(border=True):
        text = verbalise.statement(fact)
        st.markdown(escape(text[:_LONG] + "…" * (len(text) > _LONG)))
        if fact.source:
            st.caption(f"From {escape(fact.source)}")
    with st.container(horizontal=True):
        if st.button("Ask about this", key=f"{explorer.key}:ask", icon=":material/chat:"):
            explorer.ask(exploration.question_about(fact.subject, fact))
        ends = [fact.subject, fact.object] if isinstance(fact.object, Entity) else [fact.subject]
        for i, end in enumerate(ends):
            st.button(
                escape(cut(end.name, 24)),
                key=f"{explorer.key}:end:{i}",
                help="Select this entity",
                on_click=explorer.select,
                args=(end.id,),
            )


def _entity(explorer: Explorer, entity: Entity) -> None:
    key = explorer.key
    if entity.description:
        st.caption(escape(cut(entity.description, 200)))
    with st.spinner("Looking at its relations …"):
        uses = explorer.uses(entity)
    unknown = explorer.desk.unknown.get(entity.id)
    with st.container(horizontal=True):
        if st.button("Ask about this", key=f"{key}:ask", icon=":material/chat:", type="primary"):
            explorer.ask(exploration.question_about(entity))
        st.button(
            "Expand all",
            key=f"{key}:all",
            icon=":material/open_in_full:",
            help="Facts of all its relations, as many as the limit says",
            on_click=explorer.expand,
            args=(entity, None),
            disabled=not uses,
        )
        st.button(
            "Remove",
            key=f"{key}:remove",
            icon=":material/close:",
            help="From the desk, with what only it led to",
            on_click=explorer.remove,
            args=(entity,),
        )
    if unknown:
        st.error(escape(unknown))
        st.button("Try again", key=f"{key}:again", on_click=explorer.desk.unknown.clear)
        return
    if not uses:
        st.caption("No fact leads on from here.")
        return
    by_name, by_side, limit = st.columns([4, 5, 3], vertical_alignment="bottom", gap="small")
    part = by_name.text_input("Relation", key=f"{key}:part", placeholder="any")
    by_side.segmented_control(
        "Direction",
        list(_SIDES),
        default="Both",
        required=True,
        key=f"{key}:side",
        width="stretch",
        help="→ leaving the entity, ← entering it",
    )
    limit.selectbox(
        "At most",
        _LIMITS,
        index=1,
        key=f"{key}:limit",
        help="Facts that one click adds",
    )
    _relations(explorer, entity, uses, part)


def _relations(explorer: Explorer, entity: Entity, uses: list[RelationUse], part: str) -> None:
    """A button for each relation and direction: a click adds its facts."""
    side = _SIDES.get(str(st.session_state.get(f"{explorer.key}:side")))
    wanted = part.strip().casefold()
    fit = [
        use
        for use in uses
        if (side is None or use.direction == side) and wanted in use.relation.name.casefold()
    ]
    facts = explorer.desk.walk.now.facts
    with st.container(height=300 if len(fit) > 6 else "content", gap=None, border=True):
        if not fit:
            st.caption("No relation fits.")
        for i, use in enumerate(fit[:_RELATIONS]):
            there = exploration.shown_of(facts, entity.id, use.relation, use.direction)
            count = f"{there:,} of {use.count:,}" if there else f"{use.count:,}"
            arrow = "→" if use.direction == "out" else "←"
            name = cut(use.relation.name, 40)
            examples = cut(", ".join(use.examples), max(0, _LINE - len(name) - len(count)))
            st.button(
                f"{arrow} **{escape(name)}** {count} :small[· {escape(examples)}]",
                key=f"{explorer.key}:use:{i}",
                type="tertiary",
                on_click=explorer.expand,
                args=(entity, use),
                disabled=there >= use.count,
                help="Facts of this relation that lead "
                + ("away from it" if use.direction == "out" else "to it"),
            )
        if len(fit) > _RELATIONS:
            st.caption(f"{len(fit) - _RELATIONS:,} more: type part of a relation's name.")


def _facts_panel(explorer: Explorer, wanted: Filter) -> str:
    facts = [fact for fact in explorer.desk.walk.now.facts if wanted(fact)]
    if not facts:
        st.caption("The facts in the graph are listed here.")
        return ""
    listed = facts[:_MOST_ROWS]
    cut_off = f", the first {_MOST_ROWS:,} listed" if len(facts) > _MOST_ROWS else ""
    st.caption(f"{len(facts):,} facts{cut_off}. Select a row to light it up in the graph.")
    chosen = st.dataframe(
        ui.value_rows(listed),
        hide_index=True,
        height=440,
        key=f"{explorer.key}:facts",
        on_select="rerun",
        selection_mode="single-row",
        alt="The facts shown in the graph",
    )
    rows = chosen["selection"]["rows"]
    return statement_key(listed[rows[0]]) if rows and rows[0] < len(listed) else ""


# -- the console -------------------------------------------------------------------------------


def _console(explorer: Explorer) -> None:
    desk, key = explorer.desk, explorer.key
    if not isinstance(explorer.kg, Queryable):
        st.caption("This graph takes no SPARQL: several graphs at once cannot be queried as one.")
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
    count = f"{len(rows):,} row{'s' * (len(rows) != 1)}"
    more = ", there are more or the endpoint left some out" if table.more else ""
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
    entities = exploration.entities_in(table, _DRAWN + 1)
    with st.container(horizontal=True):
        st.button(
            "Draw in the graph",
            key=f"{key}:draw",
            icon=":material/hub:",
            on_click=explorer.draw,
            args=(table,),
            disabled=not entities,
            help=(
                f"Its entities (at most {_DRAWN}) and the facts between them"
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
    if entity is not None and _IRI.fullmatch(entity.id):
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
