"""What Keqing asks of the model: sub-questions, a chain, a choice of candidates, a response."""

from __future__ import annotations

import re
from typing import Annotated, ClassVar, get_args
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kgqa_core.ask import invented as x
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import CitedSentence, FactAnswer
from kgqa_core.facts.terms import RelationUse, Statement
from kgqa_core.methods.keqing.templates import MASK

Operation = OneOf[
    "", "union", "intersection", "minus", "count", "highest", "lowest", "more", "fewer", "same"
]
Order = OneOf["", "first", "last"]
OPERATIONS = tuple(name for name in get_args(Operation) if name)


class SubQuestion(BaseModel):
    """Either a question or, in its place, an operation on answers."""

    model_config = ConfigDict(
        json_schema_extra={
            "forms": [
                "id question dep seeds",
                "when kind order id question dep seeds",
                "operation id dep",
            ]
        }
    )
    id: int = Field(description="0, 1, 2, …")
    question: str = Field(
        "", description=f"a simple question with {MASK} for a name or an earlier answer"
    )
    dep: list[int] = Field([], description="ids of the sub-questions whose answers it needs")
    seeds: list[str] = Field([], description="names of the question that it starts from")
    operation: Operation = Field(
        "",
        description="a set operation on the answers of `dep`, in place of a question; highest and "
        "lowest answer with what has that number or date",
    )
    when: str = Field(
        "",
        description="if the question says when. A year, a date or now: what held then; before, "
        "after or since 1900: what began so; the last one before 1900: `order` last, too",
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
    chain: str = Field("", description="the relations that lead to its answer")


class ToSplit(BaseModel):
    """`examples`: how templates of a similar wording would split this very question."""

    question: str
    examples: list[Worked] = Field(description="how questions of a similar wording are split")
    templates: list[str] = Field(
        [], description="sub-questions that can be answered, or relations there are; nearest first"
    )
    beyond: int = Field(0, description="so many more, less like the question, are not shown")


SPLIT = Skill(
    "split question",
    "Split the question into simple sub-questions that are answered one after the other. Each "
    f"has {MASK} in place of a name (`seeds`) or of the answers of earlier ones (`dep`). Keep to "
    "the wording of the templates where one fits; the nearest come first. What limits the answers "
    "of a sub-question goes into `when`, `kind` or `order`, not into its wording. `examples` is "
    "how templates of a similar wording would split this very question, the most similar first: "
    "take one only if it means the same. The last sub-question answers the question; for yes or no "
    "it finds what decides it (where she was born, for “was she born in Ulm?”), or compares: "
    "`same`, `more`, `fewer`.",
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
                thought="The mayors before 1900, and the last of them; whether he was liked is "
                "nothing that a graph says.",
                parts=[
                    SubQuestion(
                        id=0,
                        question=f"who is the mayor of {MASK}",
                        seeds=["Norhaven"],
                        when="before 1900",
                        order="last",
                    )
                ],
                left="whether he was liked",
            ),
        ),
    ),
)


class ToPlan(BaseModel):
    question: str
    start: list[str] = Field(description="what it starts from")
    relations: list[RelationUse] = Field(
        description="relations that leave (→) or enter (←) it, with examples"
    )


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
    examples=(
        (
            ToPlan(
                question="who wrote the book The Salt Lantern is based on",
                start=["The Salt Lantern"],
                relations=[
                    x.use(x.DIRECTOR, "out", 1, "Tomas Wendeler"),
                    x.use(x.BASED_ON, "out", 1, "The Salt Lantern"),
                ],
            ),
            Planned(
                thought="To the novel it is based on, and from there to its author.",
                chain="→ based on → author",
            ),
        ),
        (
            ToPlan(
                question="what did Ilse Marrow sing",
                start=["Ilse Marrow"],
                relations=[x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow")],
            ),
            Planned(thought="No relation is about singing.", chain=""),
        ),
    ),
)


class Predicted(BaseModel):
    thought: str = Field("", description="which name it starts from, and what leads on")
    seed: str = Field(description="the name in the question that the chain starts from")
    chain: str = Field(description="→ relation to follow it, ← relation to follow it backwards")


