"""Wordings that are read as one: every row of the table meets its example, and says what it is."""

from __future__ import annotations

import re

import pytest

from kgqa_core.reader.rewording import claim, core, plain, rewordings
from kgqa_core.reader.words import expanded


@pytest.mark.parametrize("row", rewordings(), ids=lambda row: row[2])
def test_a_row_of_the_table_meets_its_example(row: tuple[str, ...]) -> None:
    wording, parsed, example, becomes = row
    text = expanded(claim(example) or core(example))
    for before in rewordings()[: rewordings().index(row)]:
        text = re.sub(before[0], before[1], text, flags=re.IGNORECASE)
    assert re.sub(wording, parsed, text, flags=re.IGNORECASE) != text
    assert plain(example) == becomes


@pytest.mark.parametrize(
    ("asked", "said"),
    [
        ("Is it true that Ulm lies in Chad?", "Ulm lies in Chad"),
        ("Ulm lies in Chad, right?", "Ulm lies in Chad"),
        ("I think Ulm lies in Chad, doesn't it?", "Ulm lies in Chad"),
        ("Does Ulm lie in Chad?", ""),
        ("Was it Ann Lee who founded Ulm?", "Ann Lee founded Ulm"),
        ("Is it Ulm that is the capital of Chad?", "Ulm is the capital of Chad"),
        ("Was it a woman who founded Ulm?", ""),
        ("Who lives in Ulm, is that right?", ""),
    ],
)
def test_a_claim_is_taken_out_of_what_asks_for_it(asked: str, said: str) -> None:
    assert claim(asked) == said


@pytest.mark.parametrize(
    ("asked", "becomes"),
    [
        ("Is Ben Nevis or Mount Etna higher?", "which is higher, Ben Nevis or Mount Etna"),
        ("was handel or bach born first", "which was born first, handel or bach"),
        ("Does Chad or Mali have more lakes?", "which has more lakes, Chad or Mali"),
        ("Is Chad or Mali the bigger one?", "which is bigger, Chad or Mali"),
        ("Is zinc or silver denser?", "which is denser, zinc or silver"),
        ("Is it Chad or Mali that has more lakes?", "which has more lakes, Chad or Mali"),
        ("Is it Ulm or Bonn that is the capital of Chad?", "which is the capital of Chad"),
        ("Was it Ulm or another town that burnt down?", "which town burnt down"),
        ("Was it Ann Lee or someone else who wrote Night Hill?", "who wrote Night Hill"),
        ("Was it in 1914 or 1915 that Ulm burnt?", "Was it in 1914 or 1915 that Ulm burnt"),
        ("Is Ben Nevis or Mount Etna in Chad?", "Is Ben Nevis or Mount Etna in Chad"),
        ("Is tin or silver heavier?", "which is heavier, tin or silver"),
        ("chad or mali which has more lakes", "which has more lakes, chad or mali"),
        ("Are there more goats in Chad or in Mali?", "which has more goats, Chad or Mali"),
        ("Is Mali wider or narrower than Chad?", "Is Mali wider or narrower than Chad"),
    ],
)
def test_which_of_two_is_asked_in_one_way(asked: str, becomes: str) -> None:
    assert plain(asked) == becomes


@pytest.mark.parametrize(
    ("asked", "becomes"),
    [
        ("What is the highest hill in the whole world?", "What is the highest hill"),
        ("Who won the first world war?", "Who won the first world war"),
        ("Which is the highest hill of the Earth?", "Which is the highest hill"),
        ("What is the diameter of the Earth?", "What is the diameter of the Earth"),
    ],
)
def test_of_the_world_goes_unsaid(asked: str, becomes: str) -> None:
    assert plain(asked) == becomes


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("when was henry the 8th born", "when was henry VIII born"),
        ("Who was Louis the Fourteenth's mother?", "Who was Louis XIV's mother"),
        ("Henry 4 of Castile", "Henry IV of Castile"),
        ("Was Elizabeth the first woman there?", "Was Elizabeth the first woman there"),
        ("Who directed Shrek the Third?", "Who directed Shrek the Third"),
        ("Was Henry 50 years old?", "Was Henry 50 years old"),
    ],
)
def test_a_rulers_number_is_read_in_words_and_digits(question: str, read: str) -> None:
    assert core(question) == read


@pytest.mark.parametrize(
    ("asked", "plain"),
    [
        ("Hi, could you please tell me who directed Jaws?", "who directed Jaws"),
        ("I would like to know the capital of Spain.", "the capital of Spain"),
        ("I'd like to know who directed Jaws, please.", "who directed Jaws"),
        ("List all films by Sirk", "all films by Sirk"),
    ],
)
def test_politeness_is_taken_off(asked: str, plain: str) -> None:
    assert core(asked) == plain


@pytest.mark.parametrize(
    "question",
    ["In which city was Handel born?", "The town where Handel's wife was born", "Who died?"],
)
def test_what_asks_for_something_else_is_not_asked_for_a_day(question: str) -> None:
    assert not plain(question).startswith("when")


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("who succeeded ann lee", "who was the successor of ann lee"),
        ("who preceded lee", "who was the predecessor of lee"),
        ("who replaced the drummer", "who replaced the drummer"),
        ("who came before it", "who came before it"),
    ],
)
def test_a_name_in_small_letters_has_a_successor(asked: str, read: str) -> None:
    assert plain(asked) == read
