"""What a method is to everybody but itself: a name, a generator, and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel

from kgqa_core.ask.run import Solve
from kgqa_core.settings import Settings


@dataclass(frozen=True)
class Method:
    """A way to answer; widgets, flags and documentation derive from `params`.

    `solve(question, tools, params)` yields events and returns an Answer. `searches` says what of
    the whole graph it finds by meaning, which is to be indexed before. `equip` opens what this
    method alone needs beside graph and model, given the settings: it finds it as
    `tools.equipment`, None without.
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
