from __future__ import annotations

from collections import Counter
from hashlib import sha256

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Event, Sentence
from kgqa_core.facts.terms import (
    DECIMAL,
    LEFT_OPEN,
    YEAR,
    Entity,
    Literal,
    Passage,
    Relation,
    Statement,
)
from kgqa_core.places import ASSETS
from kgqa_core.render.graph import (
    MOST_NODES,
    GraphNode,
    GraphView,
    alike,
    cut,
    facts_of,
    snapshot,
    statement_key,
)
from kgqa_core.render.sorts import sorts_of
from kgqa_core.screens.graph_component import graph_view
from tests.screens.graph_story import (
    ABOUT_FILM,
    ABOUT_SIRK,
    DATES,
    FILM,
    KEPT,
    NOVEL,
    SIRK,
    SONG,
    crowd,
    entity,
    fact,
    pseudo_graph,
    recorded,
    story,
)

WALK = recorded(story())
FOUND = recorded(
    [
        events.Anchored(mention="film", entity=FILM),
        events.Expanded(entities=(FILM,), statements=tuple(ABOUT_FILM)),
    ]
)


def after(*told: Event) -> GraphView:
    return snapshot(recorded(told))


def states(view: GraphView) -> dict[str, str]:
    return {n.title.split("\n")[0]: n.state for n in view.nodes}


def by_id(view: GraphView) -> dict[str, GraphNode]:
    return {n.id: n for n in view.nodes}


def answered(*citations: Statement, values: tuple = ()) -> events.Answered:
    sentence = Sentence(text="So.", cites=tuple(range(len(citations))))
    return events.Answered(answer=Answer(sentences=(sentence,), values=values, citations=citations))


def test_nothing_happened_yet():
    assert snapshot([]) == GraphView()
    assert "empty" in snapshot([]).summary


def test_candidates_are_open_until_one_is_anchored():
    before, then = snapshot(WALK[:1]), snapshot(WALK[:2])
    assert {n.state for n in before.nodes} == {"candidate"}
    assert by_id(then)[FILM.id].state == "anchor"
    assert by_id(then)[NOVEL.id].state == by_id(then)[SONG.id].state == "pruned"


def test_what_is_retrieved_is_frontier_until_it_is_chosen_or_left():
    found, chosen, left = (snapshot(WALK[:k]) for k in (5, 6, 7))
    assert by_id(found)[SIRK.id].state == "frontier"
    assert by_id(chosen)[SIRK.id].state == "path"
    assert {e.state for e in left.edges} == {"path", "pruned"}
    assert states(left)["Russell Metty"] == "pruned"


def test_a_dead_end_is_told_apart_and_a_later_choice_takes_it_back():
    stuck = events.DeadEnd(entities=(FILM,), why="nothing")
    dead = after(events.Anchored(mention="film", entity=FILM), stuck)
    (node,) = dead.nodes
    assert (node.state, node.anchor) == ("dead_end", True)
    on = after(
        events.Anchored(mention="film", entity=FILM),
        stuck,
        events.Chosen(statements=ABOUT_FILM[:1]),
    )
    assert by_id(on)[FILM.id].state == "anchor"


def test_the_answer_and_what_it_cites_stand_out():
    view = snapshot(WALK)
    cited = {e.key for e in view.edges if e.state == "cited"}
    assert cited == {statement_key(s) for s in (ABOUT_FILM[0], KEPT[0], KEPT[1])}
    assert [n.id for n in view.nodes if n.state == "answer"] == [s.subject.id for s in KEPT[:2]]
    assert "Starts at: Written on the Wind. Answer: Imitation of Life" in view.summary


def test_an_undecided_edge_to_an_entity_that_was_left_is_left_too():
    hudson = ABOUT_FILM[1]
    view = after(
        events.Expanded(entities=(FILM,), statements=tuple(ABOUT_FILM)),
        events.Pruned(entities=(hudson.object,)),
    )
    assert {e.key: e.state for e in view.edges}[statement_key(hudson)] == "pruned"


def test_around_a_node_fewer_are_drawn_of_what_was_left():
    left = snapshot(WALK[:7])
    assert len([e for e in snapshot(FOUND).edges if e.key]) == 12
    assert len([e for e in left.edges if e.state == "pruned" and e.key]) == 5


