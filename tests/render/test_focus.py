from __future__ import annotations

from dataclasses import replace

import pytest

from kgqa_core.ask import events
from kgqa_core.facts.terms import DECIMAL, LEFT_OPEN, YEAR, Entity, Hit, Literal
from kgqa_core.render.focus import MOST_ALIKE, focused
from kgqa_core.render.graph import GraphView, snapshot, statement_key
from kgqa_core.render.plan import without_plan
from tests.screens.graph_story import (
    ABOUT_FILM,
    FILM,
    KEPT,
    SIRK,
    fact,
    pseudo_graph,
    recorded,
    story,
)

WALK = recorded(story())
END = snapshot(WALK)


def ids(view: GraphView) -> set[str]:
    return {n.id for n in view.nodes}


def node(view: GraphView, node_id: str):
    return next(n for n in view.nodes if n.id == node_id)


def test_at_the_end_the_path_of_the_answer_is_drawn_and_the_rest_counted():
    view = focused(END)
    assert ids(view) == {FILM.id, SIRK.id, KEPT[0].subject.id, KEPT[1].subject.id}
    assert {e.state for e in view.edges} == {"cited"}
    folded = sum(n.folded for n in view.nodes)
    assert folded == sum(node(END, e.target).count or 1 for e in END.edges if e.state != "cited")


def test_what_is_folded_opens_where_it_hangs():
    view = focused(END, opened=[FILM.id])
    assert len(ids(view)) > len(ids(focused(END)))
    film = node(view, FILM.id)
    assert (film.opened, film.folded) == (True, 0)


def test_everything_can_be_drawn():
    view = focused(END, everything=True)
    drawn = ids(view) | {m.id for n in view.nodes for m in n.members}
    assert drawn == ids(END)


def test_while_it_runs_the_frontier_is_drawn_and_what_was_left_is_not():
    found = focused(snapshot(WALK[:5]), over=False)
    assert any(n.state == "frontier" for n in found.nodes)
    left = focused(snapshot(WALK[:7]), over=False)
    assert {e.state for e in left.edges} == {"path"}
    assert node(left, FILM.id).folded > 0


def test_a_way_that_nobody_cites_still_joins_the_answer_to_where_the_walk_began():
    told = [
        events.Anchored(mention="film", entity=FILM),
        events.Chosen(statements=ABOUT_FILM[:1]),
        events.Chosen(statements=tuple(ABOUT_FILM[1:4])),
        events.Answered(
            answer=events.Answer(
                sentences=(events.Sentence(text="So.", cites=(0,)),), citations=(KEPT[0],)
            )
        ),
    ]
    view = focused(snapshot(recorded(told)))
    keys = {e.key for e in view.edges}
    assert keys == {statement_key(KEPT[0]), statement_key(ABOUT_FILM[0])}


def test_many_neighbours_alike_are_one_node_that_lists_them():
    parent = Entity("http://example.org/p", "Parent")
    children = [Entity(f"http://example.org/{i}", f"Child {i}") for i in range(MOST_ALIKE + 3)]
    family = tuple(fact(parent, "child", child) for child in children)
    count = Literal(str(len(children)), DECIMAL)
    told = [
        events.Anchored(mention="Parent", entity=parent),
        events.Chosen(statements=family),
        events.Computed(operation="count", arguments=(), result=(count,), because=family),
    ]
    view = focused(snapshot(recorded(told)))
    (several,) = [n for n in view.nodes if n.kind == "list"]
    assert [m.label for m in several.members] == [c.label for c in children]
    assert len(view.edges) == 2  # from the parent, and to the count
    keys = next(e.key for e in view.edges if e.label == "child").split()
    assert keys == [statement_key(s) for s in family]


def test_what_a_step_chooses_of_what_it_looked_at_stays_the_way():
    told = [
        events.Anchored(mention="film", entity=FILM),
        events.Step(title="Follow"),
        events.Expanded(entities=(FILM,), statements=tuple(ABOUT_FILM)),
        events.Chosen(statements=ABOUT_FILM[:1]),
        events.Pruned(statements=tuple(ABOUT_FILM)),
    ]
    view = focused(snapshot(recorded(told)), over=False)
    assert [(e.key, e.state) for e in view.edges] == [(statement_key(ABOUT_FILM[0]), "path")]


