"""What a question says in a graph's own words: nothing need be asked about it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence, Set

from kgqa_core.ask.shown import texts_of
from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.text import fold, stems

_SMALL = frozenset(  # words that say nothing of what is asked for; “first” and “before” do
    stems(
        "a an the of in on at to for by and is are was were be been do does did has have had s "
        "who whom whose what which where when it its his her their tell me please"
    )
)
_NO_KIND = re.compile(r"(?:who|whom|whose|when|where|how many|how much)\b", re.IGNORECASE)


def said_by(
    question: str, names: Iterable[str], uses: Sequence[RelationUse], most: int
) -> list[int]:
    """Positions of the relations whose names are all that a question says beside its `names`.

    None where it says anything else, or one thing twice, or more than `most` are called so.
    """
    words = fold(question)
    for name in sorted(map(fold, names), key=len, reverse=True):
        words = re.sub(rf"\b{re.escape(name)}\b", " ", words)
    left = [word for word in stems(words) if word and word not in _SMALL]
    said = set(left)
    if not left or len(said) < len(left):
        return []
    called = {n: own for n, use in enumerate(uses) if (own := _called(use, said))}
    if len(called) > most or frozenset[str]().union(*called.values()) != said:
        return []
    return list(called)


def _called(use: RelationUse, said: Set[str]) -> frozenset[str]:
    """The words of a relation's names, as far as such a name has no others."""
    names = (frozenset(stems(name)) - _SMALL for name in texts_of(use.relation))
    return frozenset[str]().union(*(name for name in names if name <= said))


def leads_nowhere(question: str, uses: Iterable[RelationUse]) -> bool:
    """Whether who, when, where or how many is asked, and only what things are is stated."""
    if not _NO_KIND.match(question.strip()):
        return False
    return all(relations.belongs(use.relation, "class", "subclass") for use in uses)
