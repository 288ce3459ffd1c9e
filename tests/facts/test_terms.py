"""Values of a graph: equal by what they name, whatever else is known of them."""

from kgqa_core.facts.terms import Entity, Qualifier, Relation, Statement

WED, PLACE = Relation("p:wed", "spouse"), Relation("p:place", "place")
ADA, BOB = Entity("e:ada", "Ada"), Entity("e:bob", "Bob")


class Counted(Entity):
    """An entity that counts how often its hash is asked for."""

    asked = 0

    def __hash__(self) -> int:
        Counted.asked += 1
        return hash(self.id)


def wed(places: int, last: str = "the last") -> Statement:
    ids = [*(f"e:{n}" for n in range(places - 1)), last]
    return Statement(ADA, WED, BOB, tuple(Qualifier(PLACE, Counted(one)) for one in ids))


def test_statements_are_one_when_all_of_their_qualifiers_are() -> None:
    for places in (1, 2, 30, 10_000):
        assert wed(places) == wed(places)
        assert len({wed(places), wed(places), wed(places, "another"), wed(places + 1)}) == 3


def test_of_ten_thousand_qualifiers_few_are_read_to_find_a_statement() -> None:
    one = wed(10_000)
    Counted.asked = 0
    assert {one: "found"}[one] == "found"
    assert 0 < Counted.asked < 100
