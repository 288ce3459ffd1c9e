"""Step 3, where the gate passes, but not plainly: one look at what was found before it is told.

A plan is written before anybody has seen where it leads. What is plain needs no look: bound without
a doubt, nothing guessed, every value one that was expected or all of a kind. Else the model sees
the steps with what they gave, and may tell, choose among the values, have the plan mended, or give
up. It has one look; what it leaves out, it cannot put anything else in place of.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.ask import bounds, events
from kgqa_core.ask.run import Steps
from kgqa_core.facts import compute, relations, timeline, verbalise
from kgqa_core.facts.terms import NUMBERS, Entity, Literal, Statement, Value
from kgqa_core.methods import walk
from kgqa_core.methods.answering import is_far
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.course import Course
from kgqa_core.methods.compass.executing import believed_of, execute
from kgqa_core.methods.compass.plan import PlanStep
from kgqa_core.methods.compass.skills import LOOK, Carried, Seen
from kgqa_core.methods.walk import NodeSet, same
from kgqa_core.text import counted, fold, stems

Outcome = OneOf["tell", "mend", "give up"]


# -- when ------------------------------------------------------------------------------------


def oddities(course: Course) -> list[str]:
    """Why the answer is looked at before it is told; empty: it is plain.

    What is all that the model believed, it would have told: no look tells it more.
    """
    if _is_believed(course):
        return []
    odd = [] if course.plan.certain else ["a part of the plan is a guess"]
    odd += doubts(course)
    step, found = answered_by(course)
    by_sets = step is not None and step.operation in ("same", "any", "intersection")
    if by_sets and compute.boolean(False) in course.sets[course.plan.answer].members:
        odd.append("a No may only mean that the graph does not say it")
    if step is not None and found is not None:
        odd += _unexpected(step, found, course)
    elif step is not None:
        odd += _otherwise(step, course)
    return list(dict.fromkeys(odd))


def _is_believed(course: Course) -> bool:
    """Whether all that is listed, or the number of it, is what the model said it would be."""
    step, found = answered_by(course)
    if step is None or found is None or not found.members:
        return False
    if step.id != course.plan.answer and (number := _number_believed(course)):
        return number == str(len(found.members))
    believed, alone = believed_of(step, course), len(found.members) == 1
    return all(any(_may_be(v, text, alone) for text in believed) for v in found.members)


def _number_believed(course: Course) -> str:
    """What the model believed that the things are counted to; empty: it did not say."""
    (answer,) = [step for step in course.plan.steps if step.id == course.plan.answer]
    return next((text for text in believed_of(answer, course) if text.isdecimal()), "")


def doubts(course: Course) -> list[str]:
    """Why the answer is no certainty, even if the model that looks at it has it told."""
    plan = course.plan
    behind = [step for step in plan.steps if step.id in set(course.behind(plan.answer))]
    odd = [course.doubts[step.id] for step in behind if step.id in course.doubts]
    if course.tools.reads_all:  # the reader has seen each step
        return odd
    odd += [
        f"{step.id} found nothing, which need not mean that there is nothing"
        for step in behind
        if step.do in ("find", "follow") and not course.sets.get(step.id, NodeSet({})).members
    ]
    odd += ["the plan was mended"] if course.mended else []
    if not course.known:  # a template's wording says what its relations are
        odd += [told for step in behind if (told := _far(step, course))]
    step, found = answered_by(course)
    if found is not None:
        odd += _of_values(step, found, course)
    return list(dict.fromkeys(odd))


def answered_by(course: Course) -> tuple[PlanStep | None, NodeSet | None]:
    """The step whose values answer, or are counted, and these; no set where none are listed."""
    by_id = {step.id: step for step in course.plan.steps}
    step = by_id.get(course.plan.answer)
    name = course.plan.answer
    if step is not None and step.do == "compute":
        if step.operation != "count" or step.relation or step.of not in by_id:
            return step, None
        step, name = by_id[step.of], step.of
    found = course.sets.get(name)
    return step, found if found is not None and found.hub is None else None


def _far(step: PlanStep, course: Course) -> str:
    """Whether a step goes along a relation that hardly is what the question says: then which."""
    bound = course.bound.get(step.id, [])[:1]
    if step.do != "follow" or step.qualifier or not bound or bound[0].how == "path":
        return ""
    relation, question = bound[0].relation, course.query.question
    uses = [use for name in step.inputs if name in course.sets for use in course.sets[name].uses]
    far = is_far(question, relation, [use.relation for use in uses], course.tools)
    return f"“{relation.name}” is hardly what the question says" if far else ""


def _of_values(step: PlanStep | None, found: NodeSet, course: Course) -> list[str]:
    odd = []
    if step is not None and not step.at:
        last = [support[-1] for support in found.members.values() if support]
        over = [s for s in last if timeline.is_over(s)]
        if 0 < len(over) < len(last):
            odd.append(f"{counted(len(over), 'value')} of {len(last)} held until a time")
        elif len({s.rank == "preferred" for s in last}) > 1:
            odd.append("the graph prefers some of the values")
    named = [v for v in found.members if _has_name(v)]
    expected = step is not None and believed_of(step, course)
    if not expected and len(named) > 1 and _of_several_kinds(named, course):
        odd.append("not all of the values are described as what is asked for")
    return odd


def _unexpected(step: PlanStep, found: NodeSet, course: Course) -> list[str]:
    """Values that were not believed: no doubt of them, but a reason to look whether they answer."""
    number = _number_believed(course) if step.id != course.plan.answer else ""
    if number and number != str(len(found.members)):
        return [f"not {number}, as was expected"]
    named, believed = [v for v in found.members if _has_name(v)], believed_of(step, course)
    if not believed:
        return []
    alone = len(named) == 1
    other = [v for v in named if not any(_may_be(v, text, alone) for text in believed)]
    told = ", ".join(verbalise.value(v) for v in other[: bounds.NAMED_IN_REASON])
    more = ", …" if len(other) > bounds.NAMED_IN_REASON else ""
    return [f"not what was expected: {told}{more}"] if other else []


def _otherwise(step: PlanStep, course: Course) -> list[str]:
    """Yes, where the model believed no, or the other way round."""
    believed = {fold(text).rstrip(".") for text in believed_of(step, course)}
    for answer, words in (("Yes", {"no", "false"}), ("No", {"yes", "true"})):
        truth = compute.boolean(answer == "Yes")
        if believed and believed <= words and truth in course.sets[step.id].members:
            return [f"not what was expected: {answer}"]
    return []


def _has_name(value: Value) -> bool:
    """Whether a belief could name it: a number may be measured otherwise, an id is no name."""
    if isinstance(value, Literal):
        return value.datatype not in NUMBERS
    return bool(value.label)


def _may_be(value: Value, text: str, alone: bool) -> bool:
    """Whether a belief names a value, as people would: “Summit, New Jersey”, “AFC Ajax”.

    By a part of its name only where it is found `alone`: “Half-Life 2” is not “Half-Life”.
    """
    if same(value, text):
        return True
    one, other = (fold(name.replace(".", "")) for name in (verbalise.value(value), text))
    words, others = set(stems(one)), set(stems(other))
    if (alone or isinstance(value, Literal)) and others <= words:
        return bool(others)
    return bool(words) and words <= others


def _of_several_kinds(values: Sequence[Value], course: Course) -> bool:
    """Whether the question's words describe some of the values, and others not."""
    named = {stem for start in course.here.starts for stem in stems(start.mention)}
    asked = set(stems(course.query.question)) - named
    described = [v for v in values if isinstance(v, Entity) and v.description]
    agree = [v for v in described if asked & set(stems(v.description))]
    if not agree or len(agree) == len(values):
        return False
    others = [v for v in values if isinstance(v, Entity) and v not in agree]
    stated = course.tools.relations_of(others)  # a republic is stated to be a country
    kinds = [
        {
            stem
            for use in uses
            if relations.belongs(use.relation, "class")
            for e in use.examples
            for stem in stems(e)
        }
        for uses in stated
    ]
    return len(agree) + sum(bool(asked & own) for own in kinds) < len(values)


