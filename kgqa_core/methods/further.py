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

    Two further calls at most, and none of who has read them all: the next ones as the first were
    shown, then all that are left, nearly all by name. Positions count in all of them.
    """
    uses: Sequence[RelationUse] = given["relations"]
    found, seen, most = list(picked), sum(shown.printed()), shown.RELATIONS
    while not found and not tools.reads_all and len(uses) > seen:
        yield events.Step(title=f"Read on: {counted(len(uses) - seen, 'further relation')}")
        rest, whose = uses[seen:], given.get("whose", [])[seen:]
        reply = yield from tools.ask(
            skill, **{**given, "relations": rest, "whose": whose, "shown": most}
        )
        found = [pick.model_copy(update={"index": pick.index + seen}) for pick in reply.picked]
        seen += sum(shown.printed(most))
        most = max(most, len(uses) - seen)
    return found
