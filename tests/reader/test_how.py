"""Questions with how: numbers, ages, stretches of time."""

import pytest

from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("How many years ago did Ann Roth die?", "years die:agent(Ann Roth) – now"),
        ("How did Ann Roth die?", "cause of death:role(Ann Roth)"),
        ("How many children did Bach have?", "count(child:role(Bach))"),
        ("How many children has Bach?", "count(child:role(Bach))"),
        ("How tall is Shaquille O'Neal?", "how tall Shaquille O'Neal"),
        ("How old was Mozart when he died?", "age Mozart at died:agent(Mozart)"),
        (
            "How many years are there between the birth of Bach and the birth of Mozart?",
            "years birth:role(Bach) – birth:role(Mozart)",
        ),
        ("How long was Angela Merkel married to Ulrich Merkel?", "lasting Angela Merkel married"),
        ("At what age did Gandhi die?", "age Gandhi at die:agent(Gandhi)"),
        ("at what age did john mccain die", "age john mccain at die:agent(john mccain)"),
        ("In which year did the Uprising of Ada end?", "end:agent(Uprising of Ada)"),
        ("On what day was Ada Nobody born?", "born:agent(Ada Nobody)"),
    ],
)
def test_a_question_with_how_is_read(question: str, expected: str) -> None:
    assert expected in likeliest(question)
