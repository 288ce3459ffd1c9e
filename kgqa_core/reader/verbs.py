"""Verb phrases: what is said of a subject; and predicates: what a verb leads to from it."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BE,
    BESIDES,
    DETERMINERS,
    DO,
    FILLER,
    HAVE,
    KEEP,
    NO_VERB,
    OFFICES,
    PREPOSITIONS,
    Order,
    Parses,
    Readings,
    Spans,
    both_hold,
    key_of,
    other_end,
    rule,
    without_prep,
)
from kgqa_core.reader.plan import Form, Reading, fill
from kgqa_core.reader.words import NONE, Span
from kgqa_core.text import singular, stem

_TICKED = 3  # words of what a column says with yes
_LYING = frozenset("lie lies lay located situated stand stands sit sits found".split())
_HELD = frozenset("cup games olympics championship championships bowl tournament".split())
_ENDS: dict[str, Order] = {
    "first": "lowest", "earliest": "lowest", "last": "highest", "latest": "highest",
}  # fmt: skip


class Verbs(Spans):
    """Verb phrases: what is said of a subject."""

    @rule(KEEP)
    def verb_phrase(self, i: int, j: int) -> Readings:
        """What the verb phrase says of its subject, as the set of subjects; may have a hole."""
        if i >= j:
            return
        k = self.skip(i, j, AUX | FILLER - {"first"} | {"been"})
        be = any(self.low(x) in BE for x in range(i, k))
        have = any(self.low(x) in HAVE for x in range(i, k))
        if self.low(k) in {"not", "never"} and (k > i or self.low(i - 1) in {"and", "but"}):
            yield from self._joined(i, j)
            wide = 0.5 * any(t.low in {"and", "but"} for t in self.tokens[k:j])
            for r in self.verb_phrase(k + 1, j):  # not VP; a column may say no
                if isinstance(r.plan, p.Limit) and r.plan.span.value == p.TICKED[0]:
                    yield Reading(r.cost + wide, replace(r.plan, span=NONE))
                yield Reading(r.cost + 0.05 + wide, p.Join(p.Hole(), r.plan, "minus"))
            return
        if k >= j:
            return
        yield from self._joined(i, j)
        yield from self._ticked(k, j)
        if have or self.low(i) == "with":
            yield from self.having(k, j)
            yield from self.sharing(i, j)
        if be:
            yield from self._predicative(k, j)
        if self.low(j - 1) in _ENDS and j - 1 > k and self.lex.dated_by(self.lows(k, j - 1)):
            yield Reading(0.0, p.Nth(p.Hole(), f"first {self.low(k)}", _ENDS[self.low(j - 1)]))
        low = self.low(k)
        if not low or (self.tokens[k].cap and self.cased) or low in PREPOSITIONS | DETERMINERS:
            return
        known = self.lex.is_verb(low)
        changed = stem(low) not in {low, low.removesuffix("e")}
        verbish = known or low.endswith(("ed", "ing", "en")) or changed
        if verbish or j - k <= 6:
            yield from self._verb_first(k, j, 0.0 if known else 0.7 if verbish else 1.1)

    def _joined(self, i: int, j: int) -> Readings:
        """VP and VP"""
        for sep in range(i + 1, j - 1):
            comma = self.low(sep) == "," and self.low(sep + 1) == "and"
            if self.low(sep) not in {"and", "but"} and not comma:
                continue
            start = self.skip(sep + 1 + comma, j, frozenset({"who", "that", "which", "also"}))
            for a, b in product(self.verb_phrase(i, sep)[:2], self.verb_phrase(start, j)[:2]):
                yield Reading(a.cost + b.cost + 0.1, both_hold(a.plan, b.plan))

    def _ticked(self, k: int, j: int) -> Readings:
        """What a column may say with yes: (is) vegetarian · (has) a bar · allows dogs"""
        none = self.low(k) == "no"
        said = [t.low for t in self.tokens[k + none : j] if t.low not in DETERMINERS]
        edges = PREPOSITIONS | {"and", ","}  # within it: fine with dogs
        plain = not {self.low(k), self.low(j - 1)} & edges
        plain = plain and not any(t.cap or t.span for t in self.tokens[k:j])
        if plain and 0 < len(said) <= _TICKED:
            span = NONE if none else Span("is", p.TICKED[0])
            yield Reading(1.5, p.Limit(p.Hole(), " ".join(said), span))

    def _predicative(self, k: int, j: int) -> Readings:
        """(is) in NP · over 1000 km long · NP · the highest in NP"""
        if self.low(k) in PREPOSITIONS - {"of"}:
            for r in self.noun_phrase(k + 1, j):
                if not isinstance(r.plan, p.Kind):
                    inside = p.Where(p.Hole(), self.low(k), "patient", r.plan, self.low(k))
                    yield Reading(r.cost + 0.2, inside)
        span = self.tokens[k].span
        after = self.tokens[k + 1].span if k + 2 == j else None
        if span and k + 1 < j:
            yield Reading(0.1, p.Limit(p.Hole(), self.lows(k + 1, j), span))
        if self.low(k) in self.lex.adjectives and after:
            yield Reading(0.1, p.Limit(p.Hole(), self.low(k), after))
        for r in self.noun_phrase(k, j):
            yield Reading(r.cost + 0.05, r.plan)
        yield from self._at_an_end(self.skip(k, j, DETERMINERS), k, j)

    def _at_an_end(self, at: int, k: int, j: int) -> Readings:
        """(is) the most populous · the highest · the highest in NP"""
        low, nxt = self.low(at), self.low(at + 1)
        pole = self.end_of(nxt)
        if low in {"most", "least"} and at + 2 == j and nxt in self.lex.adjectives:
            yield Reading(0.0, p.Nth(p.Hole(), nxt, pole if low == "most" else other_end(pole)))
        if low not in self.lex.superlatives:
            return
        pole = self.end_of(low)
        for r in self.noun_phrase(at + 2, j) if nxt in {"in", "of", "on"} else []:
            if not isinstance(r.plan, p.Kind):
                inside = p.Where(p.Hole(), nxt, "patient", r.plan, nxt)
                yield Reading(r.cost - 0.2, p.Nth(inside, low, pole))
        if j - k <= 2:
            yield Reading(0.0, p.Nth(p.Hole(), low, pole))

    def _verb_first(self, k: int, j: int, base: float) -> Readings:
        """VERB …: with a time or number, an office, somebody beside it, its objects"""
        low, end = self.low(k), j
        when = self.tokens[j - 1].span if j - 1 > k else None
        if when is not None:
            end = j - 1
            if any(t.span or t.name or t.cap or t.low == "and" for t in self.tokens[k + 1 : end]):
                pass  # born after 2019 and weighs less than 10 kg; bought Skype: more is said
            elif when.test in {"more than", "less than", "is"} and end - k <= 3:
                yield Reading(base, p.Limit(p.Hole(), self.lows(k, end), when))
            elif end - k <= 2:
                yield Reading(base, p.Limit(p.Hole(), without_prep(self.lows(k, end)), when))
        yield from self.sharing(k, end)
        yield from self._most(k, end, base)
        if self.lex.is_verb(low):
            yield from self.so_many(k + 1, end, None, low)
        yield from self._objects(k, end, base, when)
        yield from self._two_objects(k, end, base, when)

    def _most(self, k: int, end: int, base: float) -> Readings:
        """has the most NOUNs · shares borders with the most NOUNs · costs the most"""
        for m in range(k + 1, min(end, k + 4)):
            at = self.skip(m, end, frozenset({"the"}))
            if self.low(at) not in {"most", "fewest", "least"}:
                continue
            order = self.end_of(self.low(at))
            if at + 1 == end:
                yield Reading(base + 0.1, p.Nth(p.Hole(), self.lows(k, m), order))
            noun = self.lows(self.skip(at + 1, end, BESIDES), end)
            if m == k + 1 and noun and end - k <= 5:
                yield Reading(base + 0.1, p.Nth(p.Hole(), f"{self.low(k)} {noun}", order))

    def _objects(self, k: int, end: int, base: float, when: Span | None) -> Readings:
        """VERB (PREP) NP"""
        for m in range(k + 1, min(end, k + 5)):
            lead = [self.low(x) for x in range(k, m)]
            if "" in lead or any(self.tokens[x].cap and self.cased for x in range(k, m)):
                break
            if any(w in {"'s", ",", "and", "or", "before", "after", "than"} | AUX for w in lead):
                break
            if lead[-1] in _ENDS and self.low(end - 1) in _HELD:
                break  # won the first cup: no way of winning
            phrase = " ".join(w for w in lead if w not in DETERMINERS)
            form: Form = "patient"
            if phrase.endswith(" by") and not self.lex.entries.get(key_of(phrase)):
                phrase, form = phrase.removesuffix(" by"), "agent"
            listed = self.lex.entries.get(key_of(phrase))
            extra = (0.0 if listed else 0.35) * (len(phrase.split()) - 1)
            for r in self.noun_phrase(m, end):
                kind = isinstance(r.plan, p.Kind)
                if not kind or m == k + 1:
                    cost = base + extra + r.cost + 0.8 * kind
                    yield Reading(cost, p.Hop(r.plan, phrase, form, when=when))

    def _two_objects(self, k: int, end: int, base: float, when: Span | None) -> Readings:
        """played Gus Fring in Breaking Bad"""
        low = self.low(k)
        for m in range(k + 2, end - 1):
            if self.low(m) not in {"in", "on", "for", "at", "with", "from", "to"}:
                continue
            named = [a for a in self.noun_phrase(k + 1, m)[:2] if isinstance(a.plan, p.Anchor)]
            for a, b in product(named, self.noun_phrase(m + 1, end)[:2] if named else []):
                hop = p.Hop(b.plan, low, "patient", "", self.low(m), when, a.plan)
                yield Reading(base + a.cost + b.cost + 0.2, hop)
                if stem(low) in {"play", "portray", "voic"}:  # the role may know who played it
                    hop = p.Hop(a.plan, low, "patient", "", self.low(m), when, b.plan)
                    yield Reading(base + a.cost + b.cost + 0.25, hop)

    def sharing(self, k: int, end: int) -> Readings:
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
                    if isinstance(r.plan, p.Anchor | p.Hop):
                        hop = p.Hop(p.Hop(r.plan, noun, "role"), noun, "holder", heard="share same")
                        yield Reading(r.cost - 0.1, p.Join(hop, r.plan, "minus"))

    @rule(KEEP)
    def gap_clause(self, i: int, j: int, want: str = "", prep: str = "") -> Readings:
        """(the films) Sirk directed · (the city) where Einstein was born"""
        if self.low(j - 1) in BE | _LYING and (want == "place" or prep in {"in", "on", "at"}):
            end = j - 2 if self.low(j - 2) in BE else j - 1
            for r in self.noun_phrase(i, end)[:3]:  # the country in which the seat of A is
                if not isinstance(r.plan, p.Kind):
                    yield Reading(r.cost + 0.1, p.Hop(r.plan, "locate", "agent", "place"))
        for m in range(i + 1, j):
            k = self.skip(m, j, AUX)
            said = [(q, 2) for q in (self.roles(m + 1, j) if self.low(m) in BE else [])]
            said += [(q, 3) for q in self.predicate(k, j, want, prep, passive=k > m)]
            for q, most in said:
                for r in self.noun_phrase(i, m)[:most]:
                    if not isinstance(r.plan, p.Kind):
                        yield Reading(r.cost + q.cost + 0.1, fill(q.plan, r.plan))


TERMS = {
    "presidency": "president", "premiership": "prime minister", "chancellorship": "chancellor",
    "papacy": "pope", "pontificate": "pope", "governorship": "governor", "mayoralty": "mayor",
    "reign": "", "term": "", "tenure": "", "rule": "", "administration": "", "office": "",
}  # fmt: skip

_ENDING = frozenset(stem(w) for w in "end finish stop expire conclude".split())

_BEGINNING = frozenset(stem(w) for w in "begin start commence".split())

_LEAVING = frozenset(stem(w) for w in "leave quit resign".split())

_LOOSE_TITLES = frozenset("director head leader chief king queen prince princess".split())


class Predicates(Spans):
    """Predicates: what a verb leads to from its subject, and what somebody is or was."""

    def of_both(self, verb: Reading, subject: Reading, want: str) -> Reading:
        """The verb of its subject; when A and B married: of A, with B"""
        cost = subject.cost + verb.cost
        match subject.plan, verb.plan:
            case p.Join() as pair, p.Hop() as hop if want and stem("marry") in key_of(hop.phrase):
                return Reading(cost - 0.4, replace(hop, source=pair.left, beside=pair.right))
        return Reading(cost, fill(verb.plan, subject.plan))

    @rule(12)
    def object_gap(self, i: int, n: int, want: str, fronted: str) -> Readings:
        """(what did) NP VERB …: what the verb leads to from its subject"""
        i = self.skip(i, n, frozenset({"not", "ever", "also"}))
        for m in range(i + 1, n):
            predicates = self.predicate(m, n, want, fronted, passive=False)
            if predicates:
                for r in self.noun_phrase(i, m):
                    for q in (
                        predicates if not isinstance(r.plan, p.Kind | p.Limit | p.Where) else []
                    ):
                        yield self.of_both(q, r, want)
        for sep in range(i + 2, n - 2):  # A direct and B score
            if self.low(sep) == "and" and not fronted:
                then = self.skip(sep + 1, n, DO)
                for a in self.object_gap(i, sep, want, ""):
                    for b in self.object_gap(then, n, want, "") if a.cost < 1 else []:
                        both = p.Join(a.plan, b.plan, "intersection")
                        yield Reading(a.cost + b.cost + 0.1, both)

    def terms(self, i: int, n: int) -> Readings:
        """(when did) X's presidency end · the reign of X begin: times of holding an office"""
        ends = stem(self.low(n - 1)) in _ENDING
        if not ends and stem(self.low(n - 1)) not in _BEGINNING:
            return
        noun = self.low(n - 2)
        owner = (i, n - 3) if self.low(n - 3) == "'s" and noun in TERMS else (0, 0)
        for k in range(i, n - 2):
            if self.low(k) in TERMS and self.low(k + 1) == "of":
                noun, owner = self.low(k), (k + 2, n - 1)
                break
        for r in self.noun_phrase(*owner):
            office = p.Anchor(TERMS[noun]) if TERMS[noun] else None
            hop = p.Hop(r.plan, "hold", "agent", "time", "", None, office, "end" if ends else "")
            yield Reading(r.cost, replace(hop, heard=self.lows(n - 2, n) + " " + noun))

    @rule()
    def predicate(self, m: int, n: int, want: str, fronted: str, passive: bool) -> Readings:
        """A verb with a gap for what is wanted; its subject is the hole.

        "directed" · "married to" · "die" · "play in Cheers" · "release in 1990"
        """
        m = self.skip(m, n, FILLER | {"been", "be", "not", "have", "being"} - {"first"})
        if want == "time":  # (when has X) been a member of Y
            was = list(self.being(m, n))
            yield from was
            if was:
                return
        if m >= n or (self.low(m) in NO_VERB and not (self.low(m) == "do" and m == n - 1)):
            return
        span: Span | None = None
        end = n
        while end > m and (self.tokens[end - 1].span or self.low(end - 1) in FILLER):
            if self.tokens[end - 1].span:
                span = self.tokens[end - 1].span
            end -= 1
        if end == m:
            return
        verb = self.low(m)
        known = self.lex.is_verb(verb)
        participle = verb.endswith(("ed", "en", "ing")) or stem(verb) != verb
        if (not known and not participle and end - m > 2) or (self.tokens[m].cap and self.cased):
            return
        cost = (0.0 if known else 0.9 if participle else 1.4) + (
            0 if passive == participle else 0.1
        )
        if not known and self.lex.is_noun(verb):
            cost += 1.0  # an advisor is no verb
        yield from self._verb_alone((m, end), want, fronted, passive, span, cost)
        for sep in range(m + 1, end - 1):  # write and direct
            if self.low(sep) == "and" and self.lex.is_verb(self.low(sep + 1)):
                for a in self.predicate(m, sep, want, fronted, passive)[:1]:
                    for b in self.predicate(sep + 1, n, want, fronted, passive)[:1]:
                        # when it began and ended are two dates
                        both = p.Join(a.plan, b.plan, "union" if want == "time" else "intersection")
                        yield Reading(a.cost + b.cost - 0.2, both)
        yield from self._with_another(m, end, want, span, cost)

    def _verb_alone(
        self,
        at: tuple[int, int],
        want: str,
        fronted: str,
        passive: bool,
        span: Span | None,
        cost: float,
    ) -> Readings:
        """The verb with what belongs to it, up to the end of the question."""
        m, end = at
        verb, rest = self.low(m), [self.low(k) for k in range(m, end)]
        if "" in rest or len(rest) > 5 or {"and", "or", ","} & set(rest):
            return
        phrase = " ".join(w for w in rest if w not in DETERMINERS and w not in FILLER)
        cost += 0.8 * any(t.cap and self.cased for t in self.tokens[m:end])
        verbs = [w for w in rest[1:] if w.endswith("ed") and self.lex.is_verb(w)]
        cost += 0.6 * bool(verbs and rest[0] not in {"get", "got", "be", "been"})
        if any(t.cap and self.cased for t in self.tokens[m + 1 : end]):
            cost += 1.6  # a verb has no name in it
        phrase = f"{phrase} {fronted}" if fronted not in (*rest, "") else phrase
        form: Form = "agent"
        if phrase.endswith(" by"):
            form, phrase = "patient", phrase.removesuffix(" by")
        if not phrase or (stem(verb) in _LEAVING and want == "time"):
            return
        extra = 0.25 * (len(rest) - 1) * (not self.lex.entries.get(key_of(phrase)))
        hop = p.Hop(p.Hole(), phrase, form, want, prep=fronted, when=span)
        yield Reading(cost + extra, hop)
        participle = verb.endswith(("ed", "en", "ing")) or stem(verb) != verb
        if passive and participle and form == "agent" and want == "place":
            yield Reading(cost + 0.15, replace(hop, form="patient"))  # where it is spoken

    def _with_another(
        self, m: int, end: int, want: str, span: Span | None, cost: float
    ) -> Readings:
        """A second participant: "play in Cheers", "marry Mary", "become president of France"."""
        for k in range(m + 1, end):
            if self.low(k) in PREPOSITIONS - {"of"} and k + 1 < end:
                for r in self.noun_phrase(k + 1, end)[:3]:
                    hop = p.Hop(p.Hole(), self.lows(m, k), "agent", want, self.low(k), span, r.plan)
                    yield Reading(cost + r.cost + 0.4, hop)
                break
        if m + 1 < end and self.low(m + 1) not in PREPOSITIONS:
            ends = stem(self.low(m)) in _LEAVING and want == "time"
            for r in self.participants(m + 1, end):
                hop = p.Hop(p.Hole(), self.low(m), "agent", want, "", span, r.plan)
                yield Reading(cost + r.cost + 0.3, replace(hop, noun="end" if ends else ""))

    def being(self, m: int, n: int) -> Readings:
        """a member of Y · president of Y: what somebody was, as part of a dated statement"""
        start = self.skip(m, n, DETERMINERS)
        named = [] if n - start != 2 else [self.low(start), self.low(start + 1)]
        if named and named[1] in OFFICES and not self._said(start):  # vice president
            office = p.Anchor(" ".join(named))
            yield Reading(0.0, p.Hop(p.Hole(), "hold", "agent", "time", beside=office))
        if n - start == 1 and self.low(start) in OFFICES - _LOOSE_TITLES:  # president
            held = p.Hop(p.Hole(), "hold", "agent", "time", beside=p.Kind(self.low(start)))
            yield Reading(0.0, p.Join(held, replace(held, noun="end"), "union"))
        for k in range(start + 1, min(n - 1, start + 4)):
            if self.low(k) not in {"of", "in", "at", "for"}:
                continue
            noun = self.lows(start, k)
            if not (noun and self.lex.is_noun(singular(noun))):
                continue
            phrase = f"be {singular(noun)}"
            if self.lex.entries.get(key_of(phrase)):
                for r in self.noun_phrase(k + 1, n)[:3]:
                    hop = p.Hop(p.Hole(), phrase, "agent", "time", self.low(k), None, r.plan)
                    yield Reading(r.cost, hop)
            elif stem(noun.split()[-1]) in OFFICES:
                for r in self.participants(start, n):
                    if isinstance(r.plan, p.Anchor):
                        hop = p.Hop(p.Hole(), "hold", "agent", "time", "", None, r.plan)
                        yield Reading(r.cost, hop)

    def _said(self, k: int) -> bool:
        """Whether a word can be no part of a title: a verb, a name, a little word."""
        low = self.low(k)
        return low in NO_VERB | FILLER or self.lex.is_verb(low) or self.tokens[k].cap

    def roles(self, m: int, n: int, fronted: str = "") -> Parses:
        """(which films was X) an actor in · the writer of: X is the noun of what is wanted"""
        m = self.skip(m, n, DETERMINERS | FILLER - {"first"})
        ends = self.low(n - 1) in {"of", "in", "for", "at", "to", "on"}
        if (n - m >= 2 and ends) or (fronted and n > m):
            noun = self.lows(m, n - 1 if ends else n)
            if self.lex.is_noun(singular(noun)):
                return [Reading(0.1, p.Hop(p.Hole(), singular(noun), "holder"))]
        return []

    @rule(3)
    def participants(self, i: int, j: int) -> Readings:
        """A noun phrase as one thing: an office by its name rather than its holders."""
        for r in self.noun_phrase(i, j):
            plan = r.plan
            if isinstance(plan, p.Hop) and plan.phrase == "officeholder":
                yield Reading(r.cost - 0.3, plan.source)
            elif not isinstance(plan, p.Kind) or stem(plan.noun.split()[-1]) in OFFICES:
                yield r
