"""A question as tokens: times and amounts are one each."""

import re

import pytest

from kgqa_core.reader.words import ORDINALS, contractions, expanded, tokenise, words


@pytest.mark.parametrize(
    ("text", "test", "value", "until"),
    [
        ("in 1990", "during", "1990", ""),
        ("on 15 April 1912", "during", "1912-04-15", ""),
        ("in April 1912", "during", "1912-04", ""),
        ("before 1900", "before", "1900", ""),
        ("in the 1990s", "during", "1990", "1999"),
        ("in the 19th century", "during", "1801", "1900"),
        ("between 1980 and 1990", "during", "1980", "1990"),
        ("currently", "during", "now", ""),
        ("prior to 1900", "before", "1900", ""),
        ("on April 15, 1912", "during", "1912-04-15", ""),
        ("since the 1990s", "after", "1999", ""),
        ("before the 19th century", "before", "1801", ""),
        ("in the seventeenth century", "during", "1601", "1700"),
    ],
)
def test_times_become_one_token(text: str, test: str, value: str, until: str) -> None:
    span = tokenise(f"films made {text}")[-1].span
    assert span is not None
    assert (span.test, span.value, span.until) == (test, value, until)


@pytest.mark.parametrize(
    ("text", "test", "value"),
    [
        ("with more than a million sheep", "more than", "1 million"),
        ("with at least 3 mills", "more than", "2"),
        ("with fewer than seven mills", "less than", "7"),
    ],
)
def test_amounts_become_one_token(text: str, test: str, value: str) -> None:
    (span,) = (t.span for t in tokenise(text) if t.span is not None)
    assert (span.test, span.value) == (test, value)


def test_a_number_in_a_name_is_no_time() -> None:
    assert all(token.span is None for token in tokenise("who flew Kestrel 1300"))


@pytest.mark.parametrize(
    ("question", "name"),
    [
        ("Who sings Don't Stop the Rain", "Don't Stop the Rain"),
        ("Who sings Don’t Stop the Rain", "Don’t Stop the Rain"),
        ("Who won the Nine Hens' War", "Nine Hens' War"),
        ("Who won the Nine Hens’ War", "Nine Hens' War"),
    ],
)
def test_a_name_keeps_its_apostrophe(question: str, name: str) -> None:
    assert words(tokenise(question)).endswith(name)


def test_within_a_question_a_contraction_is_in_small_letters() -> None:
    assert expanded("Isn't Ulm a city that doesn't lie in Chad") == (
        "Is not Ulm a city that does not lie in Chad"
    )


def test_places_in_a_row_are_read_up_to_the_ninety_ninth() -> None:
    assert len(ORDINALS) == 99
    assert [ORDINALS[w] for w in ("ninth", "sixteenth", "twentieth", "thirty-second")] == [
        9, 16, 20, 32,
    ]  # fmt: skip
    assert ORDINALS["ninety-ninth"] == 99


@pytest.mark.parametrize("row", contractions(), ids=lambda row: row[2])
def test_a_row_of_the_table_of_contractions_meets_its_example(row: tuple[str, ...]) -> None:
    wording, read, example, becomes = row
    assert re.sub(wording, read, example, flags=re.IGNORECASE) == becomes == expanded(example)
