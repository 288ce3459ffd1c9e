"""The skills that several methods share. A skill that one method needs stays in its file.

Every instruction is read by a language model, and answered without one by the built-in
reader; positions count from 0. Fields stand in the order in which a model is to think: what it
makes of the input, then what it chooses, then what that comes to. The worked examples are about
an invented world (`invented.py`).
"""

from __future__ import annotations

import re
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kgqa_core.ask import invented as x
from kgqa_core.ask import shown
from kgqa_core.ask.events import Mark, Support
from kgqa_core.ask.listed import Listed, before_name, relation_keys
from kgqa_core.ask.skill import Skill
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Hit, RelationUse, Statement, Value
from kgqa_core.text import listed

_CITED = re.compile(r"\[(\d+)\]")
NONE = -1  # in place of a position: none of what is listed


class Question(BaseModel):
    question: str


class Mentions(BaseModel):
    mentions: list[str] = Field(description="the names, the main one first")


EXTRACT = Skill(
    "extract entities",
    "List the names in the question that an encyclopaedia has an entry for. A concept, an "
    "occupation or a sort of thing (surrealism, film actor) only where nothing else is named, or "
    "things are chosen by it; in the singular. Copy each as it is written, but give the usual name "
    "for a misspelling, small letters, a nickname, or a word made of a name (Orvel for Orvelian). "
    "Leave out the sort of thing that is asked for, and words that only describe a relation.",
    Question,
    Mentions,
    examples=(
        (
            Question(question="Is Port Quill larger than the town where Ilse Marrow was born?"),
            Mentions(mentions=["Port Quill", "Ilse Marrow"]),
        ),
        (
            Question(question="Which languages are spoken on Orvel?"),
            Mentions(mentions=["Orvel"]),
        ),
    ),
)


class Candidate(BaseModel):
    """An entity a mention may mean, with the relations it takes part in: `shown` are printed."""

    hit: Hit
    relations: list[RelationUse] = []
    shown: int = 3


class WhichEntity(BaseModel):
    question: str
    mention: str = Field(description="the name in question")
    candidates: list[Candidate] = Field(
        description="entities of such a name, with relations that leave (→) and enter (←) them"
    )


class EntityChoice(BaseModel):
    why: str = Field("", description="half a sentence: what the question asks about, and who fits")
    index: Annotated[int, Listed("candidates", also=(-1,))] = Field(
        description="position of the candidate that is meant; -1: none of them"
    )


CHOOSE_ENTITY = Skill(
    "choose entity",
    "Several entities may be meant by the mention. Choose the one the question is about by its "
    "description; where several fit, the one whose relations could answer the question.",
    WhichEntity,
    EntityChoice,
    examples=(
        (
            WhichEntity(
                question="Who directed The Salt Lantern?",
                mention="The Salt Lantern",
                candidates=[
                    Candidate(
                        hit=x.hit(x.LANTERN), relations=[x.use(x.AUTHOR, "out", 1, "Ilse Marrow")]
                    ),
                    Candidate(
                        hit=x.hit(x.LANTERN_FILM),
                        relations=[x.use(x.DIRECTOR, "out", 1, "Tomas Wendeler")],
                    ),
                ],
            ),
            EntityChoice(why="films have a director, novels an author", index=1),
        ),
        (
            WhichEntity(
                question="When did the band Orvel break up?",
                mention="Orvel",
                candidates=[Candidate(hit=x.hit(x.ORVEL))],
            ),
            EntityChoice(why="a band is meant, and this is an island", index=-1),
        ),
    ),
)


CHOOSE_ANSWER = Skill(
    "choose answer",
    "The mention is an answer to the question, given as text. Choose the candidate that is this "
    "answer, by its description and by what the question asks for; -1 when none of them is.",
    WhichEntity,
    EntityChoice,
    examples=(
        (
            WhichEntity(
                question="Which book by Ilse Marrow was filmed?",
                mention="The Salt Lantern",
                candidates=[Candidate(hit=x.hit(x.LANTERN_FILM)), Candidate(hit=x.hit(x.LANTERN))],
            ),
            EntityChoice(why="a book is asked for, so the novel", index=1),
        ),
        (
            WhichEntity(
                question="On which ship did Jon Marrow sail?",
                mention="Orvel",
                candidates=[Candidate(hit=x.hit(x.ORVEL))],
            ),
            EntityChoice(why="a ship is asked for, and this is an island", index=-1),
        ),
    ),
)


