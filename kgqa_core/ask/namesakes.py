"""Of several things of one name, one was taken: whether the question says that this one is meant.

What was looked up and what the answer cites tell which was taken, in whatever way a method came to
it. A thing of which the graph states more, or which is written so, is a choice and no knowledge: an
answer that rests on it is no certainty.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from kgqa_core.facts import relations
from kgqa_core.facts.terms import Direction, Entity, Hit, Relation, RelationUse, Statement
from kgqa_core.kg.labels import LITTLE, fold
from kgqa_core.text import stems

Uses = Callable[[Sequence[Entity]], list[list[RelationUse]]]
_Ways = set[tuple[Relation, Direction]]

_EXACT = 0.95  # score of a name as written, but for case, accents or an article
_AS_WELL = 0.011  # an alias bears a name as well as a label does
_WEIGHED = 3  # others that are looked at, the best known first: elsewhere each takes a request
_NAMED = 2  # of these, that are told of
_LITTLE = frozenset(stems(" ".join(LITTLE)))
_BESIDE = re.compile(r"\([^)]*\)")
_NUMBERED = re.compile(
    r",? (?:[IVX]+|[JS]r\.?|junior|senior|the (?:elder|younger))$", re.IGNORECASE
)
_NAMES = re.compile(r"\b[A-Z]\w+(?: [A-Z]\w+)+")


@dataclass(frozen=True)
class Taken:
    """A name of the question, what was taken for it, and what it may as well mean."""

    mention: str
    entity: Entity
    others: tuple[Entity, ...]

    @property
    def line(self) -> str:
        others = "; ".join(map(_described, self.others[:_NAMED]))
        return (
            f"Not certain: “{self.mention}” was taken for {_described(self.entity)}. It is also "
            f"the name of {others}, and nothing in the question says which is meant."
        )


def undecided(
    question: str, cited: Sequence[object], linked: Mapping[str, Sequence[Hit]], uses: Uses
) -> list[Taken]:
    """The names of the question that things bear alike, where it does not say which is meant.

    It says so by a relation that only the one has, by its kind or by a word or year of its
    description. Of a thing of which the graph states nothing it cannot be said what it has: it is
    in doubt where others name it as often.
    """
    facts = [fact for fact in cited if isinstance(fact, Statement)]
    found = list(_several(question, facts, linked))
    every = list(dict.fromkeys(e for one in found for e in (one.entity, *one.others)))
    own = dict(zip(every, uses(every), strict=True)) if every else {}
    left = []
    for one in found:
        others = tuple(o for o in one.others if not _is_told_apart(question, one, o, own, facts))
        if others:
            left.append(Taken(one.mention, one.entity, others))
    return left


def _several(
    question: str, facts: Sequence[Statement], linked: Mapping[str, Sequence[Hit]]
) -> Iterator[Taken]:
    """Things that the facts are about, with others that bear their name in the question as well."""
    about = dict.fromkeys(
        e for s in facts for e in (s.subject, s.object) if isinstance(e, Entity)
    )  # fmt: skip
    asked = f" {fold(question)} "
    names = sorted((m for m in linked if f" {fold(m)} " in asked), key=len, reverse=True)
    for entity in about:
        for mention in names:
            own = next((h for h in linked[mention] if h.entity == entity), None)
            if own is None or own.score < _EXACT:
                continue
            others = [
                h
                for h in linked[mention]
                if h.score >= own.score - _AS_WELL
                or _is_numbered(mention, h.entity)
                or _is_last_name(mention, h.entity)
            ]
            if rest := tuple(h.entity for h in others if h.entity not in about):
                yield Taken(mention, entity, rest[:_WEIGHED])
            break  # a part of that name says less


def _is_numbered(mention: str, entity: Entity) -> bool:
    """Whether a name is that of the mention with a number: Johann Strauss, Johann Strauss II."""
    bare = _NUMBERED.sub("", entity.label)
    return bare != entity.label and fold(bare) == fold(mention)


def _is_last_name(mention: str, entity: Entity) -> bool:
    """Whether a thing bears the mention at the end of its name only: Messi, Lionel Messi."""
    name = fold(mention)
    return fold(entity.label).endswith(f" {name}") and name not in map(fold, entity.aliases)


def _is_told_apart(
    question: str,
    one: Taken,
    other: Entity,
    uses: Mapping[Entity, Sequence[RelationUse]],
    facts: Sequence[Statement],
) -> bool:
    if _is_last_name(one.mention, other) and not _is_better_known(other, one.entity, uses):
        return True
    there: _Ways = {(use.relation, use.direction) for use in uses[other]}
    if not _ways(one.entity, facts) <= there:
        own = [use for use in uses[other] if use.direction == "out"]
        if any(not _places(use.relation) for use in own):
            return True
        kinds = _kinds(own)  # all that is known of it
        if kinds and not kinds & _kinds(uses[one.entity]):
            return True
        whole = fold(one.mention) == fold(other.label) != fold(one.entity.label)
        if _named_by(uses[other]) < _named_by(uses[one.entity]) and not whole:
            return True  # the better known one was taken; but no city for the land it is called by
    words = set(stems(question)) - set(stems(one.mention)) - _LITTLE
    return bool(words & (_said(one.entity, uses) - _said(other, uses)))


def _is_better_known(
    other: Entity, taken: Entity, uses: Mapping[Entity, Sequence[RelationUse]]
) -> bool:
    """Of the same kind, and named more often: only then does the last name alone mean it."""
    alike = _kinds(uses[other]) & _kinds(uses[taken])
    return bool(alike) and _named_by(uses[other]) > _named_by(uses[taken])


def _ways(entity: Entity, facts: Sequence[Statement]) -> _Ways:
    """The relations that the answer goes along from a thing, or to it."""
    out: _Ways = {(s.relation, "out") for s in facts if s.subject == entity}
    return out | {(s.relation, "in") for s in facts if s.object == entity}


def _places(relation: Relation) -> bool:
    """Whether it only says what a thing is or where it lies."""
    return relations.belongs(relation, "class", "subclass", "place within")


def _named_by(uses: Sequence[RelationUse]) -> int:
    """In how many statements of others it is named: how well known it is."""
    return sum(use.count for use in uses if use.direction == "in")


def _kinds(uses: Sequence[RelationUse]) -> set[str]:
    return {
        fold(example)
        for use in uses
        if use.direction == "out" and relations.belongs(use.relation, "class")
        for example in use.examples
    }


def _said(entity: Entity, uses: Mapping[Entity, Sequence[RelationUse]]) -> set[str]:
    """The words by which a question may say that it means this thing: the US, of United States."""
    kinds = " ".join(_kinds(uses[entity]))
    description = _BESIDE.sub(" ", entity.description)
    short = ("".join(w[0] for w in name.split()) for name in _NAMES.findall(description))
    return set(stems(" ".join((description, kinds, *short))))


def _described(entity: Entity) -> str:
    return f"{entity.name} ({entity.description})" if entity.description else entity.name
