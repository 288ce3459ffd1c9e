"""PG&AKV's corrections: what the model drafted, what the graph says, and what became of each.

A diff of pseudo-graph and fixed graph with the triple that decided and its similarity; what each
step of the pruning cut; which source corrected what; and the same question over other graphs, as
the paper's Table III has it.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Literal as OneOf
from typing import TypeVar, get_args

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Outcome, Record
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.history.runs import Run
from kgqa_core.history.store import Search
from kgqa_core.render.graph import statement_key
from kgqa_core.render.steps import escape
from kgqa_core.screens import session
from kgqa_core.text import counted, listed

V = TypeVar("V", bound=Value)
Layer = OneOf["all", "pseudo", "gold", "fixed"]

_OUTCOMES: dict[Outcome, tuple[str, str, str]] = {  # colour, icon, words
    "kept": ("green", ":material/check:", "the graph says the same"),
    "replaced": ("orange", ":material/published_with_changes:", "the graph says otherwise"),
    "dropped": ("red", ":material/close:", "the graph does not support it"),
    "added": ("blue", ":material/add:", "the model had not thought of it"),
}
_SIGNS = {"kept": "✓", "replaced": "→", "dropped": "✕", "added": "+"}  # where no icon can stand
_LAYERS: dict[Layer, tuple[str, str]] = {  # word, what it is
    "all": ("All", "all of it"),
    "pseudo": ("Drafted", "what the model wrote from memory, the paper’s pseudo-graph"),
    "gold": ("Found", "what pruning left of the triples found, the gold graph"),
    "fixed": ("Corrected", "what the answer rests on, the fixed graph"),
}
_MOST_ROWS = 150
_MOST_RUNS = 100  # of other graphs that are looked through
_NAME = 48  # characters of a name in the diff
_GRAPH = 26  # characters of a graph in the table of graphs
_ANSWER = 60  # and of an answer
_HEIGHT = 430  # pixels of the diff before it scrolls
_AT_ONCE = 12  # rows that do not
_SOURCES = ("found", "gold", "kept", "replaced", "added")


@dataclass
class Draft:
    """What one PG&AKV run drafted, found and corrected, as far as it has come."""

    proposed: events.Proposed | None = None
    weighed: list[events.Weighed] = field(default_factory=list)
    corrected: list[events.Corrected] = field(default_factory=list)
    fixed: events.Fixed | None = None
    found: dict[Statement, None] = field(default_factory=dict)

    @property
    def counts(self) -> Counter[str]:
        return Counter(e.outcome for e in self.corrected)

    @property
    def gold(self) -> tuple[Statement, ...]:
        return tuple(dict.fromkeys(s for e in self.weighed for s in e.statements))


def drafted(records: Sequence[Record]) -> Draft:
    """The corrections of a run: a fold over any prefix of it."""
    draft = Draft()
    for record in records:
        match record.event:
            case events.Proposed() as e:
                draft.proposed = e
            case events.Retrieved() as e:
                draft.found.update(dict.fromkeys(s for s in e.found if isinstance(s, Statement)))
            case events.Weighed() as e:
                draft.weighed.append(e)
            case events.Corrected() as e:
                draft.corrected.append(e)
            case events.Fixed() as e:
                draft.fixed = e
    return draft


def layered(records: Sequence[Record], layer: str | None) -> Sequence[Record]:
    """The records that draw one of the three graphs alone; all of them for any other layer."""
    if layer not in get_args(Layer)[1:]:
        return records
    kept = []
    for record in records:
        match record.event:
            case events.Proposed() if layer == "pseudo":
                kept.append(record)
            case events.Weighed(statements=gold) if layer == "gold":
                kept.append(_chosen(record, gold))
            case events.Fixed(statements=fixed) if layer == "fixed":
                kept.append(_chosen(record, fixed))
            case events.Answered() | events.Anchored() if layer == "fixed":
                kept.append(record)
    return kept


def _chosen(record: Record, statements: tuple[Statement, ...]) -> Record:
    return record.model_copy(update={"event": events.Chosen(statements=statements)})


def by_source(draft: Draft) -> dict[str, dict[str, int]]:
    """For each graph of a union: triples found, those in the gold graph, what they corrected."""
    table: dict[str, dict[str, int]] = {}

    def count(source: str, column: str) -> None:
        table.setdefault(source, dict.fromkeys(_SOURCES, 0))[column] += 1

    for statement in draft.found:
        count(statement.source, "found")
    for statement in draft.gold:
        count(statement.source, "gold")
    for event in draft.corrected:
        if event.found is not None and event.outcome:
            count(event.found.source, event.outcome)
    return table


# -- drawing ---------------------------------------------------------------------------------


def draw(run: Run, shown: Sequence[Record]) -> None:
    """The diff first; the script, the pruning and the sources below it."""
    draft = drafted(shown)
    if draft.proposed is None:
        over = bool(shown) and shown[-1].event.terminal
        st.caption(
            "The run ended before a pseudo-graph was drafted."
            if over
            else "The corrections appear here once the model has drafted its pseudo-graph."
        )
        return
    run_id = run.header.id
    if draft.fixed is not None and draft.fixed.appended:
        st.warning(
            "The model appended the gold graph instead of correcting its own. What it kept against "
            "the graph was taken out.",
            icon=":material/report:",
        )
    st.segmented_control(
        "Show in the graph",
        list(_LAYERS),
        default="all",
        key=f"layer:{run_id}",
        format_func=lambda layer: _LAYERS[layer][0],
        help=" · ".join(f"{word}: {what}" for word, what in _LAYERS.values()),
    )
    _diff(run_id, draft)
    _script(draft.proposed)
    _pruning(run_id, draft)
    _sources(draft)
    _elsewhere(run)


def _diff(run_id: str, draft: Draft) -> None:
    counts = draft.counts
    st.markdown(
        " ".join(
            f":{colour}-badge[{icon} {counts[outcome]} {outcome}]"
            for outcome, (colour, icon, _) in _OUTCOMES.items()
            if counts[outcome]
        )
        or f":small[{len(draft.proposed.statements) if draft.proposed else 0} to be checked]"
    )
    lines = draft.corrected or [
        events.Corrected(claimed=s, found=None)
        for s in (draft.proposed.statements if draft.proposed else ())
    ]
    several = len({s.source for s in draft.found}) > 1
    # what was corrected comes first; dropped triples without a value matter least
    rows = sorted(lines, key=lambda e: list(_OUTCOMES).index(e.outcome) if e.outcome else 9)
    rows.sort(key=lambda e: e.outcome == "dropped")
    with st.container(
        height=_HEIGHT if len(rows) > _AT_ONCE else "content", gap=None, border=False
    ):
        for number, event in enumerate(rows[:_MOST_ROWS]):
            _row(run_id, number, event, several)
        if len(rows) > _MOST_ROWS:
            st.caption(f"and {len(rows) - _MOST_ROWS:,} more")


def _row(run_id: str, number: int, event: events.Corrected, several: bool) -> None:
    """One triple of the diff; its button lights the fact up in the graph."""
    label = _difference(event)
    if event.found is None:
        why = f" :small[:gray[{escape(event.why)}]]" if event.why else ""
        st.markdown(f":small[{label}]{why}")
        return
    notes = []
    if event.similarity is not None:
        notes.append(f"likeness {event.similarity:.2f}")
    if several:
        notes.append(event.found.source)
    if event.why:
        notes.append(event.why)
    key = f"cited:{run_id}"
    cited = statement_key(event.found)

    def toggle() -> None:
        st.session_state[key] = None if st.session_state.get(key) == cited else cited

    note = f" :gray[{escape(' · '.join(notes))}]" if notes else ""
    because = listed(map(verbalise.statement, event.because), 3, between="; ")
    # beside the text, for a button would centre it: long triples take several lines
    text, button = st.columns([13, 1], gap="xsmall")
    text.markdown(f":small[{label}{note}]")
    button.button(
        ":material/filter_center_focus:",
        key=f"corrected:{run_id}:{number}",
        type="tertiary",
        on_click=toggle,
        help="Show in the graph" + (f". Because of: {escape(because)}" if because else ""),
    )


def _difference(event: events.Corrected) -> str:
    """`subject — relation — ~~old~~ → new`, in Markdown; all of it is escaped text."""
    claimed, found = event.claimed, event.found
    colour, icon, _ = _OUTCOMES.get(event.outcome, ("gray", ":material/help:", ""))
    mark = f":{colour}[{icon}]"
    if claimed is None:
        return f"{mark} {escape(_brief(found))}" if found is not None else mark
    said = escape(_brief(claimed))
    if not event.outcome or event.outcome == "kept":
        return f"{mark} {said}"
    if found is None:
        return f"{mark} ~~{said}~~"
    now = _brief(found)
    if claimed.subject.name == found.subject.name and claimed.relation.name == found.relation.name:
        shared = f"{_cut(claimed.subject.name)} — {claimed.relation.name} — "
        old, new = (escape(text.removeprefix(shared)) for text in (_brief(claimed), now))
        return f"{mark} {escape(shared)} ~~{old}~~ → **{new}**"
    return f"{mark} ~~{said}~~ → **{escape(now)}**"


def _brief(statement: Statement) -> str:
    """A statement with long names cut; the whole of it is in the facts and the script."""

    def short(value: V) -> V:
        return replace(value, label=_cut(value.name)) if isinstance(value, Entity) else value

    brief = replace(statement, subject=short(statement.subject), object=short(statement.object))
    return _cut(verbalise.statement(brief), 4 * _NAME)


def _cut(text: str, most: int = _NAME) -> str:
    return text if len(text) <= most else f"{text[: most - 1].rstrip()}…"


def _script(proposed: events.Proposed) -> None:
    lost = len(proposed.lost)
    title = "Draft" + (f" · {counted(lost, 'part')} lost" if lost else "")
    with st.expander(title, icon=":material/edit_note:"):
        if proposed.plan:
            st.caption(escape(proposed.plan))
        st.code(proposed.script or "(empty)", language="cypher", wrap_lines=True)
        for icon, lines in (("error", proposed.lost), ("build", proposed.mended)):
            for line in lines[:_MOST_ROWS]:
                st.markdown(f":small[:material/{icon}: {escape(line)}]")
            if len(lines) > _MOST_ROWS:
                st.caption(f"and {len(lines) - _MOST_ROWS:,} more")


def _pruning(run_id: str, draft: Draft) -> None:
    for number, weighed in enumerate(draft.weighed):
        cut = sum(bool(w.cut) for w in weighed.weights)
        which = f", round {number + 1}" if len(draft.weighed) > 1 else ""
        title = f"Pruning{which}: {len(weighed.weights) - cut} of {len(weighed.weights)} subjects"
        with st.expander(title, icon=":material/content_cut:"):
            st.caption(
                f"Step 1 keeps the {weighed.most} subjects that appear in most triples, step 2 "
                f"those of them with a mean cosine of at least {weighed.least:g}."
            )
            st.dataframe(
                [
                    {
                        "subject": w.entity.name,
                        "triples": w.triples,
                        "confidence": round(w.confidence, 3),
                        "": ("kept", "cut by step 1", "cut by step 2")[w.cut],
                    }
                    for w in weighed.weights
                ],
                hide_index=True,
                height=min(38 + 35 * max(1, len(weighed.weights)), 300),
                key=f"weights:{run_id}:{number}",
                column_config={
                    "subject": st.column_config.TextColumn(width=150),
                    "triples": st.column_config.NumberColumn(width=60),
                    "confidence": st.column_config.NumberColumn(width=80, format="%.3f"),
                    "": st.column_config.TextColumn(width=95),
                },
                alt="Subjects of the retrieved triples, and what pruning cut",
            )


def _sources(draft: Draft) -> None:
    table = by_source(draft)
    if len(table) < 2:
        return
    st.markdown("**Which source corrected what**")
    st.table(
        {
            "source": list(map(escape, table)),
            **{name: [str(row[name]) for row in table.values()] for name in _SOURCES[:2]},
            "corrections": [_counted(row) for row in table.values()],
        },
        border="horizontal",
        alt="For each graph how many triples it gave and how many it corrected",
    )


def _elsewhere(run: Run) -> None:
    """The paper's Table III for one question: the newest run over each graph, and what it gave."""
    rows = elsewhere(run)
    if len(rows) < 2:
        return
    st.markdown("**The same question over other graphs**")
    st.table(
        {
            "graph": [escape(_cut(str(row["graph"]), _GRAPH)) for row in rows],
            "gold": [str(row["gold triples"]) for row in rows],
            "corrections": [_counted(row) for row in rows],
            "answer": [escape(_cut(str(row["answer"]), _ANSWER)) for row in rows],
        },
        border="horizontal",
        alt="The same question asked of several graphs: corrections and answers",
    )


