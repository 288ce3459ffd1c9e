"""What Keqing asks of the model: sub-questions, a chain, a choice of candidates, a response."""

from __future__ import annotations

import re
from typing import Annotated, get_args
from typing import Literal as OneOf

from pydantic import BaseModel, Field, model_validator

from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import FactAnswer
from kgqa_core.facts.terms import RelationUse, Statement
from kgqa_core.methods.keqing.templates import MASK

Operation = OneOf[
    "", "union", "intersection", "minus", "count", "highest", "lowest", "more", "fewer", "same"
]
Order = OneOf["", "first", "last"]
OPERATIONS = tuple(name for name in get_args(Operation) if name)


class SubQuestion(BaseModel):
    id: int = Field(description="0, 1, 2, …")
    question: str = Field(
        "", description=f"a simple question with {MASK} for a name or an earlier answer"
    )
    dep: list[int] = Field([], description="ids of the sub-questions whose answers it needs")
    seeds: list[str] = Field([], description="names of the question that it starts from")
    operation: Operation = Field(
        "", description="a set operation on the answers of `dep`, in place of a question"
    )
    when: str = Field(
        "", description="only what held then: a year or a date, if the question says when"
    )
    kind: str = Field("", description="only answers of this kind, one noun, such as “river”")
    order: Order = Field("", description="only the first or last of the answers by date")


_GENERATED = re.compile(r"<GENERATED>-(\d+)")


class Decomposition(BaseModel):
    """Sub-questions in any order; what cannot be carried out is refused with the reason."""

    thought: str = Field("", description="what the question needs, one step after the other")
    parts: list[SubQuestion] = Field(description="empty when the question cannot be split so")
    left: str = Field("", description="what of the question no sub-question covers, if anything")

    @model_validator(mode="after")
    def _can_be_done(self) -> Decomposition:
        for part in self.parts:
            given = [(seed, _GENERATED.fullmatch(seed)) for seed in part.seeds]
            part.dep = [d for d in part.dep if d >= 0] + [int(m[1]) for _, m in given if m]
            part.dep = list(dict.fromkeys(part.dep))
            part.seeds = [seed for seed, m in given if not m and seed.strip()]
        known = [part.id for part in self.parts]
        if len(set(known)) < len(known):
            raise ValueError("two sub-questions have one id")
        for part in self.parts:
            if unknown := [d for d in part.dep if d not in known]:
                raise ValueError(f"sub-question {part.id} needs {unknown[0]}, which there is not")
            if not part.dep and not part.seeds:
                raise ValueError(f"nothing fills the {MASK} of sub-question {part.id}")
            if part.operation and not part.dep:
                raise ValueError(f"{part.operation} in {part.id} needs answers of others: `dep`")
            if not part.operation and MASK not in part.question:
                raise ValueError(f"sub-question {part.id} has no {MASK}")
        if self.parts and len(self.ordered()) < len(self.parts):
            raise ValueError("sub-questions need each other in a circle")
        return self

    def ordered(self) -> list[SubQuestion]:
        """Each after those that it needs."""
        done: dict[int, SubQuestion] = {}
        while ready := [p for p in self.parts if p.id not in done and {*p.dep} <= done.keys()]:
            done.update((part.id, part) for part in ready)
        return list(done.values())


class Worked(BaseModel):
    """A template like the question, with its sub-questions for the names in the question."""

    template: str
    parts: list[SubQuestion]
    chain: str = ""


class ToSplit(BaseModel):
    """`examples`: how templates of a similar wording would split this very question."""

    question: str
    examples: list[Worked]
    templates: list[str] = []


