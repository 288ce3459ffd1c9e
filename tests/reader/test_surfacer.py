"""Whom a question is about, and what it brings up of them."""

import pytest

from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import from_rows
from kgqa_core.methods.r3.skills import ToSurface
from kgqa_core.reader.commonsense import commonsense
from kgqa_core.reader.interpret import stated
from kgqa_core.reader.surfacer import GROUP_WORDS, Surfacer, negative
from tests.reader.world import ROWS, told, world


def test_whoever_has_an_apostrophe_at_the_end_has_a_life_of_their_own():
    rows = [
        ["Ibn Suf", "instance of", "human"],
        ["Ibn Suf", "date of birth", "724"],
        ["Ibn Suf", "date of death", "756"],
        ["Lars Nils", "instance of", "human"],
        ["Lars Nils", "date of birth", "1724"],
        ["Lars Nils", "date of death", "1756"],
    ]
    kg = from_rows(rows, name="names")
    assert told("Could Ibn Suf' have used a telephone?", kg)[:2] == ("No", True)
    rules = told("Could Lars Nils' chair stand beside a telephone?", kg)[2]
    assert not any("telephone" in rule for rule in rules)  # it may be there still


def test_the_wives_of_a_wife_are_not_the_wives_of_her_husband():
    rows = [["Gol Ray", "spouse", "Shah Ray"], ["Gol Ray", "instance of", "human"]]
    rows += [["Shah Ray", "instance of", "human"]]
    rows += [["Shah Ray", "spouse", f"Wife {n}"] for n in range(1, 7)]
    kg = from_rows(rows, name="wives")
    question = "Did Gol Ray's spouse have enough wives to form a volleyball team?"
    assert told(question, kg)[0] == "Yes"


def test_that_somebody_is_human_links_nobody():
    human = Entity("http://www.wikidata.org/entity/Q5", "human", "", ("people",))
    edda = Entity("http://www.wikidata.org/entity/Q1", "Edda Lorn")
    kind = Relation("http://www.wikidata.org/entity/P31", "instance of")
    kg = EmbeddedGraph.build("one", [human, edda], [kind], [Statement(edda, kind, human)])
    assert told("People in a shop would bow to Edda Lorn.", kg)[::2] == ("", [])
    assert told("When people called Edda Lorn, they wrote.", kg)[::2] == ("", [])


def test_a_fact_between_two_answers_nothing_but_what_it_says():
    assert told("Did Edda Lorn poison Ivo Lorn?", world())[::2] == ("", [])
    linked = "The graph must link Edda Lorn and Ivo Lorn."
    assert linked in told("Would Edda Lorn wed Ivo Lorn?", world())[2]


def test_what_is_a_part_of_a_name_is_no_subject_of_its_own():
    asked = read("could queen ann eat a peanut?", "Queen", "Ann")
    assert [s.entity.name for s in asked.subjects] == ["Ann"]
    asked = read("Could Queen Ann eat a peanut with a peanut allergy?", "Queen", "Ann")
    assert [s.words for s in asked.subjects] == ["Ann"]
    found = read(
        "May a person with diabetes eat candy?", "person with diabetes", "diabetes", "candy"
    )
    assert [s.words for s in found.subjects] == ["person with diabetes", "candy"]


def test_what_a_common_noun_names_is_not_dated_by_the_graph():
    """A graph dates a single thing called film; films are as old as a table has them."""
    rows = [*ROWS, ("film", "publication date", "1998"), ("film", "instance of", "art form")]
    verdict, _, rules = told("Could Edda Lorn have seen a film?", from_rows(rows, name="film"))
    assert verdict == "Yes"
    assert all("1895" in rule for rule in rules)


def test_a_kind_of_people_is_nobodys_name():
    rules = told("Edda Lorn comes from a Muslim country.", world())[2]
    assert rules == ["Edda Lorn must come from a country where most people are Muslims."]


def read(question: str, *names: str) -> Surfacer:
    """A question about things that the facts only name."""
    ends = [Entity(f"urn:{n}", name) for n, name in enumerate(names)]
    facts = [Statement(one, Relation("r:1", "near"), one) for one in ends]
    return Surfacer(
        ToSurface(question=question, task="question", anchors=list(names), facts=facts),
        commonsense(),
    )


def test_whom_a_question_is_about_is_told_with_the_way_its_words_lead():
    (one,) = read("Could Ann Tammik's wife have met the king?", "Ann Tammik").subjects
    assert (one.words, one.place) == ("Ann Tammik's wife", 6)
    assert len(one.path) == 1
    assert one.asked == "Could … have met the king?"


