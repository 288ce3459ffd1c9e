"""A question that goes on from the one before: its pronouns as the names they stand for."""

from __future__ import annotations

import re
from collections.abc import Collection, Sequence

from kgqa_core.facts.terms import Entity
from kgqa_core.text import enumerated

_OPENING = re.compile(r"^(?:and|but|so|then|what about|how about)\b[\s,]*", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:his|her|its|their)\s+(?=[a-z])")
_SELF = re.compile(r"\b(?:he|she|it|they|him|them|her)\b(?!\s+(?:a|an|the)\b)")
_NAMED = re.compile(r"(?<!^)(?:\b[A-Z][\w'’]|[“\"«])")  # its pronouns have somebody to mean
_THERE = re.compile(r"\bthere\b(?!\s+(?:is|are|was|were)\b)")
_VERB = "is|are|was|were|has|have|had|did|lies"
_AMONG = re.compile(rf"\b(of|among|between) (?:them\b|(?:these|those)(?=[?,.]|$| (?:{_VERB})\b))")
_PERSON = re.compile(r"\b(?:his|her|he|she|him|hers)\b", re.IGNORECASE)
_OTHER = re.compile(r"\b(?:its|it|there)\b", re.IGNORECASE)
_THEY = re.compile(r"\b(?:they|them)\b", re.IGNORECASE)
_THEIR = re.compile(r"\btheir (\w+(?: of (?:birth|death))?)", re.IGNORECASE)
_OF_ONE = {"are": "is", "were": "was", "do": "does", "have": "has"}
_BE = re.compile(rf"\b({'|'.join(_OF_ONE)})(?= they\b)", re.IGNORECASE)
_KIN = (
    "husband|wife|spouse|partner|father|mother|parent|son|daughter|child|brother|sister|sibling|"
    "uncle|aunt|cousin|grandfather|grandmother|grandparent|grandson|granddaughter|grandchild|"
    "director|author|writer|composer|producer|founder|inventor|president|teacher|student"
)
_SOMEBODY = re.compile(rf"(?:{_KIN})s?|(?:grand)?children|wives", re.IGNORECASE)
_MANY = re.compile(r"(?:grand)?children|people|\w*[^\Wsui]s", re.IGNORECASE)
_OF = re.compile(r"[\s?.!]+(?:(?:of|in|from|with|to|by)\b.*)?$")
_OTHER_ONE = re.compile(
    r"(?:(?:[Aa]nd|[Bb]ut|[Ss]o)[\s,]+)?(?:(?:[Ww]hat|[Hh]ow) about|[Aa]nd)\s+"
    r"(?:(?:in|of|for|with)\s+)?(?P<the>the\s+)?(?P<name>[A-Z“\"].*?)[\s?.!]*"
)
_SMALL_ONE = re.compile(  # as people type it: and of portugal?
    r"(?:(?:and|but|so)[\s,]+)?(?:(?:what|how) about|and)\s+(?:(?P<of>in|of|for|with)\s+)?"
    r"(?P<the>)(?P<name>(?!(?:the|an?|this|that|all|it|he|she|they|them|his|her|its|their|by|at|on|"
    r"to|from|if|now|then|not|why|before|after|last|next)\b)[a-z][a-z'’.-]+(?: [a-z'’.-]+){0,2})"
    r"[\s?.!]*"
)
_ONES_OWN = re.compile(  # what about her husband?
    rf"(?:and\s+)?(?:what|how) about (?:his|her|their) (?P<kin>(?:{_KIN})s?)[\s?.!]*", re.IGNORECASE
)
_QUOTES = frozenset('“”"«»')
_ASKS = re.compile(
    r"^(?:who|what|when|where|which|why|how|is|are|was|were|did|does|do|has|have|had|can|could)\b",
    re.IGNORECASE,
)


