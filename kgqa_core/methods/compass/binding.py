"""Step 2: what a plan calls a relation, bound to one that is there; and the way to a belief."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from kgqa_core.ask import bounds, shown
from kgqa_core.ask.events import How
from kgqa_core.ask.listed import among, names_of
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts import relations
from kgqa_core.facts.premises import folded
from kgqa_core.facts.terms import (
    Direction,
    Entity,
    Relation,
    RelationUse,
    Statement,
    Value,
    far_end,
    short_id,
)
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.walk import NodeSet, same

_CLOSE = 0.1  # of the best likeness: a binding that may be meant as well
_LEAST = 0.45  # likeness below which a phrase means no relation that is there
_WORDS = 0.3  # what shared words count beside a cosine
_HOPS = 3


@dataclass(frozen=True)
class Binding:
    """A relation of the graph, along or against, for what a step calls one.

    `sure`: by its id or a name of it, in the direction that the plan has.
    """

    relation: Relation
    direction: Direction
    score: float
    how: How

    @property
    def sure(self) -> bool:
        return self.how in ("id", "name", "alias")


def bindings(step: PlanStep, uses: Sequence[RelationUse], tools: Toolkit) -> list[Binding]:
    """What the step's relation may mean among those on the set, best first: at most two.

    By id, by name or by an alias, each also against the plan's direction where it is there only
    so; then by likeness, along it: two guesses at once are one too many. What bears the name of a
    relation of the graph means that one, on the set or not: a date of death is no date of birth.
    """
    known = tools.relation(step.relation)
    exact = known or _among(step.relation, uses)
    there = {(use.relation, use.direction) for use in uses}
    if exact is not None:
        named: How = "alias" if known else "likeness"
        if folded(step.relation) == folded(exact.name):
            named = "name"
        how: How = "id" if short_id(exact.id) in step.relation else named
        back: Direction = "in" if step.direction == "out" else "out"
        if (exact, step.direction) not in there:
            if other := _from_the_other_end(exact, back, uses):
                return [Binding(one, back, 0.95, "turned") for one in other[: bounds.BEAM]]
            if (exact, back) in there and not _would_reverse(exact):
                return [Binding(exact, back, 0.95, "turned")]
        if (exact, step.direction) in there or not there or how in ("id", "name"):
            return [Binding(exact, step.direction, 1.0, how)]
    by_value = step.do == "rank" and step.order not in ("most", "fewest")
    phrase = folded(step.relation)
    likeness = _likeness(step.relation, list(dict.fromkeys(use.relation for use in uses)), tools)
    found = []
    for use in uses:
        agrees, near = use.direction == step.direction, likeness[use.relation]
        if phrase == folded(use.relation.name):
            found.append(
                Binding(use.relation, use.direction, 1.0 - 0.05 * (not agrees),
                        "name" if agrees else "turned")
            )  # fmt: skip
        elif phrase in map(folded, use.relation.aliases):
            found.append(Binding(use.relation, use.direction, 0.97 - 0.05 * (not agrees), "alias"))
        elif agrees and near >= _LEAST and not (by_value and leads_to_things(use)):
            found.append(Binding(use.relation, use.direction, round(min(0.9, near), 4), "likeness"))
    found.sort(key=lambda b: -b.score)
    return [b for b in found if b.score >= found[0].score - _CLOSE][: bounds.BEAM]


def _from_the_other_end(
    exact: Relation, back: Direction, uses: Sequence[RelationUse]
) -> list[Relation]:
    """What is there and says the same from the far end: whose father somebody is, of a child."""
    if relations.symmetric(exact):
        return []
    known = relations.inverse(exact)
    return [
        u.relation for u in uses if u.direction == back and relations.about(u.relation) in known
    ]


def _would_reverse(exact: Relation) -> bool:
    """Whether its other direction is another question: those whose child one is are no children."""
    return relations.belongs(exact, "kinship") and not relations.symmetric(exact)


def _among(phrase: str, uses: Sequence[RelationUse]) -> Relation | None:
    """“P40 child”, “director (P57)” and a misspelling name one that is there."""
    at = among(phrase, [names_of(use) for use in uses])
    return None if at is None else uses[at].relation


def leads_to_things(use: RelationUse) -> bool:
    """Whether its values are things, by which nothing can be ranked."""
    return use.relation.datatype == "item"


def _likeness(phrase: str, there: Sequence[Relation], tools: Toolkit) -> dict[Relation, float]:
    """How near each relation's names are to a phrase: by meaning and shared words, 0 to 1."""
    by_words = shown.by_words(phrase, there)
    most = max(by_words.values(), default=0.0) or 1.0
    if not tools.has_index:
        return {r: min(1.0, by_words[r] / max(most, 1.0)) for r in there}
    texts = {r: shown.texts_of(r) for r in there}
    every = list(dict.fromkeys(text for own in texts.values() for text in own))
    if not every:
        return {}
    (asked,) = tools.encode([phrase], query=True)
    cosine = dict(zip(every, (tools.encode(every) @ asked).tolist(), strict=True))
    return {
        r: max(cosine[text] for text in own) + _WORDS * by_words[r] / max(most, 1.0)
        for r, own in texts.items()
    }


# -- beliefs ---------------------------------------------------------------------------------


def hits(believed: Sequence[str], values: Sequence[Value]) -> dict[str, Value]:
    """What of the beliefs is among the values."""
    return {text: value for text in believed for value in values if text and same(value, text)}


def way_to(
    believed: Sequence[str],
    source: NodeSet,
    tools: Toolkit,
    width: int,
    *,
    left: Collection[Value] = (),
) -> Steps[list[tuple[Relation, Direction]]]:
    """The relations of the shortest way, of up to three hops, from a set to a believed value.

    Only the way is taken from the belief: what it leads to is for the graph to say. Through
    what the plan came from (`left`) no way leads on: from a town of birth back to who was born
    there, and on to the citizenship, is no way to the town's country.
    """
    came: dict[Entity, list[tuple[Relation, Direction]]] = {e: [] for e in source.entities[:width]}
    frontier, said = list(came), " ".join(believed)
    for _ in range(_HOPS):
        if not frontier:
            break
        around = yield from tools.expand(frontier)
        reached: dict[Entity, list[tuple[Relation, Direction]]] = {}
        for statement in around:
            for near, direction in _ends(statement):
                if near not in frontier or _is_class(statement.relation):
                    continue
                far = far_end(statement, near)
                way = [*came[near], (statement.relation, direction)]
                if any(same(far, text) for text in believed):
                    return way
                if isinstance(far, Entity) and far not in came and far not in left:
                    reached.setdefault(far, way)
        came |= reached
        frontier = yield from tools.nearest_ends(said, list(reached), around, bounds.BELIEVED)
    return []


def _is_class(relation: Relation) -> bool:
    """Whether it leads to what all things of a kind share: that is no way to anything."""
    return any(relations.belongs(relation, group) for group in ("class", "subclass"))


def _ends(statement: Statement) -> list[tuple[Entity, Direction]]:
    ends: list[tuple[Entity, Direction]] = [(statement.subject, "out")]
    if isinstance(statement.object, Entity):
        ends.append((statement.object, "in"))
    return ends
