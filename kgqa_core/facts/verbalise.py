"""Statements and values in words: one verbaliser for prompts, indexes and pages."""

from __future__ import annotations

import re
from collections.abc import Sequence
from math import isfinite

from kgqa_core.facts import kinds, relations, timeline, units
from kgqa_core.facts.terms import (
    BOOLEAN,
    DATE,
    DATETIME,
    MONTH,
    NUMBERS,
    PERIODS,
    TIMES,
    YEAR,
    Entity,
    Literal,
    Passage,
    Relation,
    RelationUse,
    Statement,
    Value,
)
from kgqa_core.text import shortened

_MONTHS = (
    "January February March April May June July August September October November December"
).split()


QUALIFIERS = 12  # of a statement that are told
_THREE_DIGITS = 100  # a year of fewer says its era
_ON_WIKIDATA = "http://www.wikidata.org/entity/"
_DATED = re.compile(r"[+-]?\d+(?:-\d\d){0,2}(?:T[\d:.]+Z?)?")
_KIND = 60  # characters of what stands beside an id
_AMOUNT = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (\D.*))?")


def value(v: Value, relation: Relation | None = None) -> str:
    """`15 April 1912`, `April 1912`, `1880s`, `44 BC`, `AD 79`, `4,167 km`, `Yes`, or the name.

    What a `relation` leads to tells a year and an identifier from a quantity.
    """
    if isinstance(v, Entity):
        return name(v)
    if v.datatype in TIMES:
        return _time(v)
    if v.datatype == BOOLEAN:
        return "Yes" if v.value == "true" else "No"
    if v.datatype in NUMBERS:
        if v.unit is None and relation is not None and _is_no_quantity(v.value, relation):
            return v.value.removeprefix("+")
        return _number(v.value) + (f" {_unit(v.unit)}" if v.unit else "")
    return v.value


def name(entity: Entity) -> str:
    """The label; of what is known by its id alone that, and what it is: `Q115 (village)`."""
    if entity.label or not entity.description:
        return entity.name
    return f"{entity.name} ({shortened(entity.description, _KIND)})"


def _unit(unit: Entity) -> str:
    """`km²`; of what was computed, `per km²`; by its id where a graph has no name for it."""
    if unit.id.startswith(units.WRITTEN):
        return unit.name
    top, per, bottom = f" {unit.name}".rpartition(units.PER)
    if not per or units.PER not in f" {unit.id}":  # a source's own "mile per hour" is one name
        known = unit.id.startswith(_ON_WIKIDATA)  # another graph's Q11573 is anything
        named = unit.label or (unit.id.removeprefix(_ON_WIKIDATA) if known else "")
        return units.sign(named) if named else unit.name
    return f"{units.sign(top.strip())}{units.PER}{units.sign(bottom)}".strip()


def _is_no_quantity(text: str, relation: Relation) -> bool:
    kind = kinds.kind(relation)
    year = kind == "time" or re.search(r"\b(?:year|date|inception|founded)\b", relation.name)
    return kind in ("identifier", "text") or bool(year and re.fullmatch(r"[+-]?\d{1,4}", text))


def statement(s: Statement, question: str = "") -> str:
    """`Totti — spouse — Ilary Blasi (start time: 19 June 2005)`."""
    told = f"{value(s.object, s.relation)}{qualified(s, question)}"
    return f"{name(s.subject)} — {s.relation.name} — {told}"


def qualified(s: Statement, question: str = "") -> str:
    """` (start time: 19 June 2005)`; empty without qualifiers. A deprecated statement says so.

    Without those of upkeep (`kinds.narrowing`) that the question does not ask for.
    """
    told = details(s, question=question)
    return f" ({told})" if told else ""


def details(s: Statement, most: int | None = QUALIFIERS, question: str = "") -> str:
    """The same without brackets; `most` None: all qualifiers, those of upkeep too."""
    parts = ["deprecated"] if s.rank == "deprecated" else []
    all_told = s.qualifiers if most is None else kinds.narrowing(s, question)
    told = all_told[:most]
    parts += [f"{q.relation.name}: {value(q.value, q.relation)}" for q in told]
    if left := len(all_told) - len(told):
        parts.append(f"{left:,} more")
    return "; ".join(parts)


