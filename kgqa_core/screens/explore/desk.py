"""What the Explore page does: one graph, the desk before it, and what its buttons do."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace

import streamlit as st

from kgqa_core.errors import KGQAError, SourceRejected
from kgqa_core.facts.terms import Direction, Entity, Hit, RelationUse, Statement
from kgqa_core.kg import layout
from kgqa_core.kg.base import KnowledgeGraph, Queryable, Table
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.render.graph import cut, statement_key
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.screens.address import replace_address
from kgqa_core.screens.explore import walk as exploration
from kgqa_core.screens.explore.walk import Exploration

LIMITS = (10, 20, 50, 100, 500)  # facts that one click adds
SIDES: dict[str, Direction | None] = {"Both": None, "→": "out", "←": "in"}
DRAWN = 40  # entities of a query's result that are drawn
MOST_ROWS = 1_000
_HITS = 8
_WALKS = 200  # that can be reloaded
_REMEMBERED = 200  # entities whose relations are remembered


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
    """The session's own; a new session whose address names a walk goes on with a copy of it."""
    desks: dict[str, Desk] | None = st.session_state.get("explore")
    if desks is None:
        before = _walks().get(st.query_params.get("walk", ""), {})
        desks = {name: replace(desk) for name, desk in before.items()}
        token = secrets.token_urlsafe(6)
        st.session_state["explore"], st.session_state["explore:walk"] = desks, token
        _walks()[token] = desks
        while len(_walks()) > _WALKS:
            _walks().pop(next(iter(_walks())), None)
    return desks.setdefault(source, Desk())


@st.cache_resource(show_spinner=False)
def _walks() -> dict[str, dict[str, Desk]]:
    """The latest walks of the process by the name they have in an address: a reload keeps them."""
    return {}


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
        shown = self.desk.walk.now.entities
        known = next((i for i in (entity_id, layout.full_id(entity_id)) if i in shown), None)
        if known is not None:  # a reload: it is on the desk already
            self.select(known)
            return
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
        most = int(st.session_state.get(f"{self.key}:limit", LIMITS[1]))
        now = self.desk.walk.now
        if use is None:
            side = SIDES.get(str(st.session_state.get(f"{self.key}:side")))
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
            self.desk.table = self.kg.query(text, MOST_ROWS)
            self.desk.took_s = time.monotonic() - started
        except KGQAError as error:
            self.desk.query_problem = str(error)

    def draw(self, table: Table) -> None:
        self.attempt(lambda: self._draw(table))

    def _draw(self, table: Table) -> None:
        """The entities of a result, and the facts of the graph that its rows speak of."""
        entities = exploration.entities_in(table, DRAWN)
        around = self.kg.statements(entities, direction="out", limit=200)
        facts = exploration.facts_in(table, [fact for some in around for fact in some])
        now = self.desk.walk.now.with_facts(facts)
        linked = now.entities
        for entity in entities:
            if entity.id not in linked:
                now = now.with_root(entity)
        self.desk.walk = self.desk.walk.go(now)

    def ask(self, question: str, offered: Sequence[str] = ()) -> None:
        """On to the Ask page, with a question begun; `offered`: whole ones to choose from."""
        for name in ("run", "question_of"):
            st.session_state.pop(name, None)
        st.session_state["question"] = question
        st.session_state["offered"] = list(offered)
        st.switch_page("pages/ask.py")


def follow_link() -> None:
    """`?graph=…&entity=Q…`, once: afterwards the address follows what is done here."""
    wanted = (st.query_params.get("graph", ""), st.query_params.get("entity", ""))
    if not any(wanted) or wanted == st.session_state.get("explore:link"):
        return
    if session.stayed() and wanted in _kept():
        return  # a click that was faster than the address
    st.session_state["explore:link"] = wanted
    graph, entity = wanted
    if graph:
        entries = session.graphs().entries()
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
    """The address leads back to what is shown, and the browser's Back to the page before."""
    entry = session.graphs().get(explorer.source)
    graph = entry.title if entry and not entry.built_in else explorer.source
    entity = explorer.desk.entity
    shown = {"graph": graph}
    if entity is not None:
        shown["entity"] = layout.link_id(entity.id)
    if explorer.desk.walk.now != exploration.Shown():
        shown["walk"] = st.session_state["explore:walk"]
    replace_address(shown)
    st.session_state["explore:link"] = (graph, shown.get("entity", ""))
    _kept().add(st.session_state["explore:link"])


def _kept() -> set[tuple[str, str]]:
    """The addresses, as (graph, entity), that this session had here."""
    kept: set[tuple[str, str]] = st.session_state.setdefault("explore:links", set())
    return kept
