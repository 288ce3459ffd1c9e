"""What a pseudo-triple and a gold triple have in common (PG&AKV): words, values, ends."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from kgqa_core.ask import bounds
from kgqa_core.ask.listed import names_of
from kgqa_core.facts import timeline, verbalise
from kgqa_core.facts.terms import (
    NUMBERS,
    TIMES,
    Entity,
    Literal,
    Relation,
    Statement,
    Value,
    is_open,
)
from kgqa_core.methods.r3.names import relation_called
from kgqa_core.text import fold

_SAME_NUMBER = 0.001  # relative difference up to which two numbers say the same


def words(claim: Statement) -> str:
    """A pseudo-triple as the index has triples, so that the two are near; open ends say only
    what kind of thing they are."""

    def end(value: Value) -> str:
        if is_open(value) and isinstance(value, Entity):
            return value.description
        return verbalise.value(value)

    parts = (end(claim.subject), claim.relation.name, end(claim.object))
    return " — ".join(part for part in parts if part)


def opened_like(claim: Statement, fact: Statement) -> Statement:
    """The fact, open where the claim is open."""
    return replace(
        fact,
        subject=claim.subject if is_open(claim.subject) else fact.subject,
        object=claim.object if is_open(claim.object) else fact.object,
    )


def closed_by(claim: Statement, fact: Statement) -> Statement:
    """The claim with the ends of a fact where it is open."""
    subject = fact.subject if is_open(claim.subject) else claim.subject
    return replace(
        claim, subject=subject, object=fact.object if is_open(claim.object) else claim.object
    )


def agrees(claim: Statement, fact: Statement) -> bool:
    """Whether a gold fact says what the claim says: same subject and value, by name or number,
    the other way round too. What is open agrees with nothing."""
    if is_open(claim.subject) or is_open(claim.object):
        return False
    return (alike(claim.subject, fact.subject) and alike(claim.object, fact.object)) or (
        alike(claim.subject, fact.object) and alike(claim.object, fact.subject)
    )


def said_by(
    claim: Statement, gold: Sequence[Statement], named: Collection[str] = ()
) -> Statement | None:
    """The gold fact that says what the claim says, relation and all; None where it takes a reader
    to tell.

    `named`: what things that were read are called themselves, folded. What bears such a name as an
    alias alone is another thing: a city of which it is the state's name.
    """
    found = [
        fact
        for fact in gold
        if _is_meant(claim.subject, fact.subject, named)
        if _is_meant(claim.object, fact.object, named) and has_relation(claim, fact.relation)
    ]
    return max(found, key=lambda fact: _own_names(claim, fact), default=None)


def has_relation(claim: Statement, relation: Relation) -> bool:
    """Whether a claim's relation is called so, by its name or another one it has."""
    return relation_called(claim.relation.name, [relation], lambda name: None) is not None


def _is_meant(claimed: Value, found: Value, named: Collection[str]) -> bool:
    own = fold(verbalise.value(claimed))
    called_so = not isinstance(found, Entity) or own == fold(found.name) or own not in named
    return called_so and alike(claimed, found)


def _own_names(claim: Statement, fact: Statement) -> int:
    """How many ends are called as drafted themselves, not by an alias of a thing of that name."""
    pairs = ((claim.subject, fact.subject), (claim.object, fact.object))
    return sum(fold(a.name) == fold(b.name) for a, b in pairs)


def stated(
    claims: Sequence[Statement], facts: Sequence[Statement], most: int
) -> dict[Statement, list[Statement]]:
    """For each claim what says the same, the values that its subject has of its relation, and what
    else joins both.

    Those of today come first; at most `most`, or where the value is left open as many as are read
    of a list, and one more. Of several things of a name, those it is the label
    of. However far a fact is in meaning (a name that is not known), it is what a claim is about.
    """
    around: dict[Entity, list[Statement]] = {}
    for fact in facts:
        for end in {fact.subject, fact.object}:
            if isinstance(end, Entity):
                around.setdefault(end, []).append(fact)
    called: dict[str, list[Entity]] = {}
    for thing in around:
        for name in _names(thing):
            called.setdefault(name, []).append(thing)
    found = {}
    for claim in claims:
        if is_open(claim.subject):
            continue
        things = list(dict.fromkeys(e for n in _names(claim.subject) for e in called.get(n, ())))
        things = [e for e in things if fold(e.name) == fold(claim.subject.name)] or things
        own = [fact for thing in things for fact in around[thing]]
        same = [fact for fact in own if agrees(claim, fact)]
        values = [fact for fact in own if fact.subject in things]
        present = list(dict.fromkeys(fact.relation for fact in values))
        meant = relation_called(claim.relation.name, present, lambda name: None)
        of_it = [fact for fact in values if fact.relation == meant]
        today = set(timeline.current(of_it))
        of_it.sort(key=lambda fact: (not less_precise(claim, fact), fact not in today))
        first = [fact for fact in same if fact.relation == meant]
        room = max(most, bounds.IN_LIST + 1) if is_open(claim.object) else most
        found[claim] = list(dict.fromkeys((*first, *of_it, *same)))[:room]
    return found


