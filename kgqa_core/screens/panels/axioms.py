"""R3's search tree: a branch for each axiom, a level for each hop, and what decided it.

Each axiom is a card with its premises ticked, crossed or open and the facts behind each. An axiom
can be rejected or rewritten and a fact left out; the run goes on from there.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.header import Edits
from kgqa_core.facts import verbalise
from kgqa_core.facts.premises import Hop, Premise, Term
from kgqa_core.facts.terms import Statement
from kgqa_core.history.runs import Run
from kgqa_core.methods.r3.skills import AXIOM
from kgqa_core.render.graph import cut
from kgqa_core.render.steps import escape
from kgqa_core.render.svg import clean
from kgqa_core.screens import fork
from kgqa_core.text import counted

_LINE = 26  # characters of a line in the tree
_LINES = 4
_FACTS = 6  # shown under a premise
_MARKS = {
    "satisfied": ":green[:material/check_circle:]",
    "violated": ":red[:material/cancel:]",
    "open": ":orange[:material/help:]",
}
_SAID = {"satisfied": "It holds", "violated": "It does not hold", "open": "It is open"}
_COLOURS = {  # border on light and on dark ground
    "true": ("#00795a", "#2fc79b"),
    "false": ("#c2410c", "#ff9160"),
    "undetermined": ("#939da9", "#697684"),
    "": ("#0b5cad", "#6cb4ff"),
}
_OPERATORS = ("=", "≠", "<", "≤", ">", "≥", "overlaps", "exists", "absent")
_FUNCTIONS = ("values", "count", "lifetime", "latitude", "longitude")


@dataclass
class Level:
    """A depth of a branch: how its premises stood, and what was sought next."""

    depth: int
    judged: list[events.Judged] = field(default_factory=list)
    missing: events.MissingEvidence | None = None


@dataclass
class BranchView:
    """A branch as far as the run has come; `asked` is the record of the axiom's reply."""

    axiom: events.Axiom
    asked: Record | None
    levels: list[Level] = field(default_factory=list)
    verdicts: list[events.Verdict] = field(default_factory=list)

    @property
    def verdict(self) -> events.Verdict | None:
        decided = [v for v in self.verdicts if v.verdict != "false" or not v.option]
        return decided[-1] if decided else None


def branches_of(records: Sequence[Record]) -> list[BranchView]:
    """The branches of a run in the order they were opened."""
    views: dict[int, BranchView] = {}
    asked: Record | None = None
    for record in records:
        match record.event:
            case events.Asked(skill=AXIOM.name, parsed=dict()):
                asked = record
            case events.Axiom() as e:
                views[e.branch] = BranchView(e, asked)
            case events.Judged() as e if e.branch in views:
                _level(views[e.branch], e.depth).judged.append(e)
            case events.MissingEvidence() as e if e.branch in views:
                _level(views[e.branch], e.depth).missing = e
            case events.Verdict() as e if e.branch in views:
                views[e.branch].verdicts.append(e)
    return list(views.values())


def _level(view: BranchView, depth: int) -> Level:
    if not view.levels or view.levels[-1].depth != depth:
        view.levels.append(Level(depth))
    return view.levels[-1]


# -- the tree --------------------------------------------------------------------------------


