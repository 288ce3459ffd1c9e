"""Compass in one picture: the plan as it fills in, beliefs and verdicts, rules and premises.

Steps are grey as planned, blue once bound, green when they have values, red where they failed and
orange where a repair made them. Below it each step can be changed: its relation, its belief, a
rule and its premises; the run goes on from there. A choice between options is R3's tree of axioms.
"""

from __future__ import annotations

import html
import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from textwrap import wrap
from typing import Any
from typing import Literal as OneOf

import streamlit as st

from kgqa_core.ask import events
from kgqa_core.ask.events import Record
from kgqa_core.ask.header import Edits
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.history.runs import Run
from kgqa_core.methods.compass import learning
from kgqa_core.methods.keqing.templates import in_words
from kgqa_core.render.steps import escape
from kgqa_core.screens import fork, session
from kgqa_core.screens.panels import axioms, corrections
from kgqa_core.text import counted, enumerated, listed, shortened

State = OneOf["planned", "bound", "done", "empty", "failed"]

_LINE, _LINES = 26, 3
_RULE, _RULES = 34, 5
_BELIEVED, _FACTS = 3, 2  # beliefs drawn of a step, facts of a premise
_HANDLE = re.compile(r"\b[ns][1-9]\d?\b")  # of a start or a step
_SEVERAL = re.compile(r"(?<=\d)\|(?=[ns]\d)")
_MOST = 9  # steps drawn; of more, those the answer rests on
_COLOURS: dict[str, tuple[str, str, str, str]] = {  # border and ground, on light and on dark
    "start": ("#5b6b7f", "#eef1f5", "#8fa0b5", "#232b36"),
    "planned": ("#a7b1bd", "#ffffff", "#5c6877", "#12161c"),
    "bound": ("#1f5fbf", "#eaf2fd", "#6cb4ff", "#142338"),
    "done": ("#00795a", "#e6f6f0", "#2fc79b", "#10291f"),
    "empty": ("#b7791f", "#fdf5e4", "#e0b04c", "#2d2412"),
    "failed": ("#c2410c", "#fdeee6", "#ff9160", "#331a10"),
    "open": ("#b7791f", "#fdf5e4", "#e0b04c", "#2d2412"),
}
_DIM = ("#566170", "#a3afbd")  # text beside the matter, on light and on dark
_MARKS: dict[State, str] = {
    "planned": ":gray[:material/radio_button_unchecked:]",
    "bound": ":blue[:material/pending:]",
    "done": ":green[:material/check_circle:]",
    "empty": ":orange[:material/circle:]",
    "failed": ":red[:material/error:]",
}
_BELIEFS = {"kept": ("✓", "done"), "replaced": ("✗", "failed"), "dropped": ("–", "planned")}
_PREMISES = {"satisfied": ("✓", "done"), "violated": ("✗", "failed"), "open": ("?", "open")}


@dataclass
class StepView:
    """A step as far as the run has come; `at` is the record at which it began to be carried out."""

    node: events.PlanNode
    state: State = "planned"
    mended: bool = False
    bound: events.Bound | None = None
    filled: events.Filled | None = None
    beliefs: list[events.Believed] = field(default_factory=list)
    at: int = 0
    relations: tuple[str, ...] = ()  # there were to choose from


@dataclass
class RuleView:
    """A rule, how it stands, and the record of the reply that stated it."""

    axiom: events.Axiom
    asked: Record | None = None
    judged: events.Judged | None = None
    verdict: events.Verdict | None = None
    at: int = 0


