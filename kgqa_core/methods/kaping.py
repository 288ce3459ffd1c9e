"""KAPING: the triples of the question's entities, ranked by meaning, go into the prompt.

Baek, Aji and Saffari 2023 (arXiv:2306.04136): link the entities, take their triples, put them
into words, keep the ten nearest to the question, prepend them to the question.

Departure: the answer rests on the triples alone, or the method abstains. The paper's prompt lets
the model answer from memory, and without entities asks the bare model: `memory`, marked.
Departure: identifiers, media and the like are not compared unless the question asks for them, and
every second triple is of a relation that is near by its name. Of a relation with several among the
ten the rest is read as well (`lists`): what has twenty members is no answer in ten facts. Where the
nearest give no answer the others are read before it abstains (`further`).
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.methods.answering import MEMORY, Memory, or_memory
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.methods.retrieval import answer_from, nearest_facts


class Params(BaseModel):
    triples: int = Field(10, ge=1, le=300, description="triples put into the prompt")
    lists: int = Field(
        100, ge=0, le=500, description="further triples of a relation of which several are near"
    )
    further: bool = Field(
        True, description="read what is not among the nearest, before it abstains"
    )
    looked_at: int = Field(
        500, ge=10, le=5000, description="triples compared, for each entity and direction"
    )
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_graph(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_graph(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    entities = list(dict.fromkeys(entity for _, entity in anchors))
    if not entities:
        return unlinked(tools)
    yield events.Step(title=f"Find the {params.triples} facts nearest to the question")
    facts, left = yield from nearest_facts(
        question, entities, params.triples, params.looked_at, tools, lists=params.lists
    )
    if not facts:
        return Answer(reason="The graph states nothing about the question's entities.")
    left = left if params.further else []
    return (yield from answer_from(question, facts, tools, link=params.answer_linking, left=left))


METHOD = Method(
    "kaping",
    "KAPING",
    solve,
    Params,
    "Reads the ten facts of the question's entities that are nearest to it in meaning.",
    "Baek et al. 2023",
)
