"""In which order statements come, and which are left out when there are too many."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgqa_core.facts import kinds, timeline
from kgqa_core.facts.terms import Relation, Statement
from kgqa_core.kg.layout import natural


def arranged(statements: Iterable[Statement], limit: int) -> list[Statement]:
    """Grouped by relation; within one, preferred first, then chronological, then by name.

    At most `limit`: every relation gives up the end of its list before a rare one disappears, and
    identifiers, media and the like (`kinds.ASIDE`) disappear before anything else.
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

    Of more groups than places the first ones get one each.
    """
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
    given = [0] * len(groups)
    for aside in (False, True):
        at = [i for i, (is_aside, _) in enumerate(groups) if is_aside == aside]
        for i, share in zip(
            at, shares([groups[i][1] for i in at], total - sum(given)), strict=True
        ):
            given[i] = share
    return given


def _by_name(s: Statement) -> tuple[str, ...]:
    return s.subject.name, s.object.name, s.subject.id, getattr(s.object, "id", "")