def test_of_many_alike_each_ones_own_value_stands_in_its_row():
    """A director's films, each with the year by which it was kept: a list, not two columns."""
    films = [Entity(f"http://example.org/{i}", f"Film {i}") for i in range(MOST_ALIKE + 3)]
    made = [fact(film, "director", SIRK) for film in films]
    years = [fact(f, "publication date", Literal(str(1940 + i))) for i, f in enumerate(films)]
    sentence = events.Sentence(text="These.", cites=tuple(range(2 * len(films))))
    told = [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Chosen(statements=tuple(made + years)),
        events.Answered(
            answer=events.Answer(
                sentences=(sentence,), values=tuple(films), citations=tuple(made + years)
            )
        ),
    ]
    view = focused(snapshot(recorded(told)))
    (several,) = [n for n in view.nodes if n.kind == "list"]
    assert [m.label for m in several.members][:2] == ["Film 0 · 1940", "Film 1 · 1941"]
    assert ids(view) == {SIRK.id, several.id}
    assert set(view.edges[0].key.split()) == {statement_key(s) for s in made + years}


def test_what_hangs_loosely_around_a_node_is_one_list_with_the_relations():
    facts = [fact(FILM, f"relation {i}", Literal(str(i))) for i in range(MOST_ALIKE + 2)]
    told = [
        events.Anchored(mention="film", entity=FILM),
        events.Expanded(entities=(FILM,), statements=tuple(facts)),
    ]
    view = focused(snapshot(recorded(told)), over=False)
    (several,) = [n for n in view.nodes if n.kind == "list"]
    assert several.members[0].label == "relation 0: 0"
    assert several.label == f"{len(facts)} facts"


def test_of_what_hangs_around_a_node_it_is_told_which_way_the_relation_goes():
    made = [fact(Entity(f"http://e.org/{i}", f"Film {i}"), f"role {i}", SIRK) for i in range(9)]
    told = [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Expanded(entities=(SIRK,), statements=(*made, fact(SIRK, "child", FILM))),
    ]
    view = focused(snapshot(recorded(told)), over=False)
    rows = [m.label for n in view.nodes if n.kind == "list" for m in n.members]
    assert {"← role 0: Film 0", f"child: {FILM.label}"} <= set(rows)


def test_what_kind_the_answers_are_of_and_what_was_only_seen_is_no_part_of_the_way():
    films = [Entity(f"http://example.org/{i}", f"Film {i}") for i in range(3)]
    kind, wider, seen = (Entity(f"http://example.org/{n}", n) for n in ("film", "work", "Seen"))
    made = [fact(film, "director", SIRK) for film in films]
    kinds = [fact(film, "instance of", kind) for film in films]
    cited = (*made, *kinds, fact(kind, "subclass of", wider))
    sentence = events.Sentence(text="These.", cites=tuple(range(len(cited))))
    answer = events.Answer(sentences=(sentence,), values=tuple(films), citations=cited)
    told = [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Expanded(entities=(seen,), statements=()),
        events.Chosen(statements=tuple(made)),
        events.Answered(answer=answer),
    ]
    view = focused(snapshot(recorded(told)))
    assert ids(view) == {SIRK.id, *(film.id for film in films)}
    asked = [events.Anchored(mention="film", entity=kind), *told[2:]]  # of kinds themselves
    assert {kind.id, wider.id} <= ids(focused(snapshot(recorded(asked))))


def test_things_of_one_name_are_told_apart():
    film = Entity("http://example.org/film", "Emma", "2020 film")
    novel = Entity("http://example.org/novel", "Emma", "novel of 1815 in which much happens")
    told = [
        events.Linked(
            mentions=("Emma",),
            candidates=(tuple(Hit(e, 0.5, "Emma") for e in (film, novel)),),
        )
    ]
    view = focused(snapshot(recorded(told)), over=False)
    assert [n.title.partition("\n")[0] for n in view.nodes] == [
        "Emma (2020 film)", "Emma (novel of 1815 in which…)",
    ]  # fmt: skip


