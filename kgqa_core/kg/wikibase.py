"""Wikidata's JSON of an entity, as dumps and the action API give it, in our terms."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

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
_RANKS: dict[str, Rank] = {"preferred": "preferred", "deprecated": "deprecated"}
_SPECIAL = {"somevalue": UNKNOWN, "novalue": NO_VALUE}
_LETTERS = {"item": "Q", "property": "P", "lexeme": "L"}
_BEFORE = re.compile(r"-0*([1-9]\d{0,10})(?=-)", re.ASCII)
ID = re.compile(r"[QPL][1-9]\d*")


def is_property(found: Mapping[str, Any]) -> bool:
    return str(found["id"]).startswith("P")


def entity_of(found: Mapping[str, Any]) -> Entity:
    """Label, description and aliases, in English or for all languages; a label in any at least.

    Raises ValueError, KeyError or TypeError for JSON of another shape.
    """
    if not ID.fullmatch(found["id"]):
        raise ValueError(f"“{found['id']}” is not an id")
    aliases = _in_language(found.get("aliases")) or []
    return Entity(
        WD + found["id"],
        _text(found.get("labels"), any_language=True),
        _text(found.get("descriptions")),
        tuple(sorted({str(alias["value"]) for alias in aliases})),
    )


def relation_of(found: Mapping[str, Any]) -> Relation:
    entity = entity_of(found)
    datatype = kinds.datatype(str(found.get("datatype") or ""))
    return Relation(entity.id, entity.label, entity.description, entity.aliases, datatype)


def datatypes_of(found: Mapping[str, Any]) -> dict[str, str]:
    """The datatype of every property that a document's statements use."""
    known: dict[str, str] = {}
    for pid, claims in (found.get("claims") or {}).items():
        for claim in claims:
            for of, snaks in ((pid, [claim["mainsnak"]]), *(claim.get("qualifiers") or {}).items()):
                for snak in snaks:
                    if of not in known and snak.get("datatype"):
                        known[of] = kinds.datatype(str(snak["datatype"]))
    return known


def statements_of(found: Mapping[str, Any]) -> Iterator[Statement]:
    """Every statement; the far ends are without labels."""
    subject = entity_of(found)
    for pid, claims in (found.get("claims") or {}).items():
        relation = Relation(WD + pid)
        for claim in claims:
            value = _value(claim["mainsnak"])
            if value is None:
                continue
            qualifiers = in_order(
                Qualifier(Relation(WD + of), known)
                for of, snaks in (claim.get("qualifiers") or {}).items()
                for snak in snaks
                if (known := _value(snak)) is not None
            )
            rank = _RANKS.get(claim.get("rank", ""), "normal")
            yield Statement(subject, relation, value, qualifiers, rank)


def _text(by_language: Any, *, any_language: bool = False) -> str:
    found = _in_language(by_language)
    if not found and any_language and isinstance(by_language, Mapping):
        found = next(iter(by_language.values()), None)
    return str(found["value"]) if found else ""


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
        return Entity(WD + str(known))
    if kind == "time":
        return _time(str(value["time"]), value["precision"])
    if kind == "quantity":
        unit = value.get("unit", "1")
        entity = None if unit in ("1", NO_UNIT) else Entity(unit.replace("https://", "http://", 1))
        return literals.of(str(value["amount"]).removeprefix("+"), DECIMAL, entity)
    if kind == "monolingualtext":
        return Literal(value["text"], STRING, language=value["language"])
    if kind == "globecoordinate":
        return Literal(f"Point({value['longitude']} {value['latitude']})", WKT)
    if kind == "string":
        return Literal(value, URL if snak.get("datatype") == "url" else STRING)
    return None


def _time(text: str, precision: Any) -> Literal:
    """JSON counts years as people do (44 BC is -0044), RDF does not."""
    if before := _BEFORE.match(text):
        year = int(before[1])
        text = f"{'-' if year > 1 else ''}{year - 1:04}{text[before.end() :]}"
    return literals.time(text, precision)
