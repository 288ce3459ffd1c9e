"""Before a plan: what lies behind the relations of its starts, which no list of theirs names.

Only where the question has words that neither names nor those relations say; the nearest to these
words first, and so few that a prompt hardly grows. No model is asked.
"""

from __future__ import annotations

from itertools import chain, zip_longest

from kgqa_core.ask import bounds, shown
from kgqa_core.ask.run import Toolkit, merge_uses
from kgqa_core.facts import relations
from kgqa_core.facts.terms import Direction, Entity, Relation, RelationUse
from kgqa_core.methods.compass.course import Course
from kgqa_core.methods.compass.skills import Behind, Start

Way = tuple[Relation, Direction]


def look_behind(course: Course) -> None:
    """Gives starts the relations of what their nearest ones lead to, for the words left over."""
    tools, starts = course.tools, [start for start in course.here.starts if start.shown]
    if tools.reads_all or not (unsaid := " ".join(course.unsaid)):
        return
    ends = _ends(starts, course.query.question, tools)
    things = list(dict.fromkeys(chain.from_iterable(own for _, _, own in ends)))
    read = tools.ends_of(things, of_each=shown.reading(len(things)))
    there = {
        thing: [RelationUse(*key, count=len(far)) for key, far in own.items()]
        for thing, own in zip(things, read, strict=True)
    }
    named = _named(course)

    def is_new(use: RelationUse) -> bool:
        return use.relation not in named and not _is_kind(use)

    groups = [
        (start, via, [use for use in merge_uses([there[e] for e in own]) if is_new(use)])
        for start, via, own in ends
    ]
    every = tools.nearest_uses(unsaid, [use for _, _, own in groups for use in own])
    place = {way(use): n for n, use in reversed(list(enumerate(every)))}
    found = [
        (start, Behind(via=via, relations=sorted(kept, key=lambda u: place[way(u)])))
        for start, via, own in groups
        if (kept := [use for use in own if way(use) in place])
    ]
    found.sort(key=lambda one: place[way(one[1].relations[0])])
    for start, group in found[: bounds.GROUPS]:
        del group.relations[bounds.IN_GROUP :]
        start.behind.append(group)


def way(use: RelationUse) -> Way:
    return use.relation, use.direction


def _ends(
    starts: list[Start], asked: str, tools: Toolkit
) -> list[tuple[Start, RelationUse, list[Entity]]]:
    """Some things behind the relations of each start that are nearest to the question.

    What a kind of things has is nothing of the start's.
    """
    led = tools.ends_of([start.candidate.entity for start in starts])
    found = []
    for start, ends in zip(starts, led, strict=True):
        uses = [use for use in start.relations if ends.get(way(use)) and not _is_kind(use)]
        seen, own = {start.candidate.entity}, []
        for use in tools.nearest_uses(asked, uses):
            if new := [end for end in dict.fromkeys(ends[way(use)]) if end not in seen]:
                seen.update(new)  # whose spouse somebody is, is their spouse
                own.append((start, use, new[: bounds.THINGS]))
        found.append(own[: bounds.BEHIND])
    in_turns = [one for row in zip_longest(*found) for one in row if one]
    return in_turns[: bounds.BEHIND_ALL]


def _is_kind(use: RelationUse) -> bool:
    return any(relations.belongs(use.relation, group) for group in ("class", "subclass"))


def _named(course: Course) -> set[Relation]:
    """What the prompt has by name already: beside a start, or in an example."""
    starts, examples = course.here.starts, course.here.examples
    printed = {u.relation for s in starts for u in s.relations[: sum(shown.printed(s.shown))]}
    called = {name for example in examples for name in example.called}
    return printed | {r for r in map(course.tools.relation, called) if r is not None}
