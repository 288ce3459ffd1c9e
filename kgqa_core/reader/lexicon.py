"""What words say about relations, classes and measures: `assets/reader/*.tsv`, readable there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.background import Once
from kgqa_core.facts.relations import table
from kgqa_core.places import ASSETS, rows
from kgqa_core.text import fold, singular, stem, stems

READER = ASSETS / "reader"
Stems = tuple[str, ...]
_KINDS = {"date": "time", "amount": "number"} | {k: k for k in ("person", "place", "thing")}
# as questions take them: an office leads to who holds it, a whole says where its parts are
_ASKED = {"position held": "person", "part of": "place"}
_WORDS = (["Who"], ["La"], ["Us"])  # in a name they are no abbreviations: La Paz


@dataclass(frozen=True)
class Entry:
    """A phrase and the relations it may mean; `runs` as in relations.tsv."""

    kind: str
    runs: str
    relations: tuple[tuple[str, ...], ...]  # alternatives; the labels of one belong together


@dataclass(frozen=True)
class Measure:
    """What an adjective measures; `order` is the end its superlative points to."""

    order: str
    relations: tuple[str, ...]


@dataclass(frozen=True)
class KindOf:
    """A class noun: labels the graph may use for it, and what such things are."""

    labels: tuple[str, ...]
    what: str
    head: str = ""  # the noun the labels are kinds of; other nouns of the row are near it


@dataclass(frozen=True)
class Kin:
    """One step of a path of kinship: `child`, of one sex or any."""

    relation: str
    sex: str = ""


class Lexicon:
    """All tables, keyed by the stems of their phrases."""

    def __init__(self, folder: Path = READER) -> None:
        self._words(folder)
        self._relations(folder)
        self.kin = {
            stems(phrase): tuple(
                Kin(s.partition("(")[0], s.partition("(")[2].rstrip(")")) for s in path.split()
            )
            for phrase, path in _phrases(folder / "kinship.tsv")
        }
        self.classes: dict[Stems, KindOf] = {}
        self._nouns: dict[str, KindOf] = {}  # as they are written
        for nouns, labels, what in rows(folder / "classes.tsv"):
            all_nouns = nouns.split("|")
            for noun in all_nouns:
                known = KindOf(tuple(labels.split("|")), what, all_nouns[0])
                self.classes.setdefault(stems(noun), known)
                self._nouns.setdefault(fold(noun), known)
        self.kinds = {
            fold(name): _KINDS[row.values]
            for row in table()
            for name in row.names
            if row.values in _KINDS
        } | _ASKED

    def _words(self, folder: Path) -> None:
        self.adjectives = {
            word: Measure(order, _labels(relations))
            for word, order, relations in _phrases(folder / "adjectives.tsv")
        }
        ends = {"latest", "first", "last", "least"}
        self.superlatives = {w for w in self.adjectives if w.endswith("est") or w in ends}
        self.demonyms = {
            word: tuple(names.split("|")) for word, names in rows(folder / "demonyms.tsv")
        }
        self.names = {
            stems(short): tuple(full.split("|")) for short, full in rows(folder / "names.tsv")
        }
        self.qualifiers = {
            stems(noun): _labels(labels) for noun, labels in _phrases(folder / "qualifiers.tsv")
        }
        self.events = {
            stems(phrase): _labels(labels) for phrase, labels in _phrases(folder / "events.tsv")
        }

    def _relations(self, folder: Path) -> None:
        self.entries: dict[Stems, list[Entry]] = {}
        self._said: dict[str, set[str]] = {}
        self.verb_words: set[str] = set()
        self.noun_words: set[str] = set()
        for phrase, kind, runs, relations in _phrases(folder / "relations.tsv"):
            ways = tuple(tuple(fold(p) for p in way.split("+")) for way in relations.split("|"))
            self.entries.setdefault(stems(phrase), []).append(Entry(kind, runs, ways))
            for relation in {step for way in ways for step in way}:
                self._said.setdefault(relation, set()).update(stems(phrase))
            if kind == "verb":
                self.verb_words.add(phrase.split()[0])
            elif " " not in phrase:
                self.noun_words.add(phrase)
        self.verbs = {k[0] for k, es in self.entries.items() for e in es if e.kind == "verb"}
        self.nouns = {k for k, es in self.entries.items() for e in es if e.kind == "noun"}

    def find(self, phrase: Stems, kind: str) -> list[Entry]:
        """Entries of a phrase, those of the kind first."""
        return sorted(self.entries.get(phrase, []), key=lambda e: e.kind != kind)

    def says(self, relation: str) -> set[str]:
        """The stems of all phrases that may mean a relation."""
        return self._said.get(relation, set())

    def is_noun(self, phrase: str) -> bool:
        """Whether the phrase names a relation ("capital", "grandfather")."""
        key = stems(phrase)
        return key in self.nouns or key in self.kin

    def is_verb(self, word: str) -> bool:
        if stem(word) not in self.verbs:
            return False
        agent = word.removesuffix("s").endswith(("er", "or"))  # "actors" act, but are no verb
        return not agent or word.removesuffix("s") in self.verb_words

    def class_of(self, noun: str) -> KindOf | None:
        word = fold(noun)
        as_written = self._nouns.get(word) or self._nouns.get(singular(word))
        if as_written is not None:
            return as_written  # a player is no play
        key = stems(noun)
        found = self.classes.get(key) or (self.classes.get(key[-1:]) if len(key) == 1 else None)
        if found is not None and found.what == "person" and word.endswith("ed"):
            return None  # who directed is a director, and “directed” is none
        return found

    def dated_by(self, phrase: str) -> tuple[str, ...]:
        """The relations that date what the phrase describes; the longest known part decides."""
        key = stems(phrase)
        for width in range(len(key), 0, -1):
            for start in range(len(key) - width + 1):
                if found := self.events.get(key[start : start + width]):
                    return found
        return ()

    def scale(self, by: str) -> tuple[str, ...]:
        """The relations an adjective is measured by, where it is said from what, from that."""
        head, _, rest = by.partition(" ")
        labels = self.adjectives[head].relations if head in self.adjectives else ()
        return tuple(x for x in labels if x.split()[-1:] == rest.split()[-1:]) or labels

    def renamed(self, text: str) -> tuple[str, ...]:
        """The text with a short name in full: "EU", "the Oscar for Best Picture"."""
        key, said = stems(text), re.findall(r"[\w']+", fold(text))
        written = re.findall(r"[\w']+", text)
        for width in range(len(key), 0, -1):
            for start in range(len(key) - width + 1):
                if full := self.names.get(key[start : start + width]):
                    if width == 1 and written[start : start + 1] in _WORDS:
                        continue
                    rest = (" ".join(said[:start]), " ".join(said[start + width :]))
                    if any(fold(name) in fold(text) for name in full):
                        return ()  # in full already
                    return tuple(f"{rest[0]} {name} {rest[1]}".strip() for name in full)
        return ()

    def qualifiers_of(self, noun: str) -> tuple[str, ...]:
        """What a noun asks for beside a statement's value: "for which film", "what subject"."""
        key = stems(noun)
        return self.qualifiers.get(key) or self.qualifiers.get(key[-1:], ())

    def knows(self, word: str) -> bool:
        """Whether a word is one the reader gives a meaning, so hardly part of a name."""
        return self.has(stem(word)) or word in self.adjectives or word in self.demonyms

    def has(self, root: str) -> bool:
        """Whether the stem of a word is one of a verb, a relation, a kind of thing."""
        return (
            root in self.verbs
            or (root,) in self.nouns
            or (root,) in self.kin
            or (root,) in self.classes
        )


@Once
def word_lists() -> dict[str, frozenset[str]]:
    """The rows of `assets/reader/words.tsv`."""
    return {kind: frozenset(words.split()) for kind, words in rows(READER / "words.tsv")}


def word_list(kind: str) -> frozenset[str]:
    return word_lists()[kind]


@Once
def lexicon() -> Lexicon:
    """The lexicon that ships with the application."""
    return Lexicon()


def _phrases(path: Path) -> Iterator[list[str]]:
    """The rows, one for each phrase of their first column."""
    for phrases, *cells in rows(path):
        yield from ([phrase, *cells] for phrase in phrases.split("|"))


def _labels(cell: str) -> tuple[str, ...]:
    return tuple(fold(label) for label in cell.split("|"))
