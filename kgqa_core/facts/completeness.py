"""How fully graphs state a relation: whether what is missing there is a "no".

A graph records what somebody entered. It gives a country all the capitals it has, but of a
person's occupations, awards or dwellings only some, so that poet alone does not make anybody no
novelist (the open-world assumption). Wikidata's own notion of it is the completeness of a
property's values for a subject; here it is one judgement for each relation, and one for what a
relation leads to: a list, a count or a superlative over what is given in part is not certain.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Literal as OneOf

from kgqa_core.facts.relations import Stated, about, inverse, symmetric
from kgqa_core.facts.terms import Direction, Relation

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


def whole_class(label: str) -> bool:
    """Whether graphs have all things of a class: there are few, and everybody knows them."""
    return label.casefold() in _WHOLE
