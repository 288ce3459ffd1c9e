"""`index` in the shell: what a loaded graph needs to be searched whole."""

import json

import pytest

from kgqa_core.shell.main import main

FACTS = "subject\trelation\tobject\nAda\tmother\tEve\nAda\toccupation\tcook\n"


@pytest.fixture(autouse=True)
def _here(monkeypatch, tmp_path):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path / "data"))
    monkeypatch.chdir(tmp_path)
    (tmp_path / "facts.tsv").write_text(FACTS)
    assert main(["load", "facts.tsv", "--into", "graph"]) == 0


def test_the_index_of_a_loaded_graph_is_built_and_told_of(capsys):
    capsys.readouterr()
    assert main(["index", "./graph", "--info", "--json"]) == 0
    before = json.loads(capsys.readouterr().out)
    assert before["triples"]["count"] == 0
    assert main(["index", "./graph"]) == 0
    said = capsys.readouterr().out
    total = before["triples"]["total"]
    assert said.startswith(f"{total} of {total} triples: ready")
    assert main(["index", "./graph", "--info", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["triples"]["state"] == "ready"


def test_a_graph_that_is_none_is_said_in_one_line(capsys):
    assert main(["index", "./nowhere"]) == 1
    assert "There is no folder nowhere" in capsys.readouterr().err
