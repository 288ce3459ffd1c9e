"""What Keqing asks of the model: sub-questions, a chain, a choice of candidates, a response."""

from __future__ import annotations

import re
from typing import Literal as OneOf
from typing import get_args

from pydantic import BaseModel, Field, model_validator

from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import FactAnswer
from kgqa_core.facts.terms import Statement
from kgqa_core.methods.keqing.templates import MASK

Operation = OneOf[
    "", "union", "intersection", "minus", "count", "highest", "lowest", "more", "fewer", "same"
]
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


_GENERATED = re.compile(r"<GENERATED>-(\d+)")


class Decomposition(BaseModel):
    """Sub-questions in any order; what cannot be carried out is refused with the reason."""

    parts: list[SubQuestion] = Field(description="empty when the question cannot be split so")

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
    question: str
    examples: list[Worked]
    templates: list[str] = []


SPLIT = Skill(
    "split question",
    "Split the question into simple sub-questions that are answered one after the other. Each "
    f"has {MASK} in place of a name (`seeds`) or of the answers of earlier ones (`dep`). Keep to "
    "the wording of the templates where one fits. The examples show questions of a similar "
    "wording with their sub-questions, the most similar first.",
    ToSplit,
    Decomposition,
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
    """What one chain led to: candidates, numbered from `first`, with their facts in words."""

    chain: str
    template: str
    score: float
    first: int
    candidates: list[str]
    facts: list[str] = []


class ToPick(BaseModel):
    question: str
    options: list[Option]


class Picked(BaseModel):
    options: list[int] = Field([], description="positions of options whose candidates all answer")
    candidates: list[int] = Field([], description="numbers of further candidates that answer")


PICK = Skill(
    "pick candidates",
    "Use the facts to answer the question: choose the candidates that answer it. Each option "
    "holds what one way through the graph led to. Choose none if you do not know.",
    ToPick,
    Picked,
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
