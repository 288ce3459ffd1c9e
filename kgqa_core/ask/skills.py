"""The skills that several methods share. A skill that one method needs stays in its file.

Every instruction is read by a language model, and answered without one by the built-in
reader; positions count from 0.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from kgqa_core.ask.events import Mark, Support
from kgqa_core.ask.skill import Skill
from kgqa_core.facts.terms import Entity, Hit, Relation, RelationUse, Statement, Value


class Question(BaseModel):
    question: str


class Mentions(BaseModel):
    mentions: list[str] = Field(
        description="names of things as the question writes them, the main one first"
    )


EXTRACT = Skill(
    "extract entities",
    "List the names in the question that an encyclopaedia would have an entry for: people, "
    "places, works, organisations, events. Copy each as it is written. Leave out what is "
    "asked for, and words that only describe a relation.",
    Question,
    Mentions,
)


class Candidate(BaseModel):
    """An entity a mention may mean, with the relations it takes part in: `shown` are printed."""

    hit: Hit
    relations: list[RelationUse] = []
    shown: int = 8


class WhichEntity(BaseModel):
    question: str
    mention: str
    candidates: list[Candidate]


class EntityChoice(BaseModel):
    index: int = Field(description="position of the candidate that is meant; -1: none of them")
    why: str = Field("", description="half a sentence")


CHOOSE_ENTITY = Skill(
    "choose entity",
    "Several entities may be meant by the mention. Choose the one the question is about, by "
    "its description and by whether its relations could answer the question.",
    WhichEntity,
    EntityChoice,
)


CHOOSE_ANSWER = Skill(
    "choose answer",
    "The mention is an answer to the question, given as text. Choose the candidate that is this "
    "answer, by its description and by what the question asks for; -1 when none of them is.",
    WhichEntity,
    EntityChoice,
)


class Found(BaseModel):
    """A value a method arrived at, and the positions of the facts it rests on."""

    value: Value
    facts: list[int] = []


class FromFacts(BaseModel):
    """`found` is None when the reply has to find the answer in the facts itself."""

    question: str
    facts: list[Support]
    found: list[Found] | None = None
    notes: list[str] = []


class CitedSentence(BaseModel):
    text: str
    facts: list[int] = Field(description="positions of the facts this sentence rests on")


class FactAnswer(BaseModel):
    thought: str = ""
    sentences: list[CitedSentence] = Field(
        description="the answer in short sentences; empty when the facts do not contain it"
    )
    values: list[str] = Field(
        description="the bare answers: names as in the facts, dates as YYYY-MM-DD, true or false, "
        "numbers without separators"
    )
    certain: bool = Field(True, description="false when the facts only suggest the answer")
    reading: str = Field("", description="how the question was understood, if that is in doubt")
    reason: str = Field("", description="when there is no answer: what is missing")


ANSWER = Skill(
    "answer from facts",
    "Answer the question from the numbered facts alone, not from memory. If values were found "
    "already, put them into words. Every sentence names the facts it rests on. If the facts do "
    "not contain the answer, give no sentences and say in `reason` what is missing.",
    FromFacts,
    FactAnswer,
)


class Draft(BaseModel):
    """An answer from the model's own knowledge: nothing in it is grounded."""

    thought: str = ""
    text: str = Field(description="the answer in one or two sentences; empty when unknown")
    values: list[str] = Field(
        description="the bare answers: names, dates as YYYY-MM-DD, true or false, plain numbers"
    )
    reason: str = Field("", description="when unknown: why")


class Said(BaseModel):
    """An answer's sentences, and the bare values it gives."""

    question: str
    sentences: list[str]
    values: list[str] = []


class AtomicClaim(BaseModel):
    text: str = Field(description="one fact, as a sentence that is understood by itself")
    sentence: int = Field(0, description="position of the sentence it is from")
    answer: str = Field("", description="only if it says no more than that this is an answer")
    mentions: list[str] = Field([], description="names of things in it, as an encyclopaedia has")
    reasoning: bool = Field(
        False, description="true for a general rule, and for a conclusion such as yes or no"
    )


class Claims(BaseModel):
    claims: list[AtomicClaim]


LIST_CLAIMS = Skill(
    "list claims",
    "Split the sentences into atomic claims: each states one single fact, with names in place of "
    "pronouns, so that it can be checked by itself. Say what the sentences say, right or wrong, "
    "and add nothing. What a sentence only means together with the question (a bare name) is "
    "written out.",
    Said,
    Claims,
)


class ToVerify(BaseModel):
    """`facts` begin with those that the claim's sentence cites: `cited` of them.

    `computed` are results of set operations and date arithmetic on facts; `axioms` the general
    rules the reasoning set out from.
    """

    question: str
    claim: str
    facts: list[Support]
    cited: int = 0
    answer: str = ""
    computed: list[str] = []
    axioms: list[str] = []


class Verdict(BaseModel):
    verdict: Mark
    facts: list[int] = Field([], description="positions of the facts that decide")
    why: str = Field("", description="half a sentence")


VERIFY_CLAIM = Skill(
    "verify claim",
    "Judge the claim by the numbered facts alone, not from memory. supported: the facts state it "
    "or it follows from them and what was computed from them; a general rule is supported when "
    "an axiom states it. contradicted: the facts say otherwise. unsupported: they leave it open.",
    ToVerify,
    Verdict,
)


class ToFollow(BaseModel):
    """`relations` are those of `entities`; `facts` what was read so far."""

    question: str
    entities: list[Entity]
    relations: list[RelationUse]
    facts: list[Statement] = []
    most: int = 3


class ScoredPick(BaseModel):
    index: int
    score: float = Field(1.0, ge=0, le=1, description="how much it may help, 0 to 1")


class Picks(BaseModel):
    thought: str = ""
    picked: list[ScoredPick] = Field(description="positions, the best first; empty: none helps")


CHOOSE_RELATIONS = Skill(
    "choose relations",
    "Choose the relations to follow from these entities towards the answer to the question, at "
    "most `most`, and score how much each may help. The facts were read already.",
    ToFollow,
    Picks,
)


class Suffices(BaseModel):
    thought: str = Field("", description="one sentence: what is known, or what is missing")
    sufficient: bool


CAN_ANSWER = Skill(
    "can answer",
    "Say whether the facts alone, without anything from memory, answer the whole question.",
    FromFacts,
    Suffices,
)


class ToScore(BaseModel):
    """`candidates` are the ends of a relation, followed from an entity."""

    question: str
    source: Entity
    relation: Relation
    candidates: list[Value]
    facts: list[Statement] = []


class Scores(BaseModel):
    scores: list[float] = Field(description="one for each candidate, 0 to 1, in their order")


SCORE_ENTITIES = Skill(
    "score entities",
    "Score how likely each candidate leads to the answer of the question, or is it. The scores "
    "of all candidates add up to 1 at most.",
    ToScore,
    Scores,
)
