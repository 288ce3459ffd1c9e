"""Programs: ways through the graph from a name of the question, with what is done at their end.

They are listed from the relations that the graph has around the sets in view, so any graph will
do, and carried out by the verbs of a walk.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal as OneOf

from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader.acting import CLASS, Found, View, find_use, taken
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.paths import MASK, Hop, told, words
from kgqa_core.reader.wording import step
from kgqa_core.text import stems

Operator = OneOf["", "count", "is"]


@dataclass(frozen=True)
class Name:
    """A name of the question and what it stands for; `asked` is the question with X for it."""

    text: str
    found: Found = field(compare=False)
    asked: str = field(default="", compare=False)

    @cached_property
    def described(self) -> frozenset[str]:
        """Stems of what the graph says it is, has or is by: they only tell which one is meant."""
        own = self.found.uses if self.found.size == 1 else ()
        said = (example for u in own if u.direction == "out" for example in u.examples)
        return frozenset(stems(" ".join(said)))


@dataclass(frozen=True)
class Program:
    """From a name along hops, and what is done at their end.

    With `beside`: whether that is among them (`operator` is).
    """

    name: Name
    uses: tuple[RelationUse, ...]
    beside: Name | None = None
    operator: Operator = ""
    when: str = ""  # a time: what held then
    kind: str = ""  # a noun: those of this class

    @property
    def way(self) -> str:
        return words([hop(u) for u in self.uses])

    @property
    def last(self) -> RelationUse:
        return self.uses[-1]

    def reading(self) -> str:
        """What the question was read as, for people: “author of Emma”."""
        text = told([hop(u) for u in self.uses], self.name.text)
        if self.beside:
            text += f": whether {self.beside.text} is there"
        text += f", only {self.kind}" if self.kind else ""
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


def longer(program: Program, found: Found) -> Iterator[Program]:
    """Programs that go on from what a one-hop program found by a hop more."""
    first = program.uses[0]
    for use in found.uses:
        if use.relation != first.relation or use.direction == first.direction or found.size > 1:
            yield Program(program.name, (first, use))  # who else starred in it


def whether(names: Sequence[Name]) -> Iterator[Program]:
    """For yes or no: whether a relation of one name leads to another."""
    for name in names:
        for program in one_hop(name):
            for other in names:
                if other.text != name.text:
                    yield replace(program, beside=other, operator="is")


def carried_out(program: Program, view: View) -> Found:
    """What the hops of a program come to. Raises Need for a step that the walk has not taken."""
    found = program.name.found
    for n, use in enumerate(program.uses):
        last = n + 1 == len(program.uses)
        whose = program.name.text if n == 0 else "them"
        found = follow(found, use, view, whose, program.when if last else "")
        if not found.size:
            return found
    if program.beside:
        asking = f"Is {program.beside.found.members[0].name} among them?"
        other = program.beside.found.name
        return view.act(asking, tool="compute", of=found.name, with_set=other, operation="same")
    return found


def narrowed(
    program: Program, found: Found, noun: str, view: View, lex: Lexicon
) -> tuple[Program, Found]:
    """Those of the kind that the question names, if there are several and any of them is."""
    if noun and found.size > 1 and not set(stems(noun)) <= set(stems(program.last.relation.name)):
        known = lex.class_of(noun)
        value = " | ".join(dict.fromkeys((noun, *(known.labels if known else ()))))
        for labels in (CLASS, ("occupation",)):
            use = find_use(found.uses, labels, "out")
            if use is None:
                continue
            why = f"Those that are a {noun}."
            kept = taken(view, "keep", found, use, why, test="is", value=value)
            if kept.size:
                return replace(program, kind=noun), kept
    return program, found


def counted(found: Found, view: View) -> Found:
    return view.act("How many are they?", tool="compute", of=found.name, operation="count")


def follow(source: Found, use: RelationUse, view: View, whose: str, when: str = "") -> Found:
    return taken(view, "follow", source, use, step(use, whose), at=when)
