"""In which order statements come, and which are left out when there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgqa_core.facts import kinds, timeline
from kgqa_core.facts.terms import Relation, Statement
from kgqa_core.kg.layout import natural

LOOK = 20  # places; who asks for fewer wants a look at something, not what is stated of it


def arranged(statements: Iterable[Statement], limit: int) -> list[Statement]:
    """Grouped by relation; within one, preferred first, then chronological, then by name.

    At most `limit`: every relation gives up the end of its list, and identifiers, media and the
    like (`kinds.ASIDE`) disappear before anything else. No other relation does, even where that
    makes more than `limit`; but for a look (`LOOK`).
    """
    groups: dict[Relation, list[Statement]] = {}
    for s in statements:
        groups.setdefault(s.relation, []).append(s)
    relations = sorted(groups, key=lambda r: natural(r.id))
    quotas = quotas_of([(kinds.is_aside(r), len(groups[r])) for r in relations], limit)
    return [
        s
        for relation, quota in zip(relations, quotas, strict=True)
        for s in timeline.in_order(sorted(groups[relation], key=_by_name))[:quota]
    ]


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """`total` places given to groups of these sizes, as evenly as their sizes allow.

    Of more groups than places each gets one, so that nothing is hidden by its place in a list; at
    a look the first ones do.
    """
    groups = sum(size > 0 for size in sizes)
    return _shared(sizes, total if total < LOOK else max(total, groups))


def _shared(sizes: Sequence[int], total: int) -> list[int]:
    first = [i for i, size in enumerate(sizes) if size > 0][: max(0, total)]
    given = [0] * len(sizes)
    waiting = len(first)
    for i in sorted(first, key=lambda i: sizes[i]):
        given[i] = min(sizes[i], total // waiting)
        total -= given[i]
        waiting -= 1
    return given


def quotas_of(groups: Sequence[tuple[bool, int]], total: int) -> list[int]:
    """The same for groups that may be `aside`: those get what the others leave."""
    matter = shares([0 if aside else size for aside, size in groups], total)
    beside = _shared([size if aside else 0 for aside, size in groups], total - sum(matter))
    return [a + b for a, b in zip(matter, beside, strict=True)]


def _by_name(s: Statement) -> tuple[str, ...]:
    return s.subject.name, s.object.name, s.subject.id, getattr(s.object, "id", "")
