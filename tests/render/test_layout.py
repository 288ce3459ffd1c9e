from __future__ import annotations

import json
from dataclasses import replace
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from kgqa_core.ask import events
from kgqa_core.facts.terms import Entity, Literal
from kgqa_core.history import gallery
from kgqa_core.render.focus import MOST_SIDE_BY_SIDE, focused
from kgqa_core.render.graph import GraphView, snapshot
from kgqa_core.render.layout import Box, Placed, arranged, lines_of, most_abreast, placed
from kgqa_core.render.svg import as_list, legend, svg
from tests.screens.graph_story import (
    FILM,
    KEPT,
    SIRK,
    crowd,
    fact,
    hostile,
    pseudo_graph,
    recorded,
    story,
)

WALK = recorded(story())
TALES = {"story": story, "pseudo": pseudo_graph, "hostile": hostile, "crowd": lambda: crowd(20)}


def meets(a: Box, b: Box) -> bool:
    return a.left < b.right and b.left < a.right and a.top < b.bottom and b.top < a.bottom


def along(at: Placed):
    """Every line as (its edges, points 4 pixels apart)."""
    for line in at.lines:
        points = []
        for (x1, y1), (x2, y2) in zip(line.points, line.points[1:], strict=False):
            for n in range(41):
                even = n / 40
                bent = 3 * even**2 - 2 * even**3  # level at both ends, as the curve is
                across, along = (bent, even) if at.tall else (even, bent)
                points.append((x1 + (x2 - x1) * across, y1 + (y2 - y1) * along))
        yield line.edges, points


@pytest.mark.parametrize("tall", [False, True])
@pytest.mark.parametrize("everything", [False, True])
@pytest.mark.parametrize("tale", TALES)
def test_no_label_covers_another_and_no_edge_crosses_what_it_does_not_touch(tale, everything, tall):
    view = focused(snapshot(recorded(TALES[tale]())), everything=everything)
    at = placed(view, tall=tall)
    boxes = [*at.nodes.values(), *(name.box for name in at.names)]
    assert not [pair for pair in combinations(boxes, 2) if meets(*pair)]
    for edges, points in along(at):
        own = {end for e in edges for end in (e.source, e.target)}
        mine = {e.id for e in edges}
        others = [box for i, box in at.nodes.items() if i not in own]
        others += [n.box for n in at.names if not mine & {e.id for e in n.edges}]
        for x, y in points:
            assert not any(b.left < x < b.right and b.top < y < b.bottom for b in others)


def test_it_reads_from_where_the_walk_begins_to_the_answer():
    at = placed(focused(snapshot(WALK)))
    answers = [at.nodes[s.subject.id].left for s in KEPT[:2]]
    assert at.nodes[FILM.id].right < at.nodes[SIRK.id].left < at.nodes[SIRK.id].right < min(answers)
    assert at.nodes[FILM.id].y == pytest.approx(at.nodes[SIRK.id].y, abs=2)


def test_where_there_is_little_width_it_reads_from_the_top_down():
    view = focused(snapshot(WALK), most=MOST_SIDE_BY_SIDE)
    at = placed(view, tall=True)
    boxes = sorted(at.nodes.values(), key=lambda box: box.y)
    assert [at.nodes[FILM.id], at.nodes[SIRK.id]] == boxes[:2]
    assert at.extent.w < 400 < placed(view).extent.w
    apart = GraphView(tuple(replace(n, parent=None) for n in view.nodes))
    assert placed(apart, tall=True).extent.w < 400
    two = tuple(replace(n, id=f"{n.id}'") for n in view.nodes)
    ends = (replace(e, source=f"{e.source}'", target=f"{e.target}'") for e in view.edges)
    twice = placed(GraphView((*view.nodes, *two), (*view.edges, *ends)), tall=True)
    assert twice.extent.w == pytest.approx(at.extent.w, abs=2)  # below one another