def test_each_relation_gets_a_place_before_any_gets_its_second():
    shown = Counter(e.label for e in snapshot(FOUND).edges if e.key)
    assert shown["cast member"] == 1
    assert len(shown) == 12


def test_the_rest_is_one_node_that_says_how_much_it_is():
    (more,) = [n for n in snapshot(FOUND).nodes if n.kind == "more"]
    assert more.label == f"+{len(ABOUT_FILM) - 12} more"
    assert "cast member (11)" in more.title
    assert len(facts_of(FOUND, more.id)) == len(ABOUT_FILM) - 12


def test_statements_found_by_meaning_are_drawn_without_an_anchor():
    view = after(events.Retrieved(query="films", found=(*ABOUT_FILM[:3], *KEPT[:2])))
    assert len([e for e in view.edges if e.key]) == 5


def test_a_collapsed_fact_is_drawn_when_asked_for():
    hidden = statement_key(ABOUT_FILM[8])
    assert hidden not in {e.key for e in snapshot(WALK).edges}
    assert hidden in {e.key for e in snapshot(WALK, show=[hidden]).edges}


def test_snapshots_of_a_growing_run_keep_ids_order_and_parents():
    earlier = snapshot(WALK[:5])
    for k in range(6, len(WALK) + 1):
        later = snapshot(WALK[:k])
        common = {n.id for n in earlier.nodes} & {n.id for n in later.nodes}
        old = [n for n in earlier.nodes if n.id in common and n.kind == "entity"]
        new = [n for n in later.nodes if n.id in common and n.kind == "entity"]
        assert [(n.id, n.parent, n.depth) for n in old] == [(n.id, n.parent, n.depth) for n in new]
        earlier = later
    assert snapshot(WALK) == snapshot(list(WALK))


def test_hops_are_counted_from_the_anchor():
    nodes = by_id(snapshot(WALK))
    assert (nodes[FILM.id].depth, nodes[SIRK.id].depth) == (0, 1)
    assert nodes[KEPT[0].subject.id].depth == 2
    assert nodes[KEPT[0].subject.id].parent == SIRK.id
    assert "2 hops from the start" in nodes[KEPT[0].subject.id].title


def test_literals_are_leaves_of_their_own_statement():
    same = Literal("1956", YEAR)
    facts = (fact(FILM, "year", same), fact(NOVEL, "year", same))
    view = after(events.Expanded(entities=(FILM, NOVEL), statements=facts))
    assert len([n for n in view.nodes if n.kind == "literal"]) == 2


def test_proposed_statements_are_confirmed_corrected_or_dropped():
    tale = recorded(pseudo_graph())
    before = snapshot(tale[:2])
    assert {e.provenance for e in before.edges} == {"proposed"}
    assert by_id(before)["proposed:oscar"].provenance == "proposed"
    after_all = {e.title.split("\n")[0]: e for e in snapshot(tale).edges}
    corrected = after_all["Douglas Sirk — place of birth — Berlin"]
    assert (corrected.provenance, corrected.state) == ("corrected", "pruned")
    assert "Corrected to: Douglas Sirk — place of birth — Hamburg" in corrected.title
    assert after_all["Douglas Sirk — place of birth — Hamburg"].state == "path"
    assert "does not support" in after_all["Douglas Sirk — award received — Academy Award"].title
    assert after_all["Douglas Sirk — spouse — Hilde Jary"].provenance == "retrieved"


def test_an_axiom_hangs_on_its_entities():
    view = snapshot(recorded(pseudo_graph()))
    (node,) = [n for n in view.nodes if n.kind == "axiom"]
    (edge,) = [e for e in view.edges if e.provenance == "axiom"]
    assert node.title.startswith("A person has one place of birth.")
    assert (edge.source, edge.target) == (node.id, SIRK.id)


def test_a_computed_answer_hangs_on_what_it_was_computed_from():
    count = Literal("6", DECIMAL)
    view = after(
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Chosen(statements=tuple(KEPT)),
        events.Computed(operation="count", arguments=(), result=(count,), because=tuple(KEPT)),
        answered(*KEPT, values=(count,)),
    )
    (node,) = [n for n in view.nodes if n.kind == "computed"]
    films = [s.subject.id for s in KEPT]
    assert (node.label, node.state, node.parent, node.depth) == ("6", "answer", films[0], 2)
    assert [e.source for e in view.edges if e.provenance == "computed"] == films


