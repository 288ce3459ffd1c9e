"""What the reader claims of a graph that has only some of the children, films and mountains."""

import pytest

from kgqa_core.ask.events import Answer
from kgqa_core.facts.terms import (
    DECIMAL,
    STRING,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.reader.reader import OUTDATED
from tests.reader.small import ask, of

_WD = "http://www.wikidata.org/entity/"


def _thing(number: int, label: str, description: str = "") -> Entity:
    return Entity(f"{_WD}Q{number}", label, description)


def _relation(pid: str, label: str) -> Relation:
    return Relation(_WD + pid, label)


CHILD, CHILDREN = _relation("P40", "child"), _relation("P1971", "number of children")
DIRECTOR, KIND = _relation("P57", "director"), _relation("P31", "instance of")
HEIGHT = _relation("P2044", "elevation above sea level")
HELD, ORDINAL = _relation("P39", "position held"), _relation("P1545", "series ordinal")
NATIONALITY = _relation("P27", "country of citizenship")
START, CAPITAL = _relation("P580", "start time"), _relation("P36", "capital")

ANNA, BEN, CLARA = (_thing(n, x) for n, x in ((1, "Anna Berg"), (2, "Ben Berg"), (3, "Clara Roth")))
HUMAN, FILM, MOUNTAIN = _thing(5, "human"), _thing(11424, "film"), _thing(8502, "mountain")
DUSK, DAWN = _thing(21, "Long Dusk"), _thing(22, "Short Dawn")
HIGH, LOW = _thing(31, "Hohe Spitze"), _thing(32, "Kleiner Kopf")
OFFICE = _thing(41, "president of Norland")
FIRST, SECOND = _thing(42, "Nils Nord", "2nd president of Norland"), _thing(43, "Ole Nord")
THIRD = _thing(44, "Per Nord")
ZORRO, ZORRO_FILM = _thing(51, "Zorro", "masked man"), _thing(52, "Zorro", "film of 1998")
CHARACTER = _thing(53, "fictional human")
NORLAND, SUDLAND = _thing(61, "Norland"), _thing(62, "Sudland")
OSTAD, WESTAD = _thing(63, "Ostad"), _thing(64, "Westad")


def _height(where: Entity, metres: str) -> Statement:
    return Statement(where, HEIGHT, Literal(metres, DECIMAL))


def _presided(who: Entity, qualifier: Relation, value: Literal) -> Statement:
    return Statement(who, HELD, OFFICE, (Qualifier(qualifier, value),))


def asked(question: str, *statements: Statement) -> Answer:
    return ask(of(statements), question)


def said(found: Answer) -> set[str]:
    return {v.value if isinstance(v, Literal) else v.label for v in found.values}


FILMS = [
    Statement(film, relation, value)
    for film in (DUSK, DAWN)
    for relation, value in ((DIRECTOR, CLARA), (KIND, FILM))
]


def test_one_film_is_enough_where_one_is_asked_for():
    assert asked("Which film did Clara Roth direct?", *FILMS[:2]).certain
    found = asked("Which films did Clara Roth direct?", *FILMS)
    assert said(found) == {"Long Dusk", "Short Dawn"}
    assert not found.certain


def test_who_directed_a_film_is_all_there():
    assert asked("Who directed Long Dusk?", *FILMS).certain


@pytest.mark.parametrize(
    "question", ["What nationality is Clara Roth?", "What nationality was Clara Roth"]
)
def test_of_several_nationalities_none_is_the_one(question):
    norland, sudland = (Statement(CLARA, NATIONALITY, land) for land in (NORLAND, SUDLAND))
    assert asked(question, norland).certain
    found = asked(question, norland, sudland)
    assert said(found) == {"Norland", "Sudland"}
    assert not found.certain


MOUNTAINS = [Statement(HIGH, KIND, MOUNTAIN), Statement(LOW, KIND, MOUNTAIN)]


def test_the_highest_of_some_mountains_need_not_be_the_highest():
    found = asked(
        "What is the highest mountain?", *MOUNTAINS, _height(HIGH, "3000"), _height(LOW, "900")
    )
    assert said(found) == {"Hohe Spitze"}
    assert not found.certain


def test_the_highest_is_certain_when_its_description_says_so():
    known = Entity(HIGH.id, HIGH.label, "highest mountain of the world")
    found = asked(
        "What is the highest mountain?",
        Statement(known, KIND, MOUNTAIN), MOUNTAINS[1], _height(known, "3000"), _height(LOW, "900"),
    )  # fmt: skip
    assert said(found) == {"Hohe Spitze"}
    assert found.certain


def test_few_values_tell_no_superlative():
    hills = [Statement(_thing(70 + n, f"Hill {n}"), KIND, MOUNTAIN) for n in range(6)]
    found = asked("What is the highest mountain?", *hills, *MOUNTAINS, _height(LOW, "900"))
    assert not found.sentences
    assert "of 1 of 8" in found.reason


TERMS = [
    _presided(SECOND, ORDINAL, Literal("1", STRING)),
    _presided(FIRST, START, Literal("1900", YEAR)),
    _presided(THIRD, START, Literal("1800", YEAR)),
]


@pytest.mark.parametrize(("ordinal", "name"), [("first", "Ole Nord"), ("second", "Nils Nord")])
def test_holders_of_an_office_are_numbered_not_dated(ordinal, name):
    found = asked(f"Who was the {ordinal} president of Norland?", *TERMS)
    assert said(found) == {name}
    assert found.certain


HEAD = _relation("P6", "head of government")


@pytest.mark.parametrize(
    "question", ["Who is the mayor of Ostad?", "Whose child is the mayor of Ostad?"]
)
def test_who_governs_may_have_changed_where_nothing_says_since_when(question):
    family = [Statement(ANNA, CHILD, BEN), Statement(ANNA, KIND, HUMAN)]
    since = (Qualifier(START, Literal("2020", YEAR)),)
    undated = asked(question, Statement(OSTAD, HEAD, BEN), *family)
    assert not undated.certain
    assert undated.reading.endswith(OUTDATED)
    assert not asked(question, Statement(OSTAD, HEAD, BEN, since), *family).reading.endswith(
        OUTDATED
    )


def test_who_asks_for_somebody_not_for_the_film_about_them():
    named = [
        Statement(ZORRO, KIND, CHARACTER),
        Statement(ZORRO_FILM, KIND, FILM),
        Statement(ZORRO_FILM, DIRECTOR, CLARA),
    ]
    assert said(asked("Who is Zorro?", *named)) == {"fictional human"}
    film = asked("Who is Zorro?", *named[1:])
    assert not film.certain
