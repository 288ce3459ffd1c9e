"""Relations that a prompt had no room for: who takes none of those shown is shown the next."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from kgqa_core.ask import events, shown, skills
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.skill import Skill
from kgqa_core.ask.skills import Picks, ScoredPick
from kgqa_core.facts.terms import RelationUse
from kgqa_core.text import counted


def or_further(
    picked: Sequence[ScoredPick],
    given: Mapping[str, Any],
    tools: Toolkit,
    skill: Skill[Picks] = skills.CHOOSE_RELATIONS,
) -> Steps[list[ScoredPick]]:
    """What was picked of the relations `given`; where that is nothing, what is of the next ones.

    One further call at most, and none of who has read them all. Positions count in all of them.
    """
    uses: Sequence[RelationUse] = given["relations"]
    seen = sum(shown.printed())
    if picked or tools.reads_all or len(uses) <= seen:
        return list(picked)
    yield events.Step(title=f"Read on: {counted(len(uses) - seen, 'further relation')}")
    whose = given.get("whose", [])[seen:]
    reply = yield from tools.ask(skill, **{**given, "relations": uses[seen:], "whose": whose})
    return [pick.model_copy(update={"index": pick.index + seen}) for pick in reply.picked]
