"""What a graph states to be unknown, or not to be: an abstention tells it.

Wikidata has both: a father whom nobody knows (`somevalue`) and a child that there is not
(`novalue`). Neither is an answer, and neither is the same as nothing being stated. The same goes
for values that are all marked as wrong (deprecated).
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

from kgqa_core.facts.kinds import asked_for
from kgqa_core.facts.terms import NO_VALUE, Entity, Relation, Statement, is_known
from kgqa_core.facts.verbalise import name, value
from kgqa_core.text import fold, listed, stems

_MOST = 3
_NEAR = 0.45  # of a question and what it asks for; other relations stay below 0.35
_LACKING = re.compile(r"^What was read\b.*?(?:\. (?=Of )|$)", re.DOTALL)  # “… names no father …”
Near = Callable[[str, Sequence[Relation]], Mapping[Relation, float]]


class Blanks:
    """The statements without a value that a run has read, and what else it has read of."""

    def __init__(self) -> None:
        self._unknown: dict[Statement, None] = {}
        self._wrong: dict[Statement, None] = {}
        self._standing: set[tuple[Entity, Relation]] = set()
        self._relations: dict[Relation, None] = {}

    def read(self, facts: Iterable[Statement]) -> None:
        for s in facts:
            self._relations[s.relation] = None
            if s.rank != "deprecated":
                self._standing.add((s.subject, s.relation))
            if is_known(s.object) == (s.rank == "deprecated"):
                (self._wrong if s.rank == "deprecated" else self._unknown)[s] = None

    @property
    def _found(self) -> list[Statement]:
        wrong = (s for s in self._wrong if (s.subject, s.relation) not in self._standing)
        return [*self._unknown, *wrong]

    def told(self, question: str, reason: str, near: Near) -> str:
        """Why there is no answer, with what the graph states of that itself."""
        if asked := self._named(question, reason):
            reason = _LACKING.sub("", reason)
        else:
            asked = self._nearest(question, near)
        lines = [*dict.fromkeys(_line(s, asked) for s in asked)][:_MOST]
        return " ".join(filter(None, (*lines, reason)))

    def _named(self, question: str, reason: str) -> list[Statement]:
        """Those whose relation question or reason name, by its label; if none is, by an alias."""
        text, said = f" {fold(reason)} ", set(stems(question))
        for named in (
            lambda r: set(stems(r.name)) <= said or f" {fold(r.name)} " in text,
            lambda r: asked_for(r, question),
        ):
            if found := [s for s in self._found if named(s.relation)]:
                return found
        return []

    def _nearest(self, question: str, near: Near) -> list[Statement]:
        """Those of the relation that is nearest of all that was read, where any is near."""
        if not self._found:
            return []
        scores = near(question, list(self._relations))
        best = max(scores, key=lambda r: scores[r], default=None)
        if best is None or scores[best] < _NEAR:
            return []
        return [s for s in self._found if s.relation == best]


def _line(s: Statement, asked: Sequence[Statement]) -> str:
    what, whose = s.relation.name, name(s.subject)
    if s.object == NO_VALUE:
        return f"The graph states of {whose} that there is no “{what}”."
    if not is_known(s.object):
        return f"The graph states of {whose} that the “{what}” is unknown."
    own = [o for o in asked if (o.subject, o.relation) == (s.subject, s.relation)]
    values = listed((value(o.object, o.relation) for o in own), _MOST)
    return f"What the graph states as “{what}” of {whose} is all marked as wrong: {values}."
