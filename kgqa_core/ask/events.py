"""All a run can report. Frozen, equal by value, free of ids and clocks: `run()` stamps them.

A run is an append-only list of these, wrapped in `Record`s, that ends in exactly one of
Answered, Abstained, Failed or Cancelled. Every view is a fold over a prefix of it.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Annotated, Any, ClassVar, Protocol
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter

from kgqa_core.facts import compute, verbalise
from kgqa_core.facts.premises import Judgement, Premise
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Hit,
    Passage,
    Relation,
    RelationUse,
    Statement,
    Value,
    telling_id,
)
from kgqa_core.text import counted, listed, plain, stems

Grounding = OneOf["grounded", "ungrounded", "abstained"]
Status = OneOf["running", "answered", "abstained", "failed", "cancelled"]
Support = Statement | Passage
Mark = OneOf["supported", "contradicted", "unsupported"]


NodeState = OneOf["anchor", "answer", "path", "frontier", "candidate", "pruned", "dead_end"]
EdgeState = OneOf["cited", "path", "frontier", "pruned"]
Provenance = OneOf["retrieved", "proposed", "corrected", "axiom", "computed"]


class Drawing(Protocol):
    """What an event may do to the picture of its run (`render/fold.py`).

    `detail` is how many things of a kind are worth drawing.
    """

    detail: int

    def see(self, statements: Iterable[Statement], provenance: Provenance = "retrieved") -> Any:
        """Statements come into view."""

    def take(self, statements: Iterable[Statement], state: EdgeState) -> None:
        """The walk goes along them."""

    def leave(self, statements: Iterable[Statement], entities: Iterable[Entity]) -> None:
        """Looked at, and not followed."""

    def say(self, entity: Entity, state: NodeState) -> Any:
        """How an entity stands from now on."""

    def beside(self, entities: Iterable[Entity | None]) -> None:
        """Entities found without a statement: a passage's, a row's."""

    def visit(self, entities: Sequence[Entity], statements: Iterable[Statement]) -> None:
        """The walk looks around entities, and sees statements."""

    def link(self, mention: str, candidates: Sequence[Entity]) -> None:
        """What a mention may mean, best first."""

    def anchor(self, mention: str, entity: Entity, named: bool) -> None:
        """What it was taken to mean."""

    def compute(
        self,
        operation: str,
        result: Sequence[Value],
        because: tuple[Statement, ...],
        of: Sequence[Value] = (),
    ) -> None:
        """What was reckoned, from what; of a count, `of`: what was counted."""

    def correct(self, claimed: Statement | None, found: Statement | None, *, wrong: bool) -> None:
        """A claim and the fact that stands for it; None: there is none."""

    def rule(self, text: str, entities: Sequence[Entity]) -> None:
        """An axiom about entities."""

    def answer(self, answer: Answer) -> None:
        """What the run ends with."""


class Event(BaseModel):
    """Each kind brings its words and its drawing; one that brings none is shown otherwise.

    A new kind is a class like those below and a line in `AnyEvent`.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    terminal: ClassVar[bool] = False
    heading: ClassVar[str] = ""  # of the step that a terminal event is

    @property
    def line(self) -> str:
        """The event in one line of plain text."""
        return ""

    def draw(self, graph: Drawing) -> None:
        """Puts what it says of the graph into the picture."""


# behind a reading that nothing but a chance speaks for
GUESSED = ": a guess; of such readings {} in 10 are right"


class Sentence(BaseModel):
    """Part of an answer; `cites` are positions in the answer's citations, none: ungrounded."""

    model_config = ConfigDict(frozen=True)
    text: str
    cites: tuple[int, ...] = ()

    def behind(self, first: int) -> Sentence:
        """The same behind an answer that has so many citations."""
        return self.model_copy(update={"cites": tuple(first + n for n in self.cites)})