def test_a_clause_that_describes_a_place_leads_to_it():
    (one,) = read("Is the town where Ann Tammik was born by the sea?", "Ann Tammik").subjects
    assert one.words == "the town where Ann Tammik was born"
    assert [hop.relation for hop in one.path] == [commonsense().relations("birthplace")]


def test_subjects_come_in_the_order_of_the_question():
    found = read("Could Cat Lund have met Ann Tammik?", "Ann Tammik", "Cat Lund").subjects
    assert [s.entity.name for s in found] == ["Cat Lund", "Ann Tammik"]


def test_what_two_are_called_by_the_same_word_does_not_make_them_two():
    """A graph has a family of birds that is called as the birds are: no rule asks of both."""
    names = [Entity("urn:1", "Spheniscidae", "", ("penguins",)), Entity("urn:2", "penguin")]
    home = Relation("http://www.wikidata.org/entity/P17", "country")
    facts = [Statement(one, home, Entity("urn:3", "Chile")) for one in names]
    question, anchors = "Is it a short swim to the penguins?", [one.name for one in names]
    given = ToSurface(question=question, task="question", anchors=anchors, facts=facts)
    asked = Surfacer(given, commonsense())
    assert len(asked.subjects) == 2
    assert stated(asked, asked.rules.families) == ([], False)


def test_two_that_stand_as_one_name_are_not_two():
    """A graph has a band called Queen and somebody called Ann; Queen Ann is neither of them."""
    lived = [("Queen", "inception", "1970"), ("Ann", "date of death", "1714")]
    rules = told("Could Queen Ann have helped?", from_rows(lived, name="two"))[2]
    assert not any("at the same time" in rule for rule in rules)


@pytest.mark.parametrize(
    ("said", "denies"),
    [
        ("she could not have come", True),
        ("she could have come", False),
        ("she would never refuse to come", False),  # twice
        ("she came and did not stay", True),
        ("she did not come and she is no friend", True),  # each for itself
    ],
)
def test_a_sentence_denies_by_an_odd_number_of_words(said: str, denies: bool):
    assert negative(said) is denies


def test_a_rule_of_things_leaves_no_word_of_the_question_unused():
    bird = Entity("http://example.org/brindle", "brindle")
    kind = Relation("http://www.wikidata.org/entity/P279", "subclass of")
    facts = [Statement(bird, kind, Entity("http://example.org/bird", "bird"))]

    def rules(question: str) -> list[str]:
        given = ToSurface(task="question", question=question, anchors=["brindle"], facts=facts)
        return [c.axiom.rule for c in Surfacer(given, commonsense()).topics()]

    assert rules("Is a brindle one of the species?") == ["brindle must study living nature."]
    assert rules("Can a brindle of this species juggle?") == []  # of juggling it says nothing
    assert rules("Can brindles of this species juggle?") == []


@pytest.mark.parametrize(
    "question",
    ["Did Ivo Lorn have any children?", "Did Ivo Lorn have children?", "Did Ivo Lorn have kids?"],
)
def test_who_had_children_need_be_no_child_and_nothing_for_them(question):
    verdict, _, rules = told(question, world())
    assert verdict == "Yes"
    assert rules == ["There must be a child of Ivo Lorn."]


def test_groups_that_are_told_by_another_word_are_groups():
    assert GROUP_WORDS.keys() <= commonsense().groups.keys()
    assert GROUP_WORDS["work"] == "profession"


def test_the_sea_of_a_country_is_not_that_of_each_part_of_it():
    rows = [
        ["Ostmark Plain", "instance of", "state of the United States"],
        ["Ostmark Plain", "country", "United States"],
        ["Ostmark Plain", "part of", "United States"],
        ["Obertal", "instance of", "municipality of Austria"],
        ["Obertal", "country", "Austria"],
        ["Portugal", "instance of", "sovereign state"],
        ["United States", "instance of", "sovereign state"],
        ["Austria", "instance of", "sovereign state"],
    ]
    kg = from_rows(rows, name="shores")
    assert told("Does Ostmark Plain have beaches?", kg)[0] == ""  # it may lie inland
    assert told("Does Ostmark Plain have a coast and harbours?", kg)[0] == ""  # and no ship is one
    assert told("Does Ostmark Plain have a navy?", kg)[0] == ""
    assert told("Does Obertal have beaches?", kg)[0] == "No"  # there is no sea to lie by
    assert told("Does Austria have beaches?", kg)[0] == "No"
    assert told("Does Portugal have beaches?", kg)[0] == "Yes"