PREDICT = Skill(
    "predict chain",
    "Say which relations of the graph lead, one after the other, from a name in the question to "
    "its answer. The examples show questions of a similar wording with their chains.",
    ToSplit,
    Predicted,
    examples=(
        (
            ToSplit(
                question="Where was the author of The Salt Lantern born?",
                examples=[],
                templates=["author", "place of birth", "director"],
            ),
            Predicted(
                thought="From the novel to its author, then to her place of birth.",
                seed="The Salt Lantern",
                chain="→ author → place of birth",
            ),
        ),
        (
            ToSplit(
                question="Which films are based on novels by Ilse Marrow?",
                examples=[
                    Worked(
                        template=f"which novels are by {MASK}",
                        parts=[
                            SubQuestion(
                                id=0,
                                question=f"which novels are by {MASK}",
                                seeds=["Ilse Marrow"],
                            )
                        ],
                        chain="← author",
                    )
                ],
                templates=["based on", "author", "child"],
            ),
            Predicted(
                thought="Back from her to what she is the author of, and on to films of it.",
                seed="Ilse Marrow",
                chain="← author ← based on",
            ),
        ),
    ),
)


class Option(BaseModel):
    """What one chain led to: the candidates numbered from `first` on, `count` of them."""

    chain: str = Field(description="the relations it followed")
    template: str
    score: float = Field(description="how well the template fits, 0 to 1")
    first: int = Field(description="number of its first candidate")
    count: int = Field(description="how many candidates it has")
    left: int = Field(0, description="how many more it has that are not listed")


class ToPick(BaseModel):
    """`candidates` of all options, each with the fact that led to it."""

    question: str
    options: list[Option] = Field(description="ways through the graph, numbered")
    candidates: list[str] = Field(description="what they led to, numbered, with the fact")


class Picked(BaseModel):
    thought: str = Field("", description="half a sentence: what is asked for, and which say it")
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
            Picked(thought="of a town, how high it lies", candidates=[1]),
        ),
        (
            ToPick(
                question="who are the children of Ilse Marrow",
                options=[
                    Option(
                        chain="→ child",
                        template=f"who are the children of {MASK}",
                        score=0.9,
                        first=0,
                        count=2,
                    ),
                    Option(
                        chain="← author",
                        template=f"what is by {MASK}",
                        score=0.6,
                        first=2,
                        count=1,
                    ),
                ],
                candidates=[
                    "Nora Marrow (Ilse Marrow child Nora Marrow)",
                    "Jon Marrow (Ilse Marrow child Jon Marrow)",
                    "Grey Tide (Grey Tide author Ilse Marrow)",
                ],
            ),
            Picked(thought="her children, not her books", options=[0]),
        ),
    ),
)


class LogEntry(BaseModel):
    """A sub-question that was answered, with the positions of the facts it rests on."""

    numbered: ClassVar[bool] = False
    question: str
    answers: list[str] = Field(description="the first of its answers")
    count: int = Field(description="how many answers it has")
    facts: list[int] = Field(description="positions of the facts it rests on")


class ToWrite(BaseModel):
    question: str
    log: list[LogEntry] = Field(description="the sub-questions and their answers, in order")
    facts: list[Statement] = Field(description="what was read, numbered")


WRITE = Skill(
    "write response",
    "The log shows how the question was answered, sub-question by sub-question; the answers of "
    "the last one answer the question. Give the answer first, then tell in short sentences how "
    "it was reached. Every sentence names the facts it rests on. Add nothing of your own.",
    ToWrite,
    FactAnswer,
    examples=(
        (
            ToWrite(
                question="Who are the children of the author of The Salt Lantern?",
                log=[
                    LogEntry(
                        question="who wrote The Salt Lantern",
                        answers=["Ilse Marrow"],
                        count=1,
                        facts=[0],
                    ),
                    LogEntry(
                        question="who are the children of Ilse Marrow",
                        answers=["Nora Marrow", "Jon Marrow"],
                        count=2,
                        facts=[1, 2],
                    ),
                ],
                facts=[x.WROTE, x.NORAS, x.JONS],
            ),
            FactAnswer(
                thought="The last sub-question has two answers.",
                sentences=[
                    CitedSentence(text="Nora and Jon Marrow.", facts=[1, 2]),
                    CitedSentence(
                        text="They are the children of Ilse Marrow, who wrote The Salt Lantern.",
                        facts=[0, 1, 2],
                    ),
                ],
                values=["Nora Marrow", "Jon Marrow"],
            ),
        ),
        (
            ToWrite(
                question="Was Ilse Marrow born before 1900?",
                log=[
                    LogEntry(
                        question="when was Ilse Marrow born",
                        answers=["14 March 1902"],
                        count=1,
                        facts=[0],
                    )
                ],
                facts=[x.BIRTH],
            ),
            FactAnswer(
                thought="1902 is after 1900.",
                sentences=[
                    CitedSentence(text="No, Ilse Marrow was born on 14 March 1902.", facts=[0])
                ],
                values=["false"],
            ),
        ),
    ),
)
