"""Rules of common sense: axioms whose premises facts decide (R3), within the same few calls."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from kgqa_core.ask import bounds, events
from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Steps
from kgqa_core.ask.shown import IN_DEPTH
from kgqa_core.facts import compute
from kgqa_core.facts.decide import evaluate, reach
from kgqa_core.facts.premises import Judgement, Term, folded, words_of
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.compass import telling
from kgqa_core.methods.compass.course import Course, Rule
from kgqa_core.methods.compass.orient import look_around
from kgqa_core.methods.compass.plan import MOST_AXIOMS, PlannedAxiom, ReasonedPlan
from kgqa_core.methods.compass.skills import ReasonedRepair, Standing
from kgqa_core.methods.r3 import checking, judging
from kgqa_core.methods.r3.names import entities_of, resolved
from kgqa_core.methods.r3.query import inside, is_its_name
from kgqa_core.methods.r3.skills import StatedAxiom, Unsettled

_EXACT = 0.97  # score of a name as written
_LIKE = 0.8  # score of a name below which it is another one
_HOPS = 3  # how far a premise is followed
_SAID = {("claim", True): "Correct", ("claim", False): "Incorrect", ("question", True): "Yes",
         ("question", False): "No"}  # fmt: skip


def read_about(entities: Sequence[Entity], course: Course) -> Steps[None]:
    """What the graph says of them, for rules to be held against."""
    fresh = [e for e in dict.fromkeys(entities) if e not in course.facts.read]
    if not fresh:
        return
    found = yield from course.tools.expand(fresh, limit=IN_DEPTH)
    course.facts.add(found, fresh)
    for start in course.here.starts:
        if start.candidate.entity in fresh:
            course.facts.name(start.candidate.entity, start.mention)


def read_names(course: Course) -> Steps[None]:
    """What the graph says of the things that are named, the likeliest of each name."""
    if not course.decides:
        return
    named: dict[str, Entity] = {}
    for start in course.here.starts:
        entity = start.candidate.entity
        if start.candidate.score >= _EXACT or is_its_name(start.mention, entity):
            named.setdefault(start.mention, entity)
    yield from read_about(list(named.values()), course)


def by_rule(course: Course) -> Steps[Answer | None]:
    """The answer of the first rule whose premises the facts decide; None: all are open."""
    yield from _state(course)
    yield from read_names(course)
    for rule in course.rules:
        judged = _stand(rule, course)
        if judging.truth(judged, rule.axiom) is None and not course.tools.reads_all:
            yield from _read_on(rule, course)
            judged = _stand(rule, course)
            judged = (yield from _climbed(rule, course)) or judged
        if not rule.judged or judged != rule.judged:
            rule.judged = judged
            yield from _report(rule)
        truth = judging.truth(judged, rule.axiom)
        if truth is not None:
            return (yield from _conclude(rule, truth, course))
    return None


def _read_on(rule: Rule, course: Course) -> Steps[None]:
    """The facts of what its premises begin with and lead through, for them to be decided by.

    A name that is only like one the graph has stands for that, and is no certainty.
    """
    facts = course.facts
    names = [name for name in entities_of(rule.axiom.premises) if facts.called(name) is None]
    yield from look_around(course.here, names, course.tools)
    for name in names:
        start = next((s for s in course.here.starts if s.mention == name), None)
        if start is None or start.candidate.score < _LIKE:
            continue
        yield from read_about([start.candidate.entity], course)
        facts.name(start.candidate.entity, name)
        rule.likened = rule.likened or start.candidate.score < _EXACT
    for _ in range(_HOPS):
        known = (resolved(p, facts, course.tools.relation) for p in rule.axiom.premises)
        ends = [reach(t, facts) for p in known for t in (p.left, p.right) if t is not None]
        further = dict.fromkeys(e for end in ends for e in (*end.unread, *end.partial))
        onward = [entity for entity in further if entity not in facts.read]
        if not onward:
            return
        asked = rule.axiom.rule
        near = yield from course.tools.nearest_ends(
            asked, onward, facts.statements, bounds.ON_A_RULE, "read"
        )
        yield from read_about(near, course)


def _climbed(rule: Rule, course: Course) -> Steps[list[Judgement]]:
    """How its premises stand once kinds and wholes of what only differs in name are read (R3)."""
    differing = checking.differ(rule.computed.values(), course.facts)
    values = [value for value in differing if value not in rule.climbed]
    rule.climbed.update(values)
    new = yield from checking.climb(values, course.facts, rule.axiom.rule, course.tools)
    return _stand(rule, course) if new else []


def _stand(rule: Rule, course: Course) -> list[Judgement]:
    """Each premise as facts decide it; as the model judged it where facts alone do not.

    That two names differ does not say that they mean different things: that is judged, too. What
    a rule states as known to everybody is part of the rule, unless its own guess speaks against
    it.
    """
    judged = []
    guess, stated = rule.axiom.guess, rule.axiom.answer
    agrees = guess in ("", "yes" if stated else "no") and not course.tools.reads_all
    agrees = agrees and any(p.kind != "meaning" for p in rule.axiom.premises)
    for n, premise in enumerate(rule.axiom.premises):
        known = resolved(judging.about(premise, None), course.facts, course.tools.relation)
        one = rule.computed[n] = evaluate(known, course.facts)
        verdict = rule.verdicts.get(n)
        if verdict is not None and _is_open(one):
            one = judging.read_by_model(one, verdict, course.shown, assume=False)
        elif agrees and one.premise.kind == "meaning" and one.premise.left is None:
            one = rule.computed[n] = judging.as_stated(one)
        elif one.by_names:
            one = judging.left_open(one)
        judged.append(one)
    return judged


def _is_open(judgement: Judgement) -> bool:
    return judgement.premise.left is None or judgement.by_names


def _state(course: Course) -> Steps[None]:
    """Takes up the plan's rules, each once."""
    if not isinstance(course.plan, ReasonedPlan):
        return
    tried = {folded(rule.axiom.rule) for rule in course.rules}
    tried |= {folded(line) for line in course.params.rejected.split("|") if line.strip()}
    for planned in course.plan.axioms[:MOST_AXIOMS]:
        axiom, sets = _on_sets(planned, course)
        if (
            axiom is None
            or folded(axiom.rule) in tried
            or not axiom.premises
            or not axiom.rule.strip()
        ):
            continue
        tried.add(folded(axiom.rule))
        rule = Rule(StatedAxiom.model_validate(axiom, from_attributes=True), len(course.rules))
        course.rules.append(rule)
        for name, entity in sets.items():
            yield from read_about([entity], course)
            rule.likened |= any(step in course.doubts for step in course.behind(name))
        named = [
            s.candidate.entity
            for s in course.here.starts
            if any(inside(n, [axiom.rule]) for n in (s.mention, s.candidate.entity.name))
        ]
        yield events.Axiom(
            text=axiom.rule,
            entities=tuple(dict.fromkeys(named)),
            branch=rule.number,
            premises=tuple(axiom.premises),
            connective=axiom.connective,
            answer=axiom.answer,
            guess=axiom.guess,
        )