class NamedCandidate(BaseModel):
    """An entity that one of several mentions may mean. `like`: where it was listed for another;
    `again`: its mention was said with the one before, or is its very name and means nothing else.
    """

    mention: str
    hit: Hit
    relations: list[RelationUse] = []
    shown: int = 2
    like: int | None = None
    again: bool = False

    def printed(self) -> dict[str, Any]:
        """The mention once; what was listed before is not described again."""
        mention = {"mention": None if self.again else self.mention, "again": None}
        if self.like is None:
            return mention
        said = f"{self.hit.entity.name}, as [{self.like}]"
        return {**mention, "hit": said, "relations": [], "like": None}


class WhichEntities(BaseModel):
    question: str
    candidates: list[NamedCandidate] = Field(
        description="for each name the entities that bear it, with relations that leave (→) and "
        "enter (←) them"
    )


class EntityChoices(BaseModel):
    chosen: list[EntityChoice] = Field(
        description="one candidate for each name; a name that means none of them is left out"
    )


_TWO_NAMES = WhichEntities(
    question="Is The Salt Lantern set in Port Quill?",
    candidates=[
        NamedCandidate(mention="The Salt Lantern", hit=x.hit(x.LANTERN)),
        NamedCandidate(mention="The Salt Lantern", hit=x.hit(x.LANTERN_FILM), again=True),
        NamedCandidate(mention="Port Quill", hit=x.hit(x.QUILL), again=True),
    ],
)
_NONE_OF_THEM = WhichEntities(
    question="Who sang The Salt Lantern on Orvel?",
    candidates=[
        NamedCandidate(mention="The Salt Lantern", hit=x.hit(x.LANTERN), again=True),
        NamedCandidate(mention="Orvel", hit=x.hit(x.ORVEL), again=True),
    ],
)
_TWO_CHOSEN = EntityChoices(
    chosen=[
        EntityChoice(why="novels have a setting", index=0),
        EntityChoice(why="the only one", index=2),
    ]
)
_ONE_CHOSEN = EntityChoices(chosen=[EntityChoice(why="the island; no song is there", index=1)])

CHOOSE_ENTITIES = Skill(
    "choose entities",
    "Each name in the question may mean several entities. Choose for each the one the question "
    "is about by its description; where several fit, the one whose relations could answer the "
    "question.",
    WhichEntities,
    EntityChoices,
    examples=((_TWO_NAMES, _TWO_CHOSEN), (_NONE_OF_THEM, _ONE_CHOSEN)),
)

CHOOSE_ANSWERS = Skill(
    "choose answers",
    "The names are answers to the question, given as text. Choose for each the candidate that is "
    "this answer, by its description and by what the question asks for.",
    WhichEntities,
    EntityChoices,
    examples=(
        (_TWO_NAMES.model_copy(update={"question": "What is set on Orvel?"}), _TWO_CHOSEN),
        (
            _NONE_OF_THEM.model_copy(update={"question": "What is sung where Jon Marrow sails?"}),
            _ONE_CHOSEN,
        ),
    ),
)


class Found(BaseModel):
    """A value a method arrived at, and the positions of the facts it rests on."""

    value: Value
    facts: list[int] = []


class FromFacts(BaseModel):
    """`found` is None when the reply has to find the answer in the facts itself."""

    question: str
    facts: list[Support] = Field(description="what is known, numbered")
    found: list[Found] | None = Field(
        None,
        description="what a walk through the facts arrived at, with the facts that led there: the "
        "answer, or what it follows from. Choose those that answer; of more than thirty that all "
        "do, name some: the rest is added",
    )
    notes: list[str] = Field([], description="why the walk went there")
    whole: list[str] = Field(
        [], description="lists that are all here: what such a one does not name is a No"
    )


