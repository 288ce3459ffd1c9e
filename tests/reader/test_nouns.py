"""Noun phrases: what narrows a noun, owners, offices, records."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse
from kgqa_core.reader.wording import reading
from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Films with Tom Hanks", "film[with:patient(Tom Hanks)]"),
        ("Who is Barack Obama's wife?", "wife:role(Barack Obama)"),
        (
            "the Tim Burton films with Johnny Depp",
            "film:role(Tim Burton) intersection with:patient(Johnny Depp)",
        ),
        (
            "What is the highest mountain in Asia?",
            "highest highest 1 of every mountain where in Asia",
        ),
        ("What is the second longest river?", "highest longest 2 of every river"),
        ("Who was chancellor of Germany in 1975?", "chancellor:role(Germany) @during 1975"),
        ("Who is the spouse of the director of Jaws?", "spouse:role(director:role(Jaws))"),
        ("What is the ISO 639-1 code of Orvish?", "iso 639-1 code:role(Orvish)"),
        ("What is the IMDb ID of Ada Nobody?", "imdb id:role(Ada Nobody)"),
        (
            "Which countries have more than 3 million inhabitants?",
            "every country with inhabitants more than 3 million",
        ),
        ("Which companies were founded after 1990?", "every company with founded after 1990"),
    ],
)
def test_a_noun_phrase_is_read(question: str, expected: str) -> None:
    assert expected in likeliest(question)


A, B, C = (p.Anchor(name) for name in ("Alpha", "Beta", "Gamma"))


@pytest.mark.parametrize(
    ("question", "plan"),
    [
        (
            "Which of Alpha, Beta and Gamma is the lowest?",
            p.Nth(p.Join(p.Join(A, B, "union"), C, "union"), "lowest", "lowest"),
        ),
        (
            "the children of Alpha and Beta",
            p.Hop(p.Join(A, B, "union"), "child", "role"),
        ),
        (
            "the children of Alpha except Beta",
            p.Join(p.Hop(A, "child", "role"), B, "minus"),
        ),
        (
            "What is the sum of the populations of Alpha and Beta?",
            p.Nth(p.Join(A, B, "union"), "population", "sum"),
        ),
        ("combined area of Alpha and Beta", p.Nth(p.Join(A, B, "union"), "area", "sum")),
        (
            "What is the average height of Alpha, Beta and Gamma?",
            p.Nth(p.Join(p.Join(A, B, "union"), C, "union"), "height", "average"),
        ),
        ("the total area of Alpha", p.Hop(A, "total area", "role")),
    ],
)
def test_a_list_is_read(question: str, plan: p.Plan) -> None:
    assert plan in [reading.plan for reading in parse(question)[:2]]


@pytest.mark.parametrize(
    ("question", "read"),
    [
        (
            "Apart from Ann Lee, who founded Acme?",
            "who or what founded Acme other than Ann Lee",
        ),
        ("Which towns of Norland have no mayor?", "town of Norland, mayor is 0"),
        ("Which states border eight other states?", "every state, border is 8"),
    ],
)
def test_what_is_left_out_counted_or_dated_by_an_event(question: str, read: str) -> None:
    assert read in [reading(r.plan) for r in parse(question)[:2]]


def test_a_superlative_is_no_quantifier() -> None:
    read = reading(parse("Who discovered the most distant planet?")[0].plan)
    assert "the most of" not in read
