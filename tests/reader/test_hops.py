"""Along a relation: records, offices, roles beside whoever plays them."""

import pytest

from kgqa_core.facts.terms import STRING, YEAR, Literal, Qualifier, Relation
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.reader.reader import OUTDATED
from tests.reader.small import WD, ask, fact, of, thing

ANN, BEN, CAT = thing(1, "Ann Roth"), thing(2, "Ben Ask"), thing(3, "Cat Lund")
HUMAN, ACTOR, FILM = thing(5, "human"), thing(33999, "actor"), thing(11424, "film")
NORLAND, CLUB = thing(61, "Norland"), thing(62, "FC Norland")
DUSK, ZED_FILM = thing(71, "Long Dusk"), thing(83, "Zed")
JOE, ZED = thing(81, "Joe Brandt"), thing(82, "Zed", "the Zed")
FIRST = thing(91, "first person on Mount Hohe", "first woman on Mount Hohe")
BLACK = thing(92, "first bald mayor of Norland")
ROLE = Relation(WD + "P453", "character role")
GRAPH = [
    *(fact(who, "P31", "instance of", HUMAN) for who in (ANN, BEN, CAT)),
    *(fact(film, "P31", "instance of", FILM) for film in (DUSK, ZED_FILM)),
    fact(ANN, "P1000", "record held", FIRST),
    fact(BEN, "P1000", "record held", BLACK),
    fact(BEN, "P106", "occupation", ACTOR),
    fact(BEN, "P54", "member of sports team", CLUB),
    fact(DUSK, "P161", "cast member", BEN, Qualifier(ROLE, JOE)),
    fact(DUSK, "P161", "cast member", CAT, Qualifier(ROLE, ZED)),
]


@pytest.fixture(scope="module")
def graph() -> EmbeddedGraph:
    return of(GRAPH)


def test_a_record_is_found_by_its_name(graph):
    for question in (
        "Who was the first person on Mount Hohe?",
        "who is the first woman on mount hohe",
    ):
        answer = ask(graph, question)
        assert (answer.values, answer.certain) == ((ANN,), True)


def test_a_record_is_no_answer_by_a_part_of_its_name(graph):
    assert BEN not in ask(graph, "Who was the first mayor of Norland?").values


def test_a_role_is_found_by_a_part_of_its_name_beside_things_of_that_name(graph):
    assert ask(graph, "Who played Joe in Long Dusk?").values == (BEN,)
    assert ask(graph, "Which actor played Zed in Long Dusk?").values == (CAT,)


def test_a_team_without_dates_may_be_one_of_before(graph):
    answer = ask(graph, "What team does Ben Ask play for?")
    assert (answer.values, answer.certain) == ((CLUB,), False)
    assert answer.reading.endswith(OUTDATED)


def test_the_last_of_its_kind_is_a_record_too():
    graph = of([fact(CAT, "P1000", "record held", thing(95, "last queen of Norland"))])
    assert ask(graph, "Who was the last queen of Norland?").values == (CAT,)


def test_when_a_feast_is_is_not_when_a_film_called_so_came_out():
    film = thing(131, "Lantern Night")
    graph = of([fact(film, "P577", "publication date", Literal("1978", YEAR))])
    assert not ask(graph, "When is Lantern Night?").certain
    feast = fact(thing(132, "Reed Day"), "P837", "day in year", Literal("25 May", STRING))
    assert ask(of([feast]), "When is Reed Day?").values == (Literal("25 May", STRING),)


@pytest.mark.parametrize(
    "question",
    ["Who plays Nix in Long Dusk?", "who plays nix in long dusk", "voice of nix in long dusk"],
)
def test_a_cast_is_no_answer_to_who_plays_somebody_nobody_states(graph, question):
    answer = ask(graph, question)
    assert answer.values == ()


def test_who_held_an_office_when_something_ended():
    start, end = (
        Relation(WD + p, label) for p, label in (("P580", "start time"), ("P582", "end time"))
    )
    terms = {ANN: ("1940", "1944"), BEN: ("1944", "1950")}
    war = thing(154, "Reed War")
    graph = of(
        [
            *(
                fact(
                    NORLAND, "P6", "head of government", one,
                    Qualifier(start, Literal(first, YEAR)), Qualifier(end, Literal(last, YEAR)),
                )
                for one, (first, last) in terms.items()
            ),
            fact(war, "P582", "end time", Literal("1946", YEAR)),
        ]
    )  # fmt: skip
    for question in ("who was prime minister of norland when reed war ended",
                     "Who was prime minister of Norland when the Reed War ended?"):  # fmt: skip
        assert ask(graph, question).values == (BEN,), question


def test_the_actor_of_a_role_is_who_plays_it(graph):
    assert ask(graph, "Actor of Zed in Long Dusk").values == (CAT,)
