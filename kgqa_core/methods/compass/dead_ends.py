"""Between gate and repair: where a step could only be mended by what the graph does not have."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgqa_core.facts import kinds, relations
from kgqa_core.facts.terms import RelationUse
from kgqa_core.methods.compass.course import Course
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.text import listed

_NAMED = 3  # things in a reason
_MEASURES = frozenset(("time", "quantity"))  # which no thing is


def dead_end(course: Course) -> str:
    """What the graph lacks, where no repair can find it; empty: one may.

    The first step that came to nothing went on from things of which the graph says what they are
    and how they were come by, and nothing else; or, where a date or a number is wanted, nothing but
    what leads to further things. A model that is asked again could only say so.
    """
    step = next((s for s in course.plan.steps if s.id in course.problems), None)
    if step is None or step.do not in ("follow", "rank") or not step.relation or course.decides:
        return ""
    found = course.sets.get(step.of)
    filled = step.id in course.sets and course.sets[step.id].members
    if filled or found is None or not found.entities or not _is_sure(step.of, course):
        return ""
    onward = list(_onward(step.of, found.uses, course))
    if onward and not _lead_elsewhere(step, onward, course):
        return ""
    wanted = course.tools.relation(step.relation)
    names = listed((entity.name for entity in found.entities), _NAMED)
    return f"The graph has no {wanted.name if wanted else step.relation} of {names}."


def _is_sure(name: str, course: Course) -> bool:
    """Whether nothing else can be meant on the way to a set: no namesake, no other relation."""
    if start := next((s for s in course.here.starts if s.name == name), None):
        others = [s for s in course.here.starts if s.mention == start.mention]
        return len(others) == 1 and not start.qualifiers
    steps = {step.id: step for step in course.plan.steps}
    for behind in course.behind(name):
        taken, step = course.bound.get(behind, [])[:1], steps[behind]
        if behind in course.doubts or step.do != "follow" or not taken or not taken[0].sure:
            return False
    ways = [
        source for s in course.behind(name) for source in steps[s].inputs if source not in steps
    ]
    return all(_is_sure(source, course) for source in ways)


def _onward(name: str, uses: Sequence[RelationUse], course: Course) -> Iterator[RelationUse]:
    """The relations that lead on: not to a class or an identifier, nor only back."""
    size = len(course.sets[name].entities)
    came = [binding.relation for binding in course.bound.get(name, [])[:1]]
    back = {known for one in came for known in (relations.about(one), *relations.inverse(one))}
    for use in uses:
        known = relations.about(use.relation)
        returns = use.relation in came or (known is not None and known in back)
        returns = returns and use.count <= size
        names_kind = relations.belongs(use.relation, "class", "subclass", "sex")
        if not (returns or names_kind or kinds.is_aside(use.relation)):
            yield use


def _lead_elsewhere(step: PlanStep, onward: Sequence[RelationUse], course: Course) -> bool:
    """Whether a date or a number is wanted, and each relation leads to things.

    What is stated with it, a point in time say, may be what is wanted.
    """
    wanted = course.tools.relation(step.relation)
    kind = kinds.datatype(wanted.datatype) if wanted is not None else ""
    others = {kinds.datatype(use.relation.datatype) for use in onward}
    if kind not in _MEASURES or others != {"item"}:
        return False
    entities = course.sets[step.of].entities
    if len(entities) > _NAMED:
        return False
    return not any(names for own in course.tools.details_of(entities) for names in own.values())