class CitedSentence(BaseModel):
    text: str = Field(description="a short sentence")
    facts: Annotated[list[int], Listed("facts")] = Field(
        description="positions of the facts this sentence rests on"
    )

    @model_validator(mode="before")
    @classmethod
    def _bare(cls, said: Any) -> Any:
        """A sentence alone rests on what it cites in brackets: “She died in Ulm [3].”"""
        said = {"text": said} if isinstance(said, str) else said
        if not isinstance(said, dict) or "facts" in said or not isinstance(said.get("text"), str):
            return said
        cited = [int(n) for n in _CITED.findall(said["text"])]
        return {**said, "facts": cited} if cited else said


BARE = (  # what `values` of a reply holds
    "names as in the facts, dates as YYYY-MM-DD or, where only a year is stated or asked for, as "
    "YYYY; true or false, numbers without separators"
)


class FactAnswer(BaseModel):
    model_config = ConfigDict(json_schema_extra={"seldom": ["certain", "reading", "reason"]})
    thought: str = Field("", description="one short sentence: which facts answer, and how")
    sentences: list[CitedSentence] = Field(
        description="the answer in short sentences; empty when the facts do not contain it"
    )
    values: list[str] = Field(description=f"the bare answers: {BARE}")
    certain: bool = Field(True, description="false when the facts only suggest the answer")
    reading: str = Field("", description="how the question was understood, if that is in doubt")
    reason: str = Field(
        "",
        description="when there is no answer: what is missing, or that the facts are about a "
        "namesake of what is meant",
    )


_CHILDREN = FromFacts(
    question="Who are the children of the author of The Salt Lantern?",
    facts=[x.WROTE, x.NORAS, x.JONS, x.BIRTHPLACE],
)
_OLDER = FromFacts(
    question="Was Ilse Marrow born before 1900?",
    facts=[x.BIRTH],
)
_UNKNOWN = FromFacts(question="When was Nora Marrow born?", facts=[x.NORAS, x.BIRTH])
_CHILDREN_SAID = FactAnswer(
    thought="[0] names the author, [1] and [2] her children.",
    sentences=[
        CitedSentence(text="Ilse Marrow wrote The Salt Lantern.", facts=[0]),
        CitedSentence(text="Her children are Nora and Jon Marrow.", facts=[1, 2]),
    ],
    values=["Nora Marrow", "Jon Marrow"],
)
_UNKNOWN_SAID = FactAnswer(
    thought="[1] is the mother's date of birth, not hers.",
    sentences=[],
    values=[],
    reason="The date of birth of Nora Marrow is missing.",
)

ANSWER = Skill(
    "answer from facts",
    "Answer the question from the numbered facts alone, not from memory. `values` is what counts "
    "as your answer: yes or no where that is asked. Every sentence names the facts it rests on. "
    "What no fact says is not a No for that, but where a list is said to be all here. If the facts "
    "do not contain the answer, give no sentences and no values, and say in `reason` what is "
    "missing.",
    FromFacts,
    FactAnswer,
    examples=(
        (_CHILDREN, _CHILDREN_SAID),
        (
            _OLDER,
            FactAnswer(
                thought="She was born in 1902, after 1900.",
                sentences=[
                    CitedSentence(text="No, Ilse Marrow was born on 14 March 1902.", facts=[0])
                ],
                values=["false"],
            ),
        ),
        (_UNKNOWN, _UNKNOWN_SAID),
    ),
)


class Enough(BaseModel):
    """What comes before an answer: whether there is one. Who answers and does not say so has it."""

    thought: str = Field("", description="one sentence: what is known, or what is missing")
    sufficient: bool = Field(
        description="true if the facts answer the whole question: then answer; false: no sentences"
    )

    @model_validator(mode="before")
    @classmethod
    def _by_what_it_says(cls, said: Any) -> Any:
        if not isinstance(said, dict):
            return said
        if said.get("sufficient") is None:
            return {**said, "sufficient": bool(said.get("sentences") or said.get("values"))}
        if said["sufficient"] in (False, "false", "no"):  # then there is nothing to say
            return {**dict.fromkeys(("sentences", "values"), ()), **said}
        return said