def carried(
    question: str,
    before: Sequence[Entity],
    people: Collection[str] = (),
    several: Sequence[Entity] = (),
    last: str = "",
    mentions: Collection[str] = (),
) -> str:
    """The question with what it leaves out. `before`: what the last one was about, best first.

    `people`: ids of those of it that are persons, so that “he” is none of the others. `several`:
    what the last one was answered with, where that is more than one. `last`: the last question,
    and what it `mentions`: “what about Ulm?” asks it again, of something else. A question
    without a pronoun, with a name of its own, or with nothing before it is returned as it is.
    """
    if other := _of_another(question.strip(), last, mentions):
        return other
    if (own := _ONES_OWN.fullmatch(question.strip())) and before:
        meant = _meant(question, before, people)
        called = {name.casefold() for name in (meant.name, *meant.aliases)}
        theirs = {m for m in mentions if m.casefold() in called}
        if of_them := _of_another(question, last, theirs, own["kin"]):
            return of_them
    text = _OPENING.sub("", question.strip())
    if several and _AMONG.search(text):  # whatever else it names
        names = enumerated([_quoted(e.name) for e in several])
        return _asked(_AMONG.sub(lambda said: f"{said[1]} {names}", text))
    if not before or _NAMED.search(text):
        return question
    if several and (_THEY.search(text) or _THEIR.search(text)):
        names = enumerated([_quoted(e.name) for e in several])
        told = _THEY.sub(lambda _: names, _lowered(text))
        told = _THEIR.sub(lambda said: f"the {said[1]} of {names}", told)
        return _asked(told if _ASKS.match(told) else f"{_what(text)} {told}")
    meant = _meant(text, before, people)
    name = meant.name
    if meant.id in people:
        text = _BE.sub(lambda said: _OF_ONE[said[1].lower()], text)
    named = _OWNED.sub(lambda _: f"{_owner(name)} ", _lowered(text))
    named = _SELF.sub(lambda _: name, named)
    named = _THERE.sub(lambda _: f"in {name}", named)
    if named == _lowered(text):
        return question
    return _asked(named if _ASKS.match(named) else f"{_what(text)} {named}")


def _of_another(question: str, last: str, mentions: Collection[str], kin: str = "") -> str:
    """The last question about what this one names; "": it asks something else, or of several.

    `kin`: about somebody of whom it named, instead: her husband.
    """
    said = _OTHER_ONE.fullmatch(question)
    if said is None and (small := _SMALL_ONE.fullmatch(question)):
        noun = _SOMEBODY.fullmatch(small["name"].split()[-1])
        said = small if (small["of"] or last.islower()) and not noun else None
    here = {m for m in mentions if re.search(rf"\b{re.escape(m)}(?!\w)", last)}
    here = {m for m in here if not any(m != o and m in o for o in here)}
    if len(here) != 1 or not (kin or (said and not _ASKS.match(said["name"]))):
        return ""
    (mention,) = here
    name = said["name"] if said and not kin else f"{_owner(mention)} {kin}"
    the = said["the"] if said and not kin else ""

    def put(old: re.Match[str]) -> str:
        new = _owner(name) if old["own"] else name
        return f"{'' if kin else old['the'] or the or ''}{new}"

    old = rf"(?P<the>\bthe )?\b{re.escape(mention)}(?P<own>['’]s?(?!\w))?"
    return _asked(re.sub(old, put, last))


def _what(text: str) -> str:
    """“Who are”, before what has no verb: by what it ends with, “her children?”."""
    noun = (_OF.sub("", text).split() or [""])[-1]
    who = "Who" if _SOMEBODY.fullmatch(noun) else "What"
    return f"{who} {'are' if _MANY.fullmatch(noun) or noun == 'wives' else 'is'}"


def _quoted(name: str) -> str:
    """In quotation marks, so that nobody takes a list of names for one, or a part of a name for a
    word: “Pete Best”."""
    return f"“{name}”" if not _QUOTES & set(name) else name


def _asked(text: str) -> str:
    text = text[:1].upper() + text[1:]
    return text if text.endswith("?") else f"{text.rstrip('.! ')}?"


def _meant(text: str, before: Sequence[Entity], people: Collection[str]) -> Entity:
    """What the pronouns of a question stand for; the best where nothing fits them."""
    if people and _PERSON.search(text):
        return next((e for e in before if e.id in people), before[0])
    if people and _OTHER.search(text):
        return next((e for e in before if e.id not in people), before[0])
    return before[0]


def _owner(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _lowered(text: str) -> str:
    """With a small first letter, where that begins a word of the question and no name."""
    first = text.split(" ", 1)[0]
    known = first.lower() in {"his", "her", "its", "their", "he", "she", "it", "they", "there"}
    return text[:1].lower() + text[1:] if known or _ASKS.match(text) else text
