"""What PG&AKV asks of the model: a draft, a verdict on each of its triples, an answer."""

from __future__ import annotations

from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import FactAnswer
from kgqa_core.facts.terms import Statement


class ToDraft(BaseModel):
    question: str
    problem: str = ""


class Draft(BaseModel):
    plan: str = Field(description="which knowledge the question needs, in a few lines")
    script: str = Field(description="the knowledge as a Cypher script of CREATE statements")
    note: str = Field("", description="what the reader of the answer should know of this draft")


class TripleDraft(BaseModel):
    plan: str = Field(description="which knowledge the question needs, in a few lines")
    triples: list[str] = Field(description="one <subject> <relation> <object> each")
    note: str = Field("", description="what the reader of the answer should know of this draft")


class ClaimVerdict(BaseModel):
    claim: int = Field(description="position of the claim")
    verdict: OneOf["keep", "replace", "drop"]
    facts: list[int] = Field([], description="positions of the gold facts that decide")


class ToVerify(BaseModel):
    """`gold` is ordered: subjects by growing confidence, values of one relation by time."""

    question: str
    gold: list[Statement]
    claims: list[Statement]


class Verified(BaseModel):
    verdicts: list[ClaimVerdict] = Field(description="one for every claim")
    added: list[int] = Field(
        [], description="positions of further gold facts that the question needs"
    )


class FromFixed(BaseModel):
    question: str
    facts: list[Statement]


_SCRIPT_1 = """// the rivers and their lengths
CREATE (rhine:River {name: 'Rhine', length_km: 1230})
CREATE (elbe:River {name: 'Elbe', length_km: 1094})
CREATE (danube:River {name: 'Danube', length_km: 2850})
// where they end
CREATE (rhine)-[:FLOWS_INTO]->(north:Sea {name: 'North Sea'})
CREATE (elbe)-[:FLOWS_INTO]->(north)
CREATE (danube)-[:FLOWS_INTO]->(black:Sea {name: 'Black Sea'})"""
_SCRIPT_2 = """CREATE (shelley:Person {name: 'Mary Shelley', born: 1797})
CREATE (shelley)-[:WROTE]->(frankenstein:Novel {name: 'Frankenstein', year: 1818})
CREATE (shelley)-[:WROTE]->(last:Novel {name: 'The Last Man', year: 1826})
CREATE (frankenstein)-[:GENRE]->(gothic:Genre {name: 'Gothic novel'})"""

DRAFT = Skill(
    "draft pseudo-graph",
    "First plan which knowledge the question needs. Then write that knowledge, as completely as "
    "you can recall it, as a Cypher script: CREATE statements with nodes that have a label and a "
    "`name`, properties, and typed relations. What you are unsure of, write down as you believe "
    "it: every statement will be checked. A node whose name you cannot even guess has no name. "
    "Where a `problem` is given, your last script could not be read: avoid it.",
    ToDraft,
    Draft,
    examples=(
        (
            ToDraft(question="Which large German rivers do not end in the North Sea?"),
            Draft(
                plan="The large rivers of Germany; how long they are; the sea each flows into.",
                script=_SCRIPT_1,
            ),
        ),
        (
            ToDraft(question="What is the author of Frankenstein known for?"),
            Draft(
                plan="Who wrote Frankenstein; what else she wrote, and when; of which kind it is.",
                script=_SCRIPT_2,
            ),
        ),
    ),
)

DRAFT_TRIPLES = Skill(
    "draft triples",
    "First plan which knowledge the question needs. Then write that knowledge, as completely as "
    "you can recall it, as triples, one in each line: <subject> <relation> <object>. What you are "
    "unsure of, write down as you believe it: every triple will be checked. An end you cannot "
    "even guess is <?>.",
    ToDraft,
    TripleDraft,
    examples=(
        (
            ToDraft(question="Which large German rivers do not end in the North Sea?"),
            TripleDraft(
                plan="The large rivers of Germany; how long they are; the sea each flows into.",
                triples=[
                    "<Rhine> <flows into> <North Sea>",
                    "<Elbe> <flows into> <North Sea>",
                    "<Danube> <flows into> <Black Sea>",
                    "<Danube> <length> <2850 km>",
                ],
            ),
        ),
    ),
)

VERIFY = Skill(
    "verify pseudo-graph",
    "The claims were drafted from memory to answer the question; the gold facts are certain. "
    "Correct the claims by them. keep: a gold fact says the same, name it. replace: a gold fact "
    "about the same thing says otherwise, or fills what the claim leaves open (?), name the right "
    "ones. drop: no gold fact speaks of it, or the question does not need it. Then add further "
    "gold facts, only those that the question needs; never all of them. Of values that change "
    "over time, the gold facts have them in order, the latest last: where the question asks for "
    "none in particular, take the last.",
    ToVerify,
    Verified,
)

ANSWER = Skill(
    "answer from fixed graph",
    "Answer the question from the numbered facts alone, and completely: every fact that is part "
    "of the answer belongs into it, each sentence with the facts it rests on. `values` are the "
    "things that answer the question. Values that change over time stand in order, the latest "
    "last: unless the question says when, it holds. If the facts do not answer the question, give "
    "no sentences and say in `reason` what is missing.",
    FromFixed,
    FactAnswer,
)
