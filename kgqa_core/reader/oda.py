"""What the built-in reader does for ODA: it explores what its plan has reached so far."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.skills import FromFacts
from kgqa_core.methods.oda import ACT, REFLECT, Decision, Kept, ToAct, ToReflect
from kgqa_core.reader.explore import can_answer, reached, supporting


def act(given: ToAct) -> Decision:
    """Answer when that can be done; else explore the last entity the plan leads to."""
    facts = list(dict.fromkeys((*given.memory, *given.observation)))
    enough = can_answer(FromFacts(question=given.question, facts=facts))
    if enough.sufficient:
        return Decision(thought="That answers the question.", action="answer")
    position = {entity: i for i, entity in enumerate(given.entities)}
    for entity in reached(given.question, facts, given.entities):
        if entity in position and entity not in given.explored:
            thought = f"I look at what is around {entity.name}."
            return Decision(thought=thought, action="explore", entities=[position[entity]])
    return Decision(thought=enough.thought, action="answer")


def reflect(given: ToReflect) -> Kept:
    """The triples that a part of the plan rests on, with what is in memory."""
    wanted = supporting(given.question, [*given.memory, *given.outcome])
    return Kept(indices=[i for i, s in enumerate(given.outcome) if s in wanted][: given.most])


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {ACT.name: act, REFLECT.name: reflect}
