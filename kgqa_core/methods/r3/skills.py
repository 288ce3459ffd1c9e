"""What R3 asks of the model: axioms, the facts that bear on them, verdicts, what is missing."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field

from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.facts.premises import Hop, Premise, State, Term
from kgqa_core.facts.terms import Entity, Relation, Statement

Task = OneOf["question", "claim", "preference"]

OPTION = "{option}"  # in an axiom, where the name of the option in question belongs


class Query(BaseModel):
    question: str
    task: Task = Field(
        description="question: answer yes or no; claim: say whether it is right; preference: "
        "choose one of the options"
    )
    options: list[str] = Field([], description="what there is to choose from")


class Tried(BaseModel):
    """An axiom that led nowhere, and why."""

    rule: str
    why: str


WALKED = "the facts as they stand"  # what was tried when a plain question stayed open


class ToSurface(Query):
    anchors: list[str] = Field(description="entities of the question that the facts are about")
    looked_up: list[str] = Field([], description="names that were sought in the graph already")
    facts: list[Statement] = Field(description="what the graph says of the anchors")
    user: str = Field("", description="what the facts call the person who chooses")
    tried: list[Tried] = Field([], description="rules that led nowhere, and why")


class Axiom(BaseModel):
    """A rule of common sense: what holds of a question when its premises do."""

    model_config = ConfigDict(
        json_schema_extra={"seldom": ["connective", "answer", "strict", "guess"]}
    )
    rule: str = Field("", description="one sentence, naming the entities it is about")
    premises: list[Premise] = Field(
        [], description="what has to hold, clause by clause; one in words alone is a string"
    )
    connective: OneOf["all", "any"] = Field("all", description="how many of the premises must hold")
    answer: bool = Field(True, description="what holds when the premises do: true for yes")
    strict: bool = Field(True, description="false for a rule of thumb, which makes nothing certain")
    guess: OneOf["yes", "no", ""] = Field("", description="your own belief, if any")


class Reading(BaseModel):
    """What R3 asks besides: what a model thinks of before it states a rule."""

    thought: str = Field("", description="how people would go about the question")
    mentions: list[str] = Field(
        [],
        description="names in the question that an encyclopaedia would have, and that were not "
        "looked up yet, copied as written",
    )
    plain: bool = Field(
        False,
        description="true when facts of a graph settle the question as it stands, without a rule "
        "that people know; never for what could or would be",
    )
    order: Annotated[list[int], Listed("options")] = Field(
        [], description="positions of all options, the one that suits the question best first"
    )


class StatedAxiom(Axiom, Reading):  # in this order a prompt has the fields of Reading first
    """An axiom, and what led to it."""

    model_config = ConfigDict(
        json_schema_extra={
            "seldom": ["mentions", "plain", "order", "connective", "answer", "strict", "guess"]
        }
    )


def _thing(name: str) -> Entity:
    return Entity(f"urn:kg:example/{name}", name)


def _fact(subject: str, relation: str, value: str) -> Statement:
    return Statement(
        _thing(subject), Relation(f"urn:kg:example/{relation}", relation), _thing(value)
    )


def _path(*relations: str) -> tuple[Hop, ...]:
    return tuple(Hop(relation=name) for name in relations)


_EXAMPLES: tuple[tuple[BaseModel, StatedAxiom], ...] = (
    (
        ToSurface(
            question="Could Edda Lorn have sent an email to her brother Ivo?",
            task="question",
            anchors=["Edda Lorn"],
            facts=[_fact("Edda Lorn", "occupation", "postmistress")],
        ),
        StatedAxiom(
            thought="Email has existed since about 1971, so both must have lived then.",
            mentions=["Ivo"],
            rule="Edda Lorn and Ivo must both have lived in or after 1971 to exchange email.",
            premises=[
                Premise(
                    text=f"{name} was alive in or after 1971",
                    left=Term(entity=name, function="lifetime"),
                    operator="≥",
                    right=Term(constants=("1971",), function="lifetime"),
                )
                for name in ("Edda Lorn", "Ivo")
            ],
            guess="no",
        ),
    ),
    (
        ToSurface(
            question="True or false: Tomas Ruhl and his wife may vote in the same elections.",
            task="claim",
            anchors=["Tomas Ruhl"],
            facts=[
                _fact("Tomas Ruhl", "spouse", "Gerda Ruhl"),
                _fact("Tomas Ruhl", "country of citizenship", "Norland"),
            ],
        ),
        StatedAxiom(
            thought="People vote in the elections of the country whose citizens they are.",
            rule="Tomas Ruhl and his wife must be citizens of one country.",
            premises=[
                Premise(
                    text="Tomas Ruhl's wife is a citizen of his country",
                    left=Term(entity="Tomas Ruhl", path=_path("spouse", "country of citizenship")),
                    right=Term(entity="Tomas Ruhl", path=_path("country of citizenship")),
                ),
                Premise(text="citizens vote in the elections of their country", kind="meaning"),
            ],
            strict=False,
        ),
    ),
    (
        ToSurface(
            question="Something quick for supper.",
            task="preference",
            options=["lentil soup", "prawn noodles"],
            anchors=["user"],
            facts=[_fact("user", "allergy", "shellfish"), _fact("user", "dislikes", "mushrooms")],
            user="user",
        ),
        StatedAxiom(
            thought="Both are quick; the allergy and the dislike each rule things out.",
            order=[1, 0],
            rule="What the user gets must be a quick supper without shellfish or mushrooms.",
            premises=[
                Premise(text=f"{OPTION} is a quick supper"),
                Premise(text=f"{OPTION} has no shellfish in it, such as prawns or crab"),
                Premise(text=f"{OPTION} has no mushrooms in it"),
            ],
        ),
    ),
)

AXIOM = Skill(
    "state axiom",
    "State one general rule, known to everybody, by which the query can be decided, and do not "
    "decide it yet. Write the rule as a sentence about the entities of the query, and as premises "
    "that facts of a knowledge graph can show to hold or not: for each an entity, the relations "
    "to follow from it, an operator, and what to compare with. Take names of entities and "
    "relations from the facts where they occur there. Put common knowledge into the rule, or into "
    "a premise of meaning, instead of asking the graph for it. With options, write "
    f"{OPTION} for the option in question, and a premise for every single thing that the query "
    "wants or that the person must not have or does not like. What was tried already led nowhere, "
    "for the reason given: differ from it in what is asked of the graph. If you cannot state a "
    "rule before you see facts about a name that was not looked up, give `mentions` alone. Neither "
    "mentions nor premises if you know no other rule.",
    ToSurface,
    StatedAxiom,
    examples=_EXAMPLES,
)
ANOTHER_AXIOM = replace(AXIOM, temperature=0.7)


class ToPick(BaseModel):
    question: str
    axiom: str = Field(description="the rule to be checked")
    facts: list[Statement] = Field(description="what is known, numbered")


class PickedFacts(BaseModel):
    thought: str = Field("", description="half a sentence: what the rule needs to know")
    indices: Annotated[list[int], Listed("facts")] = Field(
        description="positions of the facts that bear on the rule"
    )


PICK = Skill(
    "pick triples",
    "Pick the facts that may help to check the rule for the question; none if none do.",
    ToPick,
    PickedFacts,
    examples=(
        (
            ToPick(
                question="Could Edda Lorn have met Ivo Lorn?",
                axiom="People can meet if they lived at the same time.",
                facts=[
                    _fact("Edda Lorn", "occupation", "postmistress"),
                    _fact("Edda Lorn", "date of birth", "1881"),
                    _fact("Ivo Lorn", "date of death", "1930"),
                ],
            ),
            PickedFacts(thought="when each of them lived", indices=[1, 2]),
        ),
        (
            ToPick(
                question="Could Edda Lorn sing?",
                axiom="Members of a choir can sing.",
                facts=[_fact("Edda Lorn", "date of birth", "1881")],
            ),
            PickedFacts(thought="whether she was in a choir: nothing says so", indices=[]),
        ),
    ),
)


class Unsettled(BaseModel):
    """A premise that computing did not settle: in words alone, or compared by names that differ."""

    premise: str
    option: str = Field("", description="the option it is about")
    meaning: bool = Field(False, description="true: it is about what words mean, and takes no fact")
    computed: State | None = Field(None, description="what reckoning with the facts came to")
    by_names: State | None = Field(
        None, description="what it would be if other names always meant other things"
    )
    facts: list[int] = Field([], description="positions of the facts that were compared")


class ToJudge(BaseModel):
    question: str
    axiom: str = Field(description="the rule that the premises belong to")
    premises: list[Unsettled] = Field(description="what is to be judged, numbered")
    facts: list[Statement] = Field(description="what is known, numbered")
    assume: bool = Field(False, description="whether well-known general knowledge may stand in")


class PremiseVerdict(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={"forms": ["premise why facts state", "assumed premise why facts state"]}
    )
    premise: Annotated[int, Listed("premises")] = Field(-1, description="position of the premise")
    why: str = Field("", description="half a sentence: what the facts say to it")
    facts: Annotated[list[int], Listed("facts")] = Field(
        [], description="positions of the facts that decide it"
    )
    assumed: bool = Field(
        False, description="true when no fact says it, but everybody who knows the subject would"
    )
    state: State = Field(description="satisfied, violated, or open where it is not decided")


class PremiseVerdicts(BaseModel):
    verdicts: list[PremiseVerdict] = Field(description="one for each premise, in their order")


JUDGE = Skill(
    "judge premises",
    "Say of each premise whether the numbered facts satisfy or violate it, and which of them "
    "decide that. Rely on facts for whatever is particular, on common sense for what a word means "
    "and for how kinds of things relate: a Methodist is a Christian, bacon is pork, a number "
    "theorist is a mathematician. `by_names` is what comparing names alone comes to: it is "
    "wrong where two names mean the same or one is a kind of the other. A premise of meaning takes "
    "no facts. Where nothing decides, the premise is open: never guess. Only if `assume` is true "
    "may you decide a premise without a fact, by well-known general knowledge, and then say that "
    "it is assumed.",
    ToJudge,
    PremiseVerdicts,
    examples=(
        (
            ToJudge(
                question="Would Tomas Ruhl know the words of the mass?",
                axiom="A Catholic who lives among people knows the words of the mass.",
                premises=[
                    Unsettled(premise="Tomas Ruhl is a Catholic", by_names="violated", facts=[0]),
                    Unsettled(premise="Tomas Ruhl lives among people"),
                ],
                facts=[
                    _fact("Tomas Ruhl", "religion or worldview", "Ruthenian Greek Catholic Church"),
                    _fact("Tomas Ruhl", "place of birth", "Norhaven"),
                ],
            ),
            PremiseVerdicts(
                verdicts=[
                    PremiseVerdict(
                        premise=0,
                        why="the Ruthenian Greek Catholic Church is one of the Catholic churches",
                        facts=[0],
                        state="satisfied",
                    ),
                    PremiseVerdict(premise=1, why="no fact says how he lives", state="open"),
                ]
            ),
        ),
        (
            ToJudge(
                question="Did Mila Kern swim for a country at the sea?",
                axiom="Mila Kern must have swum for a country that has a coast.",
                premises=[
                    Unsettled(premise="Mila Kern swam for a country"),
                    Unsettled(premise="that country has a coast"),
                ],
                facts=[
                    _fact("Mila Kern", "occupation", "swimmer"),
                    _fact("Mila Kern", "country for sport", "Austria"),
                ],
                assume=True,
            ),
            PremiseVerdicts(
                verdicts=[
                    PremiseVerdict(
                        premise=0,
                        why="she was a swimmer and her country for sport is Austria",
                        facts=[0, 1],
                        state="satisfied",
                    ),
                    PremiseVerdict(
                        premise=1,
                        why="Austria is known to have no coast, though no fact here says so",
                        assumed=True,
                        state="violated",
                    ),
                ]
            ),
        ),
    ),
)


class ToName(BaseModel):
    question: str
    axiom: str = Field(description="the rule that is open")
    lacking: list[str] = Field(description="what would have to be known of it")
    facts: list[Statement] = Field(description="what is known")
    read: list[str] = Field([], description="entities whose facts are here already")


class MissingFact(BaseModel):
    text: str = Field(description="what has to be known, naming the entity; empty: nothing helps")
    name: str = Field(
        "",
        description="the entity whose facts would say it, as the facts name it; never one that was "
        "read; empty: there is none",
    )


MISSING = Skill(
    "name missing evidence",
    "The facts leave the rule open. Name the one thing that has to be known to decide it, and the "
    "entity whose facts would say it: preferably one that stands in the facts, never one that was "
    "read already.",
    ToName,
    MissingFact,
    examples=(
        (
            ToName(
                question="Does the mother of Tomas Ruhl speak Norse?",
                axiom="The mother of Tomas Ruhl must have learned Norse.",
                lacking=["the languages spoken of the mother of Tomas Ruhl"],
                facts=[_fact("Tomas Ruhl", "mother", "Gerda Ruhl")],
                read=["Tomas Ruhl"],
            ),
            MissingFact(text="the languages that Gerda Ruhl speaks", name="Gerda Ruhl"),
        ),
        (
            ToName(
                question="Would Edda Lorn have paid in crowns?",
                axiom="People pay in the currency of the country they live in.",
                lacking=["the currency of the country of Norhaven"],
                facts=[_fact("Edda Lorn", "residence", "Norhaven")],
                read=["Edda Lorn", "Norhaven"],
            ),
            MissingFact(text="the country that Norhaven lies in is not known", name=""),
        ),
    ),
)
