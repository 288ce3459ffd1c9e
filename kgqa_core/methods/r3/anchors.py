"""R3's anchors: the entities that a query is about, and the facts about them (§3.2.1)."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from kgqa_core.ask import events
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import IN_DEPTH
from kgqa_core.facts import relations
from kgqa_core.facts.common import SOURCE, common
from kgqa_core.facts.premises import DESCRIPTION, Facts, folded
from kgqa_core.facts.terms import STRING, Entity, Literal, Statement
from kgqa_core.methods.linking import link_mentions
from kgqa_core.methods.r3.query import inside, is_its_name, is_torn, spans, unheard
from kgqa_core.methods.r3.search import Search

EXACT = 0.97  # score of a label as written, but for case
_USUAL = "|".join(relations.row(name).spelled for name in ("instance of", "occupation"))
_FURTHER = 20_000  # and when that was not enough


def anchor(search: Search) -> Steps[None]:
    """E_q, as far as the linker finds them in the words (§3.2.1); the axiom's reply adds more."""
    query, params, tools = search.query, search.params, search.tools
    yield events.Step(title="Find what the question is about")
    if params.entities != "model":
        for span, entity in (yield from _linked(query.question, tools)):
            search.mentions.setdefault(entity, span)
    _admit(search, search.mentions)
    if query.task == "preference":
        yield from _anchor_choice(search)
    if search.anchors:
        yield from read(search.facts, search.anchors, tools)


def _admit(search: Search, found: Mapping[Entity, str]) -> None:
    for entity, mention in found.items():
        search.facts.name(entity, mention)
    search.anchors += [entity for entity in found if entity not in search.anchors]


def further_anchors(search: Search, mentions: Sequence[str]) -> Steps[None]:
    """E_q, the names that the model adds, with the facts about them."""
    query, tools, found = search.query, search.tools, search.mentions
    said = list(dict.fromkeys(m.strip() for m in mentions if m.strip()))
    known = {folded(mention) for mention in (*found.values(), *search.looked_up)}
    search.looked_up += [m for m in said if folded(m) not in known]
    fresh = [m for m in said if folded(m) not in known and not inside(m, query.options)]
    more: dict[Entity, str] = {}
    doubtful = []
    hits = (yield from tools.link(fresh)) if fresh else []
    for mention, near in zip(fresh, hits, strict=True):
        named = [
            h.entity
            for h in near
            if is_its_name(mention, h.entity) and not is_word(mention, h.entity, query.question)
        ]
        if inside(mention, found.values()) or not named:
            continue
        if len(named) > 1:
            doubtful.append(mention)
            continue
        more.setdefault(named[0], mention)
        yield events.Anchored(mention=mention, entity=named[0], why="nothing else has this name")
    if doubtful:
        for mention, entity in (yield from link_mentions(query.question, doubtful, tools)):
            if is_its_name(mention, entity):
                more.setdefault(entity, mention)
    search.unknown = unheard(search.looked_up, [*found.values(), *more.values()])
    new = {entity: mention for entity, mention in more.items() if entity not in search.anchors}
    found |= new
    _admit(search, new)
    if new:
        yield from read(search.facts, list(new), tools)


_WORK = re.compile(
    r"\b(?:film|movie|series|album|song|single|novel|book|play|band|group|game|magazine|painting)\b",
    re.IGNORECASE,
)


def is_word(mention: str, entity: Entity, question: str) -> bool:
    """Whether a word in small letters is no title, where names are written in capitals.

    “Could Ann Lee have had her photograph taken?” does not speak of the film Taken.
    """
    spelt = [n for n in (entity.label, *entity.aliases) if folded(n) == folded(mention)]
    small = mention.islower() and not any(name.islower() for name in spelt)
    in_capitals = re.search(r"\w\W+[A-Z]", question) is not None
    return small and in_capitals and _WORK.search(entity.description) is not None


