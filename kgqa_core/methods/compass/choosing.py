"""A choice between options: each is held against one rule (R3), within the calls of Compass.

One call states the rule and the order in which options suit the question, facts compute its
premises for every option, and one call judges what they leave open, of all options at once. What
calls there are for repairs read on for what is lacking, or try another rule.
"""

from __future__ import annotations

from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.search import Params as OfR3


def choose(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    if not params.premises:
        return Answer(
            reason="A choice between options takes a rule of common sense: switch “premises” on."
        )
    search = OfR3(
        task="preference",
        pruning="dense",
        calls=1 + params.repairs,
        user=params.user,
        rejected=params.rejected,
    )
    return telling.in_sentences((yield from r3.solve(question, tools, search)))
