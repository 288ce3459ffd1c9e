"""What PG&AKV asks of the model: a draft, a verdict on each of its triples, an answer."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar
from typing import Literal as OneOf

from pydantic import BaseModel, Field, model_validator

from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import CitedSentence, FactAnswer
from kgqa_core.facts.terms import DECIMAL, Entity, Literal, Relation, Statement


class ToDraft(BaseModel):
    question: str
    relations: list[str] = Field(
        [], description="what the graph calls what may be needed, the nearest first"
    )
    beyond: int = 0  # so many more, further from the question, are not shown
    problem: str = Field("", description="why your last draft could not be read")

    def printed(self) -> dict[str, Any]:
        """The relations in a line: nothing names them by position."""
        told = "; ".join(" ".join(name.split()) for name in self.relations)
        more = f" ({self.beyond:,} more not shown)" if self.beyond else ""
        return {"relations": told + more if told else [], "beyond": 0}


class Planned(BaseModel):
    @model_validator(mode="before")
    @classmethod
    def _at_once(cls, said: Any) -> Any:
        """A script whose plan was left out is a script; a plan may be a list."""
        if not isinstance(said, dict):
            return said
        plan = said.get("plan") or ""
        return {**said, "plan": "; ".join(map(str, plan)) if isinstance(plan, list) else plan}


class Draft(Planned):
    block: ClassVar[str] = "script"
    plan: str = Field(description="which knowledge the question needs, in a few lines")
    script: str = Field(description="the knowledge as a Cypher script of CREATE statements")
    note: str = Field("", description="what the reader of the answer should know of this draft")


class TripleDraft(Planned):
    plan: str = Field(description="which knowledge the question needs, in a few lines")
    triples: list[str] = Field(description="one <subject> <relation> <object> each")
    note: str = Field("", description="what the reader of the answer should know of this draft")


class ClaimVerdict(BaseModel):
    claim: Annotated[int, Listed("claims")] = Field(description="position of the claim")
    why: str = Field("", description="half a sentence: what the gold facts say to it")
    facts: Annotated[list[int], Listed("gold")] = Field(
        [], description="positions of the gold facts that decide"
    )
    verdict: OneOf["keep", "probably", "replace", "drop"] = Field(
        description="keep: right, if less precise; probably: the value is an id that may well be "
        "it; replace: otherwise or open; drop: not spoken of, or of something that the gold facts "
        "show not to be asked for"
    )


class ToVerify(BaseModel):
    """`gold` is ordered: subjects by growing confidence, values of one relation by time."""

    question: str
    gold: list[Statement] = Field(description="what is certain, numbered")
    claims: list[Statement] = Field(
        description="what was drafted, numbered; ? is what it leaves open"
    )
    kept: list[int] = Field(
        [], description="positions of gold facts that further claims state, word for word"
    )
    things: list[str] = Field([], description="what things of the gold facts are")
    lists: list[str] = Field(
        [],
        description="lists of which so many were drafted and are right; the gold facts have the "
        "rest, as far as there is room",
    )


class Verified(BaseModel):
    verdicts: list[ClaimVerdict] = Field(description="one for every claim")
    added: Annotated[list[int], Listed("gold")] = Field(
        [],
        description="positions of further gold facts that the question needs, such as all the "
        "rest of a list that it asks for",
    )


class FromFixed(BaseModel):
    question: str
    facts: list[Statement] = Field(description="what is known, numbered")
    drafted: list[str] = Field(
        [],
        description="what is known by its id alone, and the name it was drafted by: no fact says "
        "that it is so called",
    )


_SCRIPT_1 = """// the novels and their films
CREATE (lantern:Novel {name: 'The Salt Lantern', year: 1931})
CREATE (tide:Novel {name: 'Grey Tide', year: 1938})
CREATE (film:Film {name: 'The Salt Lantern', year: 1958})
CREATE (film)-[:BASED_ON]->(lantern)
// who wrote and who filmed them
CREATE (marrow:Person {name: 'Ilse Marrow', born: 1902})
CREATE (marrow)-[:WROTE]->(lantern)
CREATE (marrow)-[:WROTE]->(tide)
CREATE (film)-[:DIRECTED_BY]->(wendeler:Person {name: 'Tomas Wendeler'})"""
_SCRIPT_2 = """CREATE (quill:Town {name: 'Port Quill', inhabitants: 4100})
CREATE (quill)-[:LIES_ON]->(orvel:Island {name: 'Orvel'})
CREATE (velm:Company {name: 'Velm Ferry Company'})
CREATE (velm)-[:BASED_IN]->(quill)
CREATE (velm)-[:LED_BY]->(head:Person)"""

_FILMED = "Which novels by Ilse Marrow were filmed, and by whom?"
_FILMED_PLAN = "The novels of Ilse Marrow; which films are based on them; who directed those."
_LED = "Who leads the ferry company of Port Quill?"
_LED_PLAN = "The ferry company that is based in Port Quill; who leads it."

DRAFT = Skill(
    "draft pseudo-graph",
    "First plan which knowledge the question needs. Then write that knowledge, as completely as "
    "you can recall it, as a Cypher script: CREATE statements with nodes that have a label and a "
    "`name`, properties, and typed relations. What you are unsure of, write down as you believe "
    "it: every statement will be checked. A node whose name you cannot even guess has no name. "
    "`relations` are names that the graph uses: call a relation so where one of them is meant. "
    "Where a `problem` is given, your last script could not be read: avoid it.",
    ToDraft,
    Draft,
    examples=(
        (
            ToDraft(question=_FILMED),
            Draft(plan=_FILMED_PLAN, script=_SCRIPT_1),
        ),
        (
            ToDraft(question=_LED),
            Draft(plan=_LED_PLAN, script=_SCRIPT_2),
        ),
    ),
)

DRAFT_TRIPLES = Skill(
    "draft triples",
    "First plan which knowledge the question needs. Then write that knowledge, as completely as "
    "you can recall it, as triples, one in each line: <subject> <relation> <object>. What you are "
    "unsure of, write down as you believe it: every triple will be checked. An end you cannot "
    "even guess is <?>. `relations` are names that the graph uses: take them where they are meant.",
    ToDraft,
    TripleDraft,
    examples=(
        (
            ToDraft(question=_FILMED),
            TripleDraft(
                plan=_FILMED_PLAN,
                triples=[
                    "<The Salt Lantern> <author> <Ilse Marrow>",
                    "<Grey Tide> <author> <Ilse Marrow>",
                    "<The Salt Lantern> <film> <The Salt Lantern>",
                    "<The Salt Lantern> <director> <Tomas Wendeler>",
                ],
            ),
        ),
        (
            ToDraft(question=_LED),
            TripleDraft(
                plan=_LED_PLAN,
                triples=[
                    "<Velm Ferry Company> <based in> <Port Quill>",
                    "<Port Quill> <lies on> <Orvel>",
                    "<Velm Ferry Company> <led by> <?>",
                ],
            ),
        ),
    ),
)


def _fact(subject: str, relation: str, value: Entity | Literal, what: str = "") -> Statement:
    thing = Entity(f"urn:kg:example/{subject}", subject, what)
    return Statement(thing, Relation(f"urn:kg:example/{relation}", relation), value)


def _thing(name: str) -> Entity:
    return Entity(f"urn:kg:example/{name}", name)


def _number(value: str) -> Literal:
    return Literal(value, DECIMAL)


VERIFY = Skill(
    "verify pseudo-graph",
    "The claims were drafted from memory to answer the question; the gold facts are certain. "
    "Correct the claims by them. keep: a gold fact says the same, or says it more precisely (a day "
    "of the year that is claimed, the number that the claim rounds, a full name), even where the "
    "question does not need it; name it. replace: a gold fact about the same thing says otherwise, "
    "or less precisely (the year of the day that is claimed), or fills what the claim leaves open "
    "(?); name the right ones, however the relation is called there. probably: a gold fact has "
    "an id for the value, and nothing says that this is not what is claimed; name it. drop: no "
    "gold fact speaks of it; what the gold facts show not to be asked for is dropped, not "
    "replaced. A thing of the same name but of another kind is another "
    "thing: see `things`. `kept` are facts that other claims were found to state: they stay. "
    "Then add further gold facts, only those that the question needs: the rest of a list if it "
    "asks for all of it, but never all of them. Of values that change over time, the gold facts "
    "have the dated ones in order, the latest last: where the question asks for none in "
    "particular, take that. Undated ones are in no order.",
    ToVerify,
    Verified,
    examples=(
        (
            ToVerify(
                question="Who built the Marn Bridge, and how long is it?",
                gold=[
                    _fact("Marn Bridge", "length", _number("412")),
                    _fact("Marn Bridge", "structural engineer", _thing("Ada Kolb")),
                    _fact("Marn Bridge", "crosses", _thing("Marn")),
                    _fact("Ada Kolb", "employer", Entity("urn:kg:example/Q512", "", "company")),
                ],
                claims=[
                    _fact("Marn Bridge", "built by", _thing("Otto Fenn")),
                    _fact("Marn Bridge", "length", _number("410")),
                    _fact("Otto Fenn", "nationality", _thing("Austria")),
                    _fact("Ada Kolb", "worked for", _thing("Kolb & Sons")),
                ],
            ),
            Verified(
                verdicts=[
                    ClaimVerdict(
                        claim=0, why="its engineer was Ada Kolb", facts=[1], verdict="replace"
                    ),
                    ClaimVerdict(claim=1, why="412, rounded", facts=[0], verdict="keep"),
                    ClaimVerdict(claim=2, why="nothing is said of him", verdict="drop"),
                    ClaimVerdict(
                        claim=3, why="a company, by its id alone", facts=[3], verdict="probably"
                    ),
                ]
            ),
        ),
        (
            ToVerify(
                question="Where is the Falcon, the downhill run, and who has won on it?",
                gold=[
                    _fact("Falcon", "country", _thing("Norland"), "town in Norland"),
                    _fact("Falcon", "population", _number("21000"), "town in Norland"),
                ],
                claims=[_fact("Falcon", "located in", _thing("Tyrol"))],
                things=["Falcon: town in Norland"],
            ),
            Verified(
                verdicts=[
                    ClaimVerdict(claim=0, why="the facts are of a town, no run", verdict="drop")
                ]
            ),
        ),
    ),
)

ANSWER = Skill(
    "answer from fixed graph",
    "Answer the question from the numbered facts alone, and completely: every fact that is part "
    "of the answer belongs into it, each sentence with the facts it rests on. `values` are the "
    "things that answer the question. Dated values stand in order, the latest last: unless the "
    "question says when, it holds. Undated ones are in no order. What is `drafted` under a name is "
    "named by it, with its id in brackets. If the facts do not answer, give no sentences and say "
    "in `reason` what is missing.",
    FromFixed,
    FactAnswer,
    examples=(
        (
            FromFixed(
                question="What is the Marn Bridge known for?",
                facts=[
                    _fact("Marn Bridge", "length", _number("412")),
                    _fact("Marn Bridge", "structural engineer", _thing("Ada Kolb")),
                    _fact("Marn Bridge", "crosses", _thing("Marn")),
                ],
            ),
            FactAnswer(
                thought="All three facts are about the bridge.",
                sentences=[
                    CitedSentence(
                        text="The Marn Bridge, 412 long, crosses the Marn.", facts=[0, 2]
                    ),
                    CitedSentence(text="It was built by the engineer Ada Kolb.", facts=[1]),
                ],
                values=["Ada Kolb", "Marn"],
            ),
        ),
        (
            FromFixed(
                question="When was the Marn Bridge opened?",
                facts=[_fact("Marn Bridge", "crosses", _thing("Marn"))],
            ),
            FactAnswer(
                thought="No fact has a date.",
                sentences=[],
                values=[],
                reason="The date of its opening is missing.",
            ),
        ),
    ),
)
