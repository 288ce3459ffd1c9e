"""Comparisons, and claims that are true or not."""

from __future__ import annotations

from dataclasses import replace

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DETERMINERS,
    DO,
    FILLER,
    HAVE,
    WORKING,
    Order,
    Parses,
    Spans,
    inside_class,
    key_of,
    without_prep,
)
from kgqa_core.reader.plan import (
    Against,
    Alive,
    Anchor,
    Both,
    Compare,
    Form,
    From,
    Hole,
    Hop,
    Is,
    IsA,
    Join,
    Kind,
    Plan,
    Reading,
    Some,
    fill,
    has_hole,
    parts,
)
from kgqa_core.text import singular, stem, stems

_WHERE = {
    "in": ("locate", "be in"), "on": ("locate", "be on"), "near": ("locate",), "from": ("from",),
    "part": ("part of", "locate"), "with": ("be member of",), "at": ("locate", "be member of"),
}  # fmt: skip
_ENDINGS = (" in", " by", " to", " of", " for", " at", " from")


def _names_alone(claim: Is) -> bool:
    return isinstance(claim.left, Anchor) and isinstance(claim.right, Anchor)


def _several(plan: Plan) -> bool:
    """A and B: what is claimed of both, `together` reads."""
    return isinstance(plan, Join) and plan.how == "union"


def _which(claim: Plan) -> Plan:
    """Is X in A or B: which of them, not whether."""
    if isinstance(claim, Is) and _several(claim.right) and isinstance(claim.left, Hop):
        return Join(claim.left, claim.right, "intersection")
    return claim


def _not_over(one: Plan, other: Plan) -> Plan:
    """One died after the other was born."""
    died, born = Hop(one, "die", "agent", "time"), Hop(other, "born", "agent", "time")
    return Compare(died, born, "first die", "highest")


