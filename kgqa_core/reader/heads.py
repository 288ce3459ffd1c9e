"""Names, and nouns with the adjectives before them."""

from __future__ import annotations

import re

from kgqa_core.reader.grammar import (
    AUX,
    BESIDES,
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
from kgqa_core.reader.plan import (
    Anchor,
    Reading,
)
from kgqa_core.reader.words import NUMBER_WORDS, ORDINALS, words
from kgqa_core.text import singular

_NO_SUPERLATIVE = frozenset(
    "forest interest harvest contest conquest request protest guest west quest midwest northwest "
    "southwest tempest everest rainforest budapest bucharest inquest bequest".split()
)


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
