"""Finding entities by name: exact, in other spelling, in part, misspelt.

Scores: 1 an exact label, 0.99 an exact alias, 0.97 the same but for case, accents and
punctuation, 0.95 but for an article or a possessive; below that, parts of names and typing
errors, by how much is missing or wrong. Aliases score 0.01 less than labels.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from heapq import nlargest, nsmallest
from typing import NamedTuple, Protocol

from rapidfuzz.distance import OSA
from rapidfuzz.process import extract

from kgqa_core.text import visible

_SPELLING, _ARTICLE, _PART, _TYPO = 0.97, 0.95, 0.92, 0.9
_ALIAS = 0.01
SHORT = 4  # letters; shorter mentions match whole names only
LONG = 200  # characters; longer mentions match exactly or not at all
_COMMON = 20_000  # names sharing a word that no longer tells them apart

_WORD = re.compile(r"[^\W_]+")
_APOSTROPHE = re.compile("['’ʼ`´]")
_POSSESSIVE = re.compile("['’ʼ](?:s)?$")
_LETTERS = str.maketrans(
    {"ø": "o", "ł": "l", "đ": "d", "ð": "d", "þ": "th", "æ": "ae", "œ": "oe", "ı": "i", "ħ": "h"}
)
_ARTICLES = frozenset({"the", "a", "an"})
LITTLE = _ARTICLES | set("of in on at by for to from and or with is de la le der von van".split())


class Name(NamedTuple):
    """One name of an entity."""

    id: str
    text: str
    alias: bool


@dataclass(frozen=True, slots=True)
class Match:
    """The best name of an entity for a mention; `score` in (0, 1]."""

    id: str
    text: str
    score: float


class Labels(Protocol):
    """An index of names, wherever it lives."""

    def find(self, mention: str, most: int = 50) -> list[Match]: ...


def fold(text: str) -> str:
    """Words only, without case, accents and punctuation: `São Paulo’s` is `sao paulos`."""
    text = _APOSTROPHE.sub("", visible(text).casefold())
    if not text.isascii():
        decomposed = unicodedata.normalize("NFKD", text.translate(_LETTERS))
        text = "".join(ch for ch in decomposed if not unicodedata.combining(ch))
    return " ".join(_WORD.findall(text))


def bare_words(text: str) -> list[str]:
    """Folded words without leading article and trailing possessive."""
    words = fold(_POSSESSIVE.sub("", text.strip())).split()
    return words[1:] if len(words) > 1 and words[0] in _ARTICLES else words


class LabelIndex:
    """Names in memory: dictionaries for whole names, an inverted index for their words."""

    def __init__(self, names: Iterable[Name]) -> None:
        self._names: list[Name] = []
        self._exact: dict[str, list[int]] = {}
        self._spelt: dict[str, list[int]] = {}  # folded, without spaces: Spider-Man, Spiderman
        self._bare: dict[str, list[int]] = {}  # the same without article and possessive
        self._holding: dict[str, list[int]] = {}  # word to names
        self._tokens: list[tuple[str, ...]] = []
        self._letters: list[int] = []
        for i, name in enumerate(names):
            self._names.append(name)
            folded = fold(name.text)
            tokens = tuple(folded.split())
            self._tokens.append(tokens)
            self._letters.append(_letters(tokens))
            self._exact.setdefault(squeezed(name.text), []).append(i)
            if tokens:
                self._spelt.setdefault("".join(tokens), []).append(i)
                bare = "".join(bare_words(name.text))
                if bare != "".join(tokens):
                    self._bare.setdefault(bare, []).append(i)
            for token in set(tokens):
                self._holding.setdefault(token, []).append(i)
        self._vocabulary: dict[int, list[str]] = {}
        for token in self._holding:
            self._vocabulary.setdefault(len(token), []).append(token)

    def find(self, mention: str, most: int = 50) -> list[Match]:
        """Entities whose name is like the mention, best first; empty when nothing is.

        Typing errors are looked for only when no name matches in whole or in part.
        """
        best: dict[str, Match] = {}
        for i in self._exact.get(squeezed(mention), ()):
            self._offer(best, i, 1.0)
        if len(mention) > LONG:
            return _ranked(best, most)
        whole, words = fold(mention).replace(" ", ""), bare_words(mention)
        bare = "".join(words)
        for i in self._spelt.get(whole, ()):
            self._offer(best, i, _SPELLING)
        if bare:
            for table in (self._spelt, self._bare):
                for i in table.get(bare, ()):
                    self._offer(best, i, _ARTICLE)
        if len(bare) >= SHORT:
            self._parts(words, best, most)
            if not best:
                self._misspelt(words, best)
        return _ranked(best, most)

    def _offer(self, best: dict[str, Match], i: int, score: float) -> None:
        name = self._names[i]
        score -= _ALIAS if name.alias else 0
        before = best.get(name.id)
        if before is None or before.score < score:
            best[name.id] = Match(name.id, name.text, round(score, 4))

    def _parts(self, words: Sequence[str], best: dict[str, Match], most: int) -> None:
        """Names that hold every word of the mention: Totti, Francesco Totti."""
        telling = [w for w in words if w not in LITTLE]
        if not telling or not all(w in self._holding for w in words):
            return
        found = min((self._holding[w] for w in telling), key=len)[:_COMMON]
        if len(words) > 1:
            wanted = set(words)
            found = [i for i in found if wanted.issubset(self._tokens[i])]
        letters = _letters(words)
        for i in nsmallest(2 * most, found, key=self._letters.__getitem__):
            self._offer(best, i, _part(letters, self._letters[i]))

    def _misspelt(self, words: Sequence[str], best: dict[str, Match]) -> None:
        """Names most of whose words are like the mention's words."""
        alike = {w: self._alike(w) for w in words}
        shared: dict[int, int] = {}  # name to the letters it shares with the mention
        for word in words:
            if word in LITTLE:
                continue
            names: set[int] = set()
            for token in alike[word]:
                names.update(self._holding[token][:_COMMON])
            for i in names:
                shared[i] = shared.get(i, 0) + len(word)
        telling = sum(len(w) for w in words if w not in LITTLE)
        likely = [i for i, letters in shared.items() if 3 * letters >= telling]
        for i in nlargest(500, likely, key=lambda i: shared[i]):
            score = max(
                _typing(words, self._tokens[i]),
                _typing_in_part(words, self._tokens[i], alike),
                _extra_words(words, self._tokens[i]),
            )
            if score > 0:
                self._offer(best, i, score)

    def _alike(self, word: str) -> dict[str, float]:
        """Words of the index within typing distance, each with its similarity."""
        found = {word: 1.0} if word in self._holding else {}
        edits = allowed_edits(word)
        for length in range(len(word) - edits, len(word) + edits + 1) if edits else ():
            tokens = self._vocabulary.get(length, ())
            near = extract(word, tokens, scorer=OSA.distance, score_cutoff=edits, limit=None)
            for token, distance, _ in near:
                if len(token) >= SHORT and not any(ch.isdigit() for ch in token):
                    found[token] = 1 - distance / max(len(word), length)
        return found