class AnswerIfEnough(FactAnswer, Enough):  # a prompt has the fields of Enough first
    """An answer, or what of the facts further reading needs."""

    thought: str = Field("", description="one sentence: what is known, or what is missing")
    keep: Annotated[list[int], Listed("facts", also=(NONE,))] = Field(
        [],
        description="if not sufficient: positions of the facts still needed; -1: none of them; "
        "empty: all",
    )


ANSWER_IF_ENOUGH = Skill(
    "answer if enough",
    "Say whether the numbered facts alone, without anything from memory, answer the whole "
    "question. If they do, answer it: every sentence names the facts it rests on, and `values` is "
    "what counts as your answer. If they do not, give no sentences and no values; more facts will "
    "be read.",
    FromFacts,
    AnswerIfEnough,
    examples=(
        (_CHILDREN, AnswerIfEnough(**_CHILDREN_SAID.model_dump(), sufficient=True)),
        (
            _UNKNOWN,
            AnswerIfEnough(
                thought="Her own date of birth is missing.",
                sufficient=False,
                sentences=[],
                values=[],
                keep=[0],
            ),
        ),
    ),
)


class Draft(BaseModel):
    """An answer from the model's own knowledge: nothing in it is grounded."""

    thought: str = Field("", description="what you know of it, step by step")
    text: str = Field(description="the answer in one or two sentences; empty when unknown")
    values: list[str] = Field(
        description="the bare answers: names, dates as YYYY-MM-DD or a year alone as YYYY, true or "
        "false, plain numbers"
    )
    reason: str = Field("", description="when unknown: why")


RECALL = Skill(
    "answer directly",
    "Answer the question in one sentence, from what you know. If you do not know, leave the "
    "text empty and say why in `reason`. Leave `thought` empty.",
    Question,
    Draft,
)


class Said(BaseModel):
    """An answer's sentences, and the bare values it gives."""

    question: str
    sentences: list[str] = Field(description="what was said in answer to it")
    values: list[str] = Field([], description="the bare answers")


class AtomicClaim(BaseModel):
    model_config = ConfigDict(
        json_schema_extra={
            "forms": [
                "text sentence mentions",
                "answer text sentence mentions | reasoning",
                "reasoning text sentence mentions",
            ]
        }
    )
    text: str = Field(description="one fact, as a sentence that is understood by itself")
    sentence: Annotated[int, Listed("sentences")] = Field(
        0, description="position of the sentence it is from"
    )
    answer: str = Field(
        "",
        description="where the claim is the answer itself and says no more: what it answers with, "
        "as in `values`, or yes or no",
    )
    mentions: list[str] = Field([], description="names of things in it, as an encyclopaedia has")
    reasoning: bool = Field(
        False, description="true for a general rule, and for a conclusion such as yes or no"
    )


class Claims(BaseModel):
    claims: list[AtomicClaim] = Field(description="in the order of the sentences")


LIST_CLAIMS = Skill(
    "list claims",
    "Split the sentences into atomic claims: each states one single fact, with names in place of "
    "pronouns, so that it can be checked by itself. Say what the sentences say, right or wrong, "
    "and add nothing. What a sentence only means together with the question (a bare name) is "
    "written out.",
    Said,
    Claims,
    examples=(
        (
            Said(
                question="Where was Ilse Marrow born?",
                sentences=["She was born in Port Quill in 1902.", "Port Quill lies on Orvel."],
                values=["Port Quill"],
            ),
            Claims(
                claims=[
                    AtomicClaim(
                        text="Ilse Marrow was born in Port Quill.",
                        answer="Port Quill",
                        mentions=["Ilse Marrow", "Port Quill"],
                    ),
                    AtomicClaim(text="Ilse Marrow was born in 1902.", mentions=["Ilse Marrow"]),
                    AtomicClaim(
                        text="Port Quill lies on Orvel.",
                        sentence=1,
                        mentions=["Port Quill", "Orvel"],
                    ),
                ]
            ),
        ),
        (
            Said(
                question="Who directed The Salt Lantern?",
                sentences=["Tomas Wendeler."],
                values=["Tomas Wendeler"],
            ),
            Claims(
                claims=[
                    AtomicClaim(
                        text="Tomas Wendeler directed The Salt Lantern.",
                        answer="Tomas Wendeler",
                        mentions=["Tomas Wendeler", "The Salt Lantern"],
                    )
                ]
            ),
        ),
    ),
)


