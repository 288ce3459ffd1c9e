"""What a method is to everybody but itself: a name, a generator, and its parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel

from kgqa_core.ask.events import Answer, Event
from kgqa_core.ask.run import Solve, Steps, Toolkit, heard
from kgqa_core.settings import Settings

Learns = Callable[[str, Sequence[Event], Answer, Toolkit, Any], Steps[None]]


@dataclass(frozen=True)
class Method:
    """A way to answer; widgets, flags and documentation derive from `params`.

    `solve(question, tools, params)` yields events and returns an Answer. `searches` says what of
    the whole graph it finds by meaning, which is to be indexed before. `equip` opens what this
    method alone needs beside graph and model, given the settings: it finds it as
    `tools.equipment`, None without. `learns` may keep something of a run, after its audit: given
    the question, what was reported, the answer, the verbs and the parameters.
    """

    name: str
    title: str
    solve: Solve
    params: type[BaseModel]
    about: str
    paper: str
    uses_graph: bool = True
    searches: OneOf["", "triples", "passages"] = ""
    equip: Callable[[Settings], Any] | None = None
    learns: Learns | None = None


def learning(solve: Solve, learns: Learns | None) -> Solve:
    """The method, which at its end may keep something of the run; as it is without `learns`."""
    if learns is None:
        return solve

    def solve_and_learn(question: str, tools: Toolkit, params: BaseModel) -> Steps[Answer]:
        seen: list[Event] = []
        answer: Answer = yield from heard(solve(question, tools, params), seen)
        yield from learns(question, seen, answer, tools, params)
        return answer

    return solve_and_learn
