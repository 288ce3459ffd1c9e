"""`bench` is a contract: flags, JSON, exit codes, one line of error."""

import json
import os
import signal
import subprocess
import sys

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation import own
from kgqa_core.shell.bench import parse_cap, parse_where, table
from kgqa_core.shell.main import main
from tests.patience import PATIENCE_S, wait_until
from tests.places import ROOT

TABLE = """question,answers,id,entities,class
Who directed Written on the Wind?,Douglas Sirk,director,Written on the Wind,look-up
What is the capital of France?,Lyon,capital,France,look-up
Is Berlin in Germany?,yes,berlin,Berlin|Germany,yes/no
"""


@pytest.fixture(autouse=True)
def _elsewhere(monkeypatch, tmp_path):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    monkeypatch.chdir(tmp_path)  # no .env of the developer
    (tmp_path / "own.csv").write_text(TABLE)


def bench(*flags, dataset="own.csv", form="csv"):
    return main(["bench", "--dataset", dataset, "--format", form, *flags])


def refused(capsys, *flags, **given):
    assert bench(*flags, **given) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert said.err.count("\n") == 1
    return said.err


def test_bench_json_prints_one_summary(capsys, tmp_path):
    assert bench("--out", "out", "--json") == 0
    said = capsys.readouterr()
    found = json.loads(said.out)
    assert set(found) >= {"n", "answered", "abstained", "failed", "metrics", "by_class", "cost"}
    assert (found["n"], found["answered"], found["failed"]) == (3, 3, 0)
    assert set(found["metrics"]) >= {"f1", "hits_at_1", "hits_at_1_lenient", "accuracy", "rouge_l"}
    for metric in found["metrics"].values():
        low, high = metric["interval"]
        assert low <= metric["value"] <= high
    assert found["metrics"]["f1"]["value"] == pytest.approx(2 / 3, abs=1e-4)
    assert found["by_class"]["yes/no"]["metrics"]["accuracy"]["value"] == 1.0
    assert set(found["cost"]) >= {
        "llm_calls",
        "prompt_tokens",
        "completion_tokens",
        "kg_requests",
        "seconds",
    }
    assert "topic entities are in this graph" in said.err
    files = sorted(path.name for path in (tmp_path / "out").iterdir())
    assert files == [".lock", "config.json", "results.jsonl", "summary.json"]


def test_bench_prints_a_table_for_people(capsys):
    assert bench("--limit", "1", "--out", "out", "--gold-entities", "--repeat", "2") == 0
    out = capsys.readouterr().out
    assert "1 question: 2 answered" in out
    assert "supported_accuracy  1.000" in out


def test_a_budget_stops_the_benchmark_and_the_same_command_goes_on(capsys):
    flags = ["--method", "react", "--out", "out", "--workers", "1", "--json"]
    assert bench(*flags, "--budget", "calls=1") == 1
    said = capsys.readouterr()
    assert json.loads(said.out)["complete"] is False
    assert "budget of 1 model call is used up. 2 questions left" in said.err
    assert bench(*flags) == 0
    assert json.loads(capsys.readouterr().out)["complete"] is True


def test_several_methods_are_measured_and_compared(capsys, tmp_path):
    assert bench("--method", "react,io", "--param", "steps=7", "--out", "out", "--json") == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["benchmarks"]) == ["react", "io"]
    assert found["benchmarks"]["react"]["config"]["params"]["steps"] == 7
    (pair,) = found["comparison"]["pairs"]
    assert pair["methods"] == ["ReAct", "IO"]
    assert pair["test"] == "McNemar"
    assert (tmp_path / "out" / "io" / "summary.json").is_file()

    assert main(["compare", "out"]) == 0
    text = capsys.readouterr().out
    assert "supported_accuracy" in text
    assert "ReAct − IO: +0.667" in text
    assert main(["compare", "out/react", "out/io", "--metric", "f1", "--json"]) == 0
    assert len(json.loads(capsys.readouterr().out)["cells"]) == 2
    for form, begins in (("csv", "dataset,method"), ("latex", "\\begin"), ("markdown", "| method")):
        assert main(["compare", "out", f"--{form}"]) == 0
        assert capsys.readouterr().out.startswith(begins)


