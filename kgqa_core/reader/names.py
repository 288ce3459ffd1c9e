"""Names in a question by their looks, and where known entities are named in it.

The parser proposes names where its grammar has room for one; a graph knows better. Spans that
look like names are looked up as well, and those a graph has are parsed as one word.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence

from rapidfuzz import fuzz

from kgqa_core.reader.grammar import AUX, DETERMINERS, FILLER, PREPOSITIONS, WH
from kgqa_core.reader.lexicon import Lexicon
from kgqa_core.reader.words import Token, tokenise, words
from kgqa_core.text import fold, singular

_LONGEST = 8  # words of a name
_FEW = 3  # spans proposed
_ALIKE = 86  # of 100, for a mistyped name
_INNER = frozenset("of the on in and for to de la von van der at a x & from".split())
_EDGES = AUX | WH | DETERMINERS | PREPOSITIONS | FILLER | {"'s", ",", "and", "or", "not", "by"}


def spans(question: str, lex: Lexicon) -> list[str]:
    """Stretches of several words that look like one name, longest first.

    Written with capitals: from capital to capital, with a small word behind it ("Riemannian
    geometry"). Without: neighbours of which one is no word the lexicon gives a meaning.
    """
    tokens = tokenise(question)
    cased = any(t.cap for t in tokens[1:])
    found: dict[str, int] = {}
    for i, first in enumerate(tokens):
        if first.name or (first.low in _EDGES and not (cased and first.cap and i)):
            continue
        for j in range(i + 2, min(len(tokens), i + _LONGEST) + 1):
            inside = tokens[i:j]
            if any(t.name or t.low in {"'s", ","} for t in inside):
                break
            last = inside[-1]
            if not last.cap and (last.low in {*_EDGES, ":"} or last.low.endswith("ly")):
                continue
            if not last.cap and j < len(tokens) and tokens[j].low == "than":
                continue  # Oslo higher than Helsinki
            if cased and not last.cap and (lex.is_verb(last.low) or last.low.endswith("ed")):
                continue
            torn = (i > 1 and tokens[i - 1].cap) or (j < len(tokens) and tokens[j].cap)
            looks = not torn and _capitals(inside, i) if cased else _unusual(inside, lex)
            if looks:
                found.setdefault(words(inside), j - i)
    ranked = sorted(found, key=lambda text: -found[text])
    return ranked[:_FEW]


def _capitals(inside: Sequence[Token], at: int) -> bool:
    first, *middle, _ = inside
    begins = (first.cap and (at or first.low not in AUX | WH)) or first.low[:1].isdigit()
    flows = all(t.cap or t.low in _INNER or t.low[:1].isdigit() for t in middle)
    return bool(begins) and flows and any(t.cap for t in inside[: len(inside) - 1] or inside)


def _unusual(inside: Sequence[Token], lex: Lexicon) -> bool:
    if len(inside) > 4 or any(t.low in AUX | WH | {"or", "and"} for t in inside):
        return False
    return any(t.low not in _EDGES and not lex.knows(t.low) for t in inside)


def singulars(mentions: Iterable[str]) -> list[str]:
    """Mentions that are a plural in small letters, as one of them: "sperm whales"."""
    return [
        one
        for mention in mentions
        if mention.split()[-1].islower() and (one := singular(mention)) != mention
    ]


def mark(
    question: str, known: Mapping[str, Sequence[str]], loosely: bool
) -> tuple[str, dict[str, str]]:
    """The question with the known names in brackets, and for each what it was known by.

    `known`: for each mention, the names of what it was linked to. Loosely: also mistyped names
    and surnames, for entities that are given to be in the question.
    """
    called: dict[str, str] = {}
    text = question
    pieces = [
        (m.start(), m.end()) for m in re.finditer(r"[\w&+*.-]*\w(?:['’](?!s\b)\w+)?", question)
    ]
    taken: list[tuple[int, int, str]] = []
    best: list[tuple[float, int, int, int, str]] = []
    for mention, names in known.items():
        folded = {form for name in names if name for form in (fold(name), _bare(name))}
        for i in range(len(pieces)):
            for j in range(i, min(len(pieces), i + _LONGEST)):
                start, end = pieces[i][0], pieces[j][1]
                score = _likeness(fold(question[start:end]), folded, loosely)
                if score:
                    best.append((score, j - i, start, end, mention))
    for _, _, start, end, mention in sorted(best, key=lambda b: (-b[0], -b[1])):
        free = all(end <= s or start >= e for s, e, _ in taken)
        if free and (loosely is False or mention not in {m for *_, m in taken}):
            taken.append((start, end, mention))
    for start, end, mention in sorted(taken, reverse=True):
        name = text[start:end]
        if "[" in name or "]" in name:
            continue
        called[fold(name)] = mention
        if text[start - 1 : start] not in {'"', "“", "«", "["}:  # not set off already
            text = f"{text[:start]}[{name}]{text[end:]}"
    return text, called


def _bare(name: str) -> str:
    return fold(name).removeprefix("the ")


def _likeness(text: str, names: set[str], loosely: bool) -> float:
    if text in names:
        return 1.0
    if not loosely or len(text) < 4:
        return 0.0
    if singular(text) in names:
        return 0.98
    near = max((fuzz.ratio(text, name) for name in names), default=0.0)
    if near >= _ALIKE:
        return 0.9 * near / 100
    if " " in text:
        return 0.0
    least = _ALIKE - 1 if len(text) > 5 else 100  # a surname
    last = max((fuzz.ratio(text, name.split()[-1]) for name in names if name), default=0.0)
    return 0.006 * last if last >= least else 0.0
