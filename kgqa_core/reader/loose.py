"""Questions without an order of words: the question word late, a request, keywords."""

from __future__ import annotations

from kgqa_core.reader.grammar import (
    AUX,
    BE,
    DETERMINERS,
    FILLER,
    PREPOSITIONS,
    WH,
    Head,
    Parses,
    Spans,
    best_of,
)
from kgqa_core.reader.plan import (
    Hop,
    Plan,
    Reading,
    fill,
)


class Loose(Spans):
    """Questions without an order of words: the question word late, a request, keywords."""

    def embedded(self, i: int, n: int) -> Parses:
        """The question word comes late: "the film X was directed by who"."""
        out: Parses = []
        for k in range(i + 1, n):
            if self.low(k) not in WH or self.low(k) == "how":
                continue
            before = k - 1 if self.low(k - 1) in PREPOSITIONS and k - 1 > i else k
            noun_start = k + 1
            head = self.head(noun_start, n) if noun_start < n else Head("")
            if head is None:
                continue
            prep = self.low(before) if before < k else ""
            want = {"who": "person", "where": "place", "when": "time"}.get(self.low(k), "")
            want = want or self._want(head.noun)
            for m in range(i + 1, before + 1):
                if self.low(m) in BE and prep:
                    for p in self.roles(m + 1, before + 1):
                        for r in self.noun_phrase(i, m):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost, plan))
                if m < before and self.low(m) in AUX and m + 1 <= before:
                    for r in self.noun_phrase(i, m):
                        for p in self.predicate(m + 1, before, want, prep, passive=True):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost + 0.1, plan))
                elif m < before:
                    for p in self.predicate(m, before, want, prep, passive=False):
                        for r in self.noun_phrase(i, m):
                            plan = self._dress(fill(p.plan, r.plan), head)
                            out.append(Reading(r.cost + p.cost + 0.2, plan))
        low = self.low(n - 1)
        if low in BE and n - 1 > i:  # "the director of X was"
            out += self.noun_phrase(i, n - 1)
        return out

    def keywords(self, i: int, n: int) -> Parses:
        """No grammar: a name among words, each word a hop, the nearest first."""
        out: Parses = []
        for a in range(i, n):
            for b in range(a + 1, n + 1):
                if not self._namelike(a, b):
                    continue
                for name in self.mention(a, b):
                    rest = [
                        t.low
                        for t in (*self.tokens[i:a], *self.tokens[b:n])
                        if t.low not in AUX | WH | DETERMINERS | PREPOSITIONS | FILLER
                        and not t.span
                        and t.low not in {"'s", ",", "and", "not"}
                    ]
                    if rest and len(rest) <= 4:
                        phrase = " ".join(rest)
                        plan: Plan = Hop(name.plan, phrase, "role")
                        out.append(Reading(name.cost + 0.5 + 0.3 * len(rest), plan))
        return best_of(out, 4)

    def _namelike(self, a: int, b: int) -> bool:
        if not self.cased:
            return b - a <= 5
        first, last = self.tokens[a], self.tokens[b - 1]
        return first.cap and last.cap and not (a == 0 and first.low in WH | AUX)
