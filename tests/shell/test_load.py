"""`load` in the shell: one line of result, errors on stderr, and a graph that can be asked."""

import json
import os
import subprocess
import sys
import time

import pytest

from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import load, part_of
from kgqa_core.shell.main import main
from tests.kg.conformance import FILM, SIRK, STATEMENTS
from tests.places import ROOT
from tests.servers.wikidata_json import entity_json

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


BRACKETS = "Foo [2005]\tborn in\tBadtown\nAnna\tborn in\tGoodtown\nAnna\tworks with\tFoo [2005]\n"


def test_an_answer_is_never_what_the_file_does_not_say(capsys, tmp_path):
    (tmp_path / "people.tsv").write_text(BRACKETS)
    assert main(["load", "people.tsv", "--into", "graph"]) == 0
    capsys.readouterr()
    assert main(["ask", "Who was born in Badtown?", "--graph", "./graph", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert "Anna" not in found["answer"]["text"]
    assert [value["label"] for value in found["answer"]["values"]] == ["Foo [2005]"]


@pytest.mark.parametrize(
    "relation", ["born [in]", "born\x7fin", "born \ue000", "a\ufffdb", "[", "%zz"]
)
def test_any_name_is_a_relation(capsys, tmp_path, relation):
    (tmp_path / "odd.tsv").write_text(f"Anna\t{relation}\tGoodtown\n", encoding="utf-8")
    assert main(["load", "odd.tsv", "--into", "graph"]) == 0
    (fact,) = open_folder(tmp_path / "graph").all_statements()
    assert (fact.subject.name, fact.relation.name) == ("Anna", relation)
    assert not part_of(tmp_path / "graph").exists()


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("<http://a:b/>\tis\tb", "“http://a:b/” is not a full IRI (Invalid character 'b')"),
        ("a\t<x:y#z#>\tb", "“x:y#z#” is not a full IRI"),
        ("a\tis\thttp://[::1/", "“http://[::1/” is not a full IRI"),
    ],
)
def test_an_impossible_id_is_refused_with_its_line(capsys, tmp_path, line, why):
    (tmp_path / "odd.tsv").write_text(f"a\tis\tb\n{line}\n", encoding="utf-8")
    assert main(["load", "odd.tsv", "--into", "graph"]) == 0
    said = capsys.readouterr()
    assert f"skipped odd.tsv, line 2: {why}" in said.err
    assert said.err.count("\n") == 1
    assert len(list(open_folder(tmp_path / "graph").all_statements())) == 1


def test_a_number_with_a_million_zeros_is_a_name(tmp_path):
    (tmp_path / "odd.tsv").write_text("Q1\tP2\t1e999999999\nQ1\tP2\t1e99999999999999999999\n")
    assert main(["load", "odd.tsv", "--into", "graph"]) == 0
    found = {s.object.name for s in open_folder(tmp_path / "graph").all_statements()}
    assert found == {"1e999999999", "1e99999999999999999999"}


def test_an_impossible_number_of_a_dump_is_a_text_and_no_line_is_lost(capsys, tmp_path):
    good, bad = entity_json(FILM, STATEMENTS), entity_json(SIRK, STATEMENTS)
    for amount in ("+1e999999999", "NaN", "many"):
        snak = {"snaktype": "value", "datavalue": {"type": "quantity", "value": {"amount": amount}}}
        bad["claims"] = {"P1": [{"mainsnak": snak, "rank": "normal"}]}
        text = "".join(json.dumps(one) + "\n" for one in (good, bad))
        (tmp_path / "dump.json").write_text(text)
        assert main(["load", "dump.json", "--into", f"graph {amount}"]) == 0
        assert capsys.readouterr().err == ""
        found = {s.object.name for s in open_folder(tmp_path / f"graph {amount}").all_statements()}
        assert amount.lstrip("+") in found


def test_a_defect_leaves_nothing_behind(tmp_path):
    with pytest.raises(TypeError):
        load([tmp_path / "facts.tsv"], tmp_path / "graph", options=Options(most_bytes="many"))
    assert not part_of(tmp_path / "graph").exists()


def test_an_interruption_keeps_the_part(tmp_path):
    def stop(_):
        raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        load([tmp_path / "facts.tsv"], tmp_path / "graph", on_progress=stop)
    assert part_of(tmp_path / "graph").exists()
