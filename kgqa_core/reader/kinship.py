"""Relations that belong together: both sides of a border, and families as paths of kinship."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import SEX, Found, all_are
from kgqa_core.reader.classes import Classes
from kgqa_core.reader.lexicon import Kin
from kgqa_core.text import singular


class Kinship(Classes):
    """Relations united, and families."""

    def _united(self, source: Found, uses: Sequence[RelationUse]) -> Found:
        found = self._follow(source, uses[0])
        back = source.into(uses[0].relation.name)
        mutual = relations.belongs(uses[0].relation, "border") and uses[0].direction == "out"
        if mutual and back is not None and back.count != uses[0].count:
            uses = [*uses, back]  # one side may have it alone
        for use in uses[1:]:
            found = self._plus(found, self._follow(source, use))
        return found

    def _plus(self, found: Found, more: Found) -> Found:
        if not (found.size and more.size):
            return found if found.size else more
        return self._compute("union", found, more, "Both belong together.")

    def _kin(self, source: Found, path: Sequence[Kin], plan: p.Hop) -> Iterator[Found]:
        found = source
        for kin in path:
            found = self._kin_step(found, kin, plan)
            if not found.size:
                whose = self._name_of(source, plan.source)
                self._lack(f"names no {plan.phrase} of {whose}")
                return
        yield found

    def _kin_step(self, source: Found, step: Kin, plan: p.Hop) -> Found:
        near = ("father", "mother", "parent", "child", "sibling", "spouse")
        out, into = ({n: way(n) for n in near} for way in (source.out, source.into))
        options: dict[str, list[tuple[RelationUse | None, ...]]] = {
            "parent": [(out["father"], out["mother"], out["parent"], into["child"])],
            "child": [(out["child"],), (into["father"], into["mother"]), (into["parent"],)],
            "father": [(out["father"],)],
            "mother": [(out["mother"],)],
            "sibling": [(out["sibling"],), (into["sibling"],)],
            "spouse": [(out["spouse"],), (into["spouse"],)],
        }
        empty = Found("", (), 0)
        for option in options[step.relation]:
            uses = [u for u in option if u is not None]
            if not uses:
                continue
            found = self._united(source, uses)
            one = singular(plan.phrase) == plan.phrase and not plan.phrase.startswith("ex")
            if step.relation == "spouse" and one and found.size > source.size and not self.past:
                now = self._follow(source, uses[0], at="now")  # whoever it was before
                found = now if now.size else found
            if step.relation == "parent" and found.size == 2 * source.size:
                found = replace(found, missing="")  # everybody has two
            if step.sex and found.size:
                gender = found.out(*SEX)
                if gender is None:
                    return found.doubted(True)
                if gender.count < found.size or not all_are(gender, [step.sex]):
                    word = {"male": "men", "female": "women"}[step.sex]
                    told = gender.count >= found.size  # of everybody
                    found = self._keep(
                        found, gender, "is", step.sex, f"Only the {word} among them."
                    ).doubted(not told)
            if found.size:
                return found
        if step.relation in {"father", "mother"} and (use := into["child"]):
            return self._parent(self._follow(source, use), step.relation)
        if step.relation == "sibling":  # who else has the same parents
            parents = self._kin_step(source, Kin("parent", ""), plan)
            every = self._kin_step(parents, Kin("child", step.sex), plan) if parents.size else empty
            others = "Without the one they are siblings of."
            return self._compute("minus", every, source, others) if every.size else empty
        return empty

    def _parent(self, parents: Found, which: str) -> Found:
        """The father or mother among the parents; else who is left without the other of them."""
        sex, other = ("male", "female") if which == "father" else ("female", "male")
        gender = parents.out(*SEX) if parents.size else None
        if gender is None:
            return Found("", (), 0)
        known = self._keep(parents, gender, "is", sex, f"Which of them is the {which}?")
        if known.size:
            return known
        rest = self._keep(parents, gender, "is not", other, f"Which of them may be the {which}?")
        return rest.doubted(True) if rest.size < parents.size else Found("", (), 0)
