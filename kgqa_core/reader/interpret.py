"""The one interpreter of families: a row, a question and the facts at hand become an axiom.

`axioms` surfaces those of a question: every family of rules reads it, best first.

A family is brought up by its words, or by the table that fills its place; where it has neither,
by whom it is about. X and Y are the subjects of the question. A premise of which the facts can
say nothing is not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, permutations
from operator import attrgetter
from typing import Any, Protocol

from kgqa_core.facts import relations
from kgqa_core.facts.decide import COORDINATES, evaluate
from kgqa_core.facts.lifetimes import interval_of
from kgqa_core.facts.premises import Function, Hop, Operator, Premise, State, Term
from kgqa_core.methods.r3.skills import StatedAxiom, ToSurface
from kgqa_core.reader import preferences
from kgqa_core.reader.commonsense import Commonsense, said
from kgqa_core.reader.families import OPERATORS, Clause, Family, Side, slot_of
from kgqa_core.reader.slots import SLOTS, Fill
from kgqa_core.reader.surfacer import BESIDES, Candidate, Subject, Surfacer, denials, negative
from kgqa_core.text import stems

Fills = Mapping[str, Fill]


class Encoder(Protocol):
    """Sentences to unit vectors; `ready` turns true when its weights are loaded."""

    @property
    def ready(self) -> bool: ...

    def encode(self, texts: list[str]) -> Any: ...

    def __hash__(self) -> int: ...


@dataclass(frozen=True)
class Bound:
    """What stands in the open places of a row."""

    x: Subject
    y: Subject | None
    fills: Fills

    def group(self, step: str, who: str) -> str:
        """The group of relations of a step; of Y the second one that a table gives."""
        fill = self.fills.get(slot_of(step))
        return step if fill is None else (who == "Y" and fill.other) or fill.group


_SUBJECTS = 3  # of a question that may be X or Y
_LATER = 0.5  # what a subject scores less that stands further on
_CHILDHOOD = 3653  # days
_PLACED = relations.either("told of a place")  # a country is older than the state of today


def stated(q: Surfacer, families: Sequence[Family]) -> tuple[list[Candidate], bool]:
    """The axioms of all families that a question brings up, and whether no others matter."""
    found = [(family, list(_of(q, family))) for family in families]
    alone = [
        candidate
        for family, own in found
        if family.alone and family.alone.says(q.question)
        for candidate in own
    ]
    return (alone, True) if alone else ([c for _, own in found for c in own], False)


def _of(q: Surfacer, family: Family) -> Iterator[Candidate]:
    asked, order = q.unnamed(q.question), 0
    if (family.unless and family.unless.says(asked)) or (
        family.words and not family.words.says(asked)
    ):
        return
    for x, y in _bindings(q, family):
        found = [_axiom(q, family, x, y, fills, order) for fills in _filled(q, family, x, y)]
        yield from filter(None, found)
        order += not q.is_common(x) or any(found)  # things that nothing is known of do not count


def _bindings(q: Surfacer, family: Family) -> Iterator[tuple[Subject, Subject | None]]:
    subjects = q.subjects[:_SUBJECTS]
    if len(family.who) == 1:
        for x in subjects:
            if _fits(q, x, family.who[0]):
                yield x, None
                if not family.slots:
                    return  # what is said without more is said of the first
        return
    if family.who == ("any", "any") and "countable" not in family.slots:
        subjects = sorted(
            subjects, key=attrgetter("place")
        )  # whoever stands first is more, or less
    pairs = (permutations if family.swaps else combinations)(subjects, 2)
    for x, y in pairs:
        one = x.entity == y.entity or (x.words == y.words and x.place == y.place)
        if not one and _fits(q, x, family.who[0]) and _fits(q, y, family.who[1]):
            yield x, y


def _fits(q: Surfacer, subject: Subject, kind: str) -> bool:
    return kind == "any" or q.is_person(subject) == (kind == "person")


def _filled(q: Surfacer, family: Family, x: Subject, y: Subject | None) -> Iterator[Fills]:
    """What fills the open places: every way of the first table, the first of the others."""
    if not family.slots:
        yield {}
        return
    first, *others = family.slots
    rest: dict[str, Fill] = {}
    for name in others:
        found = next(iter(SLOTS[name](q, x, y)), None)
        if found is None:
            return
        rest[name] = found
    for fill in SLOTS[first](q, x, y):
        yield {first: fill, **rest}


def _axiom(
    q: Surfacer, family: Family, x: Subject, y: Subject | None, fills: Fills, order: int
) -> Candidate | None:
    rule = _worded(family.rule, x, y, fills)
    premises = []
    for clause in family.clauses:
        own = _premise(q, family, clause, Bound(x, y, fills), rule.rstrip("."))
        if own is None:
            return None
        premises.append(own)
    told = {evaluate(premise, q.facts).state for premise in premises}
    state: State = "violated" if "violated" in told else "open" if "open" in told else "satisfied"
    could = "both" if said("possible").search(q.plain) else "no"
    decides = could if family.decides == "could" else family.decides
    if state != "violated" and decides == "no" and (state == "satisfied" or not x.path):
        return None  # what is necessary is not enough
    if decides == "yes" and state != "satisfied":
        return None  # what is enough is not necessary
    unsaid = _unsaid(q, family, x, y, fills)
    others = (s for s in q.subjects if not s.common and s not in (x, y))
    besides = len(unsaid) > BESIDES or any(unsaid.issuperset(stems(s.words)) for s in others)
    if (unsaid and family.tight) or (besides and (state == "satisfied" or "known" in fills)):
        return None  # of all else that is asked, of another who is named, it tells nothing
    flipped = bool(family.flips and family.flips.odd(q.question))
    if family.denial:  # what a table gives may deny by itself: to go without water
        flipped = q.negative != negative(" ".join(fill.words for fill in fills.values()))
    axiom = StatedAxiom(
        rule=rule,
        premises=premises,
        answer=family.answer != flipped,
        strict=family.strict and not _doubtful(q, state, x, y, premises) and not unsaid,
    )
    score = family.score if state == "violated" else family.weak
    score += sum(fill.weight for fill in fills.values())
    return Candidate(score - _LATER * order, axiom)


def _unsaid(q: Surfacer, family: Family, x: Subject, y: Subject | None, fills: Fills) -> set[str]:
    """The content words of the question that neither the row nor what fills it uses."""
    used = family.used(q.question) | (denials(q.plain) if family.denial else set())
    said = " ".join(f"{fill.words} {fill.said}" for fill in fills.values())
    return q.unsaid([x, y] if y else [x], used | set(stems(said)))


def _worded(rule: str, x: Subject, y: Subject | None, fills: Fills) -> str:
    rule = rule.replace("{X}", x.words).replace("{Y}", y.words if y else "")
    for name, fill in fills.items():
        rule = rule.replace("{" + name + "}", fill.words)
    return rule[:1].upper() + rule[1:]


def _premise(
    q: Surfacer, family: Family, clause: Clause, bound: Bound, text: str
) -> Premise | None:
    """A clause filled; None where the facts cannot say anything of it."""
    slot = slot_of(clause.operator)
    fill = bound.fills[slot] if slot else None
    operator: Operator = fill.operator if fill else clause.operator  # type: ignore[assignment]
    assert operator in OPERATORS
    left = _term(q, family, clause.left, bound)
    right = _term(q, family, clause.right, bound) if clause.right else None
    if left is not None and (right is not None or clause.right is None):
        return Premise(text=text, left=left, operator=operator, right=right, closed=family.closed)
    return _roughly(q, clause, bound, operator) if clause.left.function in _SIDES else None


def _term(q: Surfacer, family: Family, side: Side, bound: Bound) -> Term | None:
    """A side with its places filled; None where the facts cannot say anything of it."""
    if not side.who:
        constants = bound.fills[side.slot].constants if side.slot else side.constants
        return Term(constants=constants, function=side.function)
    subject = bound.x if side.who == "X" else bound.y
    assert subject is not None
    if not side.path:
        return _bare(q, subject, side.function)
    steps = [bound.group(step, side.who) for step in side.path]
    first = q.rules.relations(steps[0])
    if family.closed or side.function == "count":
        subject = q.base(subject, first)
    elif (there := q.already(subject, steps[0])) is not None:
        if len(steps) == 1:
            return there
        steps = steps[1:] if not there.path else steps  # of a country its own country says nothing
        first = q.rules.relations(steps[0])
    known = q.may_say(subject, first)
    if not known and not (family.closed and (q.facts.about(subject.entity) or subject.path)):
        return None
    hops = (Hop(relation=q.rules.relations(step)) for step in steps)
    return subject.term(*hops, function=side.function)


def _bare(q: Surfacer, subject: Subject, function: Function) -> Term | None:
    """A function of an entity as it stands: its life, its age, where it lies."""
    if function == "lifetime":
        return q.when(subject)
    needs = {"values": "", "age": q.rules.relations("birth")}.get(function, COORDINATES)
    if needs and not q.may_say(subject, needs):
        return None
    return subject.term(function=function)


def _roughly(q: Surfacer, clause: Clause, bound: Bound, operator: Operator) -> Premise | None:
    """Where X lies by where its country does, for places without coordinates.

    The premise says in which country it is, where that lies as asked; else that it is not.
    """
    function = clause.left.function
    subjects = [subject for subject in (bound.x, bound.y) if subject is not None]
    homes = [home for subject in subjects if (home := q.country(subject)) is not None]
    if len(homes) < len(subjects) or (len(homes) > 1 and homes[0][0] == homes[1][0]):
        return None  # of two places in a country it tells nothing
    side_of = attrgetter("north" if function == "latitude" else "east")
    degrees = [*(side_of(home) for home, _ in homes), 0.0]
    country, itself = homes[0]
    holds = degrees[0] > degrees[1] if operator == ">" else degrees[0] < degrees[1]
    side = _SIDES[function][degrees[0] < 0]
    hops = () if itself else (Hop(relation=q.rules.relations("country")),)
    return Premise(
        text=f"{bound.x.words} is in {country.name}, about {abs(degrees[0]):g}° {side}",
        left=bound.x.term(*hops),
        operator="=" if holds else "≠",
        right=Term(constants=(country.name,)),
    )


_THAN = re.compile(r"\bthan\b", re.IGNORECASE)
_SIDES = {"latitude": ("north", "south"), "longitude": ("east", "west")}


def _doubtful(
    q: Surfacer, state: State, x: Subject, y: Subject | None, premises: Sequence[Premise]
) -> bool:
    """Whether lives and times rest on a date that is not known, or hardly overlap."""
    lives = [p for p in premises if p.left is not None and p.left.function == "lifetime"]
    if not lives:
        return False
    if state == "satisfied" and (not q.is_person(x) or interval_of(x.entity, q.facts).lacks):
        return True  # what is left of a thing has no life of its own
    if y is None:
        return False
    two = q.is_person(x) and q.is_person(y)
    if two:
        return _brief(q, x, y)
    return not two and any(q.facts.out(s.entity, _PLACED) for s in (x, y))


def _brief(q: Surfacer, a: Subject, b: Subject) -> bool:
    """Whether two lived at the same time for a few years only, one of them as a child."""
    one, other = (interval_of(s.entity, q.facts) for s in (a, b))
    if None in (one.first, one.last, other.first, other.last):
        return False
    first = max(i.first for i in (one, other) if i.first is not None)
    last = min(i.last for i in (one, other) if i.last is not None)
    return 0 <= last - first < _CHILDHOOD


def axioms(given: ToSurface, rules: Commonsense) -> list[StatedAxiom]:
    """Axioms for one question, by its words; none where no rule meets it."""
    read = Surfacer(given, rules)
    if given.task == "preference":
        return [preferences.preference(read)] if given.options else []
    own, alone = stated(read, rules.families)
    if alone or (len(read.subjects) > 1 and _THAN.search(given.question)):
        return _best_first(own)  # what one of two is does not tell which of them is more
    return _best_first([*own, *read.topics()])


def _best_first(found: list[Candidate]) -> list[StatedAxiom]:
    found.sort(key=lambda c: -c.score)
    return list({c.axiom.rule: c.axiom for c in found}.values())
