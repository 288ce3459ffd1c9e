"""Keqing: sub-questions matched to question templates, whose logical chains lead to the answer.

Wang et al., Keqing: Knowledge-based Question Answering is a Nature Chain-of-Thought Mentor of
LLM, 2024: question decomposition, knowledge retrieval, candidate reasoning, response (Figure 1).

Departure: instead of a fine-tuned model that knows the templates by heart, the templates
nearest to the question are put before the model with their sub-questions, as worked examples.
Departure: as in the released code, candidates of a single chain are kept without asking the
model (`reasoning=in doubt`), and what a question starts from is no answer to it (`revisit`).
Extension: sub-questions that are set operations between the answers of others, or that carry a
constraint: when it held or began, of which kind the answers are, the first or last of them.
What no fact decides of it, and whom it excludes, stands in the answer's reason.
Extension: where no template fits a sub-question, the model plans the relations to follow from the
start; the chain is run and offered as a new template.

What the model is asked is in `skills.py`, how names and templates are found in
`recall.py`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Container, Sequence, Set
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import Literal as OneOf
from typing import cast

from pydantic import BaseModel, Field

from kgqa_core.ask import bounds, events, shown
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.errors import KGQAError, SettingsError, SourceError
from kgqa_core.facts import compute, kinds, timeline, verbalise
from kgqa_core.facts.lifetimes import Interval, held_during, interval_of, over_before
from kgqa_core.facts.premises import Facts, contains
from kgqa_core.facts.terms import TIMES, Entity, Literal, Statement, Value, is_known
from kgqa_core.methods.answering import compose
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.recall import (
    SURE,
    Reading,
    anchor,
    ear,
    masked,
    named,
    near_templates,
    recall,
)
from kgqa_core.methods.keqing.skills import (
    PICK,
    PLAN,
    PREDICT,
    SPLIT,
    WRITE,
    Decomposition,
    LogEntry,
    Operation,
    Option,
    Order,
    SubQuestion,
    Worked,
)
from kgqa_core.methods.keqing.templates import MASK, Chain, Hop, Match, Template, filled
from kgqa_core.methods.r3.names import relation_called
from kgqa_core.text import listed

_READINGS = 3  # prompts that candidates are read in before none is picked
_BEGAN = ("before", "after", "since")  # what stands in `when` in front of a time
_NAMED_LEFT = 3  # answers that a constraint leaves out, told by their names
_PLANNED = 0.6  # score of a chain that was planned, not learned


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
    fits: float = Field(
        0.9,
        ge=0,
        le=1,
        description="similarity below which a model plans relations before a template is taken",
    )
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
    revisit: bool = Field(False, description="what the question starts from may be its answer")
    picks: dict[int, str] = Field(
        {}, description="number of a sub-question, from 0, to the template or logical chain to take"
    )


# -- the method ----------------------------------------------------------------------------


@dataclass
class Found:
    """Answers of a sub-question: each with the facts that lead to it and where it came from."""

    because: dict[Value, tuple[Statement, ...]] = field(default_factory=dict)
    origins: dict[Value, list[Value]] = field(default_factory=dict)
    certain: bool = True
    blank: bool = False  # what they would be is stated to be unknown, not to be, or wrong

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
class Left:
    """What an answer leaves out: parts of the question that nothing decided, and answers that a
    constraint of the question excludes."""

    undecided: list[str] = field(default_factory=list)
    excluded: list[str] = field(default_factory=list)

    def said_of(self, answer: Answer) -> Answer:
        """The answer with the reason that tells it; no longer certain where a part is undecided."""
        told = [*self.undecided, *self.excluded]
        if not told:
            return answer
        why = f"Left out of the answer: {'; '.join(told)}."
        return answer.model_copy(
            update={
                "certain": answer.certain and not self.undecided,
                "reason": " ".join(filter(None, (answer.reason, why))),
            }
        )


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    relations = templates.Relations(tools.relation)
    known = tools.remembered("keqing: libraries")
    library = templates.fitting(params.templates, tools.graph, relations, known)
    reading = Reading(question, library, relations)
    yield events.Step(title="Split the question into sub-questions")
    reads = getattr(tools.llm, "sees_prompts", True)  # a model would copy its own wording's split
    worked = yield from recall(reading, tools, params.least, params.examples, own=not reads)
    left = Left()
    if params.plan == "chain":
        parts, chains = yield from _predict(reading, worked, tools)
    else:
        split = yield from _split(reading, worked, tools)
        parts, chains = split.ordered(), {}
        left.undecided += [split.left.strip()] if split.left.strip() else []
    if not parts and reading.unknown:
        return Answer(reason=f"The graph has no entity called “{reading.unknown}”.")
    if not parts:
        return Answer(
            reason="No template of the library is like this question. Add one on the Templates "
            "page, or choose another method."
        )
    reading.starts.update(seed for part in parts for seed in part.seeds)
    solved: dict[int, Found] = {}
    limited = set[int]()  # parts all of whose answers are as their constraints say
    for part in parts:
        tools.check()
        needed = [solved[d] for d in part.dep]
        text = _said(part, needed)
        ends = "" if part.operation or text.endswith("?") else "?"
        yield events.Step(title=f"{part.id + 1}. {text[:1].upper()}{text[1:]}{ends}")
        if part.operation:
            found = yield from _compute(part.operation, needed, tools)
        else:
            seeds = yield from _seeds(part, needed, reading, tools)
            found = yield from _answer(part, text, seeds, chains, reading, tools, params)
            told, many = len(left.undecided), len(found.values)
            found = yield from _constrained(part, text, found, tools, left)
            if len(left.undecided) == told or len(found.values) < many:
                limited.add(part.id)
        solved[part.id] = found
        if not found.values:
            asked = f"“{text}”{f' ({part.when})' if part.when else ''}"
            return left.said_of(Answer(reason=f"What was read has no answer to {asked}."))
    needed_by = {d for part in parts for d in part.dep}
    unused = [p for p in parts[:-1] if p.id not in needed_by]
    left.undecided += [_said(p, [solved[d] for d in p.dep]) for p in unused]
    answer = yield from _respond(parts, solved, limited, reading, tools)
    return left.said_of(answer)


# -- 1 question decomposition (§3.1) -------------------------------------------------------


def _split(reading: Reading, worked: Sequence[Worked], tools: Toolkit) -> Steps[Decomposition]:
    near = near_templates(reading, tools)
    beyond = max(0, len(near) - bounds.TEMPLATES)
    if beyond:
        yield events.Noted(text=f"{beyond:,} more templates are not shown: they are less like it.")
    reply = yield from tools.ask(
        SPLIT,
        question=reading.question,
        examples=list(worked),
        templates=near[: bounds.TEMPLATES],
        beyond=beyond,
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
    return reply


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
    text = masked(reading.question, [reply.seed])
    parts = [SubQuestion(id=0, question=text if MASK in text else MASK, seeds=[reply.seed])]
    yield events.Decomposed(
        parts=(events.SubQuestion(id=0, text=parts[0].question, seeds=(reply.seed,)),)
    )
    return parts, {0: chain}


def _said(part: SubQuestion, needed: Sequence[Found]) -> str:
    """A sub-question with the names it starts from."""
    if part.operation:
        what = "answers" if part.operation in compute.OF_SETS else "answer"
        return compute.deed(part.operation, [f"the {what} to {d + 1}" for d in part.dep])
    names = list(part.seeds)
    for found in needed:
        names.append(compute.describe(found.values, 3) if found.values else MASK)
    return filled(part.question, names)


def _limits(part: SubQuestion) -> str:
    """What limits its answers, in words: whether or not a fact tells that they are so."""
    only = ", ".join(filter(None, (part.when, part.kind, part.order)))
    return f" (only: {only})" if only else ""


def _seeds(
    part: SubQuestion, needed: Sequence[Found], reading: Reading, tools: Toolkit
) -> Steps[Found]:
    """What a sub-question starts from: the names given with it, and the answers it needs."""
    unknown = [seed for seed in part.seeds if seed not in reading.anchors]
    if unknown:
        for mention, hits in zip(unknown, (yield from named(unknown, tools)), strict=True):
            template = reading.collection.exact(part.question)
            yield from anchor(mention, hits, template, reading, tools)
    seeds = Found({reading.anchors[s]: () for s in part.seeds if s in reading.anchors})
    for found in needed:
        seeds.because |= {v: b for v, b in found.because.items() if v not in seeds.because}
        seeds.certain &= found.certain
    return seeds


# -- 2 knowledge retrieval (§3.2) ----------------------------------------------------------


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
        near = reading.collection.nearest(part.question, params.top_k, ear(tools))
        matches = [m for m in near if m.score >= params.least]
    # wordings that are only alike often ask for something else; the reader plans nothing better
    doubtful = not tools.reads_all and matches and matches[0].score < params.fits
    if not matches or doubtful:
        planned = yield from _planned(part, text, seeds, reading, tools)
        if doubtful and not planned:
            closest = matches[0].template.text
            note = f"“{text}” is only like the template “{closest}”, taken for want of better."
            yield events.Noted(text=note, level="warning")
        matches = planned or matches
    yield events.Matched(
        part=part.id,
        text=text,
        templates=tuple(m.template.text for m in matches),
        scores=tuple(m.score for m in matches),
        chains=tuple(tuple(map(str, m.template.chains)) for m in matches),
    )
    starts = {reading.anchors[name] for name in reading.starts if name in reading.anchors}
    avoid = set() if params.revisit else starts
    if len(part.seeds) > 1:  # “is A married to B”: one of them is found from the other
        avoid = avoid - set(seeds.values)
    reached: dict[str, Candidates] = {}
    blank = False
    for match in matches:
        for chain in match.template.chains:
            if str(chain) in reached:
                continue
            found = yield from _follow(
                chain.hops, seeds, avoid, reading, tools, params, past=bool(part.when or part.order)
            )
            yield events.Followed(
                part=part.id,
                template=match.template.text,
                chain=str(chain),
                count=len(found.because),
                ends=tuple(islice(found.because, bounds.CHAIN_ENDS)),
            )
            if found.values:
                score = match.score * chain.precision
                reached[str(chain)] = Candidates(str(chain), match.template.text, score, found)
            blank |= found.blank and match.score >= SURE
        if blank:
            break  # what is asked for is unknown or wrong, not what a template like it leads to
    found, cut = yield from _reason(text, list(reached.values()), avoid, tools, params)
    facts = dict.fromkeys(b[-1] for b in found.because.values() if b)
    if facts:
        yield events.Chosen(
            statements=tuple(facts),
            entities=tuple(v for v in found.values if isinstance(v, Entity)),
        )
    elif not found.values:
        entities = tuple(v for v in seeds.values if isinstance(v, Entity))
        yield events.DeadEnd(entities=entities[: bounds.LED_NOWHERE], why=f"no answer to “{text}”")
    yield events.Solved(part=part.id, values=tuple(found.values), cut=tuple(cut))
    found.certain &= all(m.score >= SURE for m in matches[:1])
    return found


def _planned(
    part: SubQuestion, text: str, seeds: Found, reading: Reading, tools: Toolkit
) -> Steps[list[Match]]:
    """A chain of relations for a sub-question that no template is like, offered as a template."""
    start = [v for v in seeds.values if isinstance(v, Entity)]
    if not start:
        return []
    uses = yield from tools.survey(start, about=text)
    reply = yield from tools.ask(
        PLAN,
        question=text,
        start=bounds.more([e.name for e in start], bounds.ANSWERS),
        relations=uses,
    )
    try:
        chain = templates.parse_chain(reply.chain)
    except ValueError:
        return []
    present = list(dict.fromkeys(use.relation for use in uses))
    hops = []
    for hop in chain.hops:
        known = relation_called(hop.relation, present, tools.relation)
        hops.append(replace(hop, relation=templates.written(known)) if known else hop)
    template = Template(part.question, (Chain(tuple(hops)),))
    offered = " / ".join(line.strip() for line in templates.block(template).splitlines())
    yield events.Noted(
        text=f"No template is like “{text}”: relations were planned for it. To have it known, add "
        f"the template on the Templates page: {offered}"
    )
    return [Match(template, _PLANNED)]


def _constrained(
    part: SubQuestion, text: str, found: Found, tools: Toolkit, left: Left
) -> Steps[Found]:
    """The answers that a sub-question's constraints leave; one that cannot be checked is told, and
    so are the answers that a kind leaves out, or of which no fact says enough."""
    timed = (part.when or part.order) and found.values
    times = (yield from _times(found, tools)) if timed else {}
    if part.when and found.values:
        found = _at_time(part.when.strip(), text, found, times, left)
    if part.kind and found.values:
        found = yield from _of_kind(part.kind.strip(), text, found, tools, left)
    if part.order and len(found.values) > 1:
        found = _ordered(part.order, text, found, times, left)
    return found


def _times(found: Found, tools: Toolkit) -> Steps[dict[Value, Interval]]:
    """When each answer was, as far as that is known: its own time, or when its fact held; where
    no fact says so, when the things themselves existed or took place."""
    times: dict[Value, Interval] = {}
    for value, because in found.because.items():
        if isinstance(value, Literal) and value.datatype in TIMES:
            times[value] = Interval(*timeline.span(value), value.value)
        elif because and (held := held_during(because[-1])).known:
            times[value] = held
    things = [v for v in found.values if isinstance(v, Entity)]
    if times or not things:
        return times
    own = yield from tools.expand(things, direction="out")
    facts = Facts(own, things)
    when = {thing: interval_of(thing, facts) for thing in things}
    return {thing: interval for thing, interval in when.items() if interval.known}


def _at_time(at: str, text: str, found: Found, times: dict[Value, Interval], left: Left) -> Found:
    """What held or was there at a time; or what began before it, after it, or since it began."""
    how, _, rest = at.partition(" ")
    began = how.casefold() if how.casefold() in _BEGAN else ""
    when = timeline.parse_time(rest.strip() if began else at)
    if when is None or not times:
        why = "the facts have no dates" if when else "that is no date"
        left.undecided.append(f"that “{text}” is asked of {at}: {why}")
        return found
    first, last = timeline.span(when)
    asked = Interval(first, last, at)

    def fits(own: Interval) -> bool:
        if not began:
            return not over_before(own, asked) and not over_before(asked, own)
        if began == "before":
            there = own.last if own.first is None else own.first
            return there is not None and there < first
        return own.first is not None and own.first > (last if began == "after" else first - 1)

    if undated := [v for v in found.values if v not in times]:
        left.undecided.append(f"{_named(undated)}, of which no fact says when")
    return _only(found, [v for v in found.values if v in times and fits(times[v])])


def _of_kind(kind: str, text: str, found: Found, tools: Toolkit, left: Left) -> Steps[Found]:
    """The answers that are said to be of a kind, by a fact or their description."""
    entities = [v for v in found.values if isinstance(v, Entity)]
    said: dict[Entity, list[str]] = {e: [e.description] for e in entities}
    for name in ("instance of", "occupation", "subclass of"):
        relation = tools.relation(name)
        if relation is not None and entities:
            stated = yield from tools.expand(entities, relation=relation, direction="out")
            for s in stated:
                said.setdefault(s.subject, []).append(verbalise.value(s.object))
    fitting = [e for e in entities if any(contains(own, kind) for own in said[e])]
    if not fitting:
        left.undecided.append(f"that the answers of “{text}” are of the kind “{kind}”")
        return found
    if others := [v for v in found.values if v not in fitting]:
        stated_otherwise = all(any(said.get(v, ())) for v in others if isinstance(v, Entity))
        told = left.excluded if stated_otherwise else left.undecided
        told.append(f"{_named(others)}, which no fact calls “{kind}”")
    return _only(found, fitting)


def _ordered(
    order: Order, text: str, found: Found, times: dict[Value, Interval], left: Left
) -> Found:
    days = {v: t.first for v in found.values if (t := times.get(v)) and t.first is not None}
    if len(days) < len(found.values):
        left.undecided.append(f"the {order} one of “{text}”: not all have a date")
        return found
    best = (min if order == "first" else max)(days.values())
    return _only(found, [v for v, day in days.items() if day == best])


def _named(values: Sequence[Value]) -> str:
    return listed([verbalise.value(v) for v in values], _NAMED_LEFT)


def _only(found: Found, kept: Sequence[Value]) -> Found:
    return Found(
        {v: found.because[v] for v in kept},
        {v: found.origins.get(v, []) for v in kept},
        found.certain,
    )


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
    *,
    past: bool = False,
) -> Steps[Found]:
    """Where a chain leads from all seeds at once, with the facts on the way.

    `past`: with values that newer ones have replaced.
    """
    here = Found(dict(seeds.because), {v: [v] for v in seeds.values}, seeds.certain)
    for hop in hops:
        relation = reading.relations(hop.relation)
        if relation is None:
            yield events.Noted(
                text=f"The graph “{tools.graph}” has no relation “{hop.relation}”: the template "
                "library was made for another graph.",
                level="warning",
            )
            return Found()
        entities = [v for v in here.because if isinstance(v, Entity)]
        here.certain &= len(entities) <= params.frontier
        led = [because[-1] for because in here.because.values() if because]
        entities = yield from tools.nearest_ends(reading.question, entities, led, params.frontier)
        facts = yield from tools.expand(
            entities, relation=relation, direction=hop.direction, limit=shown.ONE_RELATION
        )
        if len(facts) >= shown.ONE_RELATION and _crowded(facts, hop):
            yield events.Noted(
                text=f"More than {shown.ONE_RELATION:,} facts “{relation.name}” hang on one "
                "entity; the others are left out.",
                level="warning",
            )
            here.certain = False
        standing = any(is_known(f.object) and f.rank != "deprecated" for f in facts)
        there = Found(certain=here.certain, blank=bool(facts) and not standing)
        front = set(entities)
        outward = hop.direction == "out"
        for fact in _standing(facts) if outward and not past else facts:
            near = fact.subject if outward else fact.object
            far = fact.object if outward else fact.subject
            if near in front and far not in avoid and is_known(far):
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
    return max(ends.values()) >= shown.ONE_RELATION


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


# -- 3 candidate reasoning (§3.3) ----------------------------------------------------------


def _reason(
    text: str, reached: list[Candidates], avoid: set[Entity], tools: Toolkit, params: Params
) -> Steps[tuple[Found, list[Value]]]:
    """The candidates that answer, and those that do not.

    When only one chain led anywhere all its ends are kept, as in the released code; so is the one
    value that several chains led to. Of each chain the candidates nearest to the question are put
    before the model; while it picks none of them, the next ones.
    """
    if params.reasoning == "in doubt" and len(reached) == 1:
        return reached[0].found, []
    room = params.candidates - sum(len(c.found.values) for c in reached)
    if params.supplements and room > 0:
        near = yield from _supplements(text, min(room, params.supplements), tools)
        supplement = Found()
        for fact in near:
            for end in (fact.object, fact.subject):
                if end not in avoid and not any(end in c.found.because for c in reached):
                    supplement.because.setdefault(end, (fact,))
                    supplement.origins.setdefault(end, [])
        if supplement.values:
            reached.append(Candidates("found by meaning", "", 0.0, supplement))
    if not reached:
        return Found(), []
    by_templates = all(c.template for c in reached)
    one_value = len({v for c in reached for v in c.found.values}) == 1
    if params.reasoning == "in doubt" and by_templates and one_value:
        return reached[0].found, []  # all ways lead to one value: there is nothing to pick
    kept = yield from _picks(text, reached, tools, params)
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


def _picks(
    text: str, reached: Sequence[Candidates], tools: Toolkit, params: Params
) -> Steps[list[tuple[Candidates, Value]]]:
    """The candidates that the model picks: all of an option, or some by their numbers."""
    share = max(1, params.candidates // len(reached))
    waiting: list[tuple[Candidates, list[Value]]] = []
    for c in reached:
        led = [because[-1] for because in c.found.because.values()]
        first = yield from tools.nearest_ends(text, c.found.values, led, share, "listed first")
        waiting.append((c, list(dict.fromkeys((*first, *c.found.values)))))
    for _ in range(_READINGS):
        options: list[Option] = []
        numbered: list[tuple[Candidates, Value]] = []
        told: list[str] = []
        rest: list[tuple[Candidates, list[Value]]] = []
        for c, values in waiting:
            lines = [_led_to(v, c) for v in values[:share]]
            count = len(lines)
            if not tools.reads_all:
                count = shown.lines_fitting(lines, shown.LINES / len(waiting))
            option = Option(
                chain=c.chain,
                template=c.template,
                score=round(c.score, 4),
                first=len(numbered),
                count=count,
                left=len(values) - count,
            )
            options.append(option)
            numbered += [(c, v) for v in values[:count]]
            told += lines[:count]
            if option.left:
                rest.append((c, values[count:]))
                yield events.Noted(text=f"Not listed: {option.left:,} more ends of “{c.chain}”.")
        picked = yield from tools.ask(PICK, question=text, options=options, candidates=told)
        whole = [waiting[i][0] for i in picked.options if 0 <= i < len(waiting)]
        kept = [(c, v) for c in whole for v in c.found.values]
        kept += [numbered[i] for i in picked.candidates if 0 <= i < len(numbered)]
        if kept or tools.reads_all or not rest:
            break
        waiting = rest
    return kept


def _led_to(value: Value, candidates: Candidates) -> str:
    """A candidate with the fact that led to it."""
    because = candidates.found.because[value]
    return f"{verbalise.led_to(value, because)} ({serialised(because[-1])})"


def _supplements(text: str, most: int, tools: Toolkit) -> Steps[list[Statement]]:
    """Facts of the whole graph that are near to a sub-question; where they cannot be searched by
    meaning, none, which is said."""
    try:
        if (yield from tools.reach("triples")) == "none":
            return []
        (near,) = yield from tools.nearest_triples([text], most)
    except (SettingsError, SourceError) as error:
        yield events.Noted(text=f"No facts found by meaning join the candidates: {error}")
        return []
    return [scored.item for scored in near]


def serialised(statement: Statement) -> str:
    """A fact as running text, the further values of an n-ary one joined on (Figure 4).

    As many of them as are told of any fact.
    """
    end = verbalise.value(statement.object, statement.relation)
    words = [statement.subject.name, statement.relation.name, end]
    told = kinds.narrowing(statement)
    for q in told[: verbalise.QUALIFIERS]:
        words += [q.relation.name, verbalise.value(q.value, q.relation)]
    if left := len(told[verbalise.QUALIFIERS :]):
        words.append(f"and {left:,} more")
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
                    cited = dict.fromkeys((*found.because[value], *support[: bounds.COMPARED]))
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


# -- 4 response generation (§3.4) ----------------------------------------------------------


def _respond(
    parts: Sequence[SubQuestion],
    solved: dict[int, Found],
    limited: Set[int],
    reading: Reading,
    tools: Toolkit,
) -> Steps[Answer]:
    """The answer with the path to it: the facts that led to each answer of the last one."""
    yield events.Step(title="Write the answer")
    last = solved[parts[-1].id]
    needed = {d for part in parts for d in part.dep}
    told = [last, *(solved[part.id] for part in parts if part.id not in needed)]
    paths = dict.fromkeys(s for found in told for b in found.because.values() for s in b)
    nearest = tools.relevant(reading.question, list(paths))
    facts = list(dict.fromkeys((*nearest, *paths)))
    read = len(facts) if tools.reads_all else shown.fitting(facts)
    position = {fact: i for i, fact in enumerate(facts)}
    log = []
    for part in parts:
        found = solved[part.id]
        used = dict.fromkeys(
            n
            for because in found.because.values()
            for s in because
            if (n := position.get(s, read)) < read
        )
        log.append(
            LogEntry(
                question=_said(part, [solved[d] for d in part.dep])
                + _limits(part) * (part.id in limited),
                answers=[verbalise.value(v) for v in _cited(found, position)[: bounds.ANSWERS]],
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


METHOD = Method(
    "keqing",
    "Keqing",
    solve,
    Params,
    "Splits the question by learned templates and follows their chains in the graph.",
    "Wang et al. 2024",
    searches="triples",
)
