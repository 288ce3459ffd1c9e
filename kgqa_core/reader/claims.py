"""Claims that are true or not; which of two, and whether one is more than the other."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from itertools import product

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DEADLY,
    DETERMINERS,
    DO,
    FILLER,
    HAVE,
    MORTALS,
    Order,
    Parses,
    Readings,
    Spans,
    called_so,
    inside_class,
    key_of,
    other_end,
    rule,
    without_prep,
)
from kgqa_core.reader.plan import Form, Plan, Reading, fill, has_hole, parts
from kgqa_core.reader.words import Span, number_at
from kgqa_core.text import singular, stem, stems

_WHERE = {
    "in": ("locate", "be in"), "on": ("locate", "be on"), "near": ("locate",), "from": ("from",),
    "part": ("part of", "locate"), "with": ("be member of",), "at": ("locate", "be member of"),
}  # fmt: skip
_LONG = frozenset("month decade century".split())
_ENDINGS = (" in", " by", " to", " of", " for", " at", " from")


def _several(plan: Plan) -> bool:
    """A and B: what is claimed of both, `together` reads."""
    return isinstance(plan, p.Join) and plan.how == "union"


def _which(claim: Plan) -> Plan:
    """Is X in A or B: which of them, not whether."""
    if isinstance(claim, p.Is) and _several(claim.right) and isinstance(claim.left, p.Hop):
        return p.Join(claim.left, claim.right, "intersection")
    return claim


def _not_over(one: Plan, other: Plan) -> Plan:
    """One died after the other was born."""
    died, born = p.Hop(one, "die", "agent", "time"), p.Hop(other, "born", "agent", "time")
    return p.Compare(died, born, "first die", "highest")


def _of_each(claim: Plan, one: Plan, other: Plan) -> Plan:
    return p.Both(fill(claim, one), fill(claim, other))


class Claims(Spans):
    """Comparisons, and claims that are true or not."""

    def yes_no(self, i: int, n: int) -> Readings:
        aux = self.low(i)
        start = self.skip(i + 1, n, frozenset({"not", "there"}))
        if self.low(i + 1) == "there" or (start < n and self.low(i + 1) == "any"):
            yield from (Reading(r.cost, p.Some(r.plan)) for r in self.noun_phrase(start, n))
            return
        for m in range(start + 1, n):
            yield from self.said_of((start, m), (m, n), aux)
        yield from self.together(start, n, aux)

    def said_of(self, subject: tuple[int, int], said: tuple[int, int], aux: str) -> Readings:
        """A claim of two parts: whom it is about, and what is said of them."""
        subjects = [
            s
            for s in self.noun_phrase(*subject)[:4]
            if not isinstance(s.plan, p.Kind) and not _several(s.plan)
        ]
        that_of = " that of " in f" {self.lows(subject[0], said[1])} "
        for rest in self.truth(*said, aux) if subjects else []:
            for s in subjects:
                whole = fill(rest.plan, s.plan)
                if isinstance(whole, p.Is) and {type(whole.left), type(whole.right)} == {p.Anchor}:
                    continue  # two names are the same only if the graph has them as one
                if isinstance(whole, p.Compare) and isinstance(s.plan, p.Hop) and that_of:
                    whole = replace(whole, right=replace(s.plan, source=whole.right))
                both = [x for x in parts(whole) if isinstance(x, p.Hop) and _several(x.source)]
                if isinstance(whole, p.Is) and (both or _several(whole.left)):
                    continue  # of A and B: that it is of one of them is not enough
                yield Reading(s.cost + rest.cost, _which(whole))

    def statement_of_fact(self, i: int, n: int) -> Readings:
        """A did B · A is the N of B: whether it is so"""
        for m in range(i + 1, n):
            low = self.low(m)
            if low in AUX:
                yield from self.said_of((i, m), (m + 1, n), low)
                yield from self.together(i, n, low)
            elif self.lex.is_verb(low) or low.endswith("ed"):
                yield from self.said_of((i, m), (m, n), "did")

    @rule()
    def truth(self, m: int, n: int, aux: str) -> Readings:
        """What is claimed of a subject (the hole)."""
        negated = self.low(m) == "not"
        m = self.skip(m, n, FILLER | {"not", "been", "be"} - {"first", "only"})
        if m >= n:
            return
        low = self.low(m)
        yield from self.compared(m, n)
        yield from self.of_the_same(m, n)
        if low in {"alive", "living"} and m == n - 1:
            yield Reading(0.0, p.Alive(p.Hole()))
        elif low in {"alive", "living", "around"} or (low in {"live", "lived"} and aux in DO):
            yield from self.alive_then(m + 1, n)
        elif low in {"dead", "deceased"} and m == n - 1:
            yield Reading(0.0, p.Some(p.Hop(p.Hole(), "die", "agent", "time")))
        if aux in BE:
            yield from self._is_what(m, n, negated)
        yield from self._is_where(m, n, negated)
        if aux in HAVE or (aux in DO and low in HAVE):
            yield from self._has_what(m, n)
        if not self.tokens[m].cap or not self.cased:
            yield from self._does_what(m, n, aux, negated)
        span = self.tokens[m].span
        if span and m + 1 < n:  # over 1000 km long
            yield Reading(0.1, p.Against(p.Hole(), self.lows(m + 1, n), span))

    def _is_what(self, m: int, n: int, negated: bool) -> Readings:
        """(is) NP · one of the NPs"""
        if self.low(m) == "one" and self.low(m + 1) == "of":  # is X one of the Great Lakes
            for r in self.noun_phrase(m + 2, n):
                group = p.Kind(r.plan.text) if isinstance(r.plan, p.Anchor) else r.plan
                yield Reading(r.cost, p.Is(group, p.Hole(), negated))
        if n - m == 1 and self.low(m) in self.lex.demonyms:  # is X French
            yield Reading(0.2, p.IsA(p.Hole(), "", self.low(m)))
        for r in self.noun_phrase(m, n):
            plan = r.plan
            if isinstance(plan, p.Kind):
                yield Reading(r.cost - 1.2, p.IsA(p.Hole(), plan.noun))
            elif isinstance(plan, p.From) and isinstance(plan.source, p.Kind):
                is_one = p.IsA(p.Hole(), plan.source.noun, plan.adjective)
                yield Reading(r.cost - 1.0, is_one)
            elif isinstance(plan, p.Hop) and plan.phrase == "officeholder":
                held = p.Hop(p.Hole(), "hold", "agent", when=plan.when)
                yield Reading(r.cost, p.Is(held, plan.source, negated))
            elif isinstance(plan, p.Anchor):
                if self.low(m) in {"a", "an"} and n - m == 2 and self.tokens[m + 1].cap:
                    # a Republican: a noun all the same
                    yield Reading(r.cost + 0.5, p.IsA(p.Hole(), self.text(m + 1, n).lower()))
                yield Reading(r.cost + 0.6, p.Is(p.Hop(p.Hole(), "be", "agent"), plan))
                yield Reading(r.cost + 0.65, p.Is(p.Hole(), plan))  # the capital of X: Y
            else:
                yield Reading(r.cost, p.Is(plan, p.Hole(), negated))

    def _has_what(self, m: int, n: int) -> Parses:
        """(has) more than 3 NOUNs · NOUNs"""
        k = m + (self.low(m) in HAVE)
        limit = self.tokens[k].span if k < n else None
        if limit:
            return [Reading(0.1, p.Against(p.Hole(), self.lows(k + 1, n), limit))]
        many = number_at(self.tokens, k)
        if many is not None and k + many[1] < n and not self.tokens[k + many[1]].cap:
            by = self.lows(k + many[1], n)
            return [Reading(0.1, p.Against(p.Hole(), by, Span("is", many[0])))]
        k = self.skip(k, n, DETERMINERS)
        noun = self.lows(k, n - 1 if self.tokens[n - 1].span else n)
        if k > m and 0 < len(noun.split()) <= 3:
            return [Reading(0.3, p.Some(p.Hop(p.Hole(), noun, "role")))]
        return []

    def _does_what(self, m: int, n: int, aux: str, negated: bool) -> Readings:
        """(SUBJECT be) VERB (PREP) OBJECT · VERB a NOUN · VERB"""
        low = self.low(m)
        known = self.lex.is_verb(low)
        verbish = known or low.endswith(("ed", "en", "ing"))
        cost = 0.0 if known else 0.8
        thing = self.head(m + 1, n) if self.low(m + 1) in {"a", "an", "any"} else None
        if thing is not None and verbish:  # directed a film
            some = inside_class(p.Hop(p.Hole(), low, "agent"), thing.noun)
            yield Reading(cost + 0.1, p.Some(some, negated))
            return
        for k in range(m + 1, min(n, m + 5)):
            lead = [self.low(x) for x in range(m, k)]
            if "" in lead or not (verbish or aux in DO) or set(lead) & {"before", "after", "than"}:
                break
            if any(self.tokens[x].cap for x in range(m + 1, k)) and self.cased:
                break
            phrase = " ".join(w for w in lead if w not in DETERMINERS)
            span = self.tokens[k].span
            if span and k == n - 1:
                yield Reading(cost + 0.1, p.Against(p.Hole(), without_prep(phrase), span))
            else:
                beside = 0.0 if self.lex.entries.get(key_of(phrase)) else 0.3  # words by the verb
                beside *= k - m - 1 - phrase.endswith(_ENDINGS)
                yield from self._to_whom(phrase, (k, n), cost + beside, negated)
        if m == n - 1 and verbish:
            yield Reading(cost + 0.3, p.Some(p.Hop(p.Hole(), low, "agent"), negated))

    def _to_whom(self, phrase: str, at: tuple[int, int], cost: float, negated: bool) -> Readings:
        """What a verb phrase says of its object, from its subject and the other way round."""
        (k, end), when = at, None
        if self.tokens[end - 1].span and end - 1 > k:
            end, when = end - 1, self.tokens[end - 1].span
        passive = phrase.endswith(" by")
        form: Form = "patient" if passive else "agent"
        back: Form = "agent" if passive else "patient"
        spoken = phrase.removesuffix(" by")
        first = -0.02 if form == "agent" and self._backwards(spoken) else 0.05
        for r in self.noun_phrase(k, end)[:4]:
            if isinstance(r.plan, p.Kind):
                continue
            plan = p.Is(p.Hop(p.Hole(), spoken, form, when=when), r.plan, negated)
            yield Reading(cost + r.cost, plan)
            plan = p.Is(p.Hop(r.plan, spoken, back, when=when), p.Hole(), negated)
            yield Reading(cost + r.cost + first, plan)

    def _is_where(self, m: int, n: int, negated: bool) -> Readings:
        """(is) with the Dodgers · in a film · in, part of, from a place"""
        low = self.low(m)
        for r in self.noun_phrase(m + 1 + (low == "part"), n)[:4] if low in _WHERE else []:
            for rank, phrase in enumerate(_WHERE[low]):
                said = p.Hop(p.Hole(), phrase, "agent", heard="part of" if low == "part" else "")
                yield Reading(r.cost + 0.1 + 0.02 * rank, p.Is(said, r.plan, negated))
            if low in {"in", "on"}:
                cast = p.Is(p.Hop(r.plan, f"be {low}", "patient"), p.Hole(), negated)
                yield Reading(r.cost + 0.11, cast)

    def of_the_same(self, m: int, n: int) -> Readings:
        """made by the same director as B · from the same country as B"""
        same = next((k for k in range(m, min(n, m + 5)) if self.low(k) == "same"), None)
        if same is None:
            return
        for k in range(same + 2, min(n - 1, same + 5)):
            noun = singular(self.lows(same + 1, k))
            if self.low(k) not in {"as", "like"} or not self.lex.is_noun(noun):
                continue
            for r in self.noun_phrase(k + 1, n)[:3]:
                hops = [p.Hop(x, noun, "role", heard=self.lows(m, k)) for x in (p.Hole(), r.plan)]
                yield Reading(r.cost - 0.2, p.Is(hops[0], hops[1]))

    def alive_then(self, i: int, n: int) -> Parses:
        """alive in 1900 · alive when A happened · alive during A"""
        span = self.tokens[i].span if i < n else None
        if span is not None:
            return [Reading(0.0, p.Alive(p.Hole(), span=span))] if i == n - 1 else []
        if self.low(i) not in {"when", "during", "at", "while", "in", "before", "after"}:
            return []
        return [Reading(r.cost, p.Alive(p.Hole(), event=r.plan)) for r in self.event(i + 1, n)]

    def _backwards(self, verb: str) -> bool:
        """Whether the verb's relation leads from its object: "direct" and `director`."""
        found = [e for e in self.lex.entries.get(key_of(verb), []) if e.kind == "verb"]
        return bool(found) and found[0].runs == "-"

    def together(self, i: int, n: int, aux: str) -> Readings:
        """A and B … the same N · A and B both …"""
        for sep in (k for k in range(i + 1, n) if self.low(k) == "and"):
            begin = self.skip(i, sep, frozenset({"both"}))
            for end in range(sep + 2, n):
                pairs = [
                    (a, b)
                    for a in self.noun_phrase(begin, sep)[:2]
                    for b in self.noun_phrase(sep + 1, end)[:2]
                    if not isinstance(a.plan, p.Kind) and not isinstance(b.plan, p.Kind)
                ]
                said = self._of_two(end, n, aux, each=begin > i) if pairs else []
                for (extra, make), (a, b) in product(said, pairs):
                    yield Reading(a.cost + b.cost + extra, make(a.plan, b.plan))

    def _of_two(
        self, i: int, n: int, aux: str, *, each: bool
    ) -> Sequence[tuple[float, Callable[[Plan, Plan], Plan]]]:
        """What is said of two things together, and what it costs; `each`: of both alike."""
        rest = [self.low(k) for k in range(i, n)]
        noun = singular(" ".join(w for w in rest if w not in DETERMINERS))
        mutual = stems(noun) in self.lex.kin or (
            self.lex.is_noun(noun) and self.lex.class_of(noun) is None
        )  # actors are not each other's, nor is what is said of both
        if aux in BE and mutual and not (each or "both" in rest):  # are A and B sisters
            return [(-0.1, lambda a, b: p.Is(p.Hop(a, noun, "role"), b))]
        if rest[-3:] == ["the", "same", "time"]:
            alive = bool({"alive", "live", "living"} & set(rest))
            return [(0.0, lambda a, b: p.Both(_not_over(a, b), _not_over(b, a)))] * alive
        if rest[-2:-1] == ["same"] and self.tokens[n - 1].low in _LONG:
            return []  # two days tell of no month
        if "same" in rest or rest[0] in {"share", "shares"}:
            return [(0.0, lambda a, b: self._same_of(a, b, i, n))]
        return [
            (t.cost + 0.1, partial(_of_each, t.plan))
            for t in self.truth(i, n, aux)
            if has_hole(t.plan)
        ]

    def _same_of(self, a: Plan, b: Plan, end: int, n: int) -> Plan:
        """(A and B) were born in the same N · share the N"""
        rest = [self.low(k) for k in range(end, n)]
        at = rest.index("same") + end if "same" in rest else end
        noun = self.lows(at + 1, n)
        lead = [w for w in rest[: at - end] if w not in DETERMINERS | HAVE | {"share"}]
        words = (*lead, *noun.split())
        heard = " ".join(("same", *(w for w in words if w not in DETERMINERS | FILLER)))
        if lead and self.lex.is_verb(lead[0]):
            one = p.Hop(a, lead[0], "agent", self._want(noun), heard=heard)
        else:
            one = p.Hop(a, noun, "role", heard=heard)
        return p.Is(one, replace(one, source=b))


