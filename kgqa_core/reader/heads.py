"""Names, and nouns with the adjectives before them."""

from __future__ import annotations

import re
from dataclasses import replace

from kgqa_core.reader.grammar import (
    AUX,
    BESIDES,
    CODES,
    DETERMINERS,
    FILLER,
    LEADING,
    NOT_IN_NOUNS,
    PREPOSITIONS,
    PRONOUNS,
    RELATIVE,
    WH,
    Head,
    Parses,
    Spans,
    other_end,
)
from kgqa_core.reader.plan import Anchor, Reading
from kgqa_core.reader.words import NUMBER_WORDS, ORDINALS, Token, words
from kgqa_core.text import singular

_NO_SUPERLATIVE = frozenset(
    "forest interest harvest contest conquest request protest guest west quest midwest northwest "
    "southwest tempest everest rainforest budapest bucharest inquest bequest".split()
)

_SORTS = frozenset("kind type sort form genre".split())
_EMPTY = frozenset("former famous main major important whole entire".split())
_NEVER_FIRST = AUX | PREPOSITIONS
_NEVER_LAST = PREPOSITIONS | DETERMINERS | {"'s", ",", "and", "or"}
_SAYING_LITTLE = AUX | WH | PREPOSITIONS | DETERMINERS | FILLER
_CLAUSES = RELATIVE | frozenset("when while until since than before after".split())
_NO_NOUN = frozenset({"'s", ",", "and", "or", "not"}) | AUX | WH | NOT_IN_NOUNS