HOW_TO_JUDGE = (
    "Facts may be a part of what there is: that something is not among them, or a count of them, "
    "contradicts nothing. A claim that says it more roughly than a fact, or more finely (a day of "
    "the year that the fact has), is supported. A fact without a time, or of another time, does "
    "not contradict what is said of today."
)


class ToVerify(BaseModel):
    """`facts` begin with those that the claim's sentence cites: `cited` of them.

    `computed` are results of set operations and date arithmetic on facts; `axioms` the general
    rules the reasoning set out from.
    """

    question: str
    claim: str = Field(description="what is to be judged, said in answer to the question")
    facts: list[Support] = Field(description="what is known, numbered")
    cited: int = Field(0, description="so many facts, the first ones, were given for the claim")
    answer: str = Field("", description="what it answers with, if the claim is the answer itself")
    computed: list[str] = Field([], description="what was reckoned from facts: it holds")
    axioms: list[str] = Field([], description="general rules that the reasoning set out from")


class Verdict(BaseModel):
    why: str = Field("", description="half a sentence: what the facts say of it")
    facts: Annotated[list[int], Listed("facts")] = Field(
        [], description="positions of the facts that decide"
    )
    verdict: Mark = Field(
        description="supported: the facts state it or it follows from them; contradicted: they "
        "say otherwise; unsupported: they leave it open"
    )


VERIFY_CLAIM = Skill(
    "verify claim",
    "Judge the claim by the numbered facts alone, not from memory. It also holds if it follows "
    f"from what was computed; a general rule is supported when an axiom states it. {HOW_TO_JUDGE}",
    ToVerify,
    Verdict,
    examples=(
        (
            ToVerify(
                question="Where was Ilse Marrow born?",
                claim="Ilse Marrow was born on Orvel.",
                facts=[x.BIRTH, x.BIRTHPLACE, x.ON_ORVEL],
            ),
            Verdict(
                why="born in Port Quill, which lies on Orvel", facts=[1, 2], verdict="supported"
            ),
        ),
        (
            ToVerify(
                question="Who directed The Salt Lantern?",
                claim="Ilse Marrow directed The Salt Lantern.",
                facts=[x.DIRECTED, x.WROTE],
            ),
            Verdict(why="Tomas Wendeler directed it", facts=[0], verdict="contradicted"),
        ),
        (
            ToVerify(
                question="Is Nora Marrow married?",
                claim="Nora Marrow was married.",
                facts=[x.NORAS],
            ),
            Verdict(why="nothing is said of a marriage", verdict="unsupported"),
        ),
    ),
)


class ToFollow(BaseModel):
    """`relations` are those of `entities`; `facts` what was read so far.

    `whose`: for each relation the entities it belongs to, where there are several.
    """

    question: str
    entities: list[Entity] = Field(description="where the search stands")
    relations: list[RelationUse] = Field(
        description="relations that leave (→) or enter (←) them, with examples of where they lead"
    )
    whose: list[list[Entity]] = []
    facts: list[Statement] = Field([], description="what was read already")
    most: int = Field(description="so many relations may be chosen")
    shown: int = shown.RELATIONS

    def printed(self) -> dict[str, Any]:
        """The relations under the names of what they belong to, each of which is said once.

        As many with examples, and by name, as of one entity (`shown.py`).
        """
        if not self.whose:
            return {}
        keys = relation_keys([use.relation for use in self.relations])
        whole, by_name = shown.printed(self.shown)
        owned: dict[str, tuple[list[str], list[str]]] = {}
        for n, (use, owners) in enumerate(zip(self.relations, self.whose, strict=True)):
            if n == whole + by_name:
                break
            whose = listed(dict.fromkeys(map(verbalise.name, owners)), 2)
            name = f"[{n}] {before_name(use.relation, keys)}"
            told, named = owned.setdefault(whose, ([], []))
            if n < whole:
                told.append(f"  {name}{verbalise.relation_use(use)}")
            else:
                named.append(f"{name}{use.relation.name}{'' if use.direction == 'out' else ' ←'}")
        lines = []
        for whose, (told, named) in owned.items():
            lines += [f"of {whose}:", *told]
            lines += [f"  {'also ' * bool(told)}{'; '.join(named)}"] if named else []
        if (left := len(self.relations) - whole - by_name) > 0:
            lines.append(f"({left:,} more not shown)")
        return {"relations": "\n".join(lines), "whose": []}