class Answer(BaseModel):
    """What a method returns. No sentences: it found no answer, and `reason` says why.

    `reading` is how the question was understood; `certain` is False when part of that is a guess.
    """

    model_config = ConfigDict(frozen=True)
    sentences: tuple[Sentence, ...] = ()
    values: tuple[Value, ...] = ()
    citations: tuple[Support, ...] = ()
    reading: str = ""
    certain: bool = True
    reason: str = ""

    @property
    def text(self) -> str:
        return " ".join(sentence.text for sentence in self.sentences)

    @property
    def is_guess(self) -> bool:
        """Whether its reading says that it is a guess at what is asked."""
        return not self.certain and GUESSED.partition("{}")[0] in self.reading

    @property
    def grounding(self) -> Grounding:
        if not self.sentences:
            return "abstained"
        return "grounded" if all(s.cites for s in self.sentences) else "ungrounded"


class Step(Event):
    """A new step begins: what the method is about to do, in words."""

    kind: OneOf["step"] = "step"
    title: str
    thought: str = ""


class Asked(Event):
    """A skill was put to the model. `reply` is what it said, `parsed` what was understood.

    Yielded before the reply is judged: `problem` says what was wrong with it. `given` is a digest
    of what the skill was given: a fork reuses the reply where it meets the same again. `reused`:
    the reply was taken from a parent run, or written by hand; no model was called.
    """

    kind: OneOf["asked"] = "asked"
    skill: str
    prompt: str
    reply: str = ""
    parsed: dict[str, Any] | None = None
    problem: str = ""
    rung: str = (
        ""  # how the structured reply was obtained: json_schema, json_object, prompt, reader
    )
    tokens_estimated: bool = False
    reasoning: str = ""
    given: str = ""
    reused: bool = False

    @property
    def line(self) -> str:
        note = f": {self.problem}" if self.problem else ""
        who = "Reader" if self.rung == "reader" else "Model"
        return f"{who}: {self.skill}{note}"


class Linked(Event):
    """Mentions looked up in the graph; one list of candidates per mention, best first."""

    kind: OneOf["linked"] = "linked"
    mentions: tuple[str, ...]
    candidates: tuple[tuple[Hit, ...], ...]

    @property
    def line(self) -> str:
        parts = [
            f"“{mention}”: " + (_names(h.entity.name for h in hits) or "nothing found")
            for mention, hits in zip(self.mentions, self.candidates, strict=True)
        ]
        return "Looked up " + "; ".join(parts) if parts else "No name to look up"

    def draw(self, graph: Drawing) -> None:
        for mention, hits in zip(self.mentions, self.candidates, strict=True):
            graph.link(mention, [hit.entity for hit in hits])


class Anchored(Event):
    """An entity was chosen for a mention: the walk starts here."""

    kind: OneOf["anchored"] = "anchored"
    mention: str
    entity: Entity
    why: str = ""

    @property
    def named(self) -> bool:
        """Whether it is called so, not only much like one of its other names: “Sky Blues”, in
        “Why is the sky blue?”.
        """
        names = (self.entity.name, *self.entity.aliases)
        if not self.mention.islower() or plain(self.mention) in map(plain, names):
            return True
        return {*stems(self.mention)} <= {*stems(self.entity.name)}

    @property
    def line(self) -> str:
        why = f" ({self.why})" if self.why else ""
        entity = self.entity
        about = f", {entity.description}" if entity.description else ""
        by = f", {known}" if (known := telling_id(entity.id)) else ""
        return f"“{self.mention}” is {entity.name}{by}{about}{why}"

    def draw(self, graph: Drawing) -> None:
        graph.anchor(self.mention, self.entity, self.named)


class Surveyed(Event):
    """Which relations leave and enter a set of entities (no statements drawn yet).

    `aside`: what the question does not ask for, in words; each such relation once in a run.
    """

    kind: OneOf["surveyed"] = "surveyed"
    entities: tuple[Entity, ...]
    relations: tuple[RelationUse, ...]
    aside: str = ""

    @property
    def line(self) -> str:
        names = _names((verbalise.relation_use(u) for u in self.relations), 6)
        aside = f"; left aside: {self.aside}" if self.aside else ""
        return f"{counted(len(self.relations), 'relation')} to choose from: {names}{aside}"


