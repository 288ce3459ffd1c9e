"""What is known of a run before it begins: who was asked what, and what a fork does otherwise."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from kgqa_core.facts.terms import Statement


class Edits(BaseModel):
    """What a fork does otherwise than its parent.

    `at`: position of the parent's record from which they part. `replies`: position of an `Asked`
    record to the reply (as `Asked.parsed`) that takes its place. `without`: statements the graph
    does not show to the fork; one without qualifiers stands for all of its triple. `params`:
    parameters of the method that change. `instructions`: name of a skill to the instruction that
    a model gets in place of the skill's own, from `at` on. `entities`: mention to the id of the
    entity it means wherever it is looked up; empty: none that the graph knows.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    at: int = 0
    replies: dict[int, dict[str, Any]] = {}
    without: tuple[Statement, ...] = ()
    params: dict[str, Any] = {}
    instructions: dict[str, str] = {}
    entities: dict[str, str] = {}


def inherited(before: Edits | None, edits: Edits) -> Edits:
    """The edits of a fork's fork: what its parent did without or was told, holds for it too.

    Replies and parameters need no mention: they are in the parent's records and header.
    """
    if before is None:
        return edits
    return edits.model_copy(
        update={
            "without": tuple(dict.fromkeys((*before.without, *edits.without))),
            "instructions": {**before.instructions, **edits.instructions},
            "entities": {**before.entities, **edits.entities},
        }
    )


class Header(BaseModel):
    """What a run was asked, of what, and by whom it was read. `started_at` is ISO 8601, UTC.

    `graph` and `model` are titles; `graph_source` and `model_source` are what opens them again,
    as in `opening.py`, without a login. A fork names its `parent`, the position `forked_at` of
    the parent's record from which they part, and what it does otherwise. `origin` is empty for a
    run of this place, else `imported` or `recorded` (an example that comes with the program).
    `visitor` is who asked, on a hosted app; it leaves this place with no file.
    `personal`: subject, relation and value of the facts that were laid over the graph.
    `dollars`: what the tokens of a recorded run cost, where prices were set.
    """

    model_config = ConfigDict(frozen=True)
    id: str
    question: str
    method: str
    params: dict[str, Any]
    graph: str
    graph_fingerprint: str
    model: str
    started_at: str
    version: str
    graph_source: str = ""
    model_source: str = ""
    parent: str = ""
    forked_at: int | None = None
    edits: Edits | None = None
    origin: str = ""
    personal: tuple[tuple[str, str, str], ...] = ()
    visitor: str = ""
    dollars: float | None = None
