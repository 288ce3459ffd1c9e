"""What everybody knows of common things: a small graph of its own, `assets/axioms/common`.

A table is a sheet: its first column names things (the first name is the label, others by |; a
star: taken for the thing only after an article, a number and the like), the other columns are
relations, with Wikidata's id and a unit where they have one. A thing has what its kinds have, but
for numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from datetime import date
from functools import lru_cache
from pathlib import Path

from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import DECIMAL, STRING, Entity, Literal, Relation, Statement
from kgqa_core.places import ASSETS
from kgqa_core.text import fold, plural, singular, stems

SOURCE = "common knowledge"
EVERYDAY = "urn:kg:common/"  # how the ids of its things begin
FOLDER = ASSETS / "axioms" / "common"
_KIND = "subclass of"
_COLUMN = re.compile(r"(?P<label>.+?)(?: (?P<id>P\d+))?(?: \((?P<unit>.+)\))?")
_NUMBER = re.compile(r"-?\d+(\.\d+)?")
_LONGEST = 4  # words of a name
_YEARS_OLD = re.compile(r"\b(\d{1,3}|[a-z]{3,9}(?:teen|ty)?)[- ]years?[- ]olds?\b", re.IGNORECASE)
_BORN_IN = re.compile(
    r"\b((?:(?:some|any|every)(?:one|body)|(?:person|man|woman|boy|girl|child|people))"
    r"(?: (?:who|that) (?:is|was|are|were))? born in (\d{4}))\b(?:.*\bin (\d{4})\b)?",
    re.IGNORECASE,
)
_LIGHT = frozenset(stems("a an the be to of with by its their"))
_APART = 4  # of two such words at most three others stand between them
_LED = re.compile(
    r"(?:\b(?:an?|the|of|with|by|than|two|three|four|five|ten|\d+|some|any|every|most|all|his|her|"
    r"their|your|my|one|of|like|old|young|big|small|live|dead|ripe|fresh|wild|pet))$"
)
_LED_MANY = re.compile(
    r"^$|\b(?:do|does|did|are|were|can|could|would|will|and|or|than|in|on|from|if|have)$"
)


@dataclass
class Thing:
    """A common thing, and what stands in its rows, by column."""

    entity: Entity
    said: dict[Relation, dict[str, None]] = field(default_factory=dict)
    units: dict[Relation, str] = field(default_factory=dict)


class Common:
    """All sheets. Raises SettingsError for a line that cannot be read, naming file and line."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._things: dict[str, Thing] = {}
        self._called: dict[str, tuple[Thing, bool]] = {}  # and whether it takes an article
        for path in sorted(folder.glob("*.tsv")):
            self._read(path)
        self.values: dict[str, dict[tuple[str, ...], str]] = {}
        for thing in self._things.values():
            for relation, said in thing.said.items():
                own = self.values.setdefault(relation.label, {})
                for text in said:
                    for name in self._names(text):
                        own.setdefault(stems(name), text)

    def _read(self, path: Path) -> None:
        columns: list[tuple[Relation, str]] = []
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            if line.startswith("#") or not line.strip():
                continue
            first, *cells = line.split("\t")
            if not columns:
                columns = [_column(cell) for cell in cells]
                continue
            if len(cells) > len(columns):
                raise SettingsError(f"{path.name}, line {number}: more cells than columns.")
            thing = self._thing(first)
            for (relation, unit), cell in zip(columns, cells, strict=False):
                if cell:
                    values = dict.fromkeys(part.strip() for part in cell.split("|"))
                    thing.said.setdefault(relation, {}).update(values)
                    thing.units[relation] = unit

    def _thing(self, names: str) -> Thing:
        label, *aliases = [name.strip().rstrip("*") for name in names.split("|")]
        thing = self._things.get(fold(label))
        if thing is None:
            entity = Entity(f"{EVERYDAY}{label.replace(' ', '_')}", label, "", tuple(aliases))
            thing = self._things[fold(label)] = Thing(entity)
        for name in names.split("|"):
            bare = name.strip().rstrip("*")
            self._called.setdefault(_key(bare), (thing, name.strip().endswith("*")))
        return thing

    def _names(self, text: str) -> tuple[str, ...]:
        thing = self.called(text)
        return (text, thing.label, *thing.aliases) if thing else (text,)

    def said(self, text: str, relation: str) -> list[tuple[int, str]]:
        """The values of a relation that a text names, with the number of their words."""
        inside, known = stems(text), self.values.get(relation, {})
        return [(len(own), value) for own, value in known.items() if _spread(inside, own)]

    def called(self, name: str) -> Entity | None:
        """The thing of that name."""
        found = self._called.get(_key(name))
        return found[0].entity if found else None

    def several(self, name: str) -> str:
        """The things of that name as one speaks of all of them, `penguins`; empty of stuff (iron).

        A name that says so already stays as it is.
        """
        found = self._called.get(_key(name))
        if found is None or not name.islower():
            return ""
        if _key(name) != fold(name).replace("-", " "):
            return name
        if _COUNTED.isdisjoint(kind.entity.label for kind in self._kinds(found[0].entity)):
            return ""
        head, blank, last = name.rpartition(" ")
        return f"{head}{blank}{_SEVERAL.get(last) or plural(last)}"

    def entities(self) -> list[Entity]:
        return [thing.entity for thing in self._things.values()]

    def value(self, text: str) -> Entity | Literal:
        """What stands in a cell: a thing of the sheets, called so, or words."""
        thing = self.called(text)
        return _as_called(thing, text) if thing else Literal(text, STRING)

    def named(self, question: str) -> Iterator[tuple[str, Entity]]:
        """The things that a text names, with their mentions: the longest of nested names."""
        for said in _YEARS_OLD.finditer(question):
            age = said[1] if said[1].isdigit() else _AGES.get(said[1].casefold(), "")
            if age:
                yield said[0], Entity(f"{EVERYDAY}{age}-year-old", said[0])
        for said in _BORN_IN.finditer(question):
            age = int(said[3] or date.today().year) - int(said[2])
            yield said[1], Entity(f"{EVERYDAY}{max(0, age)}-year-old", said[1])
        words = list(re.finditer(r"[\w'’]+(?:-[\w'’]+)*", question))
        taken: set[int] = set()
        for length in range(_LONGEST, 0, -1):
            for start in range(len(words) - length + 1):
                span = range(start, start + length)
                if not taken.isdisjoint(span):
                    continue
                mention = question[words[start].start() : words[start + length - 1].end()]
                found = self._called.get(_key(mention))
                if found is None or (
                    found[1] and not _led(question, words[start].start(), mention)
                ):
                    continue
                taken.update(span)
                thing = found[0].entity
                yield mention, _as_called(thing, mention)

    def statements(self, entity: Entity, subject: Entity | None = None) -> list[Statement]:
        """What is known of a thing and of its kinds; `subject`: what another graph calls it."""
        subject = subject or entity
        age = re.fullmatch(rf"{EVERYDAY}(\d+)-year-old", entity.id)
        if age:
            return [Statement(subject, _relation("age"), Literal(age[1], DECIMAL), source=SOURCE)]
        found: dict[tuple[Relation, str], Statement] = {}
        for thing in self._kinds(entity):
            whose = subject if thing.entity == entity else thing.entity
            for relation, said in thing.said.items():
                own = thing.entity == entity
                for text in said:
                    number = _NUMBER.fullmatch(text) is not None
                    if number and not own:
                        continue
                    value = (
                        self._amount(text, thing.units[relation]) if number else self.value(text)
                    )
                    holder = whose if relation.label == _KIND else subject
                    found.setdefault(
                        (relation, f"{holder.id} {text}"),
                        Statement(holder, relation, value, source=SOURCE),
                    )
        return list(found.values())

    def _amount(self, text: str, unit: str) -> Literal:
        return Literal(text, DECIMAL, Entity(f"{EVERYDAY}unit/{unit}", unit) if unit else None)

    def _kinds(self, entity: Entity) -> list[Thing]:
        """The thing itself and its kinds, nearest first."""
        found: list[Thing] = []
        edge = [thing for thing in self._things.values() if thing.entity == entity]
        while edge:
            thing = edge.pop(0)
            if thing in found:
                continue
            found.append(thing)
            for relation, said in thing.said.items():
                if relation.label == _KIND:
                    edge += [self._things[fold(t)] for t in said if fold(t) in self._things]
        return found


