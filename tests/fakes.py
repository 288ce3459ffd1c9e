"""A language model that says what a test tells it to, and what tests ask of events."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from concurrent.futures import Future
from typing import Any, TypeVar

from pydantic import BaseModel

from kgqa_core.ask.events import Event, Record
from kgqa_core.ask.llm import Complaint, Reply
from kgqa_core.ask.setup import Setup
from kgqa_core.ask.skill import Skill
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS

R = TypeVar("R", bound=BaseModel)


class ScriptedLLM:
    """Gives its replies in order, one per call, and records what it was asked.

    A reply is the skill's reply model, a text as a model would write it (parsed like one), an
    exception to raise, a Future to wait for, or a function of the typed input that returns one
    of these. Each call costs 10 tokens in, 5 out.
    """

    name = "scripted model"

    def __init__(self, *replies: Any) -> None:
        self.left = list(replies)
        self.asked: list[tuple[Skill[Any], BaseModel]] = []
        self.complaints: list[Complaint | None] = []

    @property
    def skills(self) -> list[str]:
        return [skill.name for skill, _ in self.asked]

    @property
    def inputs(self) -> list[BaseModel]:
        return [given for _, given in self.asked]

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        assert self.left, f"the script has no reply for “{skill.name}”, call {len(self.asked) + 1}"
        self.asked.append((skill, given))
        self.complaints.append(complaint)
        said = self.left.pop(0)
        if callable(said) and not isinstance(said, BaseModel):
            said = said(given)
        if isinstance(said, Future):
            return said
        future: Future[Reply[R]] = Future()
        if isinstance(said, BaseException):
            future.set_exception(said)
            return future
        reply = _reply(skill, given, complaint, said)
        if on_text:
            on_text(reply.text)
        future.set_result(reply)
        return future


def _reply(
    skill: Skill[R], given: BaseModel, complaint: Complaint | None, said: BaseModel | str
) -> Reply[R]:
    value: R | None
    if isinstance(said, str):
        text = said
        value, problem = prompt.parse(skill.reply, said, given)
    else:
        assert isinstance(said, skill.reply), (
            f"“{skill.name}” is answered by {skill.reply.__name__}, "
            f"the script has {type(said).__name__}"
        )
        value, text, problem = said, said.model_dump_json(exclude_defaults=True), ""
    return Reply(
        prompt=prompt.as_text(prompt.messages(skill, given, complaint)),
        text=text,
        value=value,
        problem=problem,
        rung="scripted",
        prompt_tokens=10,
        completion_tokens=5,
    )


def kinds(events: Iterable[Event | Record]) -> str:
    """`asked linked answered`: the events of a run in one line."""
    bare = (e.event if isinstance(e, Record) else e for e in events)
    return " ".join(str(event.model_dump()["kind"]) for event in bare)


def setup_of(method: str, kg: KnowledgeGraph, llm: Any, params: BaseModel | None = None) -> Setup:
    """A method with its defaults on a graph, with a model; nothing compares meanings."""
    row = METHODS[method]
    return Setup(row, params or row.params(), kg, llm)
