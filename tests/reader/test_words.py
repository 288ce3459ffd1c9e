"""A question as tokens: times and amounts are one each."""

import pytest

from kgqa_core.reader.words import tokenise


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
    ],
)
def test_times_become_one_token(text: str, test: str, value: str, until: str) -> None:
    span = tokenise(f"films made {text}")[-1].span
    assert span is not None
    assert (span.test, span.value, span.until) == (test, value, until)
