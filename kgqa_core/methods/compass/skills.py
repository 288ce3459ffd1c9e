"""What Compass asks of a model: a plan, a look, at most two repairs; or a choice in one reply."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kgqa_core.ask import bounds, shown
from kgqa_core.ask import invented as x
from kgqa_core.ask.listed import Listed
from kgqa_core.ask.skill import Skill
from kgqa_core.facts.premises import DESCRIPTION, Premise, State, Term
from kgqa_core.facts.terms import (
    Entity,
    Hit,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.methods.compass.plan import Plan, PlannedAxiom, PlanStep, ReasonedPlan
from kgqa_core.methods.r3.skills import OPTION, PremiseVerdict, Task, Unsettled
from kgqa_core.methods.react import SetView


class Behind(BaseModel):
    """Relations of what a relation of a start leads to, the nearest to the question first."""

    via: RelationUse
    relations: list[RelationUse]

    @property
    def pair(self) -> tuple[str, str]:
        """What it lies behind, and what is there: `director: place of birth, director ←`."""
        return _called(self.via), ", ".join(map(_called, self.relations))


def _called(use: RelationUse) -> str:
    return use.relation.name + " ←" * (use.direction == "in")


class Start(BaseModel):
    """An entity that a name of the question may mean; `shown` of its relations are printed."""

    titled_by: ClassVar[str] = "name"

    name: str
    mention: str
    candidate: Hit
    relations: list[RelationUse] = []
    qualifiers: list[str] = []  # of its statements
    shown: int = 8
    behind: list[Behind] = []

    def printed(self) -> dict[str, object]:
        """Without a mention that is the very name; a line for each relation looked behind."""
        same = self.mention == self.candidate.entity.name
        return {
            "mention": None if same else self.mention,
            "behind": dict(group.pair for group in self.behind) or None,
        }

    def shows(self, fact: Statement) -> bool:
        """Whether its description says it, or a relation whose values are all named.

        What points to it may be hundreds of things: some of them are named.
        """
        entity = self.candidate.entity
        if fact.subject == entity and fact.relation == DESCRIPTION:
            return True
        whole = self.relations[: shown.printed(self.shown)[0]]
        ends = {(fact.relation, "out"): fact.subject, (fact.relation, "in"): fact.object}
        return not fact.qualifiers and any(
            ends.get((use.relation, use.direction)) == entity
            and (use.direction == "in" or use.count <= len(use.examples))
            for use in whole
        )


class Worked(BaseModel):
    """A question like this one, and steps that answer it; `score` 1: the same wording.

    `called`: the names of their relations, which a prompt has in place of ids.
    """

    question: str
    score: float
    steps: list[dict[str, Any]]
    called: dict[str, str] = {}

    def printed(self) -> dict[str, Any]:
        """The steps with relations as the lists of the starts have them."""
        steps = [
            {**step, "relation": self.called.get(step["relation"], step["relation"])}
            if "relation" in step
            else step
            for step in self.steps
        ]
        return {"steps": steps, "called": None}

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

    `given`: the starts came with the question, and there are no others. `truth`: whether yes or no
    is asked; the examples say so.
    """

    question: str
    task: Task
    truth: bool = False
    starts: list[Start]
    unknown: list[str] = Field([], description="names that the graph does not have")
    examples: list[Worked] = []
    facts: list[Statement] = []
    given: bool = Field(False, description="true: the starts came with the question, and are all")

    def printed(self) -> dict[str, Any]:
        """The facts that the starts do not show: the beginning of them, more are read later."""
        new = [fact for fact in self.facts if not self._is_shown(fact)]
        return {"facts": shown.Uncited(new, bounds.PLANNED_BY), **self._task()}

    def _task(self) -> dict[str, Any]:
        """That a question is one goes without saying."""
        return {"truth": None} | ({"task": None} if self.task == "question" else {})

    def _is_shown(self, fact: Statement) -> bool:
        """Whether a start says it with its description, or with a relation's only values."""
        return any(start.shows(fact) for start in self.starts)


