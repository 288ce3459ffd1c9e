"""1-hop: all statements around the question's main entity go into the prompt.

Cuéllar et al., Knowledge Graph Information Retrieval and Complex Question Answering,
§3.4 (entities chosen from a prepared pool) and §3.5 (any entity of the graph, "direct").

Departure: when no entity is found or the facts do not answer, the method abstains; the
published system asks the bare model instead and counts that as its own success.
"""

from __future__ import annotations

from typing import Literal as OneOf

from pydantic import BaseModel, Field

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Direction, Entity, Statement, short_id
from kgqa_core.methods.answering import MEMORY, Memory, compose, or_memory, read_on
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.text import counted, enumerated


class Params(BaseModel):
    linking: OneOf["direct", "pool"] = Field(
        "direct", description="link to any entity, or only to those of a pool"
    )
    pool: list[str] = Field(
        default_factory=list, description="ids of the pool's entities, for linking=pool"
    )
    main_only: bool = Field(False, description="facts of the first entity only, as published")
    incoming: bool = Field(True, description="also statements in which the entity is the object")
    facts: int = Field(
        2000, ge=10, le=5000, description="statements read, for each entity and direction"
    )
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")
    memory: Memory = MEMORY


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    answer = yield from _from_graph(question, tools, params)
    link = params.answer_linking
    return (yield from or_memory(question, answer, tools, params.memory, link))


def _from_graph(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    pool = frozenset(map(short_id, params.pool)) if params.linking == "pool" else None
    anchors = yield from link_question(question, tools, pool)
    entities = list(dict.fromkeys(entity for _, entity in anchors))
    if not entities:
        return unlinked(tools)
    if params.main_only:
        entities = entities[:1]
    names = enumerated([e.name for e in entities])
    yield events.Step(title=f"Read all facts one hop from {names}")
    direction: Direction | None = None if params.incoming else "out"
    found = yield from tools.expand(
        entities, direction=direction, limit=params.facts, about=question
    )
    facts = fair_share(found, entities)
    yield events.Step(title=f"Answer from {counted(len(facts), 'fact')}")
    reply, read = yield from read_on(question, facts, tools)
    answer = yield from compose(question, reply, read, tools, link=params.answer_linking)
    cited = [c for c in answer.citations if isinstance(c, Statement)]
    if cited:
        yield events.Chosen(statements=tuple(cited), why="the answer rests on these")
    else:
        yield events.DeadEnd(entities=tuple(entities), why="no fact one hop away answers")
    return answer


def fair_share(found: list[Statement], entities: list[Entity]) -> list[Statement]:
    """The statements taken from the entities in turn, so that each has a place at the beginning."""
    if len(entities) < 2:
        return found
    queues = [[s for s in found if e in (s.subject, s.object)] for e in entities]
    longest = max(map(len, queues), default=0)
    turns = (queue[row] for row in range(longest) for queue in queues if row < len(queue))
    return list(dict.fromkeys(turns))


METHOD = Method(
    "one-hop",
    "1-hop",
    solve,
    Params,
    "Reads every fact one hop from the question's entities.",
    "KGIR §3.4–3.5",
)
