"""`bench --recipe`: a paper's table, asked for its cost, resumable, printed beside ours."""

import json

import pytest

from kgqa_core.shell.main import main
from tests.servers.openai import OpenAIServer

QUESTIONS = [
    ("Who directed Inception?", ["Q25191"], {"Q25188": "Inception"}),
    ("What is the capital of France?", ["Q90"], {"Q142": "France"}),
]
DIRECTOR = "SELECT ?x WHERE { wd:Q25188 wdt:P57 ?x }"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    """A data folder in which the starter graph is built once."""
    return tmp_path_factory.mktemp("kept")


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path, kept):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(kept))
    monkeypatch.chdir(tmp_path)  # no .env of the developer
    lines = [
        {"id": n, "question": question, "gold": gold, "topic_entities": topic, "sparql": DIRECTOR}
        for n, (question, gold, topic) in enumerate(QUESTIONS)
    ]
    (tmp_path / "data").mkdir()
    path = tmp_path / "data" / "qald_10_en_offline.jsonl"
    path.write_text("".join(json.dumps(line) + "\n" for line in lines))


def bench(*flags, name="kgir-table5"):
    return main(["bench", "--recipe", name, "--data", "data", "--graph", "starter", *flags])


def test_a_table_is_measured_line_by_line_and_printed_beside_ours(capsys, tmp_path):
    assert bench("--json") == 0
    rows = {row["system"]: row for row in json.loads(capsys.readouterr().out)}
    react = rows["ReACT"]
    assert (react["published"], react["source"], react["our_metric"]) == (
        0.627,
        "KGIR, Table 5",
        "f1",
    )
    assert react["ours"]["value"] == 1.0
    assert react["ours"]["n"] == 2
    assert rows["No external info (LLM only)"]["ours"]["value"] == 0.0
    configs = [json.loads(p.read_text()) for p in sorted(tmp_path.glob("recipe-*/**/config.json"))]
    walked = {
        c["params"]["answer_linking"]: c["params"]["walk"]
        for c in configs
        if c["method"] == "react"
    }
    assert walked == {True: "hops", False: "hops"}
    assert bench() == 0
    text = capsys.readouterr().out
    assert "QALD-10, macro F1 (KGIR, Table 5)" in text
    assert "0.627  1.000  [1.000, 1.000]  n 2" in text


def test_a_budget_stops_a_recipe_and_the_same_command_goes_on(capsys, tmp_path):
    assert bench("--budget", "calls=1", "--workers", "1") == 1
    assert "Start the same command again to go on." in capsys.readouterr().err
    paths = tmp_path.glob("recipe-*/**/results.jsonl")
    asked = {path: text for path in paths if (text := path.read_text())}
    assert asked
    assert bench() == 0
    assert all(path.read_text().startswith(text) for path, text in asked.items())
    assert "n 2" in capsys.readouterr().out


def test_ours_are_measured_beside(capsys, tmp_path):
    assert bench("--preset", "ours", "--json") == 0
    rows = {row["system"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["ReACT"]["ours"]["value"] == 1.0
    (config,) = (tmp_path / "recipe-kgir-table5-ours").glob(
        "qald-10/react*linking-true/config.json"
    )
    assert json.loads(config.read_text())["params"]["walk"] == "sets"


def test_what_a_model_costs_is_asked_for_before_it_is_spent(capsys, monkeypatch):
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
        monkeypatch.setenv("KGQA_PRICE_PROMPT", "1")
        monkeypatch.setenv("KGQA_PRICE_COMPLETION", "2")
        assert bench("--llm", "openai") == 2
        said = capsys.readouterr().err
        assert "6 questions to ask: about" in said
        assert "tokens, $0." in said
        assert "Nothing was asked: add --yes" in said
        assert server.requests == []
        assert bench("--llm", "openai", "--yes", "--json") == 0
        rows = json.loads(capsys.readouterr().out)
        assert [row["ours"]["n"] for row in rows] == [2, 2, 2]
        assert len(server.requests) >= 6
        asked = len(server.requests)
        assert bench("--llm", "openai") == 0  # nothing is left to ask
        assert len(server.requests) == asked


def test_gold_queries_are_run_on_the_graph_in_use(capsys, tmp_path):
    assert bench("--regold", "--json") == 0
    said = capsys.readouterr()
    assert "2 gold answers were queried anew" in said.err
    rows = {row["system"]: row["ours"] for row in json.loads(said.out)}
    assert rows["ReACT"]["value"] == 0.5  # both queries ask for the director
    flags = ["--dataset", "data/qald_10_en_offline.jsonl", "--format", "kgqa-jsonl", "--regold"]
    assert main(["bench", *flags, "--out", "one", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["metrics"]["f1"]["value"] == 0.5


@pytest.mark.parametrize(
    ("flags", "name", "message"),
    [
        (["--dataset", "x"], "kgir-table5", "leave --dataset out"),
        (["--method", "kgr", "--repeat", "2"], "kgir-table5", "leave --method, --repeat out"),
        ([], "kgir-table9", "There is no recipe “kgir-table9”"),
        ([], "keqing-metaqa", "by hand from https://github.com/yuyuz/MetaQA"),
        (["--preset", "fast"], "kgir-table5", "There is no preset “fast”"),
    ],
)
def test_what_cannot_be_done_is_one_sentence(capsys, flags, name, message):
    assert bench(*flags, name=name) == 2
    assert message in capsys.readouterr().err


def test_questions_or_a_recipe_are_needed(capsys):
    assert main(["bench"]) == 2
    assert "--dataset FILE, or --recipe NAME" in capsys.readouterr().err
