"""A run asked again from one of its steps, with something changed.

A method is a function of the replies and facts it gets, so a fork runs it again from the start:
replies up to the change are taken from the parent at no cost, the rest is asked anew.
"""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel, ConfigDict

from kgqa_core.terms import Statement


class Edits(BaseModel):
    """What a fork does otherwise than its parent.

    `at`: position of the parent's record from which they part. `replies`: position of an `Asked`
    record to the reply (as `Asked.parsed`) that takes its place. `without`: statements the graph
    does not show to the fork. `params`: parameters of the method that change.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    at: int = 0
    replies: dict[int, dict[str, Any]] = {}
    without: tuple[Statement, ...] = ()
    params: dict[str, Any] = {}
