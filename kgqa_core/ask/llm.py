"""What a method may ask of a language model: one skill, one typed reply."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Generic, Protocol, TypeVar

from pydantic import BaseModel

from kgqa_core.ask.skill import Skill

R = TypeVar("R", bound=BaseModel)


@dataclass(frozen=True)
class Complaint:
    """Why the previous reply to the same input could not be used."""

    reply: str
    problem: str


@dataclass(frozen=True)
class Reply(Generic[R]):
    """What came back. `value` is None when the text does not fit the skill: see `problem`.

    `reused`: no model was called, the reply is one of a parent run or of a person.
    """

    prompt: str
    text: str
    value: R | None
    problem: str = ""
    rung: str = ""
    prompt_tokens: int = 0
    completion_tokens: int = 0
    estimated: bool = False
    reasoning: str = ""
    reused: bool = False


class LLM(Protocol):
    """`name` is shown to people: `built-in reader`, `gpt-4o-mini at api.openai.com`.

    One that replies without a prompt says so by an attribute `sees_prompts`, which is False.
    """

    name: str

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        """Starts one call and returns at once; cancelling the future ends the call.

        `on_text` gets the whole text so far, from another thread. The future raises
        SourceUnavailable or SourceRejected; an unreadable reply is no error here.
        """
        ...
