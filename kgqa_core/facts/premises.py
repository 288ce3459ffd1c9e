"""The premises of a commonsense axiom as values, and the facts they are held against (R3, §3.1).

An axiom says: when its premises hold, so does the query. A premise is an atomic clause over graph
terms: a predicate `P(entity, …)`, or a function of an entity compared to a constant or to another
function, `F(entity) op value` (equations 2–3). What facts make of it: `decide.py`.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterable
from decimal import Decimal
from functools import lru_cache
from typing import Any
from typing import Literal as OneOf

from pydantic import BaseModel, ConfigDict, Field, model_validator

from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import (
    STRING,
    TIMES,
    Entity,
    Literal,
    Relation,
    Statement,
    Value,
    is_known,
    short_id,
)

Operator = OneOf["=", "≠", "<", "≤", ">", "≥", "overlaps", "exists", "absent"]
Function = OneOf["values", "count", "lifetime", "age", "latitude", "longitude"]
State = OneOf["satisfied", "violated", "open"]

DESCRIPTION = Relation("http://schema.org/description", "description")


class Hop(BaseModel):
    """One step of a path, along a relation or against it; a model may give its relation alone."""

    model_config = ConfigDict(frozen=True, json_schema_extra={"bare": "relation"})
    relation: str = Field(description="as the facts call it; alternatives separated by |")
    only: str = Field("", description="only statements with this value, or with it as a qualifier")
    qualifier: str = Field("", description="go on to the values of this qualifier instead")
    inverse: bool = Field(False, description="true: from the object of a fact to its subject")


class Term(BaseModel):
    """A function of an entity (by name, along a path), or constants (alternatives).

    A model writes the fields of one of its `forms`; those behind the bar may be null.
    """

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "forms": [
                "entity path",
                "function entity path | constants",
                "constants | function",
            ]
        },
    )
    entity: str = Field("", description="a name of the question or of the facts")
    path: tuple[Hop, ...] = Field(
        (), description="relations to follow in turn; empty: the entity itself"
    )
    function: Function = Field(
        "values",
        description="of what the path leads to. values, count: what and how many they are; "
        "lifetime: when it was alive, existed or held; age: in a year among the constants, else at "
        "death or today; latitude, longitude: degrees north, east",
    )
    constants: tuple[str, ...] = Field((), description="names, numbers or dates: any of them")


class Condition(BaseModel):
    """What has to hold for a premise to count: a term that has one of some values."""

    model_config = ConfigDict(frozen=True)
    left: Term = Field(description="what is looked at")
    right: Term = Field(description="what it has to be, any of them")


class Premise(BaseModel):
    """A clause in words and over graph terms; without `left` the words are judged."""

    model_config = ConfigDict(
        frozen=True,
        json_schema_extra={
            "bare": "text",
            "forms": [
                "text left operator right",
                "kind text",
                "given text left operator right | closed",
            ],
        },
    )
    text: str = Field(description="one short sentence")
    kind: OneOf["fact", "meaning"] = Field(
        "fact",
        description="fact: facts of the graph have to show it; meaning: what a word means or "
        "everybody knows, as that pork is meat",
    )
    left: Term | None = Field(
        None, description="what is compared; leave out where no relation of the graph says it"
    )
    operator: Operator = Field(
        "=",
        description="=, ≠: any value is, or none is, one of those on the right; <, ≤, >, ≥: of "
        "lifetimes < is over before, ≥ is not; overlaps: the same time, a bare year is all of it; "
        "exists, absent: there is a value, or none",
    )
    right: Term | None = Field(None, description="what it is compared with")
    given: Condition | None = Field(None, description="the premise counts only where this holds")
    closed: bool = Field(False, description="nothing in the graph counts as nothing there")

    @model_validator(mode="before")
    @classmethod
    def _bare_terms(cls, said: Any) -> Any:
        """A name for a term: on the left what is looked at, on the right what it has to be."""
        if not isinstance(said, dict):
            return said
        left, right = said.get("left"), said.get("right")
        own: dict[str, Any] = {"left": {"entity": left}} if isinstance(left, str) and left else {}
        several = right if isinstance(right, list) else [right]
        if right and all(isinstance(one, str | int | float) for one in several):
            own["right"] = {"constants": [str(one) for one in several]}
        return {**said, **own}


class Computation(BaseModel):
    """A comparison or count that was computed, as `events.Computed` reports it."""

    model_config = ConfigDict(frozen=True)
    operation: str
    arguments: tuple[str, ...]
    result: tuple[Value, ...]


class Judgement(BaseModel):
    """How a premise stands, by which facts, and what it lacks when it is open.

    `by`: who said so, the graph (computed from facts) or the model (reading them). `believed`:
    what the model said where the graph decided otherwise. `missing`: decided by what the graph
    does not have, which another graph might. `by_names`: decided by names that differ, which may
    mean the same. `assumed`: no fact says so, it is general knowledge of the model.
    """

    model_config = ConfigDict(frozen=True)
    premise: Premise
    state: State
    why: str = ""
    because: tuple[Statement, ...] = ()
    lacks: tuple[str, ...] = ()
    about: tuple[Entity, ...] = ()  # entities whose facts would help, of those known
    computed: tuple[Computation, ...] = ()
    by: OneOf["graph", "model"] = "graph"
    believed: State | None = None
    missing: bool = False
    by_names: bool = False
    assumed: bool = False


# -- facts -----------------------------------------------------------------------------------


class Facts:
    """Statements read so far, by their ends, with descriptions as facts of their own.

    Unknown values and deprecated statements decide nothing.
    """

    def __init__(self, statements: Iterable[Statement] = (), read: Iterable[Entity] = ()) -> None:
        self.statements: list[Statement] = []
        self.read: set[Entity] = set()
        self._seen: set[Statement] = set()
        self._out: dict[Entity, list[Statement]] = {}
        self._into: dict[Entity, list[Statement]] = {}
        self._names: dict[str, Entity] = {}
        self.add(statements, read)

    def add(self, statements: Iterable[Statement], read: Iterable[Entity] = ()) -> None:
        """`read`: entities all of whose facts are among them."""
        for entity in read:
            self.read.add(entity)
            self.name(entity)
            if entity.description:
                text = Literal(entity.description, STRING)
                self._add(Statement(entity, DESCRIPTION, text, source="description"))
        for statement in statements:
            if is_known(statement.object) and statement.rank != "deprecated":
                self._add(statement)

    def copy(self) -> Facts:
        """The same in the same order: what a prompt shows depends on it, and whom a name means."""
        other = Facts()
        other.statements, other.read = [*self.statements], {*self.read}
        other._seen, other._names = {*self._seen}, {**self._names}
        other._out = {entity: [*own] for entity, own in self._out.items()}
        other._into = {entity: [*own] for entity, own in self._into.items()}
        return other

    def name(self, entity: Entity, mention: str = "") -> None:
        for label in (mention, entity.label, short_id(entity.id), *entity.aliases):
            if label:
                self._names.setdefault(folded(label), entity)

    def called(self, name: str) -> Entity | None:
        return self._names.get(folded(name))

    def about(self, entity: Entity) -> list[Statement]:
        return [*self._out.get(entity, ()), *self._into.get(entity, ())]

    def out_all(self, entity: Entity) -> list[Statement]:
        """All statements of which it is the subject."""
        return self._out.get(entity, [])

    def into_all(self, entity: Entity) -> list[Statement]:
        """All statements of which it is the object."""
        return self._into.get(entity, [])

    def out(self, entity: Entity, relations: str) -> list[Statement]:
        return [s for s in self.out_all(entity) if is_relation(s.relation, relations)]

    def into(self, entity: Entity, relations: str) -> list[Statement]:
        return [s for s in self.into_all(entity) if is_relation(s.relation, relations)]

    def _add(self, s: Statement) -> None:
        if s in self._seen:
            return
        self._seen.add(s)
        self.statements.append(s)
        self._out.setdefault(s.subject, []).append(s)
        self.name(s.subject)
        if isinstance(s.object, Entity):
            self._into.setdefault(s.object, []).append(s)
            self.name(s.object)
        for q in s.qualifiers:
            if isinstance(q.value, Entity):
                self.name(q.value)


def is_relation(relation: Relation, names: str) -> bool:
    """Whether a relation is one of several, given by label or id: `occupation P106|profession`."""
    known = named_relations(names)
    return folded(relation.label) in known or short_id(relation.id) in known


@lru_cache(maxsize=4096)
def named_relations(names: str) -> frozenset[str]:
    found = set()
    for name in names.split("|"):
        label, _, pid = name.strip().rpartition(" ")
        if label and re.fullmatch(r"P\d+", pid):
            found |= {folded(label), pid}
        else:
            found |= {folded(name), name.strip()}
    return frozenset(found - {""})


# -- words -----------------------------------------------------------------------------------


@lru_cache(maxsize=65_536)
def folded(text: str) -> str:
    """Lower case, without accents, one blank between words."""
    plain = unicodedata.normalize("NFKD", text.replace("’", "'"))
    return " ".join("".join(c for c in plain if not unicodedata.combining(c)).casefold().split())


@lru_cache(maxsize=65_536)
def words_of(text: str) -> tuple[str, ...]:
    """Words as they are compared: folded, without the -s of a plural, anti-war one word."""
    found = re.findall(r"[^\W_]+(?:-[^\W_]+)*", folded(text))
    return tuple(_singular(word) for word in found)


def _singular(word: str) -> str:
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 5 and word.endswith(("oes", "ches", "shes", "xes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def contains(text: str, phrase: str) -> bool:
    """Whether the phrase's words stand in the text, next to each other."""
    inside, sought = words_of(text), words_of(phrase)
    width = len(sought)
    return bool(sought) and any(
        inside[i : i + width] == sought for i in range(len(inside) - width + 1)
    )


def names_of(value: Value) -> tuple[str, ...]:
    if isinstance(value, Entity):
        return (value.name, *value.aliases)
    return (verbalise.value(value), value.value)


def alike(value: Value, other: Value) -> bool:
    """The same thing, or a thing whose name says that it is of the other's kind."""
    if value == other:
        return True
    if isinstance(value, Literal) and isinstance(other, Literal):
        numbers = (number_of(value), number_of(other))
        if None not in numbers:
            return numbers[0] == numbers[1]
    return any(contains(name, sought) for name in names_of(value) for sought in names_of(other))


def number_of(v: Value) -> Decimal | None:
    """The number of a literal that is one, also where a source keeps it as text."""
    if not isinstance(v, Literal) or v.datatype in TIMES:
        return None
    if re.fullmatch(r"[-+]?\d[\d,]*(\.\d+)?", v.value.strip()):
        return Decimal(v.value.strip().replace(",", ""))
    return None