class ToRepair(ToPlan):
    """`sets`: the steps that were carried out, each with the relations that are there.

    `worded`: premises that have to be judged by the facts, `judged` whether they were by these;
    `near`: so many of the first facts are those that bear on the last rule.
    """

    sets: list[SetView] = []
    problems: list[str] = []
    rules: list[Standing] = []
    worded: list[Unsettled] = Field([], description="premises to be judged by the facts")
    judged: bool = Field(False, description="true: they were, by these facts")
    near: int = Field(0, description="so many of the first facts bear on the last rule")
    read: list[str] = Field([], description="names whose facts were read")

    @property
    def premises(self) -> list[Unsettled]:
        """What a verdict names by its position."""
        return self.worded

    def printed(self) -> dict[str, Any]:
        """All facts are there to be cited; a problem that stands beside its step is said once."""
        said = {view.problem for view in self.sets}
        return {"problems": [p for p in self.problems if p not in said], **self._task()}


class Repair(Plan):
    """Steps that replace those of the same id, and new ones."""


class ReasonedRepair(ReasonedPlan):
    model_config = ConfigDict(
        json_schema_extra={"seldom": ["expects", "more", "certain", "reading", "reason"]}
    )
    verdicts: list[PremiseVerdict] = Field(
        [], description="one for each of `worded`, in their order, by the numbered facts"
    )
    more: str = Field("", description="a name whose facts would decide an open premise")


class Carried(BaseModel):
    """A step that was carried out: what it did, and what came of it."""

    name: str
    did: str
    gave: list[Value] = []
    size: int = Field(0, description="how many, if not all are shown")
    dropped: list[Value] = Field([], description="what did not pass")
    tested: list[Value] = Field([], description="values that were tested")
    problem: str = ""

    def printed(self) -> dict[str, Any]:
        """“nothing” where nothing came of it; the number where not all are shown."""
        return {
            "gave": self.gave or "nothing",
            "size": self.size if self.size > len(self.gave) else 0,
        }


class Seen(BaseModel):
    """A value that was found. `what`: its description, `kinds`: what the graph says it is,
    `detail`: of the statement that led to it."""

    value: Value
    what: str = ""
    kinds: list[Value] = []
    detail: str = ""


class ToLook(BaseModel):
    """`steps`: those that were carried out; `answer`: what would be told."""

    question: str
    steps: list[Carried]
    values: list[Seen] = Field([], description="what the answer lists or counts, one by one")
    answer: str
    why: list[str] = Field([], description="why it is looked at")


class Look(BaseModel):
    thought: str = Field(
        "", description="first: what the steps ask of the graph, beside what the question asks"
    )
    values: Annotated[list[int], Listed("values")] = Field(
        [], description="choose: positions of those that are asked for"
    )
    reason: str = Field("", description="mend, give up: in a sentence, what is wrong or lacking")
    verdict: OneOf["tell", "choose", "mend", "give up"] = Field(
        description="tell: the answer holds as it is; choose: only some of the values are what is "
        "asked for; mend: another relation, time, order or kind would say it; give up: the graph "
        "does not say it",
    )

    @model_validator(mode="before")
    @classmethod
    def _as_meant(cls, said: Any) -> Any:
        """What chooses without saying so; and what says nothing against the answer."""
        if isinstance(said, dict) and not said.get("verdict"):
            return {**said, "verdict": "choose" if said.get("values") else "tell"}
        return said


class ToChoose(BaseModel):
    question: str
    options: list[str]
    facts: list[Statement] = Field(description="of the person who chooses and of the options")
    user: str = Field(description="what the facts call the person who chooses")


