"""Things that a question calls by their ids (“When was Q42 born?”): found, moved or gone.

What Wikidata has merged leads on by its old id, and what it has deleted leads nowhere. Both are
said by every method, whether it looks names up or not. A method reads the name instead of the id,
and the name is looked up as that thing.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace

from kgqa_core.facts.terms import Entity, Hit, short_id

_ID = re.compile(r"Q[1-9]\d*")
_IN = {kind: re.compile(rf"(?<![\w:/(-]){kind}[1-9]\d*(?![\w)-])") for kind in "QP"}
Describe = Callable[[Sequence[str]], Sequence[Entity | None]]


def ids_in(question: str, kind: str = "Q") -> list[str]:
    """The ids in a question, each once: of things, or (`P`) of relations."""
    return list(dict.fromkeys(_IN[kind].findall(question)))


class ByIds:
    """What ids lead to in one graph, as far as a run has asked."""

    def __init__(self) -> None:
        self._known: dict[str, Entity | None] = {}
        self._named: dict[str, Entity] = {}  # by the name that stands for the id
        self._gone: dict[str, None] = {}

    def found(
        self, mentions: Sequence[str], hits: Mapping[str, Sequence[Hit]], describe: Describe
    ) -> list[list[Hit]]:
        """The hits of each mention; first what has that id, unless something is called so."""
        ids = [one for one in dict.fromkeys(mentions) if _ID.fullmatch(one)]
        if new := [one for one in ids if one not in self._known]:
            self._known.update(zip(new, describe(new), strict=True))
        for one in ids:
            entity = self._known[one]
            if entity is None and not hits[one]:
                self._gone[one] = None
            elif entity and not any(hit.score >= 1 for hit in hits[one]):
                self._named[one] = entity
                if entity.label:
                    self._named.setdefault(entity.label, entity)
        return [self._meant(mention, hits[mention]) for mention in mentions]

    def _meant(self, mention: str, hits: Sequence[Hit]) -> list[Hit]:
        entity = self._named.get(mention)
        if entity is None:
            return list(hits)
        return [Hit(entity, 1.0, mention)] if mention != entity.label else _first(entity, hits)

    def in_names(self, question: str) -> str:
        """The question, with names for ids."""

        def name(found: re.Match[str]) -> str:
            entity = self._named.get(found[0])
            return entity.label if entity and entity.label else found[0]

        return _IN["Q"].sub(name, question)

    def sentences(self, graph: str) -> Iterator[str]:
        """What is meant by each id: a thing by its name, another thing, or nothing any more."""
        for one, entity in self._known.items():
            if entity and short_id(entity.id) != one:
                target = short_id(entity.id)
                named = f"{entity.label} ({target})" if entity.label else target
                yield f"“{graph}” has {one} no more: it leads on to {named}."
            elif entity and entity.label and one in self._named:
                yield f"{one} is {entity.label}."
        yield from self.lost(graph)

    def lost(self, graph: str) -> list[str]:
        """What leads nowhere, a sentence each."""
        return [
            f"“{graph}” has nothing under {one}: what it named was deleted, or never was."
            for one in self._gone
        ]


def _first(entity: Entity, hits: Sequence[Hit]) -> list[Hit]:
    """The one that is meant before its namesakes, which score less."""
    others = [replace(h, score=min(h.score, 0.5)) for h in hits if h.entity.id != entity.id]
    return [Hit(entity, 1.0, entity.label), *others]
