"""What a gold SPARQL query and its results tell about a question."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from kgqa_core.evaluation.datasets.base import Gold, answer, short

_KINDS = (
    ("yes/no", re.compile(r"^\s*ASK\b|\}\s*ASK\b|>\s*ASK\b", re.I)),
    ("count", re.compile(r"\bCOUNT\s*\(", re.I)),
    ("extremum", re.compile(r"\bORDER\s+BY\b|\b(MAX|MIN|SUM|AVG)\s*\(|\b(HAVING|IF\s*\()", re.I)),
    ("filter", re.compile(r"\bFILTER\b|\bMINUS\b", re.I)),
)
_PREFIX = re.compile(r"PREFIX\s+\S*\s*<[^>]*>\s*", re.I)
_QUALIFIER = re.compile(r"\bpq[nv]?:P\d+|/prop/qualifier/")
_EDGE = re.compile(r"\b(?:wdt|p):P\d+|/prop/(?:direct/)?P\d+>")
_ENTITY = re.compile(r"\bwd:(Q\d+)|/entity/(Q\d+)>")


def kinds(query: str) -> tuple[str, ...]:
    """The class of the query first (`yes/no`, `count`, `extremum`, `filter`, `look-up`).

    Then `qualifier` where it reads one, and for look-ups the number of edges as hops.
    """
    body = _PREFIX.sub("", query)
    kind = next((name for name, shape in _KINDS if shape.search(body)), "look-up")
    found = [kind]
    if _QUALIFIER.search(body):
        found.append("qualifier")
    if kind == "look-up" and (edges := len(_EDGE.findall(body))):
        found.append({1: "1 hop", 2: "2 hops"}.get(edges, "3 or more hops"))
    return tuple(found)


def entities(query: str) -> dict[str, str]:
    """The entities a query names, in order, without labels."""
    return {a or b: "" for a, b in _ENTITY.findall(_PREFIX.sub("", query))}


def trivial(query: str, gold: Mapping[str, tuple[Gold, ...]]) -> bool:
    """Whether the query gives a gold set on an empty graph too: ASK false, COUNT 0, no rows."""
    kind = kinds(query)[0] if query else ""
    empty = {"yes/no": {"false"}, "count": {"0"}}.get(kind, set())
    return bool(query) and any({g.name for g in answers} == empty for answers in gold.values())


def results(found: Mapping[str, Any]) -> tuple[Gold, ...]:
    """A SPARQL result document as answers; `fooLabel` columns name the value of `foo`."""
    if "boolean" in found:
        return (answer(bool(found["boolean"])),)
    return bindings(found["results"]["bindings"])


def bindings(table: list[Mapping[str, Mapping[str, Any]]]) -> tuple[Gold, ...]:
    answers: dict[Gold, None] = {}
    for row in table:
        labels = {name: cell["value"] for name, cell in row.items() if name.endswith("Label")}
        for name, cell in row.items():
            if name not in labels or len(row) == len(labels):
                label = labels.get(f"{name}Label")
                answers.setdefault(answer(short(str(cell["value"])), (label,) if label else ()))
    return tuple(answers)