def test_a_count_at_two_hops_starts_at_what_is_counted():
    names = ("Jacques", "Jean", "Philippe", "Fabien", "Jan")
    jacques, jean, philippe, *grand = (
        Entity(f"http://www.wikidata.org/entity/Q{i}", name) for i, name in enumerate(names, 1)
    )
    pairs = [(jacques, jean), (jacques, philippe), (jean, grand[0]), (philippe, grand[1])]
    born = fact(grand[0], "date of birth", Literal("1967", YEAR))
    family = tuple(fact(a, "child", b) for a, b in pairs)
    count = Literal("2", DECIMAL)
    steps = [
        events.Anchored(mention="Jacques", entity=jacques),
        events.Chosen(statements=family),
        events.Computed(operation="count", arguments=(), result=(count,), because=family),
    ]
    tied = [e.source for e in after(*steps).edges if e.provenance == "computed"]
    assert tied == [grand[0].id, grand[1].id]
    steps[1:] = [
        events.Chosen(statements=(born,)),
        events.Computed(operation="earliest", arguments=(), result=(count,), because=(born,)),
    ]
    tied = [e.source for e in after(*steps).edges if e.provenance == "computed"]
    assert tied == [f"value:{statement_key(born)}"]


def test_a_deprecated_fact_and_a_year_are_drawn_as_what_they_are():
    year = Relation("urn:r", "release year")
    wrong = Statement(FILM, year, Literal("1955", DECIMAL), rank="deprecated")
    view = after(events.Expanded(entities=(FILM,), statements=(wrong,)))
    assert [e.label for e in view.edges] == ["deprecated: release year"]
    assert "1955" in [n.label for n in view.nodes]


def test_an_answer_in_a_qualifier_is_drawn():
    marriage = next(s for s in ABOUT_SIRK if s.qualifiers)
    view = after(answered(marriage, values=(Literal("1934", YEAR),)))
    (node,) = [n for n in view.nodes if n.state == "answer"]
    assert (node.label, node.parent) == ("1934", marriage.object.id)
    assert [e.label for e in view.edges] == ["spouse", "start time"]


def test_an_entity_answer_in_a_qualifier_is_tied_to_its_fact():
    award = ABOUT_FILM[-1]
    winner = award.qualifiers[0].value
    view = after(answered(award, values=(winner,)))
    assert by_id(view)[winner.id].state == "answer"
    assert [(e.source, e.target) for e in view.edges][-1] == (award.object.id, winner.id)


def test_passages_and_rows_show_their_entities():
    passage = Passage("p1", "Sirk made films.", entity=SIRK)
    view = after(
        events.Retrieved(query="films", found=(passage,)),
        events.Queried(sparql="SELECT", columns=("f",), rows=((FILM,), (None,))),
    )
    assert {n.id for n in view.nodes} == {SIRK.id, FILM.id}


def test_facts_of_a_node_strongest_first():
    facts = facts_of(WALK, SIRK.id)
    assert facts[:3] == [ABOUT_FILM[0], KEPT[0], KEPT[1]]
    assert len(facts) == len(ABOUT_SIRK)
    assert facts_of(WALK, f"value:{statement_key(DATES[0])}") == [DATES[0]]
    assert facts_of(WALK, f"fact:{statement_key(DATES[0])}") == [DATES[0]]
    assert facts_of(WALK, "computed:14:0") == KEPT
    assert facts_of(WALK, "nobody") == []


def test_keys_name_statements_by_what_they_say():
    renamed = Statement(Entity(FILM.id, "Another label"), ABOUT_FILM[0].relation, SIRK)
    assert statement_key(renamed) == statement_key(ABOUT_FILM[0])
    keys = {statement_key(s) for s in ABOUT_FILM + ABOUT_SIRK}
    assert len(keys) == len(set(ABOUT_FILM + ABOUT_SIRK))
    as_text = fact(FILM, "director", Literal(SIRK.id))
    assert statement_key(as_text) != statement_key(ABOUT_FILM[0])


@pytest.mark.parametrize(
    ("text", "label"),
    [
        ("short", "short"),
        ("A Time to Love and a Time to Die", "A Time to Love and a Time…"),
        ("a " * 40, "a a a a a a a a a a a a a a…"),
        ("two\nlines", "two lines"),
    ],
)
def test_labels_are_cut_on_one_line(text, label):
    assert cut(text) == label


