"""Families of axioms about time: what was there together, what has ended."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgqa_core.facts import relations, timeline
from kgqa_core.facts.decide import evaluate
from kgqa_core.facts.lifetimes import interval_of
from kgqa_core.facts.premises import (
    Hop,
    Operator,
    Premise,
    Term,
    folded,
)
from kgqa_core.reader.commonsense import Era, said, within
from kgqa_core.reader.rules.subject import Candidate, Subject
from kgqa_core.text import stems

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer


LIVED = re.compile(
    r"\b(?:could|can|might|may)\b.*\bhave (?:ever |personally )?(?:met|known|seen|heard|read|used|"
    r"watched|attended|flown|listened|visited|corresponded|spoken|talked|driven|taught|"
    r"interviewed|photographed|danced|shaken|travelled|traveled|sent|written to|tuned|bought|owned|"
    r"operated|ridden|streamed|posted|typed|phoned|tweeted|been (?:a guest|vaccinated))\b|"
    r"\bcontemporar\w+|\b(?:live|lived|alive)\b.*\b(?:same time|during|when|while)\b|"
    r"\b(?:lifetimes?|lives) overlap"
)


def over(q: Surfacer) -> Iterator[Candidate]:
    """What has ended or never was: bachelors, the childless, the dead, what is no more."""
    text = folded(q.question)
    for words, group, exists, rule in q.rules.endings:
        if not words.search(text):
            continue
        operator: Operator = "exists" if exists else "absent"
        for subject in q.subjects[:1]:
            known = bool(q.facts.about(subject.entity)) or subject.path
            if not known:
                continue
            relations = q.rules.relations(group)
            hop = Hop(relation=relations)
            if group == "divorce":
                others = [s.entity.name for s in q.subjects[1:2]]
                hop = Hop(
                    relation=q.rules.relations("spouse"),
                    only="|".join(others),
                    qualifier=_END,
                )
            if group == "death" and not q.is_person(subject):
                continue
            base = q.base(subject, relations)
            sentence = rule.replace("{X}", base.words)
            premise = Premise(
                text=sentence.rstrip("."), left=base.term(hop), operator=operator, closed=True
            )
            if sentence.startswith("Who still"):  # to be alive is only the beginning of it
                dead = evaluate(premise, q.facts).state == "violated"
                yield q.one(8.4 if dead else 2.2, sentence, premise, strict=dead)
            else:
                yield q.one(8.4, sentence, premise)


def dated(q: Surfacer) -> Iterator[Candidate]:
    """Somebody must have lived, something existed, when there was what the question names."""
    if _WOULD_LIKE.search(folded(q.question)):
        return  # what somebody could not know, they might still have liked
    eras = [*_named_times(q), *_inventions(q)]
    moment = _moment(q)
    for era, exact in eras:
        if moment and any(_bound(q, s, moment) for s in q.subjects if _is_era(s, era)):
            continue  # the graph dates it to the day: see `together`
        for subject in q.subjects[:2]:
            if subject.path or not datable(q, subject):
                continue
            if _is_era(subject, era):
                continue  # the thing itself
            what, dates = _turn(q, subject) if exact else ("have lived", "")
            left = subject.term(function="lifetime")
            if dates:
                left = subject.term(Hop(relation=dates), function="lifetime")
            ends = (era.since, era.until) if era.until else (era.since,)
            operator: Operator = "overlaps" if era.until else "≥"
            span = f"{era.since}–{era.until}" if era.until else f"since {era.since}"
            if not dates and era.until and _SAW_END.search(folded(subject.asked)):
                ends, operator, span = (era.until,), "≥", f"until {era.until}"
            rule = f"{subject.words} must {what} at the time of {_as_asked(q, era)} ({span})."
            when = era.since if moment == "began" else era.until
            if moment and when:
                ends, operator = (when,), "overlaps"
                rule = (
                    f"{subject.words} must have lived when {_as_asked(q, era)} {moment} ({when})."
                )
            premise = Premise(
                text=rule.rstrip("."),
                left=left,
                operator=operator,
                right=Term(constants=ends, function="lifetime"),
            )
            found = _timed(q, rule, premise, sure=bool(dates))
            if exact or found.score > _WEAK or not _OF_MIND.search(folded(q.question)):
                yield found  # that there was chocolate says nothing of who likes it
            break


def _as_asked(q: Surfacer, era: Era) -> str:
    """What names an era, as the question writes it: “the Eiffel Tower”, “a telephone”."""
    name = re.escape(era.name)
    found = re.search(rf"\b(?:(?:the|an?) )?{name}\b", q.question, re.IGNORECASE)
    return found[0] if found else era.name


def _is_era(subject: Subject, era: Era) -> bool:
    return within(stems(subject.entity.name), stems(era.name))


def _moment(q: Surfacer) -> str:
    """Whether it is asked who was alive when something `began` or `ended`."""
    text = folded(q.question)
    if not _ALIVE.search(text):
        return ""
    return next((which for which, words in _MOMENTS.items() if words.search(text)), "")


def _bound(q: Surfacer, event: Subject, moment: str) -> Term | None:
    """When an event began or ended, if the facts say so."""
    relation = _BOUNDS[moment]
    if q.is_person(event) or not q.facts.out(event.entity, relation):
        return None
    return event.term(Hop(relation=relation), function="lifetime")


def _turn(q: Surfacer, subject: Subject) -> tuple[str, str]:
    """What is said to have happened to it at a time, and the relations that date it."""
    asked, person = folded(subject.asked), q.is_person(subject)
    for words, of_person, what, group in q.rules.turns:
        relations = q.rules.relations(group)
        if of_person == person and words.search(asked) and q.may_say(subject, relations):
            return what, relations
    return "have lived", ""


def _named_times(q: Surfacer) -> Iterator[tuple[Era, bool]]:
    """Years, decades and centuries as the question writes them."""
    text = folded(q.question)
    if found := re.search(r"\b(\d{1,2})(?:st|nd|rd|th)[- ]century", text):
        first = 100 * (int(found[1]) - 1)
        yield Era(found[0], f"{first + 1:04d}", f"{first + 100:04d}"), True
    if found := re.search(r"\b(\d{3})0s\b", text):
        yield Era(found[0], f"{found[1]}0", f"{found[1]}9"), True
    outside = " ".join(folded(s.asked) for s in q.subjects[:1]) or text
    names = " ".join(folded(s.entity.name) for s in q.subjects)
    for found in re.finditer(r"\b(1[0-9]{3}|20[0-9]{2})\b", outside):
        if found[1] not in names:
            before = re.search(rf"\bbefore {found[1]}", outside)
            after = re.search(rf"\b(?:after|since) {found[1]}", outside)
            since, until = found[1], found[1]
            if before:
                since = "0001"
            if after:
                until = ""
            yield Era(found[1], since, until), True


def _inventions(q: Surfacer) -> Iterator[tuple[Era, bool]]:
    found = [
        (len(phrase), era)
        for phrase, era in q.rules.eras.items()
        if within(stems(q.unnamed(q.question)), phrase)
    ]
    text = folded(q.question)
    for _, era in sorted(found, key=lambda pair: -pair[0])[:2]:
        name = re.escape(folded(era.name))
        if re.search(rf"\b(?:before|prior to|ahead of) (?:the )?{name}", text):
            yield Era(f"before {era.name}", "0001", era.since), True
        else:
            yield era, False


def _timed(q: Surfacer, rule: str, premise: Premise, *, sure: bool) -> Candidate:
    """A time that does not fit decides; one that fits is only the beginning of a reason."""
    state = evaluate(premise, q.facts).state
    possible = re.search(r"\b(?:could|can|may|might|possible|ever)\b", folded(q.question))
    score = 8.6 if state == "violated" or sure else 4.6 if possible else _WEAK
    gone = _GONE.search(folded(q.question)) is not None
    denied = len(_DENIED.findall(folded(q.question))) % 2 == 1
    found = q.one(score, rule, premise, answer=denied == gone)
    if state == "satisfied" and _vague(q, premise):
        return Candidate(score, found.axiom.model_copy(update={"strict": False}))
    if score > _WEAK or LIVED.search(folded(q.question)):
        return found
    return Candidate(score, found.axiom.model_copy(update={"strict": False}))


def _vague(q: Surfacer, premise: Premise) -> bool:
    """Whether one of the dates is not known: then nothing shows that it was the time."""
    entity = q.facts.called(premise.left.entity) if premise.left else None
    return entity is not None and bool(interval_of(entity, q.facts).lacks)


def together(q: Surfacer) -> Iterator[Candidate]:
    """Who acts on something, or with somebody, must live when it is there."""
    dated = [s for s in q.subjects if not s.path and datable(q, s)]
    if len(dated) < 2:
        return
    a, b = dated[0], dated[1]
    text = folded(q.question)
    if _WOULD_LIKE.search(text) or (_ALIKE.search(text) and not _AT_ONCE.search(text)):
        return
    if re.search(r"\bsame (?!time|era|age|period|century|years?)", folded(q.question)):
        return  # who shares something need not have been there together
    moment = _moment(q)
    if moment:
        for one, event in ((a, b), (b, a)):
            bound = _bound(q, event, moment)
            if bound is not None:
                yield _alive_then(q, one, event, moment, bound)
                return
    two = q.is_person(a) and q.is_person(b)
    at_once = re.search(r"\b(?:during|while)\b", text)
    later = not at_once and (_HEARD if two else _LATER).search(text)
    operator: Operator = "≥" if later else "overlaps"
    lived = "lived" if two else "been there"
    rule = (
        f"{a.words} must not be over before {b.words} begins."
        if later
        else f"{a.words} and {b.words} must have {lived} at the same time."
    )
    premise = Premise(
        text=rule.rstrip("."),
        left=_when(q, a),
        operator=operator,
        right=_when(q, b),
    )
    held = _in_office(q, a) and _in_office(q, b)
    found = _timed(q, rule, premise, sure=held)
    dated_anew = not two and not at_once and any(q.facts.out(s.entity, _PLACED) for s in (a, b))
    if (two and not held and _brief(q, a, b)) or dated_anew:
        axiom = found.axiom.model_copy(update={"strict": False})
        found = Candidate(found.score, axiom)
    yield found


def _alive_then(q: Surfacer, one: Subject, event: Subject, moment: str, bound: Term) -> Candidate:
    """Who is alive at a moment was born before it, and did not die before it."""
    rule = f"{one.words} must have been alive when {event.words} {moment}."
    premise = Premise(text=rule.rstrip("."), left=_when(q, one), operator="overlaps", right=bound)
    return _timed(q, rule, premise, sure=True)


def _brief(q: Surfacer, a: Subject, b: Subject) -> bool:
    """Whether two lived at the same time for a few years only, one of them as a child."""
    one, other = (interval_of(s.entity, q.facts) for s in (a, b))
    if None in (one.first, one.last, other.first, other.last):
        return False
    first = max(i.first for i in (one, other) if i.first is not None)
    last = min(i.last for i in (one, other) if i.last is not None)
    return 0 <= last - first < _CHILDHOOD


def datable(q: Surfacer, subject: Subject) -> bool:
    if _in_office(q, subject) or interval_of(subject.entity, q.facts).known:
        return True
    if LIVED.search(folded(q.question)) is None:
        return False
    return q.is_person(subject) or bool(q.facts.out(subject.entity, _MADE))


def _when(q: Surfacer, subject: Subject) -> Term:
    """When somebody lived, or was in office where the question is about that."""
    hop = Hop(relation=q.rules.relations("office"))
    path = (hop,) if _in_office(q, subject) else ()
    return subject.term(*path, function="lifetime")


def _in_office(q: Surfacer, subject: Subject) -> bool:
    """Whether the question is about offices, and the facts date one of this person."""
    held = q.facts.out(subject.entity, q.rules.relations("office"))
    dated = any(timeline.qualifier(s, timeline.START | timeline.END) for s in held)
    return dated and _OFFICE.search(folded(q.question)) is not None


_ALIVE = re.compile(r"\b(?:alive|living|lived?|around|dead)\b")
_MOMENTS = {
    "began": re.compile(
        r"\b(?:when|as|once|by the time)\b.*\b(?:began|begun|started|broke out|erupted)\b|"
        r"\bat the (?:beginning|start|outbreak|onset) of\b"
    ),
    "ended": re.compile(
        r"\b(?:when|as|once|by the time)\b.*\b(?:ended|finished|concluded|over|came to an end)\b|"
        r"\bat the (?:end|close|conclusion) of\b"
    ),
}
_END = relations.row("end time").spelled
_BEGINNINGS = relations.row("start time"), relations.row("inception")
_BOUNDS = {
    "began": "|".join(known.spelled for known in _BEGINNINGS),
    "ended": "|".join(relations.row(known.end).spelled for known in _BEGINNINGS),
}
_CHILDHOOD = 3653  # days
_WEAK = 2.4  # score of a time that fits, where more than time is asked
_OFFICE = said("office")
_LATER = said("later")
_OF_MIND = said("of mind")
_SAW_END = re.compile(
    r"\b(?:see|saw|witness\w*|until|till|through|survive[ds]?|outlive[ds]?|at|after) (?:all of )?"
    r"(?:the )?(?:end|conclusion|outcome|close) of\b"
)
_GONE = re.compile(
    r"\b(?:dead|gone|buried|in (?:his|her|their) grave|(?:already|have|had) died)\b.*"
    r"\b(?:by|before|when|at the time|during)\b"
)
_DENIED = re.compile(
    r"\b(?:could|did|was|were|would|can|had|has|is|does|do|may|might) ?"
    r"(?:not|n't|never)\b|\bcannot\b|\bnever\b|\bimpossible\b|\bunable to\b|\bunlikely\b"
)
_PLACED = relations.either("told of a place")  # a country is older than the state of today
_MADE = relations.either("maker")  # what has a beginning, known or not
_WOULD_LIKE = re.compile(  # counterfactual: of likes and opinions
    r"\bprefers?\b|\bwould\b.*\b(?:enjoy\w*|lik(?:e|ed)|lov(?:e|ed)|appreciat\w+|prefer\w*|hat(?:e|ed)|"
    r"approv\w+|agree\w*|admir\w+|support\w*|be (?:happy|pleased|proud|fond|fan)\w*)\b"
)
_ALIKE = said("alike")  # what two share at whatever time
_AT_ONCE = re.compile(r"\b(?:met|meet|during|while|when|at the same time|together)\b")
_HEARD = said("heard")  # of somebody who may be long dead
