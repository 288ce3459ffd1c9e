"""How the built-in reader surfaces axioms: every family of rules reads the question, best first."""

from __future__ import annotations

from kgqa_core.methods.r3.skills import StatedAxiom, ToSurface
from kgqa_core.reader import interpret
from kgqa_core.reader.commonsense import Commonsense
from kgqa_core.reader.rules import preferences
from kgqa_core.reader.rules.subject import Candidate
from kgqa_core.reader.surfacer import Surfacer


def axioms(
    given: ToSurface, rules: Commonsense, encoder: interpret.Encoder | None = None
) -> list[StatedAxiom]:
    """Axioms for one question, by its words, else by its meaning; none where no rule meets it."""
    read = Surfacer(given, rules)
    if given.task == "preference":
        return [preferences.preference(read)] if given.options else []
    own, alone = interpret.stated(read, rules.families)
    if alone:
        return _best_first(own)
    found = [
        *own,
        *read.topics(),
        *read.linked(),
    ]
    if not found and encoder is not None and read.subjects:
        found = interpret.meant(read, rules.families, encoder)
    return _best_first(found)


def _best_first(found: list[Candidate]) -> list[StatedAxiom]:
    found.sort(key=lambda c: -c.score)
    return list({c.axiom.rule: c.axiom for c in found}.values())
