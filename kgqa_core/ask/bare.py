"""Things that a graph has no name for: in a prompt what they are stands beside their ids.

`Q115 (village)`, as `verbalise.name` writes what has a description and no label. Nothing but the
description changes: what a step is given is equal to what it was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel

from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.facts.terms import Entity, Hit, Qualifier, RelationUse, Statement, short_id
from kgqa_core.kg.base import WD
from kgqa_core.text import enumerated

T = TypeVar("T")

_ID = re.compile(r"Q\d+")  # as an example of where a relation leads: there nothing else is known


def bare_in(given: Any) -> list[Entity]:
    """The entities without a name and a description in what a step is given, each once."""
    found: dict[Entity, None] = {}

    def see(entity: Entity) -> Entity:
        found.setdefault(entity)
        return entity

    _walked(given, see)
    return list(found)


def told(given: T, kinds: Mapping[str, str]) -> T:
    """The same, with what is known of these things (by short id) as their descriptions."""

    def describe(entity: Entity) -> Entity:
        kind = kinds.get(short_id(entity.id), "")
        return replace(entity, description=kind) if kind else entity

    found: T = _walked(given, describe)
    return found


def with_nothing_said(answer: Answer, bare: Sequence[Entity]) -> Answer:
    """The answer, which says of some of its values that the graph has nothing but their ids."""
    if not bare or not answer.sentences:
        return answer
    many = len(bare) > 1
    names = enumerated([e.name for e in bare])
    text = f"Of {names} the graph has nothing but the {'ids' if many else 'id'}: "
    text += f"what {'they name' if many else 'it names'} may have been deleted."
    cites = tuple(
        n for n, s in enumerate(answer.citations) if isinstance(s, Statement) and s.object in bare
    )
    told = (*answer.sentences, Sentence(text=text, cites=cites or answer.sentences[0].cites))
    return answer.model_copy(update={"sentences": told, "certain": False})


def _walked(value: Any, seen: Callable[[Entity], Entity]) -> Any:
    """The value, with each bare entity in it as it is `seen`; itself where nothing is new."""
    match value:
        case Entity():
            return value if value.label or value.description else seen(value)
        case RelationUse():
            examples = tuple(_example(text, seen) for text in value.examples)
            return value if examples == value.examples else replace(value, examples=examples)
        case Statement():
            return _with(value, seen, ("subject", "object", "qualifiers"))
        case Qualifier():
            return _with(value, seen, ("value",))
        case Hit():
            return _with(value, seen, ("entity",))
        case BaseModel():
            parts = {name: getattr(value, name) for name in type(value).model_fields}
            new = {name: _walked(part, seen) for name, part in parts.items()}
            changed = {name: part for name, part in new.items() if part is not parts[name]}
            return value.model_copy(update=changed) if changed else value
        case list() | tuple():
            return _items(value, seen)
        case _:
            return value


def _with(value: Any, seen: Callable[[Entity], Entity], names: Sequence[str]) -> Any:
    parts = {name: getattr(value, name) for name in names}
    new = {name: _walked(part, seen) for name, part in parts.items()}
    changed = {name: part for name, part in new.items() if part is not parts[name]}
    return replace(value, **changed) if changed else value


def _items(values: Any, seen: Callable[[Entity], Entity]) -> Any:
    new = [_walked(one, seen) for one in values]
    changed = any(a is not b for a, b in zip(new, values, strict=True))
    return type(values)(new) if changed else values


def _example(text: str, seen: Callable[[Entity], Entity]) -> str:
    if not _ID.fullmatch(text):
        return text
    known = seen(Entity(f"{WD}{text}"))
    return f"{text} ({known.description})" if known.description else text