class Expanded(Event):
    """Statements were retrieved around entities. `relation` None: all of them.

    `aside`: what the question does not ask for, in words; each such relation once in a run.
    """

    kind: OneOf["expanded"] = "expanded"
    entities: tuple[Entity, ...]
    statements: tuple[Statement, ...]
    relation: Relation | None = None
    direction: Direction | None = None
    truncated: bool = False
    aside: str = ""

    @property
    def line(self) -> str:
        about = f" by “{self.relation.name}”" if self.relation else ""
        cut = ", more were left out" if self.truncated else ""
        count = counted(len(self.statements), "fact")
        aside = f"; left aside: {self.aside}" if self.aside else ""
        return f"{count}{about} around {_names(e.name for e in self.entities)}{cut}{aside}"

    def draw(self, graph: Drawing) -> None:
        graph.visit(self.entities, self.statements)


class Retrieved(Event):
    """Statements or passages found by meaning; `scores` are cosines in [-1, 1]."""

    kind: OneOf["retrieved"] = "retrieved"
    query: str
    found: tuple[Support, ...]
    scores: tuple[float, ...] = ()

    @property
    def line(self) -> str:
        return f"{len(self.found)} nearest to “{self.query}”"

    def draw(self, graph: Drawing) -> None:
        graph.see([s for s in self.found if isinstance(s, Statement)])
        graph.beside(p.entity for p in self.found if not isinstance(p, Statement))


class Queried(Event):
    """A SPARQL query and its rows; `more`: there were further rows."""

    kind: OneOf["queried"] = "queried"
    sparql: str
    columns: tuple[str, ...] = ()
    rows: tuple[tuple[Value | None, ...], ...] = ()
    more: bool = False

    @property
    def line(self) -> str:
        cut = ", more were left out" if self.more else ""
        return f"{counted(len(self.rows), 'row')} from SPARQL{cut}"

    def draw(self, graph: Drawing) -> None:
        cells = (v for row in self.rows[: graph.detail] for v in row)
        graph.beside(v for v in cells if isinstance(v, Entity))


class Chosen(Event):
    """The walk goes on along these statements."""

    kind: OneOf["chosen"] = "chosen"
    statements: tuple[Statement, ...]
    entities: tuple[Entity, ...] = ()
    why: str = ""

    @property
    def line(self) -> str:
        names = _names((e.name for e in self.entities), 8)
        return f"Went on with {names or _count(self.statements)}"

    def draw(self, graph: Drawing) -> None:
        graph.take(self.statements, "path")
        for entity in self.entities:
            graph.say(entity, "path")


class Pruned(Event):
    """Looked at and left: `statements` or `entities` not followed."""

    kind: OneOf["pruned"] = "pruned"
    statements: tuple[Statement, ...] = ()
    entities: tuple[Entity, ...] = ()
    why: str = ""

    @property
    def line(self) -> str:
        names = _names(e.name for e in self.entities)
        return f"Left {names or _count(self.statements)}: {self.why}"

    def draw(self, graph: Drawing) -> None:
        graph.leave(self.statements, self.entities)


class DeadEnd(Event):
    """Nothing further from here."""

    kind: OneOf["dead_end"] = "dead_end"
    entities: tuple[Entity, ...]
    why: str

    @property
    def line(self) -> str:
        return f"Dead end at {_names(e.name for e in self.entities)}: {self.why}"

    def draw(self, graph: Drawing) -> None:
        for entity in self.entities[: graph.detail]:
            graph.say(entity, "dead_end")


class Computed(Event):
    """A set operation or date arithmetic: no model, no guess."""

    kind: OneOf["computed"] = "computed"
    operation: str
    arguments: tuple[str, ...]
    result: tuple[Value, ...]
    because: tuple[Statement, ...] = ()
    of: tuple[Value, ...] = ()  # what a count counted

    @property
    def line(self) -> str:
        result = listed(map(verbalise.value, self.result), 5)
        return f"{compute.words(self.operation, self.arguments)} = {result or 'nothing'}"

    def draw(self, graph: Drawing) -> None:
        graph.compute(self.operation, self.result, self.because, self.of)


class SubQuestion(BaseModel):
    """A sub-question (Keqing, Table 1): `needs` are the ids of those whose answers it takes."""

    model_config = ConfigDict(frozen=True)
    id: int
    text: str
    needs: tuple[int, ...] = ()
    seeds: tuple[str, ...] = ()
    operation: str = ""