@dataclass
class CourseView:
    """What the events of a run come to."""

    starts: dict[str, events.PlanNode] = field(default_factory=dict)
    steps: dict[str, StepView] = field(default_factory=dict)
    rules: dict[int, RuleView] = field(default_factory=dict)
    answer: str = ""
    template: str = ""
    calls: int = 0
    by_reader: bool = False
    names: bool = False
    worded: bool = False
    choice: bool = False  # whether options are held against its rules

    @property
    def told(self) -> dict[str, StepView]:
        """The steps but for look-ups of names that nothing goes on from."""
        needed = {name for step in self.steps.values() for name in step.node.needs}
        needed.add(self.answer)
        return {k: s for k, s in self.steps.items() if k in needed or s.node.needs}

    @property
    def numbers(self) -> dict[str, int]:
        """What the steps are called on the page: look-ups and replaced steps leave no gaps."""
        return {name: n for n, name in enumerate(self.told, 1)}

    def in_words(self, text: str) -> str:
        """What is said of a step, with what it goes on from as the page calls it."""

        def called(handle: re.Match[str]) -> str:
            name = handle[0]
            if name in self.starts:
                return self.starts[name].text
            if name in self.numbers:
                return f"step {self.numbers[name]}"
            found = self.steps[name].filled if name in self.steps else None
            return _values(found) if found else name

        return _HANDLE.sub(called, _SEVERAL.sub(" and ", text))

    @property
    def spared(self) -> list[str]:
        """What a walk that asks the model at each turn would have asked, and this did not."""
        parts = ["finding the names"] if self.names else []
        done = sum(s.filled is not None for s in self.steps.values())
        parts += [f"choosing {counted(done, 'step')}"] if done else []
        decided = [
            j for r in self.rules.values() if r.judged for j in r.judged.judgements
            if j.by == "graph" and j.state != "open"
        ]  # fmt: skip
        parts += [f"judging {counted(len(decided), 'premise')}"] if decided else []
        return parts + (["wording the answer"] if self.worded else [])

    def behind(self) -> set[str]:
        """The steps that the answer rests on; all, as long as there is none."""
        if self.answer not in self.steps:
            return set(self.steps)
        todo, found = [self.answer], set[str]()
        while todo:
            here = todo.pop()
            if here in self.steps and here not in found:
                found.add(here)
                todo += self.steps[here].node.needs
        return found


def course_of(records: Sequence[Record]) -> CourseView:
    view = CourseView()
    began = 0
    surveyed: list[events.Surveyed] = []
    replied: list[Record] = []
    for record in records:
        match record.event:
            case events.Asked(rung=rung):
                if isinstance(record.event.parsed, dict):
                    replied.append(record)
                view.by_reader = view.by_reader or rung == "reader"
                view.calls += rung != "reader" and not record.event.reused
                view.worded = view.worded and record.event.skill != "answer from facts"
            case events.Linked(mentions=mentions):
                view.names = view.names or bool(mentions)
            case events.Recalled(template=template):
                view.template = template
            case events.Planned() as e:
                _take_up(view, e)
            case events.Step(title=title):
                began = record.seq
                view.worded = view.worded or title.startswith("Answer with")
            case events.Surveyed() as e:
                surveyed.append(e)
            case events.Bound() as e if e.step in view.steps:
                view.steps[e.step].relations = _names_of(surveyed[-3:])
                view.steps[e.step].bound, view.steps[e.step].state = e, "bound"
                view.steps[e.step].at = began
            case events.Filled() as e if e.step in view.steps:
                view.steps[e.step].filled, view.steps[e.step].state = e, e.state
                view.steps[e.step].at = began
                view.steps[e.step].beliefs = []
            case events.Believed() as e if e.step in view.steps:
                view.steps[e.step].beliefs.append(e)
            case events.Axiom() as e:
                view.rules[e.branch] = RuleView(e, _stated(e, replied), at=record.seq)
            case events.Judged() as e if e.branch in view.rules:
                view.rules[e.branch].judged = e
                view.choice = view.choice or bool(e.option)
            case events.Verdict() as e if e.branch in view.rules:
                view.rules[e.branch].verdict = e
            case _:
                pass
    return view


def _stated(axiom: events.Axiom, replied: Sequence[Record]) -> Record | None:
    """The last reply with that rule."""
    return next((r for r in reversed(replied) if _says(_reply_of(r), axiom)), None)


def _reply_of(record: Record) -> dict[str, Any]:
    """What a model said, field by field."""
    event = record.event
    return (event.parsed or {}) if isinstance(event, events.Asked) else {}


