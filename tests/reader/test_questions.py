"""Who, what, which, whose, where, when; and words without an order."""

import pytest

from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Who directed Jaws?", "directed:patient(Jaws)"),
        ("who directed Written on the Wind", "directed:patient(Written on the Wind)"),
        ("What is the capital of France?", "capital:role(France)"),
        ("capital of France", "capital:role(France)"),
        ("france capital", "capital:role(france)"),
        ("What writing system does Orvish use?", "writing system[writing system:role(Orvish)]"),
        ("What sport does Ada Nobody do?", "sport[sport:role(Ada Nobody)]"),
        ("What films has Tom Hanks starred in?", "film[starred in:agent(Tom Hanks)]"),
        ("Which films did Steven Spielberg direct?", "film[direct:agent(Steven Spielberg)]"),
        ("Which country's capital is Vienna?", "country[capital:holder(Vienna)]"),
        ("What language do people speak in Brazil?", "language[language:role(Brazil)]"),
        ("On which continent is Kenya located?", "continent[located on:agent(Kenya)]"),
        (
            "Who is older, Barack Obama or Angela Merkel?",
            "lowest older 1 of Barack Obama union Angela Merkel",
        ),
        (
            "Which country was the last to join NATO?",
            "highest first 1 of country[join:patient(NATO)]",
        ),
    ],
)
def test_a_question_word_is_read(question: str, expected: str) -> None:
    assert expected in likeliest(question)


@pytest.mark.parametrize("asked", ["Which year was", "In what year was", "What date was"])
@pytest.mark.parametrize("rest", ["the Battle of Orvel", "Ivo Lorn murdered", "the war in Orvel"])
def test_which_year_is_no_other_question_than_when(asked: str, rest: str) -> None:
    assert likeliest(f"{asked} {rest}?") == likeliest(f"When was {rest}?")
