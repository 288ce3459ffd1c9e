"""Two questions in one sentence: “Who founded Microsoft and when?”

The second is often cut short, or goes on from the first: “when” alone asks when that was which the
first asks about, and “he” is whom it asks for, or whom it names. Each is put as it would be put
alone, and both answers are told together. What of them has no answer is said.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.follow_up import carried
from kgqa_core.ask.run import Steps
from kgqa_core.facts.terms import Entity
from kgqa_core.methods.recast import AUX

Ask = Callable[[str], Steps[Answer]]

_WH = r"(?:who|whom|what|where|when|which|whose|how)"
_BE = r"(?P<be>is|are|was|were)"
_AND = re.compile(
    rf"(?P<first>{_WH}\b.+?)\s*[,?]?\s+and\s+(?P<second>(?:in |on |at )?{_WH}\b[^?]*?)[\s?.!]*",
    re.IGNORECASE,
)
_ADDED = re.compile(  # where was Ann born, which country
    rf"(?P<first>where (?:{AUX}) .+?), (?P<second>(?:in )?(?:which|what) [a-z]+)[\s?]*",
    re.IGNORECASE,
)
_BOTH = re.compile(
    rf"(?P<one>when|where) and (?P<other>when|where) (?P<rest>(?:{AUX}) .+?)[\s?]*", re.IGNORECASE
)
_SHORT = re.compile(
    r"(?P<asks>when|where|(?:in |at |on )?(?:which|what) (?:year|date|day|country|city|town))"
    r"(?: (?:was|is) (?:it|that|this))?",
    re.IGNORECASE,
)
_WHOLE = re.compile(
    rf"(?:in |on |at )?(?:(?:when|where|what|who|whom|how)\b(?: \w+){{0,3}}?|(?:which|whose|what)"
    rf"(?: \w+){{1,3}}?) (?:{AUX})(?:n['’]t)? \S+.*|how many \w+ \w+ .+",
    re.IGNORECASE,
)
_WHO_ELSE = re.compile(r"(?:who|which) \w+", re.IGNORECASE)
_DID = re.compile(r"who (?P<did>[a-z]+) (?P<what>.+)", re.IGNORECASE)
_WAS = re.compile(
    rf"(?:when|where|how|who) {_BE} (?P<what>.+)|(?:when|where) did (?P<did>.+)", re.I
)
_MADE = dict(
    pair.split("-")
    for pair in "wrote-written made-made built-built sang-sung drew-drawn shot-shot sold-sold "
    "took-taken broke-broken found-found set-set wore-worn led-led".split()
)
_PERSON = re.compile(r"\b(?:he|she|him|her|his|hers)\b", re.IGNORECASE)
_THING = re.compile(r"\b(?:it|its|there)\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_ASKS_FOR_ONE = re.compile(
    r"(?:what|which|who)(?: (?:is|was)|['’]s) the (?:.+ of|\w+est|most \w+)\b|which [a-z]+ ", re.I
)


def halves(question: str) -> tuple[str, str] | None:
    """The two questions of a sentence, the second as it goes on from the first; None: it is one."""
    text = question.strip()
    if (found := _BOTH.fullmatch(text)) and found["one"].lower() != found["other"].lower():
        return f"{found['one']} {found['rest']}?", f"{found['other'].capitalize()} {found['rest']}?"
    found = _AND.fullmatch(text) or _ADDED.fullmatch(text)
    if found is None:
        return None
    first, second = found["first"], found["second"]
    if short := _SHORT.fullmatch(second):
        second = _in_full(short["asks"], first)
        return (f"{first}?", f"{second}?") if second else (f"{first}?", "")
    again = re.search(rf"\w .*\b(?:{_WH}|that|between|both)\b", first, re.IGNORECASE)
    points = any(form.search(second) for form in (_PERSON, _THING, _THEY))
    if again or not _WHOLE.fullmatch(second) or (_WHO_ELSE.match(second) and not points):
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
        made = _MADE.get(did) or (did if did.endswith("ed") else "")
        return f"{asks} was {found['what']} {made}" if made else ""
    return ""


def ask_both(first: str, second: str, ask: Ask) -> Steps[Answer]:
    """The answers to both; certain where both are. `second` empty: nobody knows what it asks."""
    yield events.Step(title="Two questions: the first", thought=first)
    named: list[Entity] = []
    one = yield from _watched(ask(first), named)
    whole = _going_on(second, first, one, named)
    other = Answer(reason="It is not clear what it asks.")
    if whole:
        yield events.Step(title="Two questions: the second", thought=whole)
        other = yield from ask(whole)
    if not (one.sentences or other.sentences):
        return one
    for question, answer in ((first, one), (whole or second or "its second part", other)):
        if not answer.sentences:
            yield events.Noted(text=f"Not answered: {question} {answer.reason}", level="warning")
    return _joined(one, other, whole or second or "its second part", first)


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


def _going_on(second: str, first: str, one: Answer, named: Sequence[Entity]) -> str:
    """The second question with names for its pronouns; empty where those are not clear."""
    if not any(form.search(second) for form in (_PERSON, _THING, _THEY)):
        return second
    values = [value for value in one.values if isinstance(value, Entity)]
    of_answer = first.lower().startswith("who") if _PERSON.search(second) else False
    of_answer = of_answer or _ASKS_FOR_ONE.match(first) is not None
    if _THEY.search(second) and len(values) > 1:
        return _without_pronouns(carried(second, values, (), values))
    meant = values if of_answer else list(dict.fromkeys(named))
    if len(meant) != 1:
        return ""
    people = {meant[0].id} if not _THING.search(second) else set()
    return _without_pronouns(carried(second, meant, people))


def _without_pronouns(question: str) -> str:
    return "" if any(f.search(question) for f in (_PERSON, _THING, _THEY)) else question


def _joined(one: Answer, other: Answer, second: str, first: str) -> Answer:
    """Both as one answer; its reading says which of them has none."""
    told = [answer for answer in (one, other) if answer.sentences]
    shift, sentences = 0, []
    for answer in told:
        for sentence in answer.sentences:
            cites = tuple(n + shift for n in sentence.cites)
            sentences.append(Sentence(text=sentence.text, cites=cites))
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
