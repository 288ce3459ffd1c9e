import pytest

from kgqa_core.facts.completeness import differing, stated
from kgqa_core.facts.terms import DATE, YEAR, Entity, Literal, Relation, Statement

WDT = "http://www.wikidata.org/prop/direct/"


def test_relations_are_known_by_label_and_by_id():
    assert stated("capital") == "full"
    assert stated("Occupation") == "partial"
    assert stated(Relation(f"{WDT}P106")) == "partial"
    assert stated(Relation(f"{WDT}P40", "children")) == "listed"
    assert stated(Relation(f"{WDT}P47", "borders")) == "partial"


def test_a_relation_nobody_judged_is_taken_as_stated_in_full():
    assert stated("mouth of the watercourse") == "full"
    assert stated(Relation("http://example.org/hasMouth", "has mouth")) == "full"


@pytest.mark.parametrize(
    ("relation", "dates", "number"),
    [
        ("date of death", ["1867-08-30", "1867-08-31"], 2),
        ("date of death", ["1867", "1867-08-31"], 0),
        ("date of death", ["1866", "1867-08-31"], 2),
        ("date of death", ["1867-08-31"], 0),
        ("publication date", ["1867-08-30", "1867-08-31"], 0),
    ],
)
def test_two_of_what_there_is_one_of_differ(relation, dates, number):
    anna, told = Entity("urn:e:1", "Anna"), Relation("urn:r:1", relation)
    values = [Literal(text, DATE if "-" in text else YEAR) for text in dates]
    facts = [Statement(anna, told, value) for value in values]
    assert len(differing(values, facts)) == number
    assert not differing(values[:1], facts)  # what is not answered does not matter


def test_one_date_each_of_two_people_differs_not():
    told = Relation("urn:r:1", "date of death")
    facts = [
        Statement(Entity(f"urn:e:{year}", "Anna"), told, Literal(year, YEAR))
        for year in ("1900", "1950")
    ]
    assert not differing([fact.object for fact in facts], facts)
