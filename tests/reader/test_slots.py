"""What fills the open places of families: times, numbers, measures, places."""

import pytest

from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.methods.r3.skills import ToSurface
from kgqa_core.reader import slots
from kgqa_core.reader.commonsense import commonsense
from kgqa_core.reader.surfacer import Surfacer
from tests.reader.world import told, world


def test_it_is_no_profession():
    assert "IT" not in commonsense().professions.values()


@pytest.mark.parametrize("where", ["southern Salt Harbour", "the south of Salt Harbour"])
def test_in_the_south_is_not_further_south(where):
    said, _, rules = told(f"Is Port Amaro in {where}?", world())
    assert said == ""
    assert not any("further" in rule for rule in rules)


def test_a_state_is_not_by_the_sea_because_its_country_is():
    norway = Entity("urn:norway", "Norway", "state in Europe")
    state = Entity("urn:lowmead", "Lowmead", "state of Norway")
    whole = Entity("urn:mainland", "mainland Norway")
    part = Relation("http://www.wikidata.org/entity/P361", "part of")
    graph = EmbeddedGraph.build(
        "coasts", [norway, state, whole], [part], [Statement(state, part, whole)]
    )
    assert told("Does Norway have beaches?", graph)[0] == "Yes"
    assert told("Does Lowmead have beaches?", graph)[0] == ""


ANN = Entity("urn:ann", "Ann Tammik")
HUMAN = Entity("http://www.wikidata.org/entity/Q5", "human")
KIND = Relation("http://www.wikidata.org/entity/P31", "instance of")


def fills(slot: slots.Reader, question: str) -> list[slots.Fill]:
    """What fills a place of a rule about Ann Tammik."""
    facts = [Statement(ANN, KIND, HUMAN)]
    given = ToSurface(question=question, task="question", anchors=["Ann Tammik"], facts=facts)
    q = Surfacer(given, commonsense())
    return list(slot(q, q.subjects[0], None))


@pytest.mark.parametrize(
    ("question", "constants", "operator"),
    [
        ("Was Ann Tammik alive in 1911?", ("1911", "1911"), "overlaps"),
        ("Was Ann Tammik born before 1911?", ("0001", "1911"), "overlaps"),
        ("Did Ann Tammik live after 1911?", ("1911",), "≥"),
        ("Was Ann Tammik born in the 19th century?", ("1801", "1900"), "overlaps"),
        ("Was Ann Tammik born in the 1920s?", ("1920", "1929"), "overlaps"),
    ],
)
def test_times_are_taken_as_the_question_writes_them(question, constants, operator):
    (found,) = fills(slots.year, question)
    assert (found.constants, found.operator) == (constants, operator)


@pytest.mark.parametrize(
    ("question", "number", "operator"),
    [
        ("Did Ann Tammik have more than three children?", "3", ">"),
        ("Did Ann Tammik have fewer than three children?", "3", "<"),
        ("Did Ann Tammik have at least two children?", "2", "≥"),
        ("Did Ann Tammik have several children?", "2", "≥"),
    ],
)
def test_a_number_is_held_against_as_the_question_says(question, number, operator):
    found = fills(slots.number, question)
    assert [(f.constants, f.operator) for f in found] == [((number,), operator)]


def test_what_is_counted_is_a_group_of_relations():
    (found,) = fills(slots.countable, "How many children would Ann Tammik need?")
    assert (found.words, found.group) == ("children", "child")


@pytest.mark.parametrize(
    ("question", "operator"), [("Is Ann Tammik taller?", ">"), ("Is Ann Tammik shorter?", "<")]
)
def test_a_comparative_says_what_is_measured(question, operator):
    (found, *_) = fills(slots.measure, question)
    assert (found.group, found.operator) == ("height", operator)


def test_somebody_in_their_fifties_is_between_two_ages():
    (found,) = fills(slots.years, "Was Ann Tammik in her fifties?")
    assert (found.constants, found.operator) == (("50",), "≥")
    assert found.also is not None
    assert (found.also.constants, found.also.operator) == (("60",), "<")


def test_of_what_a_question_does_not_say_nothing_is_filled():
    for slot in (slots.year, slots.number, slots.measure, slots.years, slots.tongue, slots.money):
        assert fills(slot, "Is Ann Tammik happy?") == []