def diagram(question: str, views: Sequence[BranchView], dark: bool) -> str:
    """The search tree in the DOT language; labels are quoted text."""
    text = "#e8edf3" if dark else "#1b2430"
    lines = [
        "digraph {",
        'rankdir=TB; bgcolor="transparent"; nodesep=0.25; ranksep=0.3;',
        f'node [shape=box style=rounded fontname="sans-serif" fontsize=11 fontcolor="{text}" '
        "margin=0.1];",
        f'edge [color="{text}" fontcolor="{text}" fontname="sans-serif" fontsize=10 '
        "arrowsize=0.6];",
        f'q [label={_quoted(_short(question))} color="{text}"];',
    ]
    for view in views:
        number, verdict = view.axiom.branch, view.verdict
        colour = _COLOURS[verdict.verdict if verdict else ""][dark]
        label = [f"Axiom {number + 1}", *_short(view.axiom.text)]
        lines.append(f'a{number} [label={_quoted(label)} color="{colour}" penwidth=2];')
        lines.append(f"q -> a{number};")
        above = f"a{number}"
        for level in view.levels:
            node = f"d{number}_{level.depth}"
            states = [j.state for e in level.judged for j in e.judgements]
            counts = [
                f"{states.count(state)} {name}"
                for state, name in (
                    ("satisfied", "hold"),
                    ("violated", "fail"),
                    ("open", "open"),
                )
                if state in states
            ]
            label = [f"depth {level.depth}", ", ".join(counts) or "…"]
            lines.append(f'{node} [label={_quoted(label)} color="{colour}"];')
            lines.append(f"{above} -> {node};")
            above = node
            if level.missing is not None and level.missing.entity is not None:
                label = _short("read " + level.missing.entity.name)
                lines.append(f"m{node} [label={_quoted(label)} shape=plaintext];")
                lines.append(f"{node} -> m{node} [style=dashed];")
                above = f"m{node}"
        if verdict is not None:
            said = {"true": "yes", "false": "no"}.get(verdict.verdict, "undetermined")
            label = [cut(verdict.option, 2 * _LINE) or said]
            lines.append(
                f'v{number} [label={_quoted(label)} color="{colour}" penwidth=2 '
                'style="rounded,bold"];'
            )
            lines.append(f"{above} -> v{number};")
    return "\n".join([*lines, "}"])


def _short(text: str) -> list[str]:
    lines = wrap(text, _LINE) or [""]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], lines[_LINES - 1] + " …"]


def _quoted(lines: Sequence[str]) -> str:
    """A quoted DOT string: the only places where a label could leave it are escaped."""
    plain = (clean(line).replace("&", "&amp;") for line in lines)  # a null would end it all
    safe = (line.replace("\\", "\\\\").replace('"', '\\"') for line in plain)
    return '"' + "\\n".join(" ".join(line.split()) for line in safe) + '"'


def without_axioms(shown: Sequence[Record]) -> str:
    """Why there is no axiom, or none yet."""
    seen = [record.event for record in shown]
    if not (seen and seen[-1].terminal):
        return "The axioms appear here as the model surfaces them, with what becomes of them."
    told = [e.parsed for e in seen if isinstance(e, events.Asked) and e.skill == AXIOM.name]
    if any(isinstance(reply, dict) and reply.get("plain") for reply in told):
        return (
            "No axiom was needed: this is a plain question of fact, and the graph was walked to "
            "the answer. Switch `plain` off in the method’s parameters to have one surfaced."
        )
    return "The run ended before an axiom was surfaced."


# -- the cards -------------------------------------------------------------------------------


def draw(run: Run, shown: Sequence[Record]) -> None:
    """The tree, then a card for each axiom."""
    views = branches_of(shown)
    if not views:
        st.caption(without_axioms(shown))
        return
    dark = st.context.theme.type == "dark"
    with st.expander("Search tree", icon=":material/account_tree:", key=f"tree:{run.header.id}"):
        st.graphviz_chart(diagram(run.header.question, views, dark), width="content")
    for view in views:
        _card(run, view)


def _card(run: Run, view: BranchView) -> None:
    run_id, axiom = run.header.id, view.axiom
    with st.container(border=True, key=f"axiom:{run_id}:{axiom.branch}", gap="small"):
        st.markdown(f"**Axiom {axiom.branch + 1}.** {escape(axiom.text)}")
        how = "all of these hold" if axiom.connective == "all" else "one of these holds"
        many = f"if {how}" if len(axiom.premises) > 1 else "if this holds"
        itself = _is_its_premise(axiom)
        ending = "." if itself else ":"
        st.caption(f"The answer is {'yes' if axiom.answer else 'no'} {many}{ending}")
        if not view.levels and not itself:
            for premise in axiom.premises:
                st.markdown(f":gray[:material/radio_button_unchecked:] {escape(premise.text)}")
        for i, level in enumerate(view.levels):
            last = i == len(view.levels) - 1
            if len(view.levels) > 1:
                st.markdown(f":small[:gray[**depth {level.depth}**]]")
            for judged in level.judged:
                _judged(run, judged, folded=len(level.judged) > 1, facts=last, itself=itself)
            if level.missing is not None:
                _missing(level.missing)
        _verdict(view)
        if run.status != "running" and view.asked is not None:
            with st.container(horizontal=True, gap="small"):
                _reject(run, view)
                _rewrite(run, view)


def _is_its_premise(axiom: events.Axiom) -> bool:
    """Whether all it demands is what it says: that need not stand there twice."""
    said = [premise.text.strip(" .").casefold() for premise in axiom.premises]
    return said == [axiom.text.strip(" .").casefold()]