def squeezed(text: str) -> str:
    """One space between words, and nothing that cannot be seen."""
    return " ".join(unicodedata.normalize("NFC", visible(text)).split())


def same_name(one: str, other: str) -> bool:
    """Whether two names differ in case, accents and apostrophes at most: C++ is not C#."""
    return _sameness(one) == _sameness(other)


def _sameness(text: str) -> str:
    plain = _APOSTROPHE.sub("'", unicodedata.normalize("NFKD", text.casefold()))
    return squeezed("".join(ch for ch in plain if not unicodedata.combining(ch)))


def _letters(words: Iterable[str]) -> int:
    return sum(map(len, words))


def _part(letters: int, of: int) -> float:
    return 0.5 + (_PART - 0.5) * min(letters, of) / of


def allowed_edits(text: str) -> int:
    """How many typing errors a text of this length may have; none in numbers."""
    if len(text) < SHORT or any(ch.isdigit() for ch in text):
        return 0
    return 1 if len(text) < 8 else 2


def _numbers(words: Iterable[str]) -> list[str]:
    return sorted(w for w in words if any(ch.isdigit() for ch in w))


def _typing(words: Sequence[str], tokens: Sequence[str]) -> float:
    """The whole name, misspelt: Duglas Sirk."""
    said, name = " ".join(words), " ".join(tokens)
    if len(name) < SHORT:
        return 0  # an oven is no VEN
    edits = 1 if len(said) < 10 else len(said) // 5
    distance = OSA.distance(said, name, score_cutoff=edits)
    if distance > edits or _numbers(words) != _numbers(tokens):
        return 0
    return _TYPO * (1 - distance / max(len(said), len(name)))


def _typing_in_part(
    words: Sequence[str], tokens: Sequence[str], alike: dict[str, dict[str, float]]
) -> float:
    """Part of the name, misspelt: Toti for Francesco Totti."""
    telling = [w for w in words if w not in LITTLE]
    nearest = [max((alike[w].get(t, 0.0) for t in tokens), default=0.0) for w in telling]
    if not nearest or not all(nearest):
        return 0
    similarity = sum(nearest) / len(nearest)
    return (_part(_letters(words), _letters(tokens)) - 0.05) * similarity


def _extra_words(words: Sequence[str], tokens: Sequence[str]) -> float:
    """The name and something else: the film Written on the Wind."""
    telling = _letters(t for t in tokens if t not in LITTLE)
    share = telling / _letters(w for w in words if w not in LITTLE)
    if telling < SHORT or share < 0.5 or not set(tokens).issubset(words):
        return 0
    return 0.4 + 0.4 * min(1.0, share)


def _ranked(best: dict[str, Match], most: int) -> list[Match]:
    return nlargest(most, best.values(), key=lambda match: match.score)
