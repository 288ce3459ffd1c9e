"""Lists, and so many of something: A and B, one of several, all but some; no moon, eight states."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    BESIDES,
    BUT,
    DETERMINERS,
    Parses,
    Spans,
    called_so,
)
from kgqa_core.reader.plan import Anchor, Join, Kind, Nth, Plan, Reading
from kgqa_core.reader.words import NONE, ORDINALS, Span, number_at
from kgqa_core.text import singular


class Quantities(Spans):
    """Restrictions by a number of things."""

    def so_many(self, i: int, j: int, span: Span | None = None, verb: str = "") -> Parses:
        """(have) no NOUN · (have) eight NOUNs · (VERB) eight other NOUNs"""
        found = number_at(self.tokens, i)
        if span is None and self.low(i) == "no":
            span, i = NONE, i + 1
        elif span is None and found and found[0].isdigit():
            span, i = Span("is", found[0]), i + found[1]
        noun = singular(self.lows(self.skip(i, j, BESIDES | DETERMINERS), j))
        known = self.lex.is_noun(noun) or self.lex.class_of(noun) is not None
        if span is None or not known:
            return []
        return [Reading(0.0, p.Limit(p.Hole(), verb or noun, span, noun if verb else ""))]


class Lists(Spans):
    """Lists: A and B, one of several, all but some."""

    def _but(self, i: int, j: int) -> Iterator[Reading]:
        """NP except NP"""
        for phrase in BUT:
            for k in range(i + 1, j - len(phrase)):
                if tuple(self.low(k + x) for x in range(len(phrase))) == phrase:
                    for a in self.noun_phrase(i, k):
                        for b in self.noun_phrase(k + len(phrase), j)[:2]:
                            yield Reading(a.cost + b.cost, Join(a.plan, b.plan, "minus"))

    def _of_a_list(self, i: int, j: int) -> Iterator[Reading]:
        """the longest of the rivers A, B and C · the oldest one among A, B and C"""
        by = self.low(i)
        if by not in self.lex.superlatives:
            return
        order = self.end_of(by)
        for k in range(i + 1, min(i + 4, j - 2)):
            if self.low(k) not in {"of", "among", "between", "from"}:
                continue
            noun = singular(self.lows(i + 1, k)) if k > i + 1 else ""
            start = self.skip(k + 1, j, DETERMINERS | {"following", "both", "these"})
            if start + 1 < j and self.lex.class_of(self.low(start)) and not self.tokens[start].cap:
                noun, start = singular(self.low(start)), start + 1
            for r in self.listed(start, j, noun):
                yield Reading(r.cost - 0.3, Nth(r.plan, by, order))

    def listed(self, i: int, j: int, noun: str) -> Parses:
        """A, B and C as one set of names; each is called by the noun before them."""
        seps = [k for k in range(i + 1, j) if self.low(k) in {",", "and", "or"}]
        starts = [i, *(k + 1 for k in seps)]
        items = [(a, b) for a, b in zip(starts, [*seps, j], strict=True) if b > a]
        if len(items) < 2:
            return []
        whole: Plan | None = None
        cost = 0.0
        for a, b in items:
            names = self.mention(a, b)
            if not names:
                return []
            cost += names[0].cost
            one = called_so(names[0].plan, noun)
            whole = one if whole is None else Join(whole, one, "union")
        return [Reading(cost, whole)] if whole is not None else []

    def _of_one_name(self, i: int, j: int) -> Iterator[Reading]:
        """Ann and Bob Lee: the last name is that of both"""
        if (
            j - i == 4
            and self.low(i + 1) == "and"
            and not any(not self.tokens[k].cap or self.tokens[k].name for k in (i, i + 2, i + 3))
        ):
            one, other = (
                Anchor(f"{self.text(k, k + 1)} {self.text(i + 3, j)}") for k in (i, i + 2)
            )
            yield Reading(0.3, Join(one, other, "union"))

    def _two_ends(self, i: int, j: int) -> Iterator[Reading]:
        """the first and the last NP"""
        low, end = self.low(i), self.low(i + 1) == "and"
        known = low in self.lex.superlatives or (low in ORDINALS and low in self.lex.adjectives)
        if end and known:
            by = "first" if low in {"first", "last", "latest"} else low
            for r in self.noun_phrase(i + 2, j)[:3]:
                if isinstance(r.plan, Nth):
                    one = replace(r.plan, by=by, order=self.end_of(low), position=1)
                    yield Reading(r.cost, Join(one, r.plan, "union"))

    def _coordinated(self, i: int, j: int) -> Iterator[Reading]:
        yield from self._of_one_name(i, j)
        yield from self._two_ends(i, j)
        for k in range(i + 1, j - 1):  # A and B
            lead = i - 1 - (self.low(i - 1) in DETERMINERS)
            both = lead >= 0 and self.low(lead) == "both"
            how: OneOf["union", "intersection"] = "intersection" if both else "union"
            if self.low(k) in {"and", "or", ","}:
                end = k + 1
                if self.low(k) == "," and self.low(k + 1) in {"and", "or"}:
                    end = k + 2
                for a in self.noun_phrase(i, k)[:2]:
                    for b in self.noun_phrase(end, j)[:2]:
                        if isinstance(a.plan, Kind) or isinstance(b.plan, Kind):
                            continue
                        yield Reading(a.cost + b.cost + 0.5, Join(a.plan, b.plan, how))