SPLIT = Skill(
    "split question",
    "Split the question into simple sub-questions that are answered one after the other. Each "
    f"has {MASK} in place of a name (`seeds`) or of the answers of earlier ones (`dep`). Keep to "
    "the wording of the templates where one fits; the nearest come first. What limits the answers "
    "of a sub-question goes into `when`, `kind` or `order`, not into its wording. `examples` is "
    "how templates of a similar wording would split this very question, the most similar first: "
    "take one only if it means the same. The last sub-question answers the question.",
    ToSplit,
    Decomposition,
    examples=(
        (
            ToSplit(
                question="Which rivers flow through the birthplace of Edda Lorn?",
                examples=[],
                templates=[f"where was {MASK} born", f"which rivers are in {MASK}"],
            ),
            Decomposition(
                thought="First where she was born, then which rivers are there.",
                parts=[
                    SubQuestion(id=0, question=f"where was {MASK} born", seeds=["Edda Lorn"]),
                    SubQuestion(id=1, question=f"which rivers are in {MASK}", dep=[0]),
                ],
            ),
        ),
        (
            ToSplit(
                question="Who was the last mayor of Norhaven before 1900, and was he liked?",
                examples=[],
                templates=[f"who is the mayor of {MASK}"],
            ),
            Decomposition(
                thought="The mayors up to 1900, and the last of them; whether he was liked is "
                "nothing that a graph says.",
                parts=[
                    SubQuestion(
                        id=0,
                        question=f"who is the mayor of {MASK}",
                        seeds=["Norhaven"],
                        when="1899",
                        order="last",
                    )
                ],
                left="whether he was liked",
            ),
        ),
    ),
)


class ToPlan(BaseModel):
    """`relations`: those of what the sub-question starts from."""

    question: str
    start: list[str]
    relations: list[RelationUse]


class Planned(BaseModel):
    thought: str = Field("", description="which relations say it")
    chain: str = Field(
        description="→ relation to follow it, ← relation to follow it backwards, one after the "
        "other; empty: no relation leads to an answer"
    )


PLAN = Skill(
    "plan chain",
    "No template fits this sub-question. Say which relations lead from the start to its answers, "
    "one or two of them, by the names they have in the list.",
    ToPlan,
    Planned,
)


class Predicted(BaseModel):
    seed: str = Field(description="the name in the question that the chain starts from")
    chain: str = Field(description="→ relation to follow it, ← relation to follow it backwards")


PREDICT = Skill(
    "predict chain",
    "Say which relations of the graph lead, one after the other, from a name in the question to "
    "its answer. The examples show questions of a similar wording with their chains.",
    ToSplit,
    Predicted,
)


class Option(BaseModel):
    """What one chain led to: the candidates numbered from `first` on, `count` of them."""

    chain: str
    template: str
    score: float
    first: int
    count: int


class ToPick(BaseModel):
    """`candidates` of all options, each with the fact that led to it."""

    question: str
    options: list[Option]
    candidates: list[str]


class Picked(BaseModel):
    options: Annotated[list[int], Listed("options")] = Field(
        [], description="positions of options whose candidates all answer"
    )
    candidates: Annotated[list[int], Listed("candidates")] = Field(
        [], description="numbers of further candidates that answer"
    )


PICK = Skill(
    "pick candidates",
    "Use the facts to answer the question: choose the candidates that answer it, by their numbers. "
    "Each option holds what one way through the graph led to: candidates from the number `first` "
    "on. Name an option if all of its candidates answer. Choose none if you do not know.",
    ToPick,
    Picked,
    examples=(
        (
            ToPick(
                question="how high is Norhaven",
                options=[
                    Option(
                        chain="→ height",
                        template=f"how high is {MASK}",
                        score=0.8,
                        first=0,
                        count=1,
                    ),
                    Option(
                        chain="→ elevation above sea level",
                        template=f"at which height lies {MASK}",
                        score=0.7,
                        first=1,
                        count=1,
                    ),
                ],
                candidates=[
                    "31 m (Norhaven lighthouse height 31 m)",
                    "204 m (Norhaven elevation above sea level 204 m)",
                ],
            ),
            Picked(candidates=[1]),
        ),
    ),
)


class LogEntry(BaseModel):
    """A sub-question that was answered, with the positions of the facts it rests on."""

    question: str
    answers: list[str]
    count: int
    facts: list[int]


class ToWrite(BaseModel):
    question: str
    log: list[LogEntry]
    facts: list[Statement]


WRITE = Skill(
    "write response",
    "The log shows how the question was answered, sub-question by sub-question; the answers of "
    "the last one answer the question. Give the answer first, then tell in short sentences how "
    "it was reached. Every sentence names the facts it rests on. Add nothing of your own.",
    ToWrite,
    FactAnswer,
)
