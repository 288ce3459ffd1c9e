"""What rules speak of, and what they propose."""

from __future__ import annotations

from dataclasses import dataclass, field

from kgqa_core.facts.premises import Function, Hop, Term
from kgqa_core.facts.terms import Entity
from kgqa_core.methods.r3.skills import StatedAxiom


@dataclass(frozen=True)
class Subject:
    """Whom a question is about: an anchor and the relations its words lead along.

    `words`: how the question says it; `asked`: the rest of the question.
    """

    entity: Entity
    words: str
    path: tuple[Hop, ...]
    asked: str
    place: int  # of the mention in the question
    common: bool = False  # named by a common noun: `people`, `a writer`

    def term(self, *more: Hop, function: Function = "values") -> Term:
        return Term(entity=self.entity.name, path=(*self.path, *more), function=function)


@dataclass(order=True)
class Candidate:
    score: float
    axiom: StatedAxiom = field(compare=False)
