"""Programs: what the graph offers around names, and what is done at the end of the way."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import Entity, Literal, Qualifier, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.reader import programs
from kgqa_core.reader.acting import Found
from kgqa_core.reader.evidence import Asked, left_out, wanted_details
from kgqa_core.reader.programs import Program, carried_out
from kgqa_core.reader.ranker import Ranker
from kgqa_core.reader.views import GraphView
from tests.reader.small import name, program
from tests.small_graph import (
    BOOK,
    CAST,
    CITY,
    DIRECTOR,
    FILM,
    GERMANY,
    LATER,
    SIRK,
    STATEMENTS,
    TURNER,
    ULM,
    small_graph,
)  # fmt: skip

_ROLE = Relation("http://www.wikidata.org/entity/P453", "character role")
_LORA = Entity("http://www.wikidata.org/entity/Q900", "Lora Meredith")


def finished(question: str, view: GraphView, one: Program) -> tuple[Program, Found]:
    return Ranker.finished(Asked(question), one, view)


def test_a_statement_is_told_from_others_by_a_second_name_and_its_qualifier_is_gone_to():
    played = Statement(LATER, CAST, TURNER, (Qualifier(_ROLE, _LORA),))
    others = [s for s in STATEMENTS if s.relation != CAST]
    view = GraphView(
        EmbeddedGraph.build(
            "roles", [FILM, LATER, TURNER, SIRK, _LORA], [CAST, DIRECTOR, _ROLE],
            [played, *(s for s in others if s.relation == DIRECTOR)],
        )
    )  # fmt: skip
    one = program(view, "Lana Turner", TURNER, ("cast member", "in"))
    film = name(view, "Imitation of Life", LATER)
    question = "what character did Lana Turner play in Imitation of Life"
    details = wanted_details(Asked(question))
    assert details[0] == ("character role",)
    plain, role, *_ = programs.stated(one, [one.name, film], details)
    assert carried_out(role, view).members == (_LORA,)
    assert role.reading().startswith("character role of those whose cast member is Lana Turner")
    assert carried_out(plain, view).size == 0  # the second name itself is no answer


def test_those_of_the_kind_that_is_asked_for_are_kept():
    view = GraphView(small_graph())
    one = program(view, "Ulm", ULM, ("country", "out"), ("country", "in"))
    kept, found = finished("which city shares its country with Ulm", view, one)
    assert found.members == (ULM,)
    assert not kept.kind  # there is only one
    films = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    kept, found = finished("which film did Douglas Sirk direct", view, films)
    assert (kept.kind, set(found.members)) == ("film", {FILM, LATER})
    assert kept.reading() == "those whose director is Douglas Sirk, only film"
    kept, found = finished("which castle did Douglas Sirk direct", view, films)
    assert (kept.kind, set(found.members)) == ("", {FILM, LATER})


@pytest.mark.parametrize(("word", "film"), [("first", FILM), ("latest", LATER)])
def test_the_end_of_a_scale_is_taken(word: str, film: Entity):
    view = GraphView(small_graph())
    films = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    asked = Asked(f"what was the {word} film by Douglas Sirk")
    best, found = Ranker.finished(asked, films, view)
    assert found.members == (film,)
    assert best.said == word
    asked.called = [films.name]
    assert left_out(asked, films)[2] == 1
    assert left_out(asked, best)[2] == 0


def test_a_scale_that_nothing_there_has_is_left_out():
    view = GraphView(small_graph())
    films = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    best, found = finished("what is the heaviest film by Douglas Sirk", view, films)
    assert (best.order, found.size) == ("", 2)


def test_yes_is_said_where_a_relation_leads_from_one_name_to_the_other():
    view = GraphView(small_graph())
    ulm, germany, city = (
        name(view, "Ulm", ULM), name(view, "Germany", GERMANY), name(view, "city", CITY),
    )  # fmt: skip
    every = list(programs.whether([ulm, germany]))
    of = next(p for p in every if p.name == ulm and p.last.relation.label == "country")
    assert [m.name for m in carried_out(of, view).members] == ["true"]
    assert of.reading() == "country of Ulm: whether Germany is there"
    wrong = next(
        p for p in programs.whether([ulm, city])
        if p.name == ulm and p.last.relation.label == "country"
    )  # fmt: skip
    assert [m.name for m in carried_out(wrong, view).members] == ["false"]


def test_two_names_are_joined_by_what_leads_to_both():
    view = GraphView(small_graph())
    first = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    turner = name(view, "Lana Turner", TURNER)
    found = carried_out(first, view)
    joined = [p for p in programs.longer(first, found, [first.name, turner]) if p.beside == turner]
    cast = next(p for p in joined if p.by and p.by.relation.label == "cast member")
    assert carried_out(cast, view).members == (LATER,)
    assert BOOK not in carried_out(cast, view).members


def test_several_plain_values_have_an_end_too():
    view = GraphView(small_graph())
    dates = program(view, "Douglas Sirk", SIRK, ("director", "in"), ("publication date", "out"))
    best, found = finished("when was the first film by Douglas Sirk", view, dates)
    assert best.order == "lowest"
    assert [m.value for m in found.members if isinstance(m, Literal)] == ["1956-12-25"]


def test_a_time_in_a_name_dates_nothing():
    view = GraphView(small_graph())
    one = program(view, "1956 film Written on the Wind", FILM, ("director", "out"))
    best, found = finished("who directed the 1956 film Written on the Wind", view, one)
    assert (best.when, found.members) == ("", (SIRK,))