class Heads(Spans):
    """Names, and nouns with the adjectives before them."""

    def _unfamiliar(self, noun: str) -> float:
        if self.lex.is_noun(noun):
            return 0.0
        return 0.25 if self.lex.class_of(noun) else 0.5 + 0.2 * len(noun.split())

    def mention(self, i: int, j: int) -> Parses:
        """The span as one name; a likely name costs little."""
        tokens = self.tokens[i:j]
        if not tokens:
            return []
        if len(tokens) == 1 and tokens[0].name:
            return [Reading(-0.4, Anchor(tokens[0].text))]
        if len(tokens) == 1 and tokens[0].low in PRONOUNS and self.spoken_of and i:
            return [Reading(0.2, Anchor(self.spoken_of, heard=tokens[0].low))]
        start = i + (tokens[0].low in {"the", "a", "an"})
        core = self.tokens[start:j]
        if len(core) == 1 and core[0].name:
            return [Reading(-0.4, Anchor(core[0].text))]
        if not core or core[0].low == "," or any(t.name for t in core):
            return []
        first, last = core[0], core[-1]
        named = self.cased and start > i > 0 and first.cap  # The Who
        if (
            (first.low in _NEVER_FIRST and not first.cap and self.cased)
            or first.low in {"before", "after", "since", "until", "than", "not", "never"}
            or (len(core) == 1 and first.low in {"most", "least", "fewest"})  # the most populous …
            or (last.low in _NEVER_LAST and not last.cap)
            or (all(t.low in _SAYING_LITTLE for t in core) and not named)
        ):
            return []
        cost = sum(self._unlike(t, start + n, n in (0, len(core) - 1)) for n, t in enumerate(core))
        if self.cased and not (core[0].cap and core[-1].cap):
            cost += 0.8 if any(t.cap for t in core) else 0.3
        if len(core) == 1 and core[0].low in self.lex.demonyms:
            cost += 0.6
        cost += self._torn(start, j)
        text = words(core)
        if start > i and tokens[0].cap and i > 0:
            text = words(tokens)
        return [Reading(cost, Anchor(text))]

    def _unlike(self, t: Token, at: int, outer: bool) -> float:
        """How little a word looks like a part of a name."""
        if t.cap and (at or self.cased):
            return 0.02
        if t.span and t.span.test == "during" and re.search(r"\d", t.text):
            return 0.3 if t.text[0].isdigit() else 0.8
        if t.span:
            return 2.5
        if t.low in self.lex.superlatives or t.low in BESIDES:
            return 1.2
        if t.low == "'s":
            return 0.45
        if t.low in {",", "and", "or"}:
            return 0.6
        if t.low in PREPOSITIONS | DETERMINERS and not outer:
            return 0.2 if self.cased else 0.3
        if t.low in AUX | _CLAUSES:
            return 1.2
        if t.low[:1].isdigit():
            return 0.1
        if self.lex.knows(t.low):
            return 1.3 if self.cased else 0.6
        return 0.7 if self.cased else 0.15

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
        k, lead = self._adjectives(i, j)
        rest, whole = self.tokens[k:j], self.lows(k, j)
        if not rest or len(rest) > 4:
            return None
        known = self.lex.class_of(whole) is not None or self.lex.is_noun(whole)
        plain = not any(t.name or t.span for t in rest) and self._noun_of_words(whole)
        proper = rest[0].cap and ((known and not rest[-1].cap) or rest[-1].low in CODES)
        if len(rest) > 1 and (plain or proper):
            return replace(lead, noun=singular(whole))
        if not self._are_noun(i, k, j):
            return None
        if any(t.low == "of" for t in rest):
            first = rest[0].low.rstrip("s")
            if first not in _SORTS and not self.lex.is_noun(whole):
                return None
            if first in _SORTS - {"form"} and len(rest) > 2:
                lead, rest = replace(lead, sort=rest[0].low), rest[2:]
        noun = singular(" ".join(t.low for t in rest))
        if len(rest) == 1 and (noun in self.lex.superlatives or noun in self.lex.demonyms):
            return None
        if noun in {"most", "least"}:
            return None
        cost = 0.4 if rest[0].cap and self.cased and k > 0 else 0.0
        if not (self.lex.is_noun(noun) or self.lex.class_of(noun) is not None):
            last = rest[-1].low
            cost += 0.3 * (len(rest) - 1)
            if len(rest) == 1 and self.lex.is_verb(noun):
                cost += 1.5
            elif len(rest) > 1 and self.lex.is_verb(last) and not self.lex.is_noun(last):
                cost += 2.0
        return replace(lead, noun=noun, cost=cost)

    def _are_noun(self, i: int, k: int, j: int) -> bool:
        """Whether the words from k on can be a noun: no little word, no part of a name."""
        one = self.low(i - 1) in {"a", "an"} or self.low(i) in {"a", "an"}
        for pos, t in enumerate(self.tokens[k:j]):
            if t.name or t.span or t.low in _NO_NOUN:
                return False
            inner_of = t.low == "of" and 0 < pos < j - k - 1
            if t.low in DETERMINERS | PREPOSITIONS and not inner_of:
                return False
            titled = pos == 0 and self.lex.is_noun(t.low)
            titled = titled or (j - k == 1 and one and self.lex.class_of(t.low) is not None)
            if t.cap and self.cased and k + pos > 0 and not titled:
                return False
        return True

    def _adjectives(self, i: int, j: int) -> tuple[int, Head]:
        """Where the noun begins, and what the words before it say: order, position, origin."""
        k, head = i, Head("")
        while k < j:
            step = self._adjective(k, j, head)
            if step is None:
                break
            k, head = step
        return k, head

    def _adjective(self, k: int, j: int, head: Head) -> tuple[int, Head] | None:
        """The next word after an adjective at k, and what it adds; None: there is none."""
        low, nxt = self.low(k), self.low(k + 1) if k + 1 < j else ""
        if low in ORDINALS or re.fullmatch(r"\d+(?:st|nd|rd|th)", low):
            head = replace(head, position=ORDINALS.get(low) or int(low[:-2]))
            by_time = nxt not in self.lex.superlatives and not (nxt == "most" and k + 2 < j)
            return k + 1, replace(head, by="first", order="lowest") if by_time else head
        if not nxt:
            return None
        if low in {"last", "latest", "final"} or (nxt == "recent" and low in {"newest", "most"}):
            return k + 1 + (nxt == "recent"), replace(head, by="first", order="highest")
        if low in {"most", "least"} and k + 2 < j:
            order = self.end_of(nxt)
            return k + 2, replace(head, by=nxt, order=other_end(order) if low == "least" else order)
        whole = self.lows(k, j)
        if self.lex.is_noun(whole) or self.lex.class_of(whole):
            return None  # a US state is no state of any kind
        if low in self.lex.superlatives or self._superlative(low):
            return k + 1, replace(head, by=low, order=self.end_of(low))  # or the graph tells
        now = low in {"current", "present", "incumbent"}
        if now or low in self.lex.demonyms:
            return k + 1, replace(head, adjectives=(*head.adjectives, "current" if now else low))
        empty = low in _EMPTY or (low in NUMBER_WORDS and low != "one")
        return (k + 1, head) if empty else None

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
