"""Predicates: what a verb leads to from its subject, and what somebody is or was."""

from __future__ import annotations

from dataclasses import replace

from kgqa_core.reader.grammar import (
    DETERMINERS,
    DO,
    FILLER,
    NO_VERB,
    OFFICES,
    PREPOSITIONS,
    Parses,
    Spans,
    best_of,
    key_of,
)
from kgqa_core.reader.plan import (
    Anchor,
    Form,
    Hole,
    Hop,
    Join,
    Kind,
    Limit,
    Reading,
    Where,
    fill,
)
from kgqa_core.reader.words import Span
from kgqa_core.text import singular, stem

TERMS = {
    "presidency": "president", "premiership": "prime minister", "chancellorship": "chancellor",
    "papacy": "pope", "pontificate": "pope", "governorship": "governor", "mayoralty": "mayor",
    "reign": "", "term": "", "tenure": "", "rule": "", "administration": "", "office": "",
}  # fmt: skip

_ENDING = frozenset(stem(w) for w in "end finish stop expire conclude".split())

_LEAVING = frozenset(stem(w) for w in "leave quit resign".split())

_BEGINNING = frozenset(stem(w) for w in "begin start commence".split())


_LOOSE_TITLES = frozenset("director head leader chief king queen prince princess".split())


class Predicates(Spans):
    """Predicates: what a verb leads to from its subject, and what somebody is or was."""

    def of_both(self, verb: Reading, subject: Reading, want: str) -> Reading:
        """The verb of its subject; when A and B married: of A, with B"""
        pair, hop = subject.plan, verb.plan
        if (
            isinstance(pair, Join)
            and isinstance(hop, Hop)
            and want
            and stem("marry") in key_of(hop.phrase)
        ):
            one = replace(hop, source=pair.left, beside=pair.right)
            return Reading(subject.cost + verb.cost - 0.4, one)
        return Reading(subject.cost + verb.cost, fill(hop, pair))

    def object_gap(self, i: int, n: int, want: str, fronted: str) -> Parses:
        """(what did) NP VERB …: what the verb leads to from its subject"""
        out: Parses = []
        i = self.skip(i, n, frozenset({"not", "ever", "also"}))
        for m in range(i + 1, n):
            predicates = self.predicate(m, n, want, fronted, passive=False)
            if predicates:
                for r in self.noun_phrase(i, m):
                    for p in predicates if not isinstance(r.plan, Kind | Limit | Where) else []:
                        out.append(self.of_both(p, r, want))
        for sep in range(i + 2, n - 2):  # A direct and B score
            if self.low(sep) == "and" and not fronted:
                then = self.skip(sep + 1, n, DO)
                for a in self.object_gap(i, sep, want, ""):
                    for b in self.object_gap(then, n, want, "") if a.cost < 1 else []:
                        both = Join(a.plan, b.plan, "intersection")
                        out.append(Reading(a.cost + b.cost + 0.1, both))
        return best_of(out, 12)

    def terms(self, i: int, n: int) -> Parses:
        """(when did) X's presidency end · the reign of X begin: times of holding an office"""
        ends = stem(self.low(n - 1)) in _ENDING
        if not ends and stem(self.low(n - 1)) not in _BEGINNING:
            return []
        out: Parses = []
        noun = self.low(n - 2)
        owner = (i, n - 3) if self.low(n - 3) == "'s" and noun in TERMS else (0, 0)
        for k in range(i, n - 2):
            if self.low(k) in TERMS and self.low(k + 1) == "of":
                noun, owner = self.low(k), (k + 2, n - 1)
                break
        for r in self.noun_phrase(*owner):
            office = Anchor(TERMS[noun]) if TERMS[noun] else None
            hop = Hop(r.plan, "hold", "agent", "time", "", None, office, "end" if ends else "")
            out.append(Reading(r.cost, replace(hop, heard=self.lows(n - 2, n) + " " + noun)))
        return out

    def predicate(self, m: int, n: int, want: str, fronted: str, passive: bool) -> Parses:
        """A verb with a gap for what is wanted; its subject is the hole.

        "directed" · "married to" · "die" · "play in Cheers" · "release in 1990"
        """
        key = (m, n, want, fronted, passive)
        if key not in self._predicates:
            self._predicates[key] = self._predicate(m, n, want, fronted, passive)
        return self._predicates[key]

    def _predicate(self, m: int, n: int, want: str, fronted: str, passive: bool) -> Parses:
        m = self.skip(m, n, FILLER | {"been", "be", "not", "have", "being"} - {"first"})
        if want == "time":  # (when has X) been a member of Y
            out_ = self.being(m, n)
            if out_:
                return out_
        if m >= n or (self.low(m) in NO_VERB and not (self.low(m) == "do" and m == n - 1)):
            return []
        span: Span | None = None
        end = n
        while end > m and (self.tokens[end - 1].span or self.low(end - 1) in FILLER):
            if self.tokens[end - 1].span:
                span = self.tokens[end - 1].span
            end -= 1
        if end == m:
            return []
        verb = self.low(m)
        known = self.lex.is_verb(verb)
        participle = verb.endswith(("ed", "en", "ing")) or stem(verb) != verb
        if not known and not participle and end - m > 2:
            return []
        if self.tokens[m].cap and self.cased:
            return []
        cost = (0.0 if known else 0.9 if participle else 1.4) + (
            0 if passive == participle else 0.1
        )
        if not known and self.lex.is_noun(verb):
            cost += 1.0  # an advisor is no verb
        out = self._verb_alone((m, end), want, fronted, passive, span, cost)
        for sep in range(m + 1, end - 1):  # write and direct
            if self.low(sep) == "and" and self.lex.is_verb(self.low(sep + 1)):
                for a in self.predicate(m, sep, want, fronted, passive)[:1]:
                    for b in self.predicate(sep + 1, n, want, fronted, passive)[:1]:
                        # when it began and ended are two dates
                        both = Join(a.plan, b.plan, "union" if want == "time" else "intersection")
                        out.append(Reading(a.cost + b.cost - 0.2, both))
        return out + self._with_another(m, end, want, span, cost)

    def _verb_alone(
        self,
        at: tuple[int, int],
        want: str,
        fronted: str,
        passive: bool,
        span: Span | None,
        cost: float,
    ) -> Parses:
        """The verb with what belongs to it, up to the end of the question."""
        m, end = at
        verb, rest = self.low(m), [self.low(k) for k in range(m, end)]
        if "" in rest or len(rest) > 5 or {"and", "or", ","} & set(rest):
            return []
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
            return []
        extra = 0.25 * (len(rest) - 1) * (not self.lex.entries.get(key_of(phrase)))
        hop = Hop(Hole(), phrase, form, want, prep=fronted, when=span)
        out = [Reading(cost + extra, hop)]
        participle = verb.endswith(("ed", "en", "ing")) or stem(verb) != verb
        if passive and participle and form == "agent" and want == "place":
            out.append(Reading(cost + 0.15, replace(hop, form="patient")))  # where it is spoken
        return out

    def _with_another(self, m: int, end: int, want: str, span: Span | None, cost: float) -> Parses:
        """A second participant: "play in Cheers", "marry Mary", "become president of France"."""
        out: Parses = []
        for k in range(m + 1, end):
            if self.low(k) in PREPOSITIONS - {"of"} and k + 1 < end:
                for r in self.noun_phrase(k + 1, end)[:3]:
                    hop = Hop(Hole(), self.lows(m, k), "agent", want, self.low(k), span, r.plan)
                    out.append(Reading(cost + r.cost + 0.4, hop))
                break
        if m + 1 < end and self.low(m + 1) not in PREPOSITIONS:
            ends = stem(self.low(m)) in _LEAVING and want == "time"
            for r in self.participants(m + 1, end):
                hop = Hop(Hole(), self.low(m), "agent", want, "", span, r.plan)
                out.append(Reading(cost + r.cost + 0.3, replace(hop, noun="end" if ends else "")))
        return out

    def being(self, m: int, n: int) -> Parses:
        """a member of Y · president of Y: what somebody was, as part of a dated statement"""
        start = self.skip(m, n, DETERMINERS)
        out: Parses = []
        named = [] if n - start != 2 else [self.low(start), self.low(start + 1)]
        if named and named[1] in OFFICES and not self._said(start):  # vice president
            office = Anchor(" ".join(named))
            out.append(Reading(0.0, Hop(Hole(), "hold", "agent", "time", beside=office)))
        if n - start == 1 and self.low(start) in OFFICES - _LOOSE_TITLES:  # president
            held = Hop(Hole(), "hold", "agent", "time", beside=Kind(self.low(start)))
            out.append(Reading(0.0, Join(held, replace(held, noun="end"), "union")))
        for k in range(start + 1, min(n - 1, start + 4)):
            if self.low(k) not in {"of", "in", "at", "for"}:
                continue
            noun = self.lows(start, k)
            if not (noun and self.lex.is_noun(singular(noun))):
                continue
            phrase = f"be {singular(noun)}"
            if not self.lex.entries.get(key_of(phrase)) and self._kind(singular(noun)) == "person":
                for r in self.noun_phrase(k + 1, n)[:3]:  # CEO of Y: who it is, in its statement
                    hop = Hop(r.plan, singular(noun), "role", "time", beside=Hole())
                    out.append(Reading(r.cost + 0.1, hop))
            if self.lex.entries.get(key_of(phrase)):
                for r in self.noun_phrase(k + 1, n)[:3]:
                    hop = Hop(Hole(), phrase, "agent", "time", self.low(k), None, r.plan)
                    out.append(Reading(r.cost, hop))
            elif stem(noun.split()[-1]) in OFFICES:
                for r in self.participants(start, n):
                    if isinstance(r.plan, Anchor):
                        hop = Hop(Hole(), "hold", "agent", "time", "", None, r.plan)
                        out.append(Reading(r.cost, hop))
        return out

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
                return [Reading(0.1, Hop(Hole(), singular(noun), "holder"))]
        return []

    def participants(self, i: int, j: int) -> Parses:
        """A noun phrase as one thing: an office by its name rather than its holders."""
        out: Parses = []
        for r in self.noun_phrase(i, j):
            plan = r.plan
            if isinstance(plan, Hop) and plan.phrase == "officeholder":
                out.append(Reading(r.cost - 0.3, plan.source))
            elif not isinstance(plan, Kind) or stem(plan.noun.split()[-1]) in OFFICES:
                out.append(r)
        return best_of(out, 3)
