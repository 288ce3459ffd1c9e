"""A choice between options: each is held against one rule (R3), within the calls of Compass.

One call states the rule and the order in which options suit the question, facts compute its
premises for every option, and one call judges what they leave open, of all options at once. Of
the calls for repairs one may read on for what is lacking; a second rule takes one more of them.
"""

from __future__ import annotations

from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.search import Params as OfR3


def choose(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if not params.premises:
        return Answer(
            reason="A choice between options takes a rule of common sense: switch “premises” on."
        )
    return (yield from r3.solve(question, tools, _within(tools, params)))


def _within(tools: Toolkit, params: Params) -> OfR3:
    """R3's search as wide and deep as the calls allow; the built-in reader's cost nothing."""
    common = {"task": "preference", "user": params.user, "rejected": params.rejected}
    if tools.reads_all:
        return OfR3.model_validate(common)
    breadth = min(3, max(1, params.repairs - 1))
    depth = min(1, params.repairs)
    return OfR3.model_validate(
        common | {"breadth": breadth, "depth": depth, "pruning": "dense", "plain": False}
    )
