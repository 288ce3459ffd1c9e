"""Step 2: a plan carried out on the graph. No model is asked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from kgqa_core.ask import bounds, events
from kgqa_core.ask.run import Steps
from kgqa_core.ask.shown import MEMBERS
from kgqa_core.facts import relations
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import RelationUse, Value
from kgqa_core.methods import walk
from kgqa_core.methods.answering import asks_what_is
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.binding import Binding, bindings, hits, way_to
from kgqa_core.methods.compass.course import Course
from kgqa_core.methods.compass.orient import look_around
from kgqa_core.methods.compass.plan import PlanStep, depends
from kgqa_core.methods.compass.skills import Start
from kgqa_core.methods.react import SetView
from kgqa_core.methods.walk import ActionError, NodeSet, same
from kgqa_core.text import listed

_UNNAMED = "Nothing is called “{}”, and what is called much like it leads nowhere."
_NAMED = 0.9  # score below which a name is only like that of what was found


def execute(course: Course) -> Steps[None]:
    """Carries out every step that is new, or rests on one that is."""
    old = {step.id for step in course.plan.steps if course.done.get(step.id) == step}
    fresh = depends(course.plan.steps, {s.id for s in course.plan.steps} - old)
    for step in course.plan.steps:
        if step.id not in fresh:
            continue
        course.tools.check()
        for kept in (course.sets, course.views, course.bound, course.doubts, course.problems):
            kept.pop(step.id, None)
        course.vague.discard(step.id)
        course.done[step.id] = step
        yield from _step(step, course)


def _step(step: PlanStep, course: Course) -> Steps[None]:
    tools, params = course.tools, course.params
    planned = step
    named = {name: found for name, found in course.sets.items() if found.members}
    by_hand = params.bound.get(step.id)
    told = step.model_copy(update={"relation": by_hand}) if by_hand else step
    yield events.Step(title=walk.title(told.action(), tools, named))
    try:
        if lacking := next((n for n in step.needs if n not in course.sets), ""):
            raise ActionError(f"{step.id} needs {lacking}, which is not there.")
        if step.at:
            step = step.model_copy(update={"at": walk.at_time(step.at, course.sets)})
        if step.id in params.taken:
            found = yield from _taken(step, course)
        elif step.do == "find":
            found = yield from _find(step, course)
        elif step.do == "compute":
            found = yield from _computed(step, course)
        elif step.do == "rank" and step.with_set:
            found = yield from walk.rank_by(step.action(), course.sets)
        elif step.do == "keep" and step.test in ("is", "is not") and step.is_of_themselves:
            found = _kept(step, course)
        elif step.do in ("keep", "rank") and walk.by_detail(step.action(), _source(step, course)):
            found = yield from _carry_out(step, None, _source(step, course), course)
        else:
            found = yield from _along(step, course)
    except ActionError as error:
        course.problems[step.id] = str(error)
        course.views[step.id] = SetView(name=step.id, by=planned.told(), problem=str(error))
        yield events.Noted(text=str(error), level="warning")
        yield events.Filled(step=step.id, state="failed", why=str(error))
        return
    if step.apart:
        apart = {m for name in step.apart for m in course.sets[name].members}
        kept = {m: s for m, s in found.members.items() if m not in apart}
        found = replace(found, members=kept)
    if step.at and found.doubtful and len(found.members) > 1 and not tools.reads_all:
        course.vague.add(step.id)
        course.problems[step.id] = f"Of the {found.size} values of {step.id} no time is known."
    if found.unstated:
        some = listed([value.name for value in found.unstated], bounds.EARLIER)
        course.doubts.setdefault(step.id, f"no kind is stated of {some}")
    elif found.doubtful:
        course.doubts.setdefault(step.id, "made from a part of what there is")
    for start in [] if tools.reads_all else course.here.starts:
        if start.name in step.inputs and start.candidate.score < _NAMED:
            like = f"“{start.mention}” is only like {start.candidate.entity.name}"
            course.doubts.setdefault(step.id, like)
    found = walk.nearest_first(course.query.question, found, tools)
    relations = []
    if found.entities and step.do != "find":
        near = found.entities[: params.width]
        relations = yield from tools.survey(near, about=course.query.question)
    course.sets[step.id] = replace(found, uses=tuple(relations))
    course.facts.add(found.because)
    course.views[step.id] = SetView(
        name=step.id,
        by=_as_bound(planned, course),
        members=list(found.members)[:MEMBERS],
        size=found.size,
        shared_by=list(found.shared_by[:MEMBERS]),
        relations=relations,
        doubtful=found.doubtful,
        looked_at=list(found.looked_at),
        unstated=list(found.unstated),
        problem=found.why,
    )
    yield events.Filled(
        step=step.id,
        state="done" if found.members else "empty",
        values=tuple(list(found.members)[: bounds.NAMED_IN_EVENT]),
        count=found.size,
    )
    if not found.members:
        problem = f"{telling.step_in_words(step, tools)}: nothing was found. {found.why}"
        course.problems[step.id] = problem.rstrip()
    yield from _judge_beliefs(step, found, course)


def _as_bound(step: PlanStep, course: Course) -> walk.Action:
    taken = course.bound.get(step.id)
    if not taken or taken[0].how in ("id", "path"):
        return step.told()
    return step.told(taken[0].relation.id, taken[0].direction)


def _find(step: PlanStep, course: Course) -> Steps[NodeSet]:
    """A further name: of several that bear it, the one from which the plan can go on.

    Where it can from several alike, that which leads to what is believed; it is no certainty. What
    is only like the name, and leads nowhere that was planned, is not what is meant.
    """
    here = course.here
    yield from look_around(here, [step.mention], course.tools)
    starts = [start for start in here.starts if start.mention == step.mention]
    onward = [s for s in course.plan.steps if step.id in s.needs and s.relation]

    def fit(start: Start) -> tuple[float, float]:
        found = [bindings(s, start.relations, course.tools)[:1] for s in onward]
        return sum(b.score for one in found for b in one), round(start.candidate.score, 2)

    fits = [fit(start) for start in starts]
    if onward and all(leads == 0 and score < _NAMED for leads, score in fits):
        here.forget(starts)
        return NodeSet({}, why=_UNNAMED.format(step.mention) if starts else "")
    for start in starts:
        course.begin(start)
    if not starts:
        return NodeSet({})
    alike = [start for start, own in zip(starts, fits, strict=True) if own == max(fits)]
    best = alike[0]
    if len(alike) > 1 and not course.tools.reads_all:
        best = (yield from _leads_to_belief(alike, onward, course)) or best
        course.doubts[step.id] = f"others are called “{step.mention}”, too"
    if best.candidate.score < _NAMED:
        course.doubts[step.id] = f"“{step.mention}” is only like {best.candidate.entity.name}"
    return NodeSet({best.candidate.entity: ()})


def _leads_to_belief(
    starts: Sequence[Start], onward: Sequence[PlanStep], course: Course
) -> Steps[Start | None]:
    """The first of them from which a step leads to what is believed of it; None: none does."""
    for start in starts:
        for step in onward:
            believed = believed_of(step, course)
            near = bindings(step, start.relations, course.tools)[:1]
            if step.do != "follow" or not believed or not near:
                continue
            found = yield from _carry_out(
                step, near[0], NodeSet({start.candidate.entity: ()}), course
            )
            if hits(believed, list(found.members)):
                return start
    return None


def _kept(step: PlanStep, course: Course) -> NodeSet:
    """Members by what they are called themselves, or those that are in the other set."""
    source, other = _source(step, course), walk.named(step.with_set, course.sets)
    if other is None and not step.value.strip():
        raise ActionError(f"{step.id} does not say what of {step.of} it keeps.")

    def meant(member: Value) -> bool:
        is_one = member in other.members if other else same(member, step.value)
        return is_one is (step.test != "is not")

    return replace(source, members={m: s for m, s in source.members.items() if meant(m)})


def _source(step: PlanStep, course: Course) -> NodeSet:
    return walk.named(step.of, course.sets) or NodeSet({})


def _computed(step: PlanStep, course: Course) -> Steps[NodeSet]:
    """Between sets, or, with a relation, between its values of each."""
    source, other = _source(step, course), walk.named(step.with_set, course.sets)
    action = step.action()
    if step.relation:
        uses = yield from _uses(step.of, source, course)
        near = bindings(step, uses, course.tools)
        step = _with_second(step, uses, course)
        if near:
            action = step.action(near[0].relation.id, near[0].direction)
            course.bound[step.id] = near
    return (yield from walk.compute_sets(action, source, other, course.tools, course.params.width))


# -- binding ---------------------------------------------------------------------------------


def _along(step: PlanStep, course: Course) -> Steps[NodeSet]:
    """A step along a relation: bound, carried out, and if it is empty led by the belief."""
    source = _source(step, course)
    if not source.entities:
        raise ActionError(f"{step.of} has no entities to go on from.")
    if by_hand := course.params.bound.get(step.id):
        step = step.model_copy(update={"relation": by_hand})
    uses = yield from _uses(step.of, source, course)
    near = bindings(step, uses, course.tools)
    around = {use.relation for use in uses}
    if step.do in ("keep", "rank") and not (near and near[0].sure and near[0].relation in around):
        detail = walk.by_detail(step.action(), source, unbound=True)
        if detail is not None:
            led_by = step.model_copy(update={"relation": "", "qualifier": detail.qualifier})
            return (yield from _carry_out(led_by, None, source, course))
    step = _with_second(step, uses, course)
    believed = believed_of(step, course)
    tried: list[tuple[Binding, NodeSet]] = []
    for binding in near:
        try:
            found = yield from _carry_out(step, binding, source, course)
        except walk.NoKind as error:  # whether it is of the kind asked for, nobody knows
            course.doubts[step.id] = str(error)[:1].lower() + str(error)[1:].rstrip(".")
            return source
        tried.append((binding, found))
        if found.members and (binding.sure or hits(believed, list(found.members))):
            break
    best = max(
        tried,
        key=lambda one: (
            bool(one[1].members),
            bool(hits(believed, list(one[1].members))),
            one[0].score,
        ),
        default=None,
    )
    if (best is None or not best[1].members) and believed and step.do == "follow":
        led = yield from _led(step, believed, source, course)
        if led is not None:
            return led
    if best is None:
        there = ", ".join(dict.fromkeys(use.relation.name for use in uses[: bounds.INSTEAD]))
        known = course.tools.relation(step.relation)
        lacking = f"has no {known.name}" if known else f"has nothing like “{step.relation}”"
        raise ActionError(f"{step.of} {lacking}. There is: {there or 'no relation'}.")
    yield from _settle(step, best, tried, course)
    return (yield from _of_today(step, best, source, course))


def _of_today(
    step: PlanStep, best: tuple[Binding, NodeSet], source: NodeSet, course: Course
) -> Steps[NodeSet]:
    """Without what has ended, where the question asks what is; of an office all may be meant."""
    binding, found = best
    asks = (
        asks_what_is(course.query.question)
        and step.is_hop
        and not relations.belongs(binding.relation, "office")
    )
    if not asks or binding.direction != "out" or not walk.past(found):
        return found
    now = yield from _carry_out(step.model_copy(update={"at": "now"}), binding, source, course)
    return now if now.members else found


def _with_second(step: PlanStep, uses: Sequence[RelationUse], course: Course) -> PlanStep:
    """The step with the relation that it divides by, or takes off, bound.

    Raises ActionError if there is none like it.
    """
    said = step.per or step.less
    if not said:
        return step
    asked = step.model_copy(update={"relation": said, "direction": "out"})
    near = bindings(asked, uses, course.tools)
    if not near:
        what = "to divide by" if step.per else "to take off"
        raise ActionError(f"Nothing there is like “{said}”, {what}.")
    if not near[0].sure:
        liked = near[0].relation.name
        course.doubts.setdefault(step.id, f"“{said}” was only likened to {liked}")
    return step.model_copy(update={"per" if step.per else "less": near[0].relation.id})


def _uses(name: str, source: NodeSet, course: Course) -> Steps[list[RelationUse]]:
    if name in course.views and course.views[name].relations:
        return course.views[name].relations
    start = next((s for s in course.here.starts if s.name == name), None)
    if start is not None:
        yield events.Surveyed(entities=(start.candidate.entity,), relations=tuple(start.relations))
        return start.relations
    near = source.entities[: course.params.width]
    return (yield from course.tools.survey(near, about=course.query.question))


def _carry_out(
    step: PlanStep, binding: Binding | None, source: NodeSet, course: Course
) -> Steps[NodeSet]:
    """`binding` None: the step needs no relation."""
    action = step.action(binding.relation.id, binding.direction) if binding else step.action()
    if step.do == "keep":
        other = walk.named(step.with_set, course.sets)
        return (yield from walk.keep(action, source, course.tools, course.params.width, other))
    operations = {"follow": walk.follow, "rank": walk.rank, "group": walk.group}
    operation = operations[step.do]
    return (yield from operation(action, source, course.tools, course.params.width))


def _settle(
    step: PlanStep,
    best: tuple[Binding, NodeSet],
    tried: list[tuple[Binding, NodeSet]],
    course: Course,
) -> Steps[None]:
    """Says what the step was bound to, and doubts it where a rival gives other values."""
    binding, found = best
    rivals = [b for b, _ in tried if b is not binding]
    course.bound[step.id] = [binding, *rivals]
    others = [set(f.members) for b, f in tried if b is not binding and f.members]
    if not binding.sure and any(other != set(found.members) for other in others):
        course.doubts[step.id] = f"“{step.relation}” may also mean {rivals[0].relation.name}"
    elif binding.how == "likeness" and not others:
        course.doubts.setdefault(
            step.id, f"“{step.relation}” was only likened to {binding.relation.name}"
        )
    start = next((s for s in course.here.starts if s.name == step.of), None)
    if start is not None and course.here.rivals(start, binding.relation, binding.direction):
        course.doubts[step.id] = f"others are called “{start.mention}”, too"
    yield events.Bound(
        step=step.id,
        asked=step.relation,
        relation=binding.relation,
        direction=binding.direction,
        how=binding.how,
        score=round(binding.score, 3),
        rivals=tuple(b.relation.name for b in rivals),
    )


def _led(
    step: PlanStep, believed: list[str], source: NodeSet, course: Course
) -> Steps[NodeSet | None]:
    """Where the relations of the way to a believed value lead, from the whole set."""
    left = course.left(step)
    way = yield from way_to(believed, source, course.tools, course.params.width, left=left)
    if not way:
        return None
    found = source
    plain = PlanStep(id=step.id, do="follow", of=step.of)
    for n, (relation, direction) in enumerate(way, 1):
        hop = step if n == len(way) else plain  # what the step asks for, holds at its end
        action = hop.action(relation.id, direction)
        found = yield from walk.follow(action, found, course.tools, course.params.width)
    if 2 * len(hits(believed, list(found.members))) < len(found.members):
        return None  # a way to all that is in a country is none to its capital
    last, direction = way[-1]
    course.bound[step.id] = [Binding(last, direction, 0.0, "path")]
    course.doubts[step.id] = f"the way was found by the belief {' or '.join(believed)}"
    yield events.Bound(
        step=step.id,
        asked=step.relation,
        relation=last,
        direction=direction,
        how="path",
        rivals=(),
        path=tuple(relation.name for relation, _ in way),
    )
    return found


# -- beliefs (PG&AKV) ------------------------------------------------------------------------


def _taken(step: PlanStep, course: Course) -> Steps[NodeSet]:
    """What somebody takes for the values of a step: things of those names, else what is written.

    No fact led there: others go on from it, and none of that is certain.
    """
    names = _parts(course.params.taken[step.id])
    found = yield from course.tools.link(names)
    near = [hits[0].entity if hits and hits[0].score >= _NAMED else None for hits in found]
    pairs = list(zip(names, near, strict=True))
    values = [entity or literal(name, text_too=True) for name, entity in pairs]
    taken = f"{' and '.join(names)} was taken for right, no fact says so"
    course.doubts[step.id] = taken
    yield events.Noted(text=f"{taken}.", level="warning")
    course.bound.pop(step.id, None)
    return NodeSet(dict.fromkeys(values, ()))


def _parts(text: str) -> list[str]:
    return [part for part in map(str.strip, text.split("|")) if part]


def believed_of(step: PlanStep, course: Course) -> list[str]:
    """What the model believes that a step gives, or somebody has put in its place."""
    if step.id in course.params.beliefs:
        return _parts(course.params.beliefs[step.id])
    return step.believed if course.params.belief else []


def _judge_beliefs(step: PlanStep, found: NodeSet, course: Course) -> Steps[None]:
    """Each belief is kept by the fact that states it, replaced by what the graph has, or dropped.

    Of several, one that is not there beside others that are is dropped: nothing stands for it.
    That a belief was right grounds nothing: the facts do.
    """
    for text in _parts(course.params.taken.get(step.id, "")):
        yield events.Believed(step=step.id, text=text, outcome="taken")
    believed = [] if step.id in course.params.taken else believed_of(step, course)
    if not believed:
        return
    right = hits(believed, list(found.members))
    instead = tuple(v for v in found.members if v not in set(right.values()))
    for text in believed:
        if text in right:
            because = found.members[right[text]][-1:]
            values: tuple[Value, ...] = (right[text],)
            outcome: events.Outcome = "kept"
        elif instead and not right:
            outcome, values = "replaced", instead[: bounds.NAMED_IN_EVENT]
            because = found.members[instead[0]][-1:]
        else:
            outcome, values, because = "dropped", (), ()
        yield events.Believed(
            step=step.id, text=text, outcome=outcome, found=values, because=because
        )
