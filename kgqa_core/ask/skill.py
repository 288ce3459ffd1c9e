"""A skill is one step put to a language model: instruction, typed input, typed reply.

The built-in reader answers the same skills, so methods do not know who reads for them.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Generic, TypeVar

from pydantic import BaseModel
from pydantic_core import PydanticSerializationError

R = TypeVar("R", bound=BaseModel)

_REGISTERED: dict[str, Skill[Any]] = {}


@dataclass(frozen=True)
class Skill(Generic[R]):
    """`name` is its key in traces and in the reader; `examples` are shots, (input, reply) pairs.

    `temperature` None means the model's setting for reasoning steps (0 unless changed).
    """

    name: str
    instruction: str
    inputs: type[BaseModel]
    reply: type[R]
    examples: tuple[tuple[BaseModel, R], ...] = ()
    temperature: float | None = None

    def __post_init__(self) -> None:
        _REGISTERED.setdefault(self.name, self)  # a copy with other words is no new skill

    def given(self, **inputs: Any) -> BaseModel:
        """The typed input. Raises pydantic.ValidationError for a wrong one: a bug, not bad luck."""
        return self.inputs(**inputs)


def registered() -> Mapping[str, Skill[Any]]:
    """Every skill there is, by name: a skill is known from the moment it is made."""
    return _REGISTERED


def digest(given: BaseModel) -> str:
    """What tells one input of a skill from another, in sixteen characters."""
    try:
        text = given.model_dump_json().encode()
    except PydanticSerializationError:  # half a character, in a broken label
        text = json.dumps(given.model_dump(mode="json")).encode()
    return blake2b(text, digest_size=8).hexdigest()
