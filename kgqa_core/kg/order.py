"""In which order statements come, and which are left out when there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgqa_core.facts import timeline
from kgqa_core.facts.terms import Relation, Statement
from kgqa_core.kg.layout import natural


def arranged(statements: Iterable[Statement], limit: int) -> list[Statement]:
    """Grouped by relation; within one, preferred first, then chronological, then by name.

    At most `limit`: every relation gives up the end of its list before a rare one disappears.
    """
    groups: dict[Relation, list[Statement]] = {}
    for s in statements:
        groups.setdefault(s.relation, []).append(s)
    relations = sorted(groups, key=lambda r: natural(r.id))
    quotas = shares([len(groups[r]) for r in relations], limit)
    return [
        s
        for relation, quota in zip(relations, quotas, strict=True)
        for s in timeline.in_order(sorted(groups[relation], key=_by_name))[:quota]
    ]


def shares(sizes: Sequence[int], total: int) -> list[int]:
    """`total` places given to groups of these sizes, as evenly as their sizes allow."""
    given = [0] * len(sizes)
    waiting = len(sizes)
    for i in sorted(range(len(sizes)), key=lambda i: sizes[i]):
        given[i] = min(sizes[i], max(0, total) // waiting)
        total -= given[i]
        waiting -= 1
    return given


def _by_name(s: Statement) -> tuple[str, ...]:
    return s.subject.name, s.object.name, s.subject.id, getattr(s.object, "id", "")
