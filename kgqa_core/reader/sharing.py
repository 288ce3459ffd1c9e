"""Members of a set by how many values they have: three children, no moon."""

from __future__ import annotations

from collections.abc import Iterator

from kgqa_core.facts.completeness import missing
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found, lacking
from kgqa_core.reader.resolve import CLEAR
from kgqa_core.reader.stretches import Stretches


class Sharing(Stretches):
    """Members with so many values of a relation."""

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
        many = self.view.act(
            f"Which {back.relation.name} do at least {least} of them share?", tool="group",
            of=far.name, relation=back.relation.id, direction=back.direction, value=str(least),
        ).doubted(not far.certain)  # fmt: skip
        return (
            self._compute("intersection", many, base, "Of those in question.")
            if many.size
            else many
        )
