"""A plan: a few steps in the algebra of `walk`, with what the model believes each of them gives."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal as OneOf

from pydantic import BaseModel, Field, model_validator

from kgqa_core.facts import compute
from kgqa_core.facts.terms import Direction
from kgqa_core.methods.r3.skills import StatedAxiom
from kgqa_core.methods.walk import Action, End, Test

Expected = OneOf["", "things", "number", "date", "yes or no", "text"]
MOST_AXIOMS = 3


class PlanStep(BaseModel):
    """One operation on sets. Fields that it does not use stay empty."""

    id: str = Field(description="s1, s2, …")
    do: OneOf["find", "follow", "keep", "rank", "group", "compute"]
    of: str = Field(
        "",
        description="the set it works on: a start such as n1, or an earlier step; several with | "
        "between",
    )
    relation: str = Field(
        "",
        description="follow, keep, rank, group: the id of a relation listed there, or what it "
        "would be called. compute: this relation's values of each set, in place of the sets",
    )
    direction: Direction = Field("out", description="out: set → value; in: value → set")
    value: str = Field(
        "",
        description="keep: what the relation's value is tested against. follow: only statements "
        "with this value. compute: a number or date in place of a second set. group: the fewest "
        "members that share one",
    )
    test: Test = Field("is", description="keep: how it is tested")
    at: str = Field("", description="follow: only what held then: YYYY, YYYY-MM-DD or now")
    qualifier: str = Field("", description="follow: this qualifier's values, not the far end")
    order: End = Field("highest", description="rank, group: which end; nearest: to the value")
    position: int = Field(1, description="rank: 1 the most extreme, 2 the second, …")
    operation: OneOf[compute.Operation, ""] = Field("", description="compute: what")
    with_set: str = Field("", description="compute: the second set")
    mention: str = Field("", description="find: a name that is not among the starts")
    apart_from: str = Field("", description="follow: a set that does not count among the values")
    believed: list[str] = Field(
        [], description="values you believe it gives: they are checked, and never count"
    )

    @property
    def needs(self) -> tuple[str, ...]:
        """The sets it works on."""
        names = (self.of, self.with_set, self.apart_from)
        parts = (part.strip() for name in names for part in name.split("|"))
        return tuple(dict.fromkeys(part for part in parts if part))

    @property
    def is_hop(self) -> bool:
        """Whether it goes along one relation, and no more."""
        return self.do == "follow" and not (self.at or self.value or self.qualifier)

    def action(self, relation: str | None = None, direction: Direction | None = None) -> Action:
        """The step as `walk` takes it; along the relation it was bound to."""
        shared = self.model_dump(include=_SHARED)
        if relation is not None:
            shared["relation"] = relation
        if direction is not None:
            shared["direction"] = direction
        return Action(thought=f"{self.id} of the plan", tool=self.do, **shared)


_SHARED = set(PlanStep.model_fields) & set(Action.model_fields)


class Plan(BaseModel):
    """A small graph of steps; `answer` is the one whose values answer."""

    thought: str = Field(
        "", description="first: in a sentence or two, how the question is answered"
    )
    steps: list[PlanStep]
    answer: str = Field(
        "",
        description="the start or step that is the answer; empty: its relations have to be seen "
        "before the plan can go on, or rules decide",
    )
    expects: Expected = Field("", description="what kind of answer; text: one in sentences")
    certain: bool = Field(True, description="false when a part of it is a guess")
    reading: str = Field("", description="how the question was understood, where that is in doubt")
    reason: str = Field("", description="when no plan can answer: what the graph lacks")

    @model_validator(mode="after")
    def _can_be_done(self) -> Plan:
        ids = [step.id for step in self.steps]
        if twice := next((i for i in ids if ids.count(i) > 1), ""):
            raise ValueError(f"two steps have the id {twice}")
        return self

    def patched(self, by: Plan) -> Plan:
        """The plan after a repair: steps replaced by id, new ones behind, the rest as it says."""
        new = {step.id: step for step in by.steps}
        steps = [new.pop(step.id, step) for step in self.steps]
        return by.model_copy(update={"steps": in_order([*steps, *new.values()])})


class ReasonedPlan(Plan):
    """With general rules, where the question takes common sense."""

    axioms: list[StatedAxiom] = Field(
        [], description=f"at most {MOST_AXIOMS} rules that would decide it, the best first"
    )


def in_order(steps: Sequence[PlanStep]) -> list[PlanStep]:
    """Every step behind those it needs; one that waits for itself stays where it is."""
    left, done = list(steps), set[str]()
    ordered: list[PlanStep] = []
    while left:
        names = {step.id for step in left}
        ready = next((s for s in left if not set(s.needs) & (names - done)), left[0])
        left.remove(ready)
        done.add(ready.id)
        ordered.append(ready)
    return ordered


def depends(steps: Sequence[PlanStep], changed: set[str]) -> set[str]:
    """The ids that changed, and those of all steps that rest on them."""
    found = set(changed)
    for step in steps:
        if found & set(step.needs):
            found.add(step.id)
    return found
