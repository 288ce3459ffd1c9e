"""The built-in reader over the questions: how many it gets right, and what it claims.

`python -m tests.measure.starter_questions [FILE]` prints each failure with its reading.
"""

from __future__ import annotations

from collections import Counter

import pytest

from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.reader.reader import IN_PART, OUTDATED
from tests.measure.starter_questions import FILE, Outcome, ask_all

OVERALL = 0.9
IN_EACH_CLASS = 0.75
LATER = {  # share right
    "further.tsv": 0.9,
    "second.tsv": 0.9,
    "further2.tsv": 0.8,
    "further3.tsv": 0.9,
    "further4.tsv": 0.9,
    "further5.tsv": 0.9,
    "further6.tsv": 0.9,
}


@pytest.fixture(scope="module")
def graph() -> EmbeddedGraph:
    return starter_graph()


@pytest.fixture(scope="module")
def outcomes(graph: EmbeddedGraph) -> list[Outcome]:
    return ask_all(kg=graph)


def failing(outcomes: list[Outcome]) -> str:
    return "\n".join(
        f"{o.kind}: {o.question} → {o.answer.text or o.answer.reason} [{o.answer.reading}]"
        for o in outcomes
    )


def test_nine_of_ten_questions_are_right(outcomes: list[Outcome]) -> None:
    wrong = [o for o in outcomes if not o.right]
    assert len(wrong) <= (1 - OVERALL) * len(outcomes), failing(wrong)


def test_each_class_of_questions_is_mostly_right(outcomes: list[Outcome]) -> None:
    asked = Counter(o.kind for o in outcomes)
    wrong = Counter(o.kind for o in outcomes if not o.right)
    weak = {kind for kind in asked if wrong[kind] > (1 - IN_EACH_CLASS) * asked[kind]}
    assert not weak, failing([o for o in outcomes if o.kind in weak and not o.right])


def test_no_wrong_answer_is_presented_as_certain(outcomes: list[Outcome]) -> None:
    assert not failing([o for o in outcomes if o.wrong_but_certain])


def test_right_answers_are_mostly_certain(outcomes: list[Outcome]) -> None:
    """But for all of what the graph gives in part, and offices held since nobody knows when."""
    right = [o for o in outcomes if o.right and o.answer.sentences]
    unsure = [o for o in right if not o.answer.certain]
    guessed = [o for o in unsure if not o.answer.reading.endswith((IN_PART, OUTDATED))]
    assert len(unsure) <= len(right) / 3, failing(unsure)
    assert len(guessed) <= 0.12 * len(right), failing(guessed)


@pytest.mark.scale
@pytest.mark.parametrize("name", LATER)
def test_later_questions(name: str, graph: EmbeddedGraph) -> None:
    outcomes = ask_all(FILE.parent / name, kg=graph)
    wrong = [o for o in outcomes if not o.right]
    assert len(outcomes) - len(wrong) >= LATER[name] * len(outcomes), failing(wrong)
    assert not failing([o for o in outcomes if o.wrong_but_certain])
