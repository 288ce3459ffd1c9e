"""A sentence that asks, put in the order of questions."""

import pytest

from kgqa_core.methods.recast import held, is_phrase, moved, turned, unwrapped


@pytest.mark.parametrize(
    ("asked", "clause", "prep", "question"),
    [
        ("which town", "Ann was born", "in", "which town was Ann born in"),
        ("what", "the Nox has", "", "what does the Nox have"),
        ("which lake", "the Nox reaches", "", "which lake does the Nox reach"),
        ("which sea", "Lake Nox runs right to", "", "which sea does Lake Nox run right to"),
        ("when", "Ann left Ulm", "", "when did Ann left Ulm"),
    ],
)  # fmt: skip
def test_a_clause_is_turned_into_a_question(
    asked: str, clause: str, prep: str, question: str
) -> None:
    assert turned(asked, clause, prep) == question


@pytest.mark.parametrize(
    ("text", "lead", "asked"),
    [
        ("I wonder what the age of Ann is", "I wonder", "what is the age of Ann"),
        ("Do you know the day on which Ann was born", "Do you know", "when was Ann born"),
        ("I know the Nox is in Chad", "", ""),
        ("Ann wondered who sang", "", ""),
    ],
)
def test_what_wraps_a_question_is_taken_off(text: str, lead: str, asked: str) -> None:
    assert unwrapped(text) == (lead, asked)


def test_what_is_asked_last_comes_first() -> None:
    assert (
        moved("Ann, the singer, lives in which town?", marked=True) == "which town does Ann live in"
    )
    assert (
        moved("Ann, born in Ulm, sang in which town?", marked=True) == "which town did Ann sang in"
    )
    assert moved("Ulm: which country?", marked=True) == "what is the country of Ulm"
    assert moved("Red Tower: made of what?", marked=True) == "what did Red Tower made of"
    assert moved("It was which poet who wrote Faust?", marked=True) == "which poet wrote Faust"
    assert moved("Where does Ann live?", marked=True) == ""


def test_a_phrase_has_no_verb_of_its_own() -> None:
    assert is_phrase("the tower that Ann built")
    assert not is_phrase("Ann built the tower")


def test_what_somebody_holds_is_asked_whether_it_is_so() -> None:
    assert held("Ann says Ulm is old. Is she right?") == "Is it true that Ulm is old?"
    assert held("Ann says Ulm is old.") == ""
