"""What the methods that retrieve by meaning share: rank the facts of some entities, answer."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from kgqa_core.ask import events, shown
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Entity, Passage, Relation, Statement, Value
from kgqa_core.methods.answering import compose, read_on
from kgqa_core.methods.linking import link_question

if TYPE_CHECKING:
    from kgqa_core.search.index import Scored


def nearest_facts(
    question: str,
    entities: Sequence[Entity],
    k: int,
    limit: int,
    tools: Toolkit,
    others: Sequence[Statement] = (),
    *,
    lists: int = 0,
) -> Steps[tuple[list[Statement], list[Statement]]]:
    """The `k` statements of the entities, and of `others`, nearest to the question (KAPING).

    And the statements that are left, in such an order that any beginning is a fair choice.

    `lists`: up to so many further ones of the relations of which an entity has several among them,
    or of which another one has some where an entity has none among them.
    Every second one is of a relation whose name is near: that a triple is near may be owed to the
    name of its subject, and a value without a label says nothing. What is left is told of.
    """
    found = yield from tools.expand(entities, limit=limit, about=question)
    if not found:
        yield events.DeadEnd(entities=tuple(entities), why="the graph states nothing about them")
        return list(others), []
    found = list(dict.fromkeys([*found, *others]))
    (nearest,) = yield from tools.nearest_triples([question], k, among=found)
    triples = [scored.item for scored in nearest]
    if len(found) <= k:
        return triples, []
    by_relation = tools.relevant(question, found, room=0)[:k]
    turns = [s for pair in zip(triples, by_relation, strict=False) for s in pair]
    kept = set(list(dict.fromkeys(turns))[:k])
    picked = [s for s in dict.fromkeys((*triples, *by_relation)) if s in kept]
    often = Counter(_end(s, entities) for s in picked)
    near = {(relation, out) for relation, out, _ in often}
    alone = set(entities) - {entity for *_, entity in often}  # as the other one of two compared

    def belongs(s: Statement) -> bool:
        relation, out, entity = end = _end(s, entities)
        return often[end] > 1 or (entity in alone and (relation, out) in near)

    rest = [s for s in found if s not in kept and belongs(s)]
    kept.update(rest[:lists])
    left = tools.relevant(question, [s for s in found if s not in kept])
    if left:
        yield events.Noted(text=f"Not among the {k} nearest: {shown.left_out(left)}.")
    return picked + rest[:lists], left


def _end(s: Statement, entities: Sequence[Entity]) -> tuple[Relation, bool, Value]:
    """What the members of a list share: the relation, its direction and the entity."""
    out = s.subject in entities
    return s.relation, out, s.subject if out else s.object


def nearest_text(
    question: str, k: int, tools: Toolkit, linked: Sequence[Entity] | None = None
) -> Steps[list[Scored[Passage]]]:
    """The `k` passages nearest to the question, nearest first.

    Until all are indexed: of those that are, and of those about the question's entities; they are
    linked here, unless that was done before. Where there are no passages, none.
    """
    if not tools.has_passages:
        return []
    reach = yield from tools.reach("passages")
    found: list[list[Scored[Passage]]] = [[]]
    if reach != "none":
        found = yield from tools.nearest_passages([question], k)
    if reach != "all":
        if linked is None:
            anchors = yield from link_question(question, tools)
            linked = [entity for _, entity in anchors]
        about = tools.passages_about(linked)
        among = dict.fromkeys([*about, *(scored.item for scored in found[0])])
        found = yield from tools.nearest_passages([question], k, among=list(among))
    return found[0]


def answer_from(
    question: str,
    facts: Sequence[Support],
    tools: Toolkit,
    *,
    link: bool,
    left: Sequence[Support] = (),
) -> Steps[Answer]:
    """The answer that the facts give, with those it cites.

    Where they give none, that of the facts and of what was `left`, before it abstains.
    """
    yield events.Step(title=f"Answer from {len(facts)} of them")
    some = (
        f"these are the {len(facts)} facts nearest to the question, of {len(facts) + len(left):,}"
    )
    notes = [f"{some}: a list may go on, and what they do not name is no No"] if left else []
    reply, read_last = yield from read_on(question, facts, tools, notes=notes)
    if left and not reply.sentences and not reply.values:
        yield events.Step(title=f"Read on: {len(left):,} more facts")
        reply, read_last = yield from read_on(question, [*facts, *left], tools)
    answer = yield from compose(question, reply, read_last, tools, link=link)
    cited = [c for c in answer.citations if isinstance(c, Statement)]
    if cited:
        yield events.Chosen(statements=tuple(cited), why="the answer rests on these")
    return answer
