"""A model that plans in one go: what Compass is measured with where no model is at hand.

It plans what the built-in reader's own run on the graph came to, step by step, and believes what
the graph gave: a plan as good as the reader, in one call. Repairs judge premises like the reader,
and write the plan again. What it cannot plan it says it cannot.

One that is `vague` plans blindly, as if no relation were listed: it calls each by the longest word
of its name, so that a date and a place of birth are both a birth; or, if it `sees` lists, so only
what its prompt names nowhere. Of its beliefs only the share that it `knows` is right. Repairs,
which list what is there, name relations as they are.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask import events, shown
from kgqa_core.ask.run import Budget, Toolkit, run
from kgqa_core.ask.skill import Skill
from kgqa_core.facts import verbalise
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.compass.plan import Plan, PlannedAxiom, PlanStep
from kgqa_core.methods.compass.skills import (
    LOOK,
    PLAN,
    PLAN_RULES,
    REPAIR,
    REPAIR_RULES,
    Look,
    ReasonedRepair,
    ToPlan,
    ToRepair,
)
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index

SKILLS = frozenset(skill.name for skill in (PLAN, PLAN_RULES, REPAIR, REPAIR_RULES))

_BUDGET = Budget(llm_calls=500, seconds=600)
_BELIEVED = 3  # values of a step


@dataclass
class _Heard:
    """The reader, and what it said of plans."""

    reader: Offline
    said: list[Plan] = field(default_factory=list)
    mentions: dict[str, str] = field(default_factory=dict)  # of starts, by their names
    name: str = "built-in reader"

    def ask(self, skill: Any, given: Any, **more: Any) -> Any:
        future = self.reader.ask(skill, given, **more)
        if skill.name in SKILLS:
            self.said.append(future.result().value)
            self.mentions = {start.name: start.mention for start in given.starts}
        return future


class Planner:
    """Plans for the questions of a graph, each made once; `None` for skills that plan nothing."""

    def __init__(
        self,
        kg: KnowledgeGraph,
        encoder: Encoder | None = None,
        index: Index | None = None,
        *,
        vague: bool = False,
        sees: bool = False,
        knows: float = 1.0,
    ) -> None:
        self._kg, self._index = kg, index
        self._vague, self._sees, self._knows = vague, sees, knows
        self._reader = Offline(encoder)
        self._known: dict[str, ReasonedRepair] = {}

    def __call__(self, skill: Skill[Any], given: Any) -> BaseModel | None:
        if skill.name == LOOK.name and given.question in self._known:
            return Look(verdict="tell")  # what it planned, it has seen
        if skill.name not in SKILLS:
            return None
        if isinstance(given, ToRepair) and given.rules:  # judges, reads on, or states another
            found = self._reader.reader.handlers[skill.name](given)
        elif given.question in self._known:
            found = self._known[given.question]
        else:
            heard: Any = _Heard(self._reader)
            tools = Toolkit(self._kg, heard, index=self._index, budget=_BUDGET)
            found = _plan(given, tools, heard)
            self._known[given.question] = found
        if self._vague and not isinstance(given, ToRepair):
            found = self._blindly(found, given)
        return skill.reply.model_validate(found, from_attributes=True)

    def _blindly(self, plan: ReasonedRepair, given: ToPlan) -> ReasonedRepair:
        """The plan with vague words for relations, and with some beliefs that are wrong."""
        tools = Toolkit(self._kg, self._reader)  # type: ignore[arg-type]
        chance = Random(given.question)
        known = _named_by(given) if self._sees else set()

        def called(said: str) -> str:
            relation = tools.relation(said) if said else None
            return said if relation and relation.name in known else one_word(said, tools)

        return plan.model_copy(
            update={
                "steps": [
                    step.model_copy(
                        update={
                            "relation": called(step.relation),
                            "believed": step.believed
                            if chance.random() < self._knows
                            else ["somebody else"] * bool(step.believed),
                        }
                    )
                    for step in plan.steps
                ]
            }
        )

    @staticmethod
    def spoilt(plan: BaseModel, given: Any, chance: Random) -> BaseModel:
        """The plan with a mistake: another relation, the other direction, or a wrong belief."""
        if not isinstance(plan, Plan) or not (along := [s for s in plan.steps if s.relation]):
            return plan
        step = chance.choice(along)
        others = [use.relation.name for start in given.starts for use in start.relations]
        wrong = [
            {"relation": chance.choice(others or ["something else"])},
            {"direction": "in" if step.direction == "out" else "out"},
            {"believed": ["somebody else"]},
        ]
        other = step.model_copy(update=chance.choice(wrong))
        steps = [other if one is step else one for one in plan.steps]
        return plan.model_copy(update={"steps": steps})


def _named_by(given: ToPlan) -> set[str]:
    """The relations that a prompt names: of starts, behind them, and in worked examples."""
    printed = {
        use.relation.name
        for start in given.starts
        for use in start.relations[: sum(shown.printed(start.shown))]
    }
    behind = {use.relation.name for s in given.starts for g in s.behind for use in g.relations}
    return printed | behind | {name for one in given.examples for name in one.called.values()}


def one_word(said: str, tools: Toolkit) -> str:
    """The longest word of a relation's name, the first of several so long."""
    relation = tools.relation(said) if said else None
    return max((relation.name if relation else said).split(), key=len, default="")


