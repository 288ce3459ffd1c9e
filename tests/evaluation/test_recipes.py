"""Recipes: a paper's table, its lines, their data and what is measured beside them."""

import json

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation import recipes
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.published import OURS
from kgqa_core.evaluation.recipes import RECIPES, SOURCES, Choices, Column
from kgqa_core.kg.base import WD
from kgqa_core.methods import METHODS, presets
from tests.places import ROOT


@pytest.fixture
def data(tmp_path):
    """A folder with three questions in the place of QALD-10's."""
    folder = tmp_path / "data" / "qald10"
    folder.mkdir(parents=True)
    asked = [
        ("Who directed Inception?", ["Q25191"], {"Q25188": "Inception"}),
        ("Where was the director of Inception born?", ["Q84"], {"Q25188": "Inception"}),
        ("What is the capital of France?", ["Q90"], {"Q142": "France"}),
    ]
    lines = [
        {"id": n, "question": question, "gold": gold, "topic_entities": topic}
        for n, (question, gold, topic) in enumerate(asked)
    ]
    path = folder / "qald_10_en_offline.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path / "data"


@pytest.mark.parametrize("recipe", RECIPES.values(), ids=list(RECIPES))
def test_every_line_of_a_recipe_can_be_run_or_says_why_not(recipe):
    assert recipes.lines(recipe)
    for figure in recipes.rows(recipe):
        assert figure.dataset in SOURCES
        assert figure.metric in OURS
    for line in recipes.lines(recipe):
        if line.cannot:
            continue
        params, _ = line.settings(presets.PUBLISHED)
        assert METHODS[line.method].params.model_validate(params).model_dump(mode="json") == params
        for pair in filter(None, line.params.split(",")):
            name, _, value = pair.partition("=")
            assert name == "encoder" or str(params[name]) == value


def test_lines_run_as_published_and_what_a_row_says_goes_before():
    two_shot = next(one for one in recipes.lines(RECIPES["r3-table1"]) if "2-shot" in one.title)
    assert two_shot.settings(presets.PUBLISHED)[0]["shots"] == 2
    react = next(one for one in recipes.lines(RECIPES["kgir-table5"]) if one.title == "ReACT")
    assert react.settings(presets.PUBLISHED)[0]["walk"] == "hops"
    assert react.settings(presets.OURS)[0]["walk"] == "sets"
    nomic = next(one for one in recipes.lines(RECIPES["kgir-table3"]) if "Nomic" in one.title)
    assert nomic.settings(presets.PUBLISHED)[1] == "nomic-ai/nomic-embed-text-v1"
    dpr = next(one for one in recipes.lines(RECIPES["kgir-table3"]) if "Dense" in one.title)
    params, encoder = dpr.settings(presets.PUBLISHED)
    assert params["passages"] == 10
    assert [part.split("_")[0] for part in encoder.split("|")] == [
        "sentence-transformers/facebook-dpr-question",
        "sentence-transformers/facebook-dpr-ctx",
    ]


def test_questions_are_found_in_a_folder_and_what_is_missing_is_said(data, tmp_path):
    found = recipes.columns(RECIPES["kgir-table3"], tmp_path, data)
    here = {column.dataset: column for column in found}
    assert here["QALD-10"].path == data / "qald10" / "qald_10_en_offline.jsonl"
    assert here["QALD-10"].format == "kgqa-jsonl"
    assert "by hand from https://github.com/marca116/IFT6759" in here["QALD-10 train"].missing
    assert "by hand from https://github.com/KGQA/QALD_9_plus" in here["QALD-9-plus train"].missing
    recipes.check(found)
    with pytest.raises(SettingsError, match="`kgqa datasets qald-10` downloads it"):
        recipes.check(recipes.columns(RECIPES["kgir-table5"], tmp_path))


