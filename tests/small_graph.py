"""A dozen entities for tests of methods: one film, its director, a city, two same names."""

from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.kg.embedded import EmbeddedGraph

_WD = "http://www.wikidata.org/entity/"


def _entity(qid: str, label: str, description: str, *aliases: str) -> Entity:
    return Entity(_WD + qid, label, description, aliases)


def _relation(pid: str, label: str, *aliases: str) -> Relation:
    return Relation(_WD + pid, label, "", aliases)


FILM = _entity("Q1", "Written on the Wind", "American film of 1956")
LATER = _entity("Q2", "Imitation of Life", "American film of 1959")
BOOK = _entity("Q3", "Imitation of Life", "novel of 1933")
SIRK = _entity("Q76716", "Douglas Sirk", "film director", "Detlef Sierck")
HURST = _entity("Q5", "Fannie Hurst", "American novelist")
TURNER = _entity("Q6", "Lana Turner", "American actress")
ULM = _entity("Q3012", "Ulm", "city on the Danube")
GERMANY = _entity("Q183", "Germany", "country in Europe")
MOVIE = _entity("Q11424", "film", "moving pictures")
WORK = _entity("Q17537576", "creative work", "result of creativity")
CITY = _entity("Q515", "city", "large settlement")
NOVEL = _entity("Q8261", "novel", "long narrative")

DIRECTOR = _relation("P57", "director", "directed by")
AUTHOR = _relation("P50", "author", "written by")
CAST = _relation("P161", "cast member", "starring")
DATE_OF = _relation("P577", "publication date", "released")
COUNTRY = _relation("P17", "country")
PEOPLE = _relation("P1082", "population")
INSTANCE = _relation("P31", "instance of")
SUBCLASS = _relation("P279", "subclass of")
POINT = _relation("P585", "point in time")


def _people(where: Entity, count: str, year: str) -> Statement:
    return Statement(
        where, PEOPLE, Literal(count, DECIMAL), (Qualifier(POINT, Literal(year, YEAR)),)
    )


STATEMENTS = [
    Statement(FILM, DIRECTOR, SIRK),
    Statement(LATER, DIRECTOR, SIRK),
    Statement(FILM, DATE_OF, Literal("1956-12-25", DATE)),
    Statement(LATER, DATE_OF, Literal("1959", YEAR)),
    Statement(LATER, CAST, TURNER),
    Statement(BOOK, AUTHOR, HURST),
    Statement(ULM, COUNTRY, GERMANY),
    _people(ULM, "117977", "2009"),
    _people(ULM, "126790", "2019"),
    _people(GERMANY, "83155031", "2019"),
    Statement(FILM, INSTANCE, MOVIE),
    Statement(LATER, INSTANCE, MOVIE),
    Statement(BOOK, INSTANCE, NOVEL),
    Statement(ULM, INSTANCE, CITY),
    Statement(MOVIE, SUBCLASS, WORK),
    Statement(NOVEL, SUBCLASS, WORK),
]


def small_graph() -> EmbeddedGraph:
    entities = [FILM, LATER, BOOK, SIRK, HURST, TURNER, ULM, GERMANY, MOVIE, WORK, CITY, NOVEL]
    relations = [
        DIRECTOR,
        AUTHOR,
        CAST,
        DATE_OF,
        COUNTRY,
        PEOPLE,
        INSTANCE,
        SUBCLASS,
        POINT,
    ]
    return EmbeddedGraph.build("small", entities, relations, STATEMENTS)
