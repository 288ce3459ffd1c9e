"""Programs: ways through the graph from a name of the question, with what is done at their end.

They are listed from the relations that the graph has around the sets in view, so any graph will
do, and carried out by the verbs of a walk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Literal as OneOf

from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader.acting import Found, View
from kgqa_core.reader.paths import MASK, Hop, words
from kgqa_core.reader.wording import step

Operator = OneOf["", "count"]


@dataclass(frozen=True)
class Name:
    """A name of the question and what it stands for; `asked` is the question with X for it."""

    text: str
    found: Found = field(compare=False)
    asked: str = field(default="", compare=False)


@dataclass(frozen=True)
class Program:
    """From a name along hops; then those of the result whose relation leads to another name."""

    name: Name
    uses: tuple[RelationUse, ...]
    beside: Name | None = None  # those with this name at the end of `by`
    by: RelationUse | None = None
    operator: Operator = ""
    when: str = ""  # a time: what held then

    @property
    def way(self) -> str:
        return words([hop(u) for u in self.uses])

    @property
    def last(self) -> RelationUse:
        return self.uses[-1]

    def reading(self) -> str:
        """What the question was read as, for people: “author of Emma”."""
        text = words([hop(u) for u in self.uses], self.name.text)
        if self.beside and self.by:
            text += f", of these {words([hop(self.by)], self.beside.text)}"
        text += f" ({self.when})" if self.when and self.when != "now" else ""
        return f"number of {text}" if self.operator == "count" else text


def hop(use: RelationUse) -> Hop:
    return Hop(use.relation.name, use.direction)


def masked(question: str, mention: str) -> str:
    """The question with X for a name; as it is where the name is written otherwise."""
    pattern = rf"(?<!\w){re.escape(mention)}(?:s|es)?(?!\w)"
    return re.sub(pattern, MASK, question, count=1, flags=re.IGNORECASE)


def one_hop(name: Name) -> Iterator[Program]:
    yield from (Program(name, (use,)) for use in name.found.uses)


def longer(program: Program, found: Found, others: Sequence[Name]) -> Iterator[Program]:
    """Programs that go on from what a one-hop program found: a hop more, or a second name."""
    first = program.uses[0]
    for use in found.uses:
        if not (use.relation == first.relation and use.direction != first.direction):
            yield Program(program.name, (first, use))
        elif found.size > 1:
            yield Program(program.name, (first, use))  # who else starred in it
        for other in others:
            if other.text != program.name.text and not relations.belongs(use.relation, "class"):
                by = RelationUse(use.relation, "in" if use.direction == "out" else "out", use.count)
                yield Program(program.name, (first,), other, by)


def carried_out(program: Program, view: View) -> Found:
    """What a program comes to. Raises Need for a step that the walk has not taken yet."""
    found = program.name.found
    for n, use in enumerate(program.uses):
        last = n + 1 == len(program.uses)
        whose = program.name.text if n == 0 else "them"
        found = follow(found, use, view, whose, program.when if last else "")
        if not found.size:
            return found
    if program.beside and program.by:
        back = "out" if program.by.direction == "in" else "in"
        other = program.beside.found.members[0]
        found = view.act(
            f"Those that {program.by.relation.name} joins with {program.beside.text}.",
            tool="keep", of=found.name, relation=program.by.relation.id, direction=back,
            test="is", value=getattr(other, "id", other.name),
        )  # fmt: skip
    if program.operator == "count" and found.size:
        found = view.act("How many are they?", tool="compute", of=found.name, operation="count")
    return found


def follow(source: Found, use: RelationUse, view: View, whose: str, when: str = "") -> Found:
    given = {"at": when} if when else {}
    return view.act(
        step(use, whose), tool="follow", of=source.name, relation=use.relation.id,
        direction=use.direction, **given,
    )  # fmt: skip
