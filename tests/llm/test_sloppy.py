"""Methods with a model of middle size: careless in form, now and then wrong, never a failure."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from kgqa_core.evaluation import recipes
from kgqa_core.evaluation.recipes import RECIPES, Column
from kgqa_core.kg.load import load
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.methods.react import NEXT_ACTION
from kgqa_core.methods.walk import Move
from kgqa_core.settings import Settings
from tests.measure.sloppy import compare, recipe_stages, starter_rows
from tests.servers.sloppy import Manner, carelessly

METHODS = ("compass", "react", "one-hop", "tog")
NEVER_WRONG = Manner(wrong=0.0, refused=0.2, careless=0.9)


@pytest.fixture(scope="module")
def kg():
    return starter_graph()


@pytest.fixture(scope="module")
def rows(kg):
    return list(starter_rows(kg, 90))


@pytest.mark.server
@pytest.mark.parametrize("method", METHODS)
def test_careless_form_and_refusals_change_no_answer(kg, rows, method):
    row = compare(kg, None, method, rows, manner=NEVER_WRONG)
    assert row.failed == ()
    assert row.unexplained == ()
    assert row.sloppy == row.careful
    assert row.wrong == 0


@pytest.mark.server
def test_a_model_that_plans_tells_what_its_plan_found_when_it_looks_at_it(kg):
    asked = "Is Barcelona the capital of Spain?"
    (row,) = ((question, right) for question, right in starter_rows(kg, 1) if question == asked)
    found = compare(kg, None, "compass", [row], manner=NEVER_WRONG)
    assert (found.careful, found.sloppy) == (1, 1)


@pytest.mark.server
@pytest.mark.parametrize("method", ["compass", "react", "tog"])
def test_wrong_choices_make_wrong_answers_and_no_failures(kg, rows, method):
    row = compare(kg, None, method, rows, manner=Manner(wrong=1.0, refused=0.0))
    assert row.failed == ()
    assert row.unexplained == ()
    assert row.wrong > 0


WD, WDT = "http://www.wikidata.org/entity/", "http://www.wikidata.org/prop/direct/"
NAMES = {"Q1": "Ada Berg", "Q2": "Eve Berg", "Q3": "Ulm", "P25": "mother", "P19": "place of birth"}
FACTS = (("Q1", "P25", "Q2"), ("Q1", "P19", "Q3"), ("Q2", "P19", "Q3"))
ASKED = (
    ("Who is the mother of Ada Berg?", ["Q2"], {"Q1": "Ada Berg"}),
    ("Was Ada Berg born in Ulm?", [True], {"Q1": "Ada Berg"}),
)


@pytest.fixture(scope="module")
def graph(tmp_path_factory):
    """A graph of three facts in a folder."""
    here = tmp_path_factory.mktemp("graph")
    label = "http://www.w3.org/2000/01/rdf-schema#label"
    lines = [f'<{WD}{short}> <{label}> "{name}"@en .' for short, name in NAMES.items()]
    lines += [f"<{WD}{s}> <{WDT}{p}> <{WD}{o}> ." for s, p, o in FACTS]
    (here / "facts.nt").write_text("\n".join(lines) + "\n")
    load([here / "facts.nt"], here / "loaded", name="family")
    return str(here / "loaded")


@pytest.fixture
def questions(tmp_path):
    lines = [
        {"id": n, "question": question, "gold": gold, "topic_entities": topic}
        for n, (question, gold, topic) in enumerate(ASKED)
    ]
    path = tmp_path / "own.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return path


FAMILIES = (
    "kgir-table5",
    "r3-table1",
    "r3-preferences",
    "pgakv-table4",
    "keqing-figure6",
    "tog-table1",
)


@pytest.mark.server
@pytest.mark.parametrize("name", FAMILIES)
def test_no_method_of_a_papers_table_fails_with_it(name, questions, graph, tmp_path):
    recipe = RECIPES[name]
    sets = list(dict.fromkeys(figure.dataset for figure in recipes.rows(recipe)))[:1]
    columns = [Column(title, questions, "kgqa-jsonl") for title in sets]
    rest = {figure.dataset for figure in recipes.rows(recipe)} - {*sets}
    columns += [Column(title, missing="one is enough") for title in sorted(rest)]
    settings = Settings(_env_file=None, data_dir=tmp_path / "data")
    stages = list(recipe_stages(recipe, columns, graph, tmp_path / "out", 2, settings))
    assert stages
    assert [stage for stage in stages if stage.failed] == []
    assert {stage.asked for stage in stages} == {2}


def test_an_action_is_understood_in_whatever_words_it_comes():
    given, action = NEXT_ACTION.examples[0]
    named = {**action.model_dump(), "relation": "http://example.org/R1"}
    wanted = type(action).model_validate(named)
    said = Counter[str]()
    for n in range(40):
        written = json.loads(prompt.written(wanted, given))
        raw = carelessly(Move, written, given, random.Random(n), 0.9)
        assert raw == carelessly(Move, written, given, random.Random(n), 0.9)
        value, problem = prompt.parse(Move, json.dumps(raw), given)
        assert problem == ""
        assert value is not None
        assert value.model_copy(update={"thought": wanted.thought}) == wanted
        said[raw.get("relation") or raw["action"]["relation"]] += 1
    assert len(said) >= 3
