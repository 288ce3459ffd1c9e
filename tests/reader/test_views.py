"""What is in view: the notebook of a walk, a list of facts."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import RelationUse
from kgqa_core.methods import react
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.reader.views import Need, NotebookView
from tests.small_graph import DIRECTOR, FILM, SIRK


def test_what_is_asked_of_a_set_is_known_of_one_that_has_the_very_same() -> None:
    uses = [RelationUse(DIRECTOR, "out", 1, ("Douglas Sirk",))]
    first = SetView(name="S1", mention="film", members=[FILM], size=1, relations=uses)
    second = first.model_copy(update={"name": "S2", "mention": "the film"})
    by = react.Action(tool="follow", of="S1", relation=DIRECTOR.id)
    third = SetView(name="S3", by=by, members=[SIRK], size=1)
    view = NotebookView(Notebook(question="?", sets=[first, second, third], actions_left=5), [])
    found = view.act("", tool="follow", of="S2", relation=DIRECTOR.id)
    assert found.name == "S3"
    other = second.model_copy(update={"relations": []})
    view = NotebookView(Notebook(question="?", sets=[first, other, third], actions_left=5), [])
    with pytest.raises(Need):
        view.act("", tool="follow", of="S2", relation=DIRECTOR.id)