def common_anchors(search: Search) -> Steps[bool]:
    """The common things that a query names, with what everybody knows of them; whether there are.

    For the built-in reader, which knows nothing by itself. What the graph in use calls the same
    stays its own entity.
    """
    linked, facts, fresh = search.mentions, search.facts, {}
    for mention, thing in common().named(search.query.question):
        names = (thing.label, *thing.aliases)
        named = [
            e
            for e, m in linked.items()
            if is_its_name(m, e) and (inside(mention, [m]) or {m, e.label} <= set(names))
        ]
        own = next((e for e in named if e.label in names), None)
        others = [e for e in named if e != own]
        if own is None and others and not _is_meant(search, mention, others[0]):
            continue
        for other in others:
            if _is_meant(search, mention, other):
                search.anchors.remove(other)  # a Muslim is not Islam
                del linked[other]
        if thing not in search.anchors:
            facts.add(common().statements(thing, own), [own or thing])
            fresh[own or thing] = mention
    kinds = dict.fromkeys(s.object for e in search.anchors for s in facts.out(e, _USUAL))
    for kind in [k for k in kinds if isinstance(k, Entity) and k not in fresh]:
        if (usual := common().called(kind.label)) is not None:
            facts.add(common().statements(usual, kind), [kind])
    new = {entity: mention for entity, mention in fresh.items() if entity not in search.anchors}
    for entity, mention in new.items():
        yield events.Anchored(mention=mention, entity=entity, why="everybody knows such things")
    if fresh:
        known = [s for entity in fresh for s in facts.out_all(entity) if s.source == SOURCE]
        yield events.Expanded(entities=tuple(fresh), statements=tuple(known))
    linked |= new
    _admit(search, new)
    return bool(fresh)


def _is_meant(search: Search, mention: str, other: Entity) -> bool:
    """Whether a word means the common thing rather than what the graph calls so, too.

    The country of Turkey is no bird; but frogs in general are no film.
    """
    question = search.query.question
    of_many = question.startswith(mention) and mention.endswith("s")
    whole = folded(search.mentions[other]) == folded(mention)
    return whole and (folded(other.label) != folded(mention) or of_many)


def _linked(question: str, tools: Toolkit) -> Steps[list[tuple[str, Entity]]]:
    """A dictionary linker: spans that are exactly a label or alias; the longest of nested ones."""
    names = spans(question)
    if not names:
        return []
    hits = yield from tools.link(names, limit=3)
    exact = [n for n, found in zip(names, hits, strict=True) if found and found[0].score >= EXACT]
    anchors: list[tuple[str, Entity]] = []
    for span, found in sorted(zip(names, hits, strict=True), key=lambda pair: -len(pair[0])):
        others = [name for name in exact if name != span]
        if span not in exact or is_torn(span, question, others):
            continue
        if not inside(span, (m for m, _ in anchors)):
            anchors.append((span, found[0].entity))
            yield events.Anchored(mention=span, entity=found[0].entity, why="its name, as written")
    return anchors


def _anchor_choice(search: Search) -> Steps[None]:
    """The person, and an entity for each option: the graph's, or one that its words describe."""
    query, tools = search.query, search.tools
    names = [search.params.user, *query.options]
    hits = yield from tools.link(names, limit=3)
    person, *options = (
        next((h.entity for h in found if folded(h.entity.label) == folded(name)), None)
        for name, found in zip(names, hits, strict=True)
    )
    if person is not None:
        yield events.Anchored(mention=search.params.user, entity=person, why="the personal graph")
        search.anchors.insert(0, person)
    for number, (text, entity) in enumerate(zip(query.options, options, strict=True), 1):
        # no name has a bare slash in its id: nothing in a graph is this option
        option = entity or Entity(f"urn:kg:option/{number}", text)
        search.options.append(option)
        search.facts.name(option, text)
        told = Statement(option, DESCRIPTION, Literal(text, STRING), source="the query")
        search.facts.add([told], [] if entity else [option])
        if entity is not None:
            search.anchors.append(entity)
    if not search.anchors:
        search.anchors = list(search.options)  # judged by their words alone


def read(facts: Facts, entities: Sequence[Entity], tools: Toolkit) -> Steps[None]:
    """K_q: what the graph says of the entities, and how it describes them.

    Of those that were read before, further facts.
    """
    limit = IN_DEPTH if facts.read.isdisjoint(entities) else _FURTHER
    found = yield from tools.expand(entities, limit=limit)
    facts.add(found, entities)
    if not any(facts.about(entity) for entity in entities):
        yield events.DeadEnd(entities=tuple(entities), why="the graph states nothing about them")
