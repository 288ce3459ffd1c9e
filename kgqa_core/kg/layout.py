"""Wikidata's RDF layout: which predicate does what, and facts written as N-Triples.

    wd:Q1 p:P26 wds:Q1-1f0c .                   from the entity to the statement node,
    wds:Q1-1f0c ps:P26 wd:Q2 ;                  its value,
        wikibase:rank wikibase:NormalRank ;     its rank,
        pq:P580 "1997-01-01T00:00:00Z" ;        a qualifier,
        pqv:P580 wdv:9a2e ;                     the same qualifier with its precision,
        prov:wasDerivedFrom wdref:77b1 .        and what it rests on
    wdref:77b1 pr:P248 "Wikidata 2024" .        (stated in: a text or an entity)
    wd:Q1 wdt:P26 wd:Q2 .                       the truthy triple: best rank, nothing else

Dates: RDF counts astronomically (44 BC is -0043), `terms.Literal` as people do (-0044).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from decimal import Decimal
from functools import lru_cache
from hashlib import blake2b
from typing import Literal as OneOf

import pyoxigraph as ox

from kgqa_core.facts import kinds, periods, terms, timeline
from kgqa_core.facts.terms import (
    AGE,
    CENTURY,
    DATE,
    DATETIME,
    DECADE,
    DECIMAL,
    MILLENNIUM,
    MONTH,
    NUMBERS,
    STRING,
    TIMES,
    URL,
    XSD,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Rank,
    Relation,
    Statement,
    Value,
    short_id,
)
from kgqa_core.kg import iris
from kgqa_core.kg.base import WD, WDT

_WIKIDATA = "http://www.wikidata.org/"
LOCAL = "http://kgqa-explorer.invalid/entity/"  # entities without a Wikidata id: L1001
_PROP = _WIKIDATA + "prop/"
WIKIBASE = "http://wikiba.se/ontology#"
PREFIXES = {
    "wd": WD,
    "local": LOCAL,
    "wds": WD + "statement/",
    "wdv": _WIKIDATA + "value/",
    "wdt": WDT,
    "p": _PROP,
    "ps": _PROP + "statement/",
    "psv": _PROP + "statement/value/",
    "pq": _PROP + "qualifier/",
    "pqv": _PROP + "qualifier/value/",
    "wikibase": WIKIBASE,
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "schema": "http://schema.org/",
    "xsd": XSD,
}

LABEL = PREFIXES["rdfs"] + "label"
ALIAS = PREFIXES["skos"] + "altLabel"
DESCRIPTION = PREFIXES["schema"] + "description"
TYPE = PREFIXES["rdf"] + "type"
RANK = WIKIBASE + "rank"
DIRECT_CLAIM = WIKIBASE + "directClaim"
PROPERTY_TYPE = WIKIBASE + "propertyType"
TIME_VALUE, TIME_PRECISION = WIKIBASE + "timeValue", WIKIBASE + "timePrecision"
TIME_CALENDAR, JULIAN = WIKIBASE + "timeCalendarModel", WD + "Q1985786"
AMOUNT, UNIT = WIKIBASE + "quantityAmount", WIKIBASE + "quantityUnit"
NO_UNIT = WD + "Q199"  # the number 1: how Wikidata writes a quantity without unit
ORIGIN = "http://www.w3.org/ns/prov#wasDerivedFrom"  # of a statement
STATED_IN = _PROP + "reference/P248"  # of what it was derived from
UNKNOWN = "/.well-known/genid/"  # in the IRI that stands for an unknown value
_UNKNOWN = "http://www.wikidata.org/.well-known/genid/unknown"
NONE = "http://www.wikidata.org/.well-known/novalue"  # ours; Wikidata says it by a type:
NO_VALUE = _PROP + "novalue/"  # of the statement, with the property's id behind it

RANKS: dict[str, Rank] = {
    WIKIBASE + "PreferredRank": "preferred",
    WIKIBASE + "NormalRank": "normal",
    WIKIBASE + "DeprecatedRank": "deprecated",
}
_RANK_IRIS = {rank: iri for iri, rank in RANKS.items()}

Role = OneOf["p", "ps", "psv", "pq", "pqv", "wdt", "about", "plain"]
_ROLES: dict[str, Role] = {
    "": "p",
    "direct": "wdt",
    "statement": "ps",
    "statement/value": "psv",
    "qualifier": "pq",
    "qualifier/value": "pqv",
}
_ABOUT = frozenset(
    {
        LABEL,
        ALIAS,
        DESCRIPTION,
        PREFIXES["skos"] + "prefLabel",
        *(PREFIXES["schema"] + name for name in ("name", "dateModified", "version")),
        ORIGIN,
    }
)
_MOST_DIGITS = 1_000  # of a number
_PRECISIONS = {MILLENNIUM: 6, CENTURY: 7, DECADE: 8, YEAR: 9, MONTH: 10, DATE: 11, DATETIME: 14}
_COARSE = {number: datatype for datatype, number in _PRECISIONS.items() if number <= 9}
_OF_AN_AGE = 9  # from 5, ten thousand years, down to 0, a billion: with the digits not stated
_PROPERTY = re.compile(re.escape(WD) + r"(P[1-9]\d*)")
_SHORT = re.compile(r"(?:wd:)?([QP][1-9]\d*)|(?:local:)?(L[1-9]\d*)")


@lru_cache(maxsize=65_536)
def role(predicate: str) -> tuple[Role, str]:
    """What a predicate does, and its property id: ps:P57 is ("ps", "P57").

    "about": a label or bookkeeping, no fact. "plain": an edge of a graph without this layout.
    """
    if predicate.startswith(_PROP):
        folder, _, pid = predicate.removeprefix(_PROP).rpartition("/")
        return _ROLES.get(folder, "about"), pid
    about = predicate in _ABOUT or predicate.startswith(WIKIBASE)
    return ("about" if about else "plain"), ""


def full_id(text: str) -> str:
    """`Q42`, `wd:Q42` and the local `L1001` as IRI; anything else is one already."""
    match = _SHORT.fullmatch(text)
    if match is None:
        return text
    return WD + match[1] if match[1] else LOCAL + match[2]


def link_id(iri: str) -> str:
    """What a link names a thing by: its short id where that alone leads back, else all of it."""
    short = short_id(iri)
    return short if full_id(short) == iri else iri


@lru_cache(maxsize=65_536)
def property_id(iri: str) -> str:
    """`P57` of wd:P57, wdt:P57, p:P57, ps:P57 …; empty for a relation outside the layout.

    A `Relation` is named by its property entity, wd:P57.
    """
    if iri.startswith(_PROP):
        return role(iri)[1]
    match = _PROPERTY.fullmatch(iri)
    return match[1] if match else ""


def in_order(qualifiers: Iterable[Qualifier]) -> tuple[Qualifier, ...]:
    """Qualifiers in the one order that makes equal statements equal, whatever the source."""
    return tuple(
        sorted(qualifiers, key=lambda q: (natural(q.relation.id), q.value.name, _key(q.value)))
    )


def natural(iri: str) -> tuple[int, str]:
    """Sort key: P17 before P101."""
    return len(iri), iri


# -- times and quantities ----------------------------------------------------------------


def to_datetime(time: Literal) -> str:
    """`1912-04` as `1912-04-01T00:00:00Z`, `-0044` as `-0043-01-01T00:00:00Z`."""
    text = time.value.removeprefix("+").removesuffix("Z")
    before = text.startswith("-")
    day, _, clock = text.lstrip("-").partition("T")
    year, month, date = [*day.split("-"), "01", "01"][:3]
    count = 1 - int(year) if before else int(year)
    return f"{'-' if count < 0 else ''}{abs(count):04}-{month}-{date}T{clock or '00:00:00'}Z"


def from_datetime(text: str, precision: int | None = None, *, julian: bool = False) -> Literal:
    """The other way round; without a precision, midnight means the day.

    A precision coarser than a year comes back as the year with the datatype of its period.
    `julian`: the day was given in that calendar, which RDF counts over to ours.
    """
    text = text.removeprefix("+")
    before = text.startswith("-")
    day, _, clock = text.lstrip("-").removesuffix("Z").partition("T")
    year, month, date = [*day.split("-"), "00", "00"][:3]
    if precision is None:
        precision = 14 if clock and clock != "00:00:00" else 11
    if month == "00":
        precision = min(precision, 9)
    elif date == "00":
        precision = min(precision, 10)
    if julian and precision >= 11:
        counted, m, d = to_julian(-int(year) if before else int(year), int(month), int(date))
        before, year, month, date = counted < 0, f"{abs(counted)}", f"{m:02}", f"{d:02}"
    count = 1 + int(year) if before else int(year)
    if not before and count == 0:
        before, count = True, 1
    period = _COARSE.get(precision, AGE) if precision <= 9 else ""
    if period == AGE and before and (count - 1) % periods.AGE == 0:  # the year 0 that RDF has
        count -= 1
    full = f"{'-' if before else ''}{count:04}-{month}-{date}"
    if period:
        return Literal(full[:-6], period)
    if precision == 10:
        return Literal(full[:-3], MONTH)
    if precision == 11:
        return Literal(full, DATE)
    return Literal(f"{full}T{clock}Z", DATETIME)


def to_julian(year: int, month: int, day: int) -> tuple[int, int, int]:
    """A day of the Gregorian calendar in the Julian one; years counted astronomically."""
    early = (14 - month) // 12  # January and February belong to the year before
    y, m = year + 4800 - early, month + 12 * early - 3
    days = day + (153 * m + 2) // 5 + 365 * y + y // 4 - y // 100 + y // 400 + 37
    y = (4 * days + 3) // 1461
    rest = days - 1461 * y // 4
    m = (5 * rest + 2) // 153
    return y - 4800 + m // 10, m + 3 - 12 * (m // 10), rest - (153 * m + 2) // 5 + 1


# -- writing -------------------------------------------------------------------------------


def write_entity(entity: Entity | Relation, iri: str = "") -> Iterator[str]:
    """Label, description and aliases, in English."""
    node = _iri(iri or entity.id)
    if entity.label:
        yield f"{node} <{LABEL}> {_text(entity.label)}@en .\n"
    if entity.description:
        yield f"{node} <{DESCRIPTION}> {_text(entity.description)}@en .\n"
    for alias in entity.aliases:
        yield f"{node} <{ALIAS}> {_text(alias)}@en .\n"


def write_relation(relation: Relation) -> Iterator[str]:
    pid = property_id(relation.id)
    if not pid:
        yield from write_entity(relation)
        return
    node = _iri(WD + pid)
    yield from write_entity(relation, WD + pid)
    yield f"{node} <{TYPE}> <{WIKIBASE}Property> .\n"
    yield from write_datatype(pid, relation.datatype)
    for name, prefix in (
        ("directClaim", "wdt"),
        ("claim", "p"),
        ("statementProperty", "ps"),
        ("statementValue", "psv"),
        ("qualifier", "pq"),
        ("qualifierValue", "pqv"),
    ):
        yield f"{node} <{WIKIBASE}{name}> {_iri(PREFIXES[prefix] + pid)} .\n"


def write_datatype(pid: str, datatype: str) -> Iterator[str]:
    """What kind of values a property has, where that is known."""
    if of := kinds.rdf_datatype(datatype):
        yield f"{_iri(WD + pid)} <{PROPERTY_TYPE}> <{WIKIBASE}{of}> .\n"


def write_truthy(statement: Statement) -> str:
    """One triple, with room for neither rank nor qualifiers."""
    subject = _iri(statement.subject.id)
    pid = property_id(statement.relation.id)
    if pid:
        return f"{subject} {_iri(WDT + pid)} {_term(statement.object)} .\n"
    return f"{subject} {_iri(statement.relation.id)} {_plain(statement.object)} .\n"


def write_statement(
    statement: Statement, *, truthy: bool = True, sources: set[str] | None = None
) -> Iterator[str]:
    """The statement node with all that hangs on it, and the truthy triple.

    The truthy triple is written for every rank but deprecated: that a preferred statement
    outdoes it is known only at the end (`truthy`: whether it is one, where that is known
    before). A relation outside Wikidata's namespaces becomes a
    plain triple, which has room for neither rank nor qualifiers. Where the origin comes from is
    written once for each of `sources`, which grows; without them, with every statement.
    """
    subject = _iri(statement.subject.id)
    pid = property_id(statement.relation.id)
    if not pid:
        yield write_truthy(statement)
        return
    qualifiers = in_order(statement.qualifiers) if statement.qualifiers else ()
    parts = [(q, property_id(q.relation.id)) for q in qualifiers]
    content = (statement.subject.id, pid, *_key(statement.object))
    for q, qualifier_id in parts:
        content += (qualifier_id, *_key(q.value))
    node = f"<{PREFIXES['wds']}{_plain_name(statement.subject.id)}-{_digest(content)}>"
    value = _term(statement.object)
    yield f"{subject} {_iri(_PROP + pid)} {node} .\n"
    yield f"{node} <{RANK}> <{_RANK_IRIS[statement.rank]}> .\n"
    yield f"{node} {_iri(PREFIXES['ps'] + pid)} {value} .\n"
    yield from _value_node(node, "psv", pid, statement.object)
    for q, qualifier_id in parts:
        yield f"{node} {_iri(PREFIXES['pq'] + qualifier_id)} {_term(q.value)} .\n"
        yield from _value_node(node, "pqv", qualifier_id, q.value)
    if statement.origin:
        reference = _reference(statement.origin)
        yield f"{node} <{ORIGIN}> {reference} .\n"
        if sources is None or statement.origin not in sources:
            yield f"{reference} <{STATED_IN}> {_text(statement.origin)} .\n"
        if sources is not None:
            sources.add(statement.origin)
    if truthy and statement.rank != "deprecated" and terms.is_known(statement.object):
        yield f"{subject} {_iri(WDT + pid)} {value} .\n"


@lru_cache(maxsize=1_024)
def _reference(origin: str) -> str:
    return f"<{_WIKIDATA}reference/{_digest((origin,))}>"


@lru_cache(maxsize=65_536)
def _plain_name(iri: str) -> str:
    return re.sub(r"[^A-Za-z0-9_-]", "", short_id(iri))


def _value_node(node: str, prefix: str, pid: str, value: Value) -> Iterator[str]:
    """Precision of a time, unit of a quantity; nothing for other values."""
    if isinstance(value, Entity) or value.datatype not in TIMES | NUMBERS:
        return
    content = f"<{PREFIXES['wdv']}{_digest(_key(value))}>"
    yield f"{node} {_iri(PREFIXES[prefix] + pid)} {content} .\n"
    if value.datatype in TIMES:
        yield f"{content} <{TIME_VALUE}> {_term(value)} .\n"
        precision = _precision(value)
        yield f'{content} <{TIME_PRECISION}> "{precision}"^^<{XSD}integer> .\n'
    else:
        yield f"{content} <{AMOUNT}> {_term(value)} .\n"
        yield f"{content} <{UNIT}> {_iri(value.unit.id if value.unit else NO_UNIT)} .\n"


def _precision(time: Literal) -> int:
    if time.datatype == AGE:
        return _OF_AN_AGE - periods.rounding(timeline.year(time))
    return _PRECISIONS[time.datatype]


def _term(value: Value) -> str:
    """A value as statement nodes carry it."""
    if isinstance(value, Entity):
        return _iri(value.id)
    if not terms.is_known(value):
        return _iri(NONE if value == terms.NO_VALUE else _UNKNOWN)
    if value.datatype in TIMES:
        return f'"{to_datetime(value)}"^^<{DATETIME}>'
    if value.datatype in NUMBERS:
        return f'"{_decimal(value.value):f}"^^<{DECIMAL}>'
    if value.datatype == URL and iris.is_iri(value.value):
        return _iri(value.value)
    return _plain(value)


def _plain(value: Value) -> str:
    """A value as any RDF graph carries it."""
    if isinstance(value, Entity):
        return _iri(value.id)
    if language := value.language and iris.language_tag(value.language):
        return f"{_text(value.value)}@{language}"
    if value.datatype == STRING:
        return _text(value.value)
    return f"{_text(value.value)}^^{_iri(value.datatype)}"


def _decimal(text: str) -> Decimal:
    """Raises ValueError for what is no number, and for one that fills the disk with zeros."""
    try:
        number = Decimal(text)
    except ArithmeticError as error:
        raise ValueError(f"“{text[:40]}” is not a number") from error
    if not number.is_finite() or abs(number.adjusted()) > _MOST_DIGITS:
        raise ValueError(f"“{text[:40]}” is too large or too small a number")
    return number


def _key(value: Value) -> tuple[str, ...]:
    if isinstance(value, Entity):
        return (value.id,)
    return (value.value, value.datatype, value.language, value.unit.id if value.unit else "")


def _digest(content: tuple[str, ...]) -> str:
    text = "\0".join(content)
    if text.count("\0") >= len(content):  # a part has one of its own: say where each begins
        text = f"{[len(part) for part in content]}{text}"
    return blake2b(text.encode("utf-8", "replace"), digest_size=12).hexdigest()


_ESCAPES = str.maketrans({"\\": "\\\\", '"': '\\"', "\n": "\\n", "\r": "\\r"})


def _text(text: str) -> str:
    return f'"{text.translate(_ESCAPES)}"'


def stored_id(entity_id: str) -> str:
    """An id as `write_entity` and the others write it. Raises ValueError for text that is none."""
    return _iri(entity_id).removeprefix("<").removesuffix(">")


@lru_cache(maxsize=65_536)
def _iri(iri: str) -> str:
    """What all lines are made of: nothing gets in that a strict parser refuses."""
    if iri.startswith("_:"):
        return str(ox.BlankNode(iri[2:]))
    return f"<{iris.made_valid(iri)}>"
