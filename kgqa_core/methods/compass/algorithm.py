"""Compass: the model plans once, the graph corrects the plan, and nothing counts but facts.

A method of our own. What the model believes points the way, like a compass, and is no source:

0  Orient   names, their relations and similar solved questions are looked up; no model.
1  Plan     one call: a small graph of steps, each with what the model believes it gives; where
            it takes common sense, rules whose premises facts can decide.
2  Execute  phrases are bound to relations that are there, both ways, two at a time; each belief
            ends kept, replaced or dropped; premises are decided by facts. No model.
3  Gate     everything bound, of the right kind, decided by facts? Then tell; where that is so but
            not plainly, the model has one look at what was found (`looking.py`).
4  Repair   at most two calls, each with what was carried out and what is there; then one reading
            of facts and passages; then what the graph describes in the question's words
            (`described.py`); else it abstains, and shows the belief, marked as not counted.
5  Tell     look-ups, counts, comparisons and yes or no are told by rule; text in one call.
6  Certain  only where every binding is unambiguous and nothing was assumed.
7  Learn    what was certain, and holds claim by claim, may be kept as a template (`learning.py`).

It joins a walk over sets (KGIR), drafts corrected by facts (PG&AKV), axioms whose premises facts
decide (R3), and templates of solved questions (Keqing); `docs/compass.md` says how, and what it
owes to others. The built-in reader plans a step at a time: its replies cost nothing; what asks for
a text it drafts and has corrected, whole (PG&AKV).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from itertools import count
from typing import Any

from kgqa_core.ask import bounds, events
from kgqa_core.ask.described import sought
from kgqa_core.ask.events import Answer
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.ask.shown import MEMBERS
from kgqa_core.ask.skill import Skill
from kgqa_core.facts import compute, relations, timeline
from kgqa_core.facts.common import common
from kgqa_core.facts.terms import (
    BOOLEAN,
    NUMBERS,
    TIMES,
    Entity,
    Literal,
    Passage,
    Statement,
    Value,
)
from kgqa_core.methods.answering import IN_PART, compose, may_lack, read_on
from kgqa_core.methods.compass import choosing, learning, looking, ruling, telling
from kgqa_core.methods.compass.behind import look_behind
from kgqa_core.methods.compass.course import Course, Params
from kgqa_core.methods.compass.dead_ends import dead_end
from kgqa_core.methods.compass.executing import execute
from kgqa_core.methods.compass.orient import library_of, orient
from kgqa_core.methods.compass.plan import Expected, Plan, PlanStep
from kgqa_core.methods.compass.skills import (
    PLAN,
    PLAN_RULES,
    REPAIR,
    REPAIR_RULES,
    ReasonedRepair,
    Start,
)
from kgqa_core.methods.described import by_description, followed_by, what_it_is
from kgqa_core.methods.keqing import templates
from kgqa_core.methods.letter import question_of
from kgqa_core.methods.pgakv import algorithm as pgakv
from kgqa_core.methods.pgakv.skills import ANSWER as TELL
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.query import between, read_query
from kgqa_core.methods.r3.search import Params as OfR3
from kgqa_core.methods.walk import NodeSet
from kgqa_core.text import plural, speaks_of_the_past, stems

_LITTLE = 2  # facts, beside which a sentence of a reference work says more
_UNREAD = 2  # words that a reading leaves out, before a description says it better
_PATIENCE = 40  # replies of the built-in reader, which plans a step at a time
_READINGS = 2  # prompts that facts and passages are read in before an abstention

# -- the algorithm ---------------------------------------------------------------------------


def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
    query = read_query(question_of(question) if tools.reads_all else question, params.task)
    if query.task == "preference":
        return (yield from choosing.choose(question, tools, params))
    named = templates.Relations(tools.relation)
    library = library_of(tools, named) if params.templates else None
    here = yield from orient(query.question, tools, library=library, relations=named)
    said = query.question != question or params.task == "claim"
    course = Course(query, tools, params, here, marked=said)
    course.known = yield from _by_template(course)
    if not course.known:
        yield from _plan(course)
    for repairs in count():
        tools.check()
        yield from execute(course)
        if _rounded_off(course):
            yield from execute(course)
        answer = yield from ruling.by_rule(course)
        if answer is not None:
            return answer
        if tools.reads_all and course.plan.expects == "prose" and not course.plan.steps:
            answer = yield from pgakv.solve(query.question, tools, pgakv.Params())
            if told := (yield from what_it_is(query.question, tools)):
                little = len(answer.citations) <= _LITTLE  # “… is a human.”
                answer = told if little else followed_by(told, answer)
            if answer.sentences:
                return answer.model_copy(update={"certain": False})
        problems = _gate(course)
        if not problems:
            why = looking.oddities(course) if _is_looked_at(course) else []
            outcome = (yield from looking.look(course, why)) if why else "tell"
            if outcome == "tell":
                return (yield from _likelier(course)) or (yield from _tell(course))
            if outcome == "give up" and course.known:  # the template was wrong, not the graph
                course.known = False
                yield from _plan(course)
                continue
            problems = list(course.problems.values())
        most = _PATIENCE if tools.reads_all else params.repairs
        if repairs >= most or course.plan.reason or _ends_here(course):
            break
        if not (yield from _repair(course, problems)):
            break
    answer = (
        (yield from _read(course))
        or (yield from _by_common_sense(course))
        or (yield from what_it_is(course.query.question, tools))
        or (yield from by_description(course.query.question, tools))
    )
    return answer or (yield from _abstain(course))


# -- 0 a question that was solved before (Keqing) --------------------------------------------


def _by_template(course: Course) -> Steps[bool]:
    """Plans by a known wording with exact names, without a model; whether that leads anywhere."""
    here = course.here
    if not here.known:
        return False
    example = here.examples[0]
    if _counts_what_is_numbered(example.plan, course):
        return False
    asked = course.query.question.rstrip(" ?")
    steps = [_as_of_now(step, course) for step in example.plan]
    course.plan = Plan(steps=steps, answer=steps[-1].id, reading=asked)
    yield events.Recalled(template=example.question)
    yield _planned(course, "template")
    yield from execute(course)
    if not _gate(course):
        return True
    course.plan = Plan(steps=[])
    here.examples.remove(example)  # it leads nowhere from here
    return False


def _counts_what_is_numbered(steps: Sequence[PlanStep], course: Course) -> bool:
    """Whether a template counts a list, one child, where the graph states the number, nine."""
    if not any(step.operation == "count" for step in steps):
        return False
    listed = (course.tools.relation(step.relation) for step in steps if step.relation)
    numbers = {f"number of {plural(one.name)}" for one in listed if one is not None}
    stated = (use.relation.name for start in course.here.starts for use in start.relations)
    return not numbers.isdisjoint(stated)


def _likelier(course: Course) -> Steps[Answer | None]:
    """What a thing is said to be, where that is asked; and what is described in all words of the
    question, of which the reader's reading leaves some out; a model's is prose.
    """
    plan = course.plan
    if (
        not course.tools.reads_all
        or plan.certain
        or not plan.reading
        or plan.expects in ("yes or no", "number")
    ):
        return None
    kind = _tells_kind(course)
    if not kind and (said := (yield from what_it_is(course.query.question, course.tools))):
        return said
    wanted = sought(course.query.question)
    unread = set(wanted.words) - set(stems(plan.reading)) if wanted else set()
    if len(unread) < _UNREAD:
        return None  # one may be the kind of what is named: the city of Paris
    return (yield from by_description(course.query.question, course.tools, whole=True))


def _tells_kind(course: Course) -> bool:
    """Whether the answer is what a thing is one of: a chemical element."""
    last = next((step for step in course.plan.steps if step.id == course.plan.answer), None)
    relation = course.tools.relation(last.relation) if last and last.relation else None
    return relation is not None and relations.belongs(relation, "class")


_OF_ALL_TIMES = re.compile(r"\b(?:all|every|former|first|list)\b", re.IGNORECASE)


def _as_of_now(step: PlanStep, course: Course) -> PlanStep:
    """Who *is* head of a government: of times a template says nothing, but the question does."""
    asked = course.query.question
    if step.do != "follow" or step.at or speaks_of_the_past(asked) or _OF_ALL_TIMES.search(asked):
        return step
    relation = course.tools.relation(step.relation)
    group: relations.Group = "changes" if step.direction == "out" else "changes hands"
    if relation is None or not relations.belongs(relation, group):
        return step
    return step.model_copy(update={"at": "now"})


# -- 1 plan ----------------------------------------------------------------------------------


def _plan(course: Course) -> Steps[None]:
    yield events.Step(title="Plan the steps")
    yield from ruling.read_names(course)
    if course.params.behind:
        look_behind(course)
    skill: Skill[Any] = PLAN_RULES if course.decides and not course.is_plain else PLAN
    facts = course.tools.relevant(course.query.question, course.facts.statements)
    plan = yield from course.tools.ask(skill, **_given(course), facts=facts)
    course.plan = plan.on(course.handles)
    yield _planned(course, "model")


def _rounded_off(course: Course) -> bool:
    """Adds the last step that a plan of a model leaves out and can only mean; whether it did.

    Which step is the answer where there is one end; the number of things where they are to be
    counted, and whether there are any where yes or no is asked.
    """
    plan = course.plan
    if course.tools.reads_all or not plan.steps or plan.reason:
        return False
    if not plan.answer and plan.expects and not getattr(plan, "axioms", []):
        needed = {name for step in plan.steps for name in step.needs}
        ends = [step.id for step in plan.steps if step.id not in needed]
        if len(ends) == 1:
            course.plan = plan = plan.model_copy(update={"answer": ends[0]})
    last = next((step for step in plan.steps if step.id == plan.answer), None)
    found = course.sets.get(plan.answer)
    if last is None or found is None or not found.members or len(found.entities) != found.size:
        return False
    operation: compute.Operation
    certain = plan.certain
    many = found.size > 1 and "count" in templates.demands(course.query.question)
    if plan.expects == "number" and many:
        operation, certain = "count", False  # a step before it may be what was forgotten
    elif plan.expects == "yes or no" and (
        last.do == "keep" or last.value or last.operation == "intersection"
    ):
        operation = "any"
    else:
        return False
    taken = {step.id for step in plan.steps}
    new = next(name for name in (f"s{n}" for n in count(1)) if name not in taken)
    step = PlanStep(id=new, do="compute", operation=operation, of=plan.answer)
    told = {"steps": [*plan.steps, step], "answer": new, "certain": certain}
    course.plan = plan.model_copy(update=told)
    return True


def _given(course: Course) -> dict[str, object]:
    here = course.here
    return {
        "question": course.query.question,
        "task": course.task,
        "truth": course.decides,
        "starts": here.starts,
        "unknown": here.unknown,
        "examples": here.examples,
        "given": bool(course.tools.anchors),
    }


def _planned(course: Course, by: events.PlannedBy) -> events.Planned:
    plan = course.plan
    used = {name for step in plan.steps for name in step.inputs} | {plan.answer}
    return events.Planned(
        starts=tuple(
            events.PlanNode(id=s.name, text=s.candidate.entity.name, mention=s.mention)
            for s in course.here.starts
            if s.name in used
        ),
        steps=tuple(
            events.PlanNode(
                id=step.id,
                text=telling.step_in_words(step, course.tools),
                needs=step.inputs,
                apart=tuple(step.apart),
                plain=step.is_hop,
                believed=tuple(step.believed),
            )
            for step in plan.steps
        ),
        answer=plan.answer,
        thought=plan.thought,
        by=by,
    )


# -- 3 gate ----------------------------------------------------------------------------------

_NO_ANSWER = "What somebody takes for right is no answer: no fact says so."


def _gate(course: Course) -> list[str]:
    """What stands against telling the answer; empty: nothing."""
    plan = course.plan
    if plan.answer in course.params.taken:
        return [_NO_ANSWER]
    if not plan.answer:
        return [*course.problems.values(), "The plan has no step that is the answer yet."]
    behind = list(course.behind(plan.answer))
    problems = [course.problems[step] for step in behind if step in course.problems]
    found = course.sets.get(plan.answer)
    if found is None or not found.members:
        return problems or [f"{plan.answer} has no values."]
    if vague := [course.problems[step] for step in behind if step in course.vague]:
        return vague
    if _suits(list(found.members), plan.expects):
        return []  # that a set on the way is empty may be the answer: there is none
    shown, wanted = telling.shown(found), _KINDS[plan.expects]
    problems.append(f"The answer should be {wanted}, and {plan.answer} is {shown}.")
    return list(dict.fromkeys(problems))


def _is_looked_at(course: Course) -> bool:
    """Whether the model may look: once, where values are told; the reader has seen each step."""
    looks = course.params.look and not course.looked and not course.tools.reads_all
    return looks and course.plan.expects != "prose"


_KINDS: dict[Expected, str] = {
    "things": "things",
    "number": "a number",
    "date": "a date",
    "yes or no": "yes or no",
}


def _suits(values: list[Value], expected: Expected) -> bool:
    match expected:
        case "yes or no":
            return all(isinstance(v, Literal) and v.datatype == BOOLEAN for v in values)
        case "date":
            return all(isinstance(v, Literal) and v.datatype in TIMES for v in values)
        case "number":
            return all(isinstance(v, Literal) and v.datatype not in TIMES for v in values)
        case "things":
            return any(isinstance(v, Entity) or _is_word(v) for v in values)
    return True


def _is_word(value: Value) -> bool:
    """A name, a code or a symbol: neither a number, nor a date, nor yes or no."""
    return isinstance(value, Literal) and value.datatype not in {*TIMES, *NUMBERS, BOOLEAN}


def _ends_here(course: Course) -> bool:
    """Whether nothing that a repair could do leads on; then the plan says what is lacking."""
    why = "" if course.tools.reads_all or course.looked else dead_end(course)
    why = _NO_ANSWER if course.plan.answer in course.params.taken else why
    course.plan = course.plan.model_copy(update={"reason": why}) if why else course.plan
    return bool(why)


# -- 4 repair --------------------------------------------------------------------------------


def _repair(course: Course, problems: list[str]) -> Steps[bool]:
    """One call mends the plan. Whether anything is new."""
    tools = course.tools
    if not tools.reads_all:
        yield events.Step(title="Repair the plan", thought=" ".join(problems))
    facts, near = yield from ruling.near_first(course)
    if not facts:
        facts = yield from _around_failures(course)
    worded = ruling.unsettled(course, facts := list(facts))
    course.shown = facts
    skill: Skill[Any] = REPAIR_RULES if course.takes_rules else REPAIR
    reply = yield from tools.ask(
        skill,
        **_given(course),
        sets=list(course.views.values()),
        facts=facts,
        near=near,
        problems=problems,
        rules=ruling.standing(course),
        worded=worded,
        judged=course.judged,
        read=[entity.name for entity in course.facts.read],
    )
    before = course.plan
    course.mends += 1
    course.plan = before.patched(reply.on(course.handles))
    told = {"steps", "answer", "expects"}
    new = course.plan.model_dump(include=told) != before.model_dump(include=told)
    if new:
        failed = any(step.id in course.problems for step in before.steps)
        course.mended |= failed and not tools.reads_all
        yield _planned(course, "repair")
    if isinstance(reply, ReasonedRepair):
        new = (yield from ruling.take_in(reply, course)) or new
        new = new or any(axiom.premises for axiom in reply.axioms)
    return new or bool(course.plan.reason)


def _around_failures(course: Course) -> Steps[list[Statement]]:
    """Facts around what the failed steps went on from: there may be another way."""
    if course.tools.reads_all:  # it has seen the relations there
        return []
    failed = [step for step in course.plan.steps if step.id in course.problems]
    names = [name for step in failed for name in step.needs if name in course.sets]
    from_ = list(dict.fromkeys(entity for name in names for entity in course.sets[name].entities))
    led = [s for name in names for s in course.sets[name].because]
    question = course.query.question
    near = yield from course.tools.nearest_ends(
        question, from_, led, bounds.FAILED, "looked around"
    )
    return (yield from course.tools.expand(near, about=question)) if near else []


# -- 5 tell, 6 certain -----------------------------------------------------------------------


def _tell(course: Course) -> Steps[Answer]:
    plan, found = course.plan, course.sets[course.plan.answer]
    yield events.Step(title="Answer with " + telling.shown(found))
    if plan.expects == "prose":
        answer = yield from _written(course)
    else:
        answer = telling.tell(_known_first(found, course), _counted(course))
        answer = answer.model_copy(update={"reading": plan.reading})
    doubts = [*looking.doubts(course), *telling.undated(found)]
    if not course.tools.reads_all and _in_part(course):  # the reader has weighed that itself
        doubts.append("the graph may not have all of what was asked for")
        read = f"{answer.reading}{IN_PART}".removeprefix(", ")
        answer = answer.model_copy(update={"reading": read})
    for doubt in dict.fromkeys(doubts):
        yield events.Noted(text=f"Not certain: {doubt}.")
    certain = plan.certain and answer.certain and found.hub is None and not doubts
    return answer.model_copy(update={"certain": certain})


def _known_first(found: NodeSet, course: Course) -> NodeSet:
    """Things of which the graph says more before others, where nothing else puts them in order.

    Sets that are long, in the order of what ranked them, or of times, stay as they are.
    """
    by_id = {step.id: step for step in course.plan.steps}
    ranked = any(by_id[name].do in ("rank", "group") for name in course.behind(course.plan.answer))
    things = [value for value in found.members if isinstance(value, Entity)]
    led = [support[-1] for support in found.members.values() if support]
    if ranked or found.hub is not None or not 1 < len(things) == len(found.members) <= MEMBERS:
        return found
    if any(timeline.when_of(statement) for statement in led):
        return found
    said = [sum(u.count for u in uses) for uses in course.tools.relations_of(things)]
    order = sorted(zip(things, said, strict=True), key=lambda one: -one[1])
    return replace(found, members={thing: found.members[thing] for thing, _ in order})


def _in_part(course: Course) -> bool:
    """Whether the graph may have but a part of what the answer lists, counts or chooses from."""
    answer = course.plan.answer
    weighed = {s.id for s in course.plan.steps if s.do in ("rank", "group", "compute")}
    listed = {answer}  # and what it is kept of
    for step in reversed(course.plan.steps):
        if step.do == "keep" and step.id in listed:
            listed.update(step.inputs)
    return any(
        may_lack(binding.relation, binding.direction, course.sets[step].members, answer in weighed)
        for step in course.behind(answer)
        if (step in listed or answer in weighed) and step not in weighed
        for binding in course.bound.get(step, [])[:1]
    )


def _counted(course: Course) -> list[Value]:
    """What the answer is the number of, if it is one."""
    step = next((s for s in course.plan.steps if s.id == course.plan.answer), None)
    if step is None or step.operation != "count":
        return []
    return list(course.sets[step.of].members)


def _written(course: Course) -> Steps[Answer]:
    """An answer in sentences, from the facts the plan came to and those about what it names."""
    tools, question = course.tools, course.query.question
    behind = [
        step for step in course.plan.steps if step.id in set(course.behind(course.plan.answer))
    ]
    named = [course.plan.answer, *(name for step in behind for name in step.inputs)]
    about = [e for name in named if name in course.sets for e in course.sets[name].entities]
    first = [s for step in behind for s in course.sets[step.id].because]
    ends = list(dict.fromkeys(about))
    ends = yield from tools.nearest_ends(question, ends, first, bounds.TOLD_OF, "read about")
    near = yield from tools.expand(ends, about=question)
    near = [s for s in near if s.subject in ends] or near  # what others have to do with it is much
    facts = list(dict.fromkeys((*first, *tools.relevant(question, near))))
    reply = yield from tools.ask(TELL, question=question, facts=facts)
    answer = yield from compose(question, reply, facts, tools)
    return _cited_only(answer).model_copy(update={"certain": False})  # a text leaves things out


def _cited_only(answer: Answer) -> Answer:
    """Without sentences that cite nothing."""
    kept = tuple(sentence for sentence in answer.sentences if sentence.cites)
    reason = answer.reason or "No sentence of the answer rested on a fact."
    return answer.model_copy(update={"sentences": kept, "reason": "" if kept else reason})


# -- when the plan does not hold -------------------------------------------------------------


def _read(course: Course) -> Steps[Answer | None]:
    """A reading of the facts that were found and the nearest passages; None: no answer there.

    What a prompt has no room for is read in one further call.
    """
    tools, question = course.tools, course.query.question
    if not course.params.passages or tools.reads_all:  # the reader has read them on its way
        return None
    facts: list[Statement | Passage] = [*tools.relevant(question, course.facts.statements)]
    if tools.has_index and tools.has_passages and (yield from tools.reach("passages")) != "none":
        found = yield from tools.nearest_passages([question], bounds.PASSAGES)
        facts += [scored.item for scored in found[0]]
    if not facts or (course.plan.reason and all(isinstance(f, Statement) for f in facts)):
        return None  # what the facts lack was said already
    yield events.Step(title="Read facts and passages together")
    reply, read = yield from read_on(question, facts, tools, readings=_READINGS)
    answer = _cited_only((yield from compose(question, reply, read, tools)))
    return answer.model_copy(update={"certain": False}) if answer.sentences else None


def _by_common_sense(course: Course) -> Steps[Answer | None]:
    """R3's search, where the built-in reader is asked about things that everybody knows.

    None where that decides nothing either. A model has stated what it knows in its rules.
    """
    if not course.tools.reads_all:
        return None
    if between(course.query.question):
        answer = yield from choosing.choose(course.query.question, course.tools, course.params)
        return answer if answer.sentences else None
    if not course.decides or not any(common().named(course.query.question)):
        return None
    params = OfR3(task=course.query.task, rejected=course.params.rejected)
    answer = yield from r3.solve(course.query.question, course.tools, params)
    return answer if answer.sentences else None


def _abstain(course: Course) -> Steps[Answer]:
    """Why there is no answer; and what the model believed, which does not count."""
    needed = {name for step in course.plan.steps for name in step.needs}
    ends = [step for step in course.plan.steps if step.id not in needed]
    believed = [text for step in ends for text in step.believed]
    believed += [rule.axiom.guess for rule in course.rules if rule.axiom.guess][:1]
    if believed and course.params.belief:
        told = ", ".join(dict.fromkeys(believed))
        yield events.Noted(
            text=f"The model believes: {told}. No fact of the graph says so: it does not count.",
            level="belief",
        )
    reason = course.plan.reason
    if not reason and course.rules:
        lacking = ruling.lacking(course)
        reason = f"Undetermined because {lacking or 'no rule was found that would decide it'}."
    if not reason and course.here.unknown:
        names = ", ".join(f"“{name}”" for name in course.here.unknown)
        reason = f"The graph has nothing called {names}."
    problems = " ".join(dict.fromkeys(course.problems.values()))
    if not course.plan.steps:  # nothing was looked at: what there is, for another question
        for start in _clear(course.here.starts)[: bounds.TOLD_ABOUT]:
            yield from course.tools.survey([start.candidate.entity], about=course.query.question)
    reason = reason or problems or "What was read does not contain the answer."
    return Answer(reason=telling.by_names(reason, course.names))


def _clear(starts: Sequence[Start]) -> list[Start]:
    """Those whose name means nothing else here."""
    mentions = Counter(start.mention for start in starts)
    return [start for start in starts if mentions[start.mention] == 1]


METHOD = Method(
    "compass",
    "Compass",
    solve,
    Params,
    "Plans once, has the graph correct the plan and every belief, and abstains rather than guess.",
    "of our own: KGIR, PG&AKV, R3 and Keqing in one",
    learns=learning.learns,
)