def test_a_name_of_several_lines_is_the_first_line_of_its_title():
    start = entity(1, "first\n\nsecond", "about it")
    says = fact(start, "says", Literal("a\nb"))
    view = snapshot(
        recorded([events.Anchored(mention="m", entity=start), events.Chosen(statements=(says,))])
    )
    assert [node.title.split("\n")[0] for node in view.nodes] == ["first second", "a b"]
    assert view.edges[0].title.split("\n")[0] == "first second — says — a b"


def test_no_more_is_drawn_than_can_be_read():
    view = after(*crowd(60))
    assert len([n for n in view.nodes if n.kind != "more"]) <= MOST_NODES
    assert {e.source for e in view.edges} | {e.target for e in view.edges} <= set(by_id(view))


def test_every_kind_of_event_can_be_drawn():
    kinds = [
        events.Step(title="t"),
        events.Asked(skill="s", prompt="p"),
        events.Surveyed(entities=(FILM,), relations=()),
        events.Noted(text="n"),
        events.Failed(error="E", message="m"),
        events.Cancelled(),
        events.Abstained(answer=Answer(reason="none")),
    ]
    assert after(*kinds) == GraphView()


def test_what_sort_of_thing_a_node_is_stands_in_its_description_or_what_leads_to_it():
    nodes = {n.label: n.sort for n in snapshot(FOUND).nodes}
    assert nodes["Written on the Wind"] == "work"
    assert nodes["Douglas Sirk"] == nodes["Rock Hudson"] == "person"
    assert nodes["United States"] == "place"
    assert nodes["English"] == "thing"


def test_a_name_of_several_things_that_the_walk_goes_on_from_is_where_it_starts():
    """Of a name with namesakes no one is anchored: which is meant shows in what is chosen."""
    paris, london = Entity("http://x/paris", "Paris"), Entity("http://x/london", "London")
    other = Entity("http://x/other", "London", "town in Ontario")
    area = Relation("http://x/area", "area")
    facts = [Statement(e, area, Literal(n, DECIMAL)) for e, n in ((paris, "105"), (london, "1572"))]
    hits = tuple(events.Hit(entity=e, score=1.0) for e in (london, other))
    told = [
        events.Linked(mentions=("London",), candidates=(hits,)),
        events.Anchored(mention="Paris", entity=paris),
        *(events.Expanded(entities=(f.subject,), statements=(f,)) for f in facts),
        events.Chosen(statements=tuple(facts)),
    ]
    view = snapshot(recorded(told))
    assert {n.id for n in view.nodes if n.anchor} == {paris.id, london.id}


def test_of_namesakes_the_walk_starts_where_it_goes_on_from():
    """One was taken for what is meant, and another is what the graph has an answer about."""
    province = Entity("http://x/province", "Africa", "Roman province")
    africa = Entity("http://x/africa", "Africa", "continent")
    continent = Relation("http://x/continent", "continent")
    egypt = Statement(Entity("http://x/egypt", "Egypt"), continent, africa)
    hits = tuple(events.Hit(entity=e, score=1.0) for e in (africa, province))
    begun = [
        events.Linked(mentions=("Africa",), candidates=(hits,)),
        events.Anchored(mention="Africa", entity=province),
    ]
    gone_on = [
        events.Expanded(entities=(africa,), statements=(egypt,)),
        events.Chosen(statements=(egypt,)),
    ]
    assert {n.id for n in after(*begun).nodes if n.anchor} == {province.id}
    assert {n.id for n in after(*begun, *gone_on).nodes if n.anchor} == {africa.id}
    looked = events.Expanded(entities=(province,), statements=())
    assert province.id in {n.id for n in after(*begun, looked, *gone_on).nodes if n.anchor}


def test_the_page_is_told_what_to_draw():
    from streamlit.testing.v1 import AppTest

    def page() -> None:
        from kgqa_core.render.graph import snapshot
        from kgqa_core.screens.graph_component import graph_view
        from tests.screens.graph_story import recorded, story

        graph_view(snapshot(recorded(story())), key="g", run_id="r", highlight=["abc"])

    at = AppTest.from_function(page).run()
    assert not at.exception
    (graph,) = at.get("bidi_component")
    assert '"highlight": ["abc"]' in graph.proto.json or "abc" in str(graph.proto)
    assert len(graph.proto.js_content) + len(graph.proto.css_content) < 2_000
    digest = sha256((ASSETS / "browser" / "graph_view.js").read_bytes()).hexdigest()[:16]
    assert f"graph_view.js?{digest}" in graph.proto.js_content
    assert graph_view.__doc__