def _judged(
    run: Run, judged: events.Judged, *, folded: bool, facts: bool, itself: bool = False
) -> None:
    if folded:
        states = {j.state for j in judged.judgements}
        state = "violated" if "violated" in states else "open" if "open" in states else "satisfied"
        title = f"{_MARKS[state]} {escape(judged.option)}"
        with st.expander(title, key=f"option:{run.header.id}:{judged.branch}:{judged.option}"):
            _premises(run, judged, facts)
        return
    _premises(run, judged, facts, itself)


def _premises(run: Run, judged: events.Judged, facts: bool, itself: bool = False) -> None:
    for n, judgement in enumerate(judged.judgements):
        said = _SAID[judgement.state] if itself else escape(judgement.premise.text)
        st.markdown(f"{_MARKS[judgement.state]} {said}")
        if not facts:
            continue
        by = "computed" if judgement.computed else f"says the {judgement.by}"
        if judgement.assumed:
            by = "assumed: no fact says so"
        elif judgement.premise.kind == "meaning":
            by = "a matter of meaning"
        note = f" :gray[({by})]" if judgement.state != "open" else ""
        if judgement.why:
            st.markdown(f":small[{escape(judgement.why)}{note}]")
        if judgement.believed and judgement.believed != judgement.state:
            st.markdown(
                f":small[:orange[The model said {judgement.believed}; without a fact that "
                "stays open.]]"
            )
        for m, s in enumerate(judgement.because[:_FACTS]):
            _fact(run, judged, f"{n}:{m}", s)
        more = len(judgement.because) - _FACTS
        if more > 0:
            st.caption(f"and {counted(more, 'more fact')}")


def _fact(run: Run, judged: events.Judged, at: str, s: Statement) -> None:
    """A deciding fact; dropping it asks again without, to see whether the verdict holds."""
    key = f"{run.header.id}:{judged.branch}:{judged.depth}:{judged.option}:{at}"
    with st.container(horizontal=True, vertical_alignment="center", gap="small", wrap=False):
        st.markdown(f":small[:gray[{escape(verbalise.statement(s))}]]", width="stretch")
        if run.status != "running":
            st.button(
                ":material/link_off:",
                key=f"drop:{key}",
                type="tertiary",
                help="Does the verdict hold without this fact?",
                on_click=fork.fork,
                args=(run, Edits(without=(s,))),
            )


def _missing(event: events.MissingEvidence) -> None:
    if event.entity is None:
        then = "nothing to read was found"
    else:
        where = "it stands in the facts" if event.known else "looked up anew"
        then = f"next {event.entity.name} is read ({where})"
    st.markdown(
        f":small[:material/search: Missing: {escape(event.text) or 'nothing nameable'} — "
        f"{escape(then)}]"
    )


def _verdict(view: BranchView) -> None:
    verdict = view.verdict
    if verdict is None:
        return
    if verdict.verdict == "undetermined":
        what = f"Perhaps {verdict.option}" if verdict.option else "Undetermined"
        why = f" because {verdict.why}" if verdict.why and not verdict.option else ""
        st.markdown(f":gray[**{escape(what)}**{escape(why)}]")
        return
    said = verdict.option or ("yes" if verdict.verdict == "true" else "no")
    st.markdown(f"**Verdict: {escape(said)}**")
    if verdict.believed:
        st.warning(
            f"The model said {escape(verdict.believed)}, the graph says {escape(said)}.",
            icon=":material/balance:",
        )


# -- going on otherwise ----------------------------------------------------------------------


def _reject(run: Run, view: BranchView) -> None:
    assert view.asked is not None
    before = str(run.header.params.get("rejected", ""))
    rejected = "|".join(filter(None, [before, view.axiom.text.replace("|", " ")]))
    st.button(
        "Reject this axiom",
        key=f"reject:{run.header.id}:{view.axiom.branch}",
        type="tertiary",
        icon=":material/thumb_down:",
        help="Asks for another axiom and goes on from here",
        on_click=fork.fork,
        args=(run, Edits(at=view.asked.seq, params={"rejected": rejected})),
    )


def _rewrite(run: Run, view: BranchView) -> None:
    event = view.asked.event if view.asked else None
    if view.asked is not None and isinstance(event, events.Asked):
        before = event.parsed or {}
        rewrite(run, view.axiom, view.asked, lambda said: {**before, **said})


