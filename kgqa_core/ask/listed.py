"""What a reply names among the things its prompt lists, understood as people would.

One resolver for all skills: an id, a label, both at once (`P40 child`, `director (P57)`), another
order of the words (`birth place`), a close misspelling. Where the schema of a reply is enforced,
the same lists are its enumerations, so that nothing else can be named.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations, zip_longest
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel
from rapidfuzz import fuzz

from kgqa_core.ask import shown
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Hit, Literal, Relation, RelationUse, Statement, short_id
from kgqa_core.text import fold, stems

_CLOSE = 85  # of 100: how alike a misspelt name is at least,
_CLEAR = 4  # and how much more than the next one
_SHORT = 4  # letters below which a misspelling may be any name
_AROUND = " \t\r\n\"'`“”‘’„<>«»→←-–—:;,."
_IN_BRACKETS = re.compile(r"^(?P<out>.*?)\s*[(\[{](?P<in>[^()\[\]{}]*)[)\]}]\s*$")
_NUMBER = re.compile(r"^[\[(#]?(\d{1,4})[\])]?$")
_WORD_AND_NUMBER = re.compile(r"^[A-Za-z]+\s+[\[(#]?(\d{1,4})[\])]?$")
_DIGITS = re.compile(r"\d+")  # in which nothing is a misspelling: P103 is not P1303
_BETWEEN = re.compile(r"[|,;&+]|\band\b")  # what stands between several names
_LONGEST = 1_000  # characters of what names one thing, or several
_WHOLE_ID = 2  # among the names of a relation
_NAME = 60  # letters of a name by which a relation is called
_TOGETHER = 5  # of so many every two may be named at once
_MAKER, _MADE = re.compile(r"\w{3}[eo]rs?$"), re.compile(r"\w{3}ions?$")
_OF_A_CLASS = frozenset(("instance", "subclass"))  # of which nobody says what they belong to
_SMALL = frozenset("a an of the by in on for to is".split())


@dataclass(frozen=True)
class Listed:
    """Marks a field of a reply that names one, or a list that names some, of what is listed.

    `of`: the list among the input's fields; `sets.relations` are the relations of all sets. `by`:
    whether the reply gives positions or keys (a relation's id, a set's name). `also`: what may
    stand in its place, -1 for none. `within`: another field of the reply, which says whose part
    of the list comes first. `several`: some of them may be named at once, by their keys with `|`
    between. `after`: an enforced schema enumerates it where others have left room.
    """

    of: str
    by: OneOf["position", "key"] = "position"
    also: tuple[int | str, ...] = ()
    within: str = ""
    several: bool = False
    after: bool = False

    def __get_pydantic_json_schema__(self, schema: Any, handler: Any) -> dict[str, Any]:
        mark = {
            "of": self.of,
            "by": self.by,
            "also": list(self.also),
            "several": self.several,
            "after": self.after,
        }
        return {**handler(schema), "listed": mark}


# -- one name among several ----------------------------------------------------------------


def among(said: str, options: Sequence[Sequence[str]]) -> int | None:
    """The position of the option that a text names; None where it names none, or any of several.

    An option is its names, of which the first is its key; those it has later count after what
    others are called first. Of two with the same name it is the first.
    """
    keys = {option[0].casefold(): n for n, option in reversed(list(enumerate(options))) if option}
    names: dict[str, int] = {}
    for level in zip_longest(*options):
        for n, name in enumerate(level):
            names.setdefault(fold(name or ""), n)
    names.pop("", None)
    ways = list(dict.fromkeys(_ways(said)))
    for way in ways:
        if way.casefold() in keys:
            return keys[way.casefold()]
    for way in ways:
        if fold(way) in names:
            return names[fold(way)]
    near = _closest(said, names)
    return _by_words(said, names) if near is None else near


def _ways(said: str) -> Iterator[str]:
    """The text, then without what stands around a name; then its parts, what may be an id first."""
    text = said.strip(_AROUND)
    yield said.strip()
    yield text
    parts: list[str] = []
    if found := _IN_BRACKETS.match(text):
        parts += [found["out"], found["in"]]
    head, _, rest = text.partition(" ")
    start, _, tail = text.rpartition(" ")
    for key, name in ((head, rest), (tail, start)):
        if name and any(ch.isdigit() for ch in key):
            parts += [key, name]
    parts = [part.strip(_AROUND + "()[]") for part in parts]
    yield from sorted(parts, key=lambda part: not any(ch.isdigit() for ch in part))


def _by_words(said: str, names: dict[str, int]) -> int | None:
    """The one option whose name has the same words, in whatever form and order."""
    wanted = _words(said)
    found = {
        n
        for name, n in names.items()
        if wanted
        and _words(name) == wanted
        and not any(_makes(*pair) or _turns(*pair) for pair in ((said, name), (name, said)))
    }
    return found.pop() if len(found) == 1 else None


def _makes(one: str, other: str) -> bool:
    """Whether one is who does what the other is, of the same stem: an editor is no edition."""
    return bool(_MAKER.search(fold(one)) and _MADE.search(fold(other)))


def _turns(one: str, other: str) -> bool:
    """Whether one points the other way than the other: what follows is not what it is followed by,
    a capital not what it is the capital of."""
    words, others = fold(one).split(), fold(other).split()
    if not words or not others or words[-1] == others[-1]:
        return False
    if words[-1] == "by":
        return not others[-1].endswith("ed")
    return words[-1] == "of" and "of" not in others and others[-1] not in _OF_A_CLASS


def _words(text: str) -> frozenset[str]:
    return frozenset(stems(fold(text))) - _SMALL


def _closest(said: str, names: dict[str, int]) -> int | None:
    wanted = fold(said.strip(_AROUND))
    if len(wanted) < _SHORT:
        return None
    best: dict[int, float] = {}
    for name, n in names.items():
        if len(name) >= _SHORT and _DIGITS.findall(name) == _DIGITS.findall(wanted):
            best[n] = max(best.get(n, 0.0), fuzz.ratio(wanted, name))
    ranked = sorted(best.items(), key=lambda item: -item[1])
    if not ranked or ranked[0][1] < _CLOSE:
        return None
    clear = len(ranked) == 1 or ranked[0][1] - ranked[1][1] >= _CLEAR
    return ranked[0][0] if clear else None


# -- what an input lists -------------------------------------------------------------------


def names_of(thing: Any) -> tuple[str, ...]:
    """By what a reply may name a thing, its key first."""
    match thing:
        case RelationUse():
            return names_of(thing.relation)
        case Relation():
            return (short_id(thing.id), thing.label, thing.id, *thing.aliases)
        case Hit():
            return names_of(thing.entity)
        case Entity():
            return (short_id(thing.id), thing.label, thing.id, *thing.aliases)
        case Literal():
            return (thing.value, verbalise.value(thing))
        case Statement():
            return (verbalise.statement(thing),)
        case str():
            return (thing,)
    for name in ("name", "hit", "value", "end", "premise", "chain"):
        if (inner := getattr(thing, name, None)) is not None:
            return names_of(inner)
    return (str(thing),)


def relation_keys(relations: Sequence[Relation]) -> dict[Relation, str]:
    """What a model may call each relation: its name, as it is understood and takes least room.

    Of several of one name the short id, or the IRI where that is ambiguous, too (DBpedia has two
    of nearly everything).
    """
    every = set(relations)
    names = Counter(fold(r.name) for r in every)
    ids = Counter(short_id(r.id) for r in every)

    def key(r: Relation) -> str:
        if names[fold(r.name)] == 1 and len(r.name) <= _NAME:
            return " ".join(r.name.split())
        return short_id(r.id) if ids[short_id(r.id)] == 1 else r.id

    return {r: key(r) for r in every}


def before_name(relation: Relation, keys: dict[Relation, str]) -> str:
    """What a list prints in front of a relation's name, where it is not called by that."""
    key = keys[relation]
    return "" if key == " ".join(relation.name.split()) else f"{key} "


