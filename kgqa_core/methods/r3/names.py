"""Names in axioms as the graph has them: relations as they are present, entities that are meant.

A model says “religion” where the graph has “religion or worldview”, “birth date” for “date of
birth”. What it says stays; what it resolves to is added as an alternative.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence

from kgqa_core.ask.listed import among, names_of
from kgqa_core.facts import relations
from kgqa_core.facts.decide import reach
from kgqa_core.facts.premises import Condition, Facts, Hop, Premise, Term, folded, is_relation
from kgqa_core.facts.terms import Entity, Relation, short_id
from kgqa_core.places import ASSETS, rows
from kgqa_core.text import stems

LookUp = Callable[[str], Relation | None]
_SMALL = frozenset(stems("a an the of is was has have"))
_LIGHT = re.compile(r"\b(?:used|spoken|held|played|practi[sc]ed)\b", re.IGNORECASE)
_POINTS = re.compile(r"\b(?:by|in|of|for|at|on|as|with|from|to)\b", re.IGNORECASE)
_WHO = {  # a person by what they do: the relations that lead there, the likeliest first
    called: tuple(led.split("|"))
    for names, led in rows(ASSETS / "reader" / "doers.tsv")
    for called in names.split("|")
}


def resolved(premise: Premise, facts: Facts, look_up: LookUp) -> Premise:
    """The premise with the relations of its paths as the facts at hand name them.

    `look_up` finds a relation of the graph by its id or label.
    """
    update: dict[str, object] = {}
    for side in ("left", "right"):
        term = getattr(premise, side)
        if term is not None:
            update[side] = _term(term, facts, look_up)
    if premise.given is not None:
        update["given"] = Condition(
            left=_term(premise.given.left, facts, look_up),
            right=_term(premise.given.right, facts, look_up),
        )
    return premise.model_copy(update=update)


def entities_of(premises: Iterable[Premise]) -> list[str]:
    """The names from which the paths of premises start."""
    found = dict[str, None]()
    for premise in premises:
        given = premise.given
        sides = [premise.left, premise.right, *((given.left, given.right) if given else ())]
        found.update(dict.fromkeys(t.entity for t in sides if t is not None and t.entity))
    return list(found)


def _term(term: Term, facts: Facts, look_up: LookUp) -> Term:
    path: list[Hop] = []
    for hop in term.path:
        here = reach(Term(entity=term.entity, path=tuple(path)), facts).values
        at = [v for v in here if isinstance(v, Entity)]
        ways = facts.into_all if hop.inverse else facts.out_all
        present = list(dict.fromkeys(s.relation for entity in at for s in ways(entity)))
        update = {"relation": _alternatives(hop.relation, present, look_up)}
        if hop.qualifier:
            held = (q.relation for entity in at for s in ways(entity) for q in s.qualifiers)
            update["qualifier"] = _alternatives(hop.qualifier, list(dict.fromkeys(held)), look_up)
        path.append(hop.model_copy(update=update))
    return term.model_copy(update={"path": tuple(path)})


def _alternatives(names: str, present: Sequence[Relation], look_up: LookUp) -> str:
    """The names as they are, and those of the relations that they stand for."""
    said = [name.strip() for name in names.split("|") if name.strip()]
    found = dict.fromkeys(said)
    for name in said:
        if any(is_relation(relation, name) for relation in present):
            continue
        meant = relation_called(name, present, look_up)
        if meant is not None and folded(meant.label) != folded(name):
            found.update(dict.fromkeys((meant.name, short_id(meant.id))))
    return "|".join(found)


def relation_called(name: str, present: Sequence[Relation], look_up: LookUp) -> Relation | None:
    """The relation that a name stands for: one that is present, else one of the graph.

    Among those that are present it is understood as any reply is (`ask/listed.py`). Who does
    something is nobody else: a film's writer is not its composer, who has “written by” as an alias.
    """
    if people := _WHO.get(re.sub(r"[\s-]", "", folded(name))):
        known = (_exactly(way, present) for way in (name, *people))
        return next(filter(None, known), None) or look_up(people[0])
    options = [names_of(relation) for relation in present]
    ways = (name, *_other_names(name))
    bare = " ".join(_LIGHT.sub(" ", name).split())  # currency used
    light = (
        (bare, *_other_names(bare)) if bare not in ("", name) and not _POINTS.search(name) else ()
    )
    if (at := _first(ways, options)) is None and (at := _within(name, present)) is None:
        at = _first(light, options)
    if at is not None:
        return present[at]
    return next((found for way in (*ways, *light) if (found := look_up(way)) is not None), None)


def _first(ways: Iterable[str], options: Sequence[Sequence[str]]) -> int | None:
    return next((at for way in ways if (at := among(way, options)) is not None), None)


def _exactly(name: str, present: Sequence[Relation]) -> Relation | None:
    """The one that has this very name, before those that have it as an alias."""
    own = [r for r in present if folded(name) == folded(r.label)]
    also = [r for r in present if folded(name) in map(folded, names_of(r))]
    return next(iter((*own, *also)), None)


def _other_names(name: str) -> Iterator[str]:
    """What else a relation of this name is called, in the table of relations."""
    known = relations.about(" ".join(name.split()))
    if known is not None:
        yield from known.names


def _within(name: str, present: Sequence[Relation]) -> int | None:
    """The one relation whose label or alias says all that the name says, the shortest first."""
    wanted = _words(name)
    sizes: dict[int, int] = {}
    for n, relation in enumerate(present):
        for text in (relation.label, *relation.aliases):
            own = _words(text)
            if wanted and wanted < own:
                sizes[n] = min(sizes.get(n, len(own)), len(own))
    best = sorted(sizes, key=lambda n: sizes[n])
    alone = len(best) == 1 or (len(best) > 1 and sizes[best[0]] < sizes[best[1]])
    return best[0] if alone else None


def _words(text: str) -> frozenset[str]:
    return frozenset(stems(folded(text))) - _SMALL
