"""How the built-in reader surfaces axioms: every family of rules reads the question, best first."""

from __future__ import annotations

from kgqa_core.facts.premises import folded
from kgqa_core.methods.r3.skills import StatedAxiom, ToSurface
from kgqa_core.reader.commonsense import Commonsense
from kgqa_core.reader.rules import measures, people, places, preferences, sameness, times
from kgqa_core.reader.rules.subject import Candidate
from kgqa_core.reader.surfacer import Surfacer

_FAMILIES = (
    measures.counted, measures.measured, places.placed, places.reached, sameness.same, times.over,
    times.dated, times.together, people.aged, people.impaired, people.employed, people.awarded,
    people.seasonal, places.belongs, places.in_office_of, places.typed,
)  # fmt: skip


def axioms(given: ToSurface, rules: Commonsense) -> list[StatedAxiom]:
    """Axioms for one question; none where no rule meets it."""
    read = Surfacer(given, rules)
    if given.task == "preference":
        return [preferences.preference(read)] if given.options else []
    if times.LIVED.search(folded(read.question)):
        lives = [*times.dated(read), *times.together(read)]
        if lives:
            return _best_first(lives)
    found = [
        *(found for family in _FAMILIES for found in family(read)),
        *read.topics(),
        *read.linked(),
    ]
    return _best_first(found)


def _best_first(found: list[Candidate]) -> list[StatedAxiom]:
    found.sort(key=lambda c: -c.score)
    return list({c.axiom.rule: c.axiom for c in found}.values())
