"""What is in view: the notebook of a walk, a list of facts."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import RelationUse, Statement
from kgqa_core.methods import react
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.methods.walk import Action
from kgqa_core.reader.views import FactsView, Need, NotebookView, foreseen, is_sound
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


MADE = RelationUse(DIRECTOR, "out", 1, ("Douglas Sirk",))
FOLLOW = {"tool": "follow", "of": "S1", "relation": DIRECTOR.id}


def notebook(*sets: SetView) -> Notebook:
    return Notebook(question="?", sets=list(sets), actions_left=5)


def film(**more: object) -> SetView:
    given = {"name": "S1", "mention": "the film", "members": [FILM], "size": 1, "relations": [MADE]}
    return SetView.model_validate(given | more)


def test_a_name_of_the_notebook_is_its_set_and_one_that_was_tried_is_not_there() -> None:
    view = NotebookView(notebook(film()), ["Blue Mill"])
    found = view.anchor("The film", "")
    assert found is not None
    assert found.members == (FILM,)
    assert view.anchor("Blue Mill", "") is None
    with pytest.raises(Need) as need:
        view.anchor("Old Mill", "")
    assert (need.value.action.tool, need.value.action.mention) == ("find", "Old Mill")
    view.may_look = False
    assert view.anchor("Old Mill", "") is None


def test_an_action_that_was_not_taken_is_needed() -> None:
    with pytest.raises(Need) as need:
        NotebookView(notebook(film()), []).act("who made it", **FOLLOW)
    assert need.value.action.relation == DIRECTOR.id


def test_what_an_action_will_make_is_told_by_examples() -> None:
    to_come = foreseen(Action(thought="", **FOLLOW), notebook(film()))
    assert to_come is not None
    assert [m.name for m in to_come.members] == ["Douglas Sirk"]
    assert foreseen(Action(thought="", **FOLLOW), notebook(film(size=0))) is None
    count = Action(thought="", tool="compute", of="S1", operation="count")
    counted = foreseen(count, notebook(film(size=7)))
    assert counted is not None
    assert [m.name for m in counted.members] == ["7"]


def test_from_what_is_doubtful_nothing_sound_follows() -> None:
    for doubtful in (True, False):
        view = NotebookView(notebook(film(doubtful=doubtful)), [])
        assert is_sound(Action(thought="", **FOLLOW), view) is not doubtful
    assert not is_sound(Action(thought="", tool="find", mention="mill"), view)


def test_facts_are_walked_like_a_graph() -> None:
    view = FactsView([Statement(FILM, DIRECTOR, SIRK)])
    start = view.anchor("written on the wind", "")
    assert start is not None
    found = view.act("", **(FOLLOW | {"of": start.name}))
    assert found.members == (SIRK,)
    assert found.uses[0].direction == "in"
    refused = view.act("", tool="follow", of=start.name, relation="r:none")
    assert (refused.size, refused.problem != "") == (0, True)
    assert view.anchor("Old Mill", "") is None