def _says(reply: dict[str, Any], axiom: events.Axiom) -> bool:
    """Whether it states a rule: alone, as R3 asks for it, or among others."""
    return any(one.get("rule") == axiom.text for one in (reply, *reply.get("axioms", ())))


def _restated(reply: dict[str, Any], axiom: events.Axiom, said: dict[str, Any]) -> dict[str, Any]:
    """A reply with other words and premises for one of its rules."""
    if reply.get("rule") == axiom.text:
        return {**reply, **said}
    rules = [{**one, **said} if one["rule"] == axiom.text else one for one in reply["axioms"]]
    return {**reply, "axioms": rules}


def _names_of(surveyed: Sequence[events.Surveyed]) -> tuple[str, ...]:
    """The relations of the last sets that were looked at, those of the last one first."""
    names = (use.relation.name for e in reversed(surveyed) for use in e.relations)
    return tuple(dict.fromkeys(names))


def _take_up(view: CourseView, planned: events.Planned) -> None:
    """A plan; of a mended one the steps that are as they were stay as they are."""
    before = view.steps
    view.starts = {node.id: node for node in planned.starts}
    view.answer = planned.answer
    view.steps = {}
    for node in planned.steps:
        known = before.get(node.id)
        if known is not None and known.node == node:
            view.steps[node.id] = known
        else:
            mended = planned.by == "repair" and not view.by_reader
            view.steps[node.id] = StepView(node, mended=mended)


# -- the picture -----------------------------------------------------------------------------


def diagram(view: CourseView, dark: bool) -> str:
    """The plan in the DOT language; labels are quoted text."""
    text = "#e6eaf0" if dark else "#1b2430"
    dim = "#8793a3" if dark else "#6b7787"
    lines = [
        "digraph {",
        'rankdir=TB; bgcolor="transparent"; nodesep=0.3; ranksep=0.32; pad=0.1;',
        f'node [shape=box style="rounded,filled" fontname="Source Sans Pro, Helvetica, sans-serif" '
        f'fontsize=12 fontcolor="{text}" margin="0.16,0.09" penwidth=1.4];',
        f'edge [color="{dim}" arrowsize=0.6 penwidth=1.2];',
    ]
    behind = view.behind()
    shown = {k: s for k, s in view.told.items() if k in behind or len(view.told) <= _MOST}
    needed = {name for s in shown.values() for name in s.node.needs} | {view.answer}
    for name, node in view.starts.items():
        if name in needed:
            label = [_plain(line) for line in _short(node.text)]
            lines.append(_node(name, label, "start", dark, 'shape=box margin="0.2,0.08"'))
    for name, step in shown.items():
        apart = [view.starts[n].text for n in step.node.apart if n in view.starts]
        apart = apart if _may_return(view, name) else []
        lines += _step_nodes(name, view, apart, name in behind, dark)
        for need in step.node.needs:
            if need in shown or need in view.starts:
                lines.append(f"{_id(need)} -> {_id(name)};")
    for number, rule in view.rules.items():
        lines += _rule_nodes(number, rule, dark)
    return "\n".join([*lines, "}"])


def _may_return(view: CourseView, name: str) -> bool:
    """Whether a step could lead back to where the walk came from: templates leave it out anyhow."""
    bound = {k: s.bound.relation.id for k, s in view.steps.items() if s.bound is not None}
    others = [relation for step, relation in bound.items() if step != name]
    return not view.template or name not in bound or bound[name] in others


