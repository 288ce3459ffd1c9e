"""Chain of thought, zero- and few-shot: the model reasons in words before it answers.

Wei et al. 2022 (few-shot), Kojima et al. 2022 (zero-shot); baselines of KGIR §3.2, R3 and
PG&AKV. Without a graph, so every answer is marked ungrounded. The worked examples are about an
invented world (`invented.py`).
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
        "On which island lies the town where the author of The Salt Lantern was born?",
        "The Salt Lantern is by Ilse Marrow. She was born in Port Quill. Port Quill lies on Orvel.",
        "Ilse Marrow, who wrote it, was born in Port Quill on Orvel.",
        "Orvel",
    ),
    _shot(
        "Was The Salt Lantern written before Grey Tide?",
        "The Salt Lantern was published in 1931, Grey Tide in 1938. 1931 is earlier.",
        "Yes, The Salt Lantern came out seven years before Grey Tide.",
        "true",
    ),
    _shot(
        "How many children did Ilse Marrow have?",
        "Ilse Marrow had a daughter, Nora, and a son, Jon.",
        "Ilse Marrow had two children.",
        "2",
    ),
    _shot(
        "When was the author of Grey Tide born?",
        "Grey Tide is by Ilse Marrow. She was born on 14 March 1902.",
        "Ilse Marrow, the author of Grey Tide, was born on 14 March 1902.",
        "1902-03-14",
    ),
    _shot(
        "Could Ilse Marrow have seen the film The Salt Lantern as a child?",
        "The film is of 1958. Ilse Marrow was born in 1902, so she was over fifty by then.",
        "No, the film was made when she was over fifty.",
        "false",
    ),
    _shot(
        "Which is older, the film The Salt Lantern or the novel?",
        "The film The Salt Lantern is of 1958, the novel of 1931. 1931 is the earlier year.",
        "The novel is older than the film.",
        "The Salt Lantern (novel)",
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
