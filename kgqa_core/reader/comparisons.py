"""Comparisons: which of two, and whether one is more than the other."""

from __future__ import annotations

from dataclasses import replace

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DEADLY,
    DO,
    HAVE,
    MORTALS,
    Order,
    Parses,
    Spans,
    other_end,
)
from kgqa_core.reader.plan import (
    Anchor,
    Compare,
    Hole,
    Hop,
    Join,
    Kind,
    Nth,
    Plan,
    Reading,
)
from kgqa_core.text import singular, stem

_AFTER_SCALE = frozenset(", between is : in by size area population age height length".split())


_APART = frozenset({",", ":", "between"})  # what stands between a measure and two names


class Comparisons(Spans):
    """Comparisons: which of two, and whether one is more than the other."""

    def comparison(self, i: int, n: int) -> Parses:
        """(which) (N) is longer, A or B · (which) of A and B is longer"""
        out: Parses = []
        split = next((k for k in range(n - 2, i, -1) if self.low(k) == "or"), None)
        if split is not None:
            scale, noun, start = self._scale(i, split)
            if scale:
                for begin in start:
                    if begin >= split:
                        continue
                    out += self._choose(scale, (begin, split), (split + 1, n), noun)
        if self.low(i) == "of" or (n > i + 1 and self.low(i + 1) == "of"):
            begin = i + 1 if self.low(i) == "of" else i + 2
            begin = self.skip(begin, n, frozenset({"these", "two"}))
            for sep in range(begin + 1, n):
                if self.low(sep) not in {"and", "or"}:
                    continue
                for end in range(sep + 2, n):
                    if self.low(end) in BE | HAVE | DO or self.lex.is_verb(self.low(end)):
                        scale, _, start = self._scale(end, n)
                        if scale:
                            out += self._choose(scale, (begin, sep), (sep + 1, end))
        return out

    def _choose(
        self, scale: tuple[str, Order], a: tuple[int, int], b: tuple[int, int], noun: str = ""
    ) -> Parses:
        def named(plan: Plan) -> Plan:
            return replace(plan, noun=noun) if isinstance(plan, Anchor) and noun else plan

        return [
            Reading(
                x.cost + y.cost + 0.1,
                Nth(Join(named(x.plan), named(y.plan), "union"), scale[0], scale[1]),
            )
            for x in self.noun_phrase(*a)[:3]
            for y in self.noun_phrase(*b)[:3]
        ]

    def _scale(self, i: int, j: int) -> tuple[tuple[str, Order] | None, str, list[int]]:
        """The scale named in a span: (what, which end), the noun before it, where it ends."""
        measure: tuple[str, Order] | None = None
        noun = ""
        ends: list[int] = []
        k = i
        verb = ""
        while k < j:
            low = self.low(k)
            nxt = self.low(k + 1)
            order: Order
            if low in {"more", "most", "fewer", "fewest", "less", "least", "larger", "higher",
                       "bigger", "greater", "lower", "smaller", "highest",
                       "largest"} and nxt and k + 1 < j:  # fmt: skip
                order = (
                    "lowest"
                    if low in {"fewer", "fewest", "less", "least", "lower", "smaller"}
                    else "highest"
                )
                if nxt in self.lex.adjectives:
                    base = self.lex.adjectives[nxt].order
                    order = base if order == "highest" else other_end(base)  # type: ignore[assignment, arg-type]
                    measure, ends = (nxt, order), [k + 2]
                    break
                if nxt in MORTALS and stem(self.low(k - 1)) in DEADLY:
                    measure, ends = ("death toll", order), [k + 2]
                    break
                end = self._measure_end(k + 1, j)
                if end > k + 1:
                    measure, ends = (self.lows(k + 1, end), order), [end]
                    break
            if low in {"earlier", "first", "earliest"} and not measure:
                measure, ends = (f"first {verb}".strip(), "lowest"), [k + 1]
                if not verb and nxt and (self.lex.is_verb(nxt)):
                    measure, ends = (f"first {nxt}", "lowest"), [k + 2]
                break
            if low in {"later", "last", "latest"}:
                measure, ends = (f"first {verb}".strip(), "highest"), [k + 1]
                break
            if low in {"longer", "longest"} and stem(self.low(k - 1)) == stem("live"):
                measure, ends = ("lifespan", "highest"), [k + 1]
                break
            if low in self.lex.adjectives and not self.tokens[k].span:
                found = self.lex.adjectives[low]
                measure, ends = (low, found.order), [k + 1]  # type: ignore[assignment]
                if nxt in {"by", "in"} and self._measured(self.low(k + 2)):  # bigger by area
                    measure, ends = (self.low(k + 2), found.order), [k + 3]  # type: ignore[assignment]
                break
            if low not in AUX and self.lex.is_verb(low) and self.lex.dated_by(low):
                verb = low
            if low in AUX and not noun and k > i:
                noun = singular(self.lows(i, k))
            k += 1
        if measure:
            ends = [self.skip(e, j, _AFTER_SCALE) for e in ends]
        return measure, noun, ends

    def _measure_end(self, i: int, j: int) -> int:
        """Where what is measured ends (higher *melting point*, A or B); i, when nothing is."""
        first = self.low(i)
        known = (k for k in range(min(j, i + 3), i + 1, -1) if self._is_measure(i, k))
        told = next(known, 0)
        if told or self.lex.is_noun(first):
            return told or i + 1
        apart = next((k for k in range(i + 1, min(j, i + 4)) if self.low(k) in _APART), 0)
        if apart and not any(t.cap or t.span for t in self.tokens[i:apart]):
            return apart
        return i + 1 if first.endswith("s") and not self.tokens[i].cap else i

    def _is_measure(self, i: int, k: int) -> bool:
        return self.low(k - 1) not in _APART and self.lex.is_noun(self.lows(i, k))

    def compared(self, m: int, n: int) -> Parses:
        """… taller than B · die before B · founded earlier than B · have more children than B"""
        out: Parses = []
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
                end = n
                for e in self.event(begin, n) if low != "than" and k == m + 1 else []:
                    if isinstance(e.plan, Hop) and e.plan.phrase != "date":  # B was born
                        dates = Compare(Hop(Hole(), verb, "agent", "time"), e.plan, by, order)
                        out.append(Reading(e.cost - 0.2, dates))
                while end > begin + 1 and self.low(end - 1) in AUX | {"does"}:
                    end -= 1
                for r in self.noun_phrase(begin, end)[:3]:
                    named = low != "than" and k > m + 1 and self.tokens[m + 1].cap
                    out.append(Reading(r.cost + 2.5 * named, Compare(Hole(), r.plan, by, order)))
                    for o in self.noun_phrase(m + 1, k)[:2] if low != "than" and k > m + 1 else []:
                        if isinstance(o.plan, Kind):
                            continue  # joined NATO before B did
                        mine = Hop(Hole(), self.low(m), "agent", "time", "", None, o.plan)
                        dates = Compare(mine, replace(mine, source=r.plan), by, order)
                        out.append(Reading(r.cost + o.cost - 0.5, dates))
                break
        return out
