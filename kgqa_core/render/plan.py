"""Compass's course as a picture: a pure fold over any prefix of a run, and the cards of it.

Steps are grey as planned, blue once bound, green when they have values, amber where there are none,
red where they failed or a repair made them; each belief and premise has its verdict and the fact
that decided it. The cards are plain text: `assets/browser/plan.js` draws them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any
from typing import Literal as OneOf

from kgqa_core.ask import events
from kgqa_core.ask.events import Anchored, Record
from kgqa_core.facts import verbalise
from kgqa_core.facts.premises import Judgement
from kgqa_core.facts.terms import Entity, Statement, short_id
from kgqa_core.methods.pgakv.skills import ANSWER as TELL
from kgqa_core.text import counted, enumerated, listed, shortened

State = OneOf["planned", "bound", "done", "empty", "failed"]
Card = dict[str, Any]

_HANDLE = re.compile(r"\b[ns][1-9]\d?\b")  # of a start or a step
_SEVERAL = re.compile(r"(?<=\d)\|(?=[ns]\d)")
MOST = 9  # steps drawn; of more, those the answer rests on
_TEXT, _LONG = 80, 200  # characters of a value or a title; of a rule, a premise or a fact
_VALUES, _BELIEVED, _FACTS = 4, 3, 2  # of a step; beliefs of a step; facts of a verdict
_HOW: dict[events.How, str] = {
    "alias": "another name of it",
    "likeness": "by likeness",
    "turned": "read from its other end",
    "path": "the way was found by the belief",
}
_NOTES = {"dropped": "no fact says so", "taken": "taken for right, no fact says so"}


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
    uncounted: str = ""  # what was believed, where there is no answer

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
            return values_of(found) if found else name

        return _HANDLE.sub(called, _SEVERAL.sub(" and ", text))

    @property
    def spared(self) -> list[str]:
        """What a walk that asks the model at each turn would have asked, and this did not."""
        parts = ["finding the names"] if self.names else []
        done = sum(s.state in ("done", "empty") and not s.mended for s in self.steps.values())
        parts += [f"choosing {counted(done, 'step')}"] if done else []
        decided = [
            j for r in self.rules.values() if r.judged for j in r.judged.judgements
            if j.by == "graph" and j.state != "open"
        ]  # fmt: skip
        parts += [f"judging {counted(len(decided), 'premise')}"] if decided else []
        return parts + (["wording the answer"] if self.worded else [])

    @property
    def made(self) -> str:
        """The calls of a model that there were."""
        if self.by_reader:
            return "No model call: the built-in reader planned it"
        return counted(self.calls, "model call") if self.calls else "No model call"

    def may_return(self, name: str) -> bool:
        """Whether a step could lead back to its start, which a template leaves out anyhow."""
        bound = {k: s.bound.relation.id for k, s in self.steps.items() if s.bound is not None}
        others = [relation for step, relation in bound.items() if step != name]
        return not self.template or name not in bound or bound[name] in others

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
                view.worded = view.worded and record.event.skill != TELL.name
            case events.Linked(mentions=mentions):
                view.names = view.names or bool(mentions)
            case events.Recalled(template=template):
                view.template = template
            case events.Planned() as e:
                view.template = view.template if e.by == "template" else ""
                _take_up(view, e)
            case events.Noted(level="belief", text=text):
                view.uncounted = text
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
    return next((r for r in reversed(replied) if _says(reply_of(r), axiom)), None)


def reply_of(record: Record) -> dict[str, Any]:
    """What a model said, field by field."""
    event = record.event
    return (event.parsed or {}) if isinstance(event, events.Asked) else {}


def _says(reply: dict[str, Any], axiom: events.Axiom) -> bool:
    """Whether it states a rule: alone, as R3 asks for it, or among others."""
    return any(one.get("rule") == axiom.text for one in (reply, *reply.get("axioms", ())))


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


def picture(view: CourseView) -> Card:
    """Rows of cards from the names down to the answer, and the calls of a model."""
    behind = view.behind()
    shown = {k: s for k, s in view.told.items() if k in behind or len(view.told) <= MOST}
    needed = {name for step in shown.values() for name in step.node.needs} | {view.answer}
    starts = [_start(node) for name, node in view.starts.items() if name in needed]
    ranks: dict[str, int] = {}
    rows: list[list[Card]] = [starts] if starts else []
    for name, step in shown.items():
        ranks[name] = 1 + max((ranks.get(need, 0) for need in step.node.needs), default=0)
        while len(rows) < ranks[name] + bool(starts):
            rows.append([])
        rows[ranks[name] - (not starts)].append(_step(name, view, name not in behind))
    rows += [[_rule(number, rule)] for number, rule in view.rules.items()]
    if view.uncounted:
        ends = [name for name in shown if not any(name in s.node.needs for s in shown.values())]
        end = {"id": "end", "kind": "end", "state": "planned", "needs": ends}
        rows.append([{**end, "title": "No answer", "why": view.uncounted}])
    return {
        "rows": [row for row in rows if row],
        "calls": view.calls,
        "made": view.made,
        "spared": view.spared if not view.by_reader else [],
    }


def _start(node: events.PlanNode) -> Card:
    title = _clean(node.text, _TEXT)
    return {"id": node.id, "kind": "start", "state": "", "needs": [], "title": title}


def _step(name: str, view: CourseView, aside: bool) -> Card:
    step, bound = view.steps[name], view.steps[name].bound
    filled = step.filled
    known = filled.values[:_VALUES] if filled is not None else ()
    others = step.beliefs[_BELIEVED:]
    apart = [view.starts[n].text for n in step.node.apart if n in view.starts]
    said = ""
    if bound is not None and bound.how in _HOW and bound.asked:
        by_id = bound.asked == short_id(bound.relation.id)
        said = f"{'' if by_id else f'“{_clean(bound.asked, _TEXT)}”: '}{_HOW[bound.how]}"
    nothing = ""
    if filled is not None and not known:
        nothing = view.in_words(filled.why) or "nothing was found"
    return {
        "id": name,
        "kind": "step",
        "state": step.state,
        "needs": list(step.node.needs),
        "number": str(view.numbers[name]),
        "title": _clean(view.in_words(called(step)), _TEXT),
        "said": said,
        "apart": f"but not {_clean(enumerated(apart), _TEXT)}"
        if apart and view.may_return(name)
        else "",
        "values": [_clean(verbalise.value(value), _TEXT) for value in known],
        "more": filled.count - len(known) if filled is not None and known else 0,
        "why": _clean(nothing, _LONG),
        "beliefs": [_belief(one) for one in step.beliefs[:_BELIEVED]],
        "believed": counted(len(others), "more belief") if others else "",
        "mended": step.mended,
        "answer": name == view.answer,
        "aside": aside,
    }


def without_plan(records: Sequence[Record]) -> str:
    """What happened in a run that has ended without a step or a rule."""
    last = records[-1].event
    anchored = [e for r in records if isinstance(e := r.event, Anchored)]
    named = [e for e in anchored if e.named] or anchored
    found = enumerated(list(dict.fromkeys(e.entity.name for e in named)))
    if isinstance(last, events.Answered):
        cited = [s.subject.name for s in last.answer.citations if isinstance(s, Statement)]
        of = f" of {enumerated(list(dict.fromkeys(cited)))}" if cited else ""
        return f"No plan was needed: what the graph says{of} in words is the answer."
    if not isinstance(last, events.Abstained):
        return "The run ended before there was a plan."
    if found:
        return f"No plan was made: {found} could be found, but no way from there to an answer."
    return "No plan was made: nothing that the question names was found to set out from."


def called(step: StepView) -> str:
    """What the step does, by the relation it was bound to: the plan's, or one put in by hand."""
    bound = step.bound
    by_hand = step.node.plain and bound is not None and bound.asked not in step.node.text
    if bound is None or bound.how == "id" or (bound.how == "name" and not by_hand):
        return step.node.text
    names = " ".join(bound.path) if len(bound.path) > 1 else bound.relation.name
    if step.node.plain:
        return f"← {names}" if bound.direction == "in" else names
    return step.node.text.replace(bound.asked, names) if bound.asked else step.node.text


