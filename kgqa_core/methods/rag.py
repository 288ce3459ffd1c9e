"""Text RAG: the passages nearest to the question go into the prompt.

Cuéllar et al., Knowledge Graph Information Retrieval and Complex Question Answering, §3.3:
chunks of 100–200 words annotated with title and description, vectors of unit length, nearest
neighbours. The paper's comparison of DPR, OpenAI and Nomic is a choice of KGQA_ENCODER.

Departure: the answer rests on the passages alone and cites them, or the method abstains. In the
paper the model may add what it remembers: `memory`, marked.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.methods.answering import MEMORY, Memory, or_memory
from kgqa_core.methods.retrieval import answer_from, nearest_text

NO_PASSAGES = (
    "There are no passages about this graph. Add text files, Wikipedia's articles or the graph's "
    "own facts told as text under Knowledge graphs, or name a folder with --passages."
)
NONE_NEAR = "No passage about what the question names was found."


class Params(BaseModel):
    passages: int = Field(5, ge=1, le=50, description="passages put into the prompt")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_graph(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_graph(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    yield events.Step(title="Find the passages nearest to the question")
    found = yield from nearest_text(question, params.passages, tools)
    if not found:
        return Answer(reason=NONE_NEAR if tools.has_passages else NO_PASSAGES)
    passages = [scored.item for scored in found]
    return (yield from answer_from(question, passages, tools, link=params.answer_linking))


METHOD = Method(
    "rag",
    "Text RAG",
    solve,
    Params,
    "Reads the passages of text that are nearest to the question in meaning.",
    "KGIR §3.3",
    searches="passages",
)
