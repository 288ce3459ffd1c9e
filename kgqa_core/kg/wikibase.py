"""Wikidata's JSON of an entity, as dumps and the action API give it, in our terms.

What is odd in it costs no more than itself: a name, or one statement. A statement is left out as a
whole, as without its rank or a qualifier it would say something else. `odd` takes what was.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, get_args

from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    DECIMAL,
    NO_VALUE,
    STRING,
    UNKNOWN,
    URL,
    Entity,
    Literal,
    Qualifier,
    Rank,
    Relation,
    Statement,
    Value,
)
from kgqa_core.kg import literals
from kgqa_core.kg.base import WD
from kgqa_core.kg.layout import NO_UNIT, in_order

WKT = "http://www.opengis.net/ont/geosparql#wktLiteral"
_LANGUAGES = ("en", "mul")
_RANKS = frozenset(get_args(Rank))
_SPECIAL = {"somevalue": UNKNOWN, "novalue": NO_VALUE}
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}
_BEFORE = re.compile(r"-0*([1-9]\d{0,10})(?=-)", re.ASCII)
ID = re.compile(r"[QPL][1-9]\d*")
_PROPERTY = re.compile(r"P[1-9]\d*")
_THING = re.compile(r"[A-Z][1-9]\d*(?:-[A-Z][1-9]\d*)?")  # forms and senses of lexemes, too
_ODD = (ArithmeticError, AttributeError, LookupError, TypeError, ValueError)

Odd = Callable[[str], object]


def ignored(_: str) -> None:
    """Who does not ask what is odd."""


def is_property(found: Mapping[str, Any]) -> bool:
    return str(found["id"]).startswith("P")


def entity_of(found: Mapping[str, Any], odd: Odd = ignored) -> Entity:
    """Label, description and aliases, in English or for all languages; a label in any at least.

    Raises ValueError, KeyError or TypeError for JSON that says of no entity which it is.
    """
    if not ID.fullmatch(found["id"]):
        raise ValueError(f"“{found['id']}” is not an id")

    def name(part: str, *, any_language: bool = False) -> str:
        try:
            return _text(found.get(part), any_language=any_language)
        except _ODD:
            odd(f"{part} of {found['id']}")
            return ""

    aliases = []
    for alias in _listed(_in_language(found.get("aliases")) or []):
        try:
            aliases.append(_string(alias["value"]))
        except _ODD:
            odd(f"an alias of {found['id']}")
    label = name("labels", any_language=True)
    return Entity(WD + found["id"], label, name("descriptions"), tuple(sorted(set(aliases))))


def relation_of(found: Mapping[str, Any], odd: Odd = ignored) -> Relation:
    entity = entity_of(found, odd)
    datatype = kinds.datatype(str(found.get("datatype") or ""))
    return Relation(entity.id, entity.label, entity.description, entity.aliases, datatype)


def datatypes_of(found: Mapping[str, Any]) -> dict[str, str]:
    """The datatype of every property that a document's statements use."""
    known: dict[str, str] = {}
    for pid, claim in _claims_of(found, ignored):
        try:
            for of, snaks in ((pid, [claim["mainsnak"]]), *(claim.get("qualifiers") or {}).items()):
                for snak in snaks:
                    if of not in known and _PROPERTY.fullmatch(of) and snak.get("datatype"):
                        known[of] = kinds.datatype(str(snak["datatype"]))
        except _ODD:  # told of as a statement
            continue
    return known


def statements_of(found: Mapping[str, Any], odd: Odd = ignored) -> Iterator[Statement]:
    """Every statement; the far ends are without labels."""
    subject = entity_of(found)
    for pid, claim in _claims_of(found, odd):
        try:
            statement = _statement(subject, pid, claim)
        except _ODD as error:
            odd(f"{pid[:20]} of {found['id']}: {why(error)}")
        else:
            if statement is not None:
                yield statement


def why(error: Exception) -> str:
    """What is wrong with JSON, in a few words."""
    if isinstance(error, KeyError):
        return f"{error} is missing"
    return str(error) if isinstance(error, ValueError) and str(error) else "of an unexpected shape"


def _claims_of(found: Mapping[str, Any], odd: Odd) -> Iterator[tuple[str, Any]]:
    """The API sends an empty list for an empty object."""
    claims = found.get("claims") or {}
    if not isinstance(claims, Mapping):
        odd(f"the statements of {found['id']}: of an unexpected shape")
        return
    for pid, some in claims.items():
        if not isinstance(some, list):
            odd(f"{pid[:20]} of {found['id']}: of an unexpected shape")
            continue
        for claim in some:
            yield pid, claim


def _statement(subject: Entity, pid: str, claim: Mapping[str, Any]) -> Statement | None:
    """None where the value names no thing."""
    value = _value(claim["mainsnak"])
    if value is None:
        return None
    qualifiers = in_order(
        Qualifier(_relation(of), known)
        for of, snaks in (claim.get("qualifiers") or {}).items()
        for snak in snaks
        if (known := _value(snak)) is not None
    )
    rank = claim.get("rank", "normal")
    if rank not in _RANKS:
        raise ValueError(f"“{rank[:40]}” is not a rank")
    return Statement(subject, _relation(pid), value, qualifiers, rank)


def _relation(pid: str) -> Relation:
    if not _PROPERTY.fullmatch(pid):
        raise ValueError(f"“{pid[:40]}” is not a property")
    return Relation(WD + pid)


def _string(text: Any) -> str:
    if not isinstance(text, str):
        raise TypeError
    return text


def _listed(some: Any) -> list[Any]:
    return some if isinstance(some, list) else [None]


def _text(by_language: Any, *, any_language: bool = False) -> str:
    found = _in_language(by_language)
    if found is None and any_language and isinstance(by_language, Mapping):
        found = next(iter(by_language.values()), None)
    return "" if found is None else _string(found["value"])


def _in_language(by_language: Any) -> Any:
    """The part in the best language; the API sends an empty list for an empty object."""
    if not isinstance(by_language, Mapping):
        return None
    return next((by_language[code] for code in _LANGUAGES if code in by_language), None)


def _value(snak: Mapping[str, Any]) -> Value | None:
    """None for kinds of values that name no thing."""
    if snak["snaktype"] in _SPECIAL:
        return _SPECIAL[snak["snaktype"]]
    kind, value = snak["datavalue"]["type"], snak["datavalue"]["value"]
    if kind == "wikibase-entityid":
        known = value.get("id") or f"{_LETTERS[value['entity-type']]}{value['numeric-id']}"
        if not _THING.fullmatch(known):
            raise ValueError(f"“{known[:40]}” is not an id")
        return Entity(WD + known)
    if kind == "time":
        return _time(str(value["time"]), value["precision"])
    if kind == "quantity":
        unit = value.get("unit", "1")
        entity = None if unit in ("1", NO_UNIT) else Entity(unit.replace("https://", "http://", 1))
        return literals.of(str(value["amount"]).removeprefix("+"), DECIMAL, entity)
    if kind == "monolingualtext":
        return Literal(_string(value["text"]), STRING, language=_string(value["language"]))
    if kind == "globecoordinate":
        return Literal(f"Point({value['longitude']} {value['latitude']})", WKT)
    if kind == "string":
        return Literal(_string(value), URL if snak.get("datatype") == "url" else STRING)
    return None


def _time(text: str, precision: Any) -> Literal:
    """JSON counts years as people do (44 BC is -0044), RDF does not."""
    if before := _BEFORE.match(text):
        year = int(before[1])
        text = f"{'-' if year > 1 else ''}{year - 1:04}{text[before.end() :]}"
    return literals.time(text, precision)
