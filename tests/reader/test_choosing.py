"""Which entity a name of a question may mean."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import Entity
from kgqa_core.reader.choosing import likely


@pytest.mark.parametrize(
    ("mention", "label", "truth"),
    [
        ("Einstein", "Albert Einstein", True),
        ("Albert Einstien", "Albert Einstein", True),
        ("wind", "Gone with the Wind", False),
        ("the Nile", "Nile", True),
        ("Mars", "Bars", False),
    ],
)
def test_which_names_may_stand_for_an_entity(mention: str, label: str, truth: bool) -> None:
    assert likely(mention, Entity("e:1", label)) is truth
