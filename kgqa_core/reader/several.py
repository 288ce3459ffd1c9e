"""Lists, and so many of something: A and B, one of several, all but some; no moon, eight states."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal as OneOf

from kgqa_core.reader import plan as p
from kgqa_core.reader.grammar import (
    BESIDES,
    DETERMINERS,
    Parses,
    Spans,
)
from kgqa_core.reader.plan import Anchor, Join, Kind, Reading
from kgqa_core.reader.words import NONE, Span, number_at
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

    def _coordinated(self, i: int, j: int) -> Iterator[Reading]:
        yield from self._of_one_name(i, j)
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
