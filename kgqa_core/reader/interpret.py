"""The one interpreter of families: a row, a question and the facts at hand become an axiom.

`axioms` surfaces those of a question: every family of rules reads it, best first.

A family is brought up by its words, or by the table that fills its place; where it has neither,
by whom it is about. X and Y are the subjects of the question. A premise of which the facts can
say nothing is not stated.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations, permutations
from operator import attrgetter
from typing import Any, Protocol

from kgqa_core.facts import relations
from kgqa_core.facts.decide import COORDINATES, evaluate
from kgqa_core.facts.lifetimes import interval_of
from kgqa_core.facts.premises import Function, Hop, Operator, Premise, State, Term, folded
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


# Of 365 questions, those so near to a cue and so much nearer than to other families' had, with 34
# of 36, the family that their words bring up.
_MEANT, _CLEARLY = 0.6, 0.1
_SUBJECTS = 3  # of a question that may be X or Y
_LATER = 0.5  # what a subject scores less that stands further on
_CHILDHOOD = 3653  # days
_PLACED = relations.either("told of a place")  # a country is older than the state of today


def stated(q: Surfacer, families: Sequence[Family]) -> tuple[list[Candidate], bool]:
    """The axioms of all families that a question brings up, and whether no others matter."""
    asked = q.unnamed(q.question)
    found = [(family, list(_of(q, family, asked))) for family in families]
    alone = [
        candidate
        for family, own in found
        if family.alone and family.alone.says(q.question)
        for candidate in own
    ]
    return (alone, True) if alone else ([c for _, own in found for c in own], False)


def meant(q: Surfacer, families: Sequence[Family], encoder: Encoder) -> list[Candidate]:
    """The axioms of the one family whose cues clearly say what a question means; never certain."""
    text, named = q.question, sorted(q.subjects[:2], key=lambda s: s.place)
    for letter, subject in zip("XY", named, strict=False):
        text = text.replace(subject.words, letter, 1)
    cued = [(family, cue) for family in families if family.words for cue in family.cues]
    cosines = _vectors(encoder, tuple(cue for _, cue in cued)) @ encoder.encode([text])[0]
    best: dict[str, float] = {}
    for (family, _), cosine in zip(cued, cosines, strict=True):
        best[family.name] = max(best.get(family.name, -1.0), float(cosine))
    (name, first), (_, second) = sorted(best.items(), key=lambda pair: -pair[1])[:2]
    if first < _MEANT or first - second < _CLEARLY:
        return []
    family = next(family for family in families if family.name == name)
    return list(_of(q, replace(family, words=None, strict=False), q.unnamed(q.question)))


@lru_cache(maxsize=2)
def _vectors(encoder: Encoder, cues: tuple[str, ...]) -> Any:
    return encoder.encode(list(cues))


def _of(q: Surfacer, family: Family, asked: str) -> Iterator[Candidate]:
    order = 0
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
        own = list(_premises(q, family, clause, Bound(x, y, fills), rule.rstrip(".")))
        if not own:
            return None
        premises += own
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


def _premises(
    q: Surfacer, family: Family, clause: Clause, bound: Bound, text: str
) -> Iterator[Premise]:
    """A clause filled; two where a table gives a lower and an upper bound."""
    slot = slot_of(clause.operator)
    fill = bound.fills[slot] if slot else None
    while True:
        operator: Operator = fill.operator if fill else clause.operator  # type: ignore[assignment]
        assert operator in OPERATORS
        left = _term(q, family, clause.left, bound)
        right = _term(q, family, clause.right, bound) if clause.right else None
        if left is not None and (right is not None or clause.right is None):
            values = right.constants if right else ()
            left = q.described(bound.x, left, values) if "work" in clause.left.path else left
            yield Premise(
                text=text, left=left, operator=operator, right=right, closed=family.closed
            )
        elif clause.left.function in _SIDES and (rough := _roughly(q, clause, bound, operator)):
            yield rough
        if fill is None or fill.also is None:
            return
        fill = fill.also
        bound = replace(bound, fills={**bound.fills, slot: fill})


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
    groups = [step.partition(":")[0] for step in steps]
    first = q.rules.relations(groups[0])
    anew = side.function == "count" and q.counts_anew(subject, groups[0])
    if family.closed or (side.function == "count" and not anew):
        subject = q.base(subject, first)
    elif not anew and (there := q.already(subject, groups[0])) is not None:
        if len(steps) == 1:
            return there
        steps = steps[1:] if not there.path else steps  # of a country its own country says nothing
        first = q.rules.relations(steps[0])
    known = q.may_say(subject, first)
    if not known and len(steps) == 1 and (way := q.usual(subject, first)) is not None:
        return subject.term(way, Hop(relation=first), function=side.function)
    if not known and not (family.closed and (q.facts.about(subject.entity) or subject.path)):
        return None
    others = "|".join(s.entity.name for s in q.subjects if s.entity != subject.entity)
    hops = (_hop(q, step, others) for step in steps)
    return subject.term(*hops, function=side.function)


def _bare(q: Surfacer, subject: Subject, function: Function) -> Term | None:
    """A function of an entity as it stands: its life, its age, where it lies."""
    if function == "lifetime":
        return q.when(subject)
    if function == "age":
        year = re.search(r"\bin (1[0-9]{3}|20[0-9]{2})\b", folded(subject.asked))
        at = (year[1],) if year else ()
        if not q.may_say(subject, q.rules.relations("birth")):
            return None
        return subject.term(function=function).model_copy(update={"constants": at})
    if function == "values" or q.may_say(subject, COORDINATES):
        return subject.term(function=function)
    return None


def _hop(q: Surfacer, step: str, others: str) -> Hop:
    """`spouse`; `spouse:end time`: that qualifier, of the statement on another subject if named."""
    group, _, qualifier = step.partition(":")
    relation = q.rules.relations(group)
    if not qualifier:
        return Hop(relation=relation)
    return Hop(relation=relation, only=others, qualifier=relations.row(qualifier).spelled)


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


_SOON = r"(?:(?:far|much|way) )?too (?:early|late|soon) to (?:have )?"
_HARD = r"(?:(?:far|much|way) )?too (?:heavy|big|large|long|tall|wide) for (.+?) to (?:have )?(\w+)"
_TOO = [
    (re.compile(rf"^(?:was|is|did|does) (.+?) (?:(?:born|lived?|die[ds]?|come) )?{_SOON}", re.I),
     r"Could \1 "),
    (re.compile(rf"^(.+?) (?:was born|(?:was|is|lived|died|came)) {_SOON}", re.I), r"\1 could "),
    (re.compile(rf"^(?:was|is|are|would) (.+?) (?:be )?{_HARD}\b", re.I), r"Could \2 \3 \1"),
    (re.compile(rf"^(.+?) (?:was|is|are|would be) {_HARD}\b", re.I), r"\2 could \3 \1"),
]  # fmt: skip


def axioms(
    given: ToSurface, rules: Commonsense, encoder: Encoder | None = None
) -> list[StatedAxiom]:
    """Axioms for one question, by its words, else by its meaning; none where no rule meets it.

    Who lived too early to do something could not do it: the other question, the other answer.
    """
    plain = next((t for p, to in _TOO if (t := p.sub(to, given.question)) != given.question), "")
    if plain:
        other = axioms(given.model_copy(update={"question": plain}), rules, encoder)
        return [one.model_copy(update={"answer": not one.answer}) for one in other]
    read = Surfacer(given, rules)
    if given.task == "preference":
        return [preferences.preference(read)] if given.options else []
    own, alone = stated(read, rules.families)
    if alone or (len(read.subjects) > 1 and _THAN.search(given.question)):
        return _best_first(own)  # what one of two is does not tell which of them is more
    found = [*own, *read.topics(), *read.linked()]
    if not found and encoder is not None and read.subjects:
        found = meant(read, rules.families, encoder)
    return _best_first(found)


def _best_first(found: list[Candidate]) -> list[StatedAxiom]:
    found.sort(key=lambda c: -c.score)
    return list({c.axiom.rule: c.axiom for c in found}.values())
