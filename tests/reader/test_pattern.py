"""Plans as patterns over any graph, before anybody writes them down."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.parse import parse
from kgqa_core.reader.pattern import HAS_PART, PART_OF, Pattern
from kgqa_core.reader.words import Span

NORE, DUSK = p.Anchor("Nore"), p.Anchor("Long Dusk")


def drawn(plan: p.Plan) -> Pattern:
    pattern = Pattern(lexicon())
    pattern.draw(plan)
    return pattern


def test_a_hop_is_an_edge_from_a_name_to_an_open_end():
    pattern = drawn(p.Hop(DUSK, "director", "role"))
    assert pattern.nodes == [("Long Dusk", ""), ("", "")]
    assert [(e.near, e.ways[0], e.far) for e in pattern.edges] == [(0, ("director", "out"), 1)]
    assert pattern.whole


def test_a_name_stands_for_one_node_however_often_it_is_said():
    pattern = drawn(p.Between(p.Hop(NORE, "area", "role"), p.Hop(NORE, "length", "role"), "number"))
    assert [name for name, _ in pattern.nodes if name] == ["Nore"]
    assert not pattern.whole  # a difference is no pattern, but what it takes is drawn
    assert len(pattern.edges) == 2


def test_what_two_phrases_lead_to_is_one_node():
    pattern = drawn(parse("Which countries border both Nore and Sund?")[0].plan)
    assert len({e.far for e in pattern.edges}) == 1
    assert len({e.near for e in pattern.edges}) == 2


def test_whether_it_is_so_has_no_open_end():
    pattern = drawn(p.Is(p.Hop(DUSK, "director", "role"), p.Anchor("Ann Roth")))
    assert [(e.near, pattern.nodes[e.far][0]) for e in pattern.edges] == [(0, "Ann Roth")]
    assert pattern.whole
    assert not drawn(p.Is(DUSK, NORE)).whole


@pytest.mark.parametrize(
    "plan",
    [
        p.Hop(DUSK, "director", "role", beside=NORE),
        p.Hop(NORE, "mayor", "role", when=Span("before", "1985")),
        p.Limit(p.Kind("river"), "length", Span("more than", "3 million")),
        p.Age(p.Anchor("Ann Roth"), None),
        p.Is(p.Hop(DUSK, "director", "role"), NORE, negated=True),
    ],
)
def test_what_a_pattern_leaves_out_it_says(plan: p.Plan):
    assert not drawn(plan).whole


def test_tests_and_order_are_over_open_ends():
    pattern = drawn(p.Limit(p.Kind("river"), "length", Span("more than", "300")))
    (value, sign, than), *_ = pattern.tests
    assert (pattern.nodes[value], sign, than, pattern.whole) == (("", ""), ">", "300", True)
    assert len(drawn(p.Nth(p.Kind("river"), "longest", "highest")).order) == 1


def test_a_kind_of_thing_may_be_a_part_either_way():
    (edge,) = drawn(p.Hop(NORE, "lake", "role")).edges
    assert {(HAS_PART, "out"), (PART_OF, "in")} <= set(edge.ways)