class Decomposed(Event):
    """A question was split into sub-questions (Keqing)."""

    kind: OneOf["decomposed"] = "decomposed"
    parts: tuple[SubQuestion, ...]

    @property
    def line(self) -> str:
        return "; ".join(
            f"{p.id + 1}. {p.operation or p.text}"
            + (f" (from {', '.join(str(n + 1) for n in p.needs)})" if p.needs else "")
            for p in self.parts
        )


class Matched(Event):
    """Templates for a sub-question, best first, each with its score and its logical chains."""

    kind: OneOf["matched"] = "matched"
    part: int
    text: str
    templates: tuple[str, ...]
    scores: tuple[float, ...]
    chains: tuple[tuple[str, ...], ...]

    @property
    def line(self) -> str:
        found = (
            f"“{text}” {score:.2f}, {' or '.join(chains)}"
            for text, score, chains in zip(self.templates, self.scores, self.chains, strict=True)
        )
        return f"Like {_names(found)}" if self.templates else "Like no template"


class Followed(Event):
    """Where a logical chain led from the start of a sub-question: `count` ends, the first few."""

    kind: OneOf["followed"] = "followed"
    part: int
    template: str
    chain: str
    count: int
    ends: tuple[Value, ...] = ()

    @property
    def line(self) -> str:
        ends = _names((verbalise.value(v) for v in self.ends), 3)
        return (
            f"{self.chain} led to {self.count:,}: {ends}" if ends else (f"{self.chain} led nowhere")
        )


class Solved(Event):
    """A sub-question has its answers; `cut` are candidates that were not picked."""

    kind: OneOf["solved"] = "solved"
    part: int
    values: tuple[Value, ...]
    cut: tuple[Value, ...] = ()

    @property
    def line(self) -> str:
        values = _names((verbalise.value(v) for v in self.values), 8)
        cut = f"; not {_names(verbalise.value(v) for v in self.cut)}" if self.cut else ""
        return f"Answer {self.part + 1}: {values or 'none'}{cut}"


class Proposed(Event):
    """Statements the model made up, to be checked (PG&AKV: pseudo-graph).

    `script` is what it wrote, `plan` which knowledge it found necessary; `mended` and `lost` say
    line by line what of the script had to be guessed, and what could not be used.
    """

    kind: OneOf["proposed"] = "proposed"
    statements: tuple[Statement, ...]
    script: str = ""
    plan: str = ""
    mended: tuple[str, ...] = ()
    lost: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        return f"The model proposed {_count(self.statements)}"

    def draw(self, graph: Drawing) -> None:
        graph.see(self.statements, "proposed")


class Weight(BaseModel):
    """A subject of retrieved statements (PG&AKV, two-step pruning).

    `triples` in which it appears; `confidence` the mean cosine of those it is the subject of.
    `cut` names the step that cut it: 1 by the count, 2 by the confidence; 0 neither.
    """

    model_config = ConfigDict(frozen=True)
    entity: Entity
    triples: int
    confidence: float
    cut: OneOf[0, 1, 2] = 0


class Weighed(Event):
    """The gold graph: what pruning left of the retrieved statements (PG&AKV).

    At most `most` subjects with a confidence of at least `least`; `weights` in the order in which
    the first step ranked them, `statements` as the model reads them, the surest subject last.
    """

    kind: OneOf["weighed"] = "weighed"
    weights: tuple[Weight, ...]
    statements: tuple[Statement, ...]
    most: int
    least: float

    @property
    def line(self) -> str:
        sure = (f"{w.entity.name} {w.confidence:.2f}" for w in self.weights if not w.cut)
        kept = _names(sure, 6) or "no subject"
        return f"Gold graph, {_count(self.statements)}: {kept} of {len(self.weights)}"


Outcome = OneOf["", "kept", "replaced", "dropped", "added"]


