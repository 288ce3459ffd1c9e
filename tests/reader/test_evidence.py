"""What speaks for a program and against it, and the weights that ship."""

from __future__ import annotations

import json

import pytest

from kgqa_core.facts.terms import Relation, RelationUse
from kgqa_core.reader.evidence import (
    FEATURES,
    OPINION,
    SURE,
    Asked,
    already_said,
    fitted,
    orders,
    overlooked,
    scale,
    unread,
)
from kgqa_core.reader.meaning import FOLDER
from kgqa_core.reader.programs import Program
from kgqa_core.reader.views import GraphView
from kgqa_core.text import stem
from tests.reader.small import program
from tests.small_graph import LATER, SIRK, ULM, small_graph


def test_most_with_an_adjective_is_a_scale():
    found = scale(Asked("which is the most populous city"))
    assert found is not None
    assert (found[0], found[1].order) == ("most populous", "highest")
    assert scale(Asked("which city is it")) is None


@pytest.mark.parametrize(
    ("question", "noun"),
    [
        ("which river flows through it", "river"),
        ("which old songs are by her", "song"),
        ("all Methodist politicians of Ulm", "politician"),
        ("a computer game by them", "computer game"),
        ("who directed it", ""),
        ("what is the capital of it", ""),
    ],
)
def test_what_is_asked_for_is_called_by_the_noun_it_is_of(question: str, noun: str):
    assert Asked(question).noun == noun


def test_words_that_a_kind_an_order_or_a_detail_stand_for_are_read():
    view = GraphView(small_graph())
    films = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    asked = Asked("what was the first film that Douglas Sirk made")
    assert {"first", "film"} <= unread(asked, films)
    best = Program(films.name, films.uses, kind="film", order="lowest", said="first")
    assert not {"first", "film"} & unread(asked, best)
    assert "number of" in Program(films.name, films.uses, operator="count").reading()


def test_words_that_the_graph_says_of_a_name_only_tell_which_one_is_meant():
    view = GraphView(small_graph())
    film = program(view, "Imitation of Life", LATER, ("publication date", "out"))
    asked = Asked("when was the film Imitation of Life by Douglas Sirk with Ann Lee released")
    assert unread(asked, film) == {"ann", "lee"}


def test_what_the_question_names_itself_is_not_what_it_asks_for():
    view, asked = GraphView(small_graph()), Asked("which city of Germany is Ulm")
    assert already_said(asked, program(view, "Ulm", ULM, ("country", "out")))
    assert not already_said(asked, program(view, "Ulm", ULM, ("population", "out")))
    assert not already_said(Asked("where is Ulm"), program(view, "Ulm", ULM, ("country", "out")))


@pytest.mark.parametrize(
    ("question", "label", "left"),
    [
        ("when did Ulm first open", "inception", []),
        ("how many can play Ulm at most", "maximum number of players", []),
        ("how many can play Ulm at most", "number of players", ["most"]),
        ("how many can not play Ulm at most", "maximum number of players", ["not"]),
    ],
)
def test_a_word_that_orders_is_read_by_a_relation_that_does(question: str, label: str, left: list):
    view = GraphView(small_graph())
    use = RelationUse(Relation("http://example.org/r", label), "out", 1)
    one = Program(program(view, "Ulm", ULM, ("country", "out")).name, (use,))
    assert orders(Asked(question), one) == left


@pytest.mark.parametrize(
    ("question", "word"),
    [
        ("who did not star in films by Douglas Sirk", "not"),
        ("the youngest film by Douglas Sirk", "youngest"),
        ("what did Douglas Sirk make in 1956", "in 1956"),
        ("what did the husband of Douglas Sirk make", "husband"),
        ("the maker of films and the maker of Douglas Sirk", "maker"),
        ("what did Douglas Sirk make", ""),
    ],
)
def test_some_words_no_answer_may_leave_out(question: str, word: str):
    view = GraphView(small_graph())
    films = program(view, "Douglas Sirk", SIRK, ("director", "in"))
    assert overlooked(Asked(question), films) == word


@pytest.mark.parametrize(
    ("question", "want", "count"),
    [
        ("who sang this", "person", False),
        ("where is it", "place", False),
        ("which year was that", "time", False),
        ("how many films did he make", "number", True),
        ("what is the capital", "", False),
    ],
)
def test_the_question_word_says_what_kind_of_value_is_asked_for(question, want, count):
    asked = Asked(question)
    assert (asked.want, asked.count) == (want, count)


@pytest.mark.parametrize(
    ("question", "several"),
    [
        ("which rivers cross Ulm", True),
        ("who are the heirs of it", True),
        ("name the films of Sirk", True),
        ("which river crosses Ulm", False),
        ("what is its capital", False),
        ("where was it", None),
        ("who wrote it", None),
    ],
)
def test_whether_one_or_several_are_asked_for_is_seen_where_the_question_says_so(question, several):
    assert Asked(question).several is several


def test_a_word_said_twice_is_no_second_hop_where_it_is_what_the_answer_is_called():
    assert "film" not in Asked("Which film is a war film?").twice
    assert stem("advisor") in Asked("Who was the advisor of the advisor of Otto Hahn?").twice


def test_the_weights_that_ship_are_complete_and_small():
    document = json.loads((FOLDER / "weights.json").read_text(encoding="utf-8"))
    assert set(document["features"]) == set(FEATURES)
    assert set(document["sure"]) == set(SURE)
    assert set(document["opinion"]) == set(OPINION)
    assert 0 < fitted().answer <= fitted().likely < 1
    assert fitted().doubt > 0
    assert abs(fitted().surer) < 0.5
    assert (FOLDER / "layers.safetensors").stat().st_size < 8_000_000
