"""Programs: what the graph offers around names, and what is done at the end of the way."""

from __future__ import annotations

from kgqa_core.reader import programs
from kgqa_core.reader.acting import Found
from kgqa_core.reader.evidence import Asked
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.programs import Program, carried_out
from kgqa_core.reader.ranker import Ranker
from kgqa_core.reader.views import GraphView
from tests.reader.small import name, program
from tests.small_graph import (
    CITY,
    FILM,
    GERMANY,
    LATER,
    SIRK,
    ULM,
    small_graph,
)  # fmt: skip


def finished(question: str, view: GraphView, one: Program) -> tuple[Program, Found]:
    return Ranker.finished(Asked(question), one, view, lexicon())


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


def test_a_time_in_a_name_dates_nothing():
    view = GraphView(small_graph())
    one = program(view, "1956 film Written on the Wind", FILM, ("director", "out"))
    best, found = finished("who directed the 1956 film Written on the Wind", view, one)
    assert (best.when, found.members) == ("", (SIRK,))