def _step_nodes(
    name: str, view: CourseView, apart: Sequence[str], behind: bool, dark: bool
) -> list[str]:
    step, answer = view.steps[name], name == view.answer
    title, *rest = _short(f"{view.numbers[name]}. {view.in_words(_called(step))}")
    label = [_bold(title), *map(_bold, rest)]
    dim = _DIM[dark]
    label += [_small(f"but not {shortened(enumerated(apart), _LINE)}", dim)] if apart else []
    if step.filled is not None:
        told = _values(step.filled) or ("nothing" if step.state == "empty" else "")
        label += [_plain(line) for line in _short(shortened(told, 2 * _LINE))] if told else []
    for belief in step.beliefs[:_BELIEVED]:
        sign, colour = _BELIEFS.get(belief.outcome, ("?", "planned"))
        said = f"{sign} believed {shortened(belief.text, _LINE)}"
        label.append(_small(said, dim if colour == "planned" else _colour(colour, dark)[0]))
    if len(step.beliefs) > _BELIEVED:
        label.append(_small(counted(len(step.beliefs) - _BELIEVED, "more belief"), dim))
    more = " penwidth=3" if answer and step.state == "done" else ""
    if step.state == "planned":
        more += ' style="rounded,dashed"'
    elif not behind:
        more += ' style="rounded,dotted"'
    if step.mended:
        tint = _colour("failed", dark)[0]
        label.insert(len(rest) + 1, _small("repaired", tint))
        more += f' color="{tint}"'
    return [_node(name, label, step.state, dark, more)]


def _rule_nodes(number: int, rule: RuleView, dark: bool) -> list[str]:
    verdict = rule.verdict.verdict if rule.verdict else ""
    state = {"true": "done", "false": "failed"}.get(verdict, "bound")
    name = f"r{number}"
    text = wrap(rule.axiom.text, _RULE)
    text = text if len(text) <= _RULES else [*text[: _RULES - 1], text[_RULES - 1] + " …"]
    lines = [_node(name, [_bold("Rule"), *map(_plain, text)], state, dark)]
    judged = rule.judged.judgements if rule.judged else ()
    for n, judgement in enumerate(judged):
        sign, colour = _PREMISES[judgement.state]
        own = f"{name}.{n}"
        told = [_plain(line) for line in _short(f"{sign} {judgement.premise.text}")]
        lines.append(_node(own, told, colour, dark))
        lines.append(f"{_id(own)} -> {_id(name)};")
        for k, fact in enumerate(_of_each(judgement.because)[:_FACTS]):
            leaf = f"{own}.{k}"
            said = _short(shortened(verbalise.statement(fact), 3 * _LINE))
            label = _label([_small(line, _DIM[dark]) for line in said])
            lines.append(f'{_id(leaf)} [label={label} shape=plaintext style="" margin=0.04];')
            lines.append(f"{_id(leaf)} -> {_id(own)} [style=dotted arrowhead=none];")
    if rule.verdict is not None and verdict in ("true", "false"):
        truth = "yes" if verdict == "true" else "no"
        lines.append(_node(f"{name}.v", [_bold(truth)], state, dark, "penwidth=3"))
        lines.append(f"{_id(name)} -> {_id(f'{name}.v')};")
    return lines


def _of_each(facts: Sequence[Statement]) -> list[Statement]:
    """The first fact about each thing, then the others."""
    first: dict[Entity, Statement] = {}
    for fact in facts:
        first.setdefault(fact.subject, fact)
    return list(dict.fromkeys((*first.values(), *facts)))


def _node(name: str, label: Sequence[str], colour: str, dark: bool, more: str = "") -> str:
    border, ground = _colour(colour, dark)
    return f'{_id(name)} [label={_label(label)} color="{border}" fillcolor="{ground}" {more}];'


def _colour(name: str, dark: bool) -> tuple[str, str]:
    light_border, light, dark_border, ground = _COLOURS[name]
    return (dark_border, ground) if dark else (light_border, light)


def _id(name: str) -> str:
    """A quoted DOT string: the only places where a name could leave it are escaped."""
    safe = name.replace("\\", "\\\\").replace('"', '\\"')
    return '"' + " ".join(safe.split()) + '"'


def _called(step: StepView) -> str:
    """What the step does, by the relation it was bound to."""
    bound = step.bound
    if bound is None or bound.how == "id":
        return step.node.text
    names = " ".join(bound.path) if len(bound.path) > 1 else bound.relation.name
    back = "← " if bound.direction == "in" else ""
    if bound.asked and bound.asked.casefold() != names.casefold():
        return f"{shortened(bound.asked, _LINE)} ⟶ {back}{names}"
    return step.node.text


