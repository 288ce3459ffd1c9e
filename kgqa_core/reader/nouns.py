"""Noun phrases: names, nouns with what narrows them, owners, offices."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Literal as OneOf

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    BESIDES,
    BUT,
    DETERMINERS,
    FILLER,
    KEEP,
    LEADING,
    NOT_IN_NOUNS,
    OFFICES,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    TITLES,
    WH,
    Head,
    Order,
    Parses,
    Spans,
    at_time,
    best_of,
    both_hold,
    called_so,
    inside_class,
    other_end,
)
from kgqa_core.reader.plan import (
    Anchor,
    Count,
    From,
    Hole,
    Hop,
    Join,
    Kind,
    Limit,
    Nth,
    Of,
    Plan,
    Reading,
    Where,
    fill,
    has_hole,
)
from kgqa_core.reader.words import NUMBER_WORDS, ORDINALS, words
from kgqa_core.text import singular, stem

_NO_SUPERLATIVE = frozenset(
    "forest interest harvest contest conquest request protest guest west quest midwest northwest "
    "southwest tempest everest rainforest budapest bucharest inquest bequest".split()
)


class Nouns(Spans):
    """Noun phrases: names, nouns with what narrows them, owners, offices."""

    def noun_phrase(self, i: int, j: int) -> Parses:
        if i >= j:
            return []
        key = (i, j)
        if key not in self._np:
            self._np[key] = []  # no left recursion
            found = best_of(list(self._noun_phrases(i, j)), KEEP)
            self._np[key] = found + [r for r in self.mention(i, j) if r not in found]
        return self._np[key]

    def _noun_phrases(self, i: int, j: int) -> Iterator[Reading]:
        yield from self.mention(i, j)
        yield from self.office(i, j)
        if self.low(i) in {"first", "last", "latest"} and self.low(i + 1) == "to":
            at: Order = "lowest" if self.low(i) == "first" else "highest"  # the last to join
            for r in self.verb_phrase(i + 2, j):
                if not has_hole(r.plan):
                    yield Reading(r.cost, Nth(r.plan, "first", at))
        if self.low(i) == "number" and self.low(i + 1) == "of":
            for r in self.noun_phrase(i + 2, j):
                yield Reading(r.cost - 0.4, Count(r.plan))
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
        for k in range(i + 2, j - 1):  # the largest country by population
            if self.low(k) in {"by", "in"} and j - k <= 3 and self._measured(self.lows(k + 1, j)):
                for r in self.noun_phrase(i, k):
                    if isinstance(r.plan, Nth):
                        yield Reading(r.cost - 0.3, replace(r.plan, by=self.lows(k + 1, j)))
        for phrase in BUT:
            for k in range(i + 1, j - len(phrase)):
                if tuple(self.low(k + x) for x in range(len(phrase))) == phrase:
                    for a in self.noun_phrase(i, k):
                        for b in self.noun_phrase(k + len(phrase), j)[:2]:
                            yield Reading(a.cost + b.cost, Join(a.plan, b.plan, "minus"))
        for k in range(i + 1, j - 1):  # X's N
            if self.low(k) == "'s":
                head = self.head(k + 1, j)
                if head:
                    for r in self.noun_phrase(i, k):
                        if not isinstance(r.plan, Kind):
                            yield Reading(
                                r.cost + head.cost + 0.1 + self._unfamiliar(head.noun),
                                self._owned(r.plan, head),
                            )
                else:  # X's N with modifiers: "X's films from 1990"
                    for h in range(k + 2, j):
                        head = self.head(k + 1, h)
                        if head is None:
                            continue
        for h in range(i + 1, j + 1):  # HEAD modifiers
            head = self.head(i, h)
            if head is None:
                continue
            if h == j and (holders := self.holders(head)):
                yield Reading(0.1, holders)
            if h == j:
                known = self.lex.class_of(head.noun) is not None
                cost = 1.4 + head.cost + 0.4 * (not known) + 0.3 * (h - i - 1)
                if head.by or head.adjectives:
                    cost -= 0.6
                yield Reading(cost, self._finish(Kind(head.noun), head))
                continue
            if self.low(h) in PREPOSITIONS and self.low(h) != "with":
                prep = self.low(h)
                for r in self.noun_phrase(h + 1, j):
                    if isinstance(r.plan, Kind) and prep != "of":
                        continue
                    title = head.noun.split()[-1] in TITLES and not head.by
                    if prep == "of" and isinstance(r.plan, Anchor) and title:  # the city of Paris
                        noun = " ".join((*head.adjectives, head.noun))
                        yield Reading(r.cost + head.cost + 0.05, called_so(r.plan, noun))
                    plan: Plan = Hop(r.plan, head.noun, "role", prep=prep if prep != "of" else "")
                    cost = r.cost + head.cost + 0.1 + self._unfamiliar(head.noun)
                    yield Reading(cost, self._finish(plan, head))
            for m in self.modifiers(h, j, head.noun):
                base = Kind(head.noun)
                if has_hole(m.plan):
                    plan = fill(m.plan, base)
                elif self.lex.class_of(head.noun) is None and self._generic(head.noun):
                    plan = m.plan
                elif isinstance(m.plan, Kind):
                    plan = Of(m.plan, head.noun)  # physicists who are politicians
                else:
                    plan = inside_class(m.plan, head.noun)
                yield Reading(m.cost + head.cost + 0.1, self._finish(plan, head))
        for k in range(i + 2, j - 1):  # presidents of the US who were members of …
            low = self.low(k)  # … or films by A with B
            if low in RELATIVE | {"whose", "with", "by", "starring", "featuring", "about"} or (
                not self.tokens[k].cap
                and self.low(k).endswith(("ed", "ing"))
                and self.lex.is_verb(self.low(k))
            ):
                for m in self.modifiers(k, j, "")[:3]:
                    for r in self.noun_phrase(i, k)[:3]:
                        if isinstance(r.plan, Kind | Anchor):
                            continue
                        plan = (
                            fill(m.plan, r.plan) if has_hole(m.plan) else both_hold(r.plan, m.plan)
                        )
                        yield Reading(r.cost + m.cost + 0.2, plan)
        yield from self._compound(i, j)
        yield from self._coordinated(i, j)
        yield from self._of_a_list(i, j)

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

    def _coordinated(self, i: int, j: int) -> Iterator[Reading]:
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

    def holders(self, head: Head) -> Plan | None:
        """US presidents, British prime ministers: those who held the office of that name."""
        places = [a for a in head.adjectives if a in self.lex.demonyms]
        if not places or stem(head.noun.split()[-1]) not in OFFICES:
            return None
        country = self.lex.demonyms[places[0]][0]
        office = Anchor(f"{head.noun} of {country}")
        many = any(t.low == f"{head.noun.split()[-1]}s" for t in self.tokens)
        heard = f"{places[0]} {head.noun}"
        plan: Plan = Hop(office, "officeholder", "role", noun="all" if many else "", heard=heard)
        rest = tuple(a for a in head.adjectives if a != places[0])
        return self._finish(plan, replace(head, adjectives=rest))

    def _unfamiliar(self, noun: str) -> float:
        if self.lex.is_noun(noun):
            return 0.0
        return 0.25 if self.lex.class_of(noun) else 0.5 + 0.2 * len(noun.split())

    def _owned(self, owner: Plan, head: Head) -> Plan:
        return self._finish(Hop(owner, head.noun, "role"), head)

    def _finish(self, plan: Plan, head: Head) -> Plan:
        for adjective in head.adjectives:
            plan = From(plan, adjective)
        if head.by:
            return Nth(plan, head.by, head.order, head.position)
        return plan

    def _compound(self, i: int, j: int) -> Iterator[Reading]:
        """Names next to nouns: "actor Tom Hanks", "Einstein birthplace", "Sirk directed films"."""
        for k in range(i + 1, j):
            left, right = self.head(i, k), self.head(k, j)
            if self.low(k) in LEADING:
                right = None  # "Barcelona the capital" is no compound
            if left and not left.by:
                for r in self.mention(k, j):
                    if (self.cased and self.tokens[k].cap) or not self.cased:
                        known = self.lex.class_of(left.noun) is not None
                        extra = 0.1 if known and self.cased else 0.9 if known else 1.2
                        yield Reading(r.cost + left.cost + extra, Anchor(r.plan.text, left.noun))  # type: ignore[union-attr]
                    if self.lex.is_noun(left.noun):
                        yield Reading(r.cost + 1.0, Hop(r.plan, left.noun, "role"))
            if right and self.low(k - 1) != "'s":
                for r in self.mention(i, k):
                    if self.lex.is_noun(right.noun) or self.lex.class_of(right.noun):
                        cls = self.lex.class_of(right.noun)
                        if cls is not None and cls.what in {"place", "thing"}:
                            named = Anchor(r.plan.text, right.noun)  # type: ignore[union-attr]
                            extra = 0.75 if self.cased and self.tokens[k - 1].cap else 1.5
                            yield Reading(r.cost + right.cost + extra, named)  # the Andes range
                        cost = 0.6 if self.lex.is_noun(right.noun) else 0.9
                        cost -= 0.5 * self.tokens[k - 1].name
                        yield Reading(r.cost + right.cost + cost, self._owned(r.plan, right))
            if self.cased and self.tokens[k - 1].cap and not self.tokens[k].cap:
                for h in range(k + 1, min(j, k + 4)):  # NAME films with …
                    noun_ = self.head(k, h)
                    known = noun_ is not None and self.lex.class_of(noun_.noun) is not None
                    if noun_ is None or not known or not self.lex.is_noun(noun_.noun):
                        continue
                    for m in self.modifiers(h, j, noun_.noun)[:3]:
                        for r in self.mention(i, k):
                            owned = self._owned(r.plan, noun_)
                            both = both_hold(owned, m.plan)
                            yield Reading(r.cost + m.cost + noun_.cost + 0.4, both)
            for p in range(k + 1, j):  # NAME VERBed NOUN
                noun = self.head(p, j)
                if noun and self.lex.is_verb(self.low(k)) and p == k + 1:
                    for r in self.mention(i, k):
                        hop = Hop(r.plan, self.low(k), "agent")
                        cost = 0.1 if self.tokens[k - 1].name else 0.3
                        yield Reading(
                            r.cost + cost, self._finish(inside_class(hop, noun.noun), noun)
                        )

    def office(self, i: int, j: int) -> Iterator[Reading]:
        """An office by its whole name stands for its holders: "the president of the US"."""
        i = self.skip(i, j, DETERMINERS)
        for h in range(i + 1, j - 1):
            if self.low(h) not in {"of", "to"}:
                continue
            head = self.head(i, h)
            if head is None or stem(head.noun.split()[-1]) not in OFFICES:
                continue
            k = next(
                k
                for k in range(i, h)
                if self.text(k, h).casefold().startswith(head.noun.split()[0])
            )
            for r in self.mention(h + 1, j):
                name = self.text(k, j)
                plan: Plan = Hop(Anchor(name), "officeholder", "role")
                yield Reading(r.cost + head.cost + 0.25, self._finish(plan, head))
            return

    def mention(self, i: int, j: int) -> Parses:
        """The span as one name; a likely name costs little."""
        tokens = self.tokens[i:j]
        if not tokens:
            return []
        if len(tokens) == 1 and tokens[0].name:
            return [Reading(-0.4, Anchor(tokens[0].text))]
        if len(tokens) == 1 and tokens[0].low in PRONOUNS and self.spoken_of and i:
            return [Reading(0.2, Anchor(self.spoken_of, heard=tokens[0].low))]
        start = i
        if tokens[0].low in {"the", "a", "an"}:
            start = i + 1
        core = self.tokens[start:j]
        if not core or any(t.name or t.low == "," for t in core[:1]) or any(t.name for t in core):
            return []
        if core[0].low in AUX | PREPOSITIONS and not core[0].cap and self.cased:
            return []
        if core[0].low in {"before", "after", "since", "until", "than", "not", "never"}:
            return []
        if (
            core[-1].low in PREPOSITIONS | DETERMINERS | {"'s", ",", "and", "or"}
            and not core[-1].cap
        ):
            return []
        little = AUX | WH | PREPOSITIONS | DETERMINERS | FILLER
        named = self.cased and start > i > 0 and core[0].cap  # The Who
        if all(t.low in little for t in core) and not named:
            return []
        cost = 0.0
        for pos, t in enumerate(core):
            inner = 0 < pos < len(core) - 1
            if t.cap and not (start + pos == 0 and not self.cased):
                cost += 0.02
            elif t.span and t.span.test == "during" and re.search(r"\d", t.text):
                cost += 0.3 if t.text[0].isdigit() else 0.8
            elif t.span:
                cost += 2.5
            elif t.low in self.lex.superlatives or t.low in BESIDES:
                cost += 1.2
            elif t.low == "'s":
                cost += 0.45
            elif t.low in {",", "and", "or"}:
                cost += 0.6
            elif t.low in PREPOSITIONS | DETERMINERS and inner:
                cost += 0.2 if self.cased else 0.3
            elif t.low in AUX | RELATIVE | {"than", "before", "after"}:
                cost += 1.2
            elif t.low[:1].isdigit():
                cost += 0.1
            elif self.lex.knows(t.low):
                cost += 1.3 if self.cased else 0.6
            else:
                cost += 0.7 if self.cased else 0.15
        if self.cased and core[0].cap and core[-1].cap:
            pass
        elif self.cased and not any(t.cap for t in core):
            cost += 0.3
        elif self.cased:
            cost += 0.8
        if len(core) == 1 and core[0].low in self.lex.demonyms:
            cost += 0.6
        cost += self._torn(start, j)
        text = words(core)
        if start > i and tokens[0].cap and i > 0:
            text = words(tokens)
        return [Reading(cost, Anchor(text))]

    def _torn(self, i: int, j: int) -> float:
        """How much a name is cut out of a longer one: "Wind" of "Written on the Wind"."""

        def cap(k: int) -> bool:
            return 0 < k < len(self.tokens) and self.tokens[k].cap and not self.tokens[k].name

        if not self.cased:
            return 0.0
        before = i - 1
        while before > 0 and self.low(before) in {"of", "on", "in", "the", "to", "at"}:
            before -= 1
        torn = 0.0
        if cap(i) and cap(before):
            torn += 0.4 if before == i - 1 else 0.2
        if cap(j - 1) and cap(j):
            torn += 0.4
        return torn

    def head(self, i: int, j: int) -> Head | None:
        """Adjectives and a noun, nothing else; None when the span is anything else."""
        i = self.skip(i, j, LEADING | BESIDES)
        if i >= j or j - i > 6:
            return None
        by, order, position = "", "highest", 1
        adjectives: list[str] = []
        cost = 0.0
        k = i
        while k < j:
            low = self.low(k)
            nxt = self.low(k + 1) if k + 1 < j else ""
            if low in ORDINALS or re.fullmatch(r"\d+(?:st|nd|rd|th)", low):
                position = ORDINALS.get(low) or int(low[:-2])
                if nxt in {"most"} and k + 2 < j:
                    k += 1
                    continue
                if nxt not in self.lex.superlatives:
                    by, order = "first", "lowest"
                k += 1
            elif low in {"last", "latest", "final", "newest", "most"} and nxt == "recent":
                by, order = "first", "highest"
                k += 2
            elif low in {"last", "latest", "final"} and nxt:
                by, order = "first", "highest"
                k += 1
            elif low in {"most", "least"} and nxt and k + 2 < j:
                by = nxt
                found = self.lex.adjectives.get(nxt)
                order = found.order if found else "highest"
                if low == "least":
                    order = other_end(order)  # type: ignore[arg-type]
                k += 2
            elif k + 1 < j and self.lex.is_noun(self.lows(k, j)) and (" " in self.lows(k, j)):
                break
            elif nxt and self.lex.class_of(self.lows(k, j)):
                break  # a US state is no state of any kind
            elif low in self.lex.superlatives and nxt:
                by, order = low, self.lex.adjectives[low].order
                k += 1
            elif nxt and self._superlative(low):
                by, order = low, "highest"  # of what, the graph may tell
                k += 1
            elif low in self.lex.demonyms and nxt:
                adjectives.append(low)
                k += 1
            elif low in NUMBER_WORDS and low != "one" and nxt:
                k += 1
            elif low in {"current", "present", "incumbent"} and nxt:
                adjectives.append("current")
                k += 1
            elif (
                low in {"former", "famous", "main", "major", "important", "whole", "entire"} and nxt
            ):
                k += 1
            else:
                break
        rest = self.tokens[k:j]
        if not rest or len(rest) > 4:
            return None
        whole = self.lows(k, j)
        known_whole = self.lex.class_of(whole) is not None or self.lex.is_noun(whole)
        if len(rest) > 1 and rest[0].cap and known_whole and not rest[-1].cap:
            return Head(singular(whole), by, order, position, tuple(adjectives))  # type: ignore[arg-type]
        if len(rest) > 1 and not any(t.name or t.span for t in rest) and self._noun_of_words(whole):
            return Head(singular(whole), by, order, position, tuple(adjectives))  # type: ignore[arg-type]
        for pos, t in enumerate(rest):
            if (
                t.name
                or t.span
                or t.low in {"'s", ",", "and", "or", "not"} | AUX | WH | NOT_IN_NOUNS
            ):
                return None
            inner_of = t.low == "of" and 0 < pos < len(rest) - 1
            if t.low in DETERMINERS | PREPOSITIONS and not inner_of:
                return None
            titled = pos == 0 and self.lex.is_noun(t.low)
            one = self.low(i - 1) in {"a", "an"} or self.low(i) in {"a", "an"}
            titled = titled or (len(rest) == 1 and one and self.lex.class_of(t.low) is not None)
            if t.cap and self.cased and k + pos > 0 and not titled:
                return None  # part of a name
        sort = ""
        if any(t.low == "of" for t in rest):
            whole = self.lows(k, j)
            if rest[0].low.rstrip("s") in {
                "kind",
                "type",
                "sort",
                "form",
                "genre",
            } or self.lex.is_noun(whole):
                if rest[0].low.rstrip("s") in {"kind", "type", "sort", "genre"} and len(rest) > 2:
                    sort, rest = rest[0].low, rest[2:]
            else:
                return None
        noun = singular(" ".join(t.low for t in rest))
        if rest[0].cap and self.cased and k > 0:
            cost += 0.4
        if len(rest) == 1 and (noun in self.lex.superlatives or noun in self.lex.demonyms):
            return None
        known = self.lex.is_noun(noun) or self.lex.class_of(noun) is not None
        if not known and len(rest) == 1 and self.lex.is_verb(noun):
            cost += 1.5
        if len(rest) > 1 and not known:
            cost += 0.3 * (len(rest) - 1)
            if self.lex.is_verb(rest[-1].low) and not self.lex.is_noun(rest[-1].low):
                cost += 2.0
        return Head(noun, by, order, position, tuple(adjectives), cost, sort)  # type: ignore[arg-type]

    def _superlative(self, word: str) -> bool:
        """Whether a word no table has looks like a superlative: "tastiest"."""
        return (
            re.fullmatch(r"\w{3,}(?:[^aeiou]|i)est", word) is not None
            and word not in _NO_SUPERLATIVE
            and not self.lex.knows(word)
        )

    def _noun_of_words(self, phrase: str) -> bool:
        """A noun that the lexicon knows as a whole: "person in charge", "cause of death"."""
        inner = phrase.split()[1:-1]
        return bool(PREPOSITIONS & set(inner)) and self.lex.is_noun(phrase)

    def modifiers(self, i: int, j: int, noun: str) -> Parses:
        """What follows a noun and narrows it: relative clauses, participles, "with …"."""
        if i >= j:
            return []
        key = (i, j, noun)
        if key not in self._modifiers:
            self._modifiers[key] = self._narrowing(i, j, noun)
        return self._modifiers[key]

    def _narrowing(self, i: int, j: int, noun: str) -> Parses:
        low = self.low(i)
        out: Parses = []
        if low == "," and i + 1 < j:
            return self.modifiers(i + 1, j, noun)
        if low == "to" and (self.lex.is_verb(self.low(i + 1)) or self.low(i + 1) == "be"):
            out += [r for r in self.verb_phrase(i + 1, j) if not has_hole(r.plan)]
        if low in {"that", "who", "which", "whom"}:
            k = i + 1
            out += self.verb_phrase(k, j)
            out += self.gap_clause(k, j)
        elif low == "whose":
            for k in range(i + 2, j):
                if self.low(k) in BE | {"have", "has"} or self.lex.is_verb(self.low(k)):
                    noun2 = self.lows(i + 1, k)
                    if self.tokens[min(k + 1, j - 1)].span and self.low(k) in BE:
                        out.append(Reading(0.1, Limit(Hole(), noun2, self.tokens[k + 1].span)))  # type: ignore[arg-type]
                        continue
                    if self.low(k) in BE:
                        for r in self.noun_phrase(k + 1, j):
                            out.append(Reading(r.cost + 0.1, Hop(r.plan, noun2, "holder")))
                    for r in self.verb_phrase(k, j):  # films whose directors also directed X
                        if not has_hole(r.plan):
                            out.append(Reading(r.cost + 0.2, Hop(r.plan, noun2, "holder")))
        elif low == "where" or (low in PREPOSITIONS and self.low(i + 1) in {"which", "whom"}):
            k = i + 1 if low == "where" else i + 2
            for r in self.gap_clause(
                k, j, want="place" if low == "where" else "", prep="" if low == "where" else low
            ):
                out.append(r)
        elif low == "with" or low == "having":
            out += self.having(i + 1, j)
            out += self.sharing(i + 1, j)
        elif self.tokens[i].span:
            span = self.tokens[i].span
            assert span is not None
            if i + 1 == j:
                out.append(Reading(0.1, Limit(Hole(), noun, span)))
            elif span.test in {"more than", "less than", "is"}:
                out.append(Reading(0.2, Limit(Hole(), self.lows(i + 1, j), span)))
        elif low in self.lex.adjectives and i + 2 == j and self.tokens[i + 1].span:
            out.append(Reading(0.1, Limit(Hole(), low, self.tokens[i + 1].span)))  # type: ignore[arg-type]
        elif low in {"called", "named"}:
            for r in self.mention(i + 1, j):
                out.append(Reading(r.cost, r.plan))
        else:
            if low not in AUX and (self.lex.is_verb(low) or not self.lex.is_noun(low)):
                out += self.verb_phrase(i, j)
            out += [Reading(r.cost + 0.3, r.plan) for r in self.gap_clause(i, j)]
        for k in range(i + 1, j - 1):  # two restrictions joined by "and", or just two in a row
            if self.low(k) in {"and", ",", "but"}:
                start = k + 2 if self.low(k) == "," and self.low(k + 1) == "and" else k + 1
                for a in self.modifiers(i, k, noun)[:2]:
                    for b in self.modifiers(start, j, noun)[:2]:
                        out.append(Reading(a.cost + b.cost + 0.1, both_hold(a.plan, b.plan)))
            elif self.low(k) in {"that", "which", "who", "with", "in", "from", "by"} and k > i + 1:
                if low in {"in", "with", "from", "by"}:
                    continue
                for a in self.modifiers(i, k, noun)[:1]:
                    for b in self.modifiers(k, j, noun)[:1]:
                        out.append(Reading(a.cost + b.cost + 0.5, both_hold(a.plan, b.plan)))
        if low in PREPOSITIONS and low not in {"with", "of"}:
            for r in self.noun_phrase(i + 1, j):
                if not isinstance(r.plan, Kind):
                    out.append(Reading(r.cost + 0.2, Where(Hole(), low, "patient", r.plan, low)))
        return best_of(out, KEEP)

    def having(self, i: int, j: int) -> Parses:
        """(with) more than 3 children · the most inhabitants · a population over 3 million · NP"""
        out: Parses = []
        i = self.skip(i, j, DETERMINERS)
        if i >= j:
            return out
        span = self.tokens[i].span
        low = self.low(i)
        if span and i + 1 < j:
            out.append(Reading(0.0, Limit(Hole(), self.lows(i + 1, j), span)))
        for k in range(i + 1, j):
            inner = self.tokens[k].span
            if inner and k == j - 1 and k - i <= 3:
                noun = " ".join(w for w in self.lows(i, k).split() if w not in {"of"})
                out.append(Reading(0.1, Limit(Hole(), noun, inner)))
        if low in {"most", "fewest", "least", "highest", "largest", "biggest", "greatest", "lowest",
                   "smallest", "longest", "shortest", "best", "oldest",
                   "youngest"} and i + 1 < j:  # fmt: skip
            order: Order = (
                "lowest"
                if low in {"fewest", "least", "lowest", "smallest", "shortest"}
                else "highest"
            )
            end = j
            noun = self.lows(i + 1, end)
            words_ = noun.split()
            if "" not in words_ and len(words_) <= 3 and not set(words_) & {"in", "on"}:
                out.append(Reading(0.0, Nth(Hole(), noun, order)))
        for k in range(i + 1, j):
            if self.low(k) == "as":  # Spanish as official language
                noun = self.lows(self.skip(k + 1, j, DETERMINERS), j)
                for r in self.noun_phrase(i, k)[:2]:
                    out.append(Reading(r.cost, Hop(r.plan, singular(noun), "holder")))
        lead = self.skip(i, j, DETERMINERS)
        for h in range(lead + 1, j - 1):  # a capital that lies on the Danube
            noun = self.lows(lead, h)
            if self.low(h) not in RELATIVE or not self.lex.is_noun(noun):
                continue
            for m in self.modifiers(h, j, noun):
                held = m.plan
                if not has_hole(held):
                    out.append(Reading(m.cost - 0.1, Hop(held, singular(noun), "holder")))
        for r in self.noun_phrase(i, j):
            pair = isinstance(r.plan, Join) and isinstance(r.plan.left, Anchor)  # with A and B
            if isinstance(r.plan, Anchor) or pair:
                out.append(Reading(r.cost + 0.2, Hop(r.plan, "with", "patient", prep="with")))
            elif isinstance(r.plan, Hop) and r.plan.form == "role":
                # films with the same director as X; "countries with the capital of …"
                out.append(Reading(r.cost + 0.6, Hop(r.plan, r.plan.phrase, "holder")))
        return out
