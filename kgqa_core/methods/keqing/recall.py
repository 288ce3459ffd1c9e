"""The names in a question and the templates like it, which Keqing shows to the model.

They stand in for a model that was fine-tuned to know the templates by heart (the paper's §3.1).
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence, Set
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any, cast

from rapidfuzz import fuzz

from kgqa_core.ask import bounds, events, skills
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.errors import SettingsError, SourceError
from kgqa_core.facts.terms import Direction, Entity, Hit, Relation
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.skills import OPERATIONS, Operation, SubQuestion, Worked
from kgqa_core.methods.keqing.templates import MASK, Match, Relations, Template
from kgqa_core.methods.linking import link_mentions

SURE = 0.9  # score of a template from which its answer is no guess
_EXACT, _CLOSE = 0.99, 0.97  # scores of a label as written, and but for case
_ODD = 0.7  # letters two names must have in common to be taken for one another
_ALIKE = 30  # names compared letter by letter
_NAMES = 5  # in a question, of which templates take one or two
_READINGS = 6  # wordings of the library that a question may have
_WORDS = 8  # of a name that is looked for in the question
_LONGEST = 80  # characters of it


@dataclass
class Reading:
    """What the run knows of the question: the entity of each name, and the library."""

    question: str
    collection: templates.Library
    relations: Relations
    anchors: dict[str, Entity] = field(default_factory=dict)
    starts: set[str] = field(default_factory=set)  # names that a sub-question begins with
    certain: bool = True
    unknown: str = ""  # a name the graph does not have
    asks: bool = True  # a model which of several of one name is meant; else it is the first


def recall(
    reading: Reading,
    tools: Toolkit,
    least: float,
    examples: int,
    known: Mapping[str, list[Hit]] | None = None,
    *,
    own: bool = True,
) -> Steps[list[Worked]]:
    """The templates nearest to the question, worked out for the names in it.

    A question in a wording of the library tells its own names: they stand where the mask does.
    In another wording its names are `known`, or those that the model sees. `own`: where the wording
    is known, its own split alone; else those of other wordings.
    """
    question, library = reading.question, reading.collection
    read = library.read(question)[:_READINGS]
    best: tuple[float, Match, list[list[Hit]]] = (0.0, Match(Template(MASK), 0), [])
    for match in read:
        hits = yield from named(match.mentions, tools)
        score = min((h[0].score if h else 0.0 for h in hits), default=0.0)
        if score > best[0]:
            best = (score, match, hits)
        if score >= _EXACT:
            break
    sure, match, hits = best
    anew: list[Match] = []
    if sure < _CLOSE:
        reading.unknown = read[0].mentions[0] if read and not match.mentions else ""
        if known is None:
            known = yield from _mentions(question, tools)
        anew = _alike(known, reading, tools, least)
        if anew and anew[0].score >= sure:
            match, hits = anew[0], [known[mention] for mention in anew[0].mentions]
        elif not match.mentions:  # a model may split what no template is like
            match, hits = Match(Template(MASK), 0, tuple(known)), list(known.values())
    for mention, found in zip(match.mentions, hits, strict=True):
        yield from anchor(mention, found, match.template, reading, tools)
    if not match.score or not all(mention in reading.anchors for mention in match.mentions):
        reading.certain = False
        return []
    if match.score == 1 and own:
        return [_worked(match.template, match.mentions)]
    if match.score == 1:
        names = dict(zip(match.mentions, hits, strict=True))
        anew = [m for m in _alike(names, reading, tools, least) if m.template != match.template]
    reading.certain &= match.score >= SURE
    same = [m for m in anew if m.mentions == match.mentions]
    return [_worked(m.template, m.mentions) for m in same[:examples]]


def ear(tools: Toolkit) -> Toolkit | None:
    """What compares wordings by meaning; None where there is no encoder: by their words alone."""
    try:
        return tools if tools.encoder_name else None
    except (SettingsError, SourceError):
        return None


def near_templates(reading: Reading, tools: Toolkit) -> list[str]:
    """Templates of one hop that sub-questions may keep to, the nearest to the question first."""
    simple = reading.collection.simple
    if len(simple) <= 1:
        return simple
    known = set(simple)
    text = masked(reading.question, list(reading.anchors))
    ranked = [
        match.template.text
        for match in reading.collection.hear(text, ear(tools))
        if match.template.text in known
    ]
    return list(dict.fromkeys((*ranked, *simple)))


def pair(question: str, library: templates.Library) -> dict[str, Any] | None:
    """A question of a known wording with its sub-questions, as a model is taught to split; None
    for a question that no template reads."""
    read = library.read(question)
    if not read:
        return None
    worked = _worked(read[0].template, read[0].mentions)
    parts = [part.model_dump(mode="json", exclude_defaults=True) for part in worked.parts]
    return {"question": question, "parts": parts}


def _mentions(question: str, tools: Toolkit) -> Steps[dict[str, list[Hit]]]:
    """Names in a question of unknown wording: those the model sees, as long as the graph has them.

    A longer part of the question that is a name, too, is preferred: “Heat and Dust” to “Heat”.
    """
    extracted = yield from tools.ask(skills.EXTRACT, question=question)
    mentions = list(dict.fromkeys(m.strip() for m in extracted.mentions if m.strip()))
    linked = dict(zip(mentions, (yield from tools.link(mentions)), strict=True))
    known = {m: h for m, h in linked.items() if h and h[0].score >= _CLOSE}
    parts = dict.fromkeys(_spans(question))  # of too many the shorter ones, where most names are
    spans = [s for s in parts if s not in known and len(s) <= _LONGEST][-bounds.LINKED :]
    written = _EXACT if _cased(question) else _CLOSE
    for span, hits in zip(spans, (yield from tools.link(spans, limit=2)), strict=True):
        if hits and hits[0].score >= written and not any(span in m for m in known):
            known = {m: h for m, h in known.items() if m not in span} | {span: hits}
    if not known:
        known = dict(zip(mentions, (yield from named(mentions, tools)), strict=True))
    return {mention: known[mention] for mention in _apart([m for m, h in known.items() if h])}


def _alike(
    known: Mapping[str, Sequence[Hit]], reading: Reading, tools: Toolkit, least: float
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
        text = masked(reading.question, names)
        for match in library.nearest(text, len(library.templates), ear(tools)):
            template = match.template
            if match.score < least or template.text.count(MASK) != len(names):
                continue
            if _leads_on(template, names, starts, reading):
                found.append(Match(template, round(match.score * linked, 4), names))
    return sorted(found, key=lambda m: -m.score)


def _leads_on(
    template: Template,
    names: Sequence[str],
    starts: Set[tuple[Relation | None, Direction]],
    reading: Reading,
) -> bool:
    """Whether a template can begin at what is so named: its chains, or those of the sub-questions
    that begin with a name. What acts in a film is no film."""
    if template.chains:
        return bool(_first_hops(template, reading) & starts)
    first = [part.question for part in _worked(template, names).parts if part.seeds]
    known = [reading.collection.exact(text) for text in first]
    return all(one is None or not one.chains or _first_hops(one, reading) & starts for one in known)


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


def named(mentions: Sequence[str], tools: Toolkit) -> Steps[list[list[Hit]]]:
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


def anchor(
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
        reading.certain = False
        linked = [(mention, near[0].entity)]
        if reading.asks:
            linked = yield from link_mentions(reading.question, [mention], tools)
        if linked:
            reading.anchors[mention] = linked[0][1]
        return
    reading.anchors[mention] = near[0].entity
    reading.certain &= near[0].score >= 0.9
    yield events.Anchored(mention=mention, entity=near[0].entity, why=why)


def masked(question: str, mentions: Sequence[str]) -> str:
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