def test_a_question_set_is_asked_by_its_name(capsys, tmp_path):
    own.add(tmp_path, own.typed("Who directed Written on the Wind?", "Douglas Sirk"))
    assert main(["bench", "--dataset", "own", "--out", "out", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["config"]["title"] == "Your own questions"
    assert found["metrics"]["supported_accuracy"]["value"] == 1.0


def test_datasets_lists_what_is_here_and_what_is_not(capsys, tmp_path):
    own.add(tmp_path, own.typed("Who?", "x"))
    assert main(["datasets", "--json"]) == 0
    rows = {row["name"]: row for row in json.loads(capsys.readouterr().out)}
    assert rows["own"]["here"]
    assert rows["qald-10"]["licence"] == "MIT"
    assert main(["datasets"]) == 0
    assert "by hand: https://github.com/yuyuz/MetaQA" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("command", "message"),
    [
        (["bench", "--dataset", "qald-10"], "is not here yet"),
        (["bench", "--dataset", "nothing"], "neither a file nor a question set"),
        (["bench", "--dataset", "own.csv"], "Say what own.csv is"),
        (["bench", "--dataset", "own.csv", "--format", "csv", "--method", "io,io"], "once"),
        (
            [*"bench --dataset own.csv --format csv --method io,cot --param steps=1".split()],
            "None of these methods has the parameter “steps=1”",
        ),
        (["compare", "empty"], "holds no benchmark"),
        (["compare", "empty", "--metric", "luck"], "There is no metric “luck”"),
        (["datasets", "nothing"], "There is no question set “nothing” to download"),
        (["datasets", "metaqa"], "has to be fetched by hand"),
    ],
)
def test_bad_usage_of_the_other_commands_is_one_line_too(capsys, command, message):
    assert main(command) == 2
    said = capsys.readouterr()
    assert (said.out, said.err.count("\n")) == ("", 1)
    assert message in said.err


@pytest.mark.server
def test_ctrl_c_ends_with_a_summary(tmp_path):
    many = "question,answers\n" + "Who directed Written on the Wind?,Douglas Sirk\n" * 5000
    (tmp_path / "many.csv").write_text(many)
    running = subprocess.Popen(
        [
            *(sys.executable, "-m", "kgqa_core", "bench", "--dataset", "many.csv"),
            *("--format", "csv", "--out", "out", "--workers", "1"),
        ],
        cwd=tmp_path,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    results = tmp_path / "out" / "results.jsonl"
    wait_until(lambda: results.exists() and results.stat().st_size)
    running.send_signal(signal.SIGINT)
    _, err = running.communicate(timeout=PATIENCE_S)
    assert running.returncode == 130
    assert "Stopped by the user." in err
    summary = json.loads((tmp_path / "out" / "summary.json").read_text())
    assert 0 < summary["n"] < 5000


def test_a_model_alone_abstains_without_a_model(capsys):
    assert bench("--method", "io", "--out", "out", "--json", "--where", "class=yes/no") == 0
    found = json.loads(capsys.readouterr().out)
    assert (found["n"], found["abstained"], found["coverage"]) == (1, 1, None)


@pytest.mark.parametrize(
    ("flags", "message"),
    [
        (["--method", "magic"], "There is no method “magic”"),
        (["--graph", "atlantis"], "atlantis"),
        (["--llm", "openai"], "OPENAI_API_KEY"),
        (["--method", "react", "--param", "steps=0"], "“steps” must be at least"),
        (["--limit", "0"], "0 is not a number from 1"),
        (["--budget", "money=1"], "write calls=N"),
        (["--where", "class"], "write FIELD=VALUE"),
        (["--where", "size=1"], "no field “size”"),
        (["--colour"], "unrecognized arguments"),
    ],
)
def test_bad_usage_is_one_line_and_code_2(capsys, flags, message):
    assert message in refused(capsys, *flags)


def test_bad_files_are_one_line_and_code_2(capsys, tmp_path):
    assert "There is no file none.csv" in refused(capsys, dataset="none.csv")
    assert "There is no format “squad”" in refused(capsys, form="squad")
    assert "It looks like --format csv" in refused(capsys, form="metaqa")
    (tmp_path / "far.csv").write_text("question,answers,entities\nWho?,x,Xyzzyplugh\n")
    assert "Choose the graph that belongs to it" in refused(capsys, dataset="far.csv")


def test_another_benchmark_in_the_folder_is_bad_usage(capsys):
    assert bench("--out", "out", "--limit", "1", "--method", "io") == 0
    capsys.readouterr()
    assert "holds another benchmark" in refused(capsys, "--out", "out", "--method", "io")
    assert bench("--out", "out", "--method", "io", "--no-resume") == 0


def test_limits_and_fields_are_parsed():
    assert parse_cap("calls=10, tokens=2e6") == {"calls": 10, "tokens": 2_000_000}
    assert parse_cap("") == {}
    assert parse_where(["class=yes/no", "id=4"]) == {"class": "yes/no", "id": "4"}
    for wrong in ("calls", "calls=many", "calls=1,euros=2"):
        with pytest.raises(SettingsError, match="write calls=N"):
            parse_cap(wrong)


def test_the_table_tells_trivial_questions_apart():
    measured = {"value": 0.5, "interval": [0.4, 0.6], "n": 4}
    block = {"n": 4, "answered": 4, "abstained": 0, "failed": 0, "metrics": {"f1": measured}}
    summary = {
        **block,
        "headline": "f1",
        "trivial": {**block, "n": 1},
        "without_trivial": {**block, "n": 3},
        "by_class": {},
        "cost": {"per_question": {}},
    }
    assert "Without 1 question that an empty graph answers right: F1 0.500 on 3" in table(summary)


def test_a_set_that_ships_is_asked_of_the_graph_that_it_is_about(capsys, monkeypatch, tmp_path):
    monkeypatch.setenv("KGQA_GRAPH", "known")
    assert main(["bench", "--dataset", "starter", "--limit", "1", "--out", "out"]) == 0
    config = json.loads((tmp_path / "out" / "config.json").read_text(encoding="utf-8"))
    assert config["graph"] == "starter"
