"""Columns that say yes or no: a dish is vegetarian, a boat has a cabin, dogs are allowed."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import CLASS, Found, find_use, ids_of
from kgqa_core.reader.hops import Hops
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.resolve import in_own_words
from kgqa_core.text import fold, singular, stems

_YES = " | ".join(p.TICKED)
_NO = "no | false"
_SAYING = frozenset({*p.TICKED, "no", "false"})
_BARE_VERBS = frozenset(  # “has bar”, “paid her fee”
    stems("has have had is are was be been can does do did her his its their the a an any")
)


class Ticks(Hops):
    """What such a column says, of several things and of one; and columns that say one of a few."""

    def _kind(self, plan: p.Kind) -> Iterator[Found]:
        """Hard tours, sweet wines: members of a class of which a column says the word before it."""
        yield from super()._kind(plan)
        word, _, last = singular(plan.noun).rpartition(" ")
        for every in self.values(p.Kind(last)) if word and self.view.anchor(last, "class") else ():
            yield from self._said(every, word)

    def _things(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """Somebody's cats: what the one relation to a thing leads to, as far as it is of a kind."""
        yield from super()._things(source, plan)
        only = [use for use in source.uses if in_own_words(use) and len(source.uses) == 1]
        if [use.direction for use in only] == ["in"]:
            yield from self._of_class(self._follow(source, only[0]), plan.phrase)

    def _otherwise(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        yield from self._through_rows(source, plan)
        yield from super()._otherwise(source, plan)

    def _through_rows(self, source: Found, plan: p.Hop) -> Iterator[Found]:
        """What rows say beside what is in one of their columns: who borrowed a book, of loans."""
        ways = [use for use in source.uses if in_own_words(use)]
        if plan.want == "place" or any(
            use.direction == "out" or use.relation.name in CLASS for use in ways
        ):
            return  # where the rows are, is not where who is named in them lives
        for use in ways:
            rows = self._follow(source, use, f"I look at the rows with that {use.relation.name}.")
            for candidate in self._candidates(rows, plan)[:1]:
                onward = candidate.use
                if not candidate.guess and (onward.direction, onward != use) == ("out", True):
                    found = self._follow(rows, onward)
                    if self._suits(found, plan.want):
                        yield replace(found, via=fold(onward.relation.name)).doubted(True)

    def _of_class(self, found: Found, noun: str, implied: bool = False) -> Iterator[Found]:
        """Members of a kind, which a column may say as well: a property of the type “house”."""
        said = list(self._said(found, singular(noun)))
        word, _, last = singular(noun).rpartition(" ")
        if word and not said and any(map(in_own_words, found.uses)):  # the hard tours in a park
            every = super()._of_class(found, last, implied)
            said = [one for kept in every for one in self._said(kept, word)]
        yield from said or super()._of_class(found, noun, implied)

    def _said(self, base: Found, what: str) -> Iterator[Found]:
        """Members of which a column says it: the dishes that are vegetarian, what has a bar."""
        if saying := self._saying(base, what):
            kept = self._keep(base, *saying, f"{what}: which?")
            tick = saying[2] in {_YES, _NO} and kept.size
            yield replace(kept, missing="") if tick else kept

    def _saying(self, base: Found, what: str) -> tuple[RelationUse, str, str] | None:
        """The column that says it, with yes or in so many words: the status “stopped”."""
        if tick := self._ticking(base, what):
            return tick, "is", _YES
        if what.startswith("un") and (tick := self._ticking(base, what[2:])):  # unpaid
            return tick, "is", _NO
        own = any(map(in_own_words, base.uses)) and " " not in what
        said = self.view.anchor(what, "class") if own else None
        ways = [w for w in said.uses if in_own_words(w)] if said and said.certain else []
        use = find_use(base.uses, [ways[0].relation.name], "out") if len(ways) == 1 else None
        use = use if use and use.relation.name not in CLASS else None  # what is no kind of its own
        return (use, "is", ids_of(said.members)) if use and said else None

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
        saying = self._saying(thing, what)
        return self._whether(thing, saying[0], saying[2], f"Is it {what}?") if saying else None

    def _in_its_column(self, source: Plan, found: Found) -> Iterator[Found]:
        """What was found, where it is a yes or a no itself: “has bar: no” is no bar."""
        hop = source.source if isinstance(source, p.Of) else source  # “needs rope: no”, of ropes
        if isinstance(hop, p.Hop) and found.via:
            for thing in self.values(hop.source):
                if ticked := self._ticked(thing, found.via):
                    yield ticked
