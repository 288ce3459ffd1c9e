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

from kgqa_core.facts import relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.reader.acting import CLASS, Found, View, ids_of, taken, turned
from kgqa_core.reader.lexicon import Lexicon, Measure
from kgqa_core.reader.paths import MASK, Hop, told, words
from kgqa_core.reader.wording import step
from kgqa_core.text import stems

Operator = OneOf["", "count", "is"]
TIMES = ("point in time", "start time", "end time")  # of a statement, the likeliest first
_ORDERED = {"highest": "the last or highest of", "lowest": "the first or lowest of"}


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

    With `beside` and `by`: those of the result whose relation leads to another name. With `beside`
    alone: what the last hop's statements say that mention the other name, or whether it is among
    them (`operator` is). `detail`: the qualifiers that are gone to, the first that has values.
    """

    name: Name
    uses: tuple[RelationUse, ...]
    beside: Name | None = None
    by: RelationUse | None = None
    operator: Operator = ""
    when: str = ""  # a time: what held then
    detail: tuple[str, ...] = ()
    kind: str = ""  # a noun: those of this class
    order: str = ""  # highest or lowest
    said: str = ""  # the word for the order

    @property
    def way(self) -> str:
        return words([hop(u) for u in self.uses])

    @property
    def last(self) -> RelationUse:
        return self.uses[-1]

    def reading(self) -> str:
        """What the question was read as, for people: “author of Emma”."""
        text = told([hop(u) for u in self.uses], self.name.text)
        if self.beside and self.by:
            text += f", of these {told([hop(self.by)], self.beside.text)}"
        elif self.beside and self.operator == "is":
            text += f": whether {self.beside.text} is there"
        elif self.beside:
            text += f", as stated with {self.beside.text}"
        text = f"{self.detail[0]} of {text}" if self.detail else text
        text += f", only {self.kind}" if self.kind else ""
        text = f"{_ORDERED[self.order]} {text}" if self.order else text
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
                yield Program(program.name, (first,), other, replace(turned(use), examples=()))


def stated(
    program: Program, others: Sequence[Name], details: Sequence[tuple[str, ...]]
) -> Iterator[Program]:
    """What statements of a one-hop program say that mention another name, too."""
    for other in others:
        if other.text != program.name.text:
            yield replace(program, beside=other)
            yield from (replace(program, beside=other, detail=detail) for detail in details)


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
        if last and program.beside and not program.by and program.operator != "is":
            return _mentioning(found, use, view, program)
        found = follow(found, use, view, whose, program.when if last else "")
        if not found.size:
            return found
    other = program.beside.found if program.beside else None
    if other and program.by:
        assert program.beside
        name = program.by.relation.name
        thought, value = (
            f"Those that {name} joins with {program.beside.text}.",
            ids_of(other.members),
        )
        return taken(view, "keep", found, turned(program.by), thought, test="is", value=value)
    if other and program.operator == "is":
        asking = f"Is {other.members[0].name} among them?"
        return view.act(
            asking, tool="compute", of=found.name, with_set=other.name, operation="same"
        )
    return found


def _mentioning(source: Found, use: RelationUse, view: View, program: Program) -> Found:
    assert program.beside
    value = ids_of(program.beside.found.members)
    what = f"What is stated of it with {program.beside.text}?"
    found = Found("", (), 0)
    for detail in program.detail or ("",):
        found = taken(view, "follow", source, use, what, value=value, qualifier=detail)
        if found.size and not set(found.members) & set(program.beside.found.members):
            return found
    return replace(found, members=(), size=0)


def narrowed(
    program: Program, found: Found, noun: str, scale: tuple[str, Measure] | None, view: View,
    lex: Lexicon,
) -> tuple[Program, Found]:  # fmt: skip
    """Those of the kind and at the end of the scale that the question names, if there are several.

    A kind that none of them is, and a scale that none of them has, are left out of the program.
    """
    if noun and found.size > 1 and not set(stems(noun)) <= set(stems(program.last.relation.name)):
        known = lex.class_of(noun)
        value = " | ".join(dict.fromkeys((noun, *(known.labels if known else ()))))
        for labels in (CLASS, ("occupation",)):
            use = found.out(*labels)
            if use is None:
                continue
            why = f"Those that are a {noun}."
            kept = taken(view, "keep", found, use, why, test="is", value=value)
            if kept.size:
                program, found = replace(program, kind=noun), kept
                break
    if scale and found.size > 1:
        word, measure = scale
        best = _holder(program, found, noun, scale, view) or _end(found, measure, word, view)
        if best is not None and best.size:
            program, found = replace(program, order=measure.order, said=word), best
    return program, found


def _holder(
    program: Program, found: Found, noun: str, scale: tuple[str, Measure], view: View
) -> Found | None:
    """Which cheese is aged the longest: whose value it is, where members of a class are asked."""
    asked = noun and stems(noun) == stems(program.name.text)
    if not asked or len(program.uses) < 2 or found.things:
        return None
    holders = carried_out(replace(program, uses=program.uses[:-1]), view)
    thought = f"Which is the {scale[0]}?"
    return taken(view, "rank", holders, program.last, thought, order=scale[1].order)


def _end(found: Found, measure: Measure, word: str, view: View) -> Found | None:
    """The member with the highest or lowest value; of plain values, that value."""
    which = f"Which is the {word}?"
    if not found.things:
        return view.act(which, tool="compute", of=found.name, operation=measure.order)
    use = found.out(*measure.relations)
    if use is None and not set(TIMES) & set(measure.relations):
        return None
    return view.act(  # without a relation by the time of the statements that led there
        which, tool="rank", of=found.name, relation=use.relation.id if use else "",
        direction="out", order=measure.order,
    )  # fmt: skip


def counted(found: Found, view: View) -> Found:
    return view.act("How many are they?", tool="compute", of=found.name, operation="count")


def follow(source: Found, use: RelationUse, view: View, whose: str, when: str = "") -> Found:
    return taken(view, "follow", source, use, step(use, whose), at=when)
