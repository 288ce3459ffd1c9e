"""A skill is one step put to a language model: instruction, typed input, typed reply.

The built-in reader answers the same skills, so methods do not know who reads for them.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, ClassVar, Generic, TypeVar

from pydantic import BaseModel, Field, model_validator
from pydantic_core import PydanticSerializationError

from kgqa_core.text import fold

R = TypeVar("R", bound=BaseModel)

ALSO = "also"  # in a reply to an enforced schema: what is seldom needed, a field each

_REGISTERED: dict[str, Skill[Any]] = {}


@dataclass(frozen=True)
class Skill(Generic[R]):
    """`name` is its key in traces and in the reader; `examples` are shots, (input, reply) pairs.

    `temperature` None means the model's setting for reasoning steps (0 unless changed). `state`:
    what of an input tells which examples a prompt shows, those of the same state.
    """

    name: str
    instruction: str
    inputs: type[BaseModel]
    reply: type[R]
    examples: tuple[tuple[BaseModel, R], ...] = ()
    temperature: float | None = None
    state: Callable[[BaseModel], object] | None = None

    def __post_init__(self) -> None:
        _REGISTERED.setdefault(self.name, self)  # a copy with other words is no new skill

    def fitting(self, given: BaseModel) -> Sequence[tuple[BaseModel, R]]:
        """The examples to show for an input: all, where none is of its state. What was once put to
        a model in a run of one's own is shown whatever the state."""
        of = self.state
        if of is None or all(of(one) != of(given) for one, _ in self.examples):
            return self.examples
        return [e for e in self.examples if isinstance(e[0], AsPut) or of(e[0]) == of(given)]

    def given(self, **inputs: Any) -> BaseModel:
        """The typed input. Raises pydantic.ValidationError for a wrong one: a bug, not bad luck."""
        return self.inputs(**inputs)


@dataclass(frozen=True)
class Tool:
    """One of the things a `Choice` may be: its meaning, the fields it takes, those it may take.

    `form_of`: another tool's name, of which this is the form with more fields. `explains`: tools
    whose fields a prompt may leave out until this one is chosen; what they are for, it tells.
    """

    meaning: str
    takes: tuple[str, ...] = ()
    may_take: tuple[str, ...] = ()
    form_of: str = ""
    explains: tuple[str, ...] = ()

    @property
    def seldom(self) -> tuple[str, ...]:
        return seldom(self.may_take)


def seldom(may_take: tuple[str, ...]) -> tuple[str, ...]:
    """What of the fields that a form may have is said in its list `also`.

    A schema that is enforced demands every field: of several, each would have to be written in
    vain. One alone is null where it is not needed, which is no longer than an empty list.
    """
    return may_take if len(may_take) > 1 else ()


class Choice(BaseModel):
    """A reply that is one of several tools, each with fields of its own.

    A prompt describes it, and a schema demands it, as `{"thought": …, "action": {"tool": …}}`
    with the fields of that one tool. A flat object is understood as well, and what a tool does
    not take is left out of it. `beside`: fields that no tool takes, and that stand after the
    action.
    """

    tools: ClassVar[Mapping[str, Tool]] = {}
    beside: ClassVar[tuple[str, ...]] = ()
    thought: str = Field("", description="what is known, what is needed next")
    tool: str

    @model_validator(mode="before")
    @classmethod
    def _flat(cls, said: Any) -> Any:
        return cls.flat(said) if isinstance(said, dict) else said

    @classmethod
    def flat(cls, said: Mapping[str, Any]) -> dict[str, Any]:
        """One object without what its tool does not take, the tool by its plain name."""
        inner = said.get("action")
        whole = dict(said)
        if isinstance(inner, dict):
            whole |= {k: v for k, v in inner.items() if v is not None}
        if isinstance(inner, str) and "tool" not in whole:
            whole["tool"] = inner
        called = {fold(name): name for name in cls.tools}
        name = called.get(fold(str(whole.get("tool", "")).replace("-", " ")))
        if name is None:
            return whole
        plain = cls.tools[name].form_of or name
        takes = {"thought", "tool", *cls.beside}
        for other, tool in cls.tools.items():
            if plain in (other, tool.form_of):
                takes.update(tool.takes, tool.may_take)
        kept = {k: v for k, v in whole.items() if k in takes and v is not None}
        return {**kept, "tool": plain}

    def printed(self) -> dict[str, str]:
        """Fields that a prompt shows in other words than they have."""
        return {}

    def written(self) -> dict[str, Any]:
        """As a model is to write it."""
        said = self.model_dump(mode="json", exclude_defaults=True)
        said |= {name: text for name, text in self.printed().items() if name in said}
        beside = {name: _written(getattr(self, name)) for name in self.beside if said.pop(name, 0)}
        for name, tool in type(self).tools.items():
            if self.tool in (name, tool.form_of):
                takes = {f: said.get(f, getattr(self, f)) for f in tool.takes}
                also = {f: said[f] for f in tool.may_take if f in said}
                if not said.keys() - {"thought", "tool"} - takes.keys() - also.keys():
                    action = {"tool": name, **takes, **also}
                    return {"thought": self.thought, "action": action, **beside}
        return {**said, **beside}


def _written(several: bool | Iterable[Choice]) -> bool | list[Any]:
    """Further actions, each without a thought of its own."""
    if isinstance(several, bool):
        return several
    return [one.written().get("action", {"tool": one.tool}) for one in several]


@dataclass(frozen=True)
class Form:
    """The fields that a part of a reply has where it is of this name, and those it may have."""

    name: str
    takes: tuple[str, ...]
    may_take: tuple[str, ...] = ()

    @property
    def seldom(self) -> tuple[str, ...]:
        return seldom(self.may_take)


class Varied(BaseModel):
    """A part of a reply that comes in several forms; the field `said_by` says which.

    A schema demands the fields of one form alone. That field is the first of every form: hosted
    models tell the forms apart by their first key.
    """

    said_by: ClassVar[str] = ""
    forms: ClassVar[tuple[Form, ...]] = ()

    @classmethod
    def form_of(cls, said: Mapping[str, Any]) -> Form | None:
        return next((form for form in cls.forms if form.name == said.get(cls.said_by)), None)


class AsPut(BaseModel):
    """An input as it was once put to a model, word for word."""

    text: str


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
