"""Names in a question: by their looks, and where known entities are named."""

from __future__ import annotations

import pytest

from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.names import mark, singulars, spans


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("After whom is the Riemannian geometry named?", "Riemannian geometry"),
        ("Who won the 2020 UEFA Champions League Final?", "2020 UEFA Champions League Final"),
        ("In what year did the Hollywood Walk of Fame open?", "Hollywood Walk of Fame"),
        ("who wrote hunter x hunter", "hunter x hunter"),
    ],
)
def test_spans_that_look_like_names_are_proposed(question: str, name: str) -> None:
    assert name in spans(question, lexicon())


def test_a_part_of_a_run_of_capitals_is_no_name_of_its_own() -> None:
    proposed = spans("How many books did George W. Bush write?", lexicon())
    assert not {"George W.", "W. Bush"} & set(proposed)


@pytest.mark.parametrize("word", ["higher", "larger", "older"])
def test_what_two_are_compared_by_is_no_part_of_a_name(word: str) -> None:
    assert spans(f"Is Oslo {word} than Helsinki?", lexicon()) == []


def test_plain_words_are_no_names() -> None:
    assert spans("what is the highest mountain", lexicon()) == []


def test_plurals_in_small_letters_are_looked_up_as_one_of_them() -> None:
    assert singulars(["sperm whales", "United States", "Jaws"]) == ["sperm whale"]


def test_known_names_are_put_in_brackets() -> None:
    known = {"Riemannian geometry": ("Riemannian geometry",)}
    marked, called = mark("After whom is the Riemannian geometry named?", known, loosely=False)
    assert marked == "After whom is the [Riemannian geometry] named?"
    assert called == {"riemannian geometry": "Riemannian geometry"}


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Where did Trotzky die?", "Leon Trotsky"),
        ("In which manner did Hemingway die?", "Ernest Hemingway"),
        ("What do sperm whales eat?", "sperm whale"),
    ],
)
def test_entities_that_are_handed_over_are_found_loosely(question: str, name: str) -> None:
    marked, called = mark(question, {name: (name,)}, loosely=True)
    strictly, _ = mark(question, {name: (name,)}, loosely=False)
    assert marked.count("[") == 1
    assert list(called.values()) == [name]
    assert strictly == question


def test_the_longer_name_wins() -> None:
    known = {"Jaws 2": ("Jaws 2",), "Jaws": ("Jaws",)}
    marked, _ = mark("Who directed Jaws 2?", known, loosely=False)
    assert marked == "Who directed [Jaws 2]?"


def test_brackets_of_a_question_stay_as_they_are() -> None:
    marked, _ = mark("who directed [Jaws]", {"Jaws": ("Jaws",)}, loosely=False)
    assert marked.count("[") == 1


def test_no_name_ends_with_a_colon():
    assert not any(":" in name for name in spans("Ulm or Bonn: which is older?", lexicon()))