def test_a_recipe_downloads_what_it_has_an_address_for(tmp_path):
    asked = []

    def fetch(entry):
        asked.append(entry.name)
        raise SettingsError("There is no network.")

    (found,) = recipes.columns(RECIPES["kgir-table5"], tmp_path, None, fetch)
    assert asked == ["qald-10"]
    assert found.missing.startswith("QALD-10: There is no network. By hand it is at https://")


@pytest.mark.parametrize(
    ("file", "dataset"),
    [
        ("qald_10_train_short_final.json", "QALD-10 train"),
        ("qald_9_plus_train_final.json", "QALD-9-plus train"),
    ],
)
def test_questions_as_kgir_keeps_them_are_read(tmp_path, file, dataset):
    row = {"uid": "1", "question": "Who killed Caesar?", "answer": [f"{WD}Q172248"]}
    row["sparql_wikidata"] = "SELECT ?o WHERE { wd:Q1048 wdt:P157 ?o }"
    (tmp_path / file).write_text(json.dumps([row]))
    (here,) = (
        column
        for column in recipes.columns(RECIPES["kgir-table3"], tmp_path, tmp_path)
        if column.dataset == dataset
    )
    (example,) = load(here.path, here.format).examples
    assert example.question == "Who killed Caesar?"


@pytest.mark.parametrize("dataset", [name for name in SOURCES if name != "any"])
def test_what_is_missing_says_where_it_is(tmp_path, dataset):
    recipe = next(r for r in RECIPES.values() if dataset in {f.dataset for f in recipes.rows(r)})
    (column,) = (c for c in recipes.columns(recipe, tmp_path) if c.dataset == dataset)
    nowhere = "it is in no public file that is known" in column.missing
    assert nowhere or "https://" in column.missing or "`kgqa datasets " in column.missing
    assert column.missing.startswith(f"{dataset}: ")


def test_the_pool_is_what_the_questions_name(data, tmp_path):
    from kgqa_core.kg.starter import starter_graph

    recipe = RECIPES["kgir-table4"]
    found = recipes.columns(recipe, tmp_path, data)
    made = recipes.tasks(recipe, found, Choices(graph="starter"), starter_graph())
    pools = [task.plan.methods["one-hop"]["pool"] for task in made]
    assert [[one.rsplit("/", 1)[-1] for one in pool] for pool in pools] == [["Q142", "Q25188"], []]
    assert [task.plan.methods["one-hop"]["linking"] for task in made] == ["pool", "direct"]


def test_rows_with_the_same_settings_are_measured_once(tmp_path):
    recipe = RECIPES["r3-ablation"]
    here = tmp_path / "x.csv"
    found = [Column(name, here, "r3") for name in {f.dataset for f in recipes.rows(recipe)}]
    made = recipes.tasks(recipe, found, Choices())
    # each wording: whole, two ablated linkers, truncation; long-tail also depth 0, 1 and 3
    assert len(made) == 4 * 4 + 2 * 3
    assert len({task.place for task in made}) == len(made)


def test_a_graph_of_its_own_has_to_be_given():
    recipe = RECIPES["keqing-metaqa"]
    with pytest.raises(SettingsError, match="load it with `kgqa load FILE --into DIR`"):
        recipes.tasks(recipe, [], Choices())


def test_the_bill_counts_what_is_left(data, tmp_path):
    recipe = RECIPES["kgir-table5"]
    found = recipes.columns(recipe, tmp_path, data)
    made = recipes.tasks(recipe, found, Choices(graph="starter", limit=2))
    whole = recipes.bill(made, tmp_path / "out")
    assert whole.questions == 3 * 2
    assert whole.calls > 2 * 3


def test_a_recipe_that_is_not_there_is_refused():
    with pytest.raises(SettingsError, match="There is no recipe “kgir”"):
        recipes.find("kgir")


def test_the_chapter_names_every_recipe():
    text = (ROOT / "docs" / "recipes.md").read_text()
    for name in RECIPES:
        stem, table = name.split("-", 1)
        assert f"`{name}`" in text or (table[:5] == "table" and f"`{stem}-table2` …" in text), name
