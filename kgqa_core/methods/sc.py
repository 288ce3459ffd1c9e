"""Self-consistency: several chains of thought at once, and the answer that most of them reach.

Wang et al. 2023 (arXiv:2203.11171), with the settings of PG&AKV §IV-C: three samples at a
temperature of 0.7 after six worked examples, and a vote. Without a graph, so always ungrounded.

Departure: a sample that does not know has no vote, unless none knows.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skills import Draft
from kgqa_core.facts.normalise import literal
from kgqa_core.methods.answering import ungrounded
from kgqa_core.methods.cot import SHOTS, THINK

Vote = tuple[str, ...]


class Params(BaseModel):
    samples: int = Field(3, ge=1, le=20, description="chains of thought, asked for at once")
    temperature: float = Field(0.7, ge=0, le=2, description="sampling: 0 makes them all the same")
    shots: int = Field(6, ge=0, le=6, description="worked examples before the question")
    answer_linking: bool = Field(False, description="link the answer to entities of the graph")


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title=f"Ask the model alone, {params.samples} times, step by step")
    skill = replace(THINK, examples=SHOTS[: params.shots], temperature=params.temperature)
    drafts = yield from tools.ask_all(skill, [{"question": question}] * params.samples)
    yield events.Step(title="Take the answer given most often")
    winner, votes, voters = elect(drafts)
    if voters:
        told = ", ".join(winner.values) or winner.text
        yield events.Noted(text=f"{votes} of {params.samples} samples say “{told}”.")
    answer = yield from ungrounded(question, winner, tools, params.answer_linking)
    return answer.model_copy(update={"certain": answer.certain and 2 * votes > params.samples})


def elect(drafts: Sequence[Draft]) -> tuple[Draft, int, int]:
    """The first draft with the most frequent answer, how many have it, and how many voted.

    Answers are the same when their values are, in normal form and in any order.
    """
    known = [draft for draft in drafts if draft.text.strip()]
    if not known:
        return drafts[0], 0, 0
    count = Counter(_vote(draft) for draft in known)
    best = max(count.values())
    winner = next(draft for draft in known if count[_vote(draft)] == best)
    return winner, best, len(known)


def _vote(draft: Draft) -> Vote:
    values = draft.values or [draft.text]
    return tuple(sorted({literal(v, text_too=True).value.casefold().strip(" .") for v in values}))


METHOD = Method(
    "sc",
    "Self-consistency",
    solve,
    Params,
    "The model alone, several chains of thought at once, and a vote.",
    "Wang et al. 2023",
    uses_graph=False,
)