# -- the look --------------------------------------------------------------------------------


def look(course: Course, why: Sequence[str]) -> Steps[Outcome]:
    """One call; what it chooses is put in the place of what was found, and is no certainty."""
    tools, plan = course.tools, course.plan
    course.looked = True
    yield events.Step(title="Look at what was found", thought=f"{'; '.join(why)}.")
    step, found = answered_by(course)
    values = yield from _seen(found, course)
    reply = yield from tools.ask(
        LOOK,
        question=course.query.question,
        steps=[_carried(one, course) for one in plan.steps if one.id in course.views],
        values=values,
        answer=telling.shown(course.sets[plan.answer]),
        why=list(why),
    )
    if reply.verdict == "give up":
        course.plan = plan.model_copy(update={"reason": reply.reason or reply.thought})
        return "give up"
    if reply.verdict == "mend":
        name = step.id if step is not None else plan.answer
        course.mended = True
        course.problems[name] = f"It does not say what is asked: {reply.reason or reply.thought}"
        return "mend"
    chosen = {values[n].value for n in reply.values if 0 <= n < len(values)}
    if reply.verdict == "choose" and step is not None and found is not None and chosen:
        yield from _choose(step, found, chosen, course)
    return "tell"


def _seen(found: NodeSet | None, course: Course) -> Steps[list[Seen]]:
    """The values one by one, each with what the graph says it is."""
    if found is None or len(found.members) > bounds.LOOKED_AT:
        return []
    shown = list(found.members)
    kinds: dict[Value, list[Value]] = {}
    (by_class,) = relations.in_group("class")
    relation = next((r for r in map(course.tools.relation, by_class.names) if r), None)
    things = [value for value in shown if isinstance(value, Entity)]
    if relation is not None and things:
        for s in (yield from course.tools.expand(things, relation=relation, direction="out")):
            kinds.setdefault(s.subject, []).append(s.object)
    return [
        Seen(
            value=value,
            what=value.description if isinstance(value, Entity) else "",
            kinds=kinds.get(value, [])[: bounds.KINDS],
            detail=_detail(found.members[value]),
        )
        for value in shown
    ]