def test_of_one_s_own_graph_what_is_said_of_people_and_places_alone_tells_the_sort():
    ann, norland = Entity("http://mine/ann", "Ann"), Entity("http://mine/norland", "Norland")
    bob = Entity("http://mine/bob", "Bob", "college trainee")
    born, capital = (Relation(f"http://mine/{n}", n) for n in ("date of birth", "capital"))
    facts = [Statement(ann, born, Literal("1970")), Statement(norland, capital, Literal("Osm"))]
    facts.append(Statement(bob, born, Literal("1980")))
    found = dict(sorts_of([ann, bob, norland], facts))
    assert found == {ann.id: "person", bob.id: "person", norland.id: "place"}


def test_a_ship_is_no_place():
    ocean = Entity("http://mine/ocean", "RMS Norland", "ocean liner that sank in 1912")
    sea = Entity("http://mine/sea", "Norland Sea", "deep ocean")
    by_kind = Entity("http://mine/ferry", "Norland Star")
    kind, country = (Relation(f"http://mine/{n}", n) for n in ("instance of", "country"))
    ship, norland = Entity("http://mine/ship", "ship"), Entity("http://mine/norland", "Norland")
    facts = [Statement(by_kind, kind, ship), Statement(by_kind, country, norland)]
    found = dict(sorts_of([ocean, sea, by_kind], facts))
    assert found == {ocean.id: "thing", sea.id: "place", by_kind.id: "thing"}


def test_a_kind_of_people_is_no_person():
    ann = Entity("http://mine/ann", "Ann", "Norwegian screenwriter")
    human = Entity("http://mine/human", "human", "any person")
    calling = Entity("http://mine/screenwriter", "screenwriter", "writer of films")
    kind, occupation = (Relation(f"http://mine/{n}", n) for n in ("instance of", "occupation"))
    facts = [Statement(ann, kind, human), Statement(ann, occupation, calling)]
    found = dict(sorts_of([ann, human, calling], facts))
    assert found == {ann.id: "person", human.id: "thing", calling.id: "thing"}


def test_what_one_pane_was_told_of_a_thing_is_drawn_in_every_pane():
    cup, club = Entity("http://mine/cup", "2019 Cup"), Entity("http://mine/club", "Norland FC")
    human = Entity("http://mine/human", "human", "any person")
    won, kind = (Relation(f"http://mine/{n}", n) for n in ("winner", "instance of"))
    result = Statement(cup, won, club)
    event = Statement(cup, kind, Entity("http://mine/event", "sports event"))
    people = Statement(Entity("http://mine/ann", "Ann"), kind, human)
    begun = events.Anchored(mention="human", entity=human)
    short = after(begun, events.Expanded(entities=(cup,), statements=(result,)))
    long = after(begun, events.Expanded(entities=(cup,), statements=(result, event, people)))
    assert by_id(short)[cup.id].sort == "thing"
    for view in (alike(short, [long]), alike(long, [short]), alike(long, [short, long])):
        assert by_id(view)[cup.id].sort == "event"
        assert by_id(view)[human.id].sort == "thing"  # a kind is no person, whoever was told


def test_what_a_draft_asks_of_a_thing_does_not_tell_its_sort():
    """A draft may ask a video service when it was born; that makes it no person."""
    service = Entity("http://mine/tubarel", "Tubarel", "video service of Orvel")
    born = Relation("http://www.wikidata.org/entity/P569", "date of birth")
    asked = Statement(service, born, Entity(f"{LEFT_OPEN}1", "?"))
    begun = events.Anchored(mention="Tubarel", entity=service)
    draft = events.Proposed(statements=(asked,))
    dropped = events.Corrected(claimed=asked, found=None)
    for told in ([draft], [draft, dropped]):
        assert by_id(after(begun, *told))[service.id].sort == "thing"
    stated = Statement(service, born, Literal("1900", YEAR))
    read = events.Expanded(entities=(service,), statements=(stated,))
    assert by_id(after(begun, read))[service.id].sort == "person"
