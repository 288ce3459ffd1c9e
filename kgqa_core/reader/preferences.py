"""The axiom of a choice: it fits the query and has nothing that somebody must not have."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgqa_core.facts import relations
from kgqa_core.facts.premises import (
    Condition,
    Hop,
    Premise,
    Term,
    contains,
    folded,
    is_relation,
    names_of,
    words_of,
)
from kgqa_core.facts.terms import Statement
from kgqa_core.methods.r3.skills import OPTION, StatedAxiom
from kgqa_core.reader.families import within
from kgqa_core.reader.lexicon import word_list
from kgqa_core.text import stems

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer


def preference(q: Surfacer) -> StatedAxiom:
    """What is chosen fits the query and has nothing that the person must not have."""
    user = q.given.user
    premises = [Premise(text=f"{OPTION} fits the query “{q.question.strip(' ?.')}”")]
    person = q.facts.called(user)
    facts = [s for s in q.facts.about(person) if s.subject == person] if person else []
    seen = set()
    for s in facts:
        for group, forbidden in _restrictions(q, s):
            if forbidden in seen:
                continue
            seen.add(forbidden)
            value = names_of(s.object)[0]
            premises.append(
                Premise(
                    text=f"{OPTION} has nothing that does not suit {user}: "
                    f"{s.relation.name} {value}",
                    left=Term(
                        entity=OPTION,
                        path=(Hop(relation=q.rules.relations("ingredient")),),
                    ),
                    operator="≠",
                    right=Term(constants=forbidden),
                    given=Condition(
                        left=Term(entity=user, path=(Hop(relation=group),)),
                        right=Term(constants=(value,)),
                    ),
                )
            )
    rule = "What is chosen must come nearest to what is asked for."
    if person:
        rule = f"What {user} gets must suit the wish and hold nothing that {user} must not have."
    return StatedAxiom(rule=rule, premises=premises)


def _restrictions(q: Surfacer, s: Statement) -> Iterator[tuple[str, tuple[str, ...]]]:
    """What somebody with this fact leaves out: by faith and diet, by allergy or illness."""
    relation = s.relation.name
    value = names_of(s.object)[0]
    for customs, ingredients in q.rules.customs:
        if any(contains(value, word) for word in customs):
            yield relation, ingredients
    if _DISLIKES.search(folded(relation)):
        yield relation, tuple(_food_names(value))
        return
    if is_relation(s.relation, q.rules.relations("allergy")) or contains(relation, "allergy"):
        words = [w for w in stems(value) if w not in _NO_FOOD]
        named = [
            part
            for phrase, parts in q.rules.allergens.items()
            if within(tuple(stems(value)), phrase)
            for part in parts
        ]
        illness = is_relation(s.relation, relations.row("medical condition").spelled)
        own = [] if illness or not words else _food_names(value)
        forbidden = tuple(dict.fromkeys((*named, *own)))
        if forbidden:
            yield relation, forbidden
        return
    if is_relation(s.relation, q.rules.relations("faith")) or contains(relation, "diet"):
        for topic in q.rules.topics:
            for positive, group, values in topic.wants:
                if positive or group != "diet" or topic.name not in q.rules.forbidden:
                    continue
                if any(contains(value, v) for v in values):
                    yield relation, q.rules.forbidden[topic.name]


def _food_names(value: str) -> list[str]:
    """What a food is of: `onion rings` of onion, without words for how it is served."""
    return [w for w in words_of(value) if w not in _SERVED and not w.isdigit()]


_NO_FOOD = frozenset(
    stems("allergy hypersensitivity intolerance tolerance low broken severe leg arm")
)
_SERVED = word_list("how food is served")
_DISLIKES = re.compile(r"\b(?:dislike\w*|hates?|avoids?|not like|n't like|never eats?)\b")
