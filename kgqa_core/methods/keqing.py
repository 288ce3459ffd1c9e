"""Keqing: sub-questions matched to question templates, whose logical chains lead to the answer.

Wang et al., Keqing: Knowledge-based Question Answering is a Nature Chain-of-Thought Mentor of
LLM, 2024: question decomposition, knowledge retrieval, candidate reasoning, response (Figure 1).

Departure: instead of a fine-tuned model that knows the templates by heart, the templates
nearest to the question are put before the model with their sub-questions, as worked examples.
Departure: as in the released code, candidates of a single chain are kept without asking the
model (`reasoning=in doubt`), and an entity of the question is no answer to it (`revisit`).
Extension: sub-questions that are set operations between the answers of others.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import combinations, islice
from typing import Literal as OneOf
from typing import cast, get_args

from pydantic import BaseModel, Field, model_validator
from rapidfuzz import fuzz

from kgqa_core import compute, events, skills, templates, timeline, verbalise
from kgqa_core.errors import KGQAError
from kgqa_core.events import Answer
from kgqa_core.methods.answering import compose
from kgqa_core.methods.linking import link_mentions
from kgqa_core.run import Steps, Toolkit
from kgqa_core.skill import Skill
from kgqa_core.skills import FactAnswer
from kgqa_core.templates import MASK, Chain, Hop, Match, Relations, Template, filled
from kgqa_core.terms import Direction, Entity, Hit, Literal, Relation, Statement, Value

Operation = OneOf[
    "", "union", "intersection", "minus", "count", "highest", "lowest", "more", "fewer", "same"
]
OPERATIONS = tuple(name for name in get_args(Operation) if name)

_EXACT, _CLOSE = 0.99, 0.97  # scores of a label as written, and but for case
_SURE = 0.9  # score of a template from which its answer is no guess
_ODD = 0.7  # letters two names must have in common to be taken for one another
_ALIKE = 30  # names compared letter by letter
_NAMES = 5  # in a question, of which templates take one or two
_READINGS = 6  # wordings of the library that a question may have
_SHOWN = 80  # templates of one hop put before the model
_FACTS = 5000  # of one relation that are read around one entity
_NAMED = 30  # answers of a sub-question that are written out for the model
_COMPARED = 30  # values whose facts an extremum cites
_ENDS = 10  # of a chain that an event tells
_CITED = 300  # facts put before the model for its response
_WORDS = 8  # of a name that is looked for in the question
_LONGEST = 80  # characters of it


class Params(BaseModel):
    templates: str = Field(
        "", description="template library, a name or a file; empty: the one that fits the graph"
    )
    plan: OneOf["sub-questions", "chain"] = Field(
        "sub-questions", description="split the question, or predict one chain for it (Figure 6)"
    )
    top_k: int = Field(
        3, ge=1, le=20, description="templates matched to each sub-question (Figure 5)"
    )
    least: float = Field(0.5, ge=0, le=1, description="similarity below which no template counts")
    examples: int = Field(5, ge=1, le=20, description="worked examples put before the model")
    reasoning: OneOf["in doubt", "always"] = Field(
        "in doubt", description="ask the model which candidates are right, or only between chains"
    )
    candidates: int = Field(
        200, ge=10, le=2000, description="candidates put before the model at once"
    )
    supplements: int = Field(
        5, ge=0, le=50, description="facts found by meaning that join a choice of candidates"
    )
    frontier: int = Field(2000, ge=10, le=50_000, description="entities a chain goes on from")
    revisit: bool = Field(False, description="an entity of the question may be its answer")
    picks: dict[int, str] = Field(
        {}, description="number of a sub-question, from 0, to the template or logical chain to take"
    )


# -- the four stages, put to a model -------------------------------------------------------


class SubQuestion(BaseModel):
    id: int = Field(description="0, 1, 2, …")
    question: str = Field(
        "", description=f"a simple question with {MASK} for a name or an earlier answer"
    )
    dep: list[int] = Field([], description="ids of the sub-questions whose answers it needs")
    seeds: list[str] = Field([], description="names of the question that it starts from")
    operation: Operation = Field(
        "", description="a set operation on the answers of `dep`, in place of a question"
    )


_GENERATED = re.compile(r"<GENERATED>-(\d+)")


class Decomposition(BaseModel):
    """Sub-questions in any order; what cannot be carried out is refused with the reason."""

    parts: list[SubQuestion] = Field(description="empty when the question cannot be split so")

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
    chain: str = ""


class ToSplit(BaseModel):
    question: str
    examples: list[Worked]
    templates: list[str] = []


SPLIT = Skill(
    "split question",
    "Split the question into simple sub-questions that are answered one after the other. Each "
    f"has {MASK} in place of a name (`seeds`) or of the answers of earlier ones (`dep`). Keep to "
    "the wording of the templates where one fits. The examples show questions of a similar "
    "wording with their sub-questions, the most similar first.",
    ToSplit,
    Decomposition,
)


class Predicted(BaseModel):
    seed: str = Field(description="the name in the question that the chain starts from")
    chain: str = Field(description="→ relation to follow it, ← relation to follow it backwards")


PREDICT = Skill(
    "predict chain",
    "Say which relations of the graph lead, one after the other, from a name in the question to "
    "its answer. The examples show questions of a similar wording with their chains.",
    ToSplit,
    Predicted,
)


class Option(BaseModel):
    """What one chain led to: candidates, numbered from `first`, with their facts in words."""

    chain: str
    template: str
    score: float
    first: int
    candidates: list[str]
    facts: list[str] = []


class ToPick(BaseModel):
    question: str
    options: list[Option]


class Picked(BaseModel):
    options: list[int] = Field([], description="positions of options whose candidates all answer")
    candidates: list[int] = Field([], description="numbers of further candidates that answer")


PICK = Skill(
    "pick candidates",
    "Use the facts to answer the question: choose the candidates that answer it. Each option "
    "holds what one way through the graph led to. Choose none if you do not know.",
    ToPick,
    Picked,
)


class LogEntry(BaseModel):
    """A sub-question that was answered, with the positions of the facts it rests on."""

    question: str
    answers: list[str]
    count: int
    facts: list[int]


class ToWrite(BaseModel):
    question: str
    log: list[LogEntry]
    facts: list[Statement]


WRITE = Skill(
    "write response",
    "The log shows how the question was answered, sub-question by sub-question; the answers of "
    "the last one answer the question. Give the answer first, then tell in short sentences how "
    "it was reached. Every sentence names the facts it rests on. Add nothing of your own.",
    ToWrite,
    FactAnswer,
)


# -- the method ----------------------------------------------------------------------------


@dataclass
class Found:
    """Answers of a sub-question: each with the facts that lead to it and where it came from."""

    because: dict[Value, tuple[Statement, ...]] = field(default_factory=dict)
    origins: dict[Value, list[Value]] = field(default_factory=dict)
    certain: bool = True

    @property
    def values(self) -> list[Value]:
        return list(self.because)


@dataclass
class Candidates:
    """What a chain of a template led to."""

    chain: str
    template: str
    score: float
    found: Found


@dataclass
class Reading:
    """What the run knows of the question: the entity of each name, and the library."""

    question: str
    collection: templates.Library
    relations: Relations
    anchors: dict[str, Entity] = field(default_factory=dict)
    certain: bool = True
    unknown: str = ""  # a name the graph does not have


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    library, relations = templates.fitting(params.templates, tools.kg)
    reading = Reading(question, library, relations)
    yield events.Step(title="Split the question into sub-questions")
    worked = yield from _recall(reading, tools, params)
    if params.plan == "chain":
        parts, chains = yield from _predict(reading, worked, tools)
    else:
        parts, chains = (yield from _split(reading, worked, tools)), {}
    if not parts and reading.unknown:
        return Answer(reason=f"The graph has no entity called “{reading.unknown}”.")
    if not parts:
        return Answer(
            reason="No template of the library is like this question. Add one on the Templates "
            "page, or choose another method."
        )
    solved: dict[int, Found] = {}
    for part in parts:
        tools.check()
        needed = [solved[d] for d in part.dep]
        text = _said(part, needed)
        yield events.Step(title=f"{part.id + 1}. {text}")
        if part.operation:
            found = yield from _compute(part.operation, needed, tools)
        else:
            seeds = yield from _seeds(part, needed, reading, tools)
            found = yield from _answer(part, text, seeds, chains, reading, tools, params)
        solved[part.id] = found
        if not found.values:
            return Answer(reason=f"The graph has no answer to “{text}”.")
    return (yield from _respond(parts, solved, reading, tools))


# -- 1 question decomposition --------------------------------------------------------------


def _recall(reading: Reading, tools: Toolkit, params: Params) -> Steps[list[Worked]]:
    """The templates nearest to the question, worked out for the names in it.

    A question in a wording of the library tells its own names: they stand where the mask does.
    """
    question, library = reading.question, reading.collection
    read = library.read(question)[:_READINGS]
    best: tuple[float, Match, list[list[Hit]]] = (0.0, Match(Template(MASK), 0), [])
    for match in read:
        hits = yield from _named(match.mentions, tools)
        score = min((h[0].score if h else 0.0 for h in hits), default=0.0)
        if score > best[0]:
            best = (score, match, hits)
        if score >= _EXACT:
            break
    sure, match, hits = best
    anew: list[Match] = []
    if sure < _CLOSE:
        reading.unknown = read[0].mentions[0] if read and not match.mentions else ""
        known = yield from _mentions(question, tools)
        anew = _alike(known, reading, tools, params)
        if anew and anew[0].score >= sure:
            match, hits = anew[0], [known[mention] for mention in anew[0].mentions]
        elif not match.mentions:  # a model may split what no template is like
            match, hits = Match(Template(MASK), 0, tuple(known)), list(known.values())
    for mention, found in zip(match.mentions, hits, strict=True):
        yield from _anchor(mention, found, match.template, reading, tools)
    if not match.score or not all(mention in reading.anchors for mention in match.mentions):
        reading.certain = False
        return []
    if match.score == 1:
        return [_worked(match.template, match.mentions)]
    reading.certain &= match.score >= _SURE
    same = [m for m in anew if m.mentions == match.mentions]
    return [_worked(m.template, m.mentions) for m in same[: params.examples]]


def _mentions(question: str, tools: Toolkit) -> Steps[dict[str, list[Hit]]]:
    """Names in a question of unknown wording: those the model sees, as long as the graph has them.

    A longer part of the question that is a name, too, is preferred: “Heat and Dust” to “Heat”.
    """
    extracted = yield from tools.ask(skills.EXTRACT, question=question)
    mentions = list(dict.fromkeys(m.strip() for m in extracted.mentions if m.strip()))
    linked = dict(zip(mentions, (yield from tools.link(mentions)), strict=True))
    known = {m: h for m, h in linked.items() if h and h[0].score >= _CLOSE}
    spans = [s for s in _spans(question) if s not in known and len(s) <= _LONGEST]
    written = _EXACT if _cased(question) else _CLOSE
    for span, hits in zip(spans, (yield from tools.link(spans, limit=2)), strict=True):
        if hits and hits[0].score >= written and not any(span in m for m in known):
            known = {m: h for m, h in known.items() if m not in span} | {span: hits}
    if not known:
        known = dict(zip(mentions, (yield from _named(mentions, tools)), strict=True))
    return {mention: known[mention] for mention in _apart([m for m, h in known.items() if h])}


def _alike(
    known: Mapping[str, Sequence[Hit]], reading: Reading, tools: Toolkit, params: Params
) -> list[Match]:
    """The templates a question may mean, best first, each with the names that fill it.

    What is a name is told by the template: “money” is none in “what money is used in [mask]”;
    what is written as one must be one.
    A template counts when its chains can start from what is so named.
    """
    library, entities = reading.collection, {h.entity for hits in known.values() for h in hits}
    uses = {
        entity: {(use.relation, use.direction) for use in found}
        for entity, found in zip(entities, tools.relations_of(list(entities)), strict=True)
    }
    proper = {name for name in known if name != name.casefold()}
    found: list[Match] = []
    for names in (n for size in (1, 2) for n in combinations(list(known)[:_NAMES], size)):
        if not proper.issubset(names):
            continue
        starts = {use for name in names for hit in _best(known[name]) for use in uses[hit.entity]}
        linked = min(known[name][0].score for name in names)
        text = _masked(reading.question, names)
        for match in library.nearest(text, len(library.templates), encoder(tools)):
            template = match.template
            if match.score < params.least or template.text.count(MASK) != len(names):
                continue
            if not template.chains or _first_hops(template, reading) & starts:
                found.append(Match(template, round(match.score * linked, 4), names))
    return sorted(found, key=lambda m: -m.score)


def _best(hits: Sequence[Hit]) -> list[Hit]:
    """Those a name may mean: as near to it as the nearest, or almost."""
    return [h for h in hits if h.score >= 0.9 * hits[0].score]


def _apart(names: Sequence[str]) -> list[str]:
    """Without parts of longer names; beside names with capitals words without are none."""
    whole = [n for n in names if not any(n != o and n.casefold() in o.casefold() for o in names)]
    return [n for n in whole if n != n.casefold()] or whole


def _cased(question: str) -> bool:
    return question[1:] != question[1:].casefold()


def _spans(question: str) -> Iterator[str]:
    """Parts of the question that may be a name, longer ones first."""
    found = templates.tokens(question)
    cased = _cased(question)
    for length in range(min(_WORDS, len(found)), 0, -1):
        for i in range(len(found) - length + 1):
            (first, start, _), (last, _, end) = found[i], found[i + length - 1]
            text = question[start:end]
            whole = first.isalnum() and (last.isalnum() or last in "!.)") and end - start > 3
            if whole and not (cased and text == text.casefold()):
                yield text


def _named(mentions: Sequence[str], tools: Toolkit) -> Steps[list[list[Hit]]]:
    """Entities of each name; one that the graph does not know so is compared letter by letter."""
    found = yield from tools.link(mentions)
    for n, (mention, hits) in enumerate(zip(mentions, found, strict=True)):
        if hits and hits[0].score >= _CLOSE:
            continue
        words = mention.split()
        parts = [" ".join(words[:i] + words[i + 1 :]) for i in range(len(words))]
        more = yield from tools.link([mention, *(p for p in parts if p)][:_WORDS], limit=_ALIKE)
        near = {h.entity: h for group in (hits, *more) for h in group}
        folded = templates.plain(mention)
        alike = (
            Hit(e, round(fuzz.ratio(folded, templates.plain(e.label)) / 101, 4), e.label)
            for e in near
            if f" {templates.plain(e.label)} " not in f" {folded} "  # more than a name
        )
        found[n] = sorted((h for h in alike if h.score >= _ODD), key=lambda h: -h.score)
    return found


def _anchor(
    mention: str,
    hits: Sequence[Hit],
    template: Template | None,
    reading: Reading,
    tools: Toolkit,
) -> Steps[None]:
    """The entity of a name: the first one so called from which the template can start."""
    if mention in reading.anchors or not hits:
        return
    near = _best(hits)
    why = "the only match" if len(near) == 1 else "the best match"
    if len(near) > 1 and template is not None:
        wanted = _first_hops(template, reading)
        uses = tools.relations_of([h.entity for h in near])
        fit = [
            h
            for h, use in zip(near, uses, strict=True)
            if wanted & {(u.relation, u.direction) for u in use}
        ]
        if fit and len(fit) < len(near):
            near, why = fit, "the best match that has what is asked for"
    if len(near) > 1 and near[0].score >= _EXACT and near[1].score >= _EXACT:
        linked = yield from link_mentions(reading.question, [mention], tools)
        if linked:
            reading.anchors[mention], reading.certain = linked[0][1], False
        return
    reading.anchors[mention] = near[0].entity
    reading.certain &= near[0].score >= 0.9
    yield events.Anchored(mention=mention, entity=near[0].entity, why=why)


def _masked(question: str, mentions: Sequence[str]) -> str:
    for mention in mentions:
        question = (templates.masked(question, mention) or [question])[0]
    return question


def _first_hops(template: Template, reading: Reading) -> set[tuple[Relation | None, Direction]]:
    hops = (chain.hops[0] for chain in template.chains)
    return {(reading.relations(hop.relation), hop.direction) for hop in hops}


def _worked(template: Template, mentions: Sequence[str]) -> Worked:
    """The sub-questions of a template; one without is a sub-question itself."""
    left = list(mentions)
    parts = []
    for n, part in enumerate(template.parts):
        seeds = [] if part.needs else [left.pop(0) if len(left) > 1 else left[0]] if left else []
        operation = part.text if part.text in OPERATIONS else ""
        parts.append(
            SubQuestion(
                id=n,
                question="" if operation else part.text,
                dep=[need - 1 for need in part.needs],
                seeds=seeds,
                operation=cast(Operation, operation),
            )
        )
    if not parts:
        parts = [SubQuestion(id=0, question=template.text, seeds=list(mentions))]
    chain = str(template.chains[0]) if template.chains else ""
    return Worked(template=template.text, parts=parts, chain=chain)


def _split(reading: Reading, worked: Sequence[Worked], tools: Toolkit) -> Steps[list[SubQuestion]]:
    reply = yield from tools.ask(
        SPLIT,
        question=reading.question,
        examples=list(worked),
        templates=reading.collection.simple[:_SHOWN],
    )
    parts = reply.ordered()
    yield events.Decomposed(
        parts=tuple(
            events.SubQuestion(
                id=p.id,
                text=p.question,
                needs=tuple(p.dep),
                seeds=tuple(p.seeds),
                operation=p.operation,
            )
            for p in parts
        )
    )
    return parts


def _predict(
    reading: Reading, worked: Sequence[Worked], tools: Toolkit
) -> Steps[tuple[list[SubQuestion], dict[int, Chain]]]:
    """Figure 6's other way: the whole chain at once, from the model."""
    reply = yield from tools.ask(
        PREDICT,
        question=reading.question,
        examples=list(worked),
        templates=list(reading.collection.relations),
    )
    try:
        chain = templates.parse_chain(reply.chain)
    except ValueError:
        return [], {}
    text = _masked(reading.question, [reply.seed])
    parts = [SubQuestion(id=0, question=text if MASK in text else MASK, seeds=[reply.seed])]
    yield events.Decomposed(
        parts=(events.SubQuestion(id=0, text=parts[0].question, seeds=(reply.seed,)),)
    )
    return parts, {0: chain}


