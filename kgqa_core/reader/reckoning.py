"""What a sentence reckons: which of two times came first, which of two amounts is larger, how many.

Such a sentence is stated by no single fact. It is supported when every date and number in it
stands in a fact about what it is said of, and the arithmetic is right; it is contradicted when
the arithmetic is wrong. Whoever wrote it is not believed.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal

from kgqa_core.ask.skills import Verdict
from kgqa_core.facts import timeline
from kgqa_core.facts.decide import coordinates
from kgqa_core.facts.terms import Entity, Literal, Statement
from kgqa_core.reader.details import Detail, content, covers, dates_in, named, numbers_in, speaks
from kgqa_core.text import plain

Numbered = Sequence[tuple[int, Statement]]  # facts with their positions

_DAYS = Decimal("365.2425")
_SEVERAL = 12  # facts named for one sentence
_NEAR = Decimal("0.02")  # degrees, as they are rounded in words


def check(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """Whether what the sentence reckons is right; None: it reckons nothing that can be traced.

    The first `cited` facts are the sentence's own. `given`: the question and the axioms, whose
    numbers need no fact.
    """
    for reading in (_nothing, _none_of, _age, _order, _size, _many):
        if (found := reading(claim, facts, cited, given)) is not None:
            return found
    return None


# -- times -----------------------------------------------------------------------------------

_ORDER = re.compile(
    r"\b(?P<not>not? )?(?:(?P<before>before|earlier than|over before)|"
    r"(?P<after>after|later than)|"
    r"(?P<during>at the same time as|during|(?:alive|there|held) (?:in|on)|"
    r"contemporar\w+ (?:of|with)|overlap\w* with))\b"
)
_FIRST = re.compile(r"\b(?:born|from|since|start time:?|began|founded)\s+(?:in |on )?$")
_LAST = re.compile(r"\b(?:died|until|end time:?|ended|to)\s+(?:in |on )?$")


@dataclass(frozen=True)
class _Span:
    """Days between which something was: each bound with the slack of its date; None: no bound."""

    first: tuple[Decimal, Decimal] | None
    last: tuple[Decimal, Decimal] | None


def _order(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“A (born 1879, died 1955) was after B (died 1727)”; “A died in 1727, before B …”."""
    outside = re.sub(r"\([^()]*\)", lambda m: " " * len(m[0]), claim)
    way = _ORDER.search(outside)
    if way is None:
        return None
    sides = claim[: way.start()], claim[way.end() :]
    a, b = (_span(side) for side in sides)
    if a is None or b is None:
        return None
    dates = ((date, side) for side in sides for date in dates_in(side))
    traced = _traced(dates, facts, cited, given)
    if way["before"]:
        holds = _over(a, b)
    elif way["after"]:
        holds = _over(b, a)
    else:
        overs = {_over(a, b), _over(b, a)}
        holds = False if True in overs else None if None in overs else True
    if way["not"] and holds is not None:
        holds = not holds
    return _verdict(holds, traced, "by the dates of the facts")


def _span(text: str) -> _Span | None:
    dates = dates_in(text)
    if not dates:
        return None
    firsts = [d for d in dates if _FIRST.search(text[: d.at])]
    lasts = [d for d in dates if _LAST.search(text[: d.at])]
    inside = "(" in text
    if not inside or not (firsts or lasts):
        return _Span((dates[0].low, dates[0].high), (dates[-1].low, dates[-1].high))
    first = (min(d.low for d in firsts), min(d.high for d in firsts)) if firsts else None
    last = (max(d.low for d in lasts), max(d.high for d in lasts)) if lasts else None
    return _Span(first, last)


_OLD = re.compile(
    r"\b(?:was|is) (?P<low>\d{1,3})(?: or (?P<high>\d{1,3}))? years old"
    r"(?: in (?P<at>\d{3,4})| at the end| today| at death| when .* died)?"
)


