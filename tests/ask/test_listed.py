"""What a reply names among what its prompt listed."""

from __future__ import annotations

import pytest

from kgqa_core.ask.listed import among
from kgqa_core.ask.skill import registered
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Relation, RelationUse
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


@pytest.mark.parametrize(
    ("said", "name", "meant"),
    [
        ("P103", "P1303", False),
        ("2014 FIFA World Cup", "2018 FIFA World Cup", False),
        ("2018 FIFA Wrold Cup", "2018 FIFA World Cup", True),
    ],
)
def test_another_number_is_no_misspelling(said, name, meant):
    assert (among(said, [(name, "instrument")]) == 0) is meant


@pytest.mark.parametrize(
    ("said", "name", "meant"),
    [("editor", "edition", False), ("editions", "editor", False), ("directed", "director", True)],
)
def test_who_makes_something_is_not_what_is_made(said, name, meant):
    assert (among(said, [("P1", name)]) == 0) is meant


@pytest.mark.parametrize(
    ("said", "name", "meant"),
    [
        ("followed by", "follows", False),
        ("follows", "followed by", False),
        ("owner of", "owned by", False),
        ("influences", "influenced by", False),
        ("capital", "capital of", False),
        ("sequel", "sequel of", False),
        ("student of", "student", False),
        ("part", "part of", False),
        ("directed", "directed by", True),
        ("followed  by", "Followed by", True),
        ("subclass", "subclass of", True),
        ("instance", "instance of", True),
        ("member of band", "band member of", True),
    ],
)
def test_what_points_the_other_way_is_not_meant(said, name, meant):
    assert (among(said, [("P1", name)]) == 0) is meant


def positions(schema, path=""):
    """The paths of a schema's whole numbers, and whether each is one of what was listed."""
    for name, part in schema.get("properties", {}).items():
        items = part.get("items", part)
        if items.get("type") == "integer":
            yield f"{path}{name}", "enum" in items
        yield from positions(items, f"{path}{name}.")


def test_what_one_is_called_counts_before_what_another_is_called_as_well():
    options = [("P495", "country of origin", "urn:P495", "country"), ("P17", "country")]
    assert among("country", options) == 1
    assert among("Country", options) == 1
    assert among("country of origin", options) == 0


@pytest.mark.parametrize("skill", [s for s in SKILLS if s.examples], ids=lambda s: s.name)
def test_an_enforced_reply_can_name_nothing_but_what_was_listed(skill):
    """Ids of sub-questions and places in an order are of the reply's own making.

    So are the premises of a choice.
    """
    found: dict[str, bool] = {}
    for given, _ in skill.examples:  # where nothing is listed there is nothing to name
        for name, listed in positions(prompt.reply_schema(skill.reply, given)):
            found[name] = found.get(name, False) or listed
    own = {"parts.id", "parts.dep", "action.position"}
    if skill.name == "choose by a rule":
        own.add("verdicts.premise")
    assert [name for name, listed in found.items() if not listed and name not in own] == []


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


@pytest.mark.parametrize("said", ["a" + "\t" * 500_000 + "a", "Ann and " * 100_000])
def test_a_text_of_a_megabyte_names_nothing_and_is_not_taken_apart(said):
    """Its parts were looked for, and each compared with all that was listed, for an hour; no other
    reply of any run was read meanwhile."""
    uses = [RelationUse(Relation(f"http://x/{n}", f"relation {n}"), "out", 1) for n in range(50)]
    for skill, reply in (
        ("next action", {"thought": "", "action": {"tool": "count", "of": said}}),
        ("answer from facts", {"sentences": [{"text": "a", "facts": said}], "values": []}),
    ):
        of = registered()[skill]
        fields = {name: [] for name in of.inputs.model_fields} | {"relations": uses}
        assert prompt.understood(of.reply, reply, of.inputs.model_construct(**fields))