def led_to(v: Value, facts: Sequence[Statement | Passage]) -> str:
    """A value in the words that the facts which lead to it have for it.

    An amount that changes goes with its date: `364,036 (as of 2024)`.
    """
    of = next((f for f in reversed(facts) if isinstance(f, Statement) and f.object == v), None)
    if of is None:
        return value(v)
    said = value(v, of.relation)
    number = isinstance(v, Literal) and v.datatype in NUMBERS and v.unit is None
    if number and (unit := units.behind(of.relation.name)):
        known = units.unit(unit)
        said = f"{said} {known.name if known and said == '1' else unit}"
    when = timeline.qualifier(of, timeline.POINT) if measured(of) else None
    return f"{said} (as of {value(when)})" if when is not None else said


def measured(s: Statement) -> bool:
    """Whether it states an amount that is another one at another time: how many live there."""
    amount = isinstance(s.object, Literal) and s.object.datatype in NUMBERS
    return amount and relations.belongs(s.relation, "changes")


def passage(p: Passage) -> str:
    return f"{p.title}: {p.text}" if p.title else p.text


def support(item: Statement | Passage) -> str:
    return statement(item) if isinstance(item, Statement) else passage(item)


def relation_use(use: RelationUse) -> str:
    """`director → Douglas Sirk` or `director ← Imitation of Life, … (12)`.

    `director → (2, not named here)` where no value of it has a name. How many there are is said
    where that is not seen: where not all are named, or a name has a comma of its own.
    """
    arrow = "→" if use.direction == "out" else "←"
    out = use.direction == "out"
    texts = [example(e, use.relation) if out else e for e in use.examples if e]  # not all are named
    more = ["…"] if texts and use.count > len(texts) else []
    seen = len(texts) == use.count and not any("," in text for text in texts)
    count = f"({use.count})" if texts else f"({use.count}, not named here)"
    count = "" if seen else count
    return " ".join(filter(None, (use.relation.name, arrow, ", ".join(texts + more), count)))


def example(text: str, relation: Relation) -> str:
    """A value that a list of relations has as the graph writes it, in words.

    What the relation leads to tells dates and amounts from names that look like them.
    """
    text, wrong, _ = text.partition(" (deprecated)")
    kind = kinds.kind(relation)
    if kind == "time" and _DATED.fullmatch(text):
        text = _time(Literal(text, DATETIME))
    elif kind == "quantity" and (amount := _AMOUNT.fullmatch(text)):
        text = f"{_number(amount[1])} {units.sign(amount[2] or '')}".strip()
    return text + wrong


def _time(v: Literal) -> str:
    if v.datatype in PERIODS:
        return v.name
    text, era = v.value, ""
    if text.startswith("-"):
        text, era = text[1:], " BC"
    text = text.removeprefix("+")
    parts = text.split("T")[0].rstrip("Z").split("-")
    try:
        numbers = [int(p) for p in parts]
    except ValueError:
        return v.value
    early = not era and numbers[0] < _THREE_DIGITS  # a bare 79 may be any number
    year = f"AD {numbers[0]}" if early else f"{numbers[0]}{era}"
    if v.datatype == YEAR or len(numbers) == 1:
        return year
    if v.datatype == MONTH or len(numbers) == 2:
        return f"{_MONTHS[(numbers[1] - 1) % 12]} {year}"
    if v.datatype in (DATE, DATETIME):
        return f"{numbers[2]} {_MONTHS[(numbers[1] - 1) % 12]} {year}"
    return v.value


def _number(text: str) -> str:
    """Thousands separated; as many decimals as the source gives, without trailing zeros."""
    text = text.removeprefix("+")
    try:
        number = float(text)
    except ValueError:
        return text
    if not isfinite(number):
        return text
    if abs(number) < 1e15 and number == int(number):
        return f"{int(number):,}"
    whole, _, decimals = text.lstrip("-").partition(".")
    sign = "-" if number < 0 else ""
    if not (whole.isdecimal() and decimals.isdecimal() and len(whole) < 400):
        return f"{number:g}"
    return f"{sign}{int(whole):,}.{decimals.rstrip('0')}"
