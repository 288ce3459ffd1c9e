"""Along a relation: records, offices, roles beside whoever plays them."""

import pytest

from kgqa_core.facts.terms import DATE, STRING, YEAR, Entity, Literal, Qualifier, Relation
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.reader.reader import OUTDATED
from tests.reader.small import WD, ask, fact, held, named, of, thing

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


MAYOR, POPE = thing(93, "mayor of Norland", "queen of Norland"), thing(94, "pope")


def terms(office: Entity) -> EmbeddedGraph:
    """Three who held an office one after the other, weeks apart."""
    start, end = Relation(WD + "P580", "start time"), Relation(WD + "P582", "end time")
    held = [(ANN, "1970-03-02", "1978-08-06"), (BEN, "1978-08-26", "1978-09-28")]
    held.append((CAT, "1978-10-16", "1990-01-05"))
    return of(
        [
            fact(
                person, "P39", "position held", office,
                Qualifier(start, Literal(a, DATE)), Qualifier(end, Literal(b, DATE)),
            )
            for person, a, b in held
        ]
    )  # fmt: skip


@pytest.mark.parametrize(
    ("question", "who"),
    [
        ("Who was mayor of Norland before Ben Ask?", ANN),
        ("Who was mayor of Norland after Ann Roth?", BEN),
        ("Who was mayor of Norland before Cat Lund?", BEN),
        ("Who was mayor of Norland before Ann Roth?", None),
    ],
)
def test_an_office_may_stand_empty_for_weeks_between_two(question, who):
    assert ask(terms(MAYOR), question).values == ((who,) if who else ())


def test_an_office_of_one_word_has_holders_at_a_time_and_before_one():
    graph = terms(POPE)
    assert ask(graph, "Who was pope in 1975?").values == (ANN,)
    assert ask(graph, "Who was the pope in 1985?").values == (CAT,)
    assert ask(graph, "Who was pope before Cat Lund?").values == (BEN,)


def test_an_office_is_known_by_each_of_its_names():
    assert ask(terms(MAYOR), "Who was queen before Cat Lund?").values == (BEN,)


def test_what_a_museum_holds_is_in_it_and_in_its_city():
    picture, museum, city = (
        thing(701, "The Grey Boat"),
        thing(702, "Orm House"),
        thing(703, "Ormby"),
    )
    kinds = ((museum, thing(33506, "museum")), (city, thing(6256, "country")))
    graph = of(
        [
            fact(picture, "P276", "location", museum),
            fact(museum, "P131", "located in the administrative territorial entity", city),
            fact(museum, "P17", "country", city),
            *(fact(one, "P31", "instance of", kind) for one, kind in kinds),
        ]
    )
    assert ask(graph, "Which museum holds The Grey Boat?").values == (museum,)
    question = "In which country is the museum that displays The Grey Boat?"
    assert ask(graph, question).values == (city,)


@pytest.mark.parametrize("question", ["Who plays Zed?", "Who portrayed Zed?"])
def test_who_plays_a_part_is_never_the_whole_cast_of_a_film_called_so(question):
    cast = [
        fact(ZED_FILM, "P31", "instance of", FILM),
        *(fact(ZED_FILM, "P161", "cast member", who) for who in (ANN, BEN)),
    ]
    assert not ask(of(cast), question).values
    assert set(ask(of(cast), "Who plays in Zed?").values) == {ANN, BEN}
    part = [
        fact(ZED, "P31", "instance of", thing(95074, "fictional character")),
        fact(ZED, "P175", "performer", CAT),
    ]
    assert ask(of([*cast, *part]), question).values == (CAT,)


def test_what_ended_a_war_is_asked_by_the_verb():
    war, peace = thing(921, "Hen War"), thing(922, "Peace of Orm")
    graph = of(
        [
            fact(war, "P1534", "end cause", peace),
            fact(war, "P582", "end time", Literal("1648", YEAR)),
            fact(peace, "P31", "instance of", thing(131569, "treaty")),
        ]
    )
    assert ask(graph, "Which treaty ended the Hen War?").values == (peace,)
    assert ask(graph, "Which war did the Peace of Orm end?").values == (war,)
    assert ask(graph, "When did the Hen War end?").values == (Literal("1648", YEAR),)


