"""Trees of phrases: their parts, their names, and the hole that a restriction is put on."""

from kgqa_core.reader.plan import Anchor, Count, Hole, Hop, Join, Of, anchors, fill, has_hole, parts

MILL, REED = Anchor("Old Mill"), Anchor("Reed Hall")
OWNER = Hop(MILL, "owner", "role")


def test_the_parts_of_a_plan_come_outermost_first():
    plan = Count(Of(OWNER, "guild"))
    assert list(parts(plan)) == [plan, plan.source, OWNER, MILL]


def test_the_names_of_a_plan_are_those_of_all_its_parts():
    beside = Hop(MILL, "played", "agent", beside=REED)
    assert anchors(Join(beside, REED, "minus")) == [MILL, REED, REED]


def test_a_hole_is_filled_wherever_it_is_and_nothing_else_changes():
    plan = Join(Hop(Hole(), "owner", "role"), OWNER, "intersection")
    filled = Join(Hop(REED, "owner", "role"), OWNER, "intersection")
    assert has_hole(plan)
    assert fill(plan, REED) == filled
    assert not has_hole(filled)
    assert fill(filled, MILL) is filled


def test_the_pronoun_a_name_was_heard_as_makes_it_no_other_name():
    assert Anchor("Old Mill", heard="it") == MILL
