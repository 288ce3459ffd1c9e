"""What words of a question narrow the rows by: cells, ticks, empty cells, amounts and times."""

import pytest

from tests.reader.yard import asked, values


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("Which dinghies were out in May?", ["B1", "B2"]),
        ("Which rentals were out in June or August?", ["B4", "B5"]),
        ("Who rented the ketch?", ["Ilo Brandt"]),
        ("Which boats had no damage?", ["Grey Gull", "Little Auk", "Old Pike"]),
        ("Which boats have an anchor and oars?", ["Tern"]),
        ("How many boats had a bailer?", ["3"]),
        ("Which rentals were over 50?", ["B2", "B4"]),
        ("Besides Ada Sund, who else took a punt?", ["Moss Guild"]),
        ("Which punts were rented before 2024?", ["B3"]),
        ("Which rentals were for the Old Pike?", ["B3"]),
        ("Has Moss Guild paid a deposit?", ["false"]),
        ("Has Ilo Brandt paid a deposit?", ["true"]),
    ],
)
def test_words_that_are_cells_narrow_the_rows(question: str, gold: list[str]) -> None:
    assert values(question) == gold


def test_what_was_read_says_what_stands_in_the_cells() -> None:
    found = asked("Which rentals had no deposit paid?")
    assert found.reading == "the rows where deposit paid is not yes"


def test_a_cell_that_is_empty_says_neither_yes_nor_no() -> None:
    assert values("Is the damage of B1 a torn sail?") == []


@pytest.mark.parametrize("question", ["Who rented the submarine?", "Which boats were out in 1950?"])
def test_what_is_in_no_cell_is_not_left_out(question: str) -> None:
    assert values(question) == []
