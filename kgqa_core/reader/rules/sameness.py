"""Families of axioms about two things that must agree: profession, faith, office, genre."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgqa_core.facts.premises import Premise, Term, folded, names_of
from kgqa_core.reader.rules import people, places
from kgqa_core.reader.rules.subject import Candidate, Subject

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer


def same(q: Surfacer) -> Iterator[Candidate]:
    """The same profession, country, faith, office …; voters and those they vote for."""
    if len(q.subjects) < 2:
        return
    text = _SHARED.sub("same ", folded(q.question))
    a, b = q.subjects[0], q.subjects[1]
    for words, one, other in q.rules.sameness:
        if not words.search(text):
            continue
        known = q.has_relation(a, one) and q.has_relation(b, other)
        if not known and one != "continent":
            continue
        if one == other == "continent":
            premise = places.one_continent(q, a, b)
            yield q.one(8.0, premise.text + ".", premise, answer=not _differs(q, text))
            continue
        if one == "office":
            yield from _same_office(q, a, b)
            continue
        if one == "religion" and not _differs(q, text):
            strictly = re.search(r"\bsame (?:church|house)\b", text) is not None
            yield from people.same_faith(q, a, b, strictly=strictly)
        rule = f"{a.words} and {b.words} must agree in {q.named(one)}."
        premises = [q.equal(a, one, b, other)]
        yield q.one(8.0, rule, *premises, answer=not _differs(q, text))


def _same_office(q: Surfacer, a: Subject, b: Subject) -> Iterator[Candidate]:
    """Prime Minister of one country and of another hold the same office."""
    relations = q.rules.relations("office")
    heads = tuple(
        dict.fromkeys(
            re.split(r" (?:of|in|for) ", names_of(s.object)[0])[0]
            for s in q.facts.out(b.entity, relations)
        )
    )
    if heads:
        premises = [
            Premise(
                text=f"{s.words} held the office of {heads[0]}",
                left=q.along(s, "office"),
                right=Term(constants=heads),
            )
            for s in (a, b)
        ]
        yield q.one(8.0, f"{a.words} and {b.words} must have held one office.", *premises)


def _differs(q: Surfacer, text: str) -> bool:
    return bool(
        re.search(r"\b(?:different|differ|not|never|unlike|n't|interpreter|translator)\b", text)
    ) and not (re.search(r"\bsame\b.*\bdifferent\b", text))


def of_genre(q: Surfacer) -> Iterator[Candidate]:
    """A genre that the question names."""
    found = re.search(r"\b(?:in|of) the ([\w-]+(?: [\w-]+)?) genre\b", folded(q.question))
    if found is None:
        return
    for subject in q.subjects[:1]:
        if q.has_relation(subject, "genre"):
            rule = f"{subject.words} must belong to the genre {found[1]}."
            yield q.claim(8.2, rule, q.along(subject, "genre"), Term(constants=(found[1],)))


_SHARED = re.compile(
    r"\b(?:shar\w+ (?:an?|the|their|one|some)?\s*(?:common )?|one and the same |the identical |"
    r"identical |a common |had? in common (?:an?|the|their) )(?!same)"
)
