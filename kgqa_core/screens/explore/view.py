"""The Explore page: a graph walked by hand, and what is known of a node."""

from __future__ import annotations

import streamlit as st

from kgqa_core.ask import shown
from kgqa_core.errors import KGQAError
from kgqa_core.facts import kinds as leads_to
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, RelationUse, Statement, telling_id
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.render.graph import MOST_NODES, cut, statement_key
from kgqa_core.render.pyvis_page import interactive_html
from kgqa_core.render.steps import escape
from kgqa_core.screens import session, widgets
from kgqa_core.screens.explore import walk as exploration
from kgqa_core.screens.explore.console import console
from kgqa_core.screens.explore.desk import LIMITS, MOST_ROWS, SIDES, Explorer, keep_link
from kgqa_core.screens.explore.walk import Filter
from kgqa_core.screens.graph_component import graph_view
from kgqa_core.text import counted

_GRAPH_HEIGHT = 520
_LINE = 48  # characters on the button of a relation
_RELATIONS = 40  # offered at once; the rest is found by name
_LONG = 2_000  # characters of a text that are shown


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
        placeholder="A name; spelling mistakes are forgiven",
        on_change=_search,
        args=(source,),
        persist_state="session",
    )


def _search(source: str) -> None:
    try:
        explorer = Explorer(source, session.graph(source))
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
            known = cut(telling_id(entity.id), 40)
            also = ""
            if hit.matched and hit.matched.casefold() != entity.name.casefold():
                also = f" · also called {escape(cut(hit.matched, 40))}"
            about = f" · {escape(cut(entity.description, 90))}" if entity.description else ""
            st.button(
                f"**{escape(cut(entity.name, 60))}** "
                f":small[{f'{escape(known)}{about}{also}'.removeprefix(' · ')}]",
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
        st.download_button(
            "Interactive graph (HTML, pyvis)",
            data=lambda: interactive_html(exploration.view(now, wanted)).encode("utf-8", "replace"),
            file_name="walk.html",
            mime="text/html",
            key=f"{key}:pyvis",
            on_click="ignore",
            width="stretch",
        )
        st.caption("As a picture (PNG or SVG): the download button in the graph.")
    return wanted


def _filter(explorer: Explorer) -> Filter:
    """What to draw and list; it hides and takes nothing away."""
    desk, key = explorer.desk, explorer.key
    counts = exploration.relations_of(desk.walk.now.facts)
    names = {relation.id: f"{relation.name} ({count})" for relation, count in counts}
    kept = [r for r in st.session_state.get(f"{key}:relations", []) if r in names]
    if kept != st.session_state.get(f"{key}:relations", kept):
        st.session_state[f"{key}:relations"] = kept
    side = SIDES.get(str(st.session_state.get(f"{key}:shown side", "Both")))
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
            list(SIDES),
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
        grows=True,
        highlight=[lit] if lit else [],
        selected=desk.selected,
        whole=True,
    )
    facts = sum(wanted(fact) for fact in now.facts)
    hidden = len(now.facts) - facts
    parts = [counted(len(now.entities), "entity"), counted(facts, "fact")]
    if hidden:
        parts.append(f"{hidden:,} hidden by the filter")
    if facts > len(view.edges):
        parts.append(f"the first {MOST_NODES} nodes are drawn, the table has all facts")
    st.caption(" · ".join(parts))
    if clicked is not None and clicked != desk.selected:
        explorer.select(clicked)
        session.redraw()


def _empty(explorer: Explorer) -> None:
    with st.container(
        border=True,
        height=_GRAPH_HEIGHT,
        horizontal_alignment="center",
        vertical_alignment="center",
    ):
        st.markdown("#### :material/hub: Begin with an entity", text_alignment="center")
        st.caption(
            "Find one by name above. Then open its relations beside this or below: each click "
            "adds facts, and everything can be undone.",
            text_alignment="center",
            width=380,
        )
        kind = kinds.of_name(explorer.source)
        if kind is not None and kind.starts:
            with st.container(horizontal=True, horizontal_alignment="center", gap="small"):
                for label in kind.starts:
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
        console(explorer)
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
        format_func=lambda i: " · ".join(filter(None, (cut(entities[i].name, 60), telling_id(i)))),
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
            explorer.ask(exploration.question_about(fact.subject, fact.relation))
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
            explorer.ask(
                exploration.question_about(entity), exploration.questions_about(entity, uses)
            )
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
    by_name, by_side, limit = st.columns([4, 5, 3], gap="small")
    part = by_name.text_input("Relation", key=f"{key}:part", placeholder="any")
    by_side.segmented_control(
        "Direction",
        list(SIDES),
        default="Both",
        required=True,
        key=f"{key}:side",
        width="stretch",
        help="→ leaving the entity, ← entering it",
    )
    limit.selectbox(
        "At most",
        LIMITS,
        index=1,
        key=f"{key}:limit",
        help="Facts that one click adds",
    )
    _relations(explorer, entity, uses, part)


def _relations(explorer: Explorer, entity: Entity, uses: list[RelationUse], part: str) -> None:
    """A button for each relation and direction: a click adds its facts."""
    side = SIDES.get(str(st.session_state.get(f"{explorer.key}:side")))
    wanted = part.strip().casefold()
    fit = [
        use
        for use in uses
        if (side is None or use.direction == side) and wanted in use.relation.name.casefold()
    ]
    folded = [use for use in fit if leads_to.is_aside(use.relation) and not wanted]
    fit = [use for use in fit if use not in folded]
    with st.container(height=300 if len(fit) > 6 else "content", gap=None, border=True):
        if not fit and not folded:
            st.caption("No relation fits.")
        _buttons(explorer, entity, fit, 0)
    if folded:
        told = escape(cut(shown.aside_in_words(folded), 80))
        with st.expander(told, key=f"{explorer.key}:folded"):
            _buttons(explorer, entity, folded, len(fit))


def _buttons(explorer: Explorer, entity: Entity, fit: list[RelationUse], first: int) -> None:
    facts = explorer.desk.walk.now.facts
    for i, use in enumerate(fit[:_RELATIONS], first):
        there = exploration.shown_of(facts, entity.id, use.relation, use.direction)
        count = f"{there:,} of {use.count:,}" if there else f"{use.count:,}"
        arrow = "→" if use.direction == "out" else "←"
        name = cut(use.relation.name, 40)
        out = use.direction == "out"
        told = (verbalise.example(e, use.relation) if out else e for e in use.examples)
        examples = cut(", ".join(told), max(0, _LINE - len(name) - len(count)))
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
    listed = facts[:MOST_ROWS]
    cut_off = f", the first {MOST_ROWS:,} listed" if len(facts) > MOST_ROWS else ""
    st.caption(f"{counted(len(facts), 'fact')}{cut_off}. Select a row to light it up in the graph.")
    chosen = st.dataframe(
        widgets.value_rows(listed),
        hide_index=True,
        height=440,
        key=f"{explorer.key}:facts",
        on_select="rerun",
        selection_mode="single-row",
        alt="The facts shown in the graph",
    )
    rows = chosen["selection"]["rows"]
    return statement_key(listed[rows[0]]) if rows and rows[0] < len(listed) else ""
