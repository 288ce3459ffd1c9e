"""A plan: a few steps in the algebra of `walk`, with what the model believes each of them gives."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import ClassVar, Self, get_args
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field, field_validator, model_validator

from kgqa_core.ask.skill import Form, Varied
from kgqa_core.facts import compute
from kgqa_core.facts.terms import Direction
from kgqa_core.methods.r3.skills import Axiom
from kgqa_core.methods.walk import Action, End, Test

_HANDLE = re.compile(r"[ns][1-9]\d?")  # a start or a step
_BETWEEN = re.compile(r"(?:[\s|,;&\[\]]|\band\b)+")
_NOW = frozenset(("today", "current", "currently", "present", "the present"))
Expected = OneOf["", "things", "number", "date", "yes or no", "prose"]
MOST_AXIOMS = 3


_STEP = ("do", "id", "of")


class PlanStep(Varied):
    """One operation on sets. Fields that it does not use stay empty."""

    said_by: ClassVar[str] = "do"
    forms: ClassVar[tuple[Form, ...]] = (
        Form("find", ("do", "id", "mention")),
        Form(
            "follow",
            (*_STEP, "relation", "direction", "believed"),
            ("value", "at", "qualifier", "apart_from"),
        ),
        Form("keep", (*_STEP, "relation", "direction", "test", "value"), ("qualifier", "with_set")),
        Form(
            "rank",
            (*_STEP, "relation", "order"),
            (
                *("position", "per", "less", "direction"),
                *("qualifier", "value", "with_set", "believed"),
            ),
        ),
        Form("group", (*_STEP, "relation", "order"), ("direction", "position", "value")),
        Form(
            "compute",
            (*_STEP, "operation"),
            ("with_set", "value", "relation", "per", "less", "direction", "at", "believed"),
        ),
    )
    id: str = Field(description="s1, s2, …")
    do: OneOf["find", "follow", "keep", "rank", "group", "compute"]
    of: str = Field(
        "",
        description="the set it works on: a start or an earlier step; several as n1|s2",
    )
    relation: str = Field(
        "",
        description="compute: its values of each set, in place of the sets. keep: none, and the "
        "members themselves are tested",
    )
    per: str = Field(
        "",
        description="rank, compute: a second one, which divides the first: population per area",
    )
    less: str = Field(
        "",
        description="rank, compute: one taken off: date of death less date of birth, in days, or "
        "in years with years_between",
    )
    direction: Direction = Field("out", description="out: set → value; in: value → set")
    value: str = Field(
        "",
        description="keep: what is tested against, by name or id. follow: only statements with it. "
        "compute: a number or date in place of a second set. group: the fewest that share one",
    )
    test: Test = Field("is", description="keep")
    at: str = Field(
        "",
        description="follow, compute: only what held then: YYYY, YYYY-MM-DD, a step for its time, "
        "or now where what was is among the values; what began: from, before or after YYYY",
    )
    qualifier: str = Field(
        "",
        description="follow: this detail's values (start time, point in time, replaced by, number "
        "of …), not the far end. keep, rank: by it, of what led to the members, also duration",
    )
    order: End = Field(
        "highest",
        description="rank, group. highest: or latest, youngest; lowest: or earliest, oldest; most, "
        "fewest: by how many values there are; nearest: to the value. Without a relation: by the "
        "time, or the qualifier, of what led there",
    )
    position: int = Field(1, description="rank: 2 the second, …")
    operation: OneOf[compute.Operation, ""] = Field(
        "",
        description="compute. count, sum, average, highest, lowest; union, intersection, minus; "
        "same: whether both sets share any; any, none: whether there is one, as after follow with "
        "a value; more, fewer, equal: of numbers; earlier, later: of dates; difference, quotient, "
        "product; years_between, days_between, years_later, year_of",
    )
    with_set: str = Field(
        "",
        description="compute: the second set. keep: one that is tested against. rank: a number "
        "computed for each of the sets, in their order: s3|s4",
    )
    mention: str = Field("", description="find: a name that is not among the starts")
    apart_from: str = Field("", description="follow: a set that does not count among the values")
    believed: list[str] = Field([], description="values that you believe it gives")

    @model_validator(mode="after")
    def _as_meant(self) -> PlanStep:
        """What stands in the field beside the one it belongs to is taken for what it says."""
        self.of = "|".join(_names(self.of))
        if self.do == "keep" and not self.with_set and _HANDLE.fullmatch(self.value.strip()):
            self.with_set, self.value = self.value.strip(), ""
        if self.do == "find" and not self.mention:
            self.mention = self.value
        if self.do == "compute" and self.operation:
            self._of_two()
        if self.at.strip().casefold() in _NOW:
            self.at = "now"
        return self

    def _of_two(self) -> None:
        """“any of both” is whether they share one; two sets in one field are two sets."""
        if self.operation == "any" and self.with_set:
            self.operation = "same"
        sets = _names(self.of)
        pair = compute.ARITY[self.operation] == 2 if self.operation else False
        if pair and len(sets) == 2 and not (self.with_set or self.value):
            self.of, self.with_set = sets

    def on(self, starts: Mapping[str, str]) -> PlanStep:
        """What names a start by what it is called, in small letters, names it by its handle."""
        fields = ("of", "with_set", "apart_from")
        return self.model_copy(
            update={
                field: "|".join(starts.get(n.casefold(), n) for n in _names(getattr(self, field)))
                for field in fields
            }
        )

    @property
    def needs(self) -> tuple[str, ...]:
        """The sets that have to be there before it."""
        timed = [part for part in self.at.split() if _HANDLE.fullmatch(part)]
        return tuple(dict.fromkeys((*self.inputs, *self.apart, *timed)))

    @property
    def inputs(self) -> tuple[str, ...]:
        """The sets it works on."""
        return tuple(dict.fromkeys((*_names(self.of), *_names(self.with_set))))

    @property
    def apart(self) -> list[str]:
        return _names(self.apart_from)

    @property
    def is_of_themselves(self) -> bool:
        """Whether it works on what the members are, and not on a relation or detail of theirs."""
        return not (self.relation or self.qualifier or self.at)

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

    def told(self, relation: str | None = None, direction: Direction | None = None) -> Action:
        """The same as a prompt shows it: the set is called as the step is."""
        return self.action(relation, direction).model_copy(update={"thought": ""})


def _names(field: str) -> list[str]:
    """The sets that a field names, whatever stands between them."""
    handles = [part for part in _BETWEEN.split(field) if part]
    if handles and all(map(_HANDLE.fullmatch, handles)):
        return handles
    return [part for part in map(str.strip, field.split("|")) if part]


_SHARED = set(PlanStep.model_fields) & set(Action.model_fields)


class Plan(BaseModel):
    """A small graph of steps; `answer` is the one whose values answer."""

    model_config = ConfigDict(json_schema_extra={"seldom": ["certain", "reading", "reason"]})
    thought: str = Field("", description="in a sentence or two, how the question is answered")
    steps: list[PlanStep]
    answer: str = Field(
        "",
        description="the start or step that answers; empty: rules decide, or relations have to be "
        "seen",
    )
    expects: Expected = Field(
        "",
        description="things: whatever has a name, words, codes and symbols, too; date: or a year; "
        "prose: a text or several different things are asked for",
    )
    certain: bool = Field(True, description="false for a guess")
    reading: str = Field("", description="how the question was understood, if in doubt")
    reason: str = Field("", description="what the graph lacks, if no plan can answer")

    @field_validator("expects", mode="before")
    @classmethod
    def _known_kind(cls, kind: object) -> object:
        """What is no kind says nothing: it only guards the answer."""
        return kind if kind in get_args(Expected) else ""

    @model_validator(mode="after")
    def _can_be_done(self) -> Plan:
        ids = [step.id for step in self.steps]
        if twice := next((i for i in ids if ids.count(i) > 1), ""):
            raise ValueError(f"two steps have the id {twice}")
        return self

    def on(self, starts: Mapping[str, str]) -> Self:
        """Its sets by their handles, as `PlanStep.on` has it."""
        told = {"steps": [step.on(starts) for step in self.steps]}
        return self.model_copy(
            update=told | {"answer": starts.get(self.answer.casefold(), self.answer)}
        )

    def patched(self, by: Plan) -> Plan:
        """The plan after a repair: steps replaced by id, new ones behind, the rest as it says."""
        new = {step.id: step for step in by.steps}
        steps = [new.pop(step.id, step) for step in self.steps]
        return by.model_copy(update={"steps": in_order([*steps, *new.values()])})


class PlannedAxiom(Axiom):
    """A rule as R3 states it, without what only R3 asks for."""

    model_config = ConfigDict(from_attributes=True)


class ReasonedPlan(Plan):
    """With general rules, where the question takes common sense."""

    model_config = ConfigDict(
        json_schema_extra={"seldom": ["expects", "certain", "reading", "reason"]}
    )
    expects: Expected = Field("", description="yes or no, if asked")
    axioms: list[PlannedAxiom] = Field(
        [],
        description=f"at most {MOST_AXIOMS} rules that would decide it, the best first",
        json_schema_extra={"omit": ["given", "closed", "only", "qualifier", "kind"]},
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