def filled_by(claim: Statement, gold: Sequence[Statement]) -> Statement | None:
    """The gold fact that fills the open object of a claim; None where a reader has to choose.

    It is the only one of that relation, as the claim or an alias has it, and of the only thing of
    that name.
    """
    if is_open(claim.subject) or not is_open(claim.object):
        return None
    about = [fact for fact in gold if alike(claim.subject, fact.subject)]
    called = fold(claim.relation.name)
    found = [fact for fact in about if called in map(fold, names_of(fact.relation))]
    only = len(found) == 1 and len({fact.subject for fact in about}) == 1
    return found[0] if only else None


def less_precise(claim: Statement, fact: Statement) -> bool:
    """Whether a fact says the claim more precisely: a day of its year, a number it rounds."""
    if is_open(claim.subject) or not alike(claim.subject, fact.subject):
        return False
    a, b = claim.object, fact.object
    if not isinstance(a, Literal) or not isinstance(b, Literal):
        return False
    if b.datatype in TIMES:
        return len(a.value) < len(b.value) and b.value.startswith(f"{a.value}-")
    try:
        said, known = float(a.value), float(b.value)
    except ValueError:
        return False
    digits = len(a.value.partition(".")[0].strip("-").rstrip("0")) or 1
    return said == _rounded(known, digits)


def _rounded(number: float, digits: int) -> float:
    return float(f"{number:.{max(1, digits)}g}")


def ends(claim: Statement | None, found: Sequence[Statement]) -> list[tuple[Value, Value]]:
    """The ends of a claim, each with what stands in its place in the facts."""
    pairs: list[tuple[Value, Value]] = []
    for fact in found if claim is not None else ():
        assert claim is not None  # checked by the loop
        turned = alike(claim.subject, fact.object) or alike(claim.object, fact.subject)
        near, far = (fact.object, fact.subject) if turned else (fact.subject, fact.object)
        pairs += [(claim.subject, near), (claim.object, far)]
    return pairs


def nameless(claim: Statement, found: Sequence[Statement]) -> tuple[Entity, str] | None:
    """What the graph knows by its id alone in place of a name that was drafted, and that name.

    None where several are, or none is: then it is another thing.
    """
    pairs: list[tuple[Entity, str]] = [
        (theirs, verbalise.value(mine))
        for mine, theirs in ends(claim, found)
        if isinstance(theirs, Entity) and not theirs.label and not is_open(mine)
    ]
    return pairs[0] if len(pairs) == 1 else None


def alike(a: Value, b: Value) -> bool:
    """The same entity or one of the same name, or the same number, date or text."""
    if is_open(a) or is_open(b):
        return False
    if isinstance(a, Entity) and isinstance(b, Entity):
        return a == b or bool(_names(a) & _names(b))
    if isinstance(a, Literal) and isinstance(b, Literal):
        if a.datatype in NUMBERS and b.datatype in NUMBERS:
            return _numbers_alike(a.value, b.value)
        return a.value.casefold() == b.value.casefold() or verbalise.value(a) == verbalise.value(b)
    return verbalise.value(a).casefold() == verbalise.value(b).casefold()


def _names(entity: Entity) -> set[str]:
    return {name.casefold() for name in (entity.name, *entity.aliases)}


def _numbers_alike(a: str, b: str) -> bool:
    try:
        x, y = float(a), float(b)
    except ValueError:
        return a == b
    return abs(x - y) <= _SAME_NUMBER * max(abs(x), abs(y))
