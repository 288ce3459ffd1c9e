"""Of several things of one name: whether the question says which is meant."""

from __future__ import annotations

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.namesakes import undecided
from kgqa_core.ask.run import Steps, Toolkit, run
from kgqa_core.facts.terms import DATE, DECIMAL, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.ask.test_run import Params

WD = "http://www.wikidata.org/entity/"
SON = Entity(f"{WD}Q1", "Olav Brekke", "president of Orvel")
FATHER = Entity(f"{WD}Q2", "Olav Henrik Brekke", "fisherman, born in 1911", ("Olav Brekke",))
WIFE = Entity(f"{WD}Q3", "Marit Brekke", "")
HUMAN, SHIP = Entity(f"{WD}Q5", "human", ""), Entity(f"{WD}Q6", "ship", "")
VESSEL = Entity(f"{WD}Q7", "Olav Brekke", "vessel")
TOWN, OTHER_TOWN = (
    Entity(f"{WD}Q8", "Vessby", ""),
    Entity(f"{WD}Q9", "Vessby", "harbour town in Laund Islands"),
)
ORVEL, LAUND = Entity(f"{WD}Q10", "Orvel", ""), Entity(f"{WD}Q11", "Laund", "")
SPOUSE, BORN = Relation(f"{WD}P26", "spouse"), Relation(f"{WD}P569", "date of birth")
HEAD, KIND = Relation(f"{WD}P35", "head of state"), Relation(f"{WD}P31", "instance of")
COUNTRY, PEOPLE = Relation(f"{WD}P17", "country"), Relation(f"{WD}P1082", "population")

WEDDING = Statement(FATHER, SPOUSE, WIFE)
BIRTH = Statement(FATHER, BORN, Literal("1911-03-02", DATE))
LIES = Statement(TOWN, COUNTRY, ORVEL)
ALL = (
    WEDDING,
    BIRTH,
    LIES,
    Statement(SON, KIND, HUMAN),
    Statement(FATHER, KIND, HUMAN),
    Statement(VESSEL, KIND, SHIP),
    Statement(ORVEL, HEAD, SON),
    Statement(LAUND, HEAD, SON),
    Statement(OTHER_TOWN, COUNTRY, LAUND),
    Statement(OTHER_TOWN, PEOPLE, Literal("1200", DECIMAL)),
)


def graph() -> EmbeddedGraph:
    things = [SON, FATHER, WIFE, HUMAN, SHIP, VESSEL, TOWN, OTHER_TOWN, ORVEL, LAUND]
    return EmbeddedGraph.build("small", things, [SPOUSE, BORN, HEAD, KIND, COUNTRY, PEOPLE], ALL)


def others(question: str, mention: str, *cited: Statement, more: str = "") -> list[str]:
    kg = graph()
    linked = {name: kg.search([name], 8)[0] for name in (mention, more) if name}
    found = undecided(question, cited, linked, kg.relations_of)
    return [entity.description for taken in found for entity in taken.others]


def test_a_better_known_namesake_of_which_nothing_is_stated_may_be_meant() -> None:
    said = others("Who is the wife of Olav Brekke?", "Olav Brekke", WEDDING)
    assert said == ["president of Orvel"]  # the vessel is no human, and has no wife


def test_more_words_than_a_name_has_say_nothing() -> None:
    longer = "Olav Brekke in 1950"
    asked = f"Who was the wife of {longer}?"
    assert others(asked, "Olav Brekke", WEDDING, more=longer) == ["president of Orvel"]


def test_the_question_says_which_by_a_word_or_a_year() -> None:
    assert not others("Who is the wife of the fisherman Olav Brekke?", "Olav Brekke", WEDDING)
    assert not others("Who is the wife of Olav Brekke, born 1911?", "Olav Brekke", WEDDING)


def test_initials_say_which_as_well() -> None:
    lies = Statement(OTHER_TOWN, COUNTRY, LAUND)
    assert not others("In which country is the LI Vessby?", "Vessby", lies)


def test_things_of_one_name_that_both_have_what_is_asked_are_not_told_apart() -> None:
    assert others("In which country is Vessby?", "Vessby", LIES) == [
        "harbour town in Laund Islands"
    ]


def test_a_relation_that_only_one_has_tells_them_apart() -> None:
    twin = Statement(TOWN, HEAD, SON)
    assert not others("Who is head of Vessby?", "Vessby", twin)


