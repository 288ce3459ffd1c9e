"""What is in view: the notebook of a walk, a list of facts."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import RelationUse, Statement
from kgqa_core.methods import react
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.methods.walk import Action
from kgqa_core.reader.views import FactsView, Need, NotebookView, foreseen, is_sound
from tests.small_graph import DIRECTOR, FILM, INSTANCE, LATER, SIRK


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


KINDS = RelationUse(INSTANCE, "out", 1, ("film",))


def test_two_sets_in_view_are_foreseen_together() -> None:
    beside = film(name="S2", mention="the other", members=[LATER], relations=[KINDS])
    union = Action(tool="compute", of="S1", with_set="S2", operation="union")
    both = foreseen(union, notebook(film(), beside))
    assert both is not None
    assert both.members == [FILM, LATER]
    assert {use.relation for use in both.relations} == {DIRECTOR, INSTANCE}
    assert foreseen(union, notebook(film(), beside.model_copy(update={"size": 40}))) is None
    shared = foreseen(union.model_copy(update={"operation": "intersection"}), notebook(film()))
    assert shared is not None
    assert shared.size


def test_what_likely_finds_nothing_is_foreseen_as_empty() -> None:
    sets = notebook(film(relations=[MADE, KINDS]))
    test = {"tool": "keep", "of": "S1", "relation": INSTANCE.id}
    found = {
        value: foreseen(Action.model_validate(test | {"value": value}), sets)
        for value in ("Film | movie", "river")
    }
    assert [one.size if one else None for one in found.values()] == [1, 0]
    name = foreseen(Action(tool="find", mention="Old Mill"), sets)
    assert name is not None
    view = NotebookView(sets.model_copy(update={"sets": [*sets.sets, name]}), [])
    assert view.anchor("Old Mill", "class") is None


def test_how_many_of_several_pass_is_looked_at_before_it_is_told() -> None:
    several = film(members=[FILM, LATER], size=2, relations=[KINDS])
    keep = Action(tool="keep", of="S1", relation=INSTANCE.id, value="film")
    kept = foreseen(keep, notebook(several))
    assert kept is not None
    assert kept.partly
    seen = notebook(several, kept)
    count = Action(tool="compute", of="S2", operation="count")
    counted = foreseen(count, seen)
    assert counted is not None
    assert counted.partly
    one = foreseen(keep, notebook(film(relations=[KINDS])))
    assert one is not None
    assert not one.partly


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
