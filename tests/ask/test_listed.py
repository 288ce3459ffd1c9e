"""What a reply names among what its prompt listed: the resolver, and the worked examples."""

from __future__ import annotations

import pytest

from kgqa_core.ask import invented as x
from kgqa_core.ask import skills
from kgqa_core.ask.listed import among
from kgqa_core.ask.skill import registered
from kgqa_core.facts import verbalise
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


def positions(schema, path=""):
    """The paths of a schema's whole numbers, and whether each is one of what was listed."""
    for name, part in schema.get("properties", {}).items():
        items = part.get("items", part)
        if items.get("type") == "integer":
            yield f"{path}{name}", "enum" in items
        yield from positions(items, f"{path}{name}.")


CHOOSING = (
    "judge premises",
    "pick triples",
    "verify pseudo-graph",
    "pick candidates",
    "choose relations",
    "answer or go on",
    "choose entities",
)


@pytest.mark.parametrize("name", CHOOSING)
def test_an_enforced_reply_can_name_nothing_but_what_was_listed(name):
    skill = registered()[name]
    given = skill.examples[0][0] if skill.examples else skill.given(**PICKED_FROM)
    found = dict(positions(prompt.reply_schema(skill.reply, given)))
    assert found
    assert all(found.values()), found


PICKED_FROM = {"question": "q", "axiom": "a", "facts": [x.WROTE, x.BIRTH]}


def test_a_premise_and_a_claim_are_understood_by_their_words():
    judge, verify = registered()["judge premises"], registered()["verify pseudo-graph"]
    said = '{"verdicts": [{"premise": "%s", "state": "OPEN", "facts": "[1]"}]}'
    given = judge.examples[0][0]
    value, problem = prompt.parse(judge.reply, said % given.premises[1].premise, given)
    assert problem == ""
    assert (value.verdicts[0].premise, value.verdicts[0].facts) == (1, [1])
    said = '{"verdicts": [{"claim": "%s", "facts": ["%s"], "verdict": "Keep"}], "added": "2"}'
    given = verify.examples[0][0]
    words = [verbalise.statement(one) for one in (given.claims[1], given.gold[0])]
    value, problem = prompt.parse(verify.reply, said % tuple(words), given)
    assert problem == ""
    assert (value.verdicts[0].claim, value.verdicts[0].facts, value.added) == (1, [0], [2])


TAUGHT = (
    "next action",
    "answer from facts",
    "answer or go on",
    "choose relations",
    "state axiom",
    "pick triples",
    "judge premises",
    "name missing evidence",
    "draft pseudo-graph",
    "verify pseudo-graph",
    "answer from fixed graph",
    "split question",
    "plan chain",
    "pick candidates",
    "write response",
    "act on observation",
)


@pytest.mark.parametrize("name", TAUGHT)
def test_reasoning_is_taught_by_two_to_four_examples(name):
    assert 2 <= len(registered()[name].examples) <= 4


@pytest.mark.parametrize("skill", SKILLS, ids=lambda s: s.name)
def test_every_field_of_a_reply_says_what_it_is(skill):
    """But those of an action that are called what they are."""
    plain = {"tool", "of", "with_set", "mention", "steps"}
    bare = [n for n, f in skill.reply.model_fields.items() if not f.description]
    assert set(bare) <= plain
