"""Quantifiers before a set, and verb phrases that compare its members, before there is a graph."""

from __future__ import annotations

import pytest

from kgqa_core.reader.parse import parse
from kgqa_core.reader.several import NEAREST
from kgqa_core.reader.wording import reading


@pytest.mark.parametrize(
    ("question", "read"),
    [
        (
            "Which country do most members of the Herons come from?",
            "countries that (the most of the members of Herons) comes from",
        ),
        (
            "Which school did at least two of the Herons attend?",
            "schools that (at least 2 of all Herons) attends",
        ),
        (
            "What is the most common birthplace of the members of the Herons?",
            "birthplace of (the most of the members of Herons)",
        ),
        (
            "Which club has won the Silver Cup most often?",
            "clubs that won (the most of Silver Cup)",
        ),
        (
            "Which of the Herons share a birthplace?",
            "those of all Herons with the same birthplace",
        ),
        (
            "Which two of the Herons were born in the same year?",
            "those of all Herons with the same born in year",
        ),
        (
            "Which member of the Herons is nearest in age to Ann Roth?",
            "old of the member of Herons nearest to Ann Roth",
        ),
        (
            "What is the closest lake to Grey Water in size?",
            "large of every lake nearest to Grey Water",
        ),
        (
            "Which of the Herons was born closest to 25 December?",
            "first born of every Herons nearest to (12-25)",
        ),
        (
            "Which town in Norland has a population closest to 1 million?",
            "population of the town in Norland nearest to (1 million)",
        ),
    ],
)
def test_a_question_about_several_is_read(question: str, read: str) -> None:
    assert read in [reading(r.plan) for r in parse(question)[:2]]


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
        (
            "How many of Ann Lee's sisters were called Cat?",
            "number of (those of the sisters of Ann Lee called Cat)",
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


def test_what_is_near_without_a_measure_is_left_to_the_graph() -> None:
    """How far it is from one place to another, no graph of ours says."""
    assert "nearest" in NEAREST
    read = [reading(r.plan) for r in parse("Which town is nearest to Ulm?")]
    assert not any("nearest to Ulm" in one and "large" in one for one in read)
