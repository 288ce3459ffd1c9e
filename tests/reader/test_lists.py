"""Lists in questions: A and B, one of several, all but some."""

from __future__ import annotations

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse

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
    ],
)
def test_a_list_is_read(question: str, plan: p.Plan) -> None:
    assert plan in [reading.plan for reading in parse(question)[:2]]
