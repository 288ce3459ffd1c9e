"""Hybrid RAG: each passage is paired with the triples of the entity it is about.

What Cuéllar et al. (KGIR) §5.1 name as future work: text fills in where the graph states
nothing, triples say exactly what the text tells at length; and where the question names no
entity, the nearest passages do ("that ocean liner which sank in 1912").

Departure: there is no published algorithm. Ranking triples by meaning is KAPING's.
"""

from __future__ import annotations

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Entity, Passage, Statement
from kgqa_core.methods.answering import MEMORY, Memory, or_memory
from kgqa_core.methods.linking import link_question
from kgqa_core.methods.rag import NO_PASSAGES, NONE_NEAR
from kgqa_core.methods.retrieval import answer_from, nearest_text
from kgqa_core.text import enumerated


class Params(BaseModel):
    passages: int = Field(3, ge=1, le=20, description="passages put into the prompt")
    triples: int = Field(10, ge=0, le=100, description="triples for each entity")
    nearness: float = Field(
        0.3, ge=0, le=1, description="least cosine of a passage that names an entity"
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
    linked = list(dict.fromkeys(entity for _, entity in anchors))
    yield events.Step(title="Find the passages nearest to the question")
    found = yield from nearest_text(question, params.passages, tools, linked)
    passages = [scored.item for scored in found]
    if not passages:
        text = NONE_NEAR if tools.has_passages else NO_PASSAGES
        yield events.Noted(text=text, level="warning")
    passages = yield from _with_own(question, passages, linked, tools)
    told = [s.item.entity for s in found if s.item.entity and s.score >= params.nearness]
    for entity in dict.fromkeys(told):
        if entity not in linked:
            why = "the question does not name it; a passage near to it does"
            yield events.Anchored(mention=question, entity=entity, why=why)
    entities = list(dict.fromkeys([*linked, *told]))
    if not entities and not passages:
        return Answer(reason="No entity and no passage was found for the question.")
    triples: dict[Entity, list[Statement]] = {}
    left: list[Statement] = []
    if entities and params.triples:
        names = enumerated([entity.name for entity in entities])
        yield events.Step(title=f"Find the facts about {names} nearest to the question")
        triples, left = yield from _nearest_of_each(question, entities, tools, params)
    facts = _paired(passages, triples)
    return (yield from answer_from(question, facts, tools, link=params.answer_linking, left=left))


def _with_own(
    question: str, passages: list[Passage], linked: list[Entity], tools: Toolkit
) -> Steps[list[Passage]]:
    """Also the nearest passage of each linked entity's own article that none stands for yet."""
    told = {passage.entity for passage in passages}
    lacking = [entity for entity in linked if entity not in told]
    own = tools.passages_about(lacking) if lacking and tools.has_passages else []
    for entity in lacking:
        about = [passage for passage in own if passage.entity == entity]
        if about:
            (best,) = yield from tools.nearest_passages([question], 1, among=about)
            passages = [*passages, *(scored.item for scored in best)]
    return passages


def _nearest_of_each(
    question: str, entities: list[Entity], tools: Toolkit, params: Params
) -> Steps[tuple[dict[Entity, list[Statement]], list[Statement]]]:
    """For each entity its own triples: a well-known one must not crowd out the others.

    And those of all of them that are not among the nearest.
    """
    found = yield from tools.expand(entities, limit=params.looked_at, about=question)
    nearest = {}
    for entity in entities:
        own = [s for s in found if entity in (s.subject, s.object)]
        if own:
            nearest[entity] = yield from tools.nearest(question, own, params.triples)
    kept = {s for some in nearest.values() for s in some}
    return nearest, [s for s in found if s not in kept]


def _paired(passages: list[Passage], triples: dict[Entity, list[Statement]]) -> list[Support]:
    """Each passage followed by its entity's triples, then those of entities without a passage."""
    facts: dict[Support, None] = {}
    for passage in passages:
        facts[passage] = None
        if passage.entity:
            facts.update(dict.fromkeys(triples.get(passage.entity, [])))
    for statements in triples.values():
        facts.update(dict.fromkeys(statements))
    return list(facts)


METHOD = Method(
    "rag-hybrid",
    "Hybrid RAG",
    solve,
    Params,
    "Reads passages beside the facts of the entities they are about.",
    "KGIR §5.1",
    searches="passages",
)
