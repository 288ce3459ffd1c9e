"""The built-in reader's rule base: `assets/axioms`, readable and to be extended there."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from kgqa_core.background import Once
from kgqa_core.errors import SettingsError
from kgqa_core.facts.premises import Hop, folded
from kgqa_core.places import ASSETS
from kgqa_core.reader import families
from kgqa_core.reader.families import Stems, split
from kgqa_core.reader.lexicon import word_list
from kgqa_core.text import stems

AXIOMS = ASSETS / "axioms"
Want = tuple[bool, str, tuple[str, ...]]  # for or against, group of relations, values


@dataclass
class Topic:
    """What a question may be about. `wants`: facts for it or against it, by group of relations.

    `hints` are those of them that speak for it, and whose absence says nothing.
    """

    name: str
    about: list[Stems] = field(default_factory=list)
    unless: list[Stems] = field(default_factory=list)
    wants: list[Want] = field(default_factory=list)
    hints: list[Want] = field(default_factory=list)
    rule: str = ""
    broad: bool = False  # gives way to what is more special


@dataclass(frozen=True)
class Era:
    """Since when there has been such a thing; `until` empty: still."""

    name: str
    since: str
    until: str


@dataclass(frozen=True)
class Country:
    name: str
    north: float
    east: float
    climate: str
    continents: tuple[str, ...]
    coast: str  # coast, landlocked or island
    languages: tuple[str, ...]
    currencies: tuple[str, ...]
    people: tuple[str, ...]
    capitals: tuple[str, ...]

    def cells(self, column: str) -> tuple[str, ...]:
        found = getattr(self, column)
        return found if isinstance(found, tuple) else (found,)


class Commonsense:
    """All tables. Raises SettingsError for a line that cannot be read, naming file and line."""

    def __init__(self, folder: Path = AXIOMS) -> None:
        self.groups = dict(_rows(folder / "relations.tsv", 2))
        self.classes = {name: split(listed) for name, listed in _rows(folder / "classes.tsv", 2)}
        self._read_phrases(folder)
        self._read_patterns(folder)
        self.countries: dict[str, Country] = {}
        for names, north, east, climate, *rest in _rows(folder / "countries.tsv", 10):
            continents, coast, *others = rest
            known = split(names)
            place = (float(north), float(east), climate, split(continents), coast)
            land = Country(known[0], *place, *map(split, others))
            self.countries |= {folded(name): land for name in known}
        self.lands = list(dict.fromkeys(self.countries.values()))
        self.foods = [
            (tuple(stems(phrase) for phrase in split(cues)), split(fits), split(not_so))
            for cues, fits, not_so in _rows(folder / "foods.tsv", 3)
        ]
        self.customs = [
            (split(words), self._values(listed))
            for words, listed in _rows(folder / "customs.tsv", 2)
        ]
        self.forbidden = {
            name: self._values(listed) for name, listed in _rows(folder / "forbidden.tsv", 2)
        }
        self.topics = list(self._topics(folder / "topics.txt"))
        self.families = list(families.read(folder / "families.txt", _words(folder)))
        self.cues = {phrase for topic in self.topics for phrase in topic.about} | set(self.eras)
        self.professions = {stems(word): word for word in sorted(self._professions())}
        self.kinds = {stems(word): word for word in sorted(self._kinds())}

    def _read_phrases(self, folder: Path) -> None:
        """Tables by phrases of a question, several of them in the first column."""

        def rows(name: str, width: int) -> Iterator[tuple[Stems, str, list[str]]]:
            for phrases, *cells in _rows(folder / name, width):
                yield from ((stems(phrase), phrase, cells) for phrase in split(phrases))

        self.paths = {
            key: tuple(self._hop(step) for step in steps.split())
            for key, _, (steps,) in rows("paths.tsv", 2)
        }
        self.countables = [(split(n), group) for n, group in _rows(folder / "countables.tsv", 2)]
        self.counts = {key: (said, int(n)) for key, said, (n,) in rows("counts.tsv", 2)}
        self.measures = [
            (key, end == "more", split(groups)) for key, _, (end, groups) in rows("measures.tsv", 3)
        ]
        self.eras = {key: Era(said, *bounds) for key, said, bounds in rows("eras.tsv", 3)}
        self.allergens = {key: split(parts) for key, _, (parts,) in rows("allergens.tsv", 2)}
        self.ages = {
            key: (said, int(low) if low else None, int(high) if high else None)
            for key, said, (low, high) in rows("ages.tsv", 3)
        }
        self.starts = {key: (said, years) for key, said, (years,) in rows("starts.tsv", 2)}
        self.impairments = {
            key: (said, needs, self._values(listed))
            for key, said, (needs, listed) in rows("impairments.tsv", 3)
        }
        self.prizes = {key: name for key, _, (name,) in rows("prizes.tsv", 2)}

    def _read_patterns(self, folder: Path) -> None:
        """Tables by regular expressions."""
        self.sameness = [
            (re.compile(words), one, other)
            for words, one, other in _rows(folder / "sameness.tsv", 3)
        ]
        self.spans = [(words, operator) for words, operator in _rows(folder / "spans.tsv", 2)]
        self.sayings = [
            (relation, re.compile(rf"\b(?:{cue})\b") if cue else None, words)
            for relation, cue, words in _rows(folder / "sayings.tsv", 3)
        ]
        self.turns = [
            (re.compile(words), whose == "person", what, group)
            for words, whose, what, group in _rows(folder / "turns.tsv", 4)
        ]

    def relations(self, group: str) -> str:
        """The relations of a group as a premise writes them; a name that is none stands as is."""
        return self.groups.get(group, group)

    def called(self, land: Country, *, capitals: bool = True) -> tuple[str, ...]:
        """The names by which a graph may state a country: its own and those of its capitals."""
        names = (n for n, c in self.countries.items() if c is land)
        return tuple(dict.fromkeys((land.name, *names, *(land.capitals if capitals else ()))))

    def lands_of(self, text: str) -> list[str]:
        """The countries whose people a text speaks of: “a Swede”, “Mexicans”; no “French food”."""
        return [c.name for c in self.lands if any(_people(n).search(text) for n in c.people)]

    def _professions(self) -> set[str]:
        """The words of the classes that topics want as somebody's work, and those classes."""
        work = {v for t in self.topics for _, group, vs in t.wants if group == "work" for v in vs}
        named = {n for n, words in self.classes.items() if " " not in n and work & set(words)}
        return {
            word
            for word in work | (named & work)
            if word.lower() not in _FIELDS and not word.endswith(" of")
        }

    def _kinds(self) -> set[str]:
        """The words that topics want as the kind of something, and the classes of such words."""
        kinds = {v for t in self.topics for _, group, vs in t.wants if group == "kind" for v in vs}
        return kinds | {name for name, words in self.classes.items() if kinds & set(words)}

    def _hop(self, step: str) -> Hop:
        group, _, qualifier = step.removeprefix("^").partition("/")
        return Hop(
            relation=self.relations(group),
            qualifier=qualifier.replace("_", " "),
            inverse=step.startswith("^"),
        )

    def _values(self, listed: str) -> tuple[str, ...]:
        found: dict[str, None] = {}
        for value in split(listed):
            if value.startswith("@"):
                if value[1:] not in self.classes:
                    raise SettingsError(f"classes.tsv has no class “{value}”.")
                found.update(dict.fromkeys(self.classes[value[1:]]))
            else:
                found[value] = None
        return tuple(found)

    def _topics(self, path: Path) -> Iterator[Topic]:
        topic: Topic | None = None
        for number, line in _lines(path):
            if line.startswith("["):
                if topic:
                    yield topic
                topic = Topic(line.strip("[] "))
                continue
            key, _, listed = line.partition(":")
            kind, _, group = key.partition(" ")
            if topic is None or not listed.strip():
                raise SettingsError(f"{path.name}, line {number}: write `about: …` in a [topic].")
            if kind == "rule":
                topic.rule = listed.strip()
            elif kind == "broad":
                topic.broad = listed.strip() == "yes"
            elif kind in {"about", "unless"}:
                getattr(topic, kind).extend(stems(phrase) for phrase in split(listed))
            elif kind in {"for", "against", "hint"} and group.strip() in self.groups:
                want = (kind != "against", group.strip(), self._values(listed))
                topic.wants.append(want)
                if kind == "hint":
                    topic.hints.append(want)
            else:
                raise SettingsError(f"{path.name}, line {number}: “{key}” is no key of a topic.")
        if topic:
            yield topic


