"""Two questions in one text: “Who founded Microsoft and when?”

The second is often cut short, or goes on from the first: “when” alone asks when that was which the
first asks about, “its population” what that is, and “he” is whom it asks for, or whom it names.
Each is put as it would be put alone, and both answers are told together. What of them has no
answer is said. So it is for every method while the built-in reader reads, which reads one question
at a time; a model reads both.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import wraps

from pydantic import BaseModel

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.follow_up import carried
from kgqa_core.ask.method import Method
from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.terms import Entity, Statement
from kgqa_core.methods.letter import LINK, asking_in, parts_of
from kgqa_core.methods.recast import AUX, PARTICIPLES, QUESTION

_A_QUESTION = 3  # words at least: “what then?” is none
Ask = Callable[[str], Steps[Answer]]

_WH = r"(?:who|whom|what|where|when|which|whose|how)"
_BE = r"(?P<be>is|are|was|were)"
_POINTING = rf"{AUX} (?:he|she|it|they)\b"
_AND = re.compile(
    rf"(?P<first>(?:{_WH}|is|are|was|were|do|does|did|has|have)\b.+?),?\s+and\s+"
    rf"(?P<second>(?:(?:in |on |at )?{_WH}|{_POINTING})\b[^?]*?)",
    re.IGNORECASE,
)
_ADDED = re.compile(  # where was Ann born, which country
    rf"(?P<first>where (?:{AUX}) .+?), (?P<second>(?:in )?(?:which|what) [a-z]+)",
    re.IGNORECASE,
)
_OWNED = re.compile(  # what is the capital of Chad and its population
    r"(?P<first>(?:what|who)(?: (?:is|was|are|were)|['’](?:s|re)) .+?),?\s+and\s+"
    r"(?P<second>(?:its|his|her|their)(?: [a-z]+){1,4})",
    re.IGNORECASE,
)
_BOTH = re.compile(
    rf"(?P<one>when|where) and (?P<other>when|where) (?P<rest>(?:{AUX}) .+)", re.IGNORECASE
)
_SHORT = re.compile(
    r"(?P<asks>when|where|(?:in |at |on )?(?:which|what) (?:year|date|day|country|city|town))"
    r"(?: (?:was|is) (?:it|that|this))?",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    rf"(?:in |on |at )?(?:(?:when|where|what|who|whom|how)\b(?: \w+){{0,3}}?|(?:which|whose|what)"
    rf"(?: \w+){{1,3}}?) (?:{AUX})(?:n['’]t)? \S+.*|how many \w+ \w+ .+|{_POINTING} .+"
    r"|who \w+ (?:it|him|her|them|his|its|their|there)\b.*",
    re.IGNORECASE,
)
_WHO_ELSE = re.compile(r"(?:who|which) \w+", re.IGNORECASE)
_DID = re.compile(r"who (?P<did>[a-z]+) (?P<what>.+)", re.IGNORECASE)
_WAS = re.compile(
    rf"(?:when|where|who|how(?: \w+)?) {_BE} (?P<what>.+)|(?:(?:when|where) )?did (?P<did>.+)", re.I
)
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|there)\b", re.IGNORECASE)
_ITS = re.compile(r"\bits\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_ELSE = re.compile(r"\b(?P<asks>what|who|which \w+) else\b", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(
    r"(?:what|which|who)(?: (?:is|was)|['’]s) the (?:.+ of|\w+est|most \w+)\b|which [a-z]+ ", re.I
)


def asking_both(method: Method) -> Method:
    """The method, which of two questions asks each where the built-in reader reads."""
    if not method.uses_graph:
        return method

    @wraps(method.solve)
    def solve(question: str, tools: Toolkit, params: BaseModel) -> Steps[Answer]:
        read = not getattr(tools.llm, "sees_prompts", True)
        asked = getattr(params, "task", "auto") in ("auto", "question")
        two = halves(question) if read and asked else None
        if two is None:
            return (yield from method.solve(question, tools, params))
        return (yield from ask_both(*two, lambda one: method.solve(one, tools, params)))

    return replace(method, solve=solve)


def halves(question: str) -> tuple[str, str] | None:
    """The two questions of a text, the second as it goes on from the first; None: it is one."""
    text = question.strip().rstrip("?.! ")
    if two := _in_one(text):
        return two
    *told, (last, mark) = parts_of(question.strip()) or [("", "")]
    _, asked = asking_in(last, marked="?" in mark, last=True)
    two = _in_one(asked)
    if two is None and told and "?" in told[-1][1]:
        one, _ = told.pop()
        sure = QUESTION.match(one) and len(one.split()) >= _A_QUESTION
        two = _two(one, LINK.sub("", last), apart=True) if sure else None
    if two is None or any("?" in mark for _, mark in told):
        return None
    return " ".join([*(f"{part}{mark}" for part, mark in told), two[0]]), two[1]


def _in_one(text: str) -> tuple[str, str] | None:
    """The two questions of one sentence."""
    if (found := _BOTH.fullmatch(text)) and found["one"].lower() != found["other"].lower():
        return f"{found['one']} {found['rest']}?", f"{found['other'].capitalize()} {found['rest']}?"
    if "?" in text:
        return None
    if found := _OWNED.fullmatch(text):
        return f"{found['first']}?", f"{found['second'].capitalize()}?"
    found = _AND.fullmatch(text) or _ADDED.fullmatch(text)
    return _two(found["first"], found["second"]) if found else None


def _two(first: str, second: str, *, apart: bool = False) -> tuple[str, str] | None:
    """Both, in full. `apart`: they are two sentences."""
    if (short := _SHORT.fullmatch(second)) and (whole := _in_full(short["asks"], first)):
        return f"{first}?", f"{whole}?"
    again = re.search(rf"\w .*\b(?:{_WH}|that|between|both)\b", first, re.IGNORECASE)
    points = any(form.search(second) for form in (_PERSON, _THING, _THEY))
    if short and not points:
        return f"{first}?", ""
    if apart and re.match(rf"{AUX}\b", second, re.IGNORECASE):
        return None  # who wrote it? was it Goethe?
    if again or not _WHOLE.fullmatch(f"{second} so" if short else second):
        return None
    if not points and (apart or _WHO_ELSE.match(second)):
        return None  # who wrote Faust and who was born in Ulm: one person is asked for
    return f"{first}?", f"{second[:1].upper()}{second[1:]}?"


def _in_full(asks: str, first: str) -> str:
    """What “when” asks after a first question; empty where that is not seen."""
    asks = asks[:1].upper() + asks[1:]
    if re.match(r"(?:which|what) (?:year|country|city|town)$", asks, re.IGNORECASE):
        asks = f"In {asks.lower()}"
    if found := _WAS.fullmatch(first):
        return (
            f"{asks} did {found['did']}"
            if found["did"]
            else f"{asks} {found['be']} {found['what']}"
        )
    if found := _DID.fullmatch(first):
        did = found["did"].lower()
        made = PARTICIPLES.get(did) or (did if did.endswith("ed") else "")
        return f"{asks} was {found['what']} {made}" if made else ""
    return ""


def ask_both(first: str, second: str, ask: Ask) -> Steps[Answer]:
    """The answers to both; certain where both are. `second` empty: nobody knows what it asks."""
    yield events.Step(title="Two questions: the first", thought=first)
    named: list[Entity] = []
    one = yield from _watched(ask(first), named)
    ways = _going_on(second, first, one, named)
    other = Answer(reason="It is not clear what it asks.")
    whole = second or "its second part"
    for whole in ways:
        yield events.Step(title="Two questions: the second", thought=whole)
        other = yield from ask(whole)
        if other.sentences:
            break
    if len(ways) > 1 and (whole != ways[0] or _ITS.search(second)):  # nobody said which is meant
        other = other.model_copy(update={"certain": False})
    if not (one.sentences or other.sentences):
        return one
    for question, answer in ((first, one), (whole, other)):
        if not answer.sentences:
            yield events.Noted(text=f"Not answered: {question} {answer.reason}", level="warning")
    return _joined(one, other, whole, first)


def _watched(steps: Steps[Answer], named: list[Entity]) -> Steps[Answer]:
    """The steps as they are; what the question names is noted in `named`."""
    while True:
        try:
            event = next(steps)
        except StopIteration as end:
            answer: Answer = end.value
            return answer
        if isinstance(event, events.Anchored):
            named.append(event.entity)
        yield event


def _going_on(second: str, first: str, one: Answer, named: Sequence[Entity]) -> list[str]:
    """The second question with names for its pronouns, the likeliest first; none: it is not clear
    whom they mean.
    """
    if not second or not any(form.search(second) for form in (_PERSON, _THING, _THEY)):
        return [second] if second else []
    values = [value for value in one.values if isinstance(value, Entity)]
    cited = [s.subject for s in one.citations if isinstance(s, Statement)]
    here = list(dict.fromkeys(named or [e for e in cited if e.name.lower() in first.lower()]))
    somebody = _PERSON.search(second) and first.lower().startswith("who")
    if _THEY.search(second) and len(values) > 1:
        return _without_pronouns([carried(second, values, (), values)])
    meant = [here]
    if somebody:
        meant = [values]
    elif _ASKS_FOR_ONE.match(first) and values:
        meant = [values, here] if _THING.search(second) else [values]
    ways = []
    for ones in meant:
        if len(ones) == 1:
            people = {ones[0].id} if not _THING.search(second) else set()
            ways.append(carried(second, ones, people))
    if _ELSE.search(second) and len(here) == 1:  # than what was named already
        apart = f"Apart from {here[0].name}, "
        ways = [apart + _ELSE.sub(lambda m: m["asks"].lower(), way) for way in ways]
    return _without_pronouns(ways)


def _without_pronouns(questions: Sequence[str]) -> list[str]:
    return [
        one
        for one in dict.fromkeys(questions)
        if not any(form.search(one) for form in (_PERSON, _THING, _THEY))
    ]


def _joined(one: Answer, other: Answer, second: str, first: str) -> Answer:
    """Both as one answer; its reading says which of them has none."""
    told = [answer for answer in (one, other) if answer.sentences]
    shift, sentences = 0, list[Sentence]()
    for answer in told:
        sentences += (sentence.behind(shift) for sentence in answer.sentences)
        shift += len(answer.citations)
    readings = [
        answer.reading or question.rstrip("?") if answer.sentences else f"not answered: {question}"
        for question, answer in ((first, one), (second, other))
    ]
    return Answer(
        sentences=tuple(sentences),
        values=tuple(dict.fromkeys(value for answer in told for value in answer.values)),
        citations=tuple(fact for answer in told for fact in answer.citations),
        reading="; ".join(readings),
        certain=len(told) > 1 and one.certain and other.certain,
    )