def _groups(given: BaseModel, of: str) -> list[tuple[Any, list[Any]]]:
    """The lists a path leads to, each with what it belongs to."""
    first, _, rest = of.partition(".")
    things = [one for one in getattr(given, first, ()) if not getattr(one, "failed", False)]
    return [(thing, list(getattr(thing, rest))) for thing in things] if rest else [(None, things)]


def keys_of(given: BaseModel, of: str) -> dict[str, tuple[str, ...]]:
    """The keys of what is listed, as the prompt prints them, each with all its names."""
    return _keys(_groups(given, of))


def _keys(groups: Sequence[tuple[Any, list[Any]]]) -> dict[str, tuple[str, ...]]:
    found: dict[str, tuple[str, ...]] = {}
    for of, things in groups:
        keys = relation_keys([t.relation for t in things if isinstance(t, RelationUse)])
        most = sum(shown.printed(getattr(of, "shown", shown.RELATIONS))) if keys else len(things)
        for thing in things[:most]:
            names = names_of(thing)
            key = keys[thing.relation] if isinstance(thing, RelationUse) else names[0]
            found.setdefault(key, (key, *names))
    return found


def called(mark: Listed, said: str, given: BaseModel) -> str:
    """What a prompt calls something that is known by another of its names."""
    keys = keys_of(given, mark.of)
    return next((key for key, names in keys.items() if said in names), said)


