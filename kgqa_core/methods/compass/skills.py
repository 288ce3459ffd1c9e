"""What Compass asks of a model: a plan, at most twice a repair of it; or a choice, in one reply."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import BaseModel, Field

from kgqa_core.ask import shown
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.facts.premises import State
from kgqa_core.facts.terms import Hit, RelationUse, Statement
from kgqa_core.methods.compass.plan import Plan, PlanStep, ReasonedPlan
from kgqa_core.methods.r3.skills import OPTION, PremiseVerdict, Task, Unsettled
from kgqa_core.methods.react import SetView

_PLANNED_BY = 500  # tokens of the facts that a prompt for a plan holds


class Start(BaseModel):
    """An entity that a name of the question may mean; `shown` of its relations are printed."""

    name: str
    mention: str
    candidate: Hit
    relations: list[RelationUse] = []
    shown: int = 8


class Worked(BaseModel):
    """A question like this one, and steps that answer it; `score` 1: the same wording."""

    question: str
    score: float
    steps: list[dict[str, Any]]

    @property
    def plan(self) -> list[PlanStep]:
        return [PlanStep.model_validate(step) for step in self.steps]


class Standing(BaseModel):
    """A rule and how its premises stand. `depth`: names whose facts were read for it."""

    rule: str
    premises: list[str] = []
    lacking: list[str] = []
    depth: int = 0
    over: bool = False


class ToPlan(BaseModel):
    """`unknown`: names that were looked up, and that the graph does not have.

    `given`: the starts came with the question, and there are no others.
    """

    question: str
    task: Task = "question"
    starts: list[Start]
    unknown: list[str] = []
    examples: list[Worked] = []
    facts: list[Statement] = []
    given: bool = False

    def printed(self) -> dict[str, list[Statement]]:
        """A prompt holds the beginning of the facts: more are read as the plan is carried out."""
        return {"facts": self.facts[: shown.fitting(self.facts, _PLANNED_BY)]}


class ToRepair(ToPlan):
    """`sets`: the steps that were carried out, each with the relations that are there.

    `worded`: premises that have to be judged by the facts, `judged` whether they were by these;
    `near`: so many of the first facts are those that bear on the last rule.
    """

    sets: list[SetView] = []
    problems: list[str] = []
    rules: list[Standing] = []
    worded: list[Unsettled] = []
    judged: bool = False
    near: int = 0
    read: list[str] = []

    def printed(self) -> dict[str, list[Statement]]:
        """All facts are there to be cited."""
        return {}


class Repair(Plan):
    """Steps that replace those of the same id, and new ones."""


class ReasonedRepair(ReasonedPlan):
    verdicts: list[PremiseVerdict] = Field(
        [], description="one for each of `worded`, in their order, by the numbered facts"
    )
    more: str = Field("", description="a name whose facts would decide an open premise")


class ToChoose(BaseModel):
    question: str
    options: list[str]
    facts: list[Statement] = Field(description="of the person who chooses and of the options")
    user: str = Field("user", description="what the facts call the person who chooses")


class OptionVerdict(BaseModel):
    """How a premise stands for an option, by the facts that are cited."""

    option: Annotated[int, Listed("options")] = Field(description="position of the option")
    premise: int = Field(description="position of the premise, from 0")
    why: str = Field("", description="half a sentence: what the facts say to it")
    facts: Annotated[list[int], Listed("facts")] = Field(
        [], description="positions of the facts that decide it"
    )
    assumed: bool = Field(False, description="true when no fact says it, but everybody would")
    state: State = Field(description="satisfied, violated, or open where it is not decided")


class Choosing(BaseModel):
    thought: str = Field("", description="first: what is wanted, and what must not be")
    order: Annotated[list[int], Listed("options")] = Field(
        [], description="positions of all options, the one that suits the question best first"
    )
    rule: str = Field("", description="the rule that the choice follows, as one sentence")
    premises: list[str] = Field(
        [], description=f"what has to hold of an option, each a short clause about {OPTION}"
    )
    verdicts: list[OptionVerdict] = Field(
        [],
        description="for the options in that order one on each premise; behind the first option "
        "of which every premise is satisfied, no more",
    )


_STEPS = (
    "You plan how a question is answered from a knowledge graph, in one go. The starts are "
    "entities that its names may mean, each with relations that leave (→) and enter (←) it; where "
    "several bear one name, begin with the one that is meant. Write the steps: find looks up a "
    "further name; follow goes along one relation from all members of a set; keep leaves those "
    "whose relation passes a test, and with instance of those of narrower kinds, too; rank the "
    "one with the highest or lowest value of a relation, or of one per another; compute counts, "
    "sums, divides, compares or intersects sets and does date arithmetic. Call relations that you "
    "see by their id, others by what they would be called: what there is of them is found when the "
    "plan is carried out. A start whose list does not say that more are not shown has no other "
    "relations, identifiers and media apart. For each link take the one relation that says it, and "
    "where that leads to other kinds of things as well, keep the kind that is asked for. Where "
    "prose is asked for, the answer is what it is about. Write down what you believe each step "
    "gives. Beliefs point the way and never count: only facts of the graph do."
)
_RULES = (
    " What facts settle as it stands is planned in steps, to a comparison or any at the end. "
    "Where the question takes common sense, give no answer step: state general rules, known to "
    "everybody, that decide it, each with a premise or two that facts of the graph can show to "
    "hold or not. Common knowledge is part of the rule and needs no premise; names and relations "
    "in premises are as in the facts."
)
_REPAIR = (
    "A plan to answer a question from a knowledge graph was carried out as far as it went. `sets` "
    "are its steps with what they gave and the relations there, `problems` say what went wrong. "
    "Mend it: give steps anew by their id, or add further ones, and name the step that is the "
    "answer. Use relations that are listed. If the graph cannot answer, say in `reason` what it "
    "lacks."
)
_JUDGE = (
    " Judge the premises in `worded` by the numbered facts alone: what they do not decide is open. "
    "Name in `more` an entity whose facts would decide an open premise, or state another rule."
)

PLAN = Skill("plan", _STEPS, ToPlan, Plan)
PLAN_RULES = Skill("plan with rules", _STEPS + _RULES, ToPlan, ReasonedPlan)
REPAIR = Skill("repair plan", _REPAIR, ToRepair, Repair)
REPAIR_RULES = Skill("repair plan with rules", _REPAIR + _JUDGE, ToRepair, ReasonedRepair)

CHOOSE = Skill(
    "choose by a rule",
    "Choose among options for somebody. State one rule as premises about "
    f"{OPTION}: one for every single thing that the question wants, or that the person must not "
    "have or does not like. Then hold the options against them, the one that suits best first, by "
    "the numbered facts: rely on facts for whatever is particular, on common sense for what words "
    "mean and how kinds of things relate. A name or a description is a fact as well. What neither "
    "decides is open: never guess.",
    ToChoose,
    Choosing,
)