def _on_sets(axiom: PlannedAxiom, course: Course) -> tuple[PlannedAxiom | None, dict[str, Entity]]:
    """A rule whose premises speak of starts and steps, on the one thing that each of them is.

    None as long as a step does not lead to one thing.
    """
    terms = [t for p in axiom.premises for t in (p.left, p.right) if t is not None]
    spoken = {t.entity for t in terms if telling.HANDLE.fullmatch(t.entity)}
    ones = {
        name: course.sets[name].entities[0]
        for name in spoken & set(course.sets)
        if course.sets[name].size == len(course.sets[name].entities) == 1
    }
    if spoken - set(ones):
        return None, {}
    names = {name: entity.name for name, entity in ones.items()}

    def on(term: Term | None) -> Term | None:
        entity = names.get(term.entity) if term is not None else None
        return term.model_copy(update={"entity": entity}) if term and entity else term

    premises = [
        p.model_copy(
            update={
                "text": telling.by_names(p.text, names),
                "left": on(p.left),
                "right": on(p.right),
            }
        )
        for p in axiom.premises
    ]
    rule = telling.by_names(axiom.rule, names)
    return axiom.model_copy(update={"rule": rule, "premises": premises}), ones


def _report(rule: Rule) -> Steps[None]:
    for judgement in rule.judged:
        for c in judgement.computed:
            yield events.Computed(
                operation=c.operation,
                arguments=c.arguments,
                result=c.result,
                because=judgement.because,
            )
    yield events.Judged(branch=rule.number, depth=rule.depth, judgements=tuple(rule.judged))


def _conclude(rule: Rule, truth: bool, course: Course) -> Steps[Answer]:
    """Yes or no, with the premises and facts that decide; by the graph alone it is certain."""
    deciding = judging.deciding(rule.judged, rule.axiom, truth)
    guess = rule.axiom.guess
    yield events.Verdict(
        branch=rule.number,
        depth=rule.depth,
        verdict="true" if truth else "false",
        why=" ".join(j.why for j in deciding if j.why),
        believed=guess if guess and (guess == "yes") != truth else "",
    )
    facts = tuple(dict.fromkeys(s for j in deciding for s in j.because))
    if facts:
        yield events.Chosen(statements=facts, why="the verdict rests on these")
    said = _SAID["claim" if course.query.task == "claim" else "question", truth]
    answer = judging.answer(said, deciding, [compute.boolean(truth)], rule.axiom.rule)
    answer = telling.in_sentences(answer)
    likened = rule.likened or _rests_on_likeness(facts, course)
    question, named = course.query.question, list(_named(course))
    certain = judging.certain(rule.axiom, deciding, rule.judged, question, named)
    return answer.model_copy(update={"certain": certain and not likened})