class OptionVerdict(BaseModel):
    """How a premise stands for an option, by the facts that are cited."""

    model_config = ConfigDict(
        json_schema_extra={
            "forms": [
                "option premise why facts state",
                "assumed option premise why facts state",
            ]
        }
    )
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
    "Plan how a question is answered from a knowledge graph. The starts are what its names may "
    "mean, each with relations that leave (→) and enter (←) it; of several of one name, begin with "
    "the one meant; if none is, give no steps and say so in `reason`. Write the steps: find looks "
    "up a further name; follow goes along one relation from all members of a set; keep leaves "
    "those whose relation passes a test, and with instance of narrower kinds, too; rank takes the "
    "one with the highest or lowest value of a relation, or of one per another; compute counts, "
    "sums, divides, compares, intersects and does date arithmetic. Call relations as they are "
    "listed; one that is not shown, or that a later set has, what it would be called: the nearest "
    "that lie behind some of them stand under `behind`. A start has no relations but those listed "
    "and those it says are not shown, identifiers and media apart. For each link take the one "
    "relation that says it; where that leads to other kinds as well, keep the kind asked for. "
    "Beliefs point the way and never count: only facts do."
)
_PROSE = " Where prose is asked for, the answer is what it is about."
_RULES = (
    " What facts settle as it stands is planned in steps, to a comparison, same or any at the end. "
    "Where the question takes common sense, give no answer step: state general rules, known to "
    "everybody, that decide it, each with a premise or two that facts can show to "
    "hold or not, of things by name or of a step that leads to one (s1). Common knowledge is part "
    "of the rule and needs no premise."
)
_REPAIR = (
    "A plan to answer a question from a knowledge graph was carried out as far as it went. `sets` "
    "are its steps with what they gave and the relations there; problems say what went wrong. "
    "Mend it: give steps anew by their id, or add further ones, and name the step that is the "
    "answer. Use relations that are listed; call one that is not shown what it would be called. "
    "What only comes near what is asked, or is said of something else, is no answer: if the graph "
    "cannot answer, say in `reason` what it lacks."
)
_LOOK = (
    "A question was put to a knowledge graph by a plan of steps, which nobody has seen the results "
    "of. Before the answer is told, look at them: does each step say what the question asks, from "
    "the thing it asks about, and is every value of the kind and of the time asked for? What is "
    "asked of today is not what has ended; “first” and “last” are one; “other” leaves out the "
    "thing itself. Where the graph states no kind, go by name and description. A value that you "
    "did not expect is no mistake: the graph may know better, and may have it by its id alone. A "
    "relation that only comes near what is asked, or a value of something else, is no answer."
)
_JUDGE = (
    " Judge the premises in `worded` by the numbered facts alone: what they do not decide is open. "
    "Name in `more` an entity whose facts would decide an open premise, or state another rule."
)

# -- worked examples -------------------------------------------------------------------------


def _start(entity: Entity, *relations: RelationUse, name: str = "n1") -> Start:
    return Start(name=name, mention=entity.label, candidate=x.hit(entity), relations=[*relations])


def _fact(subject: str, relation: str, value: str) -> Statement:
    at = "urn:kg:example/"
    return Statement(
        Entity(at + subject, subject), Relation(at + relation, relation), Entity(at + value, value)
    )


