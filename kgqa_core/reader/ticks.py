"""Columns that say yes or no: a dish is vegetarian, a boat has a cabin, dogs are allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, find_use, ids_of
from kgqa_core.reader.hops import Hops
from kgqa_core.reader.plan import Plan
from kgqa_core.text import fold, singular, stems

_SAYING = frozenset({*p.TICKED, "no", "false"})
_BARE_VERBS = frozenset(stems("has have had is are was be been can does do did"))  # “has bar”


class Ticks(Hops):
    """What such a column says, of several things and of one."""

    def _kind(self, plan: p.Kind) -> Iterator[Found]:
        """Hard tours, sweet wines: members of a class of which a column says the word before it."""
        yield from super()._kind(plan)
        word, _, last = singular(plan.noun).rpartition(" ")
        said = self.view.anchor(word, "class") if word and self.view.anchor(last, "class") else None
        ways = [use for use in said.uses if use.direction == "in"] if said else []
        for every in self.values(p.Kind(last)) if word and self.view.anchor(last, "class") else ():
            if tick := self._ticking(every, word):
                yield self._keep(every, tick, "is", " | ".join(p.TICKED), f"Which are {word}?")
                continue
            use = find_use(every.uses, [ways[0].relation.name], "out") if len(ways) == 1 else None
            if use and said:
                yield self._keep(every, use, "is", ids_of(said.members), f"Which are {word}?")

    def _with_tick(self, plan: p.Limit) -> Iterator[Found]:
        """Members of which a column says yes: the dishes that are vegetarian, what has a bar."""
        for base in self.values(plan.source):
            if use := self._ticking(base, plan.phrase):
                kept = self._keep(base, use, "is", " | ".join(p.TICKED), f"{plan.phrase}: which?")
                if kept.size:
                    yield replace(kept, missing="")

    def _ticking(self, base: Found, what: str) -> RelationUse | None:
        """The column that says it with yes or no: “dogs allowed”, of “allow dogs”."""
        words = set(stems(what)) - _BARE_VERBS
        for use in base.uses if words else ():
            said = set(stems(use.relation.name)) - _BARE_VERBS
            yes_or_no = {fold(e) for e in use.examples} <= _SAYING
            if use.direction == "out" and said == words and yes_or_no:
                return use
        return None

    def _ticked(self, thing: Found, what: str) -> Found | None:
        """What such a column says of one thing: whether a dish is vegetarian."""
        use = self._ticking(thing, what)
        if use is None:
            return None
        return self._whether(thing, use, " | ".join(p.TICKED), f"Is it {what}?")

    def _in_its_column(self, source: Plan, found: Found) -> Iterator[Found]:
        """What was found, where it is a yes or a no itself: “has bar: no” is no bar."""
        if isinstance(source, p.Hop) and found.via:
            for thing in self.values(source.source):
                if ticked := self._ticked(thing, found.via):
                    yield ticked
