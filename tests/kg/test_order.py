"""Which statements are left out when there are too many, and in which order the rest comes."""

import pytest

from kgqa_core.facts.terms import Entity, Literal, Relation, Statement
from kgqa_core.kg.order import arranged, quotas_of, shares

ADA = Entity("urn:ada", "Ada")


@pytest.mark.parametrize(
    ("sizes", "total", "given"),
    [
        ([1, 10, 3], 9, [1, 5, 3]),
        ([4, 4], 100, [4, 4]),
        ([1] * 5, 3, [1, 1, 1, 0, 0]),
        ([1] * 350, 300, [1] * 350),
        ([0, *[9] * 30], 20, [0, *[1] * 30]),
        ([9, 1, 9], 21, [9, 1, 9]),
        ([0, 2, 2], 2, [0, 1, 1]),
        ([3], 0, [0]),
        ([], 5, []),
    ],
)
def test_places_are_shared_and_only_a_look_leaves_groups_without_one(sizes, total, given):
    assert shares(sizes, total) == given


def test_what_is_aside_gets_what_is_left():
    assert quotas_of([(True, 4), (False, 2), (True, 1)], 4) == [1, 2, 1]
    assert quotas_of([(True, 1)] * 30 + [(False, 2)] * 10, 25) == [1] * 5 + [0] * 25 + [2] * 10
    assert quotas_of([(True, 1)] * 30 + [(False, 2)] * 30, 25) == [0] * 30 + [1] * 30


def test_identifiers_disappear_before_a_fact_does():
    catalogue = [
        Statement(ADA, Relation(f"urn:p{n}", f"catalogue {n} ID", datatype="externalid"), text)
        for n, text in enumerate(map(Literal, map(str, range(30))))
    ]
    child = Relation("urn:z-child", "child")
    children = [Statement(ADA, child, Entity(f"urn:c{n}", f"child {n}")) for n in range(3)]
    found = arranged([*catalogue, *children], 10)
    assert [s.relation for s in found].count(child) == 3
    assert len(found) == 10


def test_no_relation_is_without_a_place_however_late_its_number():
    relations = [Relation(f"urn:p{n}", f"relation {n}") for n in range(60)]
    facts = [Statement(ADA, r, Literal(f"{r.name}, {k}")) for r in relations for k in range(3)]
    assert [s.relation for s in arranged(facts, 20)] == relations
    assert len(arranged(facts, 6)) == 6
