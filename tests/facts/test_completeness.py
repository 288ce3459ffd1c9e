from kgqa_core.facts.completeness import stated
from kgqa_core.facts.terms import Relation

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