class Corrected(Event):
    """A proposed statement checked against the graph (PG&AKV).

    `similarity` is the cosine of the two statements, if they were compared.
    """

    kind: OneOf["corrected"] = "corrected"
    claimed: Statement | None  # None: added, the model had not thought of it
    found: Statement | None  # None: unsupported, the claim is dropped
    because: tuple[Statement, ...] = ()
    similarity: float | None = None
    outcome: Outcome = ""
    why: str = ""

    @property
    def line(self) -> str:
        was = verbalise.statement(self.claimed) if self.claimed else "nothing"
        now = verbalise.statement(self.found) if self.found else "unsupported"
        why = f" ({self.why})" if self.why else ""
        return f"{self.outcome.capitalize()}: {was} → {now}{why}".removeprefix(": ")

    def draw(self, graph: Drawing) -> None:
        graph.see(self.because)
        wrong = self.outcome != "kept"
        graph.correct(self.claimed, self.found, wrong=wrong)


class Fixed(Event):
    """The fixed graph: the gold statements that verification kept, put in, or added (PG&AKV).

    `appended`: the model kept what the graph contradicts or does not know, and added the gold
    graph behind it, instead of correcting anything (the main failure the paper reports).
    """

    kind: OneOf["fixed"] = "fixed"
    statements: tuple[Statement, ...]
    appended: bool = False

    @property
    def line(self) -> str:
        return f"Fixed graph: {_count(self.statements)}"


class Axiom(Event):
    """A commonsense axiom surfaced from the model (R3), with the entities it is about.

    It opens a branch: when all (or any) of its premises hold, the query is `answer`. `guess` is
    what the model thought before it saw the facts.
    """

    kind: OneOf["axiom"] = "axiom"
    text: str
    entities: tuple[Entity, ...] = ()
    branch: int = 0
    premises: tuple[Premise, ...] = ()
    connective: OneOf["all", "any"] = "all"
    answer: bool = True
    guess: str = ""

    @property
    def line(self) -> str:
        return f"Axiom: {self.text}"

    def draw(self, graph: Drawing) -> None:
        graph.rule(self.text, self.entities)


class Judged(Event):
    """How an axiom's premises stand with the facts at a depth (R3); of one option, if any."""

    kind: OneOf["judged"] = "judged"
    branch: int
    depth: int
    judgements: tuple[Judgement, ...]
    option: str = ""

    @property
    def line(self) -> str:
        marks = {"satisfied": "holds", "violated": "fails", "open": "is open"}
        return "; ".join(f"“{j.premise.text}” {marks[j.state]}" for j in self.judgements)


class MissingEvidence(Event):
    """What the open premises lack, and the entity whose facts are read next (R3).

    `entity` None: none was found, the branch ends. `known`: it stands in the facts already.
    """

    kind: OneOf["missing_evidence"] = "missing_evidence"
    branch: int
    depth: int
    text: str
    entity: Entity | None = None
    known: bool = False

    @property
    def line(self) -> str:
        then = f"read {self.entity.name} next" if self.entity else "nothing to read"
        return f"Missing: {self.text}; {then}"


class Verdict(Event):
    """What a branch comes to (R3). `believed`: what the model had guessed, where it differs."""

    kind: OneOf["verdict"] = "verdict"
    branch: int
    depth: int
    verdict: OneOf["true", "false", "undetermined"]
    why: str = ""
    option: str = ""
    believed: str = ""

    @property
    def line(self) -> str:
        said = f"{self.verdict}: {self.option}" if self.option else self.verdict
        return f"Verdict of branch {self.branch + 1}: {said}"


PlannedBy = OneOf["model", "template", "repair"]
How = OneOf["id", "name", "turned", "alias", "likeness", "path"]


class PlanNode(BaseModel):
    """A start or step of a plan in words; `needs` are those it works on (Compass).

    `mention`: what the question calls a start. `plain`: a step along one relation, no more.
    `apart`: the sets whose members are none of its values.
    """

    model_config = ConfigDict(frozen=True)
    id: str
    text: str
    mention: str = ""
    plain: bool = False
    needs: tuple[str, ...] = ()
    apart: tuple[str, ...] = ()
    believed: tuple[str, ...] = ()


class Planned(Event):
    """A plan, or what a repair made of it (Compass). `answer`: the step that will answer."""

    kind: OneOf["planned"] = "planned"
    starts: tuple[PlanNode, ...]
    steps: tuple[PlanNode, ...]
    answer: str = ""
    thought: str = ""
    by: PlannedBy = "model"

    @property
    def line(self) -> str:
        said = {"model": "Plan", "template": "Known plan", "repair": "Plan, mended"}[self.by]
        return f"{said}: {'; '.join(s.text for s in self.steps) or 'no step'}"