def _counted(row: Mapping[str, str | int]) -> str:
    """How many were kept, replaced, dropped and added, by their signs and colours."""
    parts = (
        f":{colour}[{_SIGNS[outcome]}\u2060{row[outcome]}]"  # word joiner: they stay on one line
        for outcome, (colour, _, _) in _OUTCOMES.items()
        if row.get(outcome)
    )
    return " ".join(parts) or "–"


def elsewhere(run: Run) -> list[dict[str, str | int]]:
    """A row for each graph the question was asked of by PG&AKV, this run's first."""
    mine = run.header
    store = session.runs().store
    listed, _ = store.find(
        Search(text=mine.question, method=(mine.method,), visitor=session.mine()), _MOST_RUNS
    )
    newest = {mine.graph: mine.id}
    for one in listed:
        if one.question == mine.question and one.status in ("answered", "abstained"):
            newest.setdefault(one.graph, one.id)
    answers = {one.id: (one.answer, one.grounding) for one in listed}
    rows: list[dict[str, str | int]] = []
    for graph, run_id in newest.items():
        stored = None if run_id == mine.id else store.load(run_id)
        draft = drafted(run.records if stored is None else stored[1])
        answer, grounding = answers.get(run_id, ("", ""))
        rows.append(
            {
                "graph": graph,
                "gold triples": len(draft.gold),
                **{name: draft.counts[name] for name in _OUTCOMES},
                "answer": answer or grounding,
            }
        )
    return rows