def rewrite(
    run: Run,
    axiom: events.Axiom,
    asked: Record,
    reply: Callable[[dict[str, Any]], dict[str, Any]],
    called: str = "Axiom",
) -> None:
    """The axiom as a form: its sentence, and its premises as the rows of a table.

    `asked`: where the model stated it; `reply`: what it is to have said there instead; `called`:
    what the page calls it.
    """
    key = f"rewrite:{run.header.id}:{axiom.branch}"
    with st.popover("Edit", type="tertiary", icon=":material/edit:", key=f"{key}:open"):
        rule = st.text_area(called, axiom.text, key=f"{key}:rule", max_chars=1000)
        rows = st.data_editor(
            [_row(premise) for premise in axiom.premises],
            key=f"{key}:premises",
            num_rows="dynamic",
            column_config={
                "premise": st.column_config.TextColumn("premise", width=150, required=True),
                "entity": st.column_config.TextColumn("entity", width="small"),
                "path": st.column_config.TextColumn(
                    "path", width="small", help="relations to follow, with > between them"
                ),
                "function": st.column_config.SelectboxColumn(
                    "function", width="small", options=_FUNCTIONS
                ),
                "operator": st.column_config.SelectboxColumn(
                    "operator", width="small", options=_OPERATORS
                ),
                "compared with": st.column_config.TextColumn(
                    "compared with", help="values, with | between them"
                ),
            },
        )
        st.caption("Without an entity the model judges the words of a premise.")
        answer = st.selectbox(
            "If it holds, the answer is",
            ["yes", "no"],
            index=0 if axiom.answer else 1,
            key=f"{key}:answer",
        )
        premises = _premises_of(rows, axiom.premises)
        said = {
            "rule": rule.strip(),
            "premises": [p.model_dump(mode="json") for p in premises],
            "answer": answer == "yes",
        }
        st.button(
            "Go on from here",
            key=f"{key}:go",
            icon=":material/fork_right:",
            disabled=not rule.strip() or not premises,
            on_click=fork.fork,
            args=(run, Edits(at=asked.seq, replies={asked.seq: reply(said)})),
        )


def _row(premise: Premise) -> dict[str, Any]:
    left = premise.left or Term()
    right = premise.right or Term()
    return {
        "premise": premise.text,
        "entity": left.entity,
        "path": _path(left.path),
        "function": left.function,
        "operator": premise.operator,
        "compared with": _compared(right),
    }


def _path(path: Sequence[Hop]) -> str:
    return " > ".join(hop.relation for hop in path)


def _compared(term: Term) -> str:
    if not term.entity:
        return " | ".join(term.constants)
    return " > ".join([f"[{term.entity}]", *(hop.relation for hop in term.path)])


def _premises_of(rows: Any, before: Sequence[Premise]) -> list[Premise]:
    """The table's rows as premises; what a row leaves as it was keeps all it had."""
    known = {tuple(_row(p).items()): p for p in before}
    premises = []
    for row in rows:
        cells = {name: str(value or "").strip() for name, value in row.items()}
        if not cells.get("premise"):
            continue
        kept = known.get(tuple(row.items()))
        premises.append(kept or _premise(cells))
    return premises


def _premise(cells: dict[str, str]) -> Premise:
    entity = cells.get("entity", "")
    if not entity:
        return Premise(text=cells["premise"])
    path = tuple(Hop(relation=p.strip()) for p in cells.get("path", "").split(">") if p.strip())
    function = cells.get("function") or "values"
    operator = cells.get("operator") or "="
    return Premise.model_validate(
        {
            "text": cells["premise"],
            "left": Term.model_validate({"entity": entity, "path": path, "function": function}),
            "operator": operator,
            "right": _right(cells.get("compared with", ""), function),
        }
    )


def _right(text: str, function: str) -> Term | None:
    if not text:
        return None
    if text.startswith("["):
        entity, _, path = text[1:].partition("]")
        hops = tuple(Hop(relation=p.strip()) for p in path.split(">") if p.strip())
        return Term.model_validate({"entity": entity.strip(), "path": hops, "function": function})
    constants = tuple(part.strip() for part in text.split("|") if part.strip())
    function = function if function == "lifetime" else "values"
    return Term.model_validate({"constants": constants, "function": function})
