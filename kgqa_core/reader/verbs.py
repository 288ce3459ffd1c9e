"""Verb phrases: what is said of a subject."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import product

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    BESIDES,
    DETERMINERS,
    FILLER,
    HAVE,
    KEEP,
    PREPOSITIONS,
    Order,
    Parses,
    Spans,
    best_of,
    both_hold,
    dated_hop,
    key_of,
    other_end,
    without_prep,
)
from kgqa_core.reader.plan import (
    Anchor,
    Called,
    Form,
    Hole,
    Hop,
    Join,
    Kind,
    Limit,
    Nth,
    Reading,
    Where,
    fill,
)
from kgqa_core.reader.words import Span
from kgqa_core.text import singular, stem

_LYING = frozenset("lie lies lay located situated stand stands sit sits found".split())
_ENDS: dict[str, Order] = {
    "first": "lowest", "earliest": "lowest", "last": "highest", "latest": "highest",
}  # fmt: skip


class Verbs(Spans):
    """Verb phrases: what is said of a subject."""

    def verb_phrase(self, i: int, j: int) -> Parses:
        """What the verb phrase says of its subject, as the set of subjects; may have a hole."""
        if i >= j:
            return []
        key = (i, j)
        if key not in self._vp:
            self._vp[key] = []
            self._vp[key] = best_of(list(self._verb_phrases(i, j)), KEEP)
        return self._vp[key]

    def _verb_phrases(self, i: int, j: int) -> Iterator[Reading]:
        k = self.skip(i, j, AUX | FILLER - {"first"} | {"been"})
        be = any(self.low(x) in BE for x in range(i, k))
        have = any(self.low(x) in HAVE for x in range(i, k))
        if self.low(k) in {"not", "never"} and k > i:
            yield from self._negated(k + 1, j)
            return
        if k >= j:
            return
        yield from self._joined(i, j)
        yield from self.near(k, j)
        yield from self.alike(i, j)
        if have or self.low(i) == "with":
            yield from self.having(k, j)
            yield from self.sharing(i, j)
        if be:
            yield from self._predicative(k, j)
        if be and self.low(k) in {"called", "named"}:
            for r in self.mention(k + 1, j):
                yield Reading(r.cost - 0.2, Called(Hole(), self.text(k + 1, j)))
        if self.low(j - 1) in _ENDS and j - 1 > k and self.lex.dated_by(self.lows(k, j - 1)):
            yield Reading(0.0, Nth(Hole(), f"first {self.low(k)}", _ENDS[self.low(j - 1)]))
        low = self.low(k)
        if not low or (self.tokens[k].cap and self.cased) or low in PREPOSITIONS | DETERMINERS:
            return
        known = self.lex.is_verb(low)
        changed = stem(low) not in {low, low.removesuffix("e")}
        verbish = known or low.endswith(("ed", "ing", "en")) or changed
        if verbish or j - k <= 6:
            yield from self._verb_first(k, j, 0.0 if known else 0.7 if verbish else 1.1)

    def _negated(self, k: int, j: int) -> Iterator[Reading]:
        """not VP"""
        for r in self.verb_phrase(k, j):
            yield Reading(r.cost + 0.05, Join(Hole(), r.plan, "minus"))

    def _joined(self, i: int, j: int) -> Iterator[Reading]:
        """VP and VP"""
        for sep in range(i + 1, j - 1):
            comma = self.low(sep) == "," and self.low(sep + 1) == "and"
            if self.low(sep) not in {"and", "but"} and not comma:
                continue
            start = self.skip(sep + 1 + comma, j, frozenset({"who", "that", "which", "also"}))
            for a in self.verb_phrase(i, sep)[:2]:
                for b in self.verb_phrase(start, j)[:2]:
                    yield Reading(a.cost + b.cost + 0.1, both_hold(a.plan, b.plan))

    def _predicative(self, k: int, j: int) -> Iterator[Reading]:
        """(is) in NP · over 1000 km long · NP · the highest in NP"""
        if self.low(k) in PREPOSITIONS - {"of"}:
            for r in self.noun_phrase(k + 1, j):
                if not isinstance(r.plan, Kind):
                    inside = Where(Hole(), self.low(k), "patient", r.plan, self.low(k))
                    yield Reading(r.cost + 0.2, inside)
        span = self.tokens[k].span
        after = self.tokens[k + 1].span if k + 2 == j else None
        if span and k + 1 < j:
            yield Reading(0.1, Limit(Hole(), self.lows(k + 1, j), span))
        if self.low(k) in self.lex.adjectives and after:
            yield Reading(0.1, Limit(Hole(), self.low(k), after))
        for r in self.noun_phrase(k, j):
            yield Reading(r.cost + 0.05, r.plan)
        yield from self._at_an_end(self.skip(k, j, DETERMINERS), k, j)

    def _at_an_end(self, at: int, k: int, j: int) -> Iterator[Reading]:
        """(is) the most populous · the highest · the highest in NP"""
        low, nxt = self.low(at), self.low(at + 1)
        pole: Order
        if low in {"most", "least"} and at + 2 == j and (found := self.lex.adjectives.get(nxt)):
            pole = found.order if low == "most" else other_end(found.order)  # type: ignore[arg-type, assignment]
            yield Reading(0.0, Nth(Hole(), nxt, pole))
        if low not in self.lex.superlatives:
            return
        pole = self.lex.adjectives[low].order  # type: ignore[assignment]
        for r in self.noun_phrase(at + 2, j) if nxt in {"in", "of", "on"} else []:
            if not isinstance(r.plan, Kind):
                inside = Where(Hole(), nxt, "patient", r.plan, nxt)
                yield Reading(r.cost - 0.2, Nth(inside, low, pole))
        if j - k <= 2:
            yield Reading(0.0, Nth(Hole(), low, pole))

    def _verb_first(self, k: int, j: int, base: float) -> Iterator[Reading]:
        """VERB …: with a time or number, an office, somebody beside it, its objects"""
        low, end = self.low(k), j
        when = self.tokens[j - 1].span if j - 1 > k else None
        if when is not None:
            end = j - 1
            if when.test in {"more than", "less than", "is"} and end - k <= 3:
                yield Reading(base, Limit(Hole(), self.lows(k, end), when))
            elif end - k <= 2:
                yield Reading(base, Limit(Hole(), without_prep(self.lows(k, end)), when))
        if stem(low) == stem("become"):  # became president of France in 1995
            for r in self.noun_phrase(k + 1, j):
                if isinstance(r.plan, Hop) and r.plan.phrase == "officeholder":
                    office = replace(r.plan, heard=f"{low} {r.plan.heard}".strip())
                    yield Reading(r.cost - 0.1, office)
        yield from self.sharing(k, end)
        yield from self.oftenest(k, end)
        yield from self._most(k, end, base)
        if self.lex.is_verb(low):
            yield from self.so_many(k + 1, end, None, low)
        yield from self._objects(k, end, base, when)
        yield from self._two_objects(k, end, base, when)

    def _most(self, k: int, end: int, base: float) -> Iterator[Reading]:
        """has the most NOUNs · shares borders with the most NOUNs"""
        for m in range(k + 1, min(end - 1, k + 4)):
            at = self.skip(m, end, frozenset({"the"}))
            if self.low(at) not in {"most", "fewest"}:
                continue
            order: Order = "highest" if self.low(at) == "most" else "lowest"
            noun = self.lows(self.skip(at + 1, end, BESIDES), end)
            if m == k + 1 and noun and end - k <= 5:
                yield Reading(base + 0.1, Nth(Hole(), f"{self.low(k)} {noun}", order))
            if m > k + 1 and self.low(m - 1) in PREPOSITIONS and noun:
                counted = singular(self.lows(k, m - 1))
                if self.lex.is_noun(counted) or self.lex.entries.get(key_of(counted)):
                    yield Reading(base + 0.1, Nth(Hole(), counted, order))

    def _objects(self, k: int, end: int, base: float, when: Span | None) -> Iterator[Reading]:
        """VERB (PREP) NP"""
        for m in range(k + 1, min(end, k + 5)):
            lead = [self.low(x) for x in range(k, m)]
            if "" in lead or any(self.tokens[x].cap and self.cased for x in range(k, m)):
                break
            if any(w in {"'s", ",", "and", "or", "before", "after", "than"} | AUX for w in lead):
                break
            phrase = " ".join(w for w in lead if w not in DETERMINERS)
            form: Form = "patient"
            if phrase.endswith(" by") and not self.lex.entries.get(key_of(phrase)):
                phrase, form = phrase.removesuffix(" by"), "agent"
            listed = self.lex.entries.get(key_of(phrase))
            extra = (0.0 if listed else 0.35) * (len(phrase.split()) - 1)
            for r in self.noun_phrase(m, end):
                kind = isinstance(r.plan, Kind)
                if not kind or m == k + 1:
                    cost = base + extra + r.cost + 0.8 * kind
                    yield Reading(cost, dated_hop(Hop(r.plan, phrase, form), when))

    def _two_objects(self, k: int, end: int, base: float, when: Span | None) -> Iterator[Reading]:
        """played Gus Fring in Breaking Bad"""
        low = self.low(k)
        for m in range(k + 2, end - 1):
            if self.low(m) not in {"in", "on", "for", "at", "with", "from", "to"}:
                continue
            named = [a for a in self.noun_phrase(k + 1, m)[:2] if isinstance(a.plan, Anchor)]
            for a, b in product(named, self.noun_phrase(m + 1, end)[:2] if named else []):
                hop = Hop(b.plan, low, "patient", prep=self.low(m), beside=a.plan)
                yield Reading(base + a.cost + b.cost + 0.2, dated_hop(hop, when))
                if stem(low) in {"play", "portray", "voic"}:  # the role may know who played it
                    hop = Hop(a.plan, low, "patient", prep=self.low(m), beside=b.plan)
                    yield Reading(base + a.cost + b.cost + 0.25, dated_hop(hop, when))

    def sharing(self, k: int, end: int) -> Iterator[Reading]:
        """share actors with X · have the same director as X"""
        verbs = frozenset({"share", "shares", "have", "has", "had", "shared"})
        start = self.skip(k, end, verbs)
        same = self.skip(start, end, DETERMINERS | {"same"})
        stated = "same" in self.lows(k, same).split()
        if not stated and not {"share", "shares", "shared"} & set(self.lows(k, start).split()):
            return
        for m in range(same + 1, min(end, same + 4)):
            if self.low(m) in {"with", "as", "of"}:
                noun = singular(self.lows(same, m))
                if not self.lex.is_noun(noun) or noun == "border":
                    continue
                for r in self.noun_phrase(m + 1, end)[:3]:
                    if isinstance(r.plan, Anchor | Hop):
                        hop = Hop(Hop(r.plan, noun, "role"), noun, "holder", heard="share same")
                        yield Reading(r.cost - 0.1, Join(hop, r.plan, "minus"))

    def gap_clause(self, i: int, j: int, want: str = "", prep: str = "") -> Parses:
        """(the films) Sirk directed · (the city) where Einstein was born"""
        key = (i, j, want, prep)
        if key not in self._gaps:
            self._gaps[key] = self._gap_clause(i, j, want, prep)
        return self._gaps[key]

    def _gap_clause(self, i: int, j: int, want: str, prep: str) -> Parses:
        out: Parses = []
        if self.low(j - 1) in BE | _LYING and (want == "place" or prep in {"in", "on", "at"}):
            end = j - 2 if self.low(j - 2) in BE else j - 1
            for r in self.noun_phrase(i, end)[:3]:  # the country in which the seat of A is
                if not isinstance(r.plan, Kind):
                    out.append(Reading(r.cost + 0.1, Hop(r.plan, "locate", "agent", "place")))
        for m in range(i + 1, j):
            for p in self.roles(m + 1, j) if self.low(m) in BE else []:
                for r in self.noun_phrase(i, m)[:2]:
                    if not isinstance(r.plan, Kind):
                        out.append(Reading(r.cost + p.cost + 0.1, fill(p.plan, r.plan)))
            k = self.skip(m, j, AUX)
            for p in self.predicate(k, j, want, prep, passive=k > m):
                for r in self.noun_phrase(i, m)[:3]:
                    if not isinstance(r.plan, Kind):
                        out.append(Reading(r.cost + p.cost + 0.1, fill(p.plan, r.plan)))
        return best_of(out, KEEP)
