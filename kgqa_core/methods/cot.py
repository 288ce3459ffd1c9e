"""Chain of thought, zero- and few-shot: the model reasons in words before it answers.

Wei et al. 2022 (few-shot), Kojima et al. 2022 (zero-shot); baselines of KGIR §3.2, R3 and
PG&AKV. Without a graph, so every answer is marked ungrounded.
"""

from __future__ import annotations

from dataclasses import replace

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import Draft, Question
from kgqa_core.methods.answering import ungrounded


class Params(BaseModel):
    shots: int = Field(0, ge=0, le=6, description="worked examples before the question")
    answer_linking: bool = Field(False, description="link the answer to entities of the graph")


class FewShotParams(Params):
    shots: int = Field(6, ge=1, le=6, description="worked examples before the question")


THINK = Skill(
    "think step by step",
    "Think the question through in `thought`: which facts it needs, one after the other, and "
    "what follows from them. Then answer in one or two sentences. If a fact you need is unknown "
    "to you, leave the text empty and say which in `reason`.",
    Question,
    Draft,
)


def _shot(question: str, thought: str, text: str, *values: str) -> tuple[Question, Draft]:
    return Question(question=question), Draft(thought=thought, text=text, values=list(values))


SHOTS = (
    _shot(
        "Which river flows through the capital of Austria?",
        "The capital of Austria is Vienna. Vienna lies on the Danube.",
        "The Danube flows through Vienna, the capital of Austria.",
        "Danube",
    ),
    _shot(
        "Was the composer of The Magic Flute older than Beethoven?",
        "Mozart composed The Magic Flute and was born in 1756. Beethoven was born in 1770. "
        "1756 is earlier, so Mozart was older.",
        "Yes, Mozart was born 14 years before Beethoven.",
        "true",
    ),
    _shot(
        "How many children did Marie Curie have?",
        "Marie Curie had two daughters, Irène and Ève.",
        "Marie Curie had two children.",
        "2",
    ),
    _shot(
        "When did the author of Frankenstein die?",
        "Mary Shelley wrote Frankenstein. She died on 1 February 1851.",
        "Mary Shelley, the author of Frankenstein, died on 1 February 1851.",
        "1851-02-01",
    ),
    _shot(
        "Could Julius Caesar have eaten a potato?",
        "Potatoes come from South America and reached Europe in the 16th century. Caesar died "
        "in 44 BC, long before.",
        "No, potatoes came to Europe some 1,600 years after his death.",
        "false",
    ),
    _shot(
        "Which is longer, the Seine or the Loire?",
        "The Seine is about 777 kilometres long, the Loire about 1,006. 1,006 is more.",
        "The Loire is longer than the Seine.",
        "Loire",
    ),
)


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="Ask the model alone, step by step, without the graph")
    skill = replace(THINK, examples=SHOTS[: params.shots])
    draft = yield from tools.ask(skill, question=question)
    return (yield from ungrounded(question, draft, tools, params.answer_linking))


METHOD = Method(
    "cot",
    "Chain of thought",
    solve,
    Params,
    "The model alone, thinking step by step.",
    "Kojima et al. 2022",
    uses_graph=False,
)


FEW_SHOT = Method(
    "cot-few-shot",
    "Chain of thought, few-shot",
    solve,
    FewShotParams,
    "The model alone, thinking step by step after worked examples.",
    "Wei et al. 2022",
    uses_graph=False,
)
