"""IO: the question straight to the model, the baseline without any graph.

Its answer is the model's own knowledge and is always marked ungrounded. PG&AKV (§IV-C) gives it
six worked examples: `shots`. They are those of chain of thought without the thoughts.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skills import RECALL as RECALL
from kgqa_core.methods.answering import ungrounded
from kgqa_core.methods.cot import SHOTS


class Params(BaseModel):
    shots: int = Field(0, ge=0, le=6, description="worked examples before the question")
    answer_linking: bool = Field(False, description="link the answer to entities of the graph")


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="Ask the model alone, without the graph")
    examples = tuple((q, d.model_copy(update={"thought": ""})) for q, d in SHOTS[: params.shots])
    draft = yield from tools.ask(replace(RECALL, examples=examples), question=question)
    return (yield from ungrounded(question, draft, tools, params.answer_linking))


METHOD = Method(
    "io",
    "IO",
    solve,
    Params,
    "The model alone: no graph, so never grounded.",
    "baseline",
    uses_graph=False,
)
