"""“Who” of a graph that has no persons by that name, but employees, players or patients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgqa_core.facts.terms import Hit
from kgqa_core.text import fold

ANYBODY = frozenset({"person", "human", "somebody", "people"})
KINDS = (  # classes of people, as graphs of one's own call them
    "employee", "member", "player", "student", "pupil", "teacher", "staff", "customer", "patient",
    "guest", "resident", "volunteer", "artist", "author", "actor", "athlete", "candidate",
    "character", "relative", "colleague", "contact", "participant",
)  # fmt: skip
_SAME = 0.95  # the same word but for case and number


def is_anybody(mention: str) -> bool:
    return fold(mention) in ANYBODY


def as_people(found: Sequence[Sequence[Hit]], mention: str) -> list[Hit]:
    """The best of each kind that the graph has, as what `mention` may mean."""
    there = [hits[0] for hits in found if hits and hits[0].score >= _SAME]
    return [
        replace(
            hit,
            matched=mention,
            entity=replace(hit.entity, aliases=(*hit.entity.aliases, mention)),
        )
        for hit in there
    ]