def test_corrections_stay_beside_the_answer():
    view = focused(snapshot(recorded(pseudo_graph())))
    assert "corrected" in {e.provenance for e in view.edges}


def test_what_a_draft_only_asked_for_is_one_list_and_gone_beside_an_answer():
    asked = [Entity(f"{LEFT_OPEN}{i}", "?") for i in range(MOST_ALIKE + 2)]
    drafted = [fact(SIRK, f"relation {i}", end) for i, end in enumerate(asked)]
    told = [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Proposed(statements=tuple(drafted)),
        events.Corrected(claimed=drafted[0], found=None),
    ]
    view = focused(snapshot(recorded(told)), over=False)
    several = next(n for n in view.nodes if n.kind == "list")
    assert several.label == f"{len(asked) - 1} drafts"  # and the one that came to nothing
    assert several.members[0].label == "relation 1: ?"

    sentence = events.Sentence(text="Hamburg.", cites=(0,))
    answer = events.Answer(sentences=(sentence,), citations=tuple(KEPT[:1]))
    view = focused(snapshot(recorded([*told, events.Answered(answer=answer)])))
    assert ids(view) == {SIRK.id, KEPT[0].subject.id}


def test_nothing_is_nothing():
    assert focused(GraphView()) == GraphView()


def test_while_it_runs_what_the_walk_came_by_stays_though_it_was_left_since():
    told = [
        events.Anchored(mention="film", entity=FILM),
        events.Chosen(statements=ABOUT_FILM[:1]),
        events.Pruned(statements=tuple(ABOUT_FILM[:1]), why="done"),
        events.Chosen(statements=tuple(KEPT[:2])),
    ]
    view = focused(snapshot(recorded(told)), over=False)
    assert statement_key(ABOUT_FILM[0]) in {e.key for e in view.edges}


def test_what_was_reached_without_a_line_has_no_place_beside_an_answer():
    reached = replace(node(END, FILM.id), id="urn:reached", state="path", anchor=False)
    view = GraphView((*END.nodes, reached), END.edges)
    assert "urn:reached" not in ids(focused(view))
    assert "urn:reached" in ids(focused(view, over=False))
    assert "urn:reached" in ids(focused(view, everything=True))


def counted(facts, kinds, of=()):
    """A count of the far ends of facts, of which kinds are stated."""
    number = Literal(str(len(facts)), DECIMAL)
    because = (*facts, *kinds)
    sentence = events.Sentence(text="So many.", cites=tuple(range(len(because))))
    answer = events.Answer(sentences=(sentence,), values=(number,), citations=because)
    return [
        events.Anchored(mention="Sirk", entity=SIRK),
        events.Chosen(statements=tuple(facts)),
        events.Computed(
            operation="count", arguments=(), result=(number,), because=because, of=tuple(of)
        ),
        events.Answered(answer=answer),
    ]


@pytest.mark.parametrize("told", [True, False])
def test_a_count_starts_at_what_is_counted_and_not_at_the_kinds_of_it(told):
    films = [Entity(f"http://example.org/{i}", f"Film {i}") for i in range(3)]
    kind, wider = (Entity(f"http://example.org/{n}", n) for n in ("film", "work"))
    made = [fact(film, "director", SIRK) for film in films]
    kinds = [*(fact(film, "instance of", kind) for film in films), fact(kind, "subclass of", wider)]
    view = focused(snapshot(recorded(counted(made, kinds, films if told else ()))))
    assert {e.source for e in view.edges if e.provenance == "computed"} == {f.id for f in films}
    assert not {kind.id, wider.id} & ids(view)


def test_a_count_of_things_with_a_date_starts_at_the_things():
    films = [Entity(f"http://example.org/{i}", f"Film {i}") for i in range(20)]
    made = [fact(film, "director", SIRK) for film in films]
    years = [fact(film, "publication date", Literal("1950", YEAR)) for film in films]
    view = snapshot(recorded(counted(made, years, films)))
    assert [e.source for e in view.edges if e.provenance == "computed"] == [f.id for f in films]


