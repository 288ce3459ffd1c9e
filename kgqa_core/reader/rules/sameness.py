"""Families of axioms about two things that must agree: profession, faith, country."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgqa_core.facts.premises import folded
from kgqa_core.reader.rules import places
from kgqa_core.reader.rules.subject import Candidate

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
        rule = f"{a.words} and {b.words} must agree in {q.named(one)}."
        premises = [q.equal(a, one, b, other)]
        yield q.one(8.0, rule, *premises, answer=not _differs(q, text))


def _differs(q: Surfacer, text: str) -> bool:
    return bool(
        re.search(r"\b(?:different|differ|not|never|unlike|n't|interpreter|translator)\b", text)
    ) and not (re.search(r"\bsame\b.*\bdifferent\b", text))


_SHARED = re.compile(
    r"\b(?:shar\w+ (?:an?|the|their|one|some)?\s*(?:common )?|one and the same |the identical |"
    r"identical |a common |had? in common (?:an?|the|their) )(?!same)"
)