class Recalled(Event):
    """The question is like one that was solved before, and goes its way (Compass, Keqing)."""

    kind: OneOf["recalled"] = "recalled"
    template: str

    @property
    def line(self) -> str:
        return f"Solved before: “{self.template.replace('[mask]', '…')}”; no model is asked"


class Bound(Event):
    """What a step calls a relation is one of the graph (Compass).

    `rivals` were tried beside it; `path`: relations of the way that a belief showed.
    """

    kind: OneOf["bound"] = "bound"
    step: str
    asked: str
    relation: Relation
    direction: Direction
    how: How
    score: float = 1.0
    rivals: tuple[str, ...] = ()
    path: tuple[str, ...] = ()

    @property
    def line(self) -> str:
        arrow = "→" if self.direction == "out" else "←"
        way = " ".join(self.path) if len(self.path) > 1 else self.relation.name
        over = f", rather than {_names(self.rivals)}" if self.rivals else ""
        if self.how == "id":
            return f"{self.step} takes {arrow} {way}, named by its id{over}"
        return f"“{self.asked or self.relation.name}” is {arrow} {way} ({self.how}){over}"


class Filled(Event):
    """A step of a plan was carried out: `count` values, the first few (Compass)."""

    kind: OneOf["filled"] = "filled"
    step: str
    state: OneOf["done", "empty", "failed"]
    values: tuple[Value, ...] = ()
    count: int = 0
    why: str = ""

    @property
    def line(self) -> str:
        if self.state == "failed":
            return f"{self.step} could not be carried out: {self.why}"
        names = _names((verbalise.value(v) for v in self.values), 5)
        return f"{self.step} = {names}" if names else f"{self.step} is empty"


class Believed(Event):
    """A value the model believed a step to give, held against the graph (Compass, PG&AKV).

    That it was right grounds nothing. `taken`: somebody lets it stand against the graph.
    """

    kind: OneOf["believed"] = "believed"
    step: str
    text: str
    outcome: Outcome | OneOf["taken"]
    found: tuple[Value, ...] = ()
    because: tuple[Statement, ...] = ()

    @property
    def line(self) -> str:
        now = _names(verbalise.value(v) for v in self.found)
        instead = f" by {now}" if self.outcome == "replaced" else ""
        return f"Believed {self.text}: {self.outcome}{instead}"


class CheckedClaim(BaseModel):
    """An atomic claim of the answer, and what the graph says of it.

    `sentence` is its position in the answer; `facts` decided. `reasoning`: a general rule or a
    conclusion, no fact by itself; a rule is held against the run's axioms, `axiom` states it.
    """

    model_config = ConfigDict(frozen=True)
    text: str
    mark: Mark
    sentence: int = 0
    facts: tuple[Support, ...] = ()
    why: str = ""
    reasoning: bool = False
    axiom: str = ""


class Audited(Event):
    """The answer was checked claim by claim (`audit.py`); `by` is who judged.

    `unread`: how many further claims of a long answer were not looked at.
    """

    kind: OneOf["audited"] = "audited"
    claims: tuple[CheckedClaim, ...]
    by: str
    unread: int = 0

    @property
    def facts(self) -> tuple[CheckedClaim, ...]:
        """The claims about facts: those that count for faithfulness."""
        return tuple(claim for claim in self.claims if not claim.reasoning)

    @property
    def reasoning(self) -> tuple[CheckedClaim, ...]:
        """The rules and conclusions among the claims."""
        return tuple(claim for claim in self.claims if claim.reasoning)

    @property
    def support(self) -> float | None:
        """The share of the factual claims that is supported; None when there is none."""
        facts = self.facts
        return _supported(facts) / len(facts) if facts else None

    @property
    def line(self) -> str:
        return f"Audit by the {self.by}: {self.summary}"

    @property
    def summary(self) -> str:
        """`3 of 4 claims supported, 1 contradicted; reasoning 1 of 1`."""
        parts = []
        if facts := self.facts:
            parts.append(f"{_supported(facts)} of {counted(len(facts), 'claim')} supported")
            if against := sum(c.mark == "contradicted" for c in facts):
                parts[0] += f", {against} contradicted"
        if reasoning := self.reasoning:
            parts.append(f"reasoning {_supported(reasoning)} of {len(reasoning)}")
        if self.unread:
            parts.append(f"{self.unread:,} more not checked")
        return "; ".join(parts) or "no claim to check"


