"""The shell is a contract: flags, JSON, exit codes, one line of error."""

import json
import subprocess
import sys

import pytest

from kgqa_core.methods import METHODS
from kgqa_core.settings import load_settings
from kgqa_core.shell.main import main
from tests.places import ROOT


@pytest.fixture(autouse=True)
def _no_model(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)  # no .env of the developer


def test_ask_json_prints_one_document(capsys):
    code = main(["ask", "Who directed Inception?", "--method", "react", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert list(found) == [
        "question",
        "method",
        "status",
        "answer",
        "citations",
        "events",
        "cost",
        "audit",
    ]
    assert found["status"] == "answered"
    assert found["answer"]["grounding"] == "grounded"
    assert {"id": "Q25191", "label": "Christopher Nolan"}.items() <= found["answer"]["values"][
        0
    ].items()
    assert found["citations"][0]["relation"]["label"] == "director"
    assert set(found["cost"]) >= {
        "llm_calls",
        "prompt_tokens",
        "completion_tokens",
        "kg_requests",
        "seconds",
    }
    assert found["events"][-1]["event"]["kind"] == "answered"


def test_ask_prints_the_answer_with_its_facts(capsys):
    assert main(["ask", "Who directed Inception?"]) == 0
    out = capsys.readouterr().out
    assert "Christopher Nolan" in out
    assert "[1] Inception — director — Christopher Nolan" in out


def test_the_model_alone_abstains_without_a_model(capsys):
    assert main(["ask", "Who directed Inception?", "--method", "io", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "abstained"


def test_methods_json_lists_the_table(capsys):
    assert main(["methods", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["name"] for row in rows] == list(METHODS)
    assert all(p["description"] for row in rows for p in row["params"])


def test_parameters_are_typed(capsys):
    args = ["ask", "Who directed Inception?", "--json", "--method", "react", "--param", "steps=1"]
    assert main(args) == 0
    assert json.loads(capsys.readouterr().out)["status"] == "abstained"


@pytest.mark.parametrize(
    ("args", "part"),
    [
        (["ask", "Who?", "--method", "magic"], "Choose one of: compass"),
        (["ask", "Who?", "--graph", "nowhere"], "no graph “nowhere”"),
        (["ask", "Who?", "--llm", "openai"], "OPENAI_API_KEY"),
        (["ask", "Who?", "--param", "repairs"], "write NAME=VALUE"),
        (["ask", "Who?", "--param", "depth=3"], "not a parameter of compass"),
        (["ask", "Who?", "--param", "repairs=many"], "“repairs” must be a whole number"),
        (["ask"], "QUESTION"),
        (["dance"], "dance"),
    ],
)
def test_bad_usage_is_one_line_on_stderr_and_exit_2(capsys, args, part):
    assert main(args) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    assert part in said.err


def test_a_question_that_cannot_be_read_fails_with_exit_1(capsys):
    assert main(["ask", " ", "--json"]) == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["status"] == "failed"
    assert "Type one" in said.err


def test_wrong_settings_are_named(capsys, monkeypatch):
    monkeypatch.setenv("KGQA_MAX_LLM_CALLS", "lots")
    assert main(["ask", "Who?"]) == 2
    assert "KGQA_MAX_LLM_CALLS" in capsys.readouterr().err


def test_bytes_that_are_no_text_still_give_a_document_and_no_torch_is_loaded():
    code = (
        "import sys; from kgqa_core.shell.main import main; main(); "
        "print([m for m in ('torch', 'chromadb', 'streamlit') if m in sys.modules], "
        "file=sys.stderr)"
    )
    asked = ["ask", b"Who directed Inception\xff?", "--json"]
    done = subprocess.run([sys.executable, "-c", code, *asked], cwd=ROOT, capture_output=True)
    assert json.loads(done.stdout)["question"] == "Who directed Inception\ufffd?"
    assert done.stderr.strip().endswith(b"[]")


def test_check_tells_what_cannot_be_true(capsys, tmp_path):
    wdt, wd = "http://www.wikidata.org/prop/direct/", "http://www.wikidata.org/entity/"
    day = "http://www.w3.org/2001/XMLSchema#dateTime"
    lines = [
        f'<{wd}Q1> <{wdt}P569> "1900-05-01T00:00:00Z"^^<{day}> .',
        f'<{wd}Q1> <{wdt}P570> "1899-05-01T00:00:00Z"^^<{day}> .',
    ]
    facts = tmp_path / "facts.nt"
    facts.write_text("\n".join(lines) + "\n")
    assert main(["load", str(facts), "--into", str(tmp_path / "graph")]) == 0
    capsys.readouterr()
    assert main(["check", str(tmp_path / "graph")]) == 1
    assert capsys.readouterr().out == "period: Q1 died before being born: 1900-05-01, 1899-05-01\n"
    assert main(["check", str(tmp_path / "graph"), "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["rule"] == "period"


def test_without_a_graph_the_one_of_the_settings_is_asked(capsys, monkeypatch, tmp_path):
    facts = tmp_path / "facts.tsv"
    facts.write_text("Ada\tmother\tEve\n", encoding="utf-8")
    assert main(["load", str(facts), "--into", str(tmp_path / "family")]) == 0
    monkeypatch.setenv("KGQA_GRAPH", str(tmp_path / "family"))
    capsys.readouterr()
    assert main(["ask", "Who is the mother of Ada?"]) == 0
    assert capsys.readouterr().out.startswith("Eve")


def test_unless_somebody_says_otherwise_well_known_things_are_asked(monkeypatch):
    monkeypatch.delenv("KGQA_GRAPH")
    assert load_settings().graph == "known"


def test_a_preset_sets_the_parameters_that_are_not_given(capsys):
    ask = ["ask", "Who directed Inception?", "--method", "react"]
    ask += ["--preset", "as-published", "--json"]
    assert main(ask) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["answer"]["values"][0]["label"] == "Christopher Nolan"
    titles = [e["event"].get("title") for e in found["events"]]
    assert "Go along director" in titles
    assert main([*ask, "--param", "walk=sets"]) == 0
    titles = [e["event"].get("title") for e in json.loads(capsys.readouterr().out)["events"]]
    assert "Go along director" not in titles
    assert main(["ask", "Who?", "--method", "compass", "--preset", "as-published"]) == 2
    assert "Compass has no preset “as-published”" in capsys.readouterr().err
