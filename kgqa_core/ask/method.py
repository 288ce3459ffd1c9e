"""What a method is to everybody but itself: a name, a generator, and its parameters."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.run import Solve
from kgqa_core.settings import Settings


@dataclass(frozen=True)
class Method:
    """A way to answer; widgets, flags and documentation derive from `params`.

    `solve(question, tools, params)` yields events and returns an Answer. `searches` says that it
    finds triples or passages of the whole graph by meaning, for which they are to be indexed
    before. `equip` opens what this
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
    searches: bool = False
    equip: Callable[[Settings], Any] | None = None
