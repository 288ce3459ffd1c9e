"""What every step that a model is asked for has in common, whichever method asks it."""

import re
import sys
from collections import Counter
from typing import get_args

import pytest
from pydantic import BaseModel

from kgqa_core.ask import skills
from kgqa_core.ask.skill import Choice, Skill, registered
from kgqa_core.facts.terms import Statement
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.methods import METHODS
from kgqa_core.methods.pgakv.cypher.pseudo import from_script
from kgqa_core.methods.pgakv.skills import DRAFT
from tests.places import TESTS

ROOMS = ("kgqa_core.ask.", "kgqa_core.methods.")
assert METHODS  # what their modules define is registered
OWN = {  # tests make skills, too, and the check of a connection is one
    value.name
    for name, module in list(sys.modules.items())
    for value in (vars(module).values() if name.startswith(ROOMS) else ())
    if isinstance(value, Skill)
}
SKILLS = [skill for skill in registered().values() if skill.name in OWN]
RECALLED = {"answer directly", "think step by step"}  # examples of these are a parameter
WORKED = [s for s in SKILLS if s.name not in RECALLED]
REASONS = {"thought", "why", "plan"}
BY_TOOLS = {"tool", "do", "steps"}  # a prompt explains these by the list of tools


def models(annotation, found=None):
    """The models a type consists of."""
    found = {} if found is None else found
    model = isinstance(annotation, type) and issubclass(annotation, BaseModel)
    if model and annotation not in found:
        found[annotation] = True
        for field in annotation.model_fields.values():
            models(field.annotation, found)
    for part in get_args(annotation):
        models(part, found)
    return list(found)


def each(skills):
    return pytest.mark.parametrize("skill", skills, ids=lambda skill: skill.name)


@each(SKILLS)
def test_every_field_of_a_reply_says_what_it_means(skill):
    silent = [
        f"{model.__name__}.{name}"
        for model in models(skill.reply)
        for name, field in model.model_fields.items()
        if not field.description and name not in BY_TOOLS
    ]
    assert silent == []


@each(SKILLS)
def test_a_prompt_says_what_a_field_means_once(skill):
    given = skill.examples[0][0] if skill.examples else skills.Question(question="?")
    system = prompt.messages(skill, given)[0]["content"]
    said = [line.partition(": ")[2] for line in system.splitlines() if line.lstrip()[:2] == "- "]
    assert [text for text, many in Counter(filter(None, said)).items() if many > 1] == []


@each(SKILLS)
def test_a_reply_gives_its_reason_before_what_it_comes_to(skill):
    """Only the numbers of what the reason is about come before it; a verdict comes last of all."""
    for model in models(skill.reply):
        names = list(model.model_fields)
        for reason in REASONS & set(names):
            before = [model.model_fields[name] for name in names[: names.index(reason)]]
            assert {field.annotation for field in before} <= {int}
        for verdict in {"verdict", "state"} & set(names):
            assert names[-1] == verdict


@each([skill for skill in WORKED if skill.name != "draft logical form"])
def test_a_step_shows_two_to_four_worked_examples(skill):
    assert 2 <= len(skill.examples) <= 4


@each(WORKED)
def test_a_worked_example_is_a_reply_that_fits_its_input(skill):
    for given, reply in skill.examples:
        assert prompt.parse(skill.reply, prompt.written(reply), given) == (reply, "")


WRITTEN = re.compile(r"<entity:([A-Z][^>]*)>|name: '([^']+)'")


def subjects(value):
    """What the facts of an example are about, and what its queries and scripts name."""
    if isinstance(value, str):
        return {(a or b).replace("_", " ") for a, b in WRITTEN.findall(value)}
    if isinstance(value, Statement):
        return {value.subject.label}
    if isinstance(value, BaseModel):
        return {name for part in dict(value).values() for name in subjects(part)}
    if isinstance(value, list | tuple):
        return {name for part in value for name in subjects(part)}
    return set()


def test_worked_examples_are_about_nothing_that_is_asked_about():
    names = sorted(
        {n for s in WORKED for given, _ in s.examples for n in subjects(given)} - {"user"}
    )
    assert len(names) > 8
    known = starter_graph().search(names)
    assert [n for n, hits in zip(names, known, strict=True) if hits and hits[0].score > 0.9] == []
    asked = "\n".join(path.read_text("utf-8") for path in (TESTS / "questions").glob("*.tsv"))
    assert [name for name in names if name in asked] == []


@each(WORKED)
def test_what_a_prompt_leaves_out_is_nothing_that_its_text_counts_on(skill):
    """Fields at their default are not printed: a default that says something would be hidden."""
    told = [m for m in models(skill.inputs) if not issubclass(m, Choice)]
    shown = {"shown"}  # how much of a list is printed
    hidden = {
        f"{model.__name__}.{name}"
        for model in told
        for name, field in model.model_fields.items()
        if not field.is_required() and field.get_default(call_default_factory=True)
        if name not in shown
    }
    assert hidden == set()


def test_the_script_of_an_example_can_be_carried_out():
    for _, reply in DRAFT.examples:
        assert len(from_script(reply.script).statements) > 2
