"""Lists, and so many of something, before there is a graph."""

from __future__ import annotations

import pytest

from kgqa_core.reader.parse import parse
from kgqa_core.reader.wording import reading


@pytest.mark.parametrize(
    ("question", "read"),
    [
        (
            "Besides Ann Lee, who else founded Acme?",
            "who or what founded Acme other than Acme other than Ann Lee",
        ),
        (
            "Who, apart from Ann Lee, founded Acme?",
            "who or what founded Acme other than Ann Lee",
        ),
        ("Who besides Ann Lee founded Acme?", "who or what founded Acme other than Ann Lee"),
        (
            "Apart from Ann and Bob Lee, who founded Acme?",
            "who or what founded Acme other than (Ann Lee and Bob Lee)",
        ),
        (
            "Except for Ulm, how many towns lie on the Nox?",
            "number of (towns that lie on Nox other than Ulm)",
        ),
        (
            "Leaving Norland aside, which country has the most neighbours?",
            "neighbours of (every country other than Norland)",
        ),
        (
            "Of Ann Lee, Bob Lee and Cat Lund, how many were born before 1942?",
            "number of (Ann Lee, Bob Lee and Cat Lund, born before 1942)",
        ),
        ("Which towns of Norland have no mayor?", "town of Norland, mayor is 0"),
        ("Which states border eight other states?", "every state, border is 8"),
        (
            "the publication of the first and the last Night Hill novel",
            "publication of (first of the novels of Night Hill and "
            "(first of the novels of Night Hill))",
        ),
        (
            "Who was mayor of Ulm at the outbreak of the Long War?",
            "mayor of Ulm when (when Long War begins)",
        ),
    ],
)
def test_what_is_left_out_counted_or_dated_by_an_event(question: str, read: str) -> None:
    assert read in [reading(r.plan) for r in parse(question)[:2]]


def test_a_superlative_is_no_quantifier() -> None:
    read = reading(parse("Who discovered the most distant planet?")[0].plan)
    assert "the most of" not in read
