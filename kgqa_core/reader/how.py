"""Questions with how: numbers, ages, stretches of time."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DO,
    HAVE,
    KEEP,
    Head,
    Parses,
    Readings,
    Spans,
    key_of,
    rule,
    wanting,
)
from kgqa_core.reader.plan import Reading, fill
from kgqa_core.text import singular, stem

_PEOPLE = frozenset("person people inhabitant resident live life man".split())
_COUNTED = {  # how many people do so, as a number that is stated
    **dict.fromkeys("live lives lived living reside inhabit are".split(), "population"),
    **dict.fromkeys("work works worked employ employs employed".split(), "employee"),
    **dict.fromkeys("speak speaks spoke".split(), "speaker"),
}
_AROUND = frozenset("in living there the for at by".split())


class How(Spans):
    """Questions with how: numbers, ages, stretches of time."""

    def how(self, i: int, n: int, fronted: str) -> Readings:
        low = self.low(i)
        if low in {"many", "much"}:
            yield from self.how_many(i, n, fronted)
        if low == "old":
            yield from self.how_old(i + 1, n)
        if low == "long":
            yield from self.how_long(i + 1, n)
        if low in BE | DO and n > i + 1:  # how did X die; how is X called
            for m in range(i + 2, n):
                for w in self.predicate(m, n, "", "", passive=low in BE):
                    if isinstance(w.plan, p.Hop) and stem(w.plan.phrase.split()[0]) == "die":
                        w = Reading(w.cost, replace(w.plan, phrase="cause of death", form="role"))
                    for r in self.noun_phrase(i + 1, m):
                        yield Reading(r.cost + w.cost + 0.5, fill(w.plan, r.plan))
            return
        if low in self.lex.adjectives or low in {"far", "heavy", "populous", "big"}:
            k = next((k for k in range(i + 1, n) if self.low(k) in BE | DO), n)
            for r in self.noun_phrase(k + 1, n):
                yield Reading(r.cost + 0.2, p.Measure(r.plan, low))

    def _kind(self, phrase: str) -> str:
        """What the values of a relation noun are: person, place, time, number."""
        for e in self.lex.find(key_of(phrase), "noun"):
            if e.kind == "noun":
                return self.lex.kinds.get(e.relations[0][0], "")
        return ""

    def how_many(self, i: int, n: int, fronted: str) -> Readings:
        start = i + 1
        low = self.low(start)
        if low == "times":
            asked = self.asked(start + 1, n, Head(""), "", fronted)
            yield from (Reading(r.cost + 0.1, p.Count(r.plan)) for r in asked)
            return
        if low in {"years", "days", "months"}:
            yield from self.between(start, n)
        yield from self._how_much_more(start, n)
        if self.low(i) == "much" and low in BE | DO:
            for r in self.noun_phrase(start + 1, n):
                yield Reading(r.cost + 0.1, wanting(r.plan, "number"))
            yield from self.object_gap(start + 1, n, "number", fronted)
            return
        for k in range(start + 1, min(n, start + 7)):
            if any(t.low in AUX for t in self.tokens[start:k]):
                break
            head = self.head(start, k)
            if head is None or self.low(k) in {"of", "'s"}:
                continue
            if self.low(k) in AUX or self.lex.is_verb(self.low(k)) or fronted:
                yield from self._how_many_do(head, k, n, fronted)
        each = [
            *self.among(start, n),
            *self._which_of_some(i, n, fronted),
            *self.so_called(start, n),
        ]
        if not any(t.low in AUX for t in self.tokens[start:n]):
            each += [Reading(r.cost + 0.4, r.plan) for r in self.noun_phrase(start, n)]
        yield from (Reading(r.cost, p.Count(r.plan)) for r in each)

    def _how_much_more(self, start: int, n: int) -> Parses:
        """(how many) years is A older than B · (how much) taller is A than B"""
        than = next((k for k in range(start + 3, n - 1) if self.low(k) == "than"), None)
        k = next((k for k in range(start + 1, n) if self.low(k) in BE | DO | HAVE), n)
        if than is None or k > start + 2:
            return []
        by, end = self.low(than - 1), than - 1
        if by not in self.lex.adjectives:  # years older is A than B
            by, end = self.low(k - 1), than
        if by not in self.lex.adjectives:
            return []
        times = any(self.lex.kinds.get(label) == "time" for label in self.lex.scale(by))
        years: OneOf["years", "days"] = "days" if self.low(start) == "days" else "years"
        unit: OneOf["years", "days", "number"] = years if times else "number"
        return [
            Reading(a.cost + b.cost, p.Between(p.Measure(a.plan, by), p.Measure(b.plan, by), unit))
            for a in self.noun_phrase(k + 1, end)[:3]
            for b in self.noun_phrase(than + 1, n)[:3]
        ]

    def _how_many_do(self, head: Head, k: int, n: int, fronted: str) -> Readings:
        """(how many) NOUNs AUX or VERB …; the verb at k"""
        noun, low = head.noun, self.low(k)
        end = n - 1 if self.tokens[n - 1].span else n
        when = self.tokens[n - 1].span if end < n else None
        if low in DO | HAVE and self.low(end - 1) in HAVE and end - 1 > k:
            for r in self.noun_phrase(k + 1, end - 1):
                owned = p.Hop(r.plan, noun, "role", when=when)
                yield Reading(r.cost, p.Count(owned))
        for r in self.noun_phrase(k + 1, end) if low in HAVE else []:
            if not isinstance(r.plan, p.Kind):
                owned = p.Hop(r.plan, noun, "role", when=when)
                yield Reading(r.cost + 0.5, p.Count(owned))
        if low in BE and self.low(k + 1) == "there":
            for r in self.modifiers(k + 2, n, noun):
                counted = self._dress(fill(r.plan, p.Kind(noun)), head)
                yield Reading(r.cost, p.Count(counted))
            return
        verb = k + (low in AUX and self.low(k + 1) in _COUNTED)
        if singular(noun) in _PEOPLE and self.low(verb) in _COUNTED:
            rest, number = self.skip(verb + 1, end, _AROUND), _COUNTED[self.low(verb)]
            heard = "" if number == "population" else self.lows(k, rest)
            for r in self.noun_phrase(rest, end):
                stated = p.Hop(r.plan, number, "role", "number", when=when, heard=heard)
                yield Reading(r.cost - 0.2, stated)
        if noun in {"year", "day", "month"} and fronted not in {"in", "on"}:
            return  # how long, not how often
        asked = self.asked(k, n, head, "", fronted)
        yield from (Reading(r.cost + 0.1, p.Count(r.plan)) for r in asked)

    def between(self, i: int, n: int) -> Parses:
        """years between A and B · years after A did B · years ago did A"""
        unit: OneOf["years", "days"] = "days" if self.low(i) == "days" else "years"
        if self.low(i + 1) == "ago" and self.low(i + 2) in AUX:
            ago = self.event(i + 3, n)
            return [Reading(r.cost, p.Between(r.plan, p.Now(), unit)) for r in ago]
        spans = (k for k in range(i, n) if self.low(k) in {"between", "after", "before", "from"})
        start = next(spans, None)
        if start is None:
            return [
                Reading(
                    r.cost, replace(r.plan, unit=unit) if isinstance(r.plan, p.Lasting) else r.plan
                )
                for r in self.how_long(i + 1, n)
            ]
        return [
            Reading(a.cost + b.cost, p.Between(a.plan, b.plan, unit))
            for m in range(start + 2, n)
            if self.low(m) in {"and", "to", "until", "was", "did", "were", "is", "the"}
            for a in self.event(start + 1, m)[:3]
            for b in self.event(m + (self.low(m) != "the"), n)[:3]
        ]

    @rule(KEEP)
    def event(self, i: int, n: int) -> Readings:
        """Something that has a date: "the birth of X", "X was born", "X died", "the film X"."""
        if i >= n or (self.tokens[i].span and n == i + 1):
            return
        for r in self.noun_phrase(i, n):
            plan = r.plan
            if isinstance(plan, p.Hop) and plan.form == "role":
                yield Reading(r.cost, replace(plan, want="time"))
            else:
                yield Reading(r.cost + 0.2, p.Hop(plan, "date", "role", "time"))
        for m in range(i + 1, n):
            for w in self.predicate(m + (self.low(m) in AUX), n, "time", "", passive=True):
                for r in self.noun_phrase(i, m):
                    yield Reading(r.cost + w.cost, fill(w.plan, r.plan))

    def how_old(self, i: int, n: int) -> Readings:
        if self.low(i) not in BE:
            return
        when = next((k for k in range(i + 1, n) if self.low(k) in {"when", "at", "as"}), None)
        if when is None:
            yield from (Reading(r.cost, p.Age(r.plan, None)) for r in self.noun_phrase(i + 1, n))
            return
        k = when + 1
        own = self.head(self.skip(k, n, frozenset({"his", "her", "their", "its"})), n)
        for person in self.noun_phrase(i + 1, when):
            if self.low(k) in {"he", "she", "they", "it"}:
                for w in self.predicate(self.skip(k + 1, n, AUX), n, "time", "", passive=False):
                    event = fill(w.plan, person.plan)
                    yield Reading(person.cost + w.cost, p.Age(person.plan, event))
                continue
            for e in self.event(k, n):
                yield Reading(person.cost + e.cost + 0.1, p.Age(person.plan, e.plan))
            if own and not own.by and self._kind(own.noun) in {"time", ""}:  # at her death
                event = p.Hop(person.plan, own.noun, "role", "time")
                yield Reading(person.cost - 0.2, p.Age(person.plan, event))

    def how_long(self, i: int, n: int) -> Readings:
        if self.low(i) not in BE | DO | HAVE:
            return
        for m in range(i + 2, n):
            subjects = self.noun_phrase(i + 1, m)
            for w in self.predicate(m, n, "", "", passive=True):
                for r in subjects if isinstance(w.plan, p.Hop) else []:
                    stay = p.Lasting(r.plan, w.plan.phrase, w.plan.beside, w.plan.prep)  # type: ignore[attr-defined]
                    yield Reading(r.cost + w.cost + 0.3 * (not stay.other), stay)
            for r in subjects:  # X president of Y: how long was X president of the US
                for office in self.participants(m, n) if isinstance(r.plan, p.Anchor) else []:
                    if isinstance(office.plan, p.Anchor | p.Kind):
                        stay = p.Lasting(r.plan, "hold", office.plan)
                        yield Reading(r.cost + office.cost + 0.6, stay)
        for r in self.noun_phrase(i + 1, n):
            yield Reading(r.cost + 0.1, p.Measure(r.plan, "long"))
