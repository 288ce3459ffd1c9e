"""Families of axioms about numbers: counts and measures."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import product
from typing import TYPE_CHECKING

from kgqa_core.facts.premises import Operator, Term, folded
from kgqa_core.reader.commonsense import said, within
from kgqa_core.reader.rules.subject import Candidate, Subject
from kgqa_core.reader.words import NUMBER_WORDS
from kgqa_core.text import stems

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer


def counted(q: Surfacer) -> Iterator[Candidate]:
    """So many children for a team; more clubs than somebody else; at least a dozen."""
    limit = _limit(q)
    for group, nouns in _COUNTABLE.items():
        named = [n for n in nouns.split("|") if _plural(n) & q.words or _than_one(q, n)]
        times = re.search(r"\b(?:times|once|twice|thrice)\b", folded(q.question))
        if not named or (named == ["married"] and not times):
            continue
        relations = q.rules.relations(group)
        bases = [_whose(q, s, group, nouns) for s in q.subjects]
        known = [s for s in bases if q.may_say(s, relations)]
        if len(bases) == 2 and known:  # who has none of them has fewer
            known = bases
        if len(known) >= 2 and (way := _COMPARES.search(folded(q.question))):
            a, b = known[0], known[1]
            operator: Operator = "<" if way[1] in {"fewer", "less", "smaller"} else ">"
            more, noun = _WORDS_OF[operator], nouns.split("|")[0]
            rule = f"{a.words} must have {more} than {b.words} in number of {noun}."
            counts = (q.along(s, group, "count") for s in (a, b))
            text = f"{a.words} has {more} of them than {b.words}"
            yield q.claim(9.5, rule, *counts, text=text, operator=operator, closed=True)
        if limit is None:
            continue
        phrase, number, operator = limit
        for counted in known[:1]:
            text = f"The number of {nouns.split('|')[0]} of {counted.words} is {operator} {number}"
            rule = f"{phrase.capitalize()} takes {number}: {text}."
            left, right = q.along(counted, group, "count"), Term(constants=(str(number),))
            yield q.claim(9, rule, left, right, text=text, operator=operator)


def _than_one(q: Surfacer, noun: str) -> bool:
    return f"more than one {noun}" in folded(q.question)


def _whose(q: Surfacer, subject: Subject, group: str, nouns: str) -> Subject:
    """Whose things are counted: of “X's children play” it is X, of “X's wife has dogs” she."""
    if any(within(stems(subject.asked), stems(noun)) for noun in nouns.split("|")):
        return subject
    return q.base(subject, q.rules.relations(group))


def _limit(q: Surfacer) -> tuple[str, int, Operator] | None:
    """The number a question compares with, said as such or as a thing that has so many."""
    text = folded(q.question)
    operator: Operator = "≥"
    if re.search(r"\b(?:more than|exceeds?|over|surpass)\b", text):
        operator = ">"
    elif re.search(r"\b(?:fewer than|less than|under|below)\b", text):
        operator = "<"
    things = [
        (len(phrase), name, number)
        for phrase, (name, number) in q.rules.counts.items()
        if within(q.stems, phrase)
    ]
    if things and "more than" in max(things)[1]:  # “more than once” is at least twice
        operator = "≥"
    if things and _ENOUGH.search(text):
        _, name, number = max(things)
        return f"a {name}", number, operator
    asked = " ".join(folded(s.asked) for s in q.subjects[:1])
    for stated in re.findall(r"\b\d[\d,]*\b", asked):
        number = int(stated.replace(",", ""))
        if "," in stated or not 1000 <= number <= 2100:  # else a year
            return "the question", number, operator
    if re.search(r"\b(?:more than (?:one|once)|several|multiple)\b", asked):
        return "the question", 2, "≥"
    for word, number in (NUMBER_WORDS | {"twice": 2, "thrice": 3}).items():
        if number > 1 and re.search(rf"\b(?:least|than|exactly|over|to) (?:a )?{word}\b", asked):
            return "the question", number, operator
    return None


def measured(q: Surfacer) -> Iterator[Candidate]:
    """Taller, deeper, more people; what it made against what it cost."""
    for phrase, more, groups in q.rules.measures:
        if not within(q.stems, phrase):
            continue
        for group in groups:
            known = [s for s in q.subjects if q.has_relation(s, group)]
            for a, b in product(known, known):
                if a.entity == b.entity or a.place >= b.place:
                    continue
                operator: Operator = ">" if more else "<"
                rule = f"{a.words} must have {_WORDS_OF[operator]} {group} than {b.words}."
                text = f"The {group} of {a.words} is {operator} the {group} of {b.words}"
                sides = q.along(a, group), q.along(b, group)
                score = 9.2 + 0.01 * len(phrase)
                yield q.claim(score, rule, *sides, text=text, operator=operator)


def _plural(noun: str) -> set[str]:
    """The last word of a noun as it is written of several, with `family` as it is."""
    word = noun.split()[-1]
    odd = {
        "child": "children",
        "wife": "wives",
        "family": "family",
        "polygamy": "polygamy",
        "married": "married",
        "remarry": "remarry",
        "polymath": "polymath",
    }
    return {odd.get(word, f"{word}s" if not word.endswith("y") else f"{word[:-1]}ies")}


_ENOUGH = said("enough")
_WORDS_OF = {">": "more", "<": "less", "≥": "at least as much", "=": "as much"}
_COMPARES = re.compile(
    r"\b(more|fewer|less|bigger|larger|smaller|greater)\b.*\bthan\b|"
    r"\b(?:outnumber|surpass|exceed|outdo|beat|top)(?:s|ed|es)?\b"
)
_COUNTABLE = {
    "family": "family",
    "child": "child|kid|son|daughter|offspring",
    "spouse": "wife|husband|spouse|marriage|married|polygamy|polygamist|bigamy|remarry",
    "sibling": "sibling|brother|sister",
    "team": "club|team|sports team",
    "award": "award|prize|trophy",
    "pseudonym": "pseudonym|pen name|alias|stage name|nickname",
    "language": "language",
    "job": "occupation|profession|job|career|polymath",
    "product": "product",
    "candidate": "candidate|contender",
    "education": "university|school|college",
    "instrument": "instrument",
    "office": "position|office",
}
