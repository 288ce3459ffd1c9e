"""Step 0: what the question names, what is there, and what was solved before. No model is asked."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import islice
from typing import cast

from kgqa_core.ask import bounds, events
from kgqa_core.ask.listed import relation_keys
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import texts_of
from kgqa_core.facts import compute
from kgqa_core.facts.relations import about
from kgqa_core.facts.terms import Direction, Entity, Hit, Relation, RelationUse, short_id
from kgqa_core.methods import naming
from kgqa_core.methods.compass import learning
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.compass.skills import Start, Worked
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.keqing.recall import Reading, masked, recall
from kgqa_core.methods.keqing.templates import Chain, Library, LibraryError, Template
from kgqa_core.methods.linking import is_clear, look_up
from kgqa_core.text import is_last_name, stems

_LEAST = 0.5  # similarity below which no template is an example
_EXAMPLES = 3
_AS_EXACT = 0.025  # of the best score: a name no less exact


@dataclass
class Map:
    """Where the question may start, what it names in vain, and what is like it."""

    question: str
    starts: list[Start] = field(default_factory=list)
    unknown: list[str] = field(default_factory=list)
    examples: list[Worked] = field(default_factory=list)
    known: bool = False  # whether the first example is this question, with its names
    template: str = ""

    def handle(self, entity: Entity) -> str:
        return next((s.name for s in self.starts if s.candidate.entity == entity), "")

    @property
    def mentions(self) -> set[str]:
        return {start.mention for start in self.starts} | set(self.unknown)

    def forget(self, starts: Sequence[Start]) -> None:
        """These are not what was meant: their name is one of nothing here."""
        self.starts = [start for start in self.starts if start not in starts]
        names = dict.fromkeys(start.mention for start in starts)
        self.unknown += [name for name in names if name not in self.unknown]

    def rivals(self, start: Start, relation: Relation, direction: Direction) -> list[Start]:
        """Other entities of the name, as exactly so called, that have the relation as well."""
        return [
            other
            for other in self.starts
            if other.mention == start.mention
            and other.name != start.name
            and other.candidate.score >= start.candidate.score - 0.01
            and any((u.relation, u.direction) == (relation, direction) for u in other.relations)
        ]


def orient(
    question: str, tools: Toolkit, *, library: Library | None, relations: templates.Relations
) -> Steps[Map]:
    """The names that are in the graph as written, their relations, and questions like this one."""
    yield events.Step(title="Look up names, relations and similar questions")
    here = Map(question)
    yield from _names(here, tools)
    if library is not None:
        yield from _recall(here, library, relations, tools)
    return here


def _names(here: Map, tools: Toolkit) -> Steps[None]:
    if tools.anchors:
        yield from look_around(here, list(tools.anchors), tools)
        return
    exact, near = yield from naming.names_in(here.question, tools)
    sift = not tools.reads_all
    yield from look_around(here, [*exact, *near], tools, alone=[*near], sift=sift)


def look_around(
    here: Map,
    mentions: Sequence[str],
    tools: Toolkit,
    *,
    alone: Sequence[str] = (),
    sift: bool = False,
) -> Steps[list[Start]]:
    """Looks names up; each entity that one may mean is a start, with its relations.

    Of those that are known to be like one name `alone` it is the only start. `sift`: names come
    before words, which take little room, or none if they say a relation of something named.
    """
    fresh = [m for m in mentions if m not in here.mentions]
    fresh.sort(key=lambda mention: mention[:1].islower())  # names before words
    found = yield from look_up(here.question, fresh, tools)
    near = [
        hits[:1]
        if mention in alone
        else _meant(hits, _as_exact(mention, here.question), called_after=not sift)
        for mention, hits in zip(fresh, found, strict=True)
    ]
    entities = list(dict.fromkeys(h.entity for hits in near for h in hits))
    uses = dict(zip(entities, tools.relations_of(entities, about=here.question), strict=True))
    details = {} if tools.reads_all else _details(entities, uses, tools)
    new = []
    pairs = list(zip(fresh, near, strict=True))
    words = [mention for mention, hits in pairs if sift and hits and not _is_name(mention, hits)]
    if len(words) == sum(bool(hits) for _, hits in pairs):
        words = []  # there is nothing else to begin with
    own = [
        use.relation for m, hits in pairs if m not in words for h in hits for use in uses[h.entity]
    ]
    said = {stem for relation in own for name in texts_of(relation) for stem in stems(name)}
    pairs.sort(key=lambda pair: pair[0] in words)
    for mention, hits in pairs:
        if mention in words and set(stems(mention)) <= said:
            continue
        if not hits:
            here.unknown.append(mention)
        shown = bounds.OF_A_START if len(hits) == 1 else bounds.OF_A_START // 3
        for hit in hits:
            word = mention[:1].islower() and not tools.reads_all
            if word and here.starts and not uses[hit.entity]:
                continue  # it is a thing of the graph, and leads nowhere
            start = Start(
                name=f"n{len(here.starts) + 1}",
                mention=mention,
                candidate=hit,
                relations=uses[hit.entity],
                qualifiers=details.get(hit.entity, []),
                shown=0 if mention in words else shown,
            )
            here.starts.append(start)
            new.append(start)
        if len(hits) == 1 and is_clear(hits):
            yield events.Anchored(mention=mention, entity=hits[0].entity, why="the only match")
    return new


def _details(
    entities: Sequence[Entity], uses: Mapping[Entity, Sequence[RelationUse]], tools: Toolkit
) -> dict[Entity, list[str]]:
    """Per entity, `P39: start time, replaced by` for those of its relations that have most.

    A time alone goes without saying; quantities and what else is said of values come first.
    """
    found = {}
    for entity, own in zip(entities, tools.details_of(entities), strict=True):
        keys = relation_keys([use.relation for use in uses[entity]])
        named = {
            keys[use.relation]: own[use.relation, use.direction]
            for use in uses[entity]
            if _tells(own.get((use.relation, use.direction), ()))
        }
        rich = sorted(named, key=lambda key: (all(map(_is_time, named[key])), -len(named[key])))
        rich = rich[: bounds.DETAILED]
        found[entity] = [f"{key}: {', '.join(named[key][: bounds.OF_EACH])}" for key in rich]
    return found


def _tells(details: Sequence[str]) -> bool:
    return len(details) > 1 or not all(map(_is_time, details))


def _is_time(name: str) -> bool:
    known = about(name)
    return known is not None and known.values == "date"


def _is_name(mention: str, hits: Sequence[Hit]) -> bool:
    """Whether it is written like a name, or is one but for capitals: “quenia”, not “harbour”."""
    label = hits[0].entity.label
    return not mention[:1].islower() or (not label[:1].islower() and hits[0].score > naming.EXACT)


def _as_exact(mention: str, question: str) -> float:
    """How much less exact than the best a name may be. Small letters say nothing of what is a name
    where there are no others: “capital of turkey”; but “a turkey” is none.
    """
    small = question[1:] == question[1:].lower()
    named = small and not re.search(rf"\b(?:an?|many) {re.escape(mention)}\b", question.lower())
    return 1 - naming.EXACT if named else _AS_EXACT


def _meant(hits: Sequence[Hit], as_exact: float, *, called_after: bool = True) -> Sequence[Hit]:
    """Those a name may mean: of exact ones no others, but for one whose last name it is.

    Not `called_after`: who is called after a place, as Otto II of Quenia is, has no such name; and
    of exact ones, those `as_exact` as the first.
    """
    if not hits or is_clear(hits):
        return hits[:1]
    if hits[0].score < naming.EXACT:
        return hits[: bounds.CANDIDATES]
    least = naming.EXACT if called_after else max(naming.EXACT, hits[0].score - as_exact)
    exact = [hit for hit in hits[: bounds.CANDIDATES] if hit.score >= least]
    called = exact[0].matched
    names = ((hit, hit.entity.label) for hit in hits if hit not in exact)  # no less known so
    last = (
        hit
        for hit, name in names
        if name[:1].isupper() and is_last_name(called, name)
        if called_after or " of " not in name
    )
    return [*exact, *islice(last, 1)]


# -- what was solved before (Keqing) -------------------------------------------------------


def library_of(tools: Toolkit, relations: templates.Relations) -> Library | None:
    """What was kept for the graph, before the library that fits it; None where there is neither."""
    kept = learning.kept_for(tools.graph)
    try:
        known = tools.remembered("keqing: libraries")
        fitting = templates.fitting("", tools.graph, relations, known)
    except LibraryError:
        return kept or None
    if not kept or fitting == kept:
        return fitting
    both = tools.remembered("compass: libraries")
    parts = (kept.templates, fitting.templates)
    if both.get("of") != parts:
        every = (*kept.templates, *fitting.templates)
        both["of"], both["is"] = parts, replace(fitting, templates=every, path=None, _ears={})
    found: Library = both["is"]
    return found


def _recall(
    here: Map, library: Library, relations: templates.Relations, tools: Toolkit
) -> Steps[None]:
    known: dict[str, list[Hit]] = {}
    for start in here.starts:
        known.setdefault(start.mention, []).append(start.candidate)
    reading = Reading(here.question, library, relations, asks=False)
    worked = yield from recall(reading, tools, _LEAST, _EXAMPLES, known)
    yield from look_around(here, list(reading.anchors), tools)
    asked = masked(here.question, list(reading.anchors))
    near = library.nearest(asked, len(library.templates), tools) if worked else []
    scores = {match.template.text: match.score for match in near}
    for n, example in enumerate(worked):
        template = library.exact(example.template)
        if templates.demands(example.template) != templates.demands(asked):
            continue  # whoever copies it answers another question
        handles = {mention: here.handle(entity) for mention, entity in reading.anchors.items()}
        mentions = [seed for part in example.parts for seed in part.seeds]
        names = [handles[m] for m in dict.fromkeys(mentions) if handles.get(m)]
        steps = written_out(template, names, library, relations) if template else []
        if not steps:
            continue
        if not here.examples:
            here.known, here.template = reading.certain and n == 0, example.template
        score = 1.0 if here.known else scores.get(example.template, 0.0)
        here.examples.append(
            Worked(
                question=example.template,
                score=score,
                steps=[step.model_dump(exclude_defaults=True) for step in steps],
                called={
                    step.relation: relation.name
                    for step in steps
                    if (relation := relations(step.relation)) is not None
                },
            )
        )


def written_out(
    template: Template, names: Sequence[str], library: Library, relations: templates.Relations
) -> list[PlanStep]:
    """A template as steps from the starts of those names; none where it cannot be one."""
    if template.chains and len(names) == 1:
        return _along(_best(template), names[0], names, [], relations)
    steps: list[PlanStep] = []
    ends: list[str] = []
    left = list(names)
    for part in template.parts:
        needs = [ends[n - 1] for n in part.needs]
        if part.text in _OPERATIONS and 0 < len(needs) <= 2:
            steps.append(
                PlanStep(
                    id=f"s{len(steps) + 1}",
                    do="compute",
                    operation=cast(compute.Operation, part.text),
                    of=needs[0],
                    with_set=needs[1] if len(needs) > 1 else "",
                )
            )
        else:
            simple = library.exact(part.text)
            start = needs[0] if len(needs) == 1 else left.pop(0) if left and not needs else ""
            if simple is None or not simple.chains or not start:
                return []
            more = _along(_best(simple), start, names, steps, relations)
            if not more:
                return []
            steps += more
        ends.append(steps[-1].id)
    return steps


_OPERATIONS = frozenset({"union", "intersection", "minus", "count", "more", "fewer", "same"})


def _best(template: Template) -> Chain:
    return max(template.chains, key=lambda chain: chain.precision)


def _along(
    chain: Chain,
    start: str,
    names: Sequence[str],
    before: Sequence[PlanStep],
    relations: templates.Relations,
) -> list[PlanStep]:
    """A chain as steps; what the question names is no answer to it (Keqing, `revisit`)."""
    steps: list[PlanStep] = []
    for n, hop in enumerate(chain.hops):
        relation = relations(hop.relation)
        if relation is None:
            return []
        key = short_id(relation.id)
        steps.append(
            PlanStep(
                id=f"s{len(before) + n + 1}",
                do="follow",
                of=steps[-1].id if steps else start,
                relation=key if relations(key) == relation else relation.id,
                direction=hop.direction,
                apart_from=names[0] if n or before else "",
            )
        )
    return steps