def _named(course: Course) -> Iterator[tuple[str, Entity]]:
    """The names of the question with what they may mean; words that are no names left out."""
    for start in course.here.starts:
        mention, entity = start.mention, start.candidate.entity
        if mention[:1].isupper() or (entity.label[:1].isupper() and mention[:1].isalpha()):
            yield mention, entity


def _rests_on_likeness(facts: Sequence[Statement], course: Course) -> bool:
    """Whether something that the facts are about is only called like a name of the question."""
    named: dict[Entity, bool] = {}
    for start in course.here.starts:
        entity, said = start.candidate.entity, set(words_of(start.mention))
        names = (entity.label, *entity.aliases)
        own = start.candidate.score >= _EXACT or any(said <= set(words_of(n)) for n in names)
        named[entity] = named.get(entity, False) or own
    return any(not named.get(s.subject, True) for s in facts)


# -- what is open ----------------------------------------------------------------------------


def standing(course: Course) -> list[Standing]:
    return [
        Standing(
            rule=rule.axiom.rule,
            premises=[f"{j.premise.text} ({j.state})" for j in rule.judged],
            lacking=judging.lacking(rule.judged),
            depth=rule.depth,
            over=rule.over,
        )
        for rule in course.rules
    ]


def lacking(course: Course) -> str:
    """What of the rules is open, in a few words."""
    texts = [text for rule in course.rules for text in judging.lacking(rule.judged)[:2]]
    return f"{'; '.join(dict.fromkeys(texts))} could not be found" if texts else ""


def in_words(course: Course) -> list[tuple[Rule, int]]:
    """The premises that a model has to judge: in words alone, or decided by names alone."""
    return [
        (rule, n)
        for rule in course.rules
        for n, judgement in rule.computed.items()
        if _is_open(judgement) and judgement.by != "model"
    ]


def unsettled(course: Course, facts: list[Statement]) -> list[Unsettled]:
    """The same as a prompt shows them; what they were computed from joins the facts."""
    told = []
    for rule, n in in_words(course):
        one = rule.computed[n]
        facts += [s for s in one.because if s not in facts]
        told.append(
            Unsettled(
                premise=one.premise.text,
                meaning=one.premise.kind == "meaning",
                computed=one.state if one.premise.left is not None else None,
                by_names=one.state if one.by_names else None,
                facts=[facts.index(s) for s in one.because],
            )
        )
    return told


def near_first(course: Course) -> Steps[tuple[list[Statement], int]]:
    """What was read, with the facts that bear on the last rule first, and how many these are."""
    facts = course.tools.relevant(course.query.question, course.facts.statements)
    if not course.rules or len(facts) <= bounds.ON_RULE:
        return facts, len(facts)
    rule = course.rules[-1].axiom.rule
    if course.tools.has_index:
        (nearest,) = yield from course.tools.nearest_triples([rule], bounds.ON_RULE, among=facts)
        near = [scored.item for scored in nearest]
    else:
        near = course.tools.relevant(rule, facts)[: bounds.ON_RULE]
    return list(dict.fromkeys((*near, *facts))), len(near)


def take_in(reply: ReasonedRepair, course: Course) -> Steps[bool]:
    """Verdicts on premises in words, and the facts of one more name. Whether anything is new."""
    new = False
    for at, (rule, n) in enumerate(in_words(course) if reply.verdicts else []):
        verdict = judging.of_premise(reply.verdicts, at)
        new = new or rule.verdicts.get(n) != verdict
        rule.verdicts[n] = verdict
    course.judged = course.judged or bool(reply.verdicts)
    name = reply.more.strip()
    if name and course.rules:
        rule = course.rules[-1]
        entity = course.facts.called(name)
        known = entity is not None
        if entity is None:
            starts = yield from look_around(course.here, [name], course.tools)
            entity = starts[0].candidate.entity if starts else None
        if entity is not None and entity in course.facts.read:
            entity = None
        yield events.MissingEvidence(
            branch=rule.number,
            depth=rule.depth,
            text="; ".join(judging.lacking(rule.judged)[:2]) or name,
            entity=entity,
            known=known and entity is not None,
        )
        rule.over = entity is None
        if entity is not None:
            yield from read_about([entity], course)
            rule.depth += 1
            course.judged = False
        new = True
    return new
