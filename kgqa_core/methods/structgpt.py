"""StructGPT: read the graph through two fixed interfaces, linearise, reason, again.

Jiang et al., StructGPT: A General Framework for Large Language Model to Reason over Structured
Data, EMNLP 2023 (arXiv:2305.09645), §4 for knowledge graphs: the relations around an entity, then
the triples of the relations chosen; with the triples before it the model answers or reads on.

Departure: the published code leaves after the first round; here the reading goes on from the
ends of the triples, as the paper tells it, and from what was reached before. Relations are read
in both directions, each with the entity it belongs to. One call says whether the triples suffice
and answers, or which of them are still needed: the others are left. When they do not suffice when
the rounds are used up, the method abstains.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import fitting
from kgqa_core.ask.skills import AnswerIfEnough, FactAnswer
from kgqa_core.facts.terms import Direction, Entity, Relation, RelationUse, Statement
from kgqa_core.methods import plain
from kgqa_core.methods.answering import compose, read_on, whole_lists
from kgqa_core.methods.further import or_further
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.text import counted, listed


class Params(BaseModel):
    rounds: int = Field(4, ge=1, le=8, description="times the interfaces are called")
    relations: int = Field(4, ge=1, le=20, description="relations chosen in a round")
    width: int = Field(100, ge=1, le=2000, description="entities read on from")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    topic = list(dict.fromkeys(entity for _, entity in anchors))
    if not topic:
        return unlinked(tools)
    front, facts = topic, dict[Statement, None]()
    left: set[Statement] = set()
    reached = dict.fromkeys(topic)
    for n in range(1, params.rounds + 1):
        tools.check()
        yield events.Step(title=f"Read the relations of {_names(front)}")
        around = list(dict.fromkeys((*list(reached)[-params.width :], *topic)))
        named = [name for m, e in anchors for name in (m, e.name)] if n == 1 else []
        chosen = yield from _relations(question, around, named, list(facts), tools, params)
        if not chosen:
            break
        yield events.Step(title=f"Read the facts with {_quoted(c.relation for c in chosen)}")
        read = yield from _triples(around, chosen, tools)
        new = [s for s in read if s not in facts and s not in left]
        facts.update(dict.fromkeys(new))
        if n == params.rounds or not new:
            break
        shown = tools.relevant(question, list(facts))
        lists = whole_lists(question, shown, tools)
        enough = yield from tools.ask(
            skills.ANSWER_IF_ENOUGH, question=question, facts=shown, whole=lists
        )
        if enough.sufficient and (enough.sentences or enough.values):
            return (yield from _composed(question, enough, shown, tools, params))
        ends = dict.fromkeys(e for s in new for e in _ends(s))
        yield from _prune(enough, shown, facts, left)
        fresh = [e for e in ends if e not in reached]
        nearest = yield from tools.nearest_ends(question, fresh, new, params.width, "read on from")
        front = nearest or front
        reached.update(dict.fromkeys(front))
    if not facts:
        yield events.DeadEnd(
            entities=tuple(topic), why="no relation that was read here bears on the question"
        )
        return Answer(reason="No relation that was read of the question's entities bears on it.")
    yield events.Step(title=f"Answer from {counted(len(facts), 'fact')}")
    shown = tools.relevant(question, list(facts))
    reply, read_last = yield from read_on(question, shown, tools)
    return (yield from _composed(question, reply, read_last, tools, params))


def _composed(
    question: str, reply: FactAnswer, facts: Sequence[Support], tools: Toolkit, params: Params
) -> Steps[Answer]:
    answer = yield from compose(question, reply, facts, tools, link=params.answer_linking)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    return answer


def _prune(
    reply: AnswerIfEnough,
    shown: Sequence[Statement],
    facts: dict[Statement, None],
    left: set[Statement],
) -> Steps[None]:
    """Leaves the facts that were shown and that further reading does not need."""
    kept = {shown[i] for i in reply.keep if 0 <= i < len(shown)}
    says = kept or skills.NONE in reply.keep
    dropped = [s for s in shown[: fitting(shown)] if s not in kept] if says else []
    for statement in dropped:
        facts.pop(statement, None)
        left.add(statement)
    if dropped:
        yield events.Pruned(statements=tuple(dropped), why="not needed for what is missing")


def _ends(fact: Statement) -> list[Entity]:
    return [end for end in (fact.object, fact.subject) if isinstance(end, Entity)]


def _relations(
    question: str,
    around: list[Entity],
    named: Sequence[str],
    facts: list[Statement],
    tools: Toolkit,
    params: Params,
) -> Steps[list[RelationUse]]:
    """First interface: the relations around entities, linearised, and the model's choice.

    None is needed where a question says of what it has `named` only what relations are called.
    """
    uses = yield from tools.survey(around, about=question)
    if len(uses) < 2:
        return uses
    said = named and not tools.reads_all and plain.said_by(question, named, uses, params.relations)
    if said:
        return [uses[n] for n in said]
    given: dict[str, Any] = {
        "question": question,
        "entities": around,
        "relations": uses,
        "whose": _owners(around, uses, tools) if len(around) > 1 else [],
        "facts": tools.relevant(question, facts),
        "most": params.relations,
    }
    reply = yield from tools.ask(skills.CHOOSE_RELATIONS, **given)
    picked = yield from or_further(reply.picked, given, tools)
    indices = dict.fromkeys(pick.index for pick in picked if 0 <= pick.index < len(uses))
    return [uses[i] for i in list(indices)[: params.relations]]


def _owners(
    around: Sequence[Entity], uses: Sequence[RelationUse], tools: Toolkit
) -> list[list[Entity]]:
    """For each relation the entities it belongs to."""
    owners: dict[tuple[Relation, Direction], list[Entity]] = {}
    for entity, own in zip(around, tools.relations_of(around), strict=True):
        for use in own:
            owners.setdefault((use.relation, use.direction), []).append(entity)
    return [owners.get((use.relation, use.direction), []) for use in uses]


def _triples(
    around: list[Entity], chosen: list[RelationUse], tools: Toolkit
) -> Steps[list[Statement]]:
    """Second interface: the triples of the chosen relations."""
    found: dict[Statement, None] = {}
    for use in chosen:
        read = yield from tools.expand(around, relation=use.relation, direction=use.direction)
        found.update(dict.fromkeys(read))
    return list(found)


def _names(things: Sequence[Entity]) -> str:
    return listed(dict.fromkeys(thing.name for thing in things), 3)


def _quoted(relations: Iterable[Relation]) -> str:
    return listed(dict.fromkeys(f"“{relation.name}”" for relation in relations), 3)


METHOD = Method(
    "structgpt",
    "StructGPT",
    solve,
    Params,
    "Reads relations, then triples, again and again, until the triples answer.",
    "Jiang et al. 2023",
)