def _belief(belief: events.Believed) -> Card:
    now = ""
    if belief.outcome == "replaced":
        now = _clean(listed(map(verbalise.value, belief.found), 2), _TEXT)
    return {
        "outcome": belief.outcome,
        "text": _clean(belief.text, _TEXT),
        "now": now,
        "note": _NOTES.get(belief.outcome, ""),
        "facts": _facts(belief.because[-1:]),
    }


def _rule(number: int, rule: RuleView) -> Card:
    verdict = rule.verdict.verdict if rule.verdict else ""
    told = {"true": "Yes", "false": "No"}.get(verdict, "")
    guess = rule.verdict.believed if rule.verdict else ""
    judged = rule.judged.judgements if rule.judged else ()
    return {
        "id": f"r{number}",
        "kind": "rule",
        "state": {"true": "done", "false": "failed"}.get(verdict, "bound"),
        "needs": [],
        "title": _clean(rule.axiom.text, _LONG),
        "premises": [
            {
                "state": judgement.state,
                "text": _clean(judgement.premise.text, _LONG),
                "why": _why(judgement),
                "facts": _facts(_of_each(judgement.because)),
            }
            for judgement in judged
        ]
        or [
            {"state": "open", "text": _clean(premise.text, _LONG), "why": "", "facts": []}
            for premise in rule.axiom.premises
        ],
        "guess": f"guessed {_clean(guess, _TEXT)}: not counted" if guess else "",
        "verdict": told,
        "answer": bool(told),
    }


def _why(judgement: Judgement) -> str:
    """What was reckoned or judged, where the premise does not say it itself."""
    said = judgement.why if judgement.why != judgement.premise.text else ""
    return _clean(said, _LONG)


def _facts(facts: Sequence[Statement]) -> list[str]:
    """The first of them, and how many are left."""
    left = len(facts) - _FACTS
    more = [f"and {counted(left, 'more fact')}"] if left > 0 else []
    return [*(_clean(verbalise.statement(fact), _LONG) for fact in facts[:_FACTS]), *more]


def _of_each(facts: Sequence[Statement]) -> list[Statement]:
    """The first fact about each thing, then the others."""
    first: dict[Entity, Statement] = {}
    for fact in facts:
        first.setdefault(fact.subject, fact)
    return list(dict.fromkeys((*first.values(), *facts)))


def _clean(text: str, most: int) -> str:
    shown = "".join(c for c in " ".join(text.split()) if c.isprintable())
    return shortened(shown, most)


def values_of(filled: events.Filled) -> str:
    return listed(map(verbalise.value, filled.values), 3, of=filled.count)