def _as_called(thing: Entity, name: str) -> Entity:
    others = (other for other in (thing.label, *thing.aliases) if other != name)
    return replace(thing, label=name, aliases=tuple(others))


def _spread(inside: tuple[str, ...], phrase: tuple[str, ...]) -> bool:
    """Whether the words that matter of a phrase stand in this order, hardly apart."""
    at, sought = -1, [word for word in phrase if word not in _LIGHT] or list(phrase)
    for n, word in enumerate(sought):
        ahead = inside[at + 1 : at + 1 + (_APART if n else len(inside))]
        if word not in ahead:
            return False
        at += 1 + ahead.index(word)
    return True


def _column(cell: str) -> tuple[Relation, str]:
    found = _COLUMN.fullmatch(cell.strip())
    assert found is not None
    return _relation(found["label"], found["id"] or ""), found["unit"] or ""


def _relation(label: str, pid: str = "") -> Relation:
    known = f"http://www.wikidata.org/prop/direct/{pid}"
    return Relation(known if pid else f"{EVERYDAY}{label.replace(' ', '_')}", label)


@lru_cache(maxsize=65_536)
def _key(name: str) -> str:
    """A name as it is compared: small letters, one of several, hyphens as blanks."""
    plain = fold(name.replace("’", "'")).replace("-", " ").removesuffix("'s")
    head, _, last = plain.rpartition(" ")
    last = _IRREGULAR.get(last, last)
    if last.endswith("ves") and len(last) > 4:
        last = f"{last[:-3]}f"
    return f"{head} {singular(last)}".strip()