def test_what_is_only_called_so_is_not_meant_for_being_better_known() -> None:
    land = Entity(f"{WD}Q12", "Marrow", "historical region")
    port = Entity(f"{WD}Q13", "Port Marrow", "free city", ("Marrow",))
    film = Entity(f"{WD}Q14", "Marrow Nights", "")
    set_in = Relation(f"{WD}P840", "narrative location")
    head = Statement(port, HEAD, SON)
    facts = [head, Statement(film, set_in, port), Statement(film, set_in, land)]
    facts.append(Statement(VESSEL, COUNTRY, port))
    things = [land, port, film, SON, VESSEL]
    kg = EmbeddedGraph.build("lands", things, [HEAD, set_in, COUNTRY], facts)
    linked = {name: kg.search([name], 8)[0] for name in ("Marrow", "Port Marrow")}
    found = undecided("Who is the head of Marrow?", [head], linked, kg.relations_of)
    assert [taken.others for taken in found] == [(land,)]
    assert not undecided("Who is the head of Port Marrow?", [head], linked, kg.relations_of)


def test_a_longer_name_says_which_is_meant() -> None:
    kg = graph()
    linked = dict(zip(names := ["Olav Henrik Brekke", "Brekke"], kg.search(names, 8), strict=True))
    asked = "Who is the wife of Olav Henrik Brekke?"
    assert not undecided(asked, [WEDDING], linked, kg.relations_of)


def test_what_the_question_does_not_name_is_not_in_doubt() -> None:
    assert not others("Which place is in Orvel?", "Vessby", LIES)


def test_an_answer_from_one_of_two_is_not_certain_and_the_trace_says_which() -> None:
    def solve(question: str, tools: Toolkit, params: Params) -> Steps[Answer]:
        yield from tools.link(["Vessby"])
        told = Sentence(text="Orvel.", cites=(0,))
        return Answer(sentences=(told,), values=(ORVEL,), citations=(LIES,))

    tools = Toolkit(graph(), Offline(None))
    records = list(run("In which country is Vessby?", solve, tools, Params()))
    *_, noted, answered = (record.event for record in records)
    assert isinstance(answered, events.Answered)
    assert not answered.answer.certain
    assert isinstance(noted, events.Noted)
    assert "Vessby (harbour town in Laund Islands)" in noted.text


def test_methods_that_link_names_alike_are_not_certain_of_them() -> None:
    for name in ("compass", "react", "one-hop"):
        chosen = METHODS[name]
        tools = Toolkit(graph(), Offline(None))
        last = list(run("In which country is Vessby?", chosen.solve, tools, chosen.params()))[-1]
        assert isinstance(last.event, events.Answered), name
        assert not last.event.answer.certain, name


def test_a_number_or_a_generation_at_the_end_makes_no_other_name() -> None:
    bare = Entity(f"{WD}Q20", "Jon Straum", "composer")
    other = Entity(f"{WD}Q21", "Jon Straum II", "composer of dances")
    younger = Entity(f"{WD}Q22", "Jon Straum the Younger", "composer of masses")
    longer = Entity(f"{WD}Q23", "Jon Straum Larsen", "composer of songs")
    born = [Statement(e, BORN, Literal("1820", DECIMAL)) for e in (bare, other, younger, longer)]
    kg = EmbeddedGraph.build("small", [bare, other, younger, longer], [BORN], born)
    linked = {"Jon Straum": kg.search(["Jon Straum"], 8)[0]}
    (taken,) = undecided("When was Jon Straum born?", born[:1], linked, kg.relations_of)
    assert {e.label for e in taken.others} == {"Jon Straum II", "Jon Straum the Younger"}


def test_a_last_name_may_mean_somebody_better_known_of_the_same_kind() -> None:
    called = Entity(f"{WD}Q30", "Straum", "singer")
    known = Entity(f"{WD}Q31", "Jon Straum", "composer")
    little = Entity(f"{WD}Q32", "Per Straum", "painter")
    ship = Entity(f"{WD}Q33", "MS Straum", "ship")
    facts = [Statement(e, BORN, Literal("1820", DECIMAL)) for e in (called, known, little, ship)]
    facts += [
        Statement(e, KIND, SHIP if e == ship else HUMAN) for e in (called, known, little, ship)
    ]
    facts += [Statement(ORVEL, HEAD, known), Statement(ORVEL, HEAD, ship)]
    things = [called, known, little, ship, HUMAN, SHIP, ORVEL]
    kg = EmbeddedGraph.build("small", things, [BORN, KIND, HEAD], facts)
    linked = {"Straum": kg.search(["Straum"], 8)[0]}
    (taken,) = undecided("When was Straum born?", facts[:1], linked, kg.relations_of)
    assert taken.others == (known,)
