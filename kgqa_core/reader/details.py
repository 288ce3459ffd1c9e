"""What a sentence says in so many words: names, relations, numbers and times, found in facts."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from functools import lru_cache

from kgqa_core.facts import periods, timeline, verbalise
from kgqa_core.facts.lifetimes import time_in
from kgqa_core.facts.normalise import literal
from kgqa_core.facts.terms import NUMBERS, PERIODS, TIMES, YEAR, Entity, Literal, Statement, Value
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.words import MONTHS, NUMBER_WORDS
from kgqa_core.text import fold, plain, stem


@dataclass(frozen=True)
class Detail:
    """A number or time that a claim states, with the amounts it may mean."""

    text: str
    low: Decimal
    high: Decimal
    time: bool
    at: int = field(default=0, compare=False)  # where it stands in the text


# -- words -----------------------------------------------------------------------------------


def speaks(words: frozenset[str], s: Statement) -> bool:
    """Whether the words name the relation: by its label, an alias, or a phrase of the lexicon."""
    return any(words >= way for way in _ways(s.relation.name, s.relation.aliases))


@lru_cache(maxsize=4_000)
def _ways(label: str, aliases: tuple[str, ...]) -> tuple[frozenset[str], ...]:
    names = {fold(label), *map(fold, aliases)}
    ways = {content(name) for name in names}
    for phrase, entries in lexicon().entries.items():
        if any(fold(label) in way for e in entries for way in e.relations):
            ways.add(frozenset(phrase) - _LITTLE)
    return tuple(way for way in ways if way)


_LITTLE = frozenset(
    stem(w) for w in "of by in at to for from the a an is was are were be been on as with".split()
)


def content(text: str) -> frozenset[str]:
    return frozenset(map(stem, plain(text).split())) - _LITTLE


# -- names, numbers, times -------------------------------------------------------------------


@lru_cache(maxsize=20_000)
def ends_of(s: Statement) -> list[Value]:
    return [s.subject, s.object, *(q.value for q in s.qualifiers)]


def entities_of(s: Statement) -> list[Value]:
    return [v for v in ends_of(s) if isinstance(v, Entity)]


def named(value: Value, text: str) -> bool:
    """Whether a text (plain, with blanks around) names an entity; surnames of people count."""
    if not isinstance(value, Entity):
        return False
    names = [n for n in map(plain, (value.name, *value.aliases)) if len(n) > 1]
    if any(f" {n} " in text for n in names):
        return True
    *first, last = value.name.split() or [""]
    return bool(first) and len(last) > 3 and last[:1].isupper() and f" {plain(last)} " in text


def is_called(value: Value, text: str) -> bool:
    if isinstance(value, Entity):
        return plain(text) in map(plain, (value.name, *value.aliases))
    return same_text(verbalise.value(value), text) or same_text(value.value, text)


def same_text(a: str, b: str) -> bool:
    return plain(a.replace(",", "")) == plain(b.replace(",", ""))


def stands_in(value: Value, claim: str, details: Sequence[Detail]) -> bool:
    if isinstance(value, Entity):
        return named(value, claim)
    if any(means(value, d) for d in details):
        return True
    return len(plain(value.value)) > 1 and f" {plain(value.value)} " in claim


def covers(s: Statement, detail: Detail) -> bool:
    """Whether a fact says the number or time, as a value or within a name ("Apollo 11")."""
    ends = ends_of(s)
    return any(
        means(v, detail) if isinstance(v, Literal) else f" {detail.text} " in f" {plain(v.name)} "
        for v in ends
    )


def means(value: Literal, detail: Detail) -> bool:
    try:
        if value.datatype == YEAR and not detail.time:  # 872 is a year where a fact says so
            return detail.low == detail.high == Decimal(value.value)
        if value.datatype in TIMES:
            first, last = timeline.span(value)
            return detail.time and detail.low <= first and last <= detail.high
        if value.datatype in NUMBERS:
            return not detail.time and detail.low <= Decimal(value.value) <= detail.high
    except (ArithmeticError, ValueError):
        return False
    return False


_DATE = re.compile(
    rf"\b(?:{periods.WRITTEN}"
    rf"|\d{{1,2}} (?:{'|'.join(MONTHS)}) \d{{3,4}}|(?:{'|'.join(MONTHS)}) \d{{1,2}},? \d{{3,4}}"
    rf"|(?:{'|'.join(MONTHS)}) \d{{4}}|\d{{4}}-\d\d(?:-\d\d)?|\d{{1,4}} BCE?"
    r"|(?<![\d,.])[12]\d{3}(?!\d|,\d|\.\d)|(?:(?<=born )|(?<=died ))\d{3}(?!\d|,\d))\b",
    re.IGNORECASE,
)
_NUMBER = re.compile(
    rf"(?<![\w.,])(?:\d[\d,]*(?:\.\d+)?|{'|'.join(w for w in NUMBER_WORDS if w != 'one')})"
    r"(?:\s+(?:thousand|million|billion|trillion))?(?![\w])",
    re.IGNORECASE,
)
_SCALE = {"thousand": 10**3, "million": 10**6, "billion": 10**9, "trillion": 10**12}
_ROUGHLY = re.compile(r"\b(?:about|around|approximately|nearly|almost|roughly|some|circa|c\.)\s")


def dates_in(text: str) -> list[Detail]:
    found = []
    for match in _DATE.finditer(text):
        written = re.sub(r"(\d) (?=\w+ \d{4}$)", r"\1 ", match[0].title())
        before = re.fullmatch(r"(\d{1,4}) Bce?", written)
        when = (
            period
            if (period := timeline.parse_time(match[0])) and period.datatype in PERIODS
            else Literal(f"-{before[1]:0>4}", YEAR)
            if before
            else Literal(written.zfill(4), YEAR)
            if re.fullmatch(r"\d{3,4}", written)
            else literal(written) or time_in(written)
        )
        if when is not None and when.datatype in TIMES:
            low, high = timeline.span(when)
            found.append(Detail(plain(match[0]), low, high, True, match.start()))
    return found


def numbers_in(text: str) -> list[Detail]:
    """Numbers that are no dates, with the slack their last digit leaves."""
    rest = _DATE.sub(lambda m: " " * len(m[0]), text)
    found = []
    for match in _NUMBER.finditer(rest):
        figure, _, scale = match[0].casefold().replace(",", "").partition(" ")
        word = NUMBER_WORDS.get(figure)
        number = Decimal(figure if word is None else word) * _SCALE.get(scale.strip(), 1)
        slack = Decimal(0)
        if scale:
            digits = len(figure.partition(".")[2])
            slack = Decimal(_SCALE[scale.strip()]) / 2 / 10**digits
        if _ROUGHLY.search(rest[max(0, match.start() - 15) : match.start()].casefold()):
            slack = max(slack, number * Decimal("0.05"))
        found.append(Detail(plain(match[0]), number - slack, number + slack, False, match.start()))
    return found
