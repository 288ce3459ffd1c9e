"""Several members of a set: what most or so many of them share, which are alike, which is nearest.

A quantifier stands before a noun phrase, whatever the phrase is: a hop from such a set leads to
what is shared. What is alike or near is said by a verb phrase, whomever it is said of. Members
may be listed: A and B, one of several, all but some.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BESIDES,
    BUT,
    DETERMINERS,
    TIME_NOUNS,
    Order,
    Parses,
    Spans,
    called_so,
)
from kgqa_core.reader.plan import Anchor, Join, Kind, Nth, Plan, Reading
from kgqa_core.reader.words import NONE, ORDINALS, Span, day_of_year, number_at
from kgqa_core.text import singular

NEAREST = frozenset("closest nearest".split())
_FREQUENT = frozenset("common frequent often frequently times".split())
_SCALES = {"age": "old", "size": "large", "time": "first"}  # measured by what these are
_SHARING = frozenset("share shares shared sharing".split())
_HAVING = frozenset("have has had having with".split())


class Quantities(Spans):
    """Quantifiers before a set, and verb phrases that compare its members with each other."""

    def quantified(self, i: int, j: int) -> Iterator[Reading]:
        """most of NP · the most NP · at least two of NP · several of NP"""
        start = self.skip(i, j, frozenset({"the", "a"}))
        how, least, begin = "at least", 2, 0
        span, low, nxt = self.tokens[start].span if start < j else None, self.low(start), ""
        nxt = self.low(start + 1)
        if span and span.test == "more than" and span.value.isdigit() and nxt == "of":
            least, begin = int(span.value) + 1, start + 2
        elif low in {"several", "many"} and nxt == "of":
            begin = start + 2
        elif low in {"most", "fewest", "majority"} and nxt == "of":
            how, begin = "fewest" if low == "fewest" else "most", start + 2
        elif low in {"most", "fewest"} and self._is_thing(start + 1, j):
            how, begin = low, start + 1
        if begin:
            yield from self._of_several(begin, j, how, least)

    def _is_thing(self, i: int, j: int) -> bool:
        """Whether a noun or a name follows, and no adjective: "the most distant" is one thing."""
        low = self.low(i)
        noun = bool(self.lex.class_of(low)) or self.lex.is_noun(singular(low))
        named = i < j and (
            self.tokens[i].cap or self.tokens[i].name or low in {"member", "members"}
        )
        return (noun or named) and low not in self.lex.adjectives

    def _of_several(self, i: int, j: int, how: str, least: int = 2) -> Iterator[Reading]:
        for r in self.noun_phrase(i, j)[:3]:
            plan = self._group(r.plan, j)
            if not isinstance(plan, p.Anchor | p.Several):
                yield Reading(r.cost, p.Several(plan, how, least))  # type: ignore[arg-type]

    def _group(self, plan: Plan, j: int) -> Plan:
        """A name in the plural stands for each of those it names."""
        many = isinstance(plan, p.Anchor) and singular(self.low(j - 1)) != self.low(j - 1)
        return p.Kind(plan.text) if many and isinstance(plan, p.Anchor) else plan

    def commonest(self, i: int, j: int) -> Iterator[Reading]:
        """(the) most common NOUN of NP"""
        if self.low(i) != "most" or self.low(i + 1) not in _FREQUENT:
            return
        for k in range(i + 3, j - 1):
            noun = singular(self.lows(i + 2, k))
            if self.low(k) in {"of", "among", "amongst", "for", "in"} and self.lex.is_noun(noun):
                for r in self._of_several(k + 1, j, "most"):
                    yield Reading(
                        r.cost - 0.3, p.Hop(r.plan, noun, "role", heard="common frequent")
                    )

    def oftenest(self, k: int, j: int) -> Iterator[Reading]:
        """VERB NP most often · VERB NP the most times"""
        if self.low(j - 2) != "most" or self.low(j - 1) not in _FREQUENT:
            return
        end = j - 2 - (self.low(j - 3) == "the")
        if self.lex.is_verb(self.low(k)) and end > k + 1:
            for r in self.noun_phrase(k + 1, end)[:3]:
                several = p.Several(self._group(r.plan, end), "most")
                yield Reading(r.cost, p.Hop(several, self.low(k), "patient", heard=self.low(j - 1)))

    def alike(self, k: int, j: int) -> Iterator[Reading]:
        """share a NOUN · have the same NOUN · VERB in the same NOUN"""
        end = j - 2 if self.lows(j - 2, j) in {"each other", "one another"} else j
        end -= end < j and self.low(end - 1) in {"with", "as"}
        same = next((x for x in range(k, end - 1) if self.low(x) == "same"), 0)
        shared = self.low(k) in _SHARING
        start = same + 1 if same else self.skip(k + 1, end, DETERMINERS) if shared else end
        noun = singular(self.lows(start, end)) if k < start < end else ""
        if not (self.lex.is_noun(noun) or self.lex.class_of(noun) or noun in TIME_NOUNS):
            return
        before = self.skip(k, same or start, _HAVING | _SHARING)
        verb = [w for w in self.lows(before, same or start).split() if w not in DETERMINERS | AUX]
        if not verb and self.lex.is_noun(noun) and noun != "border":
            yield Reading(-0.2, p.Alike(p.Hole(), noun, "role", noun))
        elif verb and self.lex.is_verb(verb[0]) and len(verb) < 3:
            yield Reading(-0.2, p.Alike(p.Hole(), " ".join(verb), "agent", noun, self._want(noun)))

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

    def near(self, k: int, j: int) -> Iterator[Reading]:
        """closest in MEASURE to NP · closest to AMOUNT in MEASURE · VERB closest to DATE"""
        at = next((x for x in range(k, j - 2) if self.low(x) in NEAREST), -1)
        to = next((x for x in range(at + 1, j - 1) if self.low(x) == "to"), 0) if at >= 0 else 0
        if not to:
            return
        before = [w for w in self.lows(k, at).split() if w not in DETERMINERS | AUX | {"with"}]
        inner = self._measure_in(at + 1, to)
        last = max((x for x in range(to + 2, j - 1) if self.low(x) in {"in", "by"}), default=0)
        outer = self._measure_in(last, j) if last else ""
        if outer and not inner and not before:
            yield from self._nearest(outer, to + 1, last)
        elif inner and not before:
            yield from self._nearest(inner, to + 1, j)
        elif len(before) == 1 and to == at + 1:
            noun = self._measured(before[0]) or not self.lex.is_verb(before[0])
            by = before[0] if noun else f"first {before[0]}"
            yield from self._nearest(by, to + 1, j)

    def _measure_in(self, i: int, j: int) -> str:
        """What "in size", "by population" measures; empty where the words say nothing of it."""
        start = self.skip(i, j, frozenset({"in", "by"}))
        start = self.skip(start, j, DETERMINERS)
        said = self.lows(start, j) if i < start < j else ""
        told = said in _SCALES or self._measured(said) or said in {"date of birth", "birthday"}
        return _SCALES.get(said, said) if told else ""

    def _nearest(self, by: str, i: int, j: int) -> Iterator[Reading]:
        given = self._given(i, j)
        if given is not None:
            yield Reading(-0.3, p.Nearest(p.Hole(), by, given))
            return
        for r in self.noun_phrase(i, j)[:3]:
            if not isinstance(r.plan, p.Kind):
                yield Reading(r.cost - 0.3, p.Nearest(p.Hole(), by, r.plan))

    def nearest_of(self, i: int, j: int) -> Iterator[Reading]:
        """(the) closest NP to NP in MEASURE"""
        if self.low(i) not in NEAREST:
            return
        last = max((x for x in range(i + 3, j - 1) if self.low(x) in {"in", "by"}), default=0)
        by = self._measure_in(last, j) if last else ""
        for to in range(i + 2, last if by else 0):
            if self.low(to) == "to":
                for base in self.noun_phrase(i + 1, to)[:2]:
                    for r in self._nearest(by, to + 1, last):
                        near = r.plan
                        if isinstance(near, p.Nearest) and not isinstance(base.plan, p.Anchor):
                            plan = p.Nearest(base.plan, by, near.to)
                            yield Reading(base.cost + r.cost - 1.6, plan)

    def _given(self, i: int, j: int) -> p.Given | None:
        """A year, a date, a day of the year or a number that is written out."""
        span = self.tokens[i].span
        if span and j == i + 1 and span.test == "during" and not span.until:
            return p.Given(span.value)
        found = number_at(self.tokens, i)
        if found and i + found[1] == j:
            return p.Given(found[0])
        day = day_of_year([t.low for t in self.tokens[i:j]])
        return p.Given(day) if day else None


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
        order: Order = self.lex.adjectives[by].order  # type: ignore[assignment]
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
        measure = self.lex.adjectives.get(low)
        if end and (low in ORDINALS or low in self.lex.superlatives) and measure is not None:
            by = "first" if low in {"first", "last", "latest"} else low
            for r in self.noun_phrase(i + 2, j)[:3]:
                if isinstance(r.plan, Nth):
                    one = replace(r.plan, by=by, order=measure.order, position=1)  # type: ignore[arg-type]
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
                        if isinstance(b.plan, Join) and b.plan.how == how:
                            continue  # A, and B and C: the same as A and B, and C
                        yield Reading(a.cost + b.cost + 0.5, Join(a.plan, b.plan, how))
