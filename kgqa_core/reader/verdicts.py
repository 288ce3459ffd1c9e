"""Yes or no: whether sets meet, what a thing is, what is more; and when absence is no "no"."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace

from kgqa_core.facts import relations
from kgqa_core.facts.completeness import stated
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import (
    BORN,
    CLASS,
    DIED,
    PARTS,
    SEX,
    SUBCLASS,
    Found,
    denied,
    ids_of,
    kinds_of,
    twin,
)
from kgqa_core.reader.amounts import LIFESPAN
from kgqa_core.reader.classes import BUT_NONE, SEXES
from kgqa_core.reader.grammar import is_office
from kgqa_core.reader.hops import TRIES
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.origins import Origins
from kgqa_core.reader.resolve import CLEAR
from kgqa_core.text import fold, listed, singular, stems

_NAMED = 3  # values named where they need not be all
_OPEN = "which need not be all"
_COUNTED = {"more than": "more", "less than": "fewer", "is": "equal"}  # how counts are compared
_SAYING = (  # relations that say what somebody or something is
    "occupation", "position held", *CLASS, "sex or gender", "has genre", "genre",
    "basic form of government", "religion or worldview", "member of political party",
    "position played on team / speciality",
)  # fmt: skip
_REGIONAL = frozenset(
    "country,sovereign state,state,u.s. state,continent,historical country,province,region".split(
        ","
    )
)


def _in_one_year(plan: p.Is) -> bool:
    """A and B died in the same year."""
    words = plan.left.heard.split() if isinstance(plan.left, p.Hop) else []
    return words[:1] == ["same"] and words[-1:] == ["year"]


def stated_otherwise(reason: str) -> bool:
    """Whether the walk was given up where the graph has the relation, with other values."""
    return _OPEN in reason


class Verdicts(Origins):
    """Yes or no."""

    def _is(self, plan: p.Is) -> Iterator[Found]:
        verdict: tuple[Found, Found] | None = None
        said = plan.left if isinstance(plan.left, p.Hop) and plan.left.form == "agent" else None
        if said and isinstance(plan.right, p.Anchor):  # needs water: yes; fee paid: no
            for thing in self.values(said.source):
                if ticked := self._ticked(thing, f"{said.phrase} {plan.right.text}"):
                    yield ticked
                    return
        for tries, left in enumerate(self.values(plan.left)):
            for right in self.values(plan.right):
                if bool(left.things) != bool(right.things):
                    continue  # a date of birth is no place
                if _in_one_year(plan):
                    left, right = self._year_of(left), self._year_of(right)
                if left.missing == "class" and not left.certain and not left.via:
                    continue  # of what lies there nobody says that it is of that kind
                weak = verdict is not None and verdict[0].back and not _takes_part(*verdict)
                if verdict is None or (weak and not left.back):
                    verdict = (left, right)
                if set(left.members) & set(right.members):
                    over = self._is_over(plan.left, left, right)
                    if over:
                        both = self._compute("intersection", left, right, "What both share.")
                        yield self._compute("none", both, None, "It was so, and is no more.")
                        return
                    held = self._compute("same", left, right, "Are they the same?")
                    yield held.doubted(over is None)
                    return
            if tries >= 2:
                break
        if verdict is None:
            return
        left, right = verdict
        if not left.back:
            below = self._below(right)
            if below is not None and set(left.members) & set(below.members):
                yield self._compute("same", left, below, "It is a kind of it.")
                return
        elif use := right.out(*PARTS):  # who won a cup won it in some year
            parts = self._follow(right, use)
            if set(left.members) & set(parts.members):
                yield self._compute("same", left, parts, "It is a part of it.")
                return
        levels: list[Found] = []
        if self.lex.kinds.get(left.via) == "place" and not relations.belongs(
            left.via, "exact place"
        ):
            for around in (*self._seats(left), *self._around(left)):
                levels.append(around)
                if set(around.members) & set(right.members):
                    yield self._compute("same", around, right, "Is it the same place?")
                    return
            beyond = [right, *self._around(right)]  # of another country is not of its county
            if not any(_apart(x, y) for x in (left, *levels) for y in beyond):
                where = self._name_of(left, plan.left)
                kinds = kinds_of(right)
                region = next((k for k in kinds if k in _REGIONAL), (*kinds, "place")[0])
                self._lack(f"does not say in which {region} {where} lies")
                return
        yield from self._denial(left, right)

    def _denial(self, left: Found, right: Found) -> Iterator[Found]:
        """The "no" of two sets that do not meet, where what is missing means one."""
        things = left.things or right.things
        fully = stated(left.via) if left.via else "listed"
        if things and fully == "partial":
            self._lack(_not_all(left.via, left))
            return
        apart = bool(things) and not _takes_part(left, right)
        one_sided = left.back or relations.symmetric(left.via)
        if apart and (one_sided or (fully == "listed" and not _alike(left, right))):
            what = f"“{left.via}”" if left.via else "that"
            whose = self._name_of(right, p.Hole())
            self._lack(f"says nothing about {what} of {whose}")
            return
        alike = {m.name.casefold() for m in left.members} & {
            m.name.casefold() for m in right.members
        }
        yield self._compute("same", left, right, "Are they the same?").doubted(
            bool(alike),
            left.back,
            apart and not _alike(left, right),
            fully != "full",
        )

    def _below(self, thing: Found) -> Found | None:
        """What is a kind of a thing: power metal of heavy metal."""
        use = thing.into(*SUBCLASS)
        return self._follow(thing, use, "Which kinds of it are there?") if use else None

    def _isa(self, plan: p.IsA) -> Iterator[Found]:
        if plan.adjective:
            yield from self._comes_from(plan)
            return
        noun = singular(plan.noun)
        if noun == "actress":
            she = next(self._isa(replace(plan, noun="woman")), None)
            if she is not None and denied(she):
                yield she
                return
        if sex := SEXES.get(noun):
            yield from self._is_of_sex(plan, noun, sex)
            return
        known = self.lex.class_of(noun)
        labels = " | ".join(dict.fromkeys((noun, *(known.labels if known else _parties(noun)))))
        office = is_office(noun)
        for source in self.values(plan.source):
            if ticked := self._ticked(source, plan.noun):
                yield ticked
                return
            kinds = []
            if office and (use := source.out("position held")):
                labels = f"{labels} | {self._offices(source, use, noun)}"
            for name in (*(("position held",) if office else ()), *_SAYING):
                use = source.out(name)
                if use is None:
                    continue
                kept = self._keep(
                    source, use, "is", labels, f"Is {self._name_of(source, plan.source)} a {noun}?"
                )
                if kept.size:
                    timed = relations.belongs(name, "timed")
                    over = self._over(source, use, labels) if timed else False
                    if over:
                        yield self._compute("none", kept, None, "It was, and is no more.")
                        return
                    doubt = False
                    wider, own = _other_kinds(noun, self.lex)
                    head = known.head if known is not None else noun
                    near = known is not None and (wider or stems(noun) != stems(head))
                    of_people = known is not None and known.what == "person"
                    if near and (not of_people or wider or noun.endswith(f" {head}")):
                        exact = self._keep(source, use, "is", own, f"Is it called {noun}?")
                        if of_people != wider and not exact.size:  # an actor is no film actor
                            given = self._follow(source, use, "What is it, then?")
                            self._lack(_not_all(use.relation.name, given))
                            return
                        doubt = not exact.size
                    yield self._compute("any", kept, None, "It is.").doubted(doubt, over is None)
                    return
                kinds.append((use, kept))
            yield from self._is_sort_of(source, noun, [] if office else [u for u, _ in kinds])
            yield from self._is_no(source, noun, kinds)
            self._lack(f"does not say what {self._name_of(source, plan.source)} is")
            return

    def _is_of_sex(self, plan: p.IsA, noun: str, sex: str) -> Iterator[Found]:
        for person in self.values(plan.source):
            name = self._name_of(person, plan.source)
            if use := person.out(*SEX):
                yield self._whether(person, use, sex, f"Is {name} a {noun}?")
                return
            self._lack(f"does not say whether {name} is {sex}")

    def _is_sort_of(self, source: Found, noun: str, uses: Sequence[RelationUse]) -> Iterator[Found]:
        """A constitutional monarchy is a monarchy; a dwarf planet or a former king is none."""
        sort = re.compile(rf"(?!{BUT_NONE}).* {re.escape(noun)}")
        for use in uses:
            if not any(sort.fullmatch(fold(e)) for e in use.examples):
                continue
            sorts = [m for m in self._follow(source, use, "What is it, then?").members
                     if sort.fullmatch(fold(m.name))]  # fmt: skip
            if sorts:
                kept = self._keep(source, use, "is", ids_of(sorts), f"That is a {noun}.")
                yield self._compute("any", kept, None, "It is.").doubted(True)
                return

    def _is_no(
        self, source: Found, noun: str, kinds: Sequence[tuple[RelationUse, Found]]
    ) -> Iterator[Found]:
        """The "no" of a relation that says what things are, and has other values."""
        known = self.lex.class_of(noun)
        for use, kept in kinds:
            says = known is not None and relations.belongs(
                use.relation, "calling", *(() if known.what == "person" else ("class",))
            )
            if not says and not self._is_value(noun, use):
                continue
            found = self._follow(source, use, "What is it, then?")
            if not found.size:
                continue
            fully = stated(use.relation)
            if fully == "partial":
                self._lack(_not_all(use.relation.name, found))
                return
            yield self._compute("same", found, kept, "It is not.").doubted(
                known is None, fully != "full"
            )
            return

    def _over(self, source: Found, use: RelationUse, value: str) -> bool | None:
        """Whether what is asked in the present has ended; None: a post without any date."""
        if self.past:
            return False
        ended = self._follow(source, use, "Has it ended?", value=value, qualifier="end time")
        if not ended.size and not relations.belongs(use.relation, "timed"):
            return False
        begun = self._follow(source, use, "When did it begin?", value=value, qualifier="start time")
        if ended.size:
            return ended.size >= begun.size
        undated = not begun.size and fold(use.relation.name) != "spouse"
        return None if undated else False

    def _is_over(self, hop: p.Plan, left: Found, right: Found) -> bool | None:
        """The same of what a hop led to; False where it is no relation that changes."""
        other: relations.Group = "changes hands" if left.back else "changes"
        changes = relations.belongs(left.via, "timed") or relations.belongs(left.via, other)
        if self.past or not changes or not isinstance(hop, p.Hop):
            return False
        value = ids_of(right.members)
        for source in self.values(hop.source):
            if left.back:  # the statement is the other's
                own = right.out(left.via)
                return self._over(right, own, ids_of(source.members)) if own else False
            for candidate in self._candidates(source, hop)[:TRIES]:
                if fold(candidate.use.relation.name) == left.via:
                    return self._over(source, candidate.use, value)
            return False
        return False

    def _is_value(self, noun: str, use: RelationUse) -> bool:
        """Whether a relation leads to what a noun names: so who is not there is none."""
        party = use.relation.name == "member of political party"
        named = (self.view.anchor(name, "class") for name in (_parties(noun) if party else (noun,)))
        uses = (u for found in named if found for u in found.uses)
        return any(u.relation == use.relation and u.direction == "in" for u in uses)

    def _both(self, plan: p.Both) -> Iterator[Found]:
        """One claim that is false is enough for a "no"; a "yes" takes both."""
        verdicts = [next(self.values(claim), None) for claim in (plan.left, plan.right)]
        for verdict in verdicts:
            if verdict is not None and denied(verdict):
                yield verdict
                return
        left, right = verdicts
        if left is not None and right is not None:
            yield self._compute("intersection", left, right, "Both are true.")

    def _some(self, plan: p.Some) -> Iterator[Found]:
        for found in self.values(plan.source):
            for ticked in self._in_its_column(plan.source, found):
                yield ticked
                return
            if self._is_over(plan.source, found, found):
                yield self._compute("none", found, None, "There was, and is no more.")
                return
            yield self._compute("any", found, None, "There is at least one.")

    def _alive(self, plan: p.Alive) -> Iterator[Found]:
        if plan.event is not None or plan.span is not None:
            yield from self._alive_then(plan)
            return
        for person in self.values(plan.source):
            if died := person.out(*DIED):
                death = self._follow(person, died, "Is there a date of death?")
                yield self._compute("none", death, None, "There is a date of death.")
            else:
                name = self._name_of(person, plan.source)
                self._lack(f"has no date of death of {name}, which does not prove that they live")

    def _alive_then(self, plan: p.Alive) -> Iterator[Found]:
        """Not dead before, and born by then: each alone may deny it, both together affirm it."""
        for person in self.values(plan.source):
            name = self._name_of(person, plan.source)
            born, died = (person.out(*d) for d in (BORN, DIED))
            birth = self._follow(person, born, f"When was {name} born?") if born else None
            death = self._follow(person, died, f"When did {name} die?") if died else None
            for then in self._times(plan):
                for date, operation, what in ((birth, "fewer", "birth"), (death, "more", "death")):
                    if date is None:
                        continue
                    held = self._then(operation, date, then, f"Is the {what} on that side of it?")
                    if denied(held) or what == "death":
                        yield held
                        return
                self._lack(f"does not say when {name} was born and died")
                return

    def _times(self, plan: p.Alive) -> Iterator[Found | str]:
        if plan.span is not None:
            if plan.span.test == "during" and not plan.span.until:
                yield plan.span.value
        elif plan.event is not None:
            yield from self.values(plan.event)

    def _then(self, operation: str, date: Found, then: Found | str, thought: str) -> Found:
        if isinstance(then, str):
            held = self._compute(operation, date, None, thought, value=then)
            years = {then[:4]}
        else:
            held = self._compute(operation, date, then, thought).doubted(then.size > 1)
            years = {m.value[:4] for m in then.literals}
        same_year = {m.value[:4] for m in date.literals} & years
        return held.doubted(date.size > 1, bool(same_year))

    def _compare(self, plan: p.Compare) -> Iterator[Found]:
        operation = "more" if plan.order == "highest" else "fewer"
        thought = "Now I compare the two."
        left, right = plan.left, plan.right
        if plan.by == LIFESPAN:
            left, right = p.Measure(left, LIFESPAN), p.Measure(right, LIFESPAN)
        for a in self.values(left):
            for b in self.values(right):
                if plan.by == LIFESPAN and a.via != b.via:
                    continue  # one in days, the other in years
                timed = a.times == [*a.members] and b.times == [*b.members]
                if timed or (self._numeric(a) and self._numeric(b)):
                    yield self._compute(operation, a, b, thought)
                    return
                known = False  # of one of them at least
                for use, score in self._measures(a, plan.by):
                    same = twin(b.uses, use)
                    if same is None:
                        known = known or self.resolver.kind_of(use) in {"number", "time"}
                        continue
                    one, other = self._amount(a, use), self._amount(b, same)
                    if one.size and other.size:
                        held = self._compute(operation, one, other, thought)
                        yield held.doubted(score < CLEAR, known)
                        return
                self._lack(f"does not give “{plan.by}” for both")

    def _against(self, plan: p.Against) -> Iterator[Found]:
        span = plan.span
        for source in self.values(plan.source):
            if lasted := self._under_way(source, plan):
                yield lasted
                return
            for use, score in self._scales(source, plan.by, span, claimed=True):
                values = self._follow(source, use, f"I look up the {use.relation.name}.")
                kept = self._within(source, use, span)
                if kept.size:
                    held = self._compute("any", kept, None, "It is within the limit.")
                elif values.size:
                    held = self._compute("same", values, kept, "It is not within the limit.")
                else:
                    continue
                yield held.doubted(score < CLEAR)
                return
            counted = p.Count(p.Hop(plan.source, singular(plan.by), "role"))
            for count in self.values(counted) if span.test in _COUNTED else ():
                thought = "Is that within the limit?"
                held = self._compute(_COUNTED[span.test], count, None, thought, value=span.value)
                if denied(held) and count.missing and span.test != "less than":
                    self._lack(f"need not have each {singular(plan.by)}")
                else:
                    yield held
                break
            else:
                self._lack(f"does not give the “{plan.by}” of {self._name_of(source, plan.source)}")


def _other_kinds(noun: str, lex: Lexicon) -> tuple[bool, str]:
    """Whether what is looked for under a noun may be of another kind: a capital, any city; and
    by which names it is of this one."""
    known = lex.class_of(noun)
    rows = {label: lex.class_of(label) for label in (known.labels if known else ())}
    other = {
        n for n, c in rows.items() if c and known and c.head != known.head and noun in c.labels
    }
    return bool(other), " | ".join(n for n in rows if n not in other) if other else noun


def _not_all(via: str, stated_: Found) -> str:
    """Why a selection denies nothing: what the graph gives need not be all there is."""
    given = listed((m.name for m in stated_.members), _NAMED, of=stated_.size)
    return f"gives “{via}” as {given}, {_OPEN}"


def _parties(noun: str) -> tuple[str, ...]:
    """What the party of its members is called: of Republicans, of Democrats."""
    return f"{noun} party", f"{noun}ic party"


def _takes_part(left: Found, right: Found) -> bool:
    """Whether the right is a value of the relation that led to the left, somewhere in the graph.

    Where it is not, its absence from the left may show only that nobody entered it.
    """
    far = "out" if left.back else "in"
    return any(
        fold(u.relation.name) == left.via and (u.direction == far or relations.symmetric(left.via))
        for u in right.uses
    )


def _alike(left: Found, right: Found) -> bool:
    """Whether the two have a class in common: a city may be taken for another city."""
    return bool(set(kinds_of(left)) & set(kinds_of(right)) - {"human"})


def _apart(left: Found, right: Found) -> bool:
    return _alike(left, right) and set(left.members).isdisjoint(right.members)