def _short(text: str) -> list[str]:
    lines = wrap(text, _LINE) or [""]
    return lines if len(lines) <= _LINES else [*lines[: _LINES - 1], lines[_LINES - 1] + " …"]


# A label is lines of markup that DOT knows; what stands in them is text, and escaped as such.


def _label(lines: Sequence[str]) -> str:
    """Lines that begin below each other: browsers set text narrower than DOT reckons with."""
    return "<" + "".join(f'{line}<BR ALIGN="LEFT"/>' for line in lines) + ">"


def _plain(text: str) -> str:
    shown = "".join(c for c in " ".join(text.split()) if c.isprintable())
    return html.escape(shown) or " "


def _bold(text: str) -> str:
    return f"<B>{_plain(text)}</B>"


def _small(text: str, colour: str) -> str:
    return f'<FONT POINT-SIZE="10.5" COLOR="{colour}">{_plain(text)}</FONT>'


def _values(filled: events.Filled) -> str:
    return listed(map(verbalise.value, filled.values), 3, of=filled.count)


def _listed(values: Sequence[Value], most: int) -> str:
    return listed(map(verbalise.value, values), most)


# -- the panel -------------------------------------------------------------------------------


def draw(run: Run, shown: Sequence[Record]) -> None:
    view = course_of(shown)
    if not view.told and not view.rules:
        if any(isinstance(r.event, events.Proposed) for r in shown):
            st.caption(
                "This asks for more than one fact. What an answer needs was drafted, and the graph "
                "corrected the draft (PG&AKV’s way)."
            )
            corrections.draw(run, shown)
            return
        over = bool(shown) and shown[-1].event.terminal
        st.caption(
            "No plan: nothing in the question was found to look around."
            if over
            else "The plan appears here as it is made."
        )
        return
    if view.choice:
        axioms.draw(run, shown)
        return
    if view.template:
        st.markdown(
            f":green-badge[:material/history: Solved before] {escape(in_words(view.template))}"
        )
    st.graphviz_chart(diagram(view, st.context.theme.type == "dark"), width="content")
    hidden = len(view.told) - len(view.behind() & set(view.told))
    if hidden > 0 and len(view.told) > _MOST:
        st.caption(f"{counted(hidden, 'further step')} led nowhere.")
    st.caption(_calls(view))
    _learn(run, shown)
    for name, step in view.told.items():
        _card(run, name, step, view)
    for rule in view.rules.values():
        _rule(run, rule)


def _learn(run: Run, shown: Sequence[Record]) -> None:
    """Keeps the way to the answer as a template of the graph, or takes it back."""
    settings = session.settings()
    template = learning.learned_from(run.header.question, [r.event for r in shown])
    if template is None or settings.hosted:  # what one visitor keeps would answer all others
        return
    graph = session.graph(fork.graph_of(run.header)).name
    kept = learning.kept_for(graph, settings).exact(template.text) is not None
    key = f"compass:{run.header.id}:learn"
    if kept:
        st.button(
            "Forget this way",
            key=key,
            icon=":material/undo:",
            type="tertiary",
            on_click=learning.forget,
            args=(template.text, graph, settings),
        )
    else:
        st.button(
            "Remember this way",
            key=key,
            icon=":material/bookmark_add:",
            help=f"“{escape(in_words(template.text))}”: the next such question asks no model",
            type="tertiary",
            on_click=learning.keep,
            args=(template, graph, settings),
        )


def _calls(view: CourseView) -> str:
    spared = enumerated(view.spared)
    if view.by_reader:
        return "The built-in reader planned it, a step at a time: no model was called."
    if not view.calls:
        return "No model was called."
    made = counted(view.calls, "model call")
    return f"{made}; none for {spared}." if spared else f"{made}."


