"""Noun phrases: names, nouns with what narrows them, owners, offices."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BE,
    BESIDES,
    BUT,
    DETERMINERS,
    FILLER,
    KEEP,
    LEADING,
    NO_VERB,
    OFFICES,
    PREPOSITIONS,
    RELATIVE,
    TITLES,
    Head,
    Order,
    Readings,
    Spans,
    at_time,
    best_of,
    both_hold,
    called_so,
    inside_class,
    is_office_of,
    rule,
)
from kgqa_core.reader.plan import Plan, Reading, fill, has_hole, united
from kgqa_core.reader.words import NONE, Span, number_at
from kgqa_core.text import singular, stem, stems

_SUMS: dict[str, Order] = dict.fromkeys(("sum", "total", "combined"), "sum")
_SUMS |= {"average": "average", "mean": "average"}
_OF_SEVERAL = frozenset({"any", "every", "each"})


class Nouns(Spans):
    """Noun phrases: names, nouns with what narrows them, owners, offices."""

    @rule()
    def noun_phrase(self, i: int, j: int) -> Readings:
        if i < j:
            found = best_of(self._noun_phrases(i, j), KEEP)
            yield from found
            yield from (r for r in self.mention(i, j) if r not in found)

    def _noun_phrases(self, i: int, j: int) -> Readings:
        yield from self.mention(i, j)
        yield from self.office(i, j)
        if self.low(i) in {"first", "last", "latest"} and self.low(i + 1) == "to":
            at: Order = "lowest" if self.low(i) == "first" else "highest"  # the last to join
            for r in self.verb_phrase(i + 2, j):
                if not has_hole(r.plan):
                    yield Reading(r.cost, p.Nth(r.plan, "first", at))
        if self.low(i) == "number" and self.low(i + 1) == "of":
            for r in self.noun_phrase(i + 2, j):
                yield Reading(r.cost - 0.4, p.Count(r.plan))
        bare = self.skip(i, j, LEADING | {"both"})
        if bare > i:
            if bare < j:
                named = self.cased and i > 0 and self.tokens[i].cap  # The Beatles
                for r in self.noun_phrase(bare, j):
                    yield Reading(r.cost + 0.03 * named, r.plan)
                if named:
                    yield from self._coordinated(i, j)
            return
        if self.low(j - 1) in {","} | FILLER - {"first"}:
            yield from self.noun_phrase(i, j - 1)
            return
        span = self.tokens[j - 1].span
        if span and j - 1 > i:
            for r in self.noun_phrase(i, j - 1):
                yield Reading(r.cost + 0.05, at_time(r.plan, span))
        yield from self._by_measure(i, j)
        yield from self._but(i, j)
        yield from self._possessed(i, j)
        for h in range(i + 1, j + 1):
            if head := self.head(i, h):
                yield from self._headed(head, i, h, j)
        yield from self._narrowed(i, j)
        yield from self._compound(i, j)
        yield from self._coordinated(i, j)
        yield from self._of_several(i, j)

    def _of_several(self, i: int, j: int) -> Readings:
        """the oldest of A, B and C · average height of A and B · sum of the areas of A and B"""
        low, sums = self.low(i), self.low(i) in _SUMS
        order = _SUMS.get(low) or (self.end_of(low) if low in self.lex.superlatives else None)
        at = self.skip(i + 1, j, LEADING | {"of"}) if sums else i + 1
        for k in range(at + sums, min(at + 1 + 3 * sums, j - 1)) if order else ():
            by = singular(self.lows(at, k)) or low
            for r in self.noun_phrase(k + 1, j) if self.low(k) in {"of", "among"} else ():
                listed = all(isinstance(one, p.Anchor) for one in united(r.plan)) or sums
                if order and listed and not isinstance(r.plan, p.Anchor) and by != "number":
                    yield Reading(r.cost - 0.3, p.Nth(r.plan, by, order))

    def _by_measure(self, i: int, j: int) -> Readings:
        """the largest country by population"""
        for k in range(max(i + 2, j - 3), j - 1):
            if self.low(k) in {"by", "in"} and self._kind(self.lows(k + 1, j)) == "number":
                for r in self.noun_phrase(i, k):
                    if isinstance(r.plan, p.Nth):
                        yield Reading(r.cost - 0.3, replace(r.plan, by=self.lows(k + 1, j)))

    def _possessed(self, i: int, j: int) -> Readings:
        """X's N"""
        for k in range(i + 1, j - 1):
            head = self.head(k + 1, j) if self.low(k) == "'s" else None
            if head is None:
                continue
            for r in self.noun_phrase(i, k):
                if not isinstance(r.plan, p.Kind):
                    cost = r.cost + head.cost + 0.1 + self._unfamiliar(head.noun)
                    yield Reading(cost, self._owned(r.plan, head))

    def _headed(self, head: Head, i: int, h: int, j: int) -> Readings:
        """HEAD alone · HEAD PREP NP · HEAD with what narrows it"""
        if h == j:
            if holders := self.holders(head):
                yield Reading(0.1, holders)
            if (owned := self.national(head)) is not None:
                yield Reading(0.3 + head.cost, owned)
            known = self.lex.class_of(head.noun) is not None
            cost = 1.4 + head.cost + 0.4 * (not known) + 0.3 * (h - i - 1)
            if head.by or head.adjectives:
                cost -= 0.6
            yield Reading(cost, self._finish(p.Kind(head.noun), head))
            return
        prep = self.low(h)
        plan: Plan
        for r in self.noun_phrase(h + 1, j) if prep in PREPOSITIONS - {"with"} else []:
            if isinstance(r.plan, p.Kind) and prep != "of":
                continue
            title = self.low(h - 1) in TITLES and not head.by  # in the singular alone
            title &= self.low(max(i - 1, 0)) not in _OF_SEVERAL  # any state of Mexico
            if prep == "of" and isinstance(r.plan, p.Anchor) and title:  # the city of Paris
                noun = " ".join((*head.adjectives, head.noun))
                yield Reading(r.cost + head.cost + 0.05, called_so(r.plan, noun))
            hop = p.Hop(r.plan, head.noun, "role", prep=prep if prep != "of" else "")
            cost = r.cost + head.cost + 0.1 + self._unfamiliar(head.noun)
            yield Reading(cost, self._finish(hop, head))
        for m in self.modifiers(h, j, head.noun):
            if has_hole(m.plan):
                plan = fill(m.plan, p.Kind(head.noun))
            elif self.lex.class_of(head.noun) is None and self._generic(head.noun):
                plan = m.plan
            elif isinstance(m.plan, p.Kind):
                plan = p.Of(m.plan, head.noun)  # physicists who are politicians
            else:
                plan = inside_class(m.plan, head.noun)
            cost = m.cost + head.cost + 0.1 + 0.15 * (self._unfamiliar(head.noun) > 0.25)
            yield Reading(cost, self._finish(plan, head))

    def _narrowed(self, i: int, j: int) -> Readings:
        """presidents of the US who were members of … · films by A with B"""
        for k in range(i + 2, j - 1):
            low = self.low(k)
            verb = low.endswith(("ed", "ing")) and self.lex.is_verb(low) and not self.tokens[k].cap
            if not verb and low not in RELATIVE | {"with", "by", "starring", "featuring", "about"}:
                continue
            for m in self.modifiers(k, j, "")[:3]:
                for r in self.noun_phrase(i, k)[:3]:
                    if not isinstance(r.plan, p.Kind | p.Anchor):
                        yield Reading(r.cost + m.cost + 0.2, both_hold(r.plan, m.plan))

    def holders(self, head: Head) -> Plan | None:
        """US presidents, British prime ministers: those who held the office of that name."""
        places = [a for a in head.adjectives if a in self.lex.demonyms]
        if not places or stem(head.noun.split()[-1]) not in OFFICES:
            return None
        country = self.lex.demonyms[places[0]][0]
        office = p.Anchor(f"{head.noun} of {country}")
        many = any(t.low == f"{head.noun.split()[-1]}s" for t in self.tokens)
        heard = f"{places[0]} {head.noun}"
        plan: Plan = p.Hop(office, "officeholder", "role", noun="all" if many else "", heard=heard)
        rest = tuple(a for a in head.adjectives if a != places[0])
        return self._finish(plan, replace(head, adjectives=rest))

    def national(self, head: Head) -> Plan | None:
        """The Polish currency: that of Poland."""
        places = [a for a in head.adjectives if a in self.lex.demonyms]
        if len(places) != 1 or head.by or not self.lex.is_noun(head.noun):
            return None
        ways = [way for e in self.lex.find(stems(head.noun), "noun") for way in e.relations]
        if self.lex.class_of(head.noun) is not None and (head.noun,) not in ways:
            return None  # French films are no films of France
        owner = p.Anchor(self.lex.demonyms[places[0]][0])
        rest = tuple(a for a in head.adjectives if a != places[0])
        return self._owned(owner, replace(head, adjectives=rest))

    def _owned(self, owner: Plan, head: Head) -> Plan:
        return self._finish(p.Hop(owner, head.noun, "role"), head)

    def _finish(self, plan: Plan, head: Head) -> Plan:
        for adjective in head.adjectives:
            plan = p.From(plan, adjective)
        if head.by:
            return p.Nth(plan, head.by, head.order, head.position)
        return plan

    def _compound(self, i: int, j: int) -> Readings:
        """Names next to nouns: "actor Tom Hanks", "Einstein birthplace", "Sirk directed films"."""
        whole = self.head(i, j)
        if whole and " " in whole.noun and self.lex.class_of(whole.noun):
            return  # US states are no states of somebody called US
        for k in range(i + 1, j):
            left, right = self.head(i, k), self.head(k, j)
            if self.low(k) in LEADING:
                right = None  # "Barcelona the capital" is no compound
            if left and not left.by:
                for r in self.mention(k, j):
                    if (self.cased and self.tokens[k].cap) or not self.cased:
                        known = self.lex.class_of(left.noun) is not None
                        extra = 0.1 if known and self.cased else 0.9 if known else 1.2
                        yield Reading(r.cost + left.cost + extra, p.Anchor(r.plan.text, left.noun))  # type: ignore[attr-defined]
                    if self.lex.is_noun(left.noun):
                        yield Reading(r.cost + 1.0, p.Hop(r.plan, left.noun, "role"))
            if right and self.low(k - 1) != "'s":
                for r in self.mention(i, k):
                    if self.lex.is_noun(right.noun) or self.lex.class_of(right.noun):
                        cls = self.lex.class_of(right.noun)
                        if cls is not None and cls.what in {"place", "thing"}:
                            named = p.Anchor(r.plan.text, right.noun)  # type: ignore[attr-defined]
                            extra = 0.75 if self.cased and self.tokens[k - 1].cap else 1.5
                            yield Reading(r.cost + right.cost + extra, named)  # the Andes range
                        cost = 0.6 if self.lex.is_noun(right.noun) else 0.9
                        cost -= 0.5 * self.tokens[k - 1].name
                        cost += 0.1 * self.lex.is_verb(right.noun)  # does X play, is no play of X
                        yield Reading(r.cost + right.cost + cost, self._owned(r.plan, right))
            noun = self.head(k + 1, j)
            if noun is not None and self.lex.is_verb(self.low(k)):  # NAME VERBed NOUN
                for r in self.mention(i, k):
                    made = inside_class(p.Hop(r.plan, self.low(k), "agent"), noun.noun)
                    cost = 0.1 if self.tokens[k - 1].name else 0.3
                    yield Reading(r.cost + cost, self._finish(made, noun))

    def office(self, i: int, j: int) -> Readings:
        """An office by its whole name stands for its holders: "the president of the US"."""
        start, i = i, self.skip(i, j, DETERMINERS)
        when = self.tokens[j - 1].span if j - i == 2 else None  # pope in 1900
        if when or (j - i == 1 and (self.tokens[i].name or i > start)):
            if is_office_of(name := self.tokens[i].text):
                cost = -0.36 if self.tokens[i].name else 0.25
                held = p.Hop(p.Anchor(name), "officeholder", "role")
                yield Reading(cost, at_time(held, when) if when else held)
            return
        for h in range(i + 1, j - 1):
            if self.low(h) not in {"of", "to"}:
                continue
            head = self.head(i, h)
            if head is None or stem(head.noun.split()[-1]) not in OFFICES:
                continue
            first = head.noun.split()[0]
            k = next(k for k in range(i, h) if self.text(k, h).casefold().startswith(first))
            for r in self.mention(h + 1, j):
                name = self.text(k, j)
                plan: Plan = p.Hop(p.Anchor(name), "officeholder", "role")
                yield Reading(r.cost + head.cost + 0.25, self._finish(plan, head))
            return

    @rule(KEEP)
    def modifiers(self, i: int, j: int, noun: str) -> Readings:
        """What follows a noun and narrows it: relative clauses, participles, "with …"."""
        if i >= j:
            return
        low = self.low(i)
        if low == "," and i + 1 < j:
            yield from self.modifiers(i + 1, j, noun)
            return
        if low == "to" and (self.lex.is_verb(self.low(i + 1)) or self.low(i + 1) == "be"):
            yield from (r for r in self.verb_phrase(i + 1, j) if not has_hole(r.plan))
        if low in {"that", "who", "which", "whom"}:
            yield from self.verb_phrase(i + 1, j)
            yield from self.gap_clause(i + 1, j)
        elif low == "whose":
            yield from self._whose(i, j)
        elif low == "where" or (low in PREPOSITIONS and self.low(i + 1) in {"which", "whom"}):
            k = i + 1 if low == "where" else i + 2
            yield from self.gap_clause(k, j, *(("place", "") if low == "where" else ("", low)))
        elif low == "without":
            yield from self.so_many(i + 1, j, NONE)
        elif low == "with" or low == "having":
            yield from self.having(i + 1, j)
        elif self.tokens[i].span:
            span = self.tokens[i].span
            assert span is not None
            if i + 1 == j:
                yield Reading(0.1, p.Limit(p.Hole(), noun, span))
            elif span.test in {"more than", "less than", "is"}:
                yield Reading(0.2, p.Limit(p.Hole(), self.lows(i + 1, j), span))
        else:
            if low not in AUX and (self.lex.is_verb(low) or not self.lex.is_noun(low)):
                yield from self.verb_phrase(i, j)
            yield from (Reading(r.cost + 0.3, r.plan) for r in self.gap_clause(i, j))
        yield from self._two_narrowing(i, j, noun)
        if low in PREPOSITIONS and low not in {"with", "of"}:
            for r in self.noun_phrase(i + 1, j):
                if not isinstance(r.plan, p.Kind):
                    yield Reading(r.cost + 0.2, p.Where(p.Hole(), low, "patient", r.plan, low))

    def _whose(self, i: int, j: int) -> Readings:
        """whose capital is X · whose directors also directed X"""
        for k in range(i + 2, j):
            if self.low(k) not in BE | {"have", "has"} and not self.lex.is_verb(self.low(k)):
                continue
            noun = self.lows(i + 1, k)
            for r in self.verb_phrase(k, j):
                if not has_hole(r.plan):
                    yield Reading(r.cost + 0.2, p.Hop(r.plan, noun, "holder"))

    def _two_narrowing(self, i: int, j: int, noun: str) -> Readings:
        """Two restrictions joined by "and", or just two in a row."""
        for k in range(i + 1, j - 1):
            if self.low(k) in {"and", ",", "but"}:
                start = k + 2 if self.low(k) == "," and self.low(k + 1) == "and" else k + 1
                then = self.modifiers(start, j, noun)[:2]
                for a, b in product(self.modifiers(i, k, noun)[:2], then):
                    yield Reading(a.cost + b.cost + 0.1, both_hold(a.plan, b.plan))

    def having(self, i: int, j: int) -> Readings:
        """(with) more than 3 children · the most inhabitants · a population over 3 million · NP"""
        i = self.skip(i, j, DETERMINERS)
        if i >= j:
            return
        span = self.tokens[i].span
        low = self.low(i)
        if span and i + 1 < j:
            yield Reading(0.0, p.Limit(p.Hole(), self.lows(i + 1, j), span))
        yield from self.so_many(i, j)
        for k in range(i + 1, j):
            inner = self.tokens[k].span
            if inner and k == j - 1 and k - i <= 3:
                noun = " ".join(w for w in self.lows(i, k).split() if w not in {"of"})
                yield Reading(0.1, p.Limit(p.Hole(), noun, inner))
        for k in range(max(i + 1, j - 2), j):  # the symbol Hg, the atomic number 1
            said = self.lows(k, j).split()
            known = any(w in NO_VERB | RELATIVE or self.lex.knows(w) for w in said)
            if self.lex.is_noun(noun := self.lows(i, k)) and not known:
                yield Reading(0.3, p.Limit(p.Hole(), noun, Span("is", self.text(k, j))))
        if low in {"most", "fewest", "least", "highest", "largest", "biggest", "greatest", "lowest",
                   "smallest", "longest", "shortest", "best", "oldest",
                   "youngest", "average", "sum"} and i + 1 < j:  # fmt: skip
            noun = self.lows(i + 1, j)
            words_ = noun.split()
            if "" not in words_ and len(words_) <= 3 and not set(words_) & {"in", "on"}:
                yield Reading(0.0, p.Nth(p.Hole(), noun, self.end_of(low)))
        for k in range(i + 1, j):
            if self.low(k) == "as":  # Spanish as official language
                noun = self.lows(self.skip(k + 1, j, DETERMINERS), j)
                for r in self.noun_phrase(i, k)[:2]:
                    yield Reading(r.cost, p.Hop(r.plan, singular(noun), "holder"))
        for r in self.noun_phrase(i, j):
            pair = isinstance(r.plan, p.Join) and isinstance(r.plan.left, p.Anchor)  # with A and B
            if isinstance(r.plan, p.Anchor) or pair:
                yield Reading(r.cost + 0.2, p.Hop(r.plan, "with", "patient", prep="with"))
            elif isinstance(r.plan, p.Hop) and r.plan.form == "role":
                # films with the same director as X; "countries with the capital of …"
                yield Reading(r.cost + 0.6, p.Hop(r.plan, r.plan.phrase, "holder"))

    def so_many(self, i: int, j: int, span: Span | None = None, verb: str = "") -> Readings:
        """(have) no NOUN · (have) eight NOUNs · (VERB) eight other NOUNs"""
        found = number_at(self.tokens, i)
        if span is None and self.low(i) == "no":
            span, i = NONE, i + 1
        elif span is None and found and found[0].isdigit():
            span, i = Span("is", found[0]), i + found[1]
        noun = singular(self.lows(self.skip(i, j, BESIDES | DETERMINERS), j))
        known = self.lex.is_noun(noun) or self.lex.class_of(noun) is not None
        if span is not None and known:
            yield Reading(0.0, p.Limit(p.Hole(), verb or noun, span, noun if verb else ""))

    def _but(self, i: int, j: int) -> Readings:
        """NP except NP"""
        for phrase, k in product(BUT, range(i + 1, j)):
            if tuple(self.low(k + x) for x in range(len(phrase))) == phrase:
                for a in self.noun_phrase(i, k):
                    for b in self.noun_phrase(k + len(phrase), j)[:2]:
                        yield Reading(a.cost + b.cost, p.Join(a.plan, b.plan, "minus"))

    def _coordinated(self, i: int, j: int) -> Readings:
        """A and B · both A and B"""
        lead = i - 1 - (self.low(i - 1) in DETERMINERS)
        both = lead >= 0 and self.low(lead) == "both"
        for k in range(i + 1, j - 1):
            if self.low(k) not in {"and", "or", ","}:
                continue
            end = k + 1 + (self.low(k) == "," and self.low(k + 1) in {"and", "or"})
            for a, b in product(self.noun_phrase(i, k)[:2], self.noun_phrase(end, j)[:2]):
                if not isinstance(a.plan, p.Kind) and not isinstance(b.plan, p.Kind):
                    pair = p.Join(a.plan, b.plan, "intersection" if both else "union")
                    yield Reading(a.cost + b.cost + 0.5, pair)
