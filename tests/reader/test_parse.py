"""What the built-in reader makes of a question, before it has seen a graph."""

import pytest

from kgqa_core.reader.parse import parse
from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's the capital of France", "capital:role(France)"),
        ("Please tell me the capital of France.", "capital:role(France)"),
        (
            "What is the capital of the country where Albert Einstein was born?",
            "capital:role(country[born:agent(Albert Einstein)])",
        ),
    ],
)
def test_the_cheapest_readings_have_the_expected_shape(question: str, expected: str) -> None:
    assert expected in likeliest(question)


def test_nothing_is_read_where_there_is_nothing() -> None:
    assert parse("of the") == []
