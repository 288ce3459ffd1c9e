"""What R3 asks of the model: axioms, the facts that bear on them, verdicts, what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask.skill import Skill
from kgqa_core.facts.premises import Premise, State
from kgqa_core.facts.terms import Statement

Task = OneOf["question", "claim", "preference"]

OPTION = "{option}"  # in an axiom, where the name of the option in question belongs


class Query(BaseModel):
    question: str
    task: Task
    options: list[str] = []


class Plainness(BaseModel):
    plain: bool = Field(description="whether facts answer it as it stands, without common sense")


PLAIN = Skill(
    "tell plain questions",
    "Say whether the question is a plain one of fact: a comparison, a kind, a membership or a "
    "relation that facts of a knowledge graph state as such. It is not if it takes a general rule "
    "that people know, as questions of what could or would be do.",
    Query,
    Plainness,
)


class ToSurface(Query):
    """`anchors`: entities the facts are about. `tried`: axioms that led nowhere."""

    anchors: list[str]
    facts: list[Statement]
    user: str = ""
    tried: list[str] = []


class StatedAxiom(BaseModel):
    thought: str = Field("", description="how people would go about the question")
    rule: str = Field(description="the axiom as one sentence, naming the entities it is about")
    premises: list[Premise] = Field(
        description="what has to hold, each a clause that facts of the graph can decide"
    )
    connective: OneOf["all", "any"] = "all"
    answer: bool = Field(True, description="what holds when the premises do: true for yes")
    strict: bool = Field(True, description="false for a rule of thumb, which has exceptions")
    guess: OneOf["yes", "no", ""] = Field("", description="your own belief, if you have one")


AXIOM = Skill(
    "state axiom",
    "State one general rule, known to everybody, by which the query can be decided, and do not "
    "decide it yet. Write the rule as a sentence about the entities of the query, and as premises "
    "that facts of a knowledge graph can show to hold or not: for each an entity, the relations "
    "to follow from it, an operator, and what to compare with (constants, or another entity and "
    "path). Take names of entities and relations from the facts where they occur there. Put "
    "common knowledge into the rule instead of asking the graph for it. With options, write "
    f"{OPTION} for the option in question. Differ from the rules tried already; no premises at "
    "all if you know no other rule.",
    ToSurface,
    StatedAxiom,
)
ANOTHER_AXIOM = replace(AXIOM, temperature=0.7)


class ToPick(BaseModel):
    question: str
    axiom: str
    facts: list[Statement]


class PickedFacts(BaseModel):
    indices: list[int] = Field(description="positions of the facts that bear on the rule")


PICK = Skill(
    "pick triples",
    "Pick the facts that may help to check the rule for the question; none if none do.",
    ToPick,
    PickedFacts,
)


class ToJudge(BaseModel):
    question: str
    axiom: str
    premises: list[str]
    facts: list[Statement]


class PremiseVerdict(BaseModel):
    state: State
    facts: list[int] = Field([], description="positions of the facts that decide it")
    why: str = ""


class PremiseVerdicts(BaseModel):
    verdicts: list[PremiseVerdict] = Field(description="one for each premise, in their order")


JUDGE = Skill(
    "judge premises",
    "Say of each premise whether the numbered facts satisfy or violate it, and which of them "
    "decide that. Rely on facts for whatever is particular, on common sense for what a word "
    "means. Where the facts do not decide, the premise is open: never guess.",
    ToJudge,
    PremiseVerdicts,
)


class ToName(BaseModel):
    question: str
    axiom: str
    lacking: list[str]
    facts: list[Statement]


class MissingFact(BaseModel):
    text: str = Field(description="what has to be known, naming the entity; empty: nothing helps")


MISSING = Skill(
    "name missing evidence",
    "The facts leave the rule open. Name the one thing that has to be known to decide it, and "
    "about which entity. If the entity stands in the facts, use its name there.",
    ToName,
    MissingFact,
)


class ToGoOn(BaseModel):
    missing: str
    facts: list[Statement]
    read: list[str] = Field(description="entities whose facts are here already")


class NextEntity(BaseModel):
    name: str = Field(description="name of the entity to read next; empty: there is none")


NEXT = Skill(
    "next entity",
    "Name the entity whose facts would give the missing evidence: preferably one that stands in "
    "the facts, and never one that was read already.",
    ToGoOn,
    NextEntity,
)


class ToRank(BaseModel):
    question: str
    options: list[str]
    facts: list[Statement]


class Ranking(BaseModel):
    order: list[int] = Field(description="positions of the options, the best first")


RANK = Skill(
    "rank options",
    "Order the options by how well they are what the query asks for, leaving aside what may be "
    "known of the person who asks.",
    ToRank,
    Ranking,
)
