"""Things by what is stated of them, chosen where the graph is: one query, however many they are.

A country has 300,000 people: they are counted, filtered and ranked by the graph, and only those
that are left are read. Values are compared as the graph stores them, without their units.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal as OneOf
from typing import Protocol, runtime_checkable

import pyoxigraph as ox

from kgqa_core.facts.terms import DATETIME, DECIMAL, Direction, Entity, Relation
from kgqa_core.kg import layout
from kgqa_core.kg.base import WDT
from kgqa_core.kg.profiles import Layout
from kgqa_core.kg.query_text import iri, literal, named_node, spellings_of


@dataclass(frozen=True)
class Condition:
    """What a member's relation has to lead to: one of `values`, or anything at all.

    `values` are ids, or names as people write them. `low` and `high` bound numbers, or points in
    time written as dateTimes; `strictly` keeps the bounds themselves out. `along`: a relation
    climbed from the member's value to the one that is wanted. `holds` False: nothing does.
    """

    relation: Relation
    direction: Direction = "out"
    values: tuple[str, ...] = ()
    low: str = ""
    high: str = ""
    strictly: bool = False
    along: Relation | None = None
    holds: bool = True


@dataclass(frozen=True)
class Selection:
    """What a relation leads to from some entities, as far as conditions hold of it."""

    near: tuple[Entity, ...]
    relation: Relation
    direction: Direction
    conditions: tuple[Condition, ...] = ()
    among: tuple[Entity, ...] = ()  # no others than these; empty: all

    def where(self, condition: Condition) -> Selection:
        return replace(self, conditions=(*self.conditions, condition))


@dataclass(frozen=True)
class Order:
    """By the values of a relation, or by how many there are."""

    relation: Relation
    direction: Direction = "out"
    by: OneOf["value", "number"] = "value"
    highest: bool = True


@runtime_checkable
class Selecting(Protocol):
    """A graph whose members can be selected by a query. It speaks SPARQL as well."""

    def writer(self) -> Writer: ...


@dataclass(frozen=True)
class Writer:
    """Selections as SPARQL, for a layout and the predicates that names have there."""

    form: Layout
    names: Sequence[str] = (layout.LABEL, layout.ALIAS)
    languages: Sequence[str] = ("en", "mul")

    def counting(self, selection: Selection) -> str:
        """For the number of members: one row, one number."""
        return f"SELECT (COUNT(DISTINCT ?m) AS ?n) {{ {self._where(selection)} }}"

    def choosing(self, selection: Selection, most: int, order: Order | None = None) -> str:
        """For members, in the first column; with an order, the first of these."""
        where = self._where(selection)
        if order is None:
            return f"SELECT DISTINCT ?m {{ {where} }} LIMIT {most}"
        where += " " + self._edge("?m", order.relation, order.direction, "?v", "o")
        best = {
            "value": "MAX(?v)" if order.highest else "MIN(?v)",
            "number": "COUNT(DISTINCT ?v)",
        }[order.by]
        if order.by == "value":
            where += " FILTER(isLITERAL(?v))"
        way = "DESC" if order.highest else "ASC"
        return (
            f"SELECT ?m ({best} AS ?best) {{ {where} }} GROUP BY ?m "
            f"ORDER BY {way}(?best) LIMIT {most}"
        )

    def _where(self, selection: Selection) -> str:
        near = " ".join(iri(layout.full_id(e.id)) for e in selection.near)
        back: Direction = "in" if selection.direction == "out" else "out"
        parts = [
            f"VALUES ?near {{ {near} }}",
            self._edge("?m", selection.relation, back, "?near", "0"),
            "FILTER(isIRI(?m))",
        ]
        if selection.among:
            ids = " ".join(iri(layout.full_id(e.id)) for e in selection.among)
            parts.insert(0, f"VALUES ?m {{ {ids} }}")
        for n, condition in enumerate(selection.conditions, 1):
            text = self._condition(condition, str(n))
            parts.append(text if condition.holds else f"FILTER NOT EXISTS {{ {text} }}")
        return " ".join(parts)

    def _condition(self, condition: Condition, n: str) -> str:
        value = f"?v{n}"
        parts = [self._edge("?m", condition.relation, condition.direction, value, n)]
        wanted = value
        if condition.along is not None:
            wanted = f"?w{n}"
            parts.append(f"{value} {iri(self._direct(condition.along))}* {wanted} .")
        if condition.values:
            parts.append(self._one_of(wanted, condition.values, n))
        equal = "" if condition.strictly else "="
        for bound, sign in ((condition.low, ">"), (condition.high, "<")):
            if bound:
                parts.append(f"FILTER({value} {sign}{equal} {_bound(bound)})")
        return " ".join(parts)

    def _one_of(self, variable: str, values: Sequence[str], n: str) -> str:
        ids = [full for v in values if _is_id(full := layout.full_id(v))]
        names = [v for v in values if not _is_id(layout.full_id(v))]
        parts = [f"{{ VALUES {variable} {{ {' '.join(map(iri, ids))} }} }}"] if ids else []
        if names:
            texts = dict.fromkeys(text for name in names for text in sorted(spellings_of(name)))
            written = " ".join(
                literal(text, code) for text in texts for code in ("", *self.languages)
            )
            called = "|".join(map(iri, self.names))
            parts.append(f"{{ VALUES ?name{n} {{ {written} }} {variable} {called} ?name{n} }}")
        return " UNION ".join(parts)

    def _edge(
        self, member: str, relation: Relation, direction: Direction, value: str, n: str
    ) -> str:
        """The triples between a member and a value; deprecated statements are no part of it."""
        pid = layout.property_id(relation.id)
        subject, far = (member, value) if direction == "out" else (value, member)
        if self.form == "plain" or not pid:
            return f"{subject} {iri(self._direct(relation))} {far} ."
        claim, end = (iri(layout.PREFIXES[role] + pid) for role in ("p", "ps"))
        rank, deprecated = iri(layout.RANK), iri(layout.WIKIBASE + "DeprecatedRank")
        return (
            f"{subject} {claim} ?s{n} . ?s{n} {end} {far} . "
            f"FILTER NOT EXISTS {{ ?s{n} {rank} {deprecated} }}"
        )

    @staticmethod
    def _direct(relation: Relation) -> str:
        pid = layout.property_id(relation.id)
        return WDT + pid if pid else relation.id


def _is_id(text: str) -> bool:
    return ("://" in text or text.startswith("urn:")) and named_node(text) is not None


def _bound(text: str) -> str:
    datatype = DATETIME if "T" in text else DECIMAL
    return str(ox.Literal(text, datatype=ox.NamedNode(datatype)))