class ScoredPick(BaseModel):
    index: Annotated[int, Listed("relations")] = Field(description="position of the relation")
    score: float = Field(1.0, ge=0, le=1, description="how much it may help, 0 to 1")


class Picks(BaseModel):
    thought: str = Field("", description="one sentence: what the question needs next")
    picked: list[ScoredPick] = Field(description="the best first; empty: none helps, list more")


CHOOSE_RELATIONS = Skill(
    "choose relations",
    "Choose the relations to follow from these entities towards the answer to the question, no "
    "more than may be chosen, and score how much each may help.",
    ToFollow,
    Picks,
    examples=(
        (
            ToFollow(
                question="Who directed the film of the novel that Ilse Marrow wrote in 1931?",
                entities=[x.MARROW],
                relations=[
                    x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow"),
                    x.use(x.AUTHOR, "in", 2, "The Salt Lantern", "Grey Tide"),
                    x.use(x.BORN_IN, "out", 1, "Port Quill"),
                ],
                most=2,
            ),
            Picks(
                thought="First her novels are needed: those of which she is the author.",
                picked=[ScoredPick(index=1, score=0.9)],
            ),
        ),
        (
            ToFollow(
                question="Which instrument does Ilse Marrow play?",
                entities=[x.MARROW],
                relations=[x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow")],
                most=3,
            ),
            Picks(thought="Nothing here leads to an instrument.", picked=[]),
        ),
    ),
)


class AnswerOrGoOn(FactAnswer, Enough):
    """An answer, or where to read on."""

    thought: str = Field("", description="one sentence: what is known, or what is missing")
    picked: list[ScoredPick] = Field(
        [],
        description="if not sufficient: the relations to follow, best first; empty: none helps, "
        "list more",
    )


_NOVELS_OF = ToFollow(
    question="Who directed the film of the novel that Ilse Marrow wrote in 1931?",
    entities=[x.LANTERN, x.GREY_TIDE],
    relations=[
        x.use(x.PUBLISHED, "out", 1, "1931"),
        x.use(x.BASED_ON, "in", 1, "The Salt Lantern"),
        x.use(x.PUBLISHED, "out", 1, "1938"),
    ],
    whose=[[x.LANTERN], [x.LANTERN], [x.GREY_TIDE]],
    facts=[x.WROTE, x.WROTE_TOO],
    most=2,
)

ANSWER_OR_GO_ON = Skill(
    "answer or go on",
    "Say whether the numbered facts alone, without anything from memory, answer the whole "
    "question. If they do, answer it: every sentence names the facts it rests on, and `values` is "
    "what counts as your answer. If they do not, give no sentences and no values, and choose which "
    "relations of which of the entities to follow, no more than may be chosen; score how much each "
    "may help.",
    ToFollow,
    AnswerOrGoOn,
    examples=(
        (
            _NOVELS_OF,
            AnswerOrGoOn(
                thought="The Salt Lantern is of 1931; a film based on it is missing.",
                sufficient=False,
                sentences=[],
                values=[],
                picked=[ScoredPick(index=1, score=0.9)],
            ),
        ),
        (
            _NOVELS_OF.model_copy(update={"question": "What did Ilse Marrow write?"}),
            AnswerOrGoOn(
                thought="[0] and [1] name her works.",
                sufficient=True,
                sentences=[
                    CitedSentence(text="She wrote The Salt Lantern and Grey Tide.", facts=[0, 1])
                ],
                values=["The Salt Lantern", "Grey Tide"],
            ),
        ),
    ),
)
