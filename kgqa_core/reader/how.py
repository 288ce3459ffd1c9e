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
    MORTALS_1,
    Head,
    Parses,
    Spans,
    best_of,
    called_so,
    key_of,
    wanting,
)
from kgqa_core.reader.plan import Reading, fill
from kgqa_core.reader.words import Span
from kgqa_core.text import singular, stem

_LIVING = frozenset("live lives lived living reside inhabit are".split())
_AROUND = frozenset("in living there the for at by".split())


class How(Spans):
    """Questions with how: numbers, ages, stretches of time."""

    def how(self, i: int, n: int, fronted: str) -> Parses:
        low = self.low(i)
        out: Parses = []
        if low in {"many", "much"}:
            out += self.how_many(i, n, fronted)
        if low == "old":
            out += self.how_old(i + 1, n)
        if low == "long":
            out += self.how_long(i + 1, n)
        if low in BE | DO and n > i + 1:
            # how did X die; how is X called
            want = ""
            for m in range(i + 2, n):
                for w in self.predicate(m, n, want, "", passive=low in BE):
                    if isinstance(w.plan, p.Hop) and stem(w.plan.phrase.split()[0]) == "die":
                        w = Reading(w.cost, replace(w.plan, phrase="cause of death", form="role"))
                    for r in self.noun_phrase(i + 1, m):
                        out.append(Reading(r.cost + w.cost + 0.5, fill(w.plan, r.plan)))
            return out
        if low in self.lex.adjectives or low in {"far", "heavy", "populous", "big"}:
            for k in range(i + 1, n):
                if self.low(k) in BE | DO:
                    for r in self.noun_phrase(k + 1, n):
                        plan = r.plan
                        out.append(Reading(r.cost + 0.2, p.Measure(plan, low)))
                    break
        return out

    def _measured(self, phrase: str) -> bool:
        return self._kind(phrase) == "number"

    def _kind(self, phrase: str) -> str:
        """What the values of a relation noun are: person, place, time, number."""
        for e in self.lex.find(key_of(phrase), "noun"):
            if e.kind == "noun":
                return self.lex.kinds.get(e.relations[0][0], "")
        return ""

    def how_many(self, i: int, n: int, fronted: str) -> Parses:
        start = i + 1
        low = self.low(start)
        if low == "times":
            asked = self.asked(start + 1, n, Head(""), "", fronted)
            return [
                *(Reading(r.cost + 0.1, p.Count(r.plan)) for r in asked),
                *(
                    Reading(
                        r.cost, p.Count(p.Named(replace(r.plan, beside=None), r.plan.beside.text))
                    )
                    for r in asked  # the 1930 World Cup, and each other called so
                    if isinstance(r.plan, p.Hop) and isinstance(r.plan.beside, p.Anchor)
                ),
            ]
        out = self.between(start, n) if low in {"years", "days", "months"} else []
        out += self._how_much_more(start, n)
        if self.low(i) == "much" and low in BE | DO:
            for r in self.noun_phrase(start + 1, n):
                out.append(Reading(r.cost + 0.1, wanting(r.plan, "number")))
            return out + self.object_gap(start + 1, n, "number", fronted)
        for k in range(start + 1, min(n, start + 7)):
            if any(t.low in AUX for t in self.tokens[start:k]):
                break
            head = self.head(start, k)
            if head is None or self.low(k) in {"of", "'s"}:
                continue
            if self.low(k) in AUX or self.lex.is_verb(self.low(k)) or fronted:
                out += self._how_many_do(head, k, n, fronted)
        if not any(t.low in AUX for t in self.tokens[start:n]):
            for r in self.noun_phrase(start, n):
                out.append(Reading(r.cost + 0.4, p.Count(r.plan)))
        each = [*self.among(start, n), *self._which_of_some(i, n, fronted)]
        out += [Reading(r.cost, p.Count(r.plan)) for r in each]
        return out + self._how_many_named(start, n)

    def _how_much_more(self, start: int, n: int) -> Parses:
        """(how many) years is A older than B · (how much) taller is A than B"""
        out: Parses = []
        for k in range(start + 1, n - 2):
            than = next((x for x in range(k + 2, n) if self.low(x) == "than"), None)
            if self.low(k) not in BE | DO | HAVE or than is None:
                continue
            for by, end in ((than - 1, than - 1), (k - 1, than)):
                if by != k + 1 and self.low(by) in self.lex.adjectives:
                    unit = self.low(start)
                    out += self.gap((k + 1, end), (than + 1, n), self.low(by), unit)
        return out

    def _how_many_do(self, head: Head, k: int, n: int, fronted: str) -> Parses:
        """(how many) NOUNs AUX or VERB …; the verb at k"""
        noun, low = head.noun, self.low(k)
        out: Parses = []
        end = n - 1 if self.tokens[n - 1].span else n
        when = self.tokens[n - 1].span if end < n else None
        if low in DO | HAVE and self.low(end - 1) in HAVE and end - 1 > k:
            for r in self.noun_phrase(k + 1, end - 1):
                owned = p.Hop(r.plan, noun, "role", when=when)
                out.append(Reading(r.cost, p.Count(owned)))
        for r in self.noun_phrase(k + 1, n - (self.low(n - 1) in HAVE)) if low in HAVE else []:
            if not isinstance(r.plan, p.Kind):
                owned = p.Hop(r.plan, noun, "role")
                out.append(Reading(r.cost + 0.5, p.Count(owned)))
        if low in BE and self.low(k + 1) == "there":
            for r in self.modifiers(k + 2, n, noun):
                counted = self._dress(fill(r.plan, p.Kind(noun)), head)
                out.append(Reading(r.cost, p.Count(counted)))
            return out
        out += self._people(head, k, end, when)
        if noun in {"year", "day", "month"} and fronted not in {"in", "on"}:
            return out  # how long, not how often
        for r in self.asked(k, n, head, "", fronted):
            out.append(Reading(r.cost + 0.1, p.Count(r.plan)))
        return out

    def _people(self, head: Head, k: int, end: int, when: Span | None) -> Parses:
        """(how many) people live in X · work for X · speak X: a number that is stated"""
        verb = k if self.low(k) not in AUX else k + 1
        rows = (
            ({"person", "inhabitant", "resident"}, _LIVING, k, "population"),
            (
                MORTALS_1,
                {"work", "works", "worked", "employ", "employs", "employed"},
                verb,
                "employee",
            ),
            (MORTALS_1, {"speak", "speaks", "spoke"}, verb, "speaker"),
        )
        out: Parses = []
        for nouns, verbs, at, number in rows:
            if singular(head.noun) not in nouns or self.low(at) not in verbs:
                continue
            rest = self.skip(at + 1, end, _AROUND)
            heard = "" if at == k and number == "population" else self.lows(k, rest)
            for r in self.noun_phrase(rest, end):
                stated = p.Hop(r.plan, number, "role", "number", when=when, heard=heard)
                out.append(Reading(r.cost - 0.2, stated))
        return out

    def _how_many_named(self, start: int, n: int) -> Parses:
        """(how many) Oscars for Best Director did X win"""
        return [
            Reading(
                r.cost + q.cost + 0.3,
                p.Count(p.Named(fill(q.plan, r.plan), singular(self.text(start, k)))),
            )
            for k in range(start + 1, n - 2)
            if self.low(k) in DO | HAVE and self._called_so(start, k)
            for m in range(k + 2, n)
            for q in self.predicate(m, n, "", "", passive=False)
            for r in self.noun_phrase(k + 1, m)[:2]
        ]

    def _called_so(self, i: int, k: int) -> bool:
        """Whether words are a name, or may be one: nobody knows them as a kind of thing."""
        noun = singular(self.lows(i, k))
        plain = k > i + 1 or self.lex.class_of(noun) is not None or self.lex.is_noun(noun)
        return not plain or any(t.cap for t in self.tokens[i:k])

    def gap(self, a: tuple[int, int], b: tuple[int, int], by: str, unit: str) -> Parses:
        """By how much A is taller than B; what A is called counts for B ("Oxford University")."""
        last = self.low(a[1] - 1)
        noun = last if self.tokens[a[1] - 1].cap and self.lex.class_of(last) else ""
        times = any(self.lex.kinds.get(label) == "time" for label in self.lex.scale(by))
        of: OneOf["years", "days", "number"] = "days" if unit == "days" else "years"
        return [
            Reading(
                x.cost + y.cost,
                p.Between(
                    p.Measure(x.plan, by),
                    p.Measure(called_so(y.plan, noun), by),
                    of if times else "number",
                ),
            )
            for x in self.noun_phrase(*a)[:3]
            for y in self.noun_phrase(*b)[:3]
        ]

    def between(self, i: int, n: int) -> Parses:
        """years between A and B · years after A did B"""
        unit: OneOf["years", "days"] = "days" if self.low(i) == "days" else "years"
        out: Parses = []
        low = [self.low(k) for k in range(n)]
        start = next(
            (k for k in range(i, n) if low[k] in {"between", "after", "before", "from"}), None
        )
        if start is None:
            if self.low(i + 1) == "ago" and self.low(i + 2) in AUX:
                return [
                    Reading(r.cost, p.Between(r.plan, p.Now(), unit)) for r in self.event(i + 3, n)
                ]
            return [
                Reading(
                    r.cost, replace(r.plan, unit=unit) if isinstance(r.plan, p.Lasting) else r.plan
                )
                for r in self.how_long(i + 1, n)
            ]
        for r in self.noun_phrase(start + 1, n):  # between the births of A and B
            if isinstance(r.plan, p.Hop) and isinstance(r.plan.source, p.Join):
                pair = r.plan.source
                ends = [replace(r.plan, source=x, want="time") for x in (pair.left, pair.right)]
                out.append(Reading(r.cost - 0.6, p.Between(ends[0], ends[1], unit)))
        sep = {"and", "to", "until", "was", "did", "were", "is", "the"}
        for m in range(start + 2, n):
            if low[m] in sep:
                lefts = self.event(start + 1, m)
                rights = self.event(m + 1 if low[m] != "the" else m, n)
                out += [
                    Reading(a.cost + b.cost, p.Between(a.plan, b.plan, unit))
                    for a in lefts[:3]
                    for b in rights[:3]
                ]
        return out

    def event(self, i: int, n: int) -> Parses:
        """Something that has a date: "the birth of X", "X was born", "X died", "the film X"."""
        out: Parses = []
        span = self.tokens[i].span if i < n else None
        if i >= n:
            return out
        if span and n == i + 1:
            return out
        for r in self.noun_phrase(i, n):
            plan = r.plan
            if isinstance(plan, p.Hop) and plan.form == "role":
                out.append(Reading(r.cost, replace(plan, want="time")))
            else:
                out.append(Reading(r.cost + 0.2, p.Hop(plan, "date", "role", "time")))
        for m in range(i + 1, n):
            k = m + 1 if self.low(m) in AUX else m
            if k < n:
                for w in self.predicate(k, n, "time", "", passive=True):
                    for r in self.noun_phrase(i, m):
                        out.append(Reading(r.cost + w.cost, fill(w.plan, r.plan)))
        return best_of(out, KEEP)

    def how_old(self, i: int, n: int) -> Parses:
        out: Parses = []
        if self.low(i) not in BE:
            return out
        when = next((k for k in range(i + 1, n) if self.low(k) in {"when", "at", "as"}), None)
        for person in self.noun_phrase(i + 1, when if when else n):
            if when is None:
                out.append(Reading(person.cost, p.Age(person.plan, None)))
                continue
            k = when + 1
            if self.low(k) in {"he", "she", "they", "it"}:
                for w in self.predicate(self.skip(k + 1, n, AUX), n, "time", "", passive=False):
                    event = fill(w.plan, person.plan)
                    out.append(Reading(person.cost + w.cost, p.Age(person.plan, event)))
            else:
                for e in self.event(k, n):
                    out.append(Reading(person.cost + e.cost + 0.1, p.Age(person.plan, e.plan)))
            for m in range(k + 2, n + 1) if self.low(k) in {"his", "her", "their", "its"} else ():
                own = self.head(k + 1, m)
                whole = m == n and not self.lex.is_verb(self.low(m - 1))
                if own is None or own.by or not (self.lex.is_noun(own.noun) or whole):
                    continue
                event = p.Hop(person.plan, own.noun, "role", "time" if m == n else "")
                if m == n and self._kind(own.noun) in {"time", ""}:  # at her death
                    out.append(Reading(person.cost - 0.2, p.Age(person.plan, event)))
                for w in self.predicate(self.skip(m, n, AUX), n, "time", "", passive=False):
                    then = fill(w.plan, event)  # when her husband died
                    out.append(Reading(person.cost + w.cost - 0.3, p.Age(person.plan, then)))
        return out

    def how_long(self, i: int, n: int) -> Parses:
        out: Parses = []
        low = self.low(i)
        if low in {"between", "after", "before"}:
            return self.between(i - 1, n)
        if low in BE | DO | HAVE:
            for m in range(i + 2, n - 1):  # how many years was X at Y
                if low in BE | HAVE and self.low(m) in {"at", "with", "in", "for", "on"}:
                    for a in self.noun_phrase(i + 1, m - (self.low(m - 1) == "been"))[:2]:
                        for b in self.noun_phrase(m + 1, n)[:2]:
                            stay = p.Lasting(a.plan, "be member of", b.plan, "")
                            out.append(Reading(a.cost + b.cost + 0.1, stay))
            for m in range(i + 2, n):
                for w in self.predicate(m, n, "", "", passive=True):
                    for r in self.noun_phrase(i + 1, m):
                        plan = w.plan
                        if isinstance(plan, p.Hop):
                            extra = 0.0 if plan.beside else 0.3
                            stay = p.Lasting(r.plan, plan.phrase, plan.beside, plan.prep)
                            out.append(Reading(r.cost + w.cost + extra, stay))
                # X president of Y: how long was X president of the US
                for r in self.noun_phrase(i + 1, m):
                    for office in self.participants(m, n):
                        if isinstance(office.plan, p.Anchor | p.Kind) and isinstance(
                            r.plan, p.Anchor
                        ):
                            stay = p.Lasting(r.plan, "hold", office.plan, "")
                            out.append(Reading(r.cost + office.cost + 0.6, stay))
            for r in self.noun_phrase(i + 1, n):
                out.append(Reading(r.cost + 0.1, p.Measure(r.plan, "long")))
        return out
