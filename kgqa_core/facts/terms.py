"""What a knowledge graph is made of: frozen values, equal by what they name.

Two entities are equal when their ids are, whatever label or description a source
attached; two statements when subject, relation, object and qualifiers are.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import Literal as OneOf
from urllib.parse import unquote

from kgqa_core.facts import periods

Rank = OneOf["preferred", "normal", "deprecated"]
Direction = OneOf["out", "in"]

XSD = "http://www.w3.org/2001/XMLSchema#"
STRING, BOOLEAN, DECIMAL = XSD + "string", XSD + "boolean", XSD + "decimal"
YEAR, MONTH, DATE, DATETIME = XSD + "gYear", XSD + "gYearMonth", XSD + "date", XSD + "dateTime"
URL = XSD + "anyURI"
# Of times that are stated by the decade, by the century …: XSD has no datatype for them.
_PERIOD = "http://kgqa-explorer.invalid/datatype/"
DECADE, CENTURY = _PERIOD + "decade", _PERIOD + "century"
MILLENNIUM, AGE = _PERIOD + "millennium", _PERIOD + "age"
PERIODS = {
    DECADE: periods.DECADE,
    CENTURY: periods.CENTURY,
    MILLENNIUM: periods.MILLENNIUM,
    AGE: periods.AGE,
}
TIMES = frozenset({YEAR, MONTH, DATE, DATETIME, *PERIODS})
NUMBERS = frozenset(
    XSD + name for name in ("decimal", "integer", "double", "float", "int", "long", "gYear")
)
_HASHED = 8  # qualifiers that make the hash of a statement; nearly all have fewer
_A_YEAR = re.compile(r"[+-]?\d{1,11}", re.ASCII)


def short_id(iri: str) -> str:
    """`http://www.wikidata.org/entity/Q42` as people write it: `Q42`."""
    return iri.rstrip("/").rsplit("/", 1)[-1].rsplit("#", 1)[-1] or iri


def telling_id(iri: str) -> str:
    """The short id; empty where it says no more than the name it was made of (`urn:kg:Ghent`)."""
    return "" if iri.startswith("urn:kg:") else short_id(iri)


def words_apart(iri: str) -> str:
    """The last part of an IRI as words: `birthPlace` → `birth place`, `AdaByron` → `Ada Byron`.

    Empty where it has one word, or is a code (`P40`): then the short id is all there is.
    """
    local = unquote(short_id(iri))
    words = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", local).split("_")
    if local[:1].islower():  # a relation; a name keeps its capitals
        words = [w if w.isupper() else w[:1].lower() + w[1:] for w in words]
    spoken = " ".join(filter(None, words))
    return spoken if spoken != local else ""


@dataclass(frozen=True, slots=True)
class Entity:
    """A node: an IRI, and what the source calls it."""

    id: str
    label: str = field(default="", compare=False)
    description: str = field(default="", compare=False)
    aliases: tuple[str, ...] = field(default=(), compare=False)

    @property
    def name(self) -> str:
        """The label, or the short id of an entity without one."""
        return self.label or short_id(self.id)


@dataclass(frozen=True, slots=True)
class Relation:
    """An edge type (Wikidata: property).

    `datatype` is Wikibase's name for what it leads to, as `kinds.datatype` spells it; empty where
    the source does not say.
    """

    id: str
    label: str = field(default="", compare=False)
    description: str = field(default="", compare=False)
    aliases: tuple[str, ...] = field(default=(), compare=False)
    datatype: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        return self.label or short_id(self.id)


@dataclass(frozen=True, slots=True)
class Literal:
    """A value that is no node. Dates carry the precision the source knows.

    `value` is the lexical form: `1912`, `1912-04`, `1912-04-15`, `309.6`, `true`, any text; of a
    period any year of it. `datatype` is an XSD IRI or a period's (constants above); `unit` belongs
    to quantities.
    """

    value: str
    datatype: str = STRING
    unit: Entity | None = None
    language: str = field(default="", compare=False)

    @property
    def name(self) -> str:
        if (length := PERIODS.get(self.datatype)) and _A_YEAR.fullmatch(self.value):
            return periods.in_words(int(self.value), length)
        return f"{self.value} {self.unit.name}" if self.unit else self.value


Value = Entity | Literal

_SPECIAL = "http://wikiba.se/ontology#special"  # the datatype of what stands for no known value
UNKNOWN = Literal("unknown value", _SPECIAL)  # there is one, nobody knows which
NO_VALUE = Literal("no value", _SPECIAL)  # there is none, and that is known


@dataclass(frozen=True, slots=True)
class Qualifier:
    """What narrows a statement: `start time` 1934."""

    relation: Relation
    value: Value


@dataclass(frozen=True, slots=True)
class Statement:
    """A fact: a triple with its qualifiers, rank and the graph it came from.

    `origin` says where that graph has it from ("Wikidata 2024"); empty where it does not say.
    """

    subject: Entity
    relation: Relation
    object: Value
    qualifiers: tuple[Qualifier, ...] = ()
    rank: Rank = field(default="normal", compare=False)
    source: str = field(default="", compare=False)
    origin: str = field(default="", compare=False)

    def __hash__(self) -> int:
        # Every set and every table of statements asks for it; there may be thousands of qualifiers.
        first = self.qualifiers[:_HASHED]
        return hash((self.subject, self.relation, self.object, first, len(self.qualifiers)))


@dataclass(frozen=True, slots=True)
class Passage:
    """A chunk of text about an entity, cited like a statement (KGIR §3.3)."""

    id: str
    text: str = field(compare=False)
    title: str = field(default="", compare=False)
    source: str = field(default="", compare=False)
    entity: Entity | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RelationUse:
    """How a relation leaves (or enters) a set of entities.

    `count` is the number of statements; `examples` a few values at the far end.
    """

    relation: Relation
    direction: Direction
    count: int
    examples: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Hit:
    """An entity found for a mention; `score` in (0, 1], 1 for an exact label."""

    entity: Entity
    score: float
    matched: str = ""  # the label or alias that matched


PSEUDO = "pseudo:"  # ids of what a model named, in no graph
LEFT_OPEN = f"{PSEUDO}open/"  # and of what it left open


def is_open(value: Value) -> bool:
    """Whether it stands for something a model left open in its pseudo-graph (PG&AKV)."""
    return isinstance(value, Entity) and value.id.startswith(LEFT_OPEN)


def is_known(value: Value) -> bool:
    """Whether it is a value: not “unknown value”, and not “no value”."""
    return isinstance(value, Entity) or value.datatype != _SPECIAL


def far_end(statement: Statement, near: Entity) -> Value:
    """The other end of a statement, seen from `near`."""
    return statement.object if statement.subject == near else statement.subject