def together(keys: Sequence[str]) -> list[str]:
    """What names several of a few at once: every two, and all of them."""
    if not 1 < len(keys) <= _TOGETHER:
        return []
    some = ["|".join(pair) for pair in combinations(keys, 2)]
    return list(dict.fromkeys((*some, "|".join(keys))))


def positions_of(given: BaseModel, of: str) -> int:
    """How many of a list are printed, so that their positions can be named."""
    things = getattr(given, of, ())
    room = shown.FACTS * shown.room_of(given)
    return shown.fitting(things, room) if shown.is_facts(things) else len(things)


# -- a reply in the words of what was listed -----------------------------------------------


def named(mark: Listed, said: Any, given: BaseModel, reply: dict[str, Any]) -> Any:
    """What a field says as the position or key it stands for; what is not understood stays."""
    if isinstance(said, list):
        return [named(mark, one, given, reply) for one in said]
    if not isinstance(said, str) or said in mark.also or len(said) > _LONGEST:
        return said
    if mark.by == "position":
        if found := _NUMBER.match(said.strip()):
            return int(found[1])
        text = str(reply.get("text") or reply.get("why") or "")
        options = [names_of(thing) for thing in getattr(given, mark.of, ())]
        if (at := among(said, options)) is not None:
            return at
        if (at := _only_fact(said, getattr(given, mark.of, ()), text)) is not None:
            return at
        found = _WORD_AND_NUMBER.match(said.strip())
        return int(found[1]) if found else said
    groups = _groups(given, mark.of)
    parts = [part.strip() for part in _BETWEEN.split(said.strip())] if mark.several else []
    if len(parts) > 1 and all(keys := [_key(part, groups) for part in parts]):
        return "|".join(filter(None, keys))
    if mark.within:
        groups.sort(key=lambda group: names_of(group[0])[0] != reply.get(mark.within))
        if groups and (key := _key(said, groups[:1])) is not None:
            return key
    return said if (key := _key(said, groups)) is None else key


def _only_fact(said: str, facts: Sequence[Any], text: str) -> int | None:
    """The position of the fact that is alone in having what is said for a value, its relation, or
    both; of several the one that a `text` names both ends of. None where it is still not one."""
    found: dict[str, dict[int, bool]] = {}
    for n, fact in enumerate(facts):
        if isinstance(fact, Statement):
            ends = {verbalise.name(fact.subject), verbalise.value(fact.object, fact.relation)}
            told = all(_plain(end) in _plain(text) for end in ends)
            for name in (fact.relation.name, *ends, *(f"{fact.relation.name} {e}" for e in ends)):
                found.setdefault(_plain(name), {})[n] = told
    at = found.get(_plain(said), {})
    only = list(at) if len(at) == 1 else [n for n, told in at.items() if told]
    return only[0] if len(only) == 1 else None


def _plain(name: str) -> str:
    return " ".join(re.findall(r"\w+", fold(name)))


def apart(mark: Listed, said: str, given: BaseModel, reply: dict[str, Any]) -> list[str]:
    """The names in a text that names several of what was listed: “Nord, Sund”; none, where it is
    one name or they are not all there."""
    if len(said) > _LONGEST:
        return []
    parts = [part.strip() for part in _BETWEEN.split(said.strip()) if part.strip()]
    if len(parts) < 2 or named(mark, said, given, reply) != said:
        return []
    return parts if all(named(mark, part, given, reply) != part for part in parts) else []


def _key(said: str, groups: Sequence[tuple[Any, list[Any]]]) -> str | None:
    """The key that is meant; of a relation its whole id, whatever the prompt calls it."""
    keys = _keys(groups)
    at = among(said, list(keys.values()))
    if at is None:
        return None
    names = list(keys.values())[at]
    uses = any(isinstance(thing, RelationUse) for _, things in groups for thing in things)
    return names[1 + _WHOLE_ID] if uses else names[0]