def _said(part: SubQuestion, needed: Sequence[Found]) -> str:
    """A sub-question with the names it starts from."""
    if part.operation:
        return f"{part.operation} of {', '.join(str(d + 1) for d in part.dep)}"
    names = list(part.seeds)
    for found in needed:
        names.append(compute.describe(found.values, 3) if found.values else MASK)
    return filled(part.question, names)


def _seeds(
    part: SubQuestion, needed: Sequence[Found], reading: Reading, tools: Toolkit
) -> Steps[Found]:
    """What a sub-question starts from: the names given with it, and the answers it needs."""
    unknown = [seed for seed in part.seeds if seed not in reading.anchors]
    if unknown:
        for mention, hits in zip(unknown, (yield from _named(unknown, tools)), strict=True):
            template = reading.collection.exact(part.question)
            yield from _anchor(mention, hits, template, reading, tools)
    seeds = Found({reading.anchors[s]: () for s in part.seeds if s in reading.anchors})
    for found in needed:
        seeds.because |= {v: b for v, b in found.because.items() if v not in seeds.because}
        seeds.certain &= found.certain
    return seeds


# -- 2 knowledge retrieval -----------------------------------------------------------------


def _answer(
    part: SubQuestion,
    text: str,
    seeds: Found,
    chains: dict[int, Chain],
    reading: Reading,
    tools: Toolkit,
    params: Params,
) -> Steps[Found]:
    """Matches the sub-question to templates, follows their chains, and picks the answers."""
    if part.id in params.picks:
        matches = [Match(_picked(params.picks[part.id], part, reading.collection), 1.0)]
    elif part.id in chains:
        matches = [Match(Template(part.question, (chains[part.id],)), 1.0)]
    else:
        near = reading.collection.nearest(part.question, params.top_k, encoder(tools))
        matches = [m for m in near if m.score >= params.least]
    yield events.Matched(
        part=part.id,
        text=text,
        templates=tuple(m.template.text for m in matches),
        scores=tuple(m.score for m in matches),
        chains=tuple(tuple(map(str, m.template.chains)) for m in matches),
    )
    avoid = set() if params.revisit else set(reading.anchors.values())
    reached: dict[str, Candidates] = {}
    for match in matches:
        for chain in match.template.chains:
            if str(chain) in reached:
                continue
            found = yield from _follow(chain.hops, seeds, avoid, reading, tools, params)
            yield events.Followed(
                part=part.id,
                template=match.template.text,
                chain=str(chain),
                count=len(found.because),
                ends=tuple(islice(found.because, _ENDS)),
            )
            if found.values:
                score = match.score * chain.precision
                reached[str(chain)] = Candidates(str(chain), match.template.text, score, found)
    found, cut = yield from _reason(text, list(reached.values()), avoid, tools, params)
    facts = dict.fromkeys(b[-1] for b in found.because.values() if b)
    if facts:
        yield events.Chosen(
            statements=tuple(facts),
            entities=tuple(v for v in found.values if isinstance(v, Entity)),
        )
    elif not found.values:
        entities = tuple(v for v in seeds.values if isinstance(v, Entity))
        yield events.DeadEnd(entities=entities[:20], why=f"no answer to “{text}”")
    yield events.Solved(part=part.id, values=tuple(found.values), cut=tuple(cut))
    found.certain &= all(m.score >= _SURE for m in matches[:1])
    return found