def _card(run: Run, name: str, step: StepView, view: CourseView) -> None:
    run_id = run.header.id
    with st.container(border=True, key=f"compass:{run_id}:{name}", gap="xxsmall"):
        mended = " :orange-badge[repaired]" if step.mended else ""
        said = escape(view.in_words(step.node.text))
        st.markdown(f"{_MARKS[step.state]} **{view.numbers[name]}.** {said}{mended}")
        notes = []
        if step.bound is not None and step.bound.how != "id":
            notes.append(escape(step.bound.line))
        if step.filled is not None:
            notes.append(f"= {escape(_values(step.filled) or step.filled.why or 'nothing')}")
        for belief in step.beliefs:
            colour = {"kept": "green", "replaced": "red"}.get(belief.outcome, "gray")
            said = escape(belief.text)
            said = said if belief.outcome == "kept" else f"~~{said}~~"
            now = escape(_listed(belief.found, 2)) if belief.outcome == "replaced" else ""
            then = f" → **{now}**" if now else ""
            by = "; ".join(escape(verbalise.statement(s)) for s in belief.because[-1:])
            notes.append(f":{colour}[believed] {said}{then}{f' :gray[by {by}]' if by else ''}")
        for note in notes:
            st.markdown(f":small[{note}]")
        if run.status != "running" and step.filled is not None:
            _change(run, name, step)


def _change(run: Run, name: str, step: StepView) -> None:
    """Another relation or belief for a step; the run goes on from there."""
    key = f"compass:{run.header.id}:{name}"
    with st.popover("Change", type="tertiary", icon=":material/alt_route:", key=f"{key}:open"):
        relation = st.selectbox(
            "Relation", step.relations, index=None, key=f"{key}:relation", accept_new_options=True
        )
        belief = st.text_input("Belief", key=f"{key}:belief", help="several: separated by |")
        params: dict[str, Any] = {}
        if relation:
            params["bound"] = {**run.header.params.get("bound", {}), name: relation}
        if belief.strip():
            params["beliefs"] = {**run.header.params.get("beliefs", {}), name: belief.strip()}
        st.button(
            "Go on from here",
            key=f"{key}:go",
            icon=":material/fork_right:",
            disabled=not params,
            on_click=fork.fork,
            args=(run, Edits(at=step.at, params=params)),
        )
        if step.beliefs:
            none = {**run.header.params.get("beliefs", {}), name: ""}
            st.button(
                "Go on without the belief",
                key=f"{key}:doubt",
                icon=":material/fork_right:",
                on_click=fork.fork,
                args=(run, Edits(at=step.at, params={"beliefs": none})),
            )


def _rule(run: Run, rule: RuleView) -> None:
    run_id, axiom = run.header.id, rule.axiom
    with st.container(border=True, key=f"compass:{run_id}:rule:{axiom.branch}", gap="xxsmall"):
        st.markdown(f":material/balance: {escape(axiom.text)}")
        for judgement in rule.judged.judgements if rule.judged else ():
            colour = {"satisfied": "green", "violated": "red"}.get(judgement.state, "orange")
            said = judgement.why if judgement.why != judgement.premise.text else ""
            why = f" :gray[{escape(said)}]" if said else ""
            st.markdown(
                f":small[:{colour}[{judgement.state}] {escape(judgement.premise.text)}{why}]"
            )
        if rule.verdict is not None and rule.verdict.believed:
            st.markdown(f":small[:gray[guessed {escape(rule.verdict.believed)}: not counted]]")
        if run.status == "running":
            return
        rejected = "|".join(filter(None, (run.header.params.get("rejected", ""), axiom.text)))
        with st.container(horizontal=True, gap="small"):
            st.button(
                "Go on without this rule",
                key=f"compass:{run_id}:reject:{axiom.branch}",
                icon=":material/fork_right:",
                type="tertiary",
                on_click=fork.fork,
                args=(run, Edits(at=rule.at, params={"rejected": rejected})),
            )
            if rule.asked is not None:
                reply = _reply_of(rule.asked)
                axioms.rewrite(
                    run, axiom, rule.asked, lambda said: _restated(reply, axiom, said), "Rule"
                )
