"""StructGPT: read the graph through two fixed interfaces, linearise, reason, again.

Jiang et al., StructGPT: A General Framework for Large Language Model to Reason over Structured
Data, EMNLP 2023 (arXiv:2305.09645), §4 for knowledge graphs: the relations around an entity, then
the triples of the relations chosen; with the triples before it the model answers or reads on.

Departure: the published code leaves after the first round; here the reading goes on from the
ends of the triples, as the paper tells it, and from what was reached before. Relations are read
in both directions, and whether the triples suffice is a question of its own. When they do not
when the rounds are used up, the method abstains.
"""

from __future__ import annotations

from collections.abc import Sequence

from pydantic import BaseModel, Field

from kgqa_core.ask import events, skills
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Entity, Relation, RelationUse, Statement
from kgqa_core.methods.answering import compose, read_on
from kgqa_core.methods.linking import link_question
from kgqa_core.text import listed


class Params(BaseModel):
    rounds: int = Field(4, ge=1, le=8, description="times the interfaces are called")
    relations: int = Field(4, ge=1, le=20, description="relations chosen in a round")
    width: int = Field(100, ge=1, le=2000, description="entities read on from")
    answer_linking: bool = Field(True, description="link answers given as text (KGIR §3.7)")


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    anchors = yield from link_question(question, tools)
    topic = list(dict.fromkeys(entity for _, entity in anchors))
    if not topic:
        return Answer(reason="No entity of the question was found in the graph.")
    front, facts = topic, dict[Statement, None]()
    reached = dict.fromkeys(topic)
    for n in range(1, params.rounds + 1):
        tools.check()
        yield events.Step(title=f"Read the relations of {_names(front)}")
        around = list(dict.fromkeys((*list(reached)[-params.width :], *topic)))
        chosen = yield from _relations(question, around, list(facts), tools, params)
        if not chosen:
            break
        yield events.Step(title=f"Read the triples of {_names([c.relation for c in chosen])}")
        read = yield from _triples(around, chosen, tools)
        new = [s for s in read if s not in facts]
        facts.update(dict.fromkeys(new))
        shown = tools.relevant(question, list(facts))
        enough = yield from tools.ask(skills.CAN_ANSWER, question=question, facts=shown)
        if enough.sufficient or n == params.rounds or not new:
            break
        ends = dict.fromkeys(e for s in new for e in (s.object, s.subject))
        front = [e for e in ends if isinstance(e, Entity) and e not in reached] or front
        reached.update(dict.fromkeys(front[: params.width]))
    if not facts:
        yield events.DeadEnd(entities=tuple(topic), why="no relation here bears on the question")
        return Answer(reason="No relation of the question's entities bears on the question.")
    yield events.Step(title=f"Answer from {len(facts)} triples")
    shown = tools.relevant(question, list(facts))
    reply, read_last = yield from read_on(question, shown, tools)
    answer = yield from compose(question, reply, read_last, tools, link=params.answer_linking)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    return answer


def _relations(
    question: str, around: list[Entity], facts: list[Statement], tools: Toolkit, params: Params
) -> Steps[list[RelationUse]]:
    """First interface: the relations around entities, linearised, and the model's choice."""
    uses = yield from tools.survey(around, about=question)
    reply = yield from tools.ask(
        skills.CHOOSE_RELATIONS,
        question=question,
        entities=around,
        relations=uses,
        facts=tools.relevant(question, facts),
        most=params.relations,
    )
    indices = dict.fromkeys(pick.index for pick in reply.picked if 0 <= pick.index < len(uses))
    return [uses[i] for i in list(indices)[: params.relations]]


def _triples(
    around: list[Entity], chosen: list[RelationUse], tools: Toolkit
) -> Steps[list[Statement]]:
    """Second interface: the triples of the chosen relations."""
    found: dict[Statement, None] = {}
    for use in chosen:
        read = yield from tools.expand(around, relation=use.relation, direction=use.direction)
        found.update(dict.fromkeys(read))
    return list(found)


def _names(things: Sequence[Entity | Relation]) -> str:
    return listed(dict.fromkeys(thing.name for thing in things), 3)


METHOD = Method(
    "structgpt",
    "StructGPT",
    solve,
    Params,
    "Reads relations, then triples, again and again, until the triples answer.",
    "Jiang et al. 2023",
)
