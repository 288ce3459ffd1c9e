"""Entities and statements in Wikidata's JSON, for the dump reader and the API server."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from kgqa_core.facts.terms import (
    DATE,
    DATETIME,
    MONTH,
    NUMBERS,
    TIMES,
    URL,
    YEAR,
    Entity,
    Relation,
    Statement,
    Value,
    short_id,
)

_PRECISION = {YEAR: 9, MONTH: 10, DATE: 11, DATETIME: 14}


def entity_json(one: Entity | Relation, statements: Iterable[Statement]) -> dict[str, Any]:
    found: dict[str, Any] = {
        "type": "item" if isinstance(one, Entity) else "property",
        "id": short_id(one.id),
        "labels": _text(one.label),
        "descriptions": _text(one.description),
        "aliases": {"en": [{"language": "en", "value": a} for a in one.aliases]},
        "claims": {},
    }
    for s in statements:
        if s.subject.id == one.id:
            claim: dict[str, Any] = {"mainsnak": _snak(s.relation, s.object), "rank": s.rank}
            for q in s.qualifiers:
                of = short_id(q.relation.id)
                claim.setdefault("qualifiers", {}).setdefault(of, []).append(
                    _snak(q.relation, q.value)
                )
            found["claims"].setdefault(short_id(s.relation.id), []).append(claim)
    return found


def _text(text: str) -> dict[str, Any]:
    return {"en": {"language": "en", "value": text}} if text else {}


def _snak(relation: Relation, value: Value) -> dict[str, Any]:
    kind, content, datatype = _content(value)
    return {
        "snaktype": "value",
        "property": short_id(relation.id),
        "datatype": datatype,
        "datavalue": {"type": kind, "value": content},
    }


def _content(value: Value) -> tuple[str, Any, str]:
    if isinstance(value, Entity):
        content: dict[str, Any] = {"entity-type": "item", "id": short_id(value.id)}
        return "wikibase-entityid", content, "wikibase-item"
    if value.datatype in TIMES:
        before = value.value.startswith("-")
        year, month, day = [*value.value.lstrip("-").split("-"), "00", "00"][:3]
        time = f"{'-' if before else '+'}{year}-{month}-{day}T00:00:00Z"
        return "time", {"time": time, "precision": _PRECISION[value.datatype]}, "time"
    if value.datatype in NUMBERS:
        unit = value.unit.id if value.unit else "1"
        return "quantity", {"amount": f"+{value.value}", "unit": unit}, "quantity"
    if value.language:
        text = {"text": value.value, "language": value.language}
        return "monolingualtext", text, "monolingualtext"
    return "string", value.value, "url" if value.datatype == URL else "string"