@Once
def commonsense() -> Commonsense:
    """The rule base that ships with the application."""
    return Commonsense()


def said(name: str) -> re.Pattern[str]:
    """The words that stand under a name in `words.tsv`."""
    return _words(AXIOMS)[name]


@lru_cache(maxsize=4)
def _words(folder: Path) -> dict[str, re.Pattern[str]]:
    rows = _rows(folder / "words.tsv", 2)
    return {name: re.compile(rf"\b(?:{words})\b") for name, words in rows}


@lru_cache(maxsize=1024)
def _people(name: str) -> re.Pattern[str]:
    """Somebody called so, or several; not what is of their country."""
    after = said("after people").pattern
    return re.compile(rf"\b{re.escape(name)}(?:s\b|(?=\W*$| {after}))")


_FIELDS = word_list("fields that call nobody so")  # stand among professions, but call nobody so


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.strip() and not re.match(r"\s*#", line):
            yield number, line.rstrip("\n")


def _rows(path: Path, width: int) -> Iterator[list[str]]:
    for number, line in _lines(path):
        cells = [cell.strip() for cell in line.split("\t")]
        cells += [""] * (width - len(cells))
        if len(cells) != width or not cells[0]:
            raise SettingsError(f"{path.name}, line {number}: it takes {width} columns.")
        yield cells
