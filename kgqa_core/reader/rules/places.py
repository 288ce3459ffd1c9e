"""Families of axioms about where people and places belong, and the way there.

As in `people.py`, each is a generator over a question as `reader.surfacer` has read it. What
countries are like stands in `assets/axioms/countries.tsv`; which country it is, the graph says.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import TYPE_CHECKING

from kgqa_core.facts.decide import COORDINATES
from kgqa_core.facts.premises import (
    Function,
    Hop,
    Operator,
    Premise,
    Term,
    contains,
    folded,
    names_of,
)
from kgqa_core.reader.commonsense import Country, said
from kgqa_core.reader.rules.subject import Candidate, Subject
from kgqa_core.text import stems

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer

_CONTINENTS = {
    "europe": ("Europe",),
    "asia": ("Asia",),
    "africa": ("Africa",),
    "north america": ("North America",),
    "south america": ("South America",),
    "oceania": ("Oceania",),
}
_CITIZEN = said("citizen")
_OF_A_PEOPLE = (
    r"passport|citizen\w*|national\w*|roots|origins?|descent|born|native|man|woman|soil|territory|"
    r"city|town|village|company|club|team|person|ancestry|parentage|island|province"
)


def belongs(q: Surfacer) -> Iterator[Candidate]:
    """A continent, people, language, currency or coast that the question names, by the country."""
    for order, subject in enumerate(q.subjects[:2]):
        if subject.common:
            continue
        text = folded(q.unnamed(subject.asked))
        for why, lands, sure in _meant(q, subject, text):
            home = _home(q, subject)
            if home is None or not lands:
                continue
            constants = tuple(dict.fromkeys(n for land in lands for n in _said_of(q, land)))
            rule = f"{subject.words} must belong to {why}."
            right = Term(constants=constants)
            score = 7.6 - 0.5 * order
            yield q.claim(score, rule, home, right, answer=not q.negative, strict=sure)


def _meant(q: Surfacer, subject: Subject, text: str) -> Iterator[tuple[str, list[Country], bool]]:
    lands = list(dict.fromkeys(q.rules.countries.values()))
    own = q.country(subject)
    itself = own is not None and own[1]
    for name, continents in _CONTINENTS.items():
        if re.search(rf"\b{name}(?:n|ns|an|ans)?\b", text) and not re.search(r"\bunion\b", text):
            found = [c for c in lands if set(continents) & set(c.continents)]
            yield f"a country in {continents[0]}", found, True
    own_text = text.replace(folded(subject.entity.name), " ") if itself else text
    if _CITIZEN.search(text) and not re.search(r"\b(?:capital|same)\b", text):
        called = {c.name: c for c in lands if _from(q, c, own_text)}
        if len(called) == 1:
            (land,) = called.values()
            yield land.name, [land], True


def _word(name: str, text: str) -> bool:
    return _compiled(rf"(?<!\w){re.escape(folded(name))}s?(?!\w)").search(text) is not None


@lru_cache(maxsize=2048)  # a few patterns for each country
def _compiled(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern)


def _from(q: Surfacer, land: Country, text: str) -> bool:
    """“From Turkey”, “a Turkish passport”, “is a Turk”; not “the Turkish Airlines Open”."""
    names = "|".join(re.escape(n) for n, c in q.rules.countries.items() if c is land)
    people = "|".join(re.escape(folded(n)) for n in land.people) or names
    return any(
        _compiled(pattern).search(text)
        for pattern in (
            rf"\b(?:from|in|of|within|inside|leave|left) (?:the )?(?:{names})\b",
            rf"\b(?:{people})s?[ -](?:{_OF_A_PEOPLE})\b",
            rf"\b(?:is|was|are|be|been|as|an?|the) (?:{people})s?\W*(?:$|by )",
        )
    )


def _calls(q: Surfacer, land: Country) -> tuple[str, ...]:
    names = [n for n, c in q.rules.countries.items() if c is land]
    return (*names, *land.people)


def _said_of(q: Surfacer, land: Country) -> tuple[str, ...]:
    """Names by which the graph may state the country: its own and those of its capitals."""
    return (land.name, *(n for n, c in q.rules.countries.items() if c is land), *land.capitals)


def _home(q: Surfacer, subject: Subject) -> Term | None:
    """The country of a place, the citizenship or else the birthplace of somebody, if stated."""
    if folded(subject.entity.name) in q.rules.countries and not subject.path:
        return subject.term()
    if subject.path:
        return q.grouped(subject, "home")
    groups = ("origin", "birthplace") if q.is_person(subject) else ("country", "location")
    for group in groups:
        relations = q.rules.relations(group)
        stated = [n for x in q.facts.out(subject.entity, relations) for n in names_of(x.object)]
        if any(_known(q, name) for name in stated):
            return q.along(subject, group)
    return None


def _known(q: Surfacer, name: str) -> bool:
    if folded(name) in q.rules.countries:
        return True
    return any(
        contains(name, capital) for c in q.rules.countries.values() for capital in c.capitals
    )


_GOVERNS = said("governs")


def in_office_of(q: Surfacer) -> Iterator[Candidate]:
    """Who is said to have governed a country held an office of that country."""
    text = folded(q.question)
    if _GOVERNS.search(text) is None or re.search(r"\bsame\b", text):
        return
    for subject in q.subjects[:1]:
        if subject.path or not q.is_person(subject):
            continue
        asked = folded(subject.asked)
        lands = {
            c.name: c
            for c in q.rules.countries.values()
            if any(_word(n, asked) for n in _calls(q, c))
        }
        relations = q.rules.relations("office")
        held = [n for x in q.facts.out(subject.entity, relations) for n in names_of(x.object)]
        of_a_country = [n for n in held if any(contains(n, c) for c in q.rules.countries)]
        if len(lands) != 1 or not of_a_country:
            continue
        (land,) = lands.values()
        rule = f"{subject.words} must have held an office of {land.name}."
        left, right = q.along(subject, "office"), Term(constants=_calls(q, land))
        yield q.claim(7.7, rule, left, right, answer=not q.negative)


_NOUN = r"((?:(?!(?:of|in|for|that|which|who|with|from|by|on|to|at|and|or|than)\b)[\w'-]+ ?){1,4})"
_IS_A = re.compile(
    r"\b(?:is|was|are|were|be|been|being|becom\w+|became|called|considered|as)\s+"
    r"(?:an? (?:kind|type|form|example|sort) of|one of the|some|an?|the)\s+" + _NOUN
)
_IS_ASKED = re.compile(r"^(?:is|was|are|were)\b.*?…\s*(?:really |actually )?(?:an?|the)\s+" + _NOUN)


def typed(q: Surfacer) -> Iterator[Candidate]:
    """“X is a planet”: the noun is among the kinds that the graph gives."""
    for subject in q.subjects[:1]:
        if q.is_person(subject) or not q.may_say(subject, q.rules.relations("kind")):
            continue
        asked = folded(subject.asked)
        found = _IS_A.search(asked) or _IS_ASKED.search(asked)
        if found is None:
            continue
        words = stems(found[1])
        ends = [words[i:] for i in range(len(words)) if words[i:] in q.rules.kinds]
        if not ends:
            continue
        name = q.rules.kinds[ends[0]]
        values = tuple(dict.fromkeys((name, *q.rules.classes.get(name, ()))))
        rule = f"{subject.words} must be a {name}."
        left, right = q.along(subject, "kind"), Term(constants=values)
        # “a race for horses” is more than a race
        more = re.match(r"\s*(?:of|for|that|which|who|with|from)\b", asked[found.end() :])
        text = f"The kind of {subject.words} is {name}"
        score = 5.4 if more else 7.3
        yield q.claim(score, rule, left, right, text=text, answer=not q.negative, strict=False)


# -- the way there ---------------------------------------------------------------------------


def placed(q: Surfacer) -> Iterator[Candidate]:
    """North, south, east or west of: by coordinates, else by where the countries lie."""
    way = re.search(r"\b(north|south|east|west)(?:ern|wards?)?\b", folded(q.question))
    placed = [s for s in q.subjects if not q.is_person(s)]
    if way is None or len(placed) < 2:
        return
    a, b = placed[0], placed[1]
    function: Function = "latitude" if way[1] in {"north", "south"} else "longitude"
    operator: Operator = ">" if way[1] in {"north", "east"} else "<"
    rule = f"{a.words} must lie further {way[1]} than {b.words}."
    if all(q.may_say(s, COORDINATES) for s in (a, b)):
        sides = a.term(function=function), b.term(function=function)
        text = f"The {function} of {a.words} is {operator} that of {b.words}"
        yield q.claim(9.3, rule, *sides, text=text, operator=operator)
        return
    here, there = q.country(a), q.country(b)
    if here is None or there is None:
        return
    (one, first), (other, second) = here, there
    sizes = [c.north if function == "latitude" else c.east for c in (one, other)]
    holds = sizes[0] > sizes[1] if operator == ">" else sizes[0] < sizes[1]
    known = [
        Premise(
            text=f"{q.words} is in {land.name}, about {abs(size):g}° {_side(function, size)}",
            left=s.term() if is_country else q.along(s, "country"),
            right=Term(constants=(land.name,)),
        )
        for s, land, size, is_country in zip(
            (a, b), (one, other), sizes, (first, second), strict=True
        )
    ]
    yield q.one(9.3, rule, *known, answer=holds)


def reached(q: Surfacer) -> Iterator[Candidate]:
    """On foot or by taxi within a country, by car within a continent."""
    text = folded(q.question)
    near = re.search(
        r"\b(?:taxi|walk\w*|bike|bicycle|bus|subway|metro|on foot|swim|jog|tram|scooter|uber|"
        r"hike|canoe|paddle|crawl|skateboard|cab)\b",
        text,
    )
    far = re.search(
        r"\b(?:driv\w+|drove|by car|road trip|by road|by land|overland|train|car trip)\b", text
    )
    places = [s for s in q.subjects if not q.is_person(s)]
    if not (near or far) or len(places) < 2:
        return
    a, b = places[0], places[1]
    if near:
        rule = f"{a.words} and {b.words} must be in one country for such a short way."
        premise = q.equal(a, "place", b, "place")
    else:
        rule = f"{a.words} and {b.words} must be on one continent to be joined by road."
        premise = one_continent(q, a, b)
    yield q.one(8.8, rule, premise)


def one_continent(q: Surfacer, a: Subject, b: Subject) -> Premise:
    return Premise(
        text=f"The continents of {a.words} and of {b.words} are the same",
        left=a.term(*_to_continent(q, a)),
        right=b.term(*_to_continent(q, b)),
    )


def _to_continent(q: Surfacer, subject: Subject) -> tuple[Hop, ...]:
    continent = Hop(relation=q.rules.relations("continent"))
    if q.facts.out(subject.entity, continent.relation):
        return (continent,)
    return (Hop(relation=q.rules.relations("country")), continent)


def _side(function: Function, size: float) -> str:
    north, south = ("north", "south") if function == "latitude" else ("east", "west")
    return north if size >= 0 else south