def test_on_a_phone_two_alike_are_a_list_where_they_would_be_cut():
    def named(name):
        return Entity(f"http://example.org/{name}", name)

    root, *children = map(named, ("Jacques Cousteau", "Philippe", "Jean-Michel"))
    theirs = {
        children[0]: [named("Alexandra Cousteau"), named("Philippe Cousteau Jr.")],
        children[1]: [named("Fabien Cousteau"), named("Céline Cousteau")],
    }
    grand = [child for some in theirs.values() for child in some]
    facts = [fact(root, "child", child) for child in children]
    facts += [fact(parent, "child", child) for parent, some in theirs.items() for child in some]
    told = [
        events.Anchored(mention="Jacques Cousteau", entity=root),
        events.Expanded(entities=(root, *children), statements=tuple(facts)),
        events.Chosen(statements=tuple(facts)),
        events.Computed(
            operation="count",
            arguments=(),
            result=(Literal("4"),),
            because=tuple(facts),
            of=tuple(grand),
        ),
        events.Answered(
            answer=events.Answer(values=(Literal("4"),), citations=tuple(facts)),
        ),
    ]
    view = snapshot(recorded(told))

    def drawn(most):
        return focused(view, most=most)

    assert placed(drawn(MOST_SIDE_BY_SIDE), tall=True).extent.w > 400
    most = most_abreast(drawn)
    assert placed(drawn(most), tall=True).extent.w < 400
    lists = [[m.label for m in n.members] for n in drawn(most).nodes if n.kind == "list"]
    assert lists == [[child.name for child in some] for some in theirs.values()]
    few = snapshot(recorded([told[0], events.Chosen(statements=tuple(facts[:2]))]))
    assert most_abreast(lambda most: focused(few, most=most)) == MOST_SIDE_BY_SIDE


@pytest.mark.parametrize("who", ["could-albert-einstein-have-met-isaac", "was-jacques-cousteau"])
def test_on_a_phone_one_anchor_stands_above_the_next_where_they_would_be_cut(who):
    """Each with its dates, below the axiom about both and above what is made of them."""
    (found,) = [r for i, (_, r) in gallery.recorded().items() if i.startswith(f"example-r3-{who}")]
    view = focused(snapshot(found))
    assert placed(view, tall=True).extent.w > 500
    at = arranged(view, tall=True)
    assert at.extent.w <= 380
    for (_, a), (_, b) in combinations([*at.nodes.items(), *((n.id, n.box) for n in at.names)], 2):
        assert not meets(a, b)
    nodes = {n.id: n for n in view.nodes}
    first, second = (n.id for n in view.nodes if n.anchor)
    mine = [e.target for e in view.edges if e.source == first and e.state == "cited"]
    (axiom,) = (i for i, n in nodes.items() if n.kind == "axiom")
    (answer,) = (i for i, n in nodes.items() if n.state == "answer")
    last = max(at.nodes[i].y for i in mine)
    order = [at.nodes[axiom].y, at.nodes[first].y, last, at.nodes[second].y, at.nodes[answer].y]
    assert order == sorted(order)
    assert arranged(view, view, tall=True) == at
    edge = at.extent
    for line in at.lines:
        assert all(edge.left <= x <= edge.right for x, _ in line.points)
    growing = arranged(view, focused(snapshot(found[:-2]), over=False), tall=True)
    assert first in growing.nodes
    assert second in growing.nodes
    both = at.ranks.keys() & growing.ranks.keys()
    assert {i: growing.ranks[i] for i in both} == {i: at.ranks[i] for i in both}


def test_what_is_computed_stands_right_of_all_it_rests_on():
    a, b, c = (Entity(f"http://example.org/{i}", i) for i in "abc")
    facts = (fact(a, "born", b), fact(b, "next", c), fact(c, "age", Literal("7")))
    told = [
        events.Anchored(mention="a", entity=a),
        events.Chosen(statements=facts),
        events.Computed(operation="sum", arguments=(), result=(Literal("7"),), because=facts),
    ]
    view = focused(snapshot(recorded(told)))
    at = placed(view)
    (result,) = [n.id for n in view.nodes if n.kind == "computed"]
    assert all(box.right < at.nodes[result].left for i, box in at.nodes.items() if i != result)


def test_what_is_counted_begins_side_by_side_where_no_anchor_leads_there():
    rex, bella, dog = (Entity(f"http://x/{n}", n) for n in ("Rex", "Bella", "dog"))
    born = [fact(e, "born", Literal(year)) for e, year in ((rex, "2019"), (bella, "2020"))]
    of = tuple(f.subject for f in born)
    told = [
        events.Anchored(mention="dogs", entity=dog),
        events.Expanded(entities=(dog,), statements=tuple(fact(e, "is a", dog) for e in of)),
        events.Chosen(statements=tuple(born)),
        events.Computed(
            operation="count", arguments=(), result=(Literal("2"),), because=tuple(born), of=of
        ),
        events.Answered(
            answer=events.Answer(values=(Literal("2"),), citations=tuple(born)),
        ),
    ]
    at = placed(focused(snapshot(recorded(told)))).nodes
    assert at[rex.id].left == at[bella.id].left


def test_the_same_view_is_placed_the_same_way_and_one_like_it_keeps_its_places():
    end = focused(snapshot(WALK))
    assert placed(end) == placed(focused(snapshot(recorded(story()))))
    for k in (6, 9, 12):
        before = focused(snapshot(WALK[:k]), over=False)
        at, kept = arranged(end, before), arranged(end)
        for node in at.nodes.keys() & kept.nodes.keys():
            assert at.nodes[node].y == pytest.approx(kept.nodes[node].y, abs=1)


