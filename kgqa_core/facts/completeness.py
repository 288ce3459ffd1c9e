"""How fully graphs state a relation: whether what is missing there is a "no".

A graph records what somebody entered. It gives a country all the capitals it has, but of a
person's occupations, awards or dwellings only some, so that poet alone does not make anybody no
novelist (the open-world assumption). Wikidata's own notion of it is the completeness of a
property's values for a subject; here it is one judgement for each relation, and one for what a
relation leads to: a list, a count or a superlative over what is given in part is not certain.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts.relations import Stated, about, inverse, symmetric
from kgqa_core.facts.terms import Direction, Entity, Relation, Statement, Value

# what may be missing from a set that a relation led to
# ""      nothing
# several of one there may be more after all, which matters where they are counted
# class   things of a kind that the graph does not have; a kind it has all of is all there
# set     anything
# now     it was so at some time, and may be so no more
# source  what it is asked of has it in part only: the birthplace of one of two composers
Missing = OneOf["", "several", "class", "set", "now", "source"]


def stated(relation: Relation | str) -> Stated:
    """How fully graphs state a relation, given as such or by its label."""
    known = about(relation)
    return known.stated if known else "full"  # a relation nobody judged


# given to everything that lies somewhere, or is something
_THROUGHOUT = frozenset({"class", "subclass", "place within"})
_WHOLE = frozenset(
    "country|sovereign state|continent|ocean|u.s. state|us state|state of the united states|"
    "federated state of germany|planet of the solar system|great lakes".split("|")
)


@lru_cache(maxsize=2_000)
def missing(relation: Relation, direction: Direction, *, several: bool = True) -> Missing:
    """What may be missing from the values of a relation, or from all that have a value of it.

    `several`: whether the graph gives more than one.
    """
    known = about(relation)
    if known is None:
        return "set" if direction == "in" else ""
    if "mutual" in known.groups:
        return ""
    forward = [known] if direction == "in" else inverse(relation)
    if any(row.groups & _THROUGHOUT for row in forward):
        return "class"
    if known.number == "mostly one" and not several:
        return "several" if direction == "out" or symmetric(relation) else "set"
    if "spread" in known.groups and several:
        return "set"
    return "set" if direction == "in" or known.number in {"mostly one", "some"} else ""


def differing(values: Collection[Value], facts: Iterable[object]) -> tuple[Statement, ...]:
    """Statements by which values are several of what a thing has but one of: dates of death.

    A date that holds another does not differ from it, nor one day of publication from that abroad.
    """
    told: dict[tuple[Entity, Relation], dict[Value, Statement]] = {}
    for fact in facts:
        if isinstance(fact, Statement) and fact.object in values and _has_one(fact.relation):
            told.setdefault((fact.subject, fact.relation), {}).setdefault(fact.object, fact)
    for own in told.values():
        texts = [getattr(value, "value", "") for value in own]
        apart = [v for v, t in zip(own, texts, strict=True) if not (t and _is_within(t, texts))]
        if len(apart) > 1:
            return tuple(own[value] for value in apart)
    return ()


def _is_within(date: str, others: Iterable[str]) -> bool:
    return any(other != date and other.startswith(f"{date}-") for other in others)


def _has_one(relation: Relation) -> bool:
    known = about(relation)
    if known is None or known.number != "one" or "told of a work" in known.groups:
        return False
    return known.values == "date" or "life place" in known.groups


def whole_class(label: str) -> bool:
    """Whether graphs have all things of a class: there are few, and everybody knows them."""
    return label.casefold() in _WHOLE
