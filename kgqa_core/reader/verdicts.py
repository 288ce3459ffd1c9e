"""Yes or no: whether sets meet, what a thing is, what is more; and when absence is no "no"."""

from __future__ import annotations

from collections.abc import Iterator

from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import CLASS, SUBCLASS, Found, find_use, twin
from kgqa_core.reader.amounts import Amounts
from kgqa_core.reader.resolve import CLEAR
from kgqa_core.reader.words import fold, singular
from kgqa_core.terms import TIMES, Entity, Literal, RelationUse

_KINDS = 2  # levels of subclasses that count as the thing itself


class Verdicts(Amounts):
    """Yes or no."""

    def _is(self, plan: p.Is) -> Iterator[Found]:
        if isinstance(plan.right, p.Anchor) and isinstance(plan.left, p.Hop):
            known = self.view.anchor(plan.right.text, plan.right.noun)
            if known is None and plan.left.form == "agent" and plan.left.when is None:
                for near in self._named(p.Named(plan.left, plan.right.text)):
                    yield self._compute("any", near, None, "There is one of that name.")
                    return
        verdict: tuple[Found, Found] | None = None
        for tries, left in enumerate(self.values(plan.left)):
            for right in self.values(plan.right):
                if verdict is None or (verdict[0].back and not left.back):
                    verdict = (left, right)
                if set(left.members) & set(right.members) or left.size > 30:
                    yield self._compute("same", left, right, "Are they the same?")
                    return
            if tries >= 2:
                break
        if verdict is not None and not verdict[0].back:
            left, right = verdict
            below = self._below(right)
            if below is not None and set(left.members) & set(below.members):
                yield self._compute("same", left, below, "It is a kind of it.")
                return
        if verdict is not None and self.lex.kinds.get(verdict[0].via) == "place":
            left, right = verdict
            if left.via not in {"capital", "capital of", "shares border with", "highest point"}:
                for label in ("country", "located in the administrative territorial entity",
                              "continent"):  # fmt: skip
                    if use := find_use(left.uses, (label,), "out"):
                        around = self._follow(left, use, "In what does that place lie?")
                        if set(around.members) & set(right.members):
                            yield self._compute("same", around, right, "Is it the same place?")
                            return
        if verdict is not None:
            left, right = verdict
            alike = {m.name.casefold() for m in left.members} & {
                m.name.casefold() for m in right.members
            }
            yield self._compute("same", left, right, "Are they the same?").doubted(
                bool(alike), left.back, not _comparable(left, right)
            )

    def _below(self, thing: Found) -> Found | None:
        """What is a kind of a thing: power metal of heavy metal of rock music."""
        whole: Found | None = None
        for _ in range(_KINDS):
            use = find_use((whole or thing).uses, SUBCLASS, "in")
            if use is None:
                return whole
            more = self._follow(whole or thing, use, "Which kinds of it are there?")
            if not more.size:
                return whole
            whole = self._compute("union", whole, more, "All of them.") if whole else more
        return whole

    def _isa(self, plan: p.IsA) -> Iterator[Found]:
        noun = singular(plan.noun)
        known = self.lex.class_of(noun)
        labels = " | ".join(dict.fromkeys((noun, *(known.labels if known else ()))))
        for source in self.values(plan.source):
            kinds = []
            for name in (
                "occupation",
                "position held",
                *CLASS,
                "sex or gender",
                "has genre",
                "genre",
                "basic form of government",
                "religion or worldview",
                "member of political party",
                "position played on team / speciality",
            ):
                use = find_use(source.uses, (name,), "out")
                if use is None:
                    continue
                kept = self._keep(
                    source, use, "is", labels, f"Is {self._name_of(source, plan.source)} a {noun}?"
                )
                if kept.size:
                    yield self._compute("any", kept, None, "It is.")
                    return
                kinds.append((use, kept))
            for use, kept in kinds:
                if known is None and not self._is_value(noun, use):
                    continue
                found = self._follow(source, use, "What is it, then?")
                if found.size:
                    yield self._compute("same", found, kept, "It is not.").doubted(known is None)
                    return
            self._lack(f"The graph does not say what {self._name_of(source, plan.source)} is.")

    def _is_value(self, noun: str, use: RelationUse) -> bool:
        """Whether a relation leads to what a noun names: so who is not there is none."""
        named = self.view.anchor(noun, "class")
        return named is not None and any(
            u.relation == use.relation and u.direction == "in" for u in named.uses
        )

    def _some(self, plan: p.Some) -> Iterator[Found]:
        for found in self.values(plan.source):
            yield self._compute("any", found, None, "There is at least one.")

    def _alive(self, plan: p.Alive) -> Iterator[Found]:
        for person in self.values(plan.source):
            if died := find_use(person.uses, ("date of death", "death date"), "out"):
                death = self._follow(person, died, "Is there a date of death?")
                yield self._compute("none", death, None, "There is a date of death.")
            else:
                self._lack(
                    f"The graph has no date of death of {self._name_of(person, plan.source)}, "
                    "which does not prove that they live."
                )

    def _compare(self, plan: p.Compare) -> Iterator[Found]:
        for a in self.values(plan.left):
            for b in self.values(plan.right):
                timed = [_dates(a), _dates(b)]
                if all(timed) or (self._numeric(a) and self._numeric(b)):
                    operation = "more" if plan.order == "highest" else "fewer"
                    yield self._compute(operation, a, b, "Now I compare the two.")
                    return
                if plan.by == "lifespan":
                    one, other = self._lifespan(a), self._lifespan(b)
                    if one.size and other.size:
                        operation = "more" if plan.order == "highest" else "fewer"
                        yield self._compute(operation, one, other, "Now I compare the two.")
                        return
                known = False  # of one of them at least
                for use, score in self._measures(a, plan.by):
                    same = twin(b.uses, use)
                    if same is None:
                        known = known or self.resolver.kind_of(use) in {"number", "time"}
                        continue
                    one = self._amount(a, use)
                    other = self._amount(b, same)
                    if one.size and other.size:
                        operation = "more" if plan.order == "highest" else "fewer"
                        yield self._compute(
                            operation, one, other, "Now I compare the two."
                        ).doubted(score < CLEAR, known)
                        return
                self._lack(f"The graph does not give “{plan.by}” for both.")

    def _against(self, plan: p.Against) -> Iterator[Found]:
        span = plan.span
        for source in self.values(plan.source):
            done = False
            for use, score in self._scales(source, plan.by, span):
                values = self._follow(source, use, f"I look up the {use.relation.name}.")
                kept = self._within(source, use, span)
                if kept.size:
                    yield self._compute("any", kept, None, "It is within the limit.").doubted(
                        score < CLEAR
                    )
                    return
                if values.size:
                    yield self._compute(
                        "same", values, kept, "It is not within the limit."
                    ).doubted(score < CLEAR)
                    return
            if span.test in {"more than", "less than", "is"}:
                for things in self.values(p.Hop(plan.source, plan.by, "role")):
                    count = self._compute("count", things, None, "How many are there?")
                    operation = {"more than": "more", "less than": "fewer", "is": "equal"}[
                        span.test
                    ]
                    yield self._compute(
                        operation, count, None, "Is that within the limit?", value=span.value
                    )
                    done = True
                    break
            if not done:
                self._lack(
                    f"The graph does not give the “{plan.by}” of "
                    f"{self._name_of(source, plan.source)}."
                )


def _comparable(left: Found, right: Found) -> bool:
    """Whether the right could have been among the left, so that its absence is a "no".

    It is a value of the same relation elsewhere, or of the same class: a person who is no
    profession of X does not disprove that X worked with them.
    """
    if not any(isinstance(m, Entity) for m in (*left.members, *right.members)):
        return True
    far = "out" if left.back else "in"
    if any(fold(u.relation.name) == left.via and u.direction == far for u in right.uses):
        return True
    classes = [find_use(x.uses, CLASS, "out") for x in (left, right)]
    kinds = [{fold(e) for e in use.examples} if use else set() for use in classes]
    return bool(kinds[0] & kinds[1])


def _dates(found: Found) -> bool:
    return all(isinstance(m, Literal) and m.datatype in TIMES for m in found.members)