def _picked(wanted: str, part: SubQuestion, library: templates.Library) -> Template:
    """A template of the library by its text, or one of the chain given. Raises KGQAError."""
    if template := library.exact(wanted):
        return template
    try:
        return Template(part.question, (templates.parse_chain(wanted),))
    except ValueError:
        raise KGQAError(
            f"“{wanted}” is neither a template of the library nor a chain such as "
            "“→ director ← director”: pick another for this sub-question."
        ) from None


def _follow(
    hops: Sequence[Hop],
    seeds: Found,
    avoid: set[Entity],
    reading: Reading,
    tools: Toolkit,
    params: Params,
) -> Steps[Found]:
    """Where a chain leads from all seeds at once, with the facts on the way."""
    here = Found(dict(seeds.because), {v: [v] for v in seeds.values}, seeds.certain)
    for hop in hops:
        relation = reading.relations(hop.relation)
        if relation is None:
            yield events.Noted(
                text=f"The graph “{tools.kg.name}” has no relation “{hop.relation}”: the template "
                "library was made for another graph.",
                level="warning",
            )
            return Found()
        entities = [v for v in here.because if isinstance(v, Entity)]
        if len(entities) > params.frontier:
            yield events.Noted(
                text=f"The chain goes on from the first {params.frontier:,} of {len(entities):,} "
                "entities.",
                level="warning",
            )
            entities, here.certain = entities[: params.frontier], False
        facts = yield from tools.expand(
            entities, relation=relation, direction=hop.direction, limit=_FACTS
        )
        if len(facts) >= _FACTS and _crowded(facts, hop):
            yield events.Noted(
                text=f"More than {_FACTS:,} facts “{relation.name}” hang on one entity; the others "
                "are left out.",
                level="warning",
            )
            here.certain = False
        there = Found(certain=here.certain)
        front = set(entities)
        outward = hop.direction == "out"
        for fact in _standing(facts) if outward else facts:
            near = fact.subject if outward else fact.object
            far = fact.object if outward else fact.subject
            if near in front and far not in avoid:
                if far not in there.because:
                    there.because[far] = (*here.because[near], fact)
                    there.origins[far] = list(here.origins[near])
                else:
                    there.origins[far] += here.origins[near][:1]
        here = there
        if not here.because:
            break
    return here