def _plan(given: ToPlan, tools: Toolkit, heard: _Heard) -> ReasonedRepair:
    method = METHODS["compass"]
    task = "claim" if given.task == "claim" else "auto"
    params = method.params(templates=False, task=task)
    seen = [record.event for record in run(given.question, method.solve, tools, params)]
    whole, rules = Plan(steps=[]), {}
    for said in heard.said:
        whole = whole.patched(said)
        rules |= {axiom.rule: axiom for axiom in getattr(said, "axioms", [])}
    verdict = next((e for e in reversed(seen) if isinstance(e, events.Verdict)), None)
    stated = [e for e in seen if isinstance(e, events.Axiom)]
    if verdict is not None and verdict.verdict != "undetermined":
        rule = next(e for e in reversed(stated) if e.branch == verdict.branch)
        found = rules.get(rule.text) or PlannedAxiom(  # R3's own search may have stated it
            rule=rule.text,
            premises=list(rule.premises),
            connective=rule.connective,
            answer=rule.answer,
            guess=rule.guess,
            strict=False,
        )
        return ReasonedRepair(steps=[], axioms=[found])
    if whole.expects == "prose" and not whole.steps and given.starts:
        return _of_what_is_named(given)
    if not whole.answer:
        return ReasonedRepair(steps=[], reason=whole.reason or "The graph cannot answer this.")
    gave = {e.step: e for e in seen if isinstance(e, events.Filled)}
    needed = _behind(whole)
    made = {step.id for step in needed if step.do != "find"}
    steps = [
        _in_words(_believing(step, gave.get(step.id)), tools) if made & set(step.needs)
        else _believing(step, gave.get(step.id))
        for step in needed
    ]  # fmt: skip
    there = {start.name for start in given.starts}
    steps, found = _found_first(steps, {k: m for k, m in heard.mentions.items() if k not in there})
    return ReasonedRepair(
        thought=whole.thought,
        steps=steps,
        answer=found.get(whole.answer, whole.answer),
        certain=whole.certain,
        reading=whole.reading,
    )


def _of_what_is_named(given: ToPlan) -> ReasonedRepair:
    """A text is about the names in the question: the reader itself would draft it at once."""
    mentions = dict.fromkeys(start.mention for start in given.starts)
    whole = [m for m in mentions if not any(m != other and m in other for other in mentions)]
    named = [next(s.name for s in given.starts if s.mention == mention) for mention in whole]
    both = PlanStep(id="s1", do="compute", operation="union", of=named[0], with_set=named[-1])
    steps = [both] if len(named) > 1 else []
    return ReasonedRepair(steps=steps, answer="s1" if steps else named[0], expects="prose")


def _believing(step: PlanStep, filled: events.Filled | None) -> PlanStep:
    values = filled.values[:_BELIEVED] if filled is not None and step.do != "find" else ()
    return step.model_copy(update={"believed": [verbalise.value(v) for v in values]})


def _found_first(
    steps: list[PlanStep], late: dict[str, str]
) -> tuple[list[PlanStep], dict[str, str]]:
    """Names that the reader looked up on its way are found by a step before those that need them.

    `late`: what they mention; also which step stands for each.
    """
    needed = [name for name in late if any(name in step.needs for step in steps)]
    ids = {name: f"f{n}" for n, name in enumerate(needed, 1)}
    finds = [PlanStep(id=ids[name], do="find", mention=late[name]) for name in needed]

    def renamed(text: str) -> str:
        return "|".join(ids.get(part.strip(), part.strip()) for part in text.split("|"))

    links = ("of", "with_set", "apart_from")
    rest = [s.model_copy(update={f: renamed(getattr(s, f)) for f in links}) for s in steps]
    return [*finds, *rest], ids


def _in_words(step: PlanStep, tools: Toolkit) -> PlanStep:
    """The relation by its name: of a set that is not there yet nobody has seen the ids."""
    relation = tools.relation(step.relation) if step.relation else None
    return step.model_copy(update={"relation": relation.name}) if relation else step


def _behind(plan: Plan) -> list[PlanStep]:
    """The steps that the answer rests on."""
    by_id = {step.id: step for step in plan.steps}
    todo, needed = [plan.answer], set[str]()
    while todo:
        here = todo.pop()
        if here in by_id and here not in needed:
            needed.add(here)
            todo += by_id[here].needs
    return [step for step in plan.steps if step.id in needed]
