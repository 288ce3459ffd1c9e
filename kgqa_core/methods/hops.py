"""ReAct as it was published: hop by hop from the main entity, along outgoing statements.

Cuéllar et al., Knowledge Graph Information Retrieval and Complex Question Answering, §3.6: list
the properties (action), choose the one to go along (observation), say whether its values answer the
question or the walk goes on from them (thought). As in the released code: one main entity, two
hops, no operations on sets; with one worked example for each step (§3.2).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from kgqa_core.ask import bounds, events, skills
from kgqa_core.ask.events import Answer, Support
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import fitting
from kgqa_core.ask.skills import FactAnswer
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.answering import compose, read_on
from kgqa_core.methods.further import or_further
from kgqa_core.methods.linking import link_question, unlinked
from kgqa_core.text import counted, listed

CHOOSE = replace(skills.CHOOSE_RELATIONS, examples=skills.CHOOSE_RELATIONS.examples[:1])
ENOUGH = replace(skills.ANSWER_IF_ENOUGH, examples=skills.ANSWER_IF_ENOUGH.examples[:1])


def walked(question: str, tools: Toolkit, hops: int, link: bool) -> Steps[Answer]:
    """The answer of the walk; an abstention where it finds none."""
    anchors = yield from link_question(question, tools)
    if not anchors:
        return unlinked(tools)
    here: list[Entity] = [anchors[0][1]]
    facts: dict[Statement, None] = {}
    for _ in range(hops):
        tools.check()
        yield events.Step(title=f"List the relations of {listed((e.name for e in here), 3)}")
        uses = yield from tools.survey(here, about=question)
        out = [use for use in uses if use.direction == "out"]
        if not out:
            break
        given: dict[str, Any] = {
            "question": question,
            "entities": here,
            "relations": out,
            "facts": tools.relevant(question, list(facts)),
            "most": 1,
        }
        picks = yield from tools.ask(CHOOSE, **given)
        picked = yield from or_further(picks.picked, given, tools, CHOOSE)
        chosen = next((p.index for p in picked if 0 <= p.index < len(out)), None)
        if chosen is None:
            break
        relation = out[chosen].relation
        yield events.Step(title=f"Go along {relation.name}", thought=picks.thought)
        found = yield from tools.expand(here, relation=relation, direction="out")
        facts.update(dict.fromkeys(found))
        ends = dict.fromkeys(s.object for s in found)
        onward = [end for end in ends if isinstance(end, Entity)]
        here = yield from tools.nearest_ends(question, onward, found, bounds.WIDTH)
        near = tools.relevant(question, list(facts))
        reply = yield from tools.ask(ENOUGH, question=question, facts=near)
        if reply.sentences or reply.values:
            return (yield from _told(question, reply, near, tools, link))
        if not here:
            break
    rest = tools.relevant(question, list(facts))
    rest = [] if tools.reads_all else rest[fitting(rest) :]
    if rest:
        yield events.Step(title=f"Read on: {counted(len(rest), 'further fact')}")
        last, read = yield from read_on(question, rest, tools)
        if last.sentences or last.values:
            return (yield from _told(question, last, read, tools, link))
    return Answer(reason="The properties that were followed do not lead to the answer.")


def _told(
    question: str, reply: FactAnswer, facts: Sequence[Support], tools: Toolkit, link: bool
) -> Steps[Answer]:
    answer = yield from compose(question, reply, facts, tools, link=link)
    cited = tuple(c for c in answer.citations if isinstance(c, Statement))
    if cited:
        yield events.Chosen(statements=cited, why="the answer rests on these")
    return answer
