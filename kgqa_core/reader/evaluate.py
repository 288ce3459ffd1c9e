"""Plan + graph → values.

A plan is evaluated over a `View`: the part of the graph that is in sight. Every node yields
its possible results, most likely first, and whoever uses it takes the next one when the first
leads nowhere: that is all the backtracking there is. A view that would have to look further
raises `Need`, and its action becomes the next step of the walk.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgqa_core.facts import relations
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found
from kgqa_core.reader.classes import SHOWN
from kgqa_core.reader.plan import Plan
from kgqa_core.reader.verdicts import Verdicts
from kgqa_core.text import stems

_BETWEEN = frozenset(stems("between separate divide connect link join"))
_FEW = 2  # names that are joined one by one: each may mean another


class Evaluator(Verdicts):
    """All kinds of plans, and sets joined."""

    def _join(self, plan: p.Join) -> Iterator[Found]:
        # who did not do something: or of whom nobody entered that they did
        negated = plan.how == "minus" and not isinstance(plan.right, p.Anchor)
        if len(names := p.united(plan)) > _FEW and all(isinstance(one, p.Anchor) for one in names):
            yield from self._list(names)
            return
        for left in self.values(plan.left):
            for right in self.values(plan.right):
                if _lies_between(plan) and left.via != right.via:
                    continue
                if negated:
                    right = self._with_itself(plan.right, right)
                thought = {
                    "union": "Both belong to the answer.",
                    "intersection": "Both must hold.",
                    "minus": f"Without {self._name_of(right, plan.right)}, which is known already.",
                }[plan.how]
                apart = left.size <= SHOWN and set(left.members).isdisjoint(right.members)
                if plan.how == "minus" and apart:
                    yield left.doubted(negated)
                    break
                found = self._compute(plan.how, left, right, thought).doubted(negated)
                if found.size:
                    yield found
                elif plan.how == "minus":
                    return  # nobody is left
                if found.size and plan.how != "union":  # of a list, any name may mean another
                    break
            else:
                if plan.how == "minus":
                    yield left.doubted(True)

    def _with_itself(self, plan: Plan, found: Found) -> Found:
        """Who does not border Brazil: nor is Brazil asked for, which no more borders itself."""
        if not isinstance(plan, p.Hop) or not relations.symmetric(found.via):
            return found
        itself = next(self.values(plan.source), None)
        if itself is None:
            return found
        return self._compute("union", found, itself, "It is not asked for itself.")

    def _list(self, names: Sequence[Plan]) -> Iterator[Found]:
        """All that a list names, as one set, which is made at once."""
        found = [one for name in names if (one := next(self.values(name), None)) is not None]
        if len(found) < len(names):
            return  # what is lacking was noted
        first, *others = found
        rest = Found(
            "|".join(one.name for one in others),
            tuple(dict.fromkeys(member for one in others for member in one.members)),
            sum(one.size for one in others),
            certain=all(one.certain for one in others),
        )
        yield self._compute("union", first, rest, "All of them belong together.")


def _lies_between(plan: p.Join) -> bool:
    """Whether it is what lies between two: to both by one relation, a border or a country."""
    match plan:
        case p.Join(left=p.Hop(phrase=one), how="intersection", right=p.Hop(phrase=other)):
            return one == other and not _BETWEEN.isdisjoint(stems(one))
    return False
