"""Facts as people are told them."""

import re

import pytest

from kgqa_core.facts import sentences
from kgqa_core.facts.common import SOURCE, common
from kgqa_core.facts.terms import (
    DECIMAL,
    STRING,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)


def fact(subject, relation, value, **more):
    value = value if isinstance(value, Literal) else Entity(f"wd:{value}", value)
    label = relation.replace(" ", "_")
    return Statement(
        Entity(f"wd:{subject}", subject), Relation(f"p:{label}", relation), value, **more
    )


@pytest.mark.parametrize(
    ("subject", "relation", "value", "said"),
    [
        ("Australia", "capital", "Canberra", "The capital of Australia is Canberra."),
        ("Ulm", "instance of", "city", "Ulm is a city."),
        ("Bali", "instance of", "island", "Bali is an island."),
        ("Ulm", "shares border with", "Neu-Ulm", "Ulm shares border with Neu-Ulm."),
        ("Ford", "founded by", "Henry Ford", "Ford was founded by Henry Ford."),
        ("Jaws", "followed by", "Jaws 2", "Jaws is followed by Jaws 2."),
        ("Ann", "award received", "Pulitzer", "The award received by Ann is Pulitzer."),
        ("Ann", "member of", "ABBA", "Ann is a member of ABBA."),
        ("Rome", "has_part(s)", "Trevi", "A part of Rome is Trevi."),
        ("Jaws", "in_language", "English", "Jaws is in language English."),
        (
            "United States",
            "capital",
            "Washington",
            "The capital of the United States is Washington.",
        ),
        ("eBay", "owned by", "Ann", "eBay is owned by Ann."),
        ("whale", "instance of", "mammal", "A whale is a mammal."),
        ("gold", "instance of", "metal", "Gold is a metal."),
        ("Jo Co.", "owner of", "Emma Co.", "Jo Co. is the owner of Emma Co."),
        ("area", "{v}", "{s}", "The {v} of area is {s}."),
        ("Ulm", "_", "118", "The relation of Ulm is 118."),
        ("Ann", "lives in", "Ulm", "Ann lives in Ulm."),
        ("Brenz", "flows into", "Danube", "Brenz flows into Danube."),
        ("Norvik", "is a", "firm", "Norvik is a firm."),
        ("Stew", "vegetarian", "no", "“vegetarian” is no for Stew."),
    ],
)
def test_a_fact_is_a_sentence(subject, relation, value, said):
    assert sentences.sentence(fact(subject, relation, value)) == said


def test_several_values_are_one_sentence():
    told = sentences.stated("Alien", "cast member", ["Ann", "Bo", "Cy"])
    assert sentences.ended(told) == "The cast members of Alien are Ann, Bo and Cy."
    assert (
        sentences.stated("Ares", "crew member(s)", ["A", "B"])
        == "the crew members of Ares are A and B"
    )
    assert sentences.stated("Ulm", "has part(s)", ["A", "B"]) == "parts of Ulm are A and B"


def test_details_stand_behind_the_value():
    since = Qualifier(Relation("p:580", "start time"), Literal("2005", STRING))
    said = sentences.sentence(fact("Totti", "spouse", "Blasi", qualifiers=(since,)))
    assert said == "The spouse of Totti is Blasi (start time: 2005)."


@pytest.mark.parametrize(
    ("name", "relation", "value", "said"),
    [
        ("penguin", "does", "swim", "Penguins swim."),
        ("penguins", "does", "swim", "Penguins swim."),
        ("wolf", "subclass of", "animal", "Wolves are a kind of animal."),
        ("iron", "does", "be magnetic", "Iron is magnetic."),
        ("dog", "legs", Literal("4", DECIMAL), "Dogs have 4 legs."),
        ("bird", "does", "be alive", "Birds are alive."),
        ("truck", "carries", "gravel", "Trucks carry gravel."),
        ("iron", "made from", "ore", "Iron is made from ore."),
    ],
)
def test_what_everybody_knows_is_said_of_all_of_a_kind(name, relation, value, said):
    assert sentences.sentence(fact(name, relation, value, source=SOURCE)) == said


def test_every_common_fact_reads_as_a_sentence():
    for entity in common().entities():
        for one in common().statements(entity):
            said = sentences.sentence(one)
            assert re.fullmatch(r"[A-Z\d][^—]+[a-z\d.°C²³]\.", said), said