def test_things_of_a_kind_hang_on_the_kind_when_they_are_counted_or_listed():
    planets = [Entity(f"http://example.org/{i}", f"Planet {i}") for i in range(3)]
    kind = Entity("http://example.org/planet", "planet")
    stated = [fact(planet, "instance of", kind) for planet in planets]
    told = counted(stated, [], planets)
    told[0] = events.Anchored(mention="planets", entity=kind)
    view = focused(snapshot(recorded(told)))
    assert {kind.id, *(p.id for p in planets)} <= ids(view)
    assert [e.label for e in view.edges].count("instance of") == len(planets)
    sentence = events.Sentence(text="These.", cites=tuple(range(len(stated))))
    answer = events.Answer(sentences=(sentence,), values=tuple(planets), citations=tuple(stated))
    view = focused(snapshot(recorded([*told[:2], events.Answered(answer=answer)])))
    assert [e.label for e in view.edges].count("instance of") == len(planets)


@pytest.mark.parametrize("everything", [True, False])
def test_many_things_that_nothing_joins_are_one_list(everything):
    loose = [Entity(f"http://example.org/{i}", f"Thing {i}") for i in range(MOST_ALIKE + 5)]
    told = [
        events.Anchored(mention="Sirk", entity=SIRK),
        *(events.DeadEnd(entities=(thing,), why="nothing there") for thing in loose),
        events.Abstained(answer=events.Answer(reason="Nothing was found.")),
    ]
    view = focused(snapshot(recorded(told)), everything=everything)
    (several,) = [n for n in view.nodes if n.kind == "list"]
    assert len(several.members) == len(loose)
    assert ids(view) == {SIRK.id, several.id}


def test_what_was_looked_up_and_led_nowhere_has_no_place_beside_an_answer():
    other = Entity("http://example.org/other", "Other")
    told = [*story()[:-1], events.Anchored(mention="other", entity=other), story()[-1]]
    view = snapshot(recorded(told))
    assert other.id not in ids(focused(view))
    assert other.id in ids(focused(view, everything=True))
    assert other.id in ids(focused(view, over=False))
    unanswered = [*told[:-1], events.Abstained(answer=events.Answer(reason="Nothing."))]
    assert other.id in ids(focused(snapshot(recorded(unanswered))))


def test_without_an_answer_what_is_only_like_a_name_is_not_drawn():
    club = Entity("http://example.org/club", "Norland City", "football club", ("Sky Blues",))
    blue = Entity("http://example.org/blue", "blue", "colour")
    ends = [events.Abstained(answer=events.Answer(reason="Nothing."))]
    of_club = events.Anchored(mention="sky blue", entity=club)
    told = [events.Anchored(mention="blue", entity=blue), of_club]
    view = snapshot(recorded([*told, *ends]))
    assert ids(focused(view)) == {blue.id}
    assert ids(focused(view, everything=True)) == {blue.id, club.id}
    assert ids(focused(snapshot(recorded([of_club, *ends])))) == {club.id}  # all that there is
    called = events.Anchored(mention="Sky Blues", entity=club)
    assert ids(focused(snapshot(recorded([told[0], called, *ends])))) == {blue.id, club.id}
    assert without_plan(recorded([*told, *ends])).startswith("No plan was made: blue could be")


def test_once_the_walk_has_begun_what_else_a_name_may_mean_is_behind_it():
    other = Entity("http://example.org/other", "A Mighty Wind")
    hits = (Hit(other, 0.5, "Wind"),)
    told = [
        events.Linked(mentions=("Wind",), candidates=(hits,)),
        events.Anchored(mention="film", entity=FILM),
    ]
    assert other.id in ids(focused(snapshot(recorded(told)), over=False))
    told.append(events.Chosen(statements=tuple(KEPT[:1])))
    assert other.id not in ids(focused(snapshot(recorded(told)), over=False))
    assert other.id in ids(focused(snapshot(recorded(told)), everything=True))
