"""The entities a question set names: whether the graph has them, and handing them to a method.

Those asked about, and those that are the answer.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from pydantic import BaseModel

from kgqa_core.ask import events, skills
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.evaluation.datasets.base import Example, Gold, short
from kgqa_core.facts.terms import Entity, Hit
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.text import counted, listed

R = TypeVar("R", bound=BaseModel)

_AT_ONCE = 100
_EXACT = 0.99
_ID = re.compile(r"[QLP]\d+|https?://.*|urn:.*|m\.\w+")
_REDIRECTED = re.compile(r"[QL]\d+")  # what may lead to another: an address may be any page
CHECKED = 1000  # ids looked up to say whether a question set fits a graph
CHECKED_NAMES = 50  # names: a search each
NAMED = 20  # of those that a graph lacks


@dataclass(frozen=True)
class Coverage:
    """How many of the entities looked up are in the graph; `of` all that the questions name.

    `lacking`: those that are not, as the question set calls them.
    """

    known: int
    checked: int
    of: int
    lacking: tuple[str, ...] = ()

    def __str__(self) -> str:
        if not self.of:
            return "The questions name no entities, so their fit with the graph is not checked"
        sample = f" (looked up: a sample of {self.of:,})" if self.checked < self.of else ""
        text = f"{self.known:,} of {self.checked:,} topic entities are in this graph{sample}"
        if self.known and self.lacking:
            text += f". It has not, or no more: {listed(self.lacking, NAMED)}"
        return text


def coverage(examples: Sequence[Example], kg: KnowledgeGraph) -> Coverage:
    """Looks up at most CHECKED of the entities (or names), spread evenly over the questions."""
    topics = _topics(examples)
    most = CHECKED if all(map(_ID.fullmatch, topics)) else CHECKED_NAMES
    step = max(1, -(-len(topics) // most))
    sample = dict(list(topics.items())[::step])
    found = _found(sample, kg)
    lacking = tuple(_called(t, label) for t, label in sample.items() if t not in found)
    return Coverage(len(found), len(sample), len(topics), lacking)


def followed(examples: Sequence[Example], kg: KnowledgeGraph) -> tuple[list[Example], list[str]]:
    """The questions with their gold answers as the graph has them today, and what is to be said.

    An answer that is a redirect counts as the entity that it leads to; one that the graph has
    not, or no more, stays what it is.
    """
    golds = {g.id: g.name for e in examples for own in e.gold.values() for g in own}
    golds = {gold: name for gold, name in golds.items() if _REDIRECTED.fullmatch(gold)}
    found = _found(golds, kg)
    led = {gold: entity for gold, entity in found.items() if short(entity.id) != gold}
    notes = []
    if led:
        named = [f"{gold} counts as {e.name} ({short(e.id)})" for gold, e in led.items()]
        many = counted(len(led), "gold answer")
        notes.append(f"{many} redirected to another entity: {listed(named, NAMED)}.")
    if lacking := [_called(gold, name) for gold, name in golds.items() if gold not in found]:
        notes.append(
            f"{len(lacking):,} of {len(golds):,} gold answers are not in this graph, or no more: "
            f"{listed(lacking, NAMED)}."
        )

    def there(gold: Gold) -> Gold:
        if gold.id not in led:
            return gold
        entity = led[gold.id]
        return Gold(short(entity.id), tuple(dict.fromkeys((entity.name, *gold.names))))

    new = [
        replace(e, gold={name: tuple(map(there, own)) for name, own in e.gold.items()})
        for e in examples
    ]
    return (new if led else list(examples)), notes


def _called(topic: str, label: str) -> str:
    return f"{label} ({topic})" if label and label != topic else topic


def located(examples: Sequence[Example], kg: KnowledgeGraph) -> dict[str, list[tuple[str, Entity]]]:
    """By question id: its topic entities as the graph has them, each with what it is called.

    Questions without any are left out.
    """
    found = _found(_topics(examples), kg)
    anchors = {}
    for example in examples:
        here = [
            (label or found[t].name, found[t]) for t, label in example.topic.items() if t in found
        ]
        if here:
            anchors[example.id] = here
    return anchors


class AnchoredToolkit(Toolkit):
    """A toolkit whose linking is done: it knows which entities the question is about.

    Asked to extract mentions it names them, and looked up each is the one match; so every method
    that links through its toolkit gets the gold entities, visibly and at no cost. All else is
    asked of the model and the graph as ever.
    """

    def __init__(self, *args: Any, anchors: Sequence[tuple[str, Entity]], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.anchors = dict(anchors)

    def ask_all(self, skill: Skill[R], many: Sequence[dict[str, Any]]) -> Steps[list[R]]:
        if skill.name != skills.EXTRACT.name:
            return (yield from super().ask_all(skill, many))
        yield events.Noted(text="The entities are given with the question, not linked.")
        return [skill.reply(mentions=list(self.anchors)) for _ in many]

    def link(self, mentions: Sequence[str], limit: int = 8) -> Steps[list[list[Hit]]]:
        if not any(mention in self.anchors for mention in mentions):
            return (yield from super().link(mentions, limit))
        unknown = [m for m in mentions if m not in self.anchors]
        hits = {m: [Hit(entity, 1.0, m)] for m, entity in self.anchors.items()}
        if unknown:
            found = yield from super().link(unknown, limit)
            hits |= dict(zip(unknown, found, strict=True))
        given = [m for m in mentions if m in self.anchors]
        yield events.Linked(mentions=tuple(given), candidates=tuple(tuple(hits[m]) for m in given))
        return [hits[m] for m in mentions]


def _topics(examples: Iterable[Example]) -> dict[str, str]:
    return {topic: label for example in examples for topic, label in example.topic.items()}


def _found(topics: Mapping[str, str], kg: KnowledgeGraph) -> dict[str, Entity]:
    """By id where the question set has ids, else by exact label."""
    by_id = [t for t in topics if _ID.fullmatch(t)]
    by_name = [t for t in topics if t not in set(by_id)]
    found: dict[str, Entity] = {}
    for some in _slices(by_id):
        for topic, entity in zip(some, kg.describe(some), strict=True):
            if entity is not None:
                found[topic] = entity
    for some in _slices(by_name):
        for topic, hits in zip(some, kg.search([topics[t] or t for t in some], 1), strict=True):
            if hits and hits[0].score >= _EXACT:
                found[topic] = hits[0].entity
    return found


def _slices(items: Sequence[str]) -> Iterable[Sequence[str]]:
    return (items[i : i + _AT_ONCE] for i in range(0, len(items), _AT_ONCE))
