"""What members of a set share, which of them are alike, and which is nearest to something."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace

from kgqa_core.facts.completeness import missing
from kgqa_core.facts.terms import TIMES, Literal, RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import CLASS, Found, find_use, ids_of, lacking, twin
from kgqa_core.reader.hops import TRIES
from kgqa_core.reader.resolve import CLEAR
from kgqa_core.reader.stretches import Stretches
from kgqa_core.reader.words import day_of_year
from kgqa_core.text import fold

_YEARS = frozenset({"year", "decade", "month"})


class Sharing(Stretches):
    """Groups, and what is nearest: operations on a whole set that `walk` has."""

    def _limit(self, plan: p.Limit) -> Iterator[Found]:
        """By a measure, else by how many values there are: three children, no moon."""
        measured = False
        for found in super()._limit(plan):
            measured = True
            yield found
        if not measured and plan.span.value.isdigit():
            for base in self.values(plan.source):
                yield from self._with_so_many(base, plan)

    def _with_so_many(self, base: Found, plan: p.Limit) -> Iterator[Found]:
        number, test = int(plan.span.value), plan.span.test
        least = number + (test == "more than") if test != "less than" else 0
        most = {"is": number, "less than": number - 1}.get(test)
        for form in ("role", "agent"):
            for candidate in self.resolver.candidates(plan.phrase, form, base.uses)[:1]:
                use = candidate.uses[0]
                if not least and 2 * use.count < base.size:
                    self._lack(f"What was read states a {use.relation.name} of a few only.")
                    return  # where it is mostly missing, it says nothing of the others
                kept = self._at_least(base, use, least) if least else base
                if kept.size and most is not None:
                    beyond = self._at_least(base, use, most + 1)
                    if beyond.size:
                        thought = f"Without those that have more than {most}."
                        kept = self._compute("minus", kept, beyond, thought)
                own = missing(use.relation, use.direction)
                yield lacking(kept, own, base).doubted(candidate.score < CLEAR, most is not None)
                return

    def _at_least(self, base: Found, use: RelationUse, least: int) -> Found:
        """Members with so many values of a relation: seen from there, of as many the value."""
        if least == 1:
            return self._keep(base, use, "has", "", f"Which have a {use.relation.name}?")
        far = self._follow(base, use)
        way = "in" if use.direction == "out" else "out"
        back = next((u for u in far.uses if (u.relation, u.direction) == (use.relation, way)), None)
        if back is None:
            return Found("", (), 0)
        many = self._group(far, back, "at least", least)
        return (
            self._compute("intersection", many, base, "Of those in question.")
            if many.size
            else many
        )

    def _several(self, plan: p.Several) -> Iterator[Found]:
        """So many of a set are nobody: only what they share can be asked for."""
        yield from ()

    def _given(self, plan: p.Given) -> Iterator[Found]:
        """An amount alone is no set of the graph."""
        yield from ()

    def _shared(self, plan: p.Hop) -> Iterator[Found]:
        several = plan.source
        assert isinstance(several, p.Several)
        for base in self._each(several.source):
            candidates = self._candidates(base, plan)
            for candidate in candidates[:TRIES]:
                use = candidate.uses[0]
                found = self._group(base, use, several.how, several.least)
                if found.size and self._suits(found, plan.want):
                    back = use.direction == "in"
                    yield replace(found, via=fold(use.relation.name), back=back).doubted(
                        candidate.score < CLEAR, len(candidate.uses) > 1
                    )
                    break
            if not candidates:
                self._lack(f"What was read says nothing about “{plan.phrase}” of these.")

    def _each(self, plan: p.Plan) -> Iterator[Found]:
        """Sets of more than one; of a thing that is held again and again, each time."""
        for base in self.values(plan):
            if base.size > 1:
                yield base
            elif use := find_use(base.uses, CLASS, "in"):
                yield self._follow(base, use, "Each of them counts.")

    def _group(self, base: Found, use: RelationUse, how: str, least: int) -> Found:
        many = how if how != "at least" else f"at least {least}"
        order = {"order": how} if how != "at least" else {"value": str(least)}
        found = self.view.act(
            f"Which {use.relation.name} do {many} of them share?", tool="group", of=base.name,
            relation=use.relation.id, direction=use.direction, **order,
        )  # fmt: skip
        own = "source" if use.count < base.size else missing(use.relation, use.direction)
        return lacking(found, own, base).doubted(not base.certain)

    def _alike(self, plan: p.Alike) -> Iterator[Found]:
        for base in self.values(plan.source):
            if base.size < 2:
                continue
            found = self.resolver.candidates(
                plan.phrase, plan.form, base.uses, want=plan.want, noun=plan.noun
            )
            for candidate in found[:TRIES]:
                use = candidate.uses[0]
                if plan.noun in _YEARS and self.resolver.kind_of(use) == "time":
                    values = self._years(base, use) if plan.noun == "year" else []
                    test = "during"
                else:
                    values = [self._shared_values(base, use, plan.noun)]
                    test = "is"
                for value in filter(None, values):
                    thought = f"Those of the same {plan.noun}."
                    kept = self._keep(base, use, test, value, thought)
                    yield kept.doubted(candidate.score < CLEAR, len(values) > 1)
            self._lack(f"What was read has no two of them with the same {plan.noun}.")

    def _shared_values(self, base: Found, use: RelationUse, noun: str) -> str:
        """What several have as a value; or places in the same country, where that is asked for."""
        same = self._group(base, use, "at least", 2)
        known = self.lex.class_of(noun)
        if fold(noun) in fold(use.relation.name) or known is None or known.what != "place":
            return ids_of(same.members)
        places = self._follow(base, use)
        for wider in self.resolver.candidates(noun, "role", places.uses)[:1]:
            if wider.score >= CLEAR and wider.uses[0].direction == "out":
                way = wider.uses[0]
                shared = self._group(places, way, "at least", 2)
                within = self._keep(places, way, "is", ids_of(shared.members), f"The same {noun}.")
                members = (*same.members, *(within.members if shared.size else ()))
                return ids_of(list(dict.fromkeys(members)))
        return ids_of(same.members)

    def _years(self, base: Found, use: RelationUse) -> list[str]:
        """The years that several members share, the most frequent first."""
        dates = self._follow(base, use, f"I look up the {use.relation.name} of each.")
        same = self._group(base, use, "at least", 2)  # of the same day
        years = Counter(
            m.value[: m.value.index("-", 1)] if "-" in m.value[1:] else m.value
            for m in (*dates.members, *same.members)
            if isinstance(m, Literal) and m.datatype in TIMES
        )
        return [year for year, times in years.most_common() if times > 1]

    def _nearest(self, plan: p.Nearest) -> Iterator[Found]:
        for base in self.values(plan.source):
            if base.size < 2:
                continue
            uses = sorted(self._measures(base, plan.by), key=lambda pair: -pair[0].count)
            for use, score in uses:  # the one that most of them have
                for value, other in self._marks(plan.to, use):
                    left = base
                    if other is not None and set(other.members) & set(base.members):
                        thought = f"Without {self._name_of(other, plan.to)} itself."
                        left = self._compute("minus", base, other, thought)
                    found = self.view.act(
                        f"Whose {use.relation.name} is nearest to {value}?", tool="rank",
                        of=left.name, relation=use.relation.id, direction=use.direction,
                        order="nearest", value=value,
                    )  # fmt: skip
                    if found.size:
                        own = "source" if use.count < base.size else ""
                        yield lacking(found, own, base).doubted(  # type: ignore[arg-type]
                            not base.certain, score < CLEAR, other is not None and not other.certain
                        )
                        return
            self._lack(f"What was read has no “{plan.by}” to tell which of them is nearest.")

    def _marks(self, plan: p.Plan, use: RelationUse) -> Iterator[tuple[str, Found | None]]:
        """Amounts to be near to: given, those of a thing by the same relation, a feast's day."""
        if isinstance(plan, p.Given):
            yield plan.value, None
            return
        for other in self.values(plan):
            if all(isinstance(m, Literal) for m in other.members):
                yield ids_of(other.members[:1]), None
                continue
            own, yearly = twin(other.uses, use), find_use(other.uses, ("day in year",), "out")
            if own is not None:
                amount = self._amount(other, own)
                if amount.size == 1:
                    yield ids_of(amount.members), other
            elif yearly is not None:
                days = self._follow(other, yearly, "On which day is it?")
                for day in (day_of_year(fold(m.name).split()) for m in days.members):
                    if day:
                        yield day, None
