"""What a noun stands for, and which things are of a kind."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, drain, run
from kgqa_core.facts.terms import DECIMAL, YEAR, Literal, Qualifier, Relation
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS, react
from kgqa_core.search.index import Index
from tests.reader.small import WD, ask, fact, of, thing
from tests.servers.chroma import word_encoder

FILM, NORLAND, SHIRE, RED, DUSK, DAWN = (
    thing(n, name)
    for n, name in enumerate(("film", "Norland", "Shire", "Red Bay", "Long Dusk", "Zed"), 1)
)
SKY, STAR, PLANET = thing(161, "Sol"), thing(162, "star"), thing(634, "planet")
MOON, ROCK = thing(163, "moon"), thing(164, "asteroid")


def test_what_goes_round_something_is_no_moon_for_that():
    bodies = {thing(191, "Ios"): MOON, thing(192, "Eurus"): MOON, thing(193, "Grain"): ROCK}
    facts = [fact(SKY, "P398", "child astronomical body", body) for body in bodies]
    facts += [fact(body, "P31", "instance of", kind) for body, kind in bodies.items()]
    answer = ask(of(facts), "How many moons does Sol have?")
    assert answer.text.startswith("2")
    unsorted = ask(of(facts[:3]), "How many moons does Sol have?")
    assert not (unsorted.values and unsorted.certain)


def test_a_group_is_told_by_its_own_name_and_not_as_all_of_a_kind():
    lake, lakes, great = thing(171, "lake"), thing(172, "Great Lakes"), thing(173, "Ansel")
    facts = [fact(thing(n, f"Mere {n}"), "P31", "instance of", lake) for n in range(174, 178)]
    facts += [fact(great, "P31", "instance of", lake), fact(lakes, "P527", "has part(s)", great)]
    answer = ask(of(facts), "list the great lakes")
    assert [v.name for v in answer.values] == ["Ansel"]


@pytest.mark.parametrize("kind", ["county", "region"])
def test_what_a_place_lies_in_is_no_county_for_that(kind):
    state = thing(188, "federal state")
    lies = "located in the administrative territorial entity"
    facts = [fact(RED, "P131", lies, SHIRE), fact(SHIRE, "P131", lies, NORLAND)]
    facts += [fact(SHIRE, "P31", "instance of", state)]
    facts += [fact(NORLAND, "P31", "instance of", thing(6256, "country"))]
    assert not ask(of(facts), f"which {kind} is red bay in").values
    assert ask(of(facts), "which country is red bay in").values == (NORLAND,)
    assert ask(of(facts), "which state is red bay in").values == (SHIRE,)


def test_a_constituent_country_is_a_country_and_a_former_one_is_none():
    part, gone = thing(185, "constituent country of Norland"), thing(186, "former country")
    graph = of(
        [
            fact(NORLAND, "P527", "has part(s)", SHIRE),
            fact(NORLAND, "P527", "has part(s)", RED),
            fact(SHIRE, "P31", "instance of", part),
            fact(RED, "P31", "instance of", gone),
        ]
    )
    assert ask(graph, "How many countries make up Norland?").text.startswith("1")


def test_films_of_a_series_are_counted_as_such():
    series = thing(207, "Reed Saga")
    facts = [fact(film, "P179", "part of the series", series) for film in (DUSK, DAWN)]
    graph = of([*facts, *(fact(film, "P31", "instance of", FILM) for film in (DUSK, DAWN))])
    assert ask(graph, "how many reed saga films are there").text.startswith("2")
    assert not ask(graph, "how many reed saga songs are there").values


def test_what_a_thing_is_does_not_answer_for_a_noun_that_it_is_not():
    moon = thing(211, "Lesser Eye")
    facts = [fact(moon, "P31", "instance of", MOON), fact(PLANET, "P279", "subclass of", STAR)]
    facts.append(fact(thing(212, "Hesper"), "P31", "instance of", PLANET))
    assert ask(of(facts), "Planet of Lesser Eye").values == ()
    assert ask(of(facts), "What is Lesser Eye?").values == (MOON,)


@pytest.mark.parametrize(
    ("kind", "noun", "verdict"),
    [
        ("dwarf planet", "planet", "No"),
        ("gas planet", "planet", "Yes"),
        ("fictional city", "city", "No"),
    ],
)
def test_what_is_called_a_dwarf_or_fictional_one_is_none(kind, noun, verdict):
    rows = [("Ymir", "instance of", kind), ("Ymir", "instance of", "thing")]
    tools = Toolkit(from_rows(rows, name="kinds"), Offline())
    answer, _ = drain(react.solve(f"Is Ymir a {noun}?", tools, react.Params()))
    assert answer.text.startswith(verdict) or (verdict == "No" and not answer.sentences)


def test_of_given_facts_whose_ends_say_no_kind_all_are_told_and_none_is_certain():
    orvel, nord, sund, country = (thing(n, name) for n, name in
                                  enumerate(("Orvel", "Nord", "Sund", "country"), 71))  # fmt: skip
    graph = of(
        [
            *(fact(one, "P31", "instance of", country) for one in (orvel, nord, sund)),
            fact(orvel, "P47", "shares border with", nord),
            fact(orvel, "P47", "shares border with", sund),
            fact(nord, "P17", "country", orvel),
        ]
    )
    method = METHODS["one-hop"]
    for question in ("Which countries border Orvel?", "Which countries does Orvel border?"):
        records = run(question, method.solve, Toolkit(graph, Offline()), method.params())
        answer = answer_of(list(records))
        assert {value.name for value in answer.values} == {"Nord", "Sund"}
        assert not answer.certain


@pytest.mark.parametrize(
    "name", ["compass", "react", "one-hop", "kaping", "tog", "structgpt", "pgakv", "oda"]
)
def test_an_ended_neighbour_is_left_out_and_one_of_no_stated_kind_is_not_certain(name, tmp_path):
    orvel, nord, sund, old, country = (
        thing(n, label)
        for n, label in enumerate(("Orvel", "Nord", "Sund", "Old Realm", "country"), 71)
    )
    until = Qualifier(Relation(f"{WD}P582", "end time"), Literal("1831", YEAR))
    graph = of(
        [
            *(fact(one, "P31", "instance of", country) for one in (orvel, nord)),
            *(fact(orvel, "P47", "shares border with", one) for one in (nord, sund)),
            fact(orvel, "P47", "shares border with", old, until),
        ]
    )
    method = METHODS[name]
    tools = Toolkit(graph, Offline(), index=Index(graph, word_encoder(tmp_path), tmp_path))
    records = run("Which countries border Orvel?", method.solve, tools, method.params())
    answer = answer_of(list(records))
    assert {value.name for value in answer.values} == {"Nord", "Sund"}
    assert not answer.certain


@pytest.mark.parametrize(("said", "whole"), [("3", True), ("4", False)])
def test_a_list_is_whole_where_it_has_as_many_as_are_said_to_be_there(said: str, whole: bool):
    land, shire = thing(801, "Orvel"), thing(802, "shire of Orvel")
    shires = [thing(810 + n, name) for n, name in enumerate(("Falk", "Hohn", "Selo"))]
    number = Qualifier(Relation(WD + "P1114", "quantity"), Literal(said, DECIMAL))
    graph = of(
        [
            fact(land, "P527", "has part(s)", thing(803, "shire"), number),
            *(fact(one, "P31", "instance of", shire) for one in shires),
            *(fact(one, "P17", "country", land) for one in (*shires, thing(804, "Hen Hall"))),
        ]
    )
    for question in ("What are the shires of Orvel?", "Which shires make up Orvel?"):
        found = ask(graph, question)
        assert set(found.values) == set(shires)
        assert found.certain == whole


@pytest.mark.parametrize("name", ["compass", "react", "one-hop", "kaping", "tog", "structgpt"])
@pytest.mark.parametrize(
    ("pid", "label", "question"),
    [
        ("P150", "contains the administrative territorial entity",
         "What does Orvel contain?"),
        ("P463", "member of", "What is Orvel a member of?"),
        ("P131", "located in the administrative territorial entity", "Where is Orvel located?"),
        ("P122", "basic form of government", "What is the basic form of government of Orvel?"),
    ],
)  # fmt: skip
def test_what_has_ended_is_not_told_of_today(name, pid, label, question, tmp_path):
    """Districts, memberships, where a place lies and how it is governed change in time."""
    kind = {"P150": "district"}.get(pid, "body")
    orvel, nord, old, sort = (
        thing(n, text) for n, text in enumerate(("Orvel", "Nord", "Old Realm", kind), 71)
    )
    until = Qualifier(Relation(f"{WD}P582", "end time"), Literal("1831", YEAR))
    graph = of(
        [
            *(fact(one, "P31", "instance of", sort) for one in (nord, old)),
            fact(orvel, pid, label, nord),
            fact(orvel, pid, label, old, until),
        ]
    )
    method = METHODS[name]
    tools = Toolkit(graph, Offline(), index=Index(graph, word_encoder(tmp_path), tmp_path))
    answer = answer_of(list(run(question, method.solve, tools, method.params())))
    assert [value.name for value in answer.values] == ["Nord"]


def test_what_one_relation_leads_to_is_a_kind_by_it():
    team = [("Ann Roth", "striker"), ("Cat Lund", "striker"), ("Ben Ask", "keeper")]
    graph = from_rows([(who, "position", what) for who, what in team], name="team")
    found = ask(graph, "Who are the strikers?")
    assert {v.name for v in found.values} == {"Ann Roth", "Cat Lund"}
    assert not found.certain


@pytest.mark.parametrize("noun", ["team", "side", "nation"])
def test_a_country_that_won_is_the_team_that_won(noun):
    cup, orvel, pact = thing(301, "Golden Mast"), thing(302, "Orvel"), thing(303, "Sea Pact")
    kinds = [(cup, thing(304, "sports event")), (orvel, thing(6256, "country"))]
    facts = [fact(one, "P31", "instance of", kind) for one, kind in kinds]
    facts += [fact(cup, "P1346", "winner", orvel), fact(orvel, "P463", "member of", pact)]
    facts.append(fact(pact, "P31", "instance of", thing(305, "organization")))
    assert ask(of(facts), f"Which {noun} won the Golden Mast?").values == (orvel,)
