"""Several runs in one picture: whose each fact is, and where the steps part."""

import pytest

from kgqa_core.history import comparison, gallery
from kgqa_core.history.comparison import Move
from kgqa_core.render.focus import listed
from kgqa_core.render.layout import placed
from kgqa_core.render.svg import as_list, svg
from kgqa_core.render.together import one_graph, partings

NAMES = ["ReAct", "Keqing"]


@pytest.fixture(scope="module")
def walks():
    found = {
        header.method: records
        for header, records in gallery.recorded().values()
        if header.question == "What else did the director of Written on the Wind make?"
    }
    return [found["react"], found["keqing"]]


def test_a_fact_knows_who_found_it(walks):
    view = one_graph(walks, NAMES)
    first = next(e for e in view.edges if "Written on the Wind — director" in e.title)
    assert first.side == "all"
    assert first.title.endswith("Found by ReAct and Keqing.")
    starts = [n for n in view.nodes if n.anchor]
    assert [n.label for n in starts] == ["Written on the Wind"]
    assert any(n.state == "answer" for n in view.nodes)


def test_what_one_alone_found_is_its_own_and_what_all_share_can_be_left_out(walks):
    alone = one_graph([walks[0], walks[1][:3]], NAMES)
    assert {e.side for e in alone.edges} == {"0"}
    assert one_graph(walks[:1] * 2, NAMES, differing=True).edges == ()


def test_what_both_computed_is_one_node():
    count = gallery.recorded()["example-compass-how-many-grandchildren-did-jacques-cousteau"][1]
    later = [record for record in count if record.event.kind != "anchored"]
    view = one_graph([count, later], NAMES)
    assert [n.label for n in view.nodes if n.kind == "computed"] == ["4"]


def test_the_picture_is_drawn_like_any_other(walks):
    view = listed(one_graph(walks, NAMES))
    text = svg(view, placed(view))
    assert "side-all" in text
    assert any("Found by ReAct and Keqing" in words for _, words in as_list(view))


def steps(*walks):
    return comparison.align([[Move((word,), word) for word in walk.split()] for walk in walks])


def test_steps_are_one_line_until_they_part():
    view = partings(steps("a b c", "a b d e"), NAMES)
    assert [n.label for n in view.nodes] == ["a", "b", "c", "d", "e"]
    sides = {(e.source, e.target): e.side for e in view.edges}
    assert sorted(sides.values()) == ["0", "1", "1", "all"]
    at = placed(view).nodes
    assert at["step:0:0"].x < at["step:1:0"].x < at["step:2:0"].x < at["step:3:1"].x
    assert at["step:2:0"].x == pytest.approx(at["step:2:1"].x, abs=20)  # side by side
    assert at["step:2:0"].y != at["step:2:1"].y


def test_walks_with_nothing_in_common_are_two_lines():
    view = partings(steps("a b", "c d"), NAMES)
    assert {e.side for e in view.edges} == {"0", "1"}
    assert sum(n.anchor for n in view.nodes) == 2
    assert partings([], NAMES).nodes == ()


def test_hostile_steps_are_text():
    hostile = "<script>alert(1)</script>"
    view = partings(comparison.align([[Move((hostile,), hostile)], []]), [hostile, "b"])
    assert "<script>" not in svg(view, placed(view))
