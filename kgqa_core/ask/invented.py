"""A small invented world, for the worked examples of prompts: no benchmark asks about it.

Ids begin with E and R, which no graph in use has: what is copied from an example is noticed.
"""

from __future__ import annotations

from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    Direction,
    Entity,
    Hit,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
)

_AT = "http://example.org/"


def _entity(n: int, label: str, description: str) -> Entity:
    return Entity(f"{_AT}E{n}", label, description)


def _relation(n: int, label: str) -> Relation:
    return Relation(f"{_AT}R{n}", label)


LANTERN = _entity(1, "The Salt Lantern", "novel of 1931")
LANTERN_FILM = _entity(2, "The Salt Lantern", "film of 1958")
MARROW = _entity(3, "Ilse Marrow", "writer")
NORA = _entity(4, "Nora Marrow", "painter")
JON = _entity(5, "Jon Marrow", "sailor")
QUILL = _entity(6, "Port Quill", "harbour town on Orvel")
ORVEL = _entity(7, "Orvel", "island")
WENDELER = _entity(8, "Tomas Wendeler", "film director")
GREY_TIDE = _entity(9, "Grey Tide", "novel of 1938")
VELM = _entity(10, "Velm Ferry Company", "shipping company on Orvel")

AUTHOR = _relation(1, "author")
DIRECTOR = _relation(2, "director")
BASED_ON = _relation(3, "based on")
CHILD = _relation(4, "child")
BORN_IN = _relation(5, "place of birth")
BORN = _relation(6, "date of birth")
INHABITANTS = _relation(7, "number of inhabitants")
ISLAND = _relation(8, "located on island")
WORKS_FOR = _relation(9, "employer")
SINCE = _relation(10, "start time")
UNTIL = _relation(11, "end time")
PUBLISHED = _relation(12, "publication date")

MARROW_BORN = Literal("1902-03-14", DATE)
WROTE = Statement(LANTERN, AUTHOR, MARROW)
WROTE_TOO = Statement(GREY_TIDE, AUTHOR, MARROW)
FILMED = Statement(LANTERN_FILM, BASED_ON, LANTERN)
DIRECTED = Statement(LANTERN_FILM, DIRECTOR, WENDELER)
NORAS = Statement(MARROW, CHILD, NORA)
JONS = Statement(MARROW, CHILD, JON)
BIRTH = Statement(MARROW, BORN, MARROW_BORN)
BIRTHPLACE = Statement(MARROW, BORN_IN, QUILL)
ON_ORVEL = Statement(QUILL, ISLAND, ORVEL)
PEOPLE = Statement(QUILL, INHABITANTS, Literal("4100", DECIMAL))
SAILED = Statement(
    JON,
    WORKS_FOR,
    VELM,
    (Qualifier(SINCE, Literal("1950-05-01", DATE)), Qualifier(UNTIL, Literal("1961-09-30", DATE))),
)


def use(relation: Relation, direction: Direction, count: int, *examples: str) -> RelationUse:
    """A relation as a prompt lists it."""
    return RelationUse(relation, direction, count, examples)


def hit(entity: Entity) -> Hit:
    """An entity found by its own name."""
    return Hit(entity, 1.0, entity.label)
