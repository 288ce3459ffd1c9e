"""What is asked for of rows: a column, an order, a sum, a number of them."""

import pytest

from tests.reader.yard import values


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("Who rented the Kestrel?", ["Ilo Brandt"]),
        ("Who skippered the most expensive boat?", ["Vera Holm"]),
        ("When did the Grey Gull go out?", ["2023-05-03"]),
        ("what gear went with the Little Auk", ["oars", "pole"]),
        ("Which boat was out the longest?", ["Kestrel"]),
        ("What is the average fee of the punts?", ["27.5"]),
        ("How much did we get from Moss Guild in total?", ["80"]),
        ("Which had the higher fee, Tern or Old Pike?", ["B2"]),
        ("Which boat was the most expensive?", ["Kestrel"]),  # by its name, not its code
        ("how many rentals for Ada Sund", ["2"]),
    ],
)
def test_the_column_that_is_asked_for_is_followed_ordered_or_summed(
    question: str, gold: list[str]
) -> None:
    assert values(question) == gold


@pytest.mark.parametrize(
    "question",
    [
        "What is Tern's phone number?",
        "Where does Ada Sund live?",
        "Who built the Tern?",
        "Has Ada Sund rented more often than Moss Guild?",
    ],
)
def test_what_no_column_has_is_not_answered(question: str) -> None:
    assert values(question) == []


def test_what_is_added_up_for_somebody_is_of_those_that_are_theirs() -> None:
    assert values("total audience of Ada Sund's concerts", "choir.ttl") == ["167"]
