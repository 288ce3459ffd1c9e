"""Families of axioms about people: how old they are, what their work takes, what they are given.

Each is a generator over a question as `reader.surfacer` has read it, and yields candidates like
the rules there: a general rule about the entities of the question, with premises over the graph.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from kgqa_core.facts.decide import COORDINATES
from kgqa_core.facts.premises import Operator, Premise, Term, contains, folded
from kgqa_core.reader.commonsense import said, within
from kgqa_core.reader.rules.subject import Candidate, Subject
from kgqa_core.reader.words import NUMBER_WORDS
from kgqa_core.text import stems

if TYPE_CHECKING:
    from kgqa_core.reader.surfacer import Surfacer

# -- ages ------------------------------------------------------------------------------------

_TENS = {
    word: 10 * n
    for n, word in enumerate(
        "twenties thirties forties fifties sixties seventies eighties nineties".split(), 2
    )
}
_TENTHS = {
    word: 10 * n
    for n, word in enumerate(
        "tenth twentieth thirtieth fortieth fiftieth sixtieth seventieth eightieth ninetieth "
        "hundredth".split(),
        1,
    )
}
_NUMBER = rf"(\d{{1,3}})(?:st|nd|rd|th)?|({'|'.join((*_TENTHS, *NUMBER_WORDS))})"
_WORDED: tuple[tuple[str, Operator], ...] = (
    (r"\b(?:before|without) (?:turning|reaching|becoming|the age of|(?:his|her|their)) N\b",
     "<"),
    (r"\b(?:younger than|not yet|under the age of|below the age of) N\b(?! year)", "<"),
    (r"\b(?:past|over|beyond|older than|above) (?:the age of |age )N\b", ">"),
    (r"\bolder than N\b", ">"),
    (r"\b(?:live|lives|lived|living|reach|reached|turn|turned|survive|survived|made it)\b"
     r"(?: \w+){0,2}? (?:to be |to (?:the (?:ripe )?(?:old )?)?(?:age of )?|the age of |"
     r"(?:his|her|their) |past |until )?N\b(?: birthday| years)?", "≥"),
    (r"\b(?:celebrat\w+|saw|see|have) (?:his|her|their|a) N birthday", "≥"),
    (r"\b(?:aged|at the age of|at age|was|is) N(?: years? old)?(?: when| at)\b", "="),
)  # fmt: skip
_AGES = [(re.compile(w.replace("N", f"(?:{_NUMBER})")), operator) for w, operator in _WORDED]
_LIVED_OUT = re.compile(r"\b(?:died?|death|dies|passed away|lived?|lives|life|killed|survived?)\b")


def aged(q: Surfacer) -> Iterator[Candidate]:
    """So many years old, at a date, at death, or today; what only people of an age do."""
    text = folded(q.question)
    for subject in q.subjects[:2]:
        if not q.is_person(subject) or not q.may_say(subject, q.rules.relations("birth")):
            continue
        spans: list[tuple[Operator, int, str]] = []
        for words, operator in _AGES:
            if (found := words.search(folded(subject.asked))) and _LIVED_OUT.search(text):
                spans.append((operator, _number_in(found), found[0]))
                break
        if not spans and (tens := re.search(r"\bin (?:his|her|their) (?:(\d)0s|(\w+))\b", text)):
            first = int(tens[1]) * 10 if tens[1] else _TENS.get(tens[2], 0)
            if first:
                spans = [("≥", first, tens[0]), ("<", first + 10, tens[0])]
        sure = bool(spans)
        if not spans:
            spans = [*_of_an_age(q, subject)]
        if not spans:
            continue
        year = re.search(r"\bin (1[0-9]{3}|20[0-9]{2})\b", folded(subject.asked))
        at = (year[1],) if year else ()
        left = Term(entity=subject.entity.name, path=subject.path, function="age", constants=at)
        when = f"in {at[0]}" if at else "then"
        premises = [
            Premise(
                text=f"{subject.words} is {operator} {years} years old {when}",
                left=left,
                operator=operator,
                right=Term(constants=(str(years),)),
            )
            for operator, years, _ in spans
        ]
        rule = f"{spans[0][2].capitalize()}: {' and '.join(p.text for p in premises)}."
        yield q.one(8.7, rule, *premises, answer=not q.negative or sure, strict=sure)


def _of_an_age(q: Surfacer, subject: Subject) -> Iterator[tuple[Operator, int, str]]:
    """The longest phrase of the question that goes with an age, with its bounds."""
    asked = stems(subject.asked)
    found = [(len(phrase), span) for phrase, span in q.rules.ages.items() if within(asked, phrase)]
    if found:
        _, (name, low, high) = max(found)
        if low:
            yield "≥", low, name
        if high:
            yield "≤", high, name


def _number_in(found: re.Match[str]) -> int:
    digits, word = found.groups()
    return int(digits) if digits else _TENTHS.get(word) or NUMBER_WORDS[word]


# -- work ------------------------------------------------------------------------------------

_HINDERS = said("hinders")
_MANAGES = said("manages")


def impaired(q: Surfacer) -> Iterator[Candidate]:
    """What hinders somebody whose work takes what an illness or a loss takes away."""
    text = folded(q.question)
    asked = stems(q.question)
    found = [(len(p), row) for p, row in q.rules.impairments.items() if set(p) <= set(asked)]
    if not found:
        return
    name, needs, values = max(found)[1]
    hinders = _HINDERS.search(text) is not None
    if not hinders and not _MANAGES.search(text):
        return
    for subject in q.subjects[:1]:
        if not q.is_person(subject) or not q.may_say(subject, q.rules.relations("work")):
            continue
        rule = f"{name.capitalize()} is in the way of {subject.words} at a job that takes {needs}."
        text = f"The profession of {subject.words} takes {needs}"
        left, right = q.along(subject, "work"), Term(constants=values)
        yield q.claim(8.3, rule, left, right, text=text, answer=hinders, strict=False)


_AS = said("as")


def employed(q: Surfacer) -> Iterator[Candidate]:
    """Somebody who is called by a profession, or said to work as one, has it among theirs."""
    for order, subject in enumerate(q.subjects[:2]):
        if not q.is_person(subject) or not q.may_say(subject, q.rules.relations("work")):
            continue
        asked = q.unnamed(subject.asked)
        words = stems(asked)
        named = [p for p in q.rules.professions if within(words, p)]
        named = [p for p in named if _predicated(asked, q.rules.professions[p])]
        if not named:
            continue
        name = q.rules.professions[max(named, key=len)]
        values = (name, *q.rules.classes.get(name, ()))
        rule = f"{subject.words} must be a {name}."
        left, right = q.worked(subject, values), Term(constants=values)
        text = f"The profession of {subject.words} is {name}"
        score = 6.2 - 0.6 * order + 0.35 * len(max(named, key=len))
        yield q.claim(score, rule, left, right, text=text, answer=not q.negative, strict=False)


def _predicated(asked: str, name: str) -> bool:
    """“is a judge”, “works as a judge”; not “knows a judge”, “the judge said”."""
    before = re.search(rf"((?:\S+ ){{0,4}})\S*{re.escape(folded(name)[:-1])}", folded(asked))
    if before is None or not _AS.search(before[1]):
        return False
    said = folded(asked)[: before.end()]
    return re.search(
        r"\b(?:is|was|are|were|be|been|being|become|became|becoming|as|works?|worked|career|"
        r"job|living|employed|hired|known|call\w*|consider\w*|profession\w*|title|make|made)\b",
        said,
    ) is not None and not re.search(
        r"\b(?:call|see|need|visit|hire|ask|met|meet|know|consult|like|fan of|married to|"
        r"than|by|with|from) (?:an?|the) (?:\S+ ){0,2}$",
        folded(asked)[: before.start() + len(before[1])],
    )


# -- prizes ----------------------------------------------------------------------------------


def awarded(q: Surfacer) -> Iterator[Candidate]:
    """Who is said to have a prize has it among the awards received."""
    text = folded(q.question)
    asked = stems(q.question)
    found = [(len(p), name) for p, name in q.rules.prizes.items() if within(asked, p)]
    named = [
        o.entity.name
        for o in q.subjects
        if not o.common
        and o.place < len(q.question)
        and not q.is_person(o)
        and any(contains(o.entity.name, w) for w in ("award", "prize", "medal", "order"))
    ]
    names = named or ([max(found)[1]] if found else [])
    if not names or re.search(r"\bsame\b", text):
        return
    for subject in q.subjects[:1]:
        if subject.entity.name in names or not q.may_say(subject, q.rules.relations("award")):
            continue
        rule = f"{subject.words} must have received the {names[0]}."
        left, right = q.along(subject, "award"), Term(constants=tuple(names))
        yield q.claim(8.1, rule, left, right, answer=not q.negative, strict=False)


# -- seasons ---------------------------------------------------------------------------------

_MONTHS = {
    m: n
    for n, m in enumerate(
        "january february march april may june july august september october november "
        "december".split(),
        1,
    )
}
_COLD = re.compile(
    r"\b(?:winter|cold|snow\w*|coats?|scar(?:f|ves)|gloves|freez\w+|mittens|heating|sweaters?|icy?|"
    r"short(?:est)? days?)\b"
)
_WARM = said("warm")


def seasonal(q: Surfacer) -> Iterator[Candidate]:
    """July is in summer north of the equator, in winter south of it; halves of the earth."""
    text = folded(q.question)
    months = [n for m, n in _MONTHS.items() if re.search(rf"\b{m}\b", text)]
    warm, cold = _WARM.search(text), _COLD.search(text)
    north: bool | None = None
    rule = ""
    if half := re.search(r"\b(northern|southern) hemisphere|\b(north|south) of the equator", text):
        north = (half[1] or half[2]).startswith("north")
        rule = "{X} must lie " + ("north" if north else "south") + " of the equator."
    elif len(months) == 1 and months[0] in {1, 2, 6, 7, 8, 12} and bool(warm) != bool(cold):
        north = (months[0] in {6, 7, 8}) == bool(warm)
        season = "summer" if warm else "winter"
        side = "north" if north else "south"
        rule = f"It is {season} in that month {side} of the equator, where {{X}} must lie."
    if north is None:
        return
    for subject in q.subjects[:2]:
        if q.is_person(subject):
            continue
        operator: Operator = ">" if north else "<"
        sentence = rule.replace("{X}", subject.words)
        if q.may_say(subject, COORDINATES):
            left = subject.term(function="latitude")
            right = Term(constants=("0",), function="latitude")
            answer = not q.negative
            yield q.claim(
                9.0, sentence, left, right, operator=operator, answer=answer, strict=bool(half)
            )
            return
        if (home := q.country(subject)) is not None:
            land, itself = home
            left = subject.term() if itself else q.along(subject, "country")
            side = "north" if land.north >= 0 else "south"
            text = f"{subject.words} is in {land.name}, about {abs(land.north):g}° {side}"
            answer = ((land.north > 0) == north) != q.negative
            right = Term(constants=(land.name,))
            yield q.claim(9.0, sentence, left, right, text=text, answer=answer, strict=bool(half))
            return
