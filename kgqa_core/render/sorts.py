"""What sort of thing a node is: a person, a place, a work …, read off what is said of it.

A picture tells sorts apart by shape and colour, and “he” of a further question is a person;
no answer depends on them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts import relations
from kgqa_core.facts.terms import Entity, Statement

Sort = OneOf["person", "place", "work", "group", "event", "thing"]
SORTS: dict[Sort, str] = {
    "person": "person",
    "place": "place",
    "work": "work",
    "group": "organisation",
    "event": "event",
    "thing": "anything else",
}
# The head noun of a description or of a class, as catalogues write them.
_NOUNS: dict[Sort, str] = {
    "work": "film|movie|novel|book|song|album|single|painting|play|opera|poem|symphony|series|"
    "sitcom|sculpture|musical|ballet|magazine|newspaper|video game|short story|trilogy|"
    "autobiography|memoir|literary work|television program(?:me)?|composition|treatise|artwork",
    "person": "human|person|man|woman|actor|actress|director|writer|author|novelist|poet|singer|"
    "musician|composer|painter|sculptor|architect|politician|statesman|president|emperor|king|"
    "queen|prince|princess|scientist|physicist|chemist|mathematician|astronomer|biologist|"
    "philosopher|economist|historian|engineer|inventor|explorer|astronaut|oceanographer|footballer|"
    "player|athlete|coach|manager|businessman|businesswoman|entrepreneur|journalist|lawyer|"
    "physician|model|comedian|screenwriter|producer|filmmaker|cinematographer|editor|conductor|"
    "pianist|rapper|dancer|officer|general|theologian|saint|pope|monarch|lady|swimmer|driver|"
    "psychologist|naturalist|psychoanalyst|logician|socialite|celebrity|"
    "spouse|father|mother|son|daughter|child|founder|brother|sister|wife|husband|leader|minister|"
    "chancellor|senator|governor|mayor|judge|designer|star|programmer|executive|monk|nurse|"
    "academic|professor|researcher|aviator|diplomat|activist|dramatist|playwright",
    "event": "war|battle|revolution|election|olympics|olympic games|tournament|championship|"
    "season|festival|conflict|treaty|disaster|event|ceremony|expedition|world cup|attack|crisis|"
    "siege|invasion|campaign|conference|mission|space mission",
    "group": "company|corporation|organi[sz]ation|university|college|school|institute|party|band|"
    "club|team|agency|association|league|studio|publisher|bank|airline|manufacturer|society|"
    "academy|foundation|union|network|broadcaster|label|orchestra|business|enterprise|"
    "institution|duo|brand|museum",
    "place": "place|city|town|village|country|state|capital|region|province|county|continent|river|"
    "mountain|mountains|lake|sea|ocean|island|islands|municipality|commune|borough|district|"
    "republic|kingdom|empire|peninsula|desert|bay|metropolis|mountain range|peak|volcano|strait|"
    "neighbou?rhood|suburb|building|castle|cathedral|church|airport|bridge|tower|stadium|park|"
    "planet|settlement|federal state|sovereign state|territory|archipelago|canal|street",
    # what stands behind a word for a place (“ocean liner”), or has a country and is none
    "thing": "ship|liner|boat|vessel|yacht|ferry|steamship|battleship|warship|submarine|frigate|"
    "aircraft|aircraft carrier|airliner|airplane|airship|helicopter|train|locomotive|car|"
    "automobile|vehicle|spacecraft|space probe|satellite|rocket|telescope|music|language|dance|"
    "dish|dialect|flag|currency",
}
_TO_KINDS: tuple[relations.Group, ...] = ("class", "subclass", "calling", "sort")
_ANY = {sort: re.compile(rf"\b(?:{nouns})\b", re.IGNORECASE) for sort, nouns in _NOUNS.items()}
# “American actor, born in the city of …”, “novel by …”: what counts stands before these.
_TAIL = re.compile(
    r"\b(?:by|of|in|from|who|that|which|with|based|directed|written|born|for|at|near|between)\b"
    r"|[,;:(–]",
    re.IGNORECASE,
)


def sort_of_words(words: str) -> Sort:
    """The sort that a class's name or a description tells of; `thing` when it tells of none."""
    return _told(words) or "thing"


@lru_cache(maxsize=16_384)
def _told(words: str) -> Sort | None:
    """The same; None where it tells of none."""
    head = _TAIL.split(words.strip(), maxsplit=1)[0] or words
    found: list[tuple[int, Sort]] = [
        (m.end(), sort) for sort, nouns in _ANY.items() for m in nouns.finditer(head)
    ]  # English puts the head noun last
    return max(found)[1] if found else None


def sorts_of(entities: Iterable[Entity], statements: Iterable[Statement]) -> Mapping[str, Sort]:
    """The sort of each entity of which one is told: by its class, else its description, else what
    is said of it or leads to it. A kind of things is a `thing`, whatever its name."""
    by_class: dict[str, Sort] = {}
    by_use: dict[str, Sort] = {}
    people: set[str] = set()
    kinds: set[str] = set()  # “human” and “screenwriter” are no people
    for s in statements:
        if relations.belongs(s.relation, "person"):  # said of people alone
            people.add(s.subject.id)
        elif relations.belongs(s.relation, "place") and not relations.belongs(s.relation, "origin"):
            by_use.setdefault(s.subject.id, "place")
        if not isinstance(s.object, Entity):
            continue
        if relations.belongs(s.relation, *_TO_KINDS):
            kinds.add(s.object.id)
        if relations.belongs(s.relation, "class"):
            sort = _told(s.object.name)
            if sort is not None:
                by_class.setdefault(s.subject.id, sort)
        known = relations.about(s.relation)
        if known is not None and known.values in ("person", "place"):
            by_use.setdefault(s.object.id, known.values)
    found: dict[str, Sort] = {}
    for entity in entities:
        said = _told(entity.description) if entity.description else None
        if said in (None, "thing", "group") and entity.id in people:  # “university teacher”
            said = "person"
        if entity.id in kinds:
            found[entity.id] = "thing"
            continue
        sort = by_class.get(entity.id) or said or by_use.get(entity.id)
        if sort is not None:
            found[entity.id] = sort
    return found