def test_what_a_common_thing_is_tells_of_no_namesake_and_of_no_members():
    club, bridge = thing(931, "Orm Forest FC", "Forest"), thing(933, "bridge")
    graph = of(
        [
            fact(club, "P31", "instance of", thing(932, "football club")),
            fact(thing(934, "oak"), "P31", "instance of", thing(935, "tree")),
            *(fact(thing(n, f"Hen Bridge {n}"), "P31", "instance of", bridge) for n in (936, 937)),
        ]
    )
    assert not ask(graph, "What is a forest?").values
    assert named(ask(graph, "What is Forest?")) == {"football club"}
    assert named(ask(graph, "What is an oak?")) == {"tree"}
    assert not ask(graph, "What is a bridge?").values
    assert len(ask(graph, "Which bridges are there?").values) == 2


@pytest.mark.parametrize(
    "question",
    ["What language family does Orvish belong to?", "Which language family is Orvish in?"],
)
def test_the_family_of_a_language_is_the_wider_class(question):
    tongue, family = thing(941, "Orvish"), thing(942, "Norvic languages")
    graph = of(
        [
            fact(tongue, "P279", "subclass of", family),
            fact(family, "P31", "instance of", thing(943, "language family")),
        ]
    )
    assert ask(graph, question).values == (family,)


def test_all_who_held_an_office_in_a_decade_are_told() -> None:
    office = thing(9, "mayor of Orvel")
    terms = {"Ann Roth": (1969, 1974), "Ben Ask": (1974, 1977), "Cal Dun": (1977, 1985)}
    people = {name: thing(n, name) for n, name in enumerate(terms, 1)}
    kg = of([held(people[name], office, *years) for name, years in terms.items()])
    found = ask(kg, "Who was mayor of Orvel in the 1970s?")
    assert named(found) == set(terms)
    assert not found.certain
    assert named(ask(kg, "Who was mayor of Orvel in 1975?")) == {"Ben Ask"}


@pytest.mark.parametrize(
    ("question", "values"),
    [
        ("Who discovered ulmin in 1950?", ()),
        ("Which chemist discovered ulmin in 1950?", ()),
    ],
)
def test_the_year_of_a_deed_is_when_it_was_done_and_no_birth(question, values):
    chemist, ulmin = thing(593644, "chemist"), thing(300, "ulmin")
    year = {who: Literal(f"{n}", YEAR) for who, n in ((ANN, 1890), (BEN, 1921), (CAT, 1950))}
    graph = of(
        [
            fact(ulmin, "P61", "discoverer or inventor", ANN),
            fact(ulmin, "P575", "time of discovery or invention", Literal("1921", YEAR)),
            *(fact(who, "P106", "occupation", chemist) for who in year),
            *(fact(who, "P31", "instance of", HUMAN) for who in year),
            *(fact(who, "P569", "date of birth", born) for who, born in year.items()),
        ]
    )
    assert ask(graph, question).values == values


@pytest.mark.parametrize("verb", ["called", "nicknamed", "known as"])
def test_which_of_a_kind_goes_by_a_name_is_the_one_that_bears_it(verb: str) -> None:
    dun = thing(1, "Dun", "the Grey Pearl")
    kg = of([fact(dun, "P31", "instance of", thing(2, "city"))])
    assert named(ask(kg, f"Which city is {verb} the Grey Pearl?")) == {"Dun"}


def test_what_is_ones_own_is_no_thing_of_the_graph() -> None:
    dog, kind = thing(1, "dog"), thing(2, "mammal")
    kg = of([fact(dog, "P31", "instance of", kind)])
    assert named(ask(kg, "What is a dog?")) == {"mammal"}
    assert not ask(kg, "What is my dog's name?").values