def _crowded(facts: Sequence[Statement], hop: Hop) -> bool:
    """Whether one entity has so many facts that some were not read."""
    ends = Counter(f.subject if hop.direction == "out" else f.object for f in facts)
    return max(ends.values()) >= _FACTS


def _standing(facts: Sequence[Statement]) -> Sequence[Statement]:
    """Without values that newer or preferred ones of the same subject replace."""
    if not any(f.rank == "preferred" or (f.qualifiers and _is_literal(f)) for f in facts):
        return facts
    by_subject: dict[Entity, list[Statement]] = {}
    for fact in facts:
        by_subject.setdefault(fact.subject, []).append(fact)
    kept = set()
    for some in by_subject.values():
        replaced = any(f.rank == "preferred" for f in some) or all(map(_is_literal, some))
        kept.update(timeline.current(some) if replaced else some)
    return [fact for fact in facts if fact in kept]


def _is_literal(fact: Statement) -> bool:
    return isinstance(fact.object, Literal)


# -- 3 candidate reasoning -----------------------------------------------------------------


def _reason(
    text: str, reached: list[Candidates], avoid: set[Entity], tools: Toolkit, params: Params
) -> Steps[tuple[Found, list[Value]]]:
    """The candidates that answer, and those that do not.

    When only one chain led anywhere all its ends are kept, as in the released code.
    """
    if params.reasoning == "in doubt" and len(reached) == 1:
        return reached[0].found, []
    if params.supplements and tools.index is not None and tools.has_triple_index:
        room = params.candidates - sum(len(c.found.values) for c in reached)
        if room > 0:
            near = yield from tools.nearest_triples([text], min(room, params.supplements))
            supplement = Found()
            for scored in near[0]:
                fact = scored.item
                for end in (fact.object, fact.subject):
                    if end not in avoid and not any(end in c.found.because for c in reached):
                        supplement.because.setdefault(end, (fact,))
                        supplement.origins.setdefault(end, [])
            if supplement.values:
                reached.append(Candidates("found by meaning", "", 0.0, supplement))
    if not reached:
        return Found(), []
    options: list[Option] = []
    numbered: list[tuple[Candidates, Value]] = []
    for c in reached:
        shown = c.found.values[: max(1, params.candidates // len(reached))]
        options.append(
            Option(
                chain=c.chain,
                template=c.template,
                score=round(c.score, 4),
                first=len(numbered),
                candidates=[verbalise.value(v) for v in shown],
                facts=[serialised(c.found.because[v][-1]) for v in shown],
            )
        )
        numbered += [(c, v) for v in shown]
    picked = yield from tools.ask(PICK, question=text, options=options)
    kept: list[tuple[Candidates, Value]] = [
        (reached[i], v)
        for i in picked.options
        if 0 <= i < len(reached)
        for v in reached[i].found.values
    ]
    kept += [numbered[i] for i in picked.candidates if 0 <= i < len(numbered)]
    found = Found(certain=all(c.found.certain for c, _ in kept))
    for c, v in kept:
        if v not in found.because:
            found.because[v], found.origins[v] = c.found.because[v], c.found.origins[v]
    cut = dict.fromkeys(v for c in reached for v in c.found.values if v not in found.because)
    left = tuple(c.found.because[v][-1] for c in reached for v in c.found.values if v in cut)
    if left:
        yield events.Pruned(
            statements=left,
            entities=tuple(v for v in cut if isinstance(v, Entity)),
            why="other candidates answer the sub-question",
        )
    return found, list(cut)


def serialised(statement: Statement) -> str:
    """A fact as running text, the further values of an n-ary one joined on (Figure 4)."""
    words = [statement.subject.name, statement.relation.name, verbalise.value(statement.object)]
    for q in statement.qualifiers:
        words += [q.relation.name, verbalise.value(q.value)]
    return " ".join(words)


def _compute(operation: Operation, needed: Sequence[Found], tools: Toolkit) -> Steps[Found]:
    """A set operation between answers (extension). An extremum answers with what has it."""
    facts: dict[Value, tuple[Statement, ...]] = {}
    for found in needed:
        for v, because in found.because.items():
            facts[v] = tuple(dict.fromkeys((*facts.get(v, ()), *because)))
    certain = all(found.certain for found in needed)
    support = tuple(dict.fromkeys(s for because in facts.values() for s in because))
    sets = [found.values for found in needed]
    if operation in ("highest", "lowest"):
        result = yield from tools.compute(operation, list(facts), because=support)
        best = Found(certain=certain)
        for found in needed:
            for value in result:
                for origin in found.origins.get(value, []):
                    cited = dict.fromkeys((*found.because[value], *support[:_COMPARED]))
                    best.because.setdefault(origin, tuple(cited))
        return best
    try:
        if operation in ("union", "intersection", "minus") and len(sets) > 2:
            result = sets[0]
            for other in sets[1:]:
                result = yield from tools.compute(operation, result, other, because=support)
        else:
            result = yield from tools.compute(
                cast(compute.Operation, operation),
                *sets,
                because=support,
            )
    except KGQAError as error:
        yield events.Noted(text=str(error), level="warning")
        return Found()
    return Found({v: facts.get(v, support) for v in result}, {v: [v] for v in result}, certain)


# -- 4 response generation -----------------------------------------------------------------


def _respond(
    parts: Sequence[SubQuestion], solved: dict[int, Found], reading: Reading, tools: Toolkit
) -> Steps[Answer]:
    """The answer with the path to it: the facts that led to each answer of the last one."""
    yield events.Step(title="Write the response")
    last = solved[parts[-1].id]
    paths = dict.fromkeys(s for because in last.because.values() for s in because)
    facts = list(islice(paths, _CITED))
    position = {fact: i for i, fact in enumerate(facts)}
    log = []
    for part in parts:
        found = solved[part.id]
        used = dict.fromkeys(
            position[s] for because in found.because.values() for s in because if s in position
        )
        log.append(
            LogEntry(
                question=_said(part, [solved[d] for d in part.dep]),
                answers=[verbalise.value(v) for v in _cited(found, position)[:_NAMED]],
                count=len(found.values),
                facts=list(used),
            )
        )
    reply = yield from tools.ask(WRITE, question=reading.question, log=log, facts=facts)
    answer = yield from compose(reading.question, reply, facts, tools, found=last.values)
    return answer.model_copy(
        update={
            "certain": answer.certain and reading.certain and last.certain,
            "reading": answer.reading or " → ".join(entry.question for entry in log),
        }
    )


def _cited(found: Found, position: Container[Statement]) -> Sequence[Value]:
    """The answers whose path is cited; all when none is, as for a count of nothing."""
    ours = [v for v, b in found.because.items() if all(fact in position for fact in b)]
    return ours or found.values


def encoder(tools: Toolkit) -> templates.Encoder | None:
    """The index's encoder, else one of our own, loaded when a wording is not known."""
    return tools.index.encoder if tools.index is not None else _LAZY


class _Lazy:
    """One for all, so that what a library heard through it is not forgotten."""

    def encode(self, texts: Sequence[str], *, query: bool = False):  # type: ignore[no-untyped-def]
        return _own_encoder().encode(texts, query=query)


@lru_cache(maxsize=1)
def _own_encoder():  # type: ignore[no-untyped-def]
    from kgqa_core.encoder import Encoder
    from kgqa_core.settings import load_settings

    return Encoder(load_settings())


_LAZY = _Lazy()
