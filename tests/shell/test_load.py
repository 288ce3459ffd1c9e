"""`load` in the shell: one line of result, errors on stderr, and a graph that can be asked."""

import json
import os
import subprocess
import sys
import time

import pytest

from kgqa_core.shell.main import main
from tests.places import ROOT

FACTS = "Q64\tP17\tQ183\nQ64\tP31\nQ183\tP36\tQ64\n"
NAMES = "qid\tlabel\tdescription\taliases\nQ64\tBerlin\t\t\nQ183\tGermany\t\tFRG\n"


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "facts.tsv").write_text(FACTS)
    (tmp_path / "names.tsv").write_text(NAMES)


def test_load_and_ask(capsys, tmp_path):
    assert main(["load", "facts.tsv", "names.tsv", "--into", "graph"]) == 0
    said = capsys.readouterr()
    assert said.out.startswith("graph: 2 facts about 2 entities, 2 relations, in ")
    assert "facts.tsv, line 2: 2 cells instead of 3" in said.err
    code = main(["ask", "What is the capital of Germany?", "--graph", "./graph", "--json"])
    found = json.loads(capsys.readouterr().out)
    assert code == 0
    assert [value["label"] for value in found["answer"]["values"]] == ["Berlin"]
    assert found["citations"][0]["source"] == "graph"


def test_json(capsys):
    assert main(["load", "facts.tsv", "--into", "graph", "--name", "mine", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["statements"] == 2
    assert (found["name"], found["bad"], found["resumed"]) == ("mine", 1, False)


def test_a_folder_in_use_and_a_missing_file_fail_in_one_line(capsys):
    assert main(["load", "facts.tsv", "--into", "graph"]) == 0
    capsys.readouterr()
    for args in (["facts.tsv", "--into", "graph"], ["gone.tsv", "--into", "other"]):
        assert main(["load", *args]) == 1
        assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("args", [[], ["facts.tsv"], ["--into", "graph"]])
def test_bad_usage(capsys, args):
    assert main(["load", *args]) == 2


@pytest.mark.scale
def test_a_load_killed_on_its_way_goes_on_and_is_whole(tmp_path, capsys):
    rows = 400_000
    with (tmp_path / "many.tsv").open("w") as out:
        out.writelines(f"Q{i}\tP{i % 50 + 1}\tQ{i + 1}\n" for i in range(1, rows + 1))
    command = [sys.executable, "-m", "kgqa_core", "load", "many.tsv", "--into", "graph"]
    mark = tmp_path / "graph.part" / "done.json"
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    for triples in (0, 100_000):  # the second kill hits a load that goes on
        with subprocess.Popen(command, cwd=tmp_path, env=environment) as loading:
            while loading.poll() is None and not (
                mark.exists() and json.loads(mark.read_text())["mark"]["triples"] > triples
            ):
                time.sleep(0.02)
            loading.kill()
        assert loading.returncode == -9
        assert not (tmp_path / "graph").exists()
    assert main(["load", "many.tsv", "--into", "graph", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["resumed"]
    assert (found["statements"], found["bad"]) == (rows, 0)
    assert not (tmp_path / "graph.part").exists()
