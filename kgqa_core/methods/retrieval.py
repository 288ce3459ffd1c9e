"""What the methods that retrieve by meaning share: rank the facts of some entities, answer."""

from __future__ import annotations

from collections.abc import Sequence

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.answering import compose, read_on


def nearest_facts(
    question: str, entities: Sequence[Entity], k: int, limit: int, tools: Toolkit
) -> Steps[list[Statement]]:
    """The `k` statements of the entities nearest to the question (KAPING).

    Every second one is of a relation whose name is near: that a triple is near may be owed to the
    name of its subject, and a value without a label says nothing.
    """
    found = yield from tools.expand(entities, limit=limit, about=question)
    if not found:
        yield events.DeadEnd(entities=tuple(entities), why="the graph states nothing about them")
        return []
    (nearest,) = yield from tools.nearest_triples([question], k, among=found)
    triples = [scored.item for scored in nearest]
    if len(found) <= k:
        return triples
    by_relation = tools.relevant(question, found, room=0)[:k]
    turns = [s for pair in zip(triples, by_relation, strict=False) for s in pair]
    kept = set(list(dict.fromkeys(turns))[:k])
    return [s for s in dict.fromkeys((*triples, *by_relation)) if s in kept]


def answer_from(
    question: str, facts: Sequence[Support], tools: Toolkit, *, link: bool
) -> Steps[Answer]:
    """The answer that the facts give, with those it cites."""
    yield events.Step(title=f"Answer from {len(facts)} of them")
    reply, read_last = yield from read_on(question, facts, tools)
    answer = yield from compose(question, reply, read_last, tools, link=link)
    cited = [c for c in answer.citations if isinstance(c, Statement)]
    if cited:
        yield events.Chosen(statements=tuple(cited), why="the answer rests on these")
    return answer
