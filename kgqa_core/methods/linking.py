"""Entity linking as visible steps: extract mentions, look them up, choose (KGIR §3.4).

The first thing most methods do, so it is one function.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz.distance import OSA

from kgqa_core.ask import bounds, events, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import Candidate, EntityChoice, NamedCandidate
from kgqa_core.facts.terms import Entity, Hit, RelationUse, short_id
from kgqa_core.kg.labels import allowed_edits
from kgqa_core.text import fold

_RELATIONS = 3  # of a candidate; one less where it is described, and where several names are asked
_CLEAR = 0.99  # an exact label
_SAME = 0.95  # the same words but for case, accents, an article
_LONG = 6  # letters from which another spelling is no other word
_WHOLE = 0.92  # below it a name is only part of what was found, or misspelt
_APART = re.compile(r"\W+")
_OF_A_NAME = re.compile(r"\b(?:of|in|from|by|for) (?:the )?([A-Z].*)")
_LOOKED_THROUGH = 200  # candidates among which those of a pool are looked for
_SEVERAL = {
    skills.CHOOSE_ENTITY.name: skills.CHOOSE_ENTITIES,
    skills.CHOOSE_ANSWER.name: skills.CHOOSE_ANSWERS,
}


def link_question(
    question: str, tools: Toolkit, pool: frozenset[str] | None = None
) -> Steps[list[tuple[str, Entity]]]:
    """Mentions of the question with the entity chosen for each; unlinked ones are left out.

    `pool`: short ids of the only entities that may be meant.
    """
    yield events.Step(title="Find the entities in the question")
    extracted = yield from tools.ask(skills.EXTRACT, question=question)
    mentions = list(dict.fromkeys(m.strip() for m in extracted.mentions if m.strip()))
    return (yield from link_mentions(question, mentions, tools, pool=pool))


def unlinked(tools: Toolkit) -> Answer:
    """An abstention for want of an entity: whether none was found, or no name to look for."""
    if tools.looked_up:
        return Answer(reason="No entity of the question was found in the graph.")
    return Answer(reason="No name was read in the question, so nothing was looked up.")


def link_mentions(
    question: str,
    mentions: list[str],
    tools: Toolkit,
    choose: Skill[EntityChoice] = skills.CHOOSE_ENTITY,
    *,
    pool: frozenset[str] | None = None,
) -> Steps[list[tuple[str, Entity]]]:
    """Looks each mention up and chooses among its candidates, all in one call.

    A mention with one exact match and nothing near it needs no choice, so no model call; neither
    does one that only resembles names, where such a match has the same words, nor one that differs
    from the only name that is like it in case, accents or a slip of the pen.
    Nor does what stands within a clear name alone, or may only be what is clear already; and what
    may be the same as a name within it is chosen with that.
    `choose` is the question put: which entity is meant, or which is the answer.
    """
    found = yield from look_up(question, mentions, tools, pool)
    within = _within(mentions, found, tools)
    if inner := [name for name in dict.fromkeys(within.values()) if name not in mentions]:
        mentions = [*mentions, *inner]
        found = [*found, *(yield from look_up(question, inner, tools, pool))]
    anchors: dict[str, Entity] = {}
    clear = [m for m, hits in zip(mentions, found, strict=True) if is_clear(hits)]
    spelt = {
        m for m, hits in zip(mentions, found, strict=True) if _is_spelt_otherwise(question, m, hits)
    }
    asks = choose is skills.CHOOSE_ENTITY and not tools.reads_all
    named = [*clear, *spelt]
    sure = {hits[0].entity for m, hits in zip(mentions, found, strict=True) if m in named}
    open_choices = []
    for mention, hits in zip(mentions, found, strict=True):
        if is_clear(hits):
            anchors[mention] = hits[0].entity
            yield events.Anchored(mention=mention, entity=hits[0].entity, why="the only match")
        elif mention in spelt:
            anchors[mention] = hits[0].entity
            why = f"the only name like it: {hits[0].matched}"
            yield events.Anchored(mention=mention, entity=hits[0].entity, why=why)
        elif within.get(mention) in clear:
            continue  # the president of Chile: Chile is there
        elif asks and {hit.entity for hit in hits} <= sure and _is_more_than(mention, named):
            continue  # “Ridley Scott direct” beside “Ridley Scott”
        elif choose is skills.CHOOSE_ENTITY and _stands_within(question, mention, named):
            continue  # “Scott”
        elif hits and not _spoken_for(question, mention, hits, clear):
            open_choices.append((mention, _candidates(hits)))
    if asks:
        open_choices = [one for one in open_choices if not _chosen_with(*one, open_choices)]
    if open_choices:
        tools.check()
        uses = {}
        entities = list(dict.fromkeys(h.entity for _, hits in open_choices for h in hits))
        found_uses = tools.relations_of(entities, about=question, most=_RELATIONS)
        for entity, relations in zip(entities, found_uses, strict=True):
            uses[entity] = relations
        choices = yield from _choices(question, open_choices, uses, tools, choose)
        for mention, hits in open_choices:
            choice = choices.get(mention)
            if choice is not None and 0 <= choice.index < len(hits):
                entity = hits[choice.index].entity
                anchors[mention] = entity
                yield events.Anchored(mention=mention, entity=entity, why=choice.why)
                others = tuple(h.entity for h in hits if h.entity != entity)
                if others:
                    yield events.Pruned(entities=others, why=f"not what “{mention}” means here")
    missing = [m for m, hits in zip(mentions, found, strict=True) if not hits]
    # A name that is not there may be what the question is about; “tallest” is hardly one.
    names = [m for m in missing if m != m.lower()]
    phrases = [m for m in missing if m == m.lower()]
    if names:
        yield events.Noted(text=_lacks(names), level="warning")
    if phrases:
        yield events.Noted(text=_lacks(phrases))
    return [(m, anchors[m]) for m in mentions if m in anchors]


def _within(
    mentions: Sequence[str], found: Sequence[Sequence[Hit]], tools: Toolkit
) -> dict[str, str]:
    """Names within a model's mentions that nothing bears as a whole: Chile, of its president."""
    if tools.reads_all:  # the built-in reader names them itself
        return {}
    unknown = (m for m, hits in zip(mentions, found, strict=True) if not _is_known(hits))
    return {m: at[1] for m in unknown if (at := _OF_A_NAME.search(m))}