def _age(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“A (born 1900, died 1950) was 49 or 50 years old at the end”, “… in 1920”."""
    said = _OLD.search(claim)
    dates = dates_in(claim[: said.start()]) if said else []
    if said is None or not dates:
        return None
    traced = _traced(((d, claim[: said.start()]) for d in dates), facts, cited, given)
    today = timeline.parse_time("today")
    ends = dates_in(said["at"] or "") or dates[1:] or dates_in(today.value if today else "")
    first, last = dates[0], ends[-1]
    youngest, oldest = int((last.low - first.high) / _DAYS), int((last.high - first.low) / _DAYS)
    stated = [int(n) for n in (said["low"], said["high"]) if n]
    right = all(youngest <= n <= oldest for n in stated)
    return _verdict(right, traced, "by the dates of the facts")


def _over(a: _Span, b: _Span) -> bool | None:
    """Whether a is over before b begins; None: the dates are too coarse to tell."""
    if a.last is None or b.first is None:
        return False
    if a.last[1] <= b.first[0]:
        return True
    return False if a.last[0] >= b.first[1] else None


# -- amounts ---------------------------------------------------------------------------------

_SIZE = re.compile(
    r"(?P<not>\b(?:not|no|never|n't) )?(?:further )?\b(?:"
    r"(?P<least>at least)|(?P<most>at most)|(?P<equal>equal to|the same as|exactly)|"
    r"(?P<more>more|greater|larger|bigger|higher|taller|longer|deeper|heavier|older|faster|"
    r"north|east)(?: \w+)? than|"
    r"(?P<less>fewer|less|smaller|lower|shorter|lighter|shallower|younger|slower|south|west)"
    r"(?: \w+)? than)\b"
)
_TESTS: dict[str, Callable[[Detail, Detail], bool]] = {
    "least": lambda a, b: a.high >= b.low,
    "most": lambda a, b: a.low <= b.high,
    "equal": lambda a, b: a.low <= b.high and b.low <= a.high,
    "more": lambda a, b: a.low > b.high,
    "less": lambda a, b: a.high < b.low,
}
_DEGREES = re.compile(r"(\d+(?:\.\d+)?)\s*° (north|south|east|west)")


def _size(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“A (157 metres) is taller than B (84 metres)”, “3 is not at least 11”."""
    way = _SIZE.search(claim)
    if way is None:
        return None
    sides = claim[: way.start()], claim[way.end() :]
    amounts = [_amounts(side) for side in sides]
    if not amounts[0] or not amounts[1]:
        return None
    a, b = amounts[0][-1], amounts[1][0]
    traced = _traced(zip((a, b), sides, strict=True), facts, cited, given)
    kind = next(k for k in _TESTS if way[k])
    holds = _TESTS[kind](a, b)
    return _verdict(holds != bool(way["not"]), traced, "by the amounts of the facts")


def _amounts(text: str) -> list[Detail]:
    """Numbers; degrees south and west are below zero. Without numbers, dates."""
    degrees = {
        m.start(1): Decimal(m[1]) * (-1 if m[2] in {"south", "west"} else 1)
        for m in _DEGREES.finditer(text)
    }
    if degrees:
        return [
            Detail(f"{size}°", size - _NEAR, size + _NEAR, False, at)
            for at, size in degrees.items()
        ]
    return numbers_in(text)


def _many(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“A has 5 children”: as many facts as are cited of that relation, if no fact says a number."""
    numbers = numbers_in(claim)
    own = [(i, s) for i, s in facts if i < cited]
    said = f" {plain(claim)} "
    words = content(claim)
    counted = [(i, s) for i, s in own if named(s.subject, said) and speaks(words, s)]
    if len(numbers) != 1 or dates_in(claim) or len(counted) < 2 or counted != own:
        return None
    if len({(s.subject, s.relation) for _, s in counted}) != 1:
        return None
    number, many = numbers[0], len({s.object for _, s in counted})
    if any(covers(s, number) for _, s in facts):
        return None
    holds = number.low <= many <= number.high
    return _verdict(holds, [i for i, _ in counted], f"the facts count {many}")


# -- what is not there -----------------------------------------------------------------------

_NOTHING = re.compile(r"there is nothing about (?:the )?(?P<what>.+?) of (?P<whom>.+)$")
_NONE = re.compile(r"^Of (?P<many>[\d,]+) (?P<what>.+? )?none is (?P<values>.+)$")


def _nothing(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“Among what the graph says of it there is nothing about the spouse of X”."""
    said = _NOTHING.search(claim)
    if said is None:
        return None
    whom = f" {plain(said['whom'])} "
    about = [(i, s) for i, s in facts if named(s.subject, whom) or named(s.object, whom)]
    words = content(said["what"])
    against = [i for i, s in about if named(s.subject, whom) and speaks(words, s)]
    if against:
        return Verdict(verdict="contradicted", facts=against[:1], why="the graph has one")
    own = [i for i, _ in about if i < cited]
    return Verdict(verdict="supported", facts=own, why="read, and not there") if own else None


def _none_of(claim: str, facts: Numbered, cited: int, given: str) -> Verdict | None:
    """“Of 5 values none is onion, garlic”: by the values that are cited."""
    said = _NONE.match(claim)
    if said is None:
        return None
    own = [(i, s) for i, s in facts if i < cited]
    whose = f" {plain(said['what'] or '')} "
    own = [(i, s) for i, s in own if named(s.subject, whose)] or own
    sought = [f" {plain(v)} " for v in said["values"].removesuffix(" …").split(", ")]
    for i, s in own:
        name = s.object.name if isinstance(s.object, Entity) else s.object.value
        if any(value in f" {plain(name)} " for value in sought):
            return Verdict(verdict="contradicted", facts=[i], why=f"one is {name}")
    many = len({s.object for _, s in own})
    if many != int(said["many"].replace(",", "")):
        return None
    return Verdict(verdict="supported", facts=[i for i, _ in own][:_SEVERAL], why="none of them")


# -- tracing ---------------------------------------------------------------------------------


def _traced(
    stated: Iterable[tuple[Detail, str]], facts: Numbered, cited: int, given: str
) -> list[int] | None:
    """Facts that give all of these, each beside what stands there; None where one has none."""
    found = [_trace(detail, side, facts, cited, given) for detail, side in stated]
    return None if None in found else [i for own in found for i in own or ()]


def _trace(detail: Detail, side: str, facts: Numbered, cited: int, given: str) -> list[int] | None:
    """Facts that give a number or date, about what stands beside it; [] if it was given.

    A number without a fact may count the facts that are cited about the same thing.
    """
    said = f" {plain(side)} "
    nameless = not any(named(e, said) for _, s in facts for e in (s.subject, s.object))
    about = [
        (i, s)
        for i, s in facts
        if named(s.subject, said) or named(s.object, said) or (nameless and i < cited)
    ]
    if found := [i for i, s in about if covers(s, detail) or _lies(s, detail)]:
        return found[:1]
    own = [(i, s) for i, s in about if i < cited]
    for counted in [] if detail.time else _groups(own):
        if detail.low <= len(counted) <= detail.high:
            return counted[:_SEVERAL]
    if any(d.low <= detail.low and detail.high <= d.high for d in _details(given)):
        return []
    return None


def _groups(facts: Numbered) -> list[list[int]]:
    """Positions of the facts that have a relation and one end in common, as a count has them."""
    groups: dict[object, dict[object, int]] = {}
    for i, s in facts:
        groups.setdefault((s.subject, s.relation, "out"), {}).setdefault(s.object, i)
        groups.setdefault((s.object, s.relation, "in"), {}).setdefault(s.subject, i)
    return [list(ends.values()) for ends in groups.values()]


def _details(text: str) -> list[Detail]:
    return [*dates_in(text), *numbers_in(text)]


def _lies(s: Statement, detail: Detail) -> bool:
    place = coordinates(s.object) if isinstance(s.object, Literal) else None
    return place is not None and any(detail.low <= Decimal(str(d)) <= detail.high for d in place)


def _verdict(holds: bool | None, traced: Sequence[int] | None, how: str) -> Verdict | None:
    facts = list(dict.fromkeys(traced or ()))[:_SEVERAL]
    if not facts:
        return None
    if holds is None:
        return Verdict(verdict="unsupported", why="the dates are too coarse to tell")
    if holds:
        return Verdict(verdict="supported", facts=facts, why=how)
    return Verdict(verdict="contradicted", facts=facts, why=f"not {how}")