def _led(question: str, at: int, mention: str) -> bool:
    """Whether a word stands where things do: after an article or the like, or in the plural."""
    before = question[:at].strip().casefold()
    plural = mention.endswith("s") and not mention.endswith("ss")
    return bool(_LED.search(before) or (plural and _LED_MANY.search(before)))


_TEENS = "ten eleven twelve thirteen fourteen fifteen sixteen seventeen eighteen nineteen twenty"
_AGES = {
    word: str(n)
    for first, words in ((1, "one two three four five six seven eight nine"), (10, _TEENS))
    for n, word in enumerate(words.split(), first)
}
_IRREGULAR: Mapping[str, str] = {
    "mice": "mouse", "geese": "goose", "men": "man", "women": "woman", "children": "child",
    "people": "person", "feet": "foot", "teeth": "tooth", "wolves": "wolf", "knives": "knife",
    "loaves": "loaf", "leaves": "leaf", "calves": "calf", "oxen": "ox", "kids": "kid",
    "potatoes": "potato", "tomatoes": "tomato", "mangoes": "mango", "buses": "bus",
    "octopuses": "octopus", "hippopotamuses": "hippopotamus", "horses": "horse",
}  # fmt: skip
_ALIKE = (
    "fish salmon trout cod tuna carp sheep deer goldfish clownfish shrimp squid scissors glasses"
)
_SEVERAL = {one: many for many, one in _IRREGULAR.items()} | {w: w for w in _ALIKE.split()}
_KINDS = "animal|vehicle|tool|toy|fruit|building|musical instrument|weapon|electronic device|shape"
_COUNTED = frozenset(_KINDS.split("|"))  # what is of these kinds may be counted


@lru_cache(maxsize=1)
def common() -> Common:
    """The sheets that ship with the application."""
    return Common()