def _is_known(hits: Sequence[Hit]) -> bool:
    return bool(hits) and hits[0].score >= _WHOLE


def _choices(
    question: str,
    names: Sequence[tuple[str, Sequence[Hit]]],
    uses: Mapping[Entity, list[RelationUse]],
    tools: Toolkit,
    choose: Skill[EntityChoice],
) -> Steps[dict[str, EntityChoice]]:
    """What is chosen for each name, by its position among the candidates of that name."""
    if len(names) == 1:
        ((mention, hits),) = names
        candidates = [
            Candidate(
                hit=hit,
                relations=uses.get(hit.entity, []),
                shown=_RELATIONS - bool(hit.entity.description),
            )
            for hit in hits
        ]
        choice = yield from tools.ask(
            choose, question=question, mention=mention, candidates=candidates
        )
        return {mention: choice}
    every: list[tuple[int, NamedCandidate]] = []
    first: dict[Entity, int] = {}
    for mention, hits in names:
        for n, hit in enumerate(hits):
            at = first.setdefault(hit.entity, len(every))
            one = NamedCandidate(
                mention=mention,
                hit=hit,
                relations=uses.get(hit.entity, []),
                shown=_RELATIONS - 1 - bool(hit.entity.description),
                like=at if at < len(every) else None,
                again=n > 0 or (len(hits) == 1 and mention == hit.entity.name),
            )
            every.append((n, one))
    reply = yield from tools.ask(
        _SEVERAL[choose.name], question=question, candidates=[one for _, one in every]
    )
    chosen: dict[str, EntityChoice] = {}
    for choice in reply.chosen:
        if 0 <= choice.index < len(every):
            n, one = every[choice.index]
            chosen.setdefault(one.mention, choice.model_copy(update={"index": n}))
    return chosen


def look_up(
    question: str, mentions: Sequence[str], tools: Toolkit, pool: frozenset[str] | None = None
) -> Steps[list[list[Hit]]]:
    """What each mention may mean, best first, without those of which it is only a common part.

    Of a pool, by short ids, its entities alone.
    """
    if pool is None:
        found = yield from tools.link(mentions)
    else:
        every = yield from tools.link(mentions, _LOOKED_THROUGH)
        found = [[h for h in hits if short_id(h.entity.id) in pool] for hits in every]
    fitting = [_fitting(question, m, hits) for m, hits in zip(mentions, found, strict=True)]
    if tools.reads_all:
        return fitting
    return [_whole(question, m, hits) for m, hits in zip(mentions, fitting, strict=True)]


