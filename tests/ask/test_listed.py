"""What a reply names among what its prompt listed: the resolver, and the worked examples."""

from __future__ import annotations

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.listed import among
from kgqa_core.ask.skill import registered
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS  # which makes all skills known

SKILLS = list(registered().values()) if METHODS else []

RELATIONS = [
    ("P40", "child"),
    ("P57", "director"),
    ("P19", "place of birth", "birthplace"),
    ("P20", "place of death"),
    ("P1082", "population"),
    ("director", "director"),
]


@pytest.mark.parametrize(
    ("said", "means"),
    [
        ("P40", "P40"),
        ("p40", "P40"),
        ("child", "P40"),
        ("P40 child", "P40"),
        ("child (P40)", "P40"),
        ("P40: child", "P40"),
        ("“Child” →", "P40"),
        ("chld", "P40"),
        ("children", "P40"),
        ("kid", "P40"),
        ("director (P57)", "P57"),
        ("P57 (directed by)", "P57"),
        ("director", "director"),
        ("birth place", "P19"),
        ("placeOfBirth", "P19"),
        ("place_of_birth", "P19"),
        ("place of brith", "P19"),
        ("death place", "P20"),
        ("populaton", "P1082"),
    ],
)
def test_a_name_is_understood_as_people_would(said, means):
    at = among(said, RELATIONS)
    assert at is not None
    assert RELATIONS[at][0] == means


@pytest.mark.parametrize("said", ["", "P9", "place", "spouse", "place of work", "→"])
def test_what_names_nothing_or_several_is_not_guessed(said):
    assert among(said, RELATIONS) is None


def test_worked_examples_are_about_things_that_the_starter_graph_lacks():
    names = {
        mention
        for skill in registered().values()
        for _, reply in skill.examples
        for mention in getattr(reply, "mentions", ())
    }
    assert {"The Salt Lantern", "Ilse Marrow"} <= names
    found = starter_graph().search(sorted(names), 1)
    assert not [hits[0].matched for hits in found if hits and hits[0].score >= 0.99]


@pytest.mark.parametrize("skill", SKILLS, ids=lambda s: s.name)
def test_worked_examples_are_replies_that_fit_their_inputs(skill):
    for given, reply in skill.examples:
        assert prompt.parse(skill.reply, prompt.written(reply), given) == (reply, "")


VERDICTS = (skills.CHOOSE_ENTITY, skills.VERIFY_CLAIM, skills.ANSWER_IF_ENOUGH, skills.ANSWER)


@pytest.mark.parametrize("skill", VERDICTS, ids=lambda s: s.name)
def test_the_verdict_comes_after_the_reason(skill):
    assert next(iter(skill.reply.model_fields)) in ("why", "thought")