def test_from_the_top_down_what_another_view_has_too_begins_at_the_same_height():
    end = focused(snapshot(WALK))
    for k in (6, 9, 12):
        before = focused(snapshot(WALK[:k]), over=False)
        at, kept = arranged(end, before, tall=True), arranged(end, end, tall=True)
        for node in at.nodes.keys() & kept.nodes.keys():
            assert at.nodes[node].x == pytest.approx(kept.nodes[node].x, abs=1)
            assert at.nodes[node].top == pytest.approx(kept.nodes[node].top, abs=1)


def test_of_several_panes_the_first_leaves_the_same_room_as_the_others():
    rex, ulm = Entity("http://x/rex", "Rex"), Entity("http://x/ulm", "Ulm")
    home = fact(rex, "home", ulm)
    told = [events.Anchored(mention="Rex", entity=rex), events.Chosen(statements=(home,))]
    few = focused(snapshot(recorded(told)), over=False)
    more = GraphView(tuple(replace(n, folded=3 * n.anchor) for n in few.nodes), few.edges)
    first, second = (arranged(few, more, one, tall=True).nodes for one in (few, more))
    assert first[ulm.id].top == second[ulm.id].top


def test_a_name_is_cut_after_two_lines():
    assert lines_of("A Time to Love and a Time to Die") == ["A Time to Love and a", "Time to Die"]
    assert lines_of("x" * 50)[0].endswith("…")
    assert len(lines_of("word " * 30)) == 2
    assert lines_of("Albert Einstein and Isaac Newton must have lived then") == [
        "Albert Einstein and",
        "Isaac Newton must…",
    ]
    assert lines_of("") == [""]


@pytest.mark.parametrize("tale", TALES)
def test_the_picture_is_sound_and_holds_text_as_text(tale):
    view = focused(snapshot(recorded(TALES[tale]())))
    root = ElementTree.fromstring(svg(view, placed(view), alone=True))
    space = "{http://www.w3.org/2000/svg}"
    assert {e.tag.removeprefix(space) for e in root.iter()} <= {
        *("svg", "style", "g", "path", "rect", "text", "tspan", "circle")
    }
    assert not [name for e in root.iter() for name in e.attrib if name.startswith("on")]


def test_characters_that_no_file_may_hold_are_replaced():
    odd = Entity("http://example.org/odd", "a\x00b\x0bc\ud800")
    view = focused(snapshot(recorded([events.Anchored(mention="a", entity=odd)])))
    assert ElementTree.fromstring(svg(view, placed(view))) is not None


def test_the_graph_is_also_a_list_and_has_a_legend():
    view = focused(snapshot(WALK))
    said = [text for _, text in as_list(view)]
    assert "Written on the Wind — director — Douglas Sirk" in said
    words = [words for _, words in legend(view)]
    assert {"person", "work", "the walk starts here", "the answer"} <= set(words)
    assert "drafted, not so in the graph" not in words
    words = [words for _, words in legend(focused(snapshot(recorded(pseudo_graph()))))]
    assert {"drafted", "drafted, not so in the graph"} <= set(words)
    begun = focused(snapshot(WALK[:5]), over=False)
    found = {words: picture for picture, words in legend(begun, over=False)}["found"]
    assert "kg live" in found  # in the colour that the frontier has while it runs
    assert placed(GraphView()).extent == Box(0, 0, 0, 0)


def test_of_facts_on_one_line_each_tells_its_own_ends():
    """A line may hold several: who cites one of them means its two ends."""
    view = focused(snapshot(WALK))
    root = ElementTree.fromstring(svg(view, placed(view)))
    parts = [g for g in root.iter() if len(g.get("data-keys", "").split()) > 1]
    assert parts
    told = {e.key: (e.source, e.target) for e in view.edges}
    for part in parts:
        for source, target, key in json.loads(part.get("data-ends")):
            assert told[key] == (source, target)


def test_where_nothing_bends_less_room_is_taken():
    chain = [Entity(f"http://example.org/{i}", f"Thing {i}") for i in range(4)]
    facts = [fact(a, "part of", b) for a, b in pairwise(chain)]
    told = [
        events.Anchored(mention="thing", entity=chain[0]),
        events.Chosen(statements=tuple(facts)),
    ]
    straight = placed(snapshot(recorded(told)))
    fork = fact(chain[1], "part of", Entity("http://example.org/other", "Other"))
    told[1] = events.Chosen(statements=(*facts, fork))
    bent = placed(snapshot(recorded(told)))
    assert straight.extent.w < bent.extent.w
    assert straight.nodes[chain[1].id].x == bent.nodes[chain[1].id].x