_BORN = _start(x.MARROW, x.use(x.BORN, "out", 1, "14 March 1902"))
_MARROW = _start(
    x.MARROW,
    x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow"),
    x.use(x.AUTHOR, "in", 2, "The Salt Lantern", "Grey Tide"),
    x.use(x.BORN, "out", 1, "14 March 1902"),
)
_JON = _start(
    x.JON,
    x.use(x.WORKS_FOR, "out", 3, "Velm Ferry Company"),
    x.use(x.BORN, "out", 1, "2 June 1931"),
)
_OF_A_FILM = (
    ToPlan(
        question="Who directed the film of Ilse Marrow's first novel?",
        task="question",
        starts=[_MARROW],
    ),
    Plan(
        thought="Of what she is the author of, the earliest; what is based on it; who directed it.",
        steps=[
            PlanStep(
                id="s1",
                do="follow",
                of="n1",
                relation=x.AUTHOR.label,
                direction="in",
                believed=["The Salt Lantern", "Grey Tide"],
            ),
            PlanStep(id="s2", do="rank", of="s1", relation="publication date", order="lowest"),
            PlanStep(id="s3", do="follow", of="s2", relation="based on", direction="in"),
            PlanStep(id="s4", do="follow", of="s3", relation="director"),
        ],
        answer="s4",
        expects="things",
    ),
)
_OF_A_TIME = (
    ToPlan(
        question="At what age did Jon Marrow begin at the Velm Ferry Company?",
        task="question",
        starts=[_JON],
    ),
    Plan(
        thought="When he was born; since when he worked there; the years between.",
        steps=[
            PlanStep(id="s1", do="follow", of="n1", relation=x.BORN.label),
            PlanStep(
                id="s2",
                do="follow",
                of="n1",
                relation=x.WORKS_FOR.label,
                value="Velm Ferry Company",
                qualifier="start time",
                believed=["1950"],
            ),
            PlanStep(id="s3", do="compute", operation="years_between", of="s2", with_set="s1"),
        ],
        answer="s3",
        expects="number",
    ),
)
_BY_STEPS = (
    ToPlan(
        question="Was Ilse Marrow born before 1900?",
        task="question",
        truth=True,
        starts=[_BORN],
    ),
    ReasonedPlan(
        thought="Her date of birth, compared with 1900: facts settle that.",
        steps=[
            PlanStep(
                id="s1",
                do="compute",
                operation="earlier",
                of="n1",
                relation=x.BORN.label,
                value="1900",
            )
        ],
        answer="s1",
        expects="yes or no",
    ),
)
_IN_A_LIST = (
    ToPlan(
        question="Is Jon Marrow a child of Ilse Marrow?",
        task="question",
        truth=True,
        starts=[
            _start(x.MARROW, x.use(x.CHILD, "out", 2, "Nora Marrow", "Jon Marrow")),
            _start(x.JON, x.use(x.WORKS_FOR, "out", 3, "Velm Ferry Company"), name="n2"),
        ],
    ),
    ReasonedPlan(
        thought="Her children, and whether he is one of them.",
        steps=[
            PlanStep(
                id="s1",
                do="follow",
                of="n1",
                relation=x.CHILD.label,
                believed=["Jon Marrow"],
            ),
            PlanStep(id="s2", do="compute", operation="same", of="s1", with_set="n2"),
        ],
        answer="s2",
        expects="yes or no",
    ),
)
_BY_RULE = (
    ToPlan(
        question="Could Ilse Marrow have sent a text message?",
        task="question",
        starts=[_BORN],
    ),
    ReasonedPlan(
        thought="Text messages began in 1992, as everybody knows.",
        steps=[],
        axioms=[
            PlannedAxiom(
                rule="Ilse Marrow must have lived in or after 1992 to send a text message.",
                premises=[
                    Premise(
                        text="Ilse Marrow was alive in or after 1992",
                        left=Term(entity="Ilse Marrow", function="lifetime"),
                        operator="≥",
                        right=Term(constants=("1992",), function="lifetime"),
                    )
                ],
                guess="no",
            )
        ],
    ),
)
_SAILED = PlanStep(id="s1", do="follow", of="n1", relation="shipping line", at="1955")
_LACKS = "n1 has nothing like “shipping line”. There is: employer, date of birth."
_MENDED = (
    ToRepair(
        question="For whom did Jon Marrow sail in 1955?",
        task="question",
        starts=[_JON],
        sets=[SetView(name="s1", by=_SAILED.told(), problem=_LACKS)],
        problems=[_LACKS],
    ),
    Repair(
        thought="Whom he sailed for was his employer.",
        steps=[_SAILED.model_copy(update={"relation": x.WORKS_FOR.label})],
        answer="s1",
        expects="things",
    ),
)
_PLAYS = PlanStep(id="s1", do="follow", of="n1", relation="instrument")
_NO_PLAYING = "n1 has no instrument. There is: employer, date of birth."
_GIVEN_UP = (
    ToRepair(
        question="Which instrument does Jon Marrow play?",
        task="question",
        starts=[_JON],
        sets=[SetView(name="s1", by=_PLAYS.told(), problem=_NO_PLAYING)],
        problems=[_NO_PLAYING],
    ),
    Repair(
        thought="Neither relation leads to an instrument.",
        steps=[],
        reason="The graph does not say what Jon Marrow plays.",
    ),
)
_KNOTS = "Whoever was a sailor for years can tie a knot."
_JUDGED = (
    ToRepair(
        question="Could Jon Marrow tie a knot?",
        task="question",
        starts=[_JON],
        facts=[_fact("Jon Marrow", "occupation", "able seaman"), x.SAILED],
        near=2,
        problems=["The plan has no step that is the answer yet."],
        rules=[Standing(rule=_KNOTS, premises=["Jon Marrow was a sailor for years (open)"])],
        worded=[Unsettled(premise="Jon Marrow was a sailor for years")],
        read=["Jon Marrow"],
    ),
    ReasonedRepair(
        thought="An able seaman is a sailor, and he was with a ferry company for eleven years.",
        steps=[],
        verdicts=[
            PremiseVerdict(
                premise=0,
                why="an able seaman at a ferry company from 1950 to 1961",
                facts=[0, 1],
                state="satisfied",
            )
        ],
    ),
)
_ISLAND = "Whoever lives in a place on an island lives on that island."
_READ_ON = (
    ToRepair(
        question="Did Ilse Marrow live on an island as a child?",
        task="question",
        starts=[_MARROW],
        facts=[x.BIRTHPLACE],
        near=1,
        problems=["The plan has no step that is the answer yet."],
        rules=[Standing(rule=_ISLAND, premises=["her place of birth is on an island (open)"])],
        worded=[Unsettled(premise="her place of birth is on an island")],
        read=["Ilse Marrow"],
    ),
    ReasonedRepair(
        thought="Where Port Quill lies is not among the facts; its own would say it.",
        steps=[],
        verdicts=[
            PremiseVerdict(premise=0, why="nothing is said of where Port Quill lies", state="open")
        ],
        more="Port Quill",
    ),
)
_PAPER = Entity("urn:kg:example/paper", "On the Fogs of Orvel", "lecture of 1926")
_ONLY_NOVELS = (
    ToLook(
        question="Which novels did Ilse Marrow write?",
        steps=[
            Carried(
                name="s1",
                did="Follow “author” back from Ilse Marrow",
                gave=[x.GREY_TIDE, _PAPER, x.LANTERN],
            )
        ],
        values=[
            Seen(value=x.GREY_TIDE, what=x.GREY_TIDE.description),
            Seen(value=_PAPER, what=_PAPER.description),
            Seen(value=x.LANTERN, what=x.LANTERN.description),
        ],
        answer="Grey Tide, On the Fogs of Orvel, … (3)",
        why=["not all of the values are described as what is asked for"],
    ),
    Look(thought="She wrote all three; the lecture is no novel.", verdict="choose", values=[0, 2]),
)
_NO_BOAT = (
    ToLook(
        question="Which ship did Jon Marrow sail on?",
        steps=[Carried(name="s1", did="Follow “employer” from Jon Marrow", gave=[x.VELM])],
        values=[Seen(value=x.VELM, what=x.VELM.description)],
        answer="Velm Ferry Company",
        why=["the plan was mended"],
    ),
    Look(
        thought="s1 is his employer, a company; a ship is asked for.",
        verdict="give up",
        reason="The graph has whom Jon Marrow worked for, not his ship.",
    ),
)
_AS_FOUND = (
    ToLook(
        question="Who is Ilse Marrow's child?",
        steps=[Carried(name="s1", did="Follow “child” from Ilse Marrow", gave=[x.JON, x.NORA])],
        values=[Seen(value=x.JON, what="sailor"), Seen(value=x.NORA, what="painter")],
        answer="Jon Marrow and Nora Marrow",
        why=["not what was expected: Jon Marrow"],
    ),
    Look(thought="s1 is her children; there are two, and the graph knows both.", verdict="tell"),
)
_SUPPER = (
    ToChoose(
        question="Something quick for supper.",
        options=["prawn noodles", "lentil soup"],
        facts=[
            _fact("Edda", "allergy", "shellfish"),
            _fact("prawn noodles", "ingredient", "prawns"),
            _fact("lentil soup", "ingredient", "lentils"),
            _fact("lentil soup", "preparation time", "20 minutes"),
        ],
        user="Edda",
    ),
    Choosing(
        thought="Both are quick; her allergy rules out prawns.",
        order=[1, 0],
        rule="What Edda gets must be a quick supper without shellfish.",
        premises=[f"{OPTION} is a quick supper", f"{OPTION} has no shellfish in it"],
        verdicts=[
            OptionVerdict(option=1, premise=0, why="20 minutes", facts=[3], state="satisfied"),
            OptionVerdict(option=1, premise=1, why="of lentils", facts=[2], state="satisfied"),
        ],
    ),
)
_TO_READ = (
    ToChoose(
        question="A novel for the crossing.",
        options=["Grey Tide", "The Salt Lantern"],
        facts=[
            _fact("Edda", "dislikes", "war stories"),
            _fact("Grey Tide", "genre", "adventure novel"),
            _fact("Grey Tide", "takes place in", "a harbour under siege"),
            _fact("The Salt Lantern", "genre", "family saga"),
        ],
        user="Edda",
    ),
    Choosing(
        thought="Adventure suits a crossing, but a siege is war.",
        order=[0, 1],
        rule="What Edda reads must be a novel that is no war story.",
        premises=[f"{OPTION} is a novel", f"{OPTION} is no war story"],
        verdicts=[
            OptionVerdict(option=0, premise=0, why="a genre of them", facts=[1], state="satisfied"),
            OptionVerdict(option=0, premise=1, why="under siege", facts=[2], state="violated"),
            OptionVerdict(option=1, premise=0, why="a genre of them", facts=[3], state="satisfied"),
            OptionVerdict(option=1, premise=1, why="of a family", facts=[3], state="satisfied"),
        ],
    ),
)

# -- what is asked ---------------------------------------------------------------------------


def _without_rules(example: tuple[ToPlan, ReasonedPlan]) -> tuple[ToPlan, Plan]:
    given, reply = example
    return given, Plan(**{name: getattr(reply, name) for name in Plan.model_fields})


PLAN = Skill(
    "plan",
    _STEPS + _PROSE,
    ToPlan,
    Plan,
    (_OF_A_FILM, _OF_A_TIME, *map(_without_rules, (_BY_STEPS, _IN_A_LIST))),
    state=lambda given: isinstance(given, ToPlan) and given.truth,
)
PLAN_RULES = Skill("plan with rules", _STEPS + _RULES, ToPlan, ReasonedPlan, (_BY_STEPS, _BY_RULE))
REPAIR = Skill("repair plan", _REPAIR, ToRepair, Repair, (_MENDED, _GIVEN_UP))
REPAIR_RULES = Skill(
    "repair plan with rules", _REPAIR + _JUDGE, ToRepair, ReasonedRepair, (_JUDGED, _READ_ON)
)

LOOK = Skill("look at what was found", _LOOK, ToLook, Look, (_ONLY_NOVELS, _NO_BOAT, _AS_FOUND))
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
    (_SUPPER, _TO_READ),
)