_AFTER_SCALE = frozenset(", between is : in by size area population age height length".split())
_APART = frozenset({",", ":", "between"})  # what stands between a measure and two names
_FIRST = frozenset({"earlier", "first", "earliest"})
_LAST = frozenset({"later", "last", "latest"})
_QUANTITIES = frozenset(
    "more most fewer fewest less least larger higher bigger greater lower smaller highest "
    "largest".split()
)


class Comparisons(Spans):
    """Comparisons: which of two, and whether one is more than the other."""

    def comparison(self, i: int, n: int) -> Readings:
        """(which) (N) is longer, A or B · (which) of A and B is longer"""
        split = next((k for k in range(n - 2, i, -1) if self.low(k) == "or"), None)
        if split is not None:
            scale, noun, start = self._scale(i, split)
            if scale and start < split:
                yield from self._choose(scale, (start, split), (split + 1, n), noun)
        begin = self.skip(i, n, frozenset({"of", "one", "these", "two"}))
        for sep in range(begin + 1, n) if "of" in {self.low(i), self.low(i + 1)} else ():
            for end in range(sep + 2, n) if self.low(sep) in {"and", "or"} else ():
                if self.low(end) in BE | HAVE | DO or self.lex.is_verb(self.low(end)):
                    scale, _, _ = self._scale(end, n)
                    if scale:
                        yield from self._choose(scale, (begin, sep), (sep + 1, end))

    def _choose(
        self, scale: tuple[str, Order], a: tuple[int, int], b: tuple[int, int], noun: str = ""
    ) -> Parses:
        return [
            Reading(
                x.cost + y.cost + 0.1,
                p.Nth(p.Join(called_so(x.plan, noun), called_so(y.plan, noun), "union"), *scale),
            )
            for x in self.noun_phrase(*a)[:3]
            for y in self.noun_phrase(*b)[:3]
        ]

    def _scale(self, i: int, j: int) -> tuple[tuple[str, Order] | None, str, int]:
        """The scale named in a span: (what, which end), the noun before it, where it ends."""
        noun = verb = ""
        for k in range(i, j):
            low = self.low(k)
            if found := self._scale_at(k, j, verb):
                by, order, end = found
                return (by, order), noun, self.skip(end, j, _AFTER_SCALE)
            if low not in AUX and self.lex.is_verb(low) and self.lex.dated_by(low):
                verb = low
            if low in AUX and not noun and k > i:
                noun = singular(self.lows(i, k))
        return None, noun, j

    def _scale_at(self, k: int, j: int, verb: str) -> tuple[str, Order, int] | None:
        """What a word measures, which end it points to, and where that ends."""
        low, nxt = self.low(k), self.low(k + 1)
        order = self.end_of(low)
        if low in {"more", "less"} and nxt == "than" and self.lex.is_verb(self.low(k - 1)):
            return self.low(k - 1), order, k + 1  # earns more than B
        if low in _QUANTITIES and nxt and k + 1 < j:
            if nxt in self.lex.adjectives:
                base = self.end_of(nxt)
                return nxt, base if order == "highest" else other_end(base), k + 2
            if nxt in MORTALS and stem(self.low(k - 1)) in DEADLY:
                return "death toll", order, k + 2
            end = self._measure_end(k + 1, j)
            if end == k + 2 and low in self.lex.adjectives and self.lex.class_of(nxt):
                return low, order, end  # the larger country, A or B
            if end > k + 1:
                return self.lows(k + 1, end), order, end
        if low in _FIRST | _LAST:
            return f"first {verb}".strip(), "lowest" if low in _FIRST else "highest", k + 1
        if low in {"longer", "longest", "shorter"} and stem(self.low(k - 1)) == stem("live"):
            return "lifespan", order, k + 1
        if low in self.lex.adjectives and not self.tokens[k].span:
            end = self._end_of_scale(low, k + 1, j)
            return self.lows(k, end), order, end
        return None

    def _end_of_scale(self, adjective: str, i: int, j: int) -> int:
        """Behind from what is measured: closer *to the Sun*; i, when nothing is."""
        ends = {label.split()[-1] for label in self.lex.adjectives[adjective].relations}
        said = range(i + 1, min(j, i + 3)) if self.low(i) in {"to", "from"} else ()
        return next((k + 1 for k in said if self.low(k) in ends), i)

    def _measure_end(self, i: int, j: int) -> int:
        """Where what is measured ends (higher *melting point*, A or B); i, when nothing is."""
        for k in range(min(j, i + 3), i, -1):
            if self.low(k - 1) not in _APART and self.lex.is_noun(self.lows(i, k)):
                return k
        apart = next((k for k in range(i + 1, min(j, i + 4)) if self.low(k) in _APART), 0)
        if apart and not any(t.cap or t.span for t in self.tokens[i:apart]):
            return apart
        return i + 1 if self.low(i).endswith("s") and not self.tokens[i].cap else i

    def compared(self, m: int, n: int) -> Readings:
        """… taller than B · die before B · founded earlier than B · have more children than B"""
        for k in range(m + 1, n):
            low = self.low(k)
            if low in {"than", "before", "after"} and k + 1 < n:
                if low == "than":
                    scale, _, _ = self._scale(m, k)
                    if scale is None:
                        continue
                    by, order = scale
                else:
                    verb = self.low(m) if self.lex.is_verb(self.low(m)) else ""
                    if not verb:
                        continue
                    by, order = f"first {verb}", "lowest" if low == "before" else "highest"
                begin = self.skip(k + 1, n, frozenset({"that", "those"}))
                end = n - (self.low(n - 1) in AUX)
                for e in self.event(begin, end) if low != "than" and k == m + 1 else []:
                    if isinstance(e.plan, p.Hop) and e.plan.phrase != "date":  # B was born
                        dates = p.Compare(p.Hop(p.Hole(), verb, "agent", "time"), e.plan, by, order)
                        yield Reading(e.cost - 0.2, dates)
                for r in self.noun_phrase(begin, end)[:3]:
                    named = low != "than" and k > m + 1 and self.tokens[m + 1].cap
                    yield Reading(r.cost + 2.5 * named, p.Compare(p.Hole(), r.plan, by, order))
                    for o in self.noun_phrase(m + 1, k)[:2] if low != "than" and k > m + 1 else []:
                        if isinstance(o.plan, p.Kind):
                            continue  # joined NATO before B did
                        mine = p.Hop(p.Hole(), self.low(m), "agent", "time", "", None, o.plan)
                        dates = p.Compare(mine, replace(mine, source=r.plan), by, order)
                        yield Reading(r.cost + o.cost - 0.5, dates)
                break
