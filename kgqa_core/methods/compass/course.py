"""One question on its way: the plan, and what has become of it."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask.run import Toolkit
from kgqa_core.ask.shown import texts_of
from kgqa_core.facts.premises import Facts, Judgement
from kgqa_core.facts.terms import Entity, Statement, Value
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.binding import Binding
from kgqa_core.methods.compass.orient import Map
from kgqa_core.methods.compass.plan import Plan, PlanStep
from kgqa_core.methods.compass.skills import Start
from kgqa_core.methods.r3.query import SMALL, unfit
from kgqa_core.methods.r3.skills import PremiseVerdict, Query, StatedAxiom, Task
from kgqa_core.methods.react import SetView
from kgqa_core.methods.walk import NodeSet
from kgqa_core.text import stems

_ASKS = re.compile(  # for values or for a text, whether or not it ends in a question mark
    r"(?:(?:please|can you|could you|and|so|until|till|since|to|from|in|into|on|at|by|with|for|of|"
    r"under|about|during|before|after|through|near|against|between) )*"
    r"(?:wh(?:o|om|ose|at|ich|ere|en|y)s?|hows?|tell|describe|explain|summari[sz]e|name|list|"
    r"find|show|give)\b",
    re.IGNORECASE,
)
_STATES = re.compile(  # what a text has that can be true or not; keywords have none of it
    r"\b(?:is|are|was|were|do|does|did|has|have|had|can|could|will|would|shall|should|may|might|"
    r"must|\w+n[’']t|(?:is|are|was|were|do|does|did|has|have|had|ca|could|wo|would|should)nt)\b|"
    r"[.?]\s*$",
    re.IGNORECASE,
)


_SOUGHT = re.compile(  # a noun with what is said of it, and no verb of its own: “year it was held”
    r"(?:the |first |last )*(?:year|date|day|month|century|time|place|city|town|village|country|"
    r"state|name|number|amount|age|height|length|depth|size|title)\b[^,.?]*?(?:"
    r"\b(?:that|which|who) (?:is|are|was|were|has|have|had)\b[^,.?]*|"
    r"\b(?:is|are|was|were) (?:\w+ed|born|held|built|made|won|found|seen|[a-z]+en))$",
    re.IGNORECASE,
)
_VERBS = re.compile(r"\b(?:is|are|was|were|do|does|did|has|have|had)\b", re.IGNORECASE)
_COULD = re.compile(r"\b(?:can|could|would|should|may|might|must|likely|possibl[ey])\b", re.I)
_COMPARED = frozenset(
    stems(
        "older younger earlier later before after more fewer less larger bigger smaller greater "
        "higher taller lower shorter longer deeper heavier lighter wider same"
    )
)
_LITTLE = _COMPARED | frozenset(
    stems(f"{' '.join(SMALL)} a an there any also both either as with by from than that one ever")
)


class Params(BaseModel):
    task: OneOf["auto", "question", "claim", "preference"] = Field(
        "auto", description="what is asked: a question, a claim, or options to choose from"
    )
    belief: bool = Field(True, description="what the model believes breaks ties and finds ways")
    templates: bool = Field(True, description="solved questions are executed, or shown as examples")
    behind: bool = Field(True, description="what lies behind the nearest relations is listed, too")
    repairs: int = Field(2, ge=0, le=4, description="calls to mend a plan that does not hold")
    premises: bool = Field(True, description="rules of common sense, decided by facts")
    look: bool = Field(True, description="one look at what was found, where it is not plain")
    passages: bool = Field(True, description="one reading of facts and passages before abstaining")
    learn: bool = Field(
        False, description="certain answers that hold claim by claim are kept as templates"
    )
    width: int = Field(300, ge=1, le=5000, description="entities of a set that are expanded")
    user: str = Field("user", description="what a personal graph calls the person who chooses")
    bound: dict[str, str] = Field(
        {}, description="step to the relation it is bound to, whatever the plan calls it"
    )
    beliefs: dict[str, str] = Field(
        {}, description="step to what is believed of it instead, values separated by |"
    )
    taken: dict[str, str] = Field(
        {}, description="step to what is taken for its values, whatever facts say; separated by |"
    )
    rejected: str = Field("", description="rules that must not be used, separated by |")


def _is_sought(text: str) -> bool:
    """Whether keywords ask for a value: one verb, and that of a clause beside a noun."""
    return bool(_SOUGHT.match(text)) and len(_VERBS.findall(text)) == 1


@dataclass
class Rule:
    """An axiom, how its premises stand, and by position what facts and the model made of them.

    `depth`: names whose facts were read for it; `over`: there are no more. `likened`: whether one
    of its names is only like what the graph has. `climbed`: of what their kinds were read.
    """

    axiom: StatedAxiom
    number: int
    judged: list[Judgement] = field(default_factory=list)
    computed: dict[int, Judgement] = field(default_factory=dict)
    verdicts: dict[int, PremiseVerdict] = field(default_factory=dict)
    depth: int = 0
    over: bool = False
    likened: bool = False
    climbed: set[Entity] = field(default_factory=set)


@dataclass
class Course:
    query: Query
    tools: Toolkit
    params: Params
    here: Map
    marked: bool = False  # as a claim, by its first words or by who asks
    plan: Plan = field(default_factory=lambda: Plan(steps=[]))
    done: dict[str, PlanStep] = field(default_factory=dict)
    sets: dict[str, NodeSet] = field(default_factory=dict)
    views: dict[str, SetView] = field(default_factory=dict)
    bound: dict[str, list[Binding]] = field(default_factory=dict)  # the one taken, then rivals
    doubts: dict[str, str] = field(default_factory=dict)  # by step: why it is no certainty
    problems: dict[str, str] = field(default_factory=dict)  # by step: why it came to nothing
    vague: set[str] = field(default_factory=set)  # steps whose values were not told apart
    facts: Facts = field(default_factory=Facts)  # what rules are held against
    rules: list[Rule] = field(default_factory=list)
    shown: list[Statement] = field(default_factory=list)  # facts that verdicts cite by position
    known: bool = False  # whether the plan is a template's, whose wording the question has
    looked: bool = False  # whether the model has seen what was found
    mended: bool = False  # whether other steps took the place of some that came to nothing
    mends: int = 0  # how often it was repaired
    judged: bool = False  # whether the premises in words were judged by the facts there are

    def __post_init__(self) -> None:
        for start in self.here.starts:
            self.begin(start)

    def begin(self, start: Start) -> None:
        self.sets.setdefault(
            start.name, NodeSet({start.candidate.entity: ()}, uses=tuple(start.relations))
        )

    @property
    def handles(self) -> dict[str, str]:
        """The starts by what they are called, in small letters; of several so called the first."""
        return {
            called.casefold(): start.name
            for start in reversed(self.here.starts)
            for called in (start.mention, start.candidate.entity.name)
            if called
        }

    @property
    def names(self) -> dict[str, str]:
        """What starts and steps are called, or lead to, by their handles."""
        steps = {step.id: f"step {n}" for n, step in enumerate(self.plan.steps, 1)}
        return steps | {k: telling.shown(found) for k, found in self.sets.items() if found.members}

    @property
    def task(self) -> Task:
        """What is put. Words without a question mark may be a claim, or ask for something."""
        return self.query.task if self.marked else "question"

    @property
    def decides(self) -> bool:
        """Whether yes or no is asked, or a claim put: then rules may decide it."""
        text = self.query.question.lstrip()
        states = _STATES.search(text) and not _ASKS.match(text) and not _is_sought(text)
        return self.params.premises and not unfit(self.query) and (self.marked or bool(states))

    @property
    def is_plain(self) -> bool:
        """Whether each word is of a name, of a relation there, or compares: facts settle that."""
        if self.tools.reads_all or _COULD.search(self.query.question) or self.unsaid:
            return False
        said = set(self._said)
        starts = self.here.starts
        proper = {start.mention for start in starts if start.mention[:1].isupper()}
        compared = said & _COMPARED and len(proper) > 1
        return bool((said & self._there) - _LITTLE or compared)

    @property
    def unsaid(self) -> list[str]:
        """Words of the question that neither names nor relations of what they mean have."""
        first = self.query.question.split()[0]
        little = _LITTLE | self._there | {"is", *stems(first)}
        return [word for stem, word in self._said.items() if stem not in little]

    @property
    def _said(self) -> dict[str, str]:
        """The words of the question beside names, by their stems."""
        words = self.query.question.split()
        named = {stem for start in self.here.starts for stem in stems(start.mention)}
        named |= {stem for word in words[1:] if word[:1].isupper() for stem in stems(word)}
        return {stem: word for word in words for stem in stems(word) if stem not in named}

    @property
    def _there(self) -> set[str]:
        """What the relations of the starts are called, in stems."""
        relations = {use.relation for start in self.here.starts for use in start.relations}
        return {stem for r in relations for name in texts_of(r) for stem in stems(name)}

    @property
    def takes_rules(self) -> bool:
        """Whether a repair may state rules: steps that failed are mended as steps first."""
        if self.tools.reads_all or self.rules or not self.plan.steps:
            return self.decides
        return self.decides and not self.is_plain and self.mends > 0

    def left(self, step: PlanStep) -> set[Value]:
        """What the plan came through before the set that this step goes on from."""
        by_id = {one.id: one for one in self.plan.steps}
        behind = {name for source in step.inputs for name in self.behind(source)}
        before = {need for name in behind for need in by_id[name].needs}
        return {m for name in before for m in self.sets.get(name, NodeSet({})).members}

    def behind(self, name: str) -> Iterator[str]:
        """The steps that a set rests on, itself first."""
        todo, seen = [name], set[str]()
        by_id = {step.id: step for step in self.plan.steps}
        while todo:
            here = todo.pop(0)
            if here in by_id and here not in seen:
                seen.add(here)
                yield here
                todo += by_id[here].needs

    @property
    def read(self) -> list[Entity]:
        return list(self.facts.read)