def _detail(support: Sequence[Statement]) -> str:
    """What is stated of the statement that led to a value."""
    if not support:
        return ""
    last = support[-1]
    best = ["preferred"] if last.rank == "preferred" else []
    return "; ".join([*best, *filter(None, [verbalise.details(last)])])


def _carried(step: PlanStep, course: Course) -> Carried:
    """A step with what it gave, and what it left out of what it works on."""
    view = course.views[step.id]
    dropped: list[Value] = []
    if step.do == "keep" and step.id in course.sets and step.of in course.sets:
        kept = course.sets[step.id].members
        dropped = [m for m in course.sets[step.of].members if m not in kept]
    named = {name: found for name, found in course.sets.items() if found.members}
    detail = f": its {step.qualifier}" if step.do == "follow" and step.qualifier else ""
    return Carried(
        name=step.id,
        did=walk.title(view.by or step.told(), course.tools, named) + detail,
        gave=view.members[: bounds.ON_THE_WAY],
        size=view.size,
        dropped=dropped[: bounds.ON_THE_WAY],
        tested=view.looked_at[: bounds.ON_THE_WAY],
        problem=view.problem,
    )


def _choose(step: PlanStep, found: NodeSet, chosen: set[Value], course: Course) -> Steps[None]:
    """The set without what is not meant; what rests on it is carried out once more."""
    left = [v for v in found.members if v not in chosen]
    if not left:
        return
    kept = {v: support for v, support in found.members.items() if v in chosen}
    course.sets[step.id] = replace(found, members=kept)
    names = ", ".join(verbalise.value(v) for v in left)
    yield events.Noted(text=f"Left out at a second look: {names}.")
    yield events.Filled(
        step=step.id,
        state="done",
        values=tuple(list(kept)[: bounds.NAMED_IN_REASON]),
        count=len(kept),
    )
    if step.id != course.plan.answer:
        course.done.pop(course.plan.answer, None)
        yield from execute(course)
    course.doubts[step.id] = f"{counted(len(left), 'value')} left out at a second look"