def is_clear(hits: Sequence[Hit]) -> bool:
    """Whether there is nothing to choose: an exact match, and nothing near it."""
    return len(_nearest(hits)) == 1 and hits[0].score >= _CLEAR


def _candidates(hits: Sequence[Hit]) -> list[Hit]:
    """Those to choose from: what bears the name, and little of what only resembles it."""
    whole = [h for h in hits if h.score >= _WHOLE][: bounds.CANDIDATES]
    left = min(bounds.ALIKE, bounds.CANDIDATES - len(whole)) if whole else bounds.CANDIDATES
    return [*whole, *[h for h in hits if h.score < _WHOLE][:left]]


def _nearest(hits: Sequence[Hit]) -> list[Hit]:
    return [h for h in hits if h.score >= 0.9 * hits[0].score]


def _is_spelt_otherwise(question: str, mention: str, hits: Sequence[Hit]) -> bool:
    """Whether the only candidate is one of which the mention is another spelling.

    A short word is too easily another one, and one in small letters no slip of a name; but small
    letters say nothing in a question without capitals.
    """
    said = fold(mention)
    if not hits or len(_nearest(hits)) != 1:
        return False
    if len(hits) == 1 and hits[0].score >= _SAME and question[1:] == question[1:].lower():
        return True
    if len(said) < _LONG:
        return False
    if hits[0].score >= _SAME:
        return True
    name = fold(hits[0].matched)
    alone = len(hits) == 1 and mention != mention.lower() and len(said.split()) == len(name.split())
    most = allowed_edits(said)
    return alone and OSA.distance(said, name, score_cutoff=most) <= most


def _stands_within(question: str, mention: str, clear: Sequence[str]) -> bool:
    """Whether a mention is a part of clear names of the question, and stands nowhere else in it."""
    own, left = _words(mention), _words(question)
    names = [name for name in map(_words, clear) if own in name and name in left]
    for name in names:
        left = left.replace(name, "  ")
    return bool(names) and own not in left


def _is_more_than(mention: str, clear: Sequence[str]) -> bool:
    own = _words(mention)
    return any(_words(name) in own for name in clear)


def _chosen_with(
    mention: str, hits: Sequence[Hit], others: Sequence[tuple[str, Sequence[Hit]]]
) -> bool:
    """Whether nothing bears a mention, and it is more words around one that may mean the same."""
    return not _is_known(hits) and any(
        _is_known(found)
        and _words(other) in _words(mention)
        and hits[0].entity in {hit.entity for hit in found}
        for other, found in others
    )


def _spoken_for(question: str, mention: str, hits: Sequence[Hit], clear: Sequence[str]) -> bool:
    """Whether nothing bears a name of the question, and clear matches have all of its words.

    “Ulm and Bonn” beside both of them; “Fuji” beside “Mount Fuji”, if it stands nowhere else.
    """
    own, asked = _words(mention), _words(question)
    if hits[0].score >= _WHOLE or own not in asked:
        return False
    names = [name for name in map(_words, clear) if name in asked]
    for name in names:
        if own in name:
            asked = asked.replace(name, "  ")
    return own not in asked or sum(name in own for name in names) > 1


def _words(text: str) -> str:
    """With a blank at either end, so that only whole words are part of it."""
    return f" {_APART.sub(' ', fold(text)).strip()} "


def _fitting(question: str, mention: str, hits: list[Hit]) -> list[Hit]:
    """The candidates without names of which a common word is only a part: a fish, no “Big Fish”.

    A question without capitals says nothing of what is a name.
    """
    if mention != mention.lower() or question[1:] == question[1:].lower():
        return hits
    return [h for h in hits if h.score >= _WHOLE or h.matched == h.matched.lower()]


def _whole(question: str, mention: str, hits: list[Hit]) -> list[Hit]:
    """The candidates for common words that are not only a part of these: no “number” for “atomic
    number”. That is no name, and nobody need be asked about it."""
    if mention != mention.lower() or question[1:] == question[1:].lower():
        return hits
    said = _words(mention)
    return [h for h in hits if h.score >= _WHOLE or _words(h.matched) not in said]


def _lacks(mentions: Sequence[str]) -> str:
    return f"The graph has no entity for {', '.join(f'“{m}”' for m in mentions)}."
