"""Triple RAG: the statements of the whole graph nearest to the question go into the prompt.

The retrieval of Cuéllar et al. (KGIR) §3.3 over triples in words instead of chunks of text: no
entity linking, so it also finds what the question only describes.

Departure: a graph that cannot be read whole (an endpoint) has no index, and one that was just
opened has none yet; there the statements around the question's linked entities are ranked, as
KAPING does, beside those that are indexed already; and where the question asks for an identifier
or another thing that is not indexed.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Statement
from kgqa_core.methods.answering import MEMORY, Memory, or_memory
from kgqa_core.methods.linking import link_question
from kgqa_core.methods.retrieval import answer_from, nearest_facts
from kgqa_core.text import plain


class Params(BaseModel):
    triples: int = Field(20, ge=1, le=300, description="triples put into the prompt")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_graph(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_graph(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    facts: list[Statement] = []
    left: list[Statement] = []
    reach = yield from tools.reach("triples", about=question)
    if reach != "none":
        yield events.Step(title="Find the facts nearest to the question")
        (found,) = yield from tools.nearest_triples([question], params.triples)
        facts = [scored.item for scored in found]
    if reach != "all":
        facts, left = yield from _around_entities(question, facts, tools, params)
    if not facts:
        return Answer(reason="No triple was found for the question.")
    link = params.answer_linking
    answer = yield from answer_from(question, facts, tools, link=link, left=left)
    if answer.sentences or reach != "all":
        return answer
    further = yield from _of_the_named(question, facts, tools)
    if not further:
        return answer
    return (yield from answer_from(question, [*facts, *further], tools, link=link))


def _of_the_named(
    question: str, found: Sequence[Statement], tools: Toolkit
) -> Steps[list[Statement]]:
    """What else is stated of the things whose names the question says: an index has not all."""
    said = f" {plain(question)} "
    things = dict.fromkeys(s.subject for s in found if f" {plain(s.subject.name)} " in said)
    if not things:
        return []
    stated = yield from tools.expand(list(things), direction="out", about=question)
    return [s for s in stated if s not in set(found)]


def _around_entities(
    question: str, indexed: list[Statement], tools: Toolkit, params: Params
) -> Steps[tuple[list[Statement], list[Statement]]]:
    """The nearest ones of those around the linked entities, and of those found so far; the rest."""
    anchors = yield from link_question(question, tools)
    entities = list(dict.fromkeys(entity for _, entity in anchors))
    if not entities:
        return indexed, []
    yield events.Step(title="Find their facts nearest to the question")
    return (yield from nearest_facts(question, entities, params.triples, 500, tools, indexed))


METHOD = Method(
    "rag-triples",
    "Triple RAG",
    solve,
    Params,
    "Reads the facts of the whole graph that are nearest to the question in meaning.",
    "KGIR §3.3",
    searches="triples",
)