class Claims(Spans):
    """Comparisons, and claims that are true or not."""

    def yes_no(self, i: int, n: int) -> Parses:
        aux = self.low(i)
        start = self.skip(i + 1, n, frozenset({"not", "there"}))
        out: Parses = []
        if self.low(i + 1) == "there" or (start < n and self.low(i + 1) == "any"):
            return [Reading(r.cost, Some(r.plan)) for r in self.noun_phrase(start, n)]
        for m in range(start + 1, n):
            out += self.said_of((start, m), (m, n), aux)
        out += self.together(start, n, aux)
        return out

    def said_of(self, subject: tuple[int, int], said: tuple[int, int], aux: str) -> Parses:
        """A claim of two parts: whom it is about, and what is said of them."""
        subjects = [
            s
            for s in self.noun_phrase(*subject)[:4]
            if not isinstance(s.plan, Kind) and not _several(s.plan)
        ]
        that_of = " that of " in f" {self.lows(subject[0], said[1])} "
        out: Parses = []
        for rest in self.truth(*said, aux) if subjects else []:
            for s in subjects:
                whole = fill(rest.plan, s.plan)
                if isinstance(whole, Is) and _names_alone(whole):
                    continue  # two names are the same only if the graph has them as one
                if isinstance(whole, Compare) and isinstance(s.plan, Hop) and that_of:
                    whole = replace(whole, right=replace(s.plan, source=whole.right))
                both = [x for x in parts(whole) if isinstance(x, Hop) and _several(x.source)]
                if both and isinstance(whole, Is):
                    continue  # of A and B: that it is of one of them is not enough
                out.append(Reading(s.cost + rest.cost, _which(whole)))
        return out

    def statement_of_fact(self, i: int, n: int) -> Parses:
        """A did B · A is the N of B: whether it is so"""
        out: Parses = []
        for m in range(i + 1, n):
            low = self.low(m)
            if low in AUX:
                out += self.said_of((i, m), (m + 1, n), low)
                out += self.together(i, n, low)
            elif self.lex.is_verb(low) or low.endswith("ed"):
                out += self.said_of((i, m), (m, n), "did")
        return out

    def truth(self, m: int, n: int, aux: str) -> Parses:
        """What is claimed of a subject (the hole)."""
        negated = self.low(m) == "not"
        m = self.skip(m, n, FILLER | {"not", "been", "be"} - {"first", "only"})
        if m >= n:
            return []
        low = self.low(m)
        out = self.compared(m, n) + self.of_the_same(m, n)
        if low in {"before", "after"} and aux in BE:  # was A before B
            pole: Order = "lowest" if low == "before" else "highest"
            for r in self.noun_phrase(m + 1, n)[:3]:
                out.append(Reading(r.cost, Compare(Hole(), r.plan, "first", pole)))
        if low in {"alive", "living"} and m == n - 1:
            out.append(Reading(0.0, Alive(Hole())))
        elif low in {"alive", "living", "around"} or (low in {"live", "lived"} and aux in DO):
            out += self.alive_then(m + 1, n)
        elif low in {"dead", "deceased"} and m == n - 1:
            out.append(Reading(0.0, Some(Hop(Hole(), "die", "agent", "time"))))
        if aux in BE:
            out += self._is_what(m, n, negated)
        out += self._is_where(m, n, negated)
        if aux in HAVE or (aux in DO and low in HAVE):
            out += self._has_what(m, n)
        if not self.tokens[m].cap or not self.cased:
            out += self._does_what(m, n, aux, negated)
        span, last = self.tokens[m].span, self.tokens[n - 1].span
        if span and m + 1 < n:  # over 1000 km long
            out.append(Reading(0.1, Against(Hole(), self.lows(m + 1, n), span)))
        if low in self.lex.adjectives and m + 1 == n - 1 and last:
            out.append(Reading(0.1, Against(Hole(), low, last)))
        return out

    def _is_what(self, m: int, n: int, negated: bool) -> Parses:
        """(is) NP · one of the NPs"""
        out: Parses = []
        if self.low(m) == "one" and self.low(m + 1) == "of":  # is X one of the Great Lakes
            for r in self.noun_phrase(m + 2, n):
                group = Kind(r.plan.text) if isinstance(r.plan, Anchor) else r.plan
                out.append(Reading(r.cost, Is(group, Hole(), negated)))
        if n - m == 1 and self.low(m) in self.lex.demonyms:  # is X French
            out.append(Reading(0.2, IsA(Hole(), "", self.low(m))))
        for r in self.noun_phrase(m, n):
            plan = r.plan
            if isinstance(plan, Kind):
                out.append(Reading(r.cost - 1.2, IsA(Hole(), plan.noun)))
            elif isinstance(plan, From) and isinstance(plan.source, Kind):
                is_one = IsA(Hole(), plan.source.noun, plan.adjective)
                out.append(Reading(r.cost - 1.0, is_one))
            elif isinstance(plan, Hop) and plan.phrase == "officeholder":
                held = Hop(Hole(), "hold", "agent", when=plan.when)
                out.append(Reading(r.cost, Is(held, plan.source, negated)))
            elif isinstance(plan, Anchor):
                out.append(Reading(r.cost + 0.6, Is(Hop(Hole(), "be", "agent"), plan)))
                out.append(Reading(r.cost + 0.65, Is(Hole(), plan)))  # the capital of X: Y
            else:
                out.append(Reading(r.cost, Is(plan, Hole(), negated)))
        return out

    def _has_what(self, m: int, n: int) -> Parses:
        """(has) more than 3 NOUNs · NOUNs"""
        have = self.low(m) in HAVE
        k = m + have
        limit = self.tokens[k].span if k < n else None
        if limit:
            return [Reading(0.1, Against(Hole(), self.lows(k + 1, n), limit))]
        k = self.skip(k, n, DETERMINERS)
        last = n - 1 if self.tokens[n - 1].span else n
        noun = self.lows(k, last)
        if have and 0 < last - k <= 3 and "" not in noun.split():
            return [Reading(0.3, Some(Hop(Hole(), noun, "role")))]
        return []

    def _does_what(self, m: int, n: int, aux: str, negated: bool) -> Parses:
        """(SUBJECT be) VERB (PREP) OBJECT · VERB a NOUN · VERB"""
        low = self.low(m)
        out: Parses = []
        if stem(low) in WORKING and self.low(m + 1) == "with":  # worked with X
            for r in self.noun_phrase(m + 2, n)[:3]:
                works = [Hop(x, "credit", "agent", heard=f"{low} with") for x in (Hole(), r.plan)]
                both = Join(works[0], works[1], "intersection")
                out.append(Reading(r.cost - 0.1, Some(both, negated)))
        known = self.lex.is_verb(low)
        verbish = known or low.endswith(("ed", "en", "ing"))
        cost = 0.0 if known else 0.8
        thing = self.head(m + 1, n) if self.low(m + 1) in {"a", "an", "any"} else None
        if thing is not None and verbish:  # directed a film
            some = inside_class(Hop(Hole(), low, "agent"), thing.noun)
            return [*out, Reading(cost + 0.1, Some(some, negated))]
        for k in range(m + 1, min(n, m + 5)):
            lead = [self.low(x) for x in range(m, k)]
            if "" in lead or not (verbish or aux in DO) or set(lead) & {"before", "after", "than"}:
                break
            if any(self.tokens[x].cap for x in range(m + 1, k)) and self.cased:
                break
            phrase = " ".join(w for w in lead if w not in DETERMINERS)
            span = self.tokens[k].span
            if span and k == n - 1:
                out.append(Reading(cost + 0.1, Against(Hole(), without_prep(phrase), span)))
            else:
                beside = 0.0 if self.lex.entries.get(key_of(phrase)) else 0.3  # words by the verb
                beside *= k - m - 1 - phrase.endswith(_ENDINGS)
                out += self._to_whom(phrase, (k, n), cost + beside, negated)
        if m == n - 1 and verbish:
            out.append(Reading(cost + 0.3, Some(Hop(Hole(), low, "agent"), negated)))
        return out

    def _to_whom(self, phrase: str, at: tuple[int, int], cost: float, negated: bool) -> Parses:
        """What a verb phrase says of its object, from its subject and the other way round."""
        out: Parses = []
        (k, end), when = at, None
        if self.tokens[end - 1].span and end - 1 > k:
            end, when = end - 1, self.tokens[end - 1].span
        passive = phrase.endswith(" by")
        form: Form = "patient" if passive else "agent"
        back: Form = "agent" if passive else "patient"
        spoken = phrase.removesuffix(" by")
        first = -0.02 if form == "agent" and self._backwards(spoken) else 0.05
        for r in self.noun_phrase(k, end)[:4]:
            if isinstance(r.plan, Kind):
                continue
            plan = Is(Hop(Hole(), spoken, form, when=when), r.plan, negated)
            out.append(Reading(cost + r.cost, plan))
            plan = Is(Hop(r.plan, spoken, back, when=when), Hole(), negated)
            out.append(Reading(cost + r.cost + first, plan))
        return out

    def _is_where(self, m: int, n: int, negated: bool) -> Parses:
        """(is) with the Dodgers · in a film · in, part of, from a place"""
        low = self.low(m)
        out: Parses = []
        for r in self.noun_phrase(m + 1 + (low == "part"), n)[:4] if low in _WHERE else []:
            for rank, phrase in enumerate(_WHERE[low]):
                said = Hop(Hole(), phrase, "agent", heard="part of" if low == "part" else "")
                out.append(Reading(r.cost + 0.1 + 0.02 * rank, Is(said, r.plan, negated)))
            if low in {"in", "on"}:
                cast = Is(Hop(r.plan, f"be {low}", "patient"), Hole(), negated)
                out.append(Reading(r.cost + 0.11, cast))
        return out

    def of_the_same(self, m: int, n: int) -> Parses:
        """made by the same director as B · from the same country as B"""
        same = next((k for k in range(m, min(n, m + 5)) if self.low(k) == "same"), None)
        if same is None:
            return []
        out: Parses = []
        for k in range(same + 2, min(n - 1, same + 5)):
            noun = singular(self.lows(same + 1, k))
            if self.low(k) not in {"as", "like"} or not self.lex.is_noun(noun):
                continue
            for r in self.noun_phrase(k + 1, n)[:3]:
                hops = [Hop(x, noun, "role", heard=self.lows(m, k)) for x in (Hole(), r.plan)]
                out.append(Reading(r.cost - 0.2, Is(hops[0], hops[1])))
        return out

    def alive_then(self, i: int, n: int) -> Parses:
        """alive in 1900 · alive when A happened · alive during A"""
        span = self.tokens[i].span if i < n else None
        if span is not None:
            return [Reading(0.0, Alive(Hole(), span=span))] if i == n - 1 else []
        if self.low(i) == "to" and self.low(i + 1) in {"see", "witness"}:
            i += 1
        elif self.low(i) not in {"when", "during", "at", "while", "in", "before", "after"}:
            return []
        return [Reading(r.cost, Alive(Hole(), event=r.plan)) for r in self.event(i + 1, n)]

    def _backwards(self, verb: str) -> bool:
        """Whether the verb's relation leads from its object: "direct" and `director`."""
        found = [e for e in self.lex.entries.get(key_of(verb), []) if e.kind == "verb"]
        return bool(found) and found[0].runs == "-"

    def together(self, i: int, n: int, aux: str) -> Parses:
        """A and B … the same N · A and B both …"""
        out: Parses = []
        for sep in range(i + 1, n):
            if self.low(sep) != "and":
                continue
            begin = self.skip(i, sep, frozenset({"both"}))
            for end in range(sep + 2, n):
                low = self.low(end)
                lefts = self.noun_phrase(begin, sep)[:2]
                rest = [self.low(k) for k in range(end, n)]
                pairs = [
                    (a, b) for a in lefts for b in self.noun_phrase(sep + 1, end)[:2]
                    if not isinstance(a.plan, Kind) and not isinstance(b.plan, Kind)
                ]  # fmt: skip
                if not pairs:
                    continue
                noun = singular(" ".join(w for w in rest if w not in DETERMINERS))
                mutual = stems(noun) in self.lex.kin or (
                    self.lex.is_noun(noun) and self.lex.class_of(noun) is None
                )  # actors are not each other's, nor is what is said of both
                each = "both" in rest or begin > i
                if aux in BE and mutual and not each:
                    for a, b in pairs:  # are A and B sisters
                        hop = Hop(a.plan, noun, "role")
                        out.append(Reading(a.cost + b.cost - 0.1, Is(hop, b.plan)))
                if rest[-3:] == ["the", "same", "time"]:
                    out += [
                        Reading(
                            a.cost + b.cost,
                            Both(_not_over(a.plan, b.plan), _not_over(b.plan, a.plan)),
                        )
                        for a, b in pairs
                        if {"alive", "live", "living"} & set(rest)
                    ]
                    continue
                if "same" in rest or low in {"share", "shares"}:
                    out += [
                        Reading(a.cost + b.cost, self._same_of(a.plan, b.plan, end, n))
                        for a, b in pairs
                    ]
                    continue
                for t in self.truth(end, n, aux):
                    for a, b in pairs if has_hole(t.plan) else []:
                        both = Both(fill(t.plan, a.plan), fill(t.plan, b.plan))
                        out.append(Reading(a.cost + b.cost + t.cost + 0.1, both))
        return out

    def _same_of(self, a: Plan, b: Plan, end: int, n: int) -> Plan:
        """(A and B) were born in the same N · share the N"""
        rest = [self.low(k) for k in range(end, n)]
        at = rest.index("same") + end if "same" in rest else end
        noun = self.lows(at + 1, n)
        lead = [w for w in rest[: at - end] if w not in DETERMINERS | HAVE | {"share"}]
        words = (*lead, *noun.split())
        heard = " ".join(("same", *(w for w in words if w not in DETERMINERS | FILLER)))
        if lead and self.lex.is_verb(lead[0]):
            one = Hop(a, lead[0], "agent", self._want(noun), heard=heard)
        else:
            one = Hop(a, noun, "role", heard=heard)
        return Is(one, replace(one, source=b))