class Noted(Event):
    """Something the user should know, in one sentence; or what was believed and does not count."""

    kind: OneOf["noted"] = "noted"
    text: str
    level: OneOf["info", "warning", "belief"] = "info"

    @property
    def line(self) -> str:
        return self.text


class Answered(Event):
    kind: OneOf["answered"] = "answered"
    terminal: ClassVar[bool] = True
    heading: ClassVar[str] = "Answer"
    answer: Answer

    def draw(self, graph: Drawing) -> None:
        graph.answer(self.answer)


class Abstained(Event):
    """The method does not know, and says why."""

    kind: OneOf["abstained"] = "abstained"
    terminal: ClassVar[bool] = True
    heading: ClassVar[str] = "No answer"
    answer: Answer

    @property
    def line(self) -> str:
        return self.answer.reason

    def draw(self, graph: Drawing) -> None:
        graph.answer(self.answer)


class Failed(Event):
    """`error` is the class of the error, `message` says what to do."""

    kind: OneOf["failed"] = "failed"
    terminal: ClassVar[bool] = True
    heading: ClassVar[str] = "Failed"
    error: str
    message: str

    @property
    def line(self) -> str:
        return self.message


class Cancelled(Event):
    kind: OneOf["cancelled"] = "cancelled"
    terminal: ClassVar[bool] = True
    heading: ClassVar[str] = "Stopped"
    reason: str = "Stopped by the user."

    @property
    def line(self) -> str:
        return self.reason


AnyEvent = Annotated[
    Step
    | Asked
    | Linked
    | Anchored
    | Surveyed
    | Expanded
    | Retrieved
    | Queried
    | Chosen
    | Pruned
    | DeadEnd
    | Computed
    | Decomposed
    | Matched
    | Followed
    | Solved
    | Proposed
    | Weighed
    | Corrected
    | Fixed
    | Axiom
    | Judged
    | MissingEvidence
    | Verdict
    | Planned
    | Recalled
    | Bound
    | Filled
    | Believed
    | Audited
    | Noted
    | Answered
    | Abstained
    | Failed
    | Cancelled,
    Field(discriminator="kind"),
]


class Cost(BaseModel):
    """What something took. `estimated`: some tokens were counted by us, not by the server."""

    model_config = ConfigDict(frozen=True)
    llm_calls: int = 0
    prompt_tokens: int = 0
    completion_tokens: int = 0
    kg_requests: int = 0
    seconds: float = 0.0
    estimated: bool = False

    def __add__(self, other: Cost) -> Cost:
        return Cost(
            llm_calls=self.llm_calls + other.llm_calls,
            prompt_tokens=self.prompt_tokens + other.prompt_tokens,
            completion_tokens=self.completion_tokens + other.completion_tokens,
            kg_requests=self.kg_requests + other.kg_requests,
            seconds=self.seconds + other.seconds,
            estimated=self.estimated or other.estimated,
        )


class Record(BaseModel):
    """An event with its place: position, step, seconds since the start, and what it took."""

    model_config = ConfigDict(frozen=True)
    seq: int
    step: int
    at_s: float
    cost: Cost = Cost()
    event: AnyEvent


RECORD: TypeAdapter[Record] = TypeAdapter(Record)
RECORDS: TypeAdapter[list[Record]] = TypeAdapter(list[Record])


def status_of(records: list[Record]) -> Status:
    """How a run stands, by its last event."""
    if not records or not records[-1].event.terminal:
        return "running"
    return records[-1].event.kind  # type: ignore[return-value]


def _supported(claims: Iterable[CheckedClaim]) -> int:
    return sum(c.mark == "supported" for c in claims)


def _names(names: Iterable[str], most: int = 4) -> str:
    return listed(dict.fromkeys(names), most)


def _count(statements: Sequence[Statement]) -> str:
    if len(statements) == 1:
        return verbalise.statement(statements[0])
    return counted(len(statements), "fact")
