"""`gallery --llm`: recorded runs of a model, over real HTTP."""

import json

import pytest

from kgqa_core.history import gallery
from kgqa_core.history.gallery import Example
from kgqa_core.shell.main import main
from tests.servers.openai import OpenAIServer, status

KEY = "sk-not-to-be-kept-1234567890"
ROWS = (
    Example("io", "Who directed Inception?", "The model alone.", graph="starter"),
    Example("one-hop", "Who directed Inception?", "One fact.", graph="starter"),
)


@pytest.fixture
def server(monkeypatch, tmp_path):
    with OpenAIServer() as running:
        monkeypatch.setenv("OPENAI_API_KEY", KEY)
        monkeypatch.setenv("OPENAI_BASE_URL", running.url)
        monkeypatch.setenv("KGQA_MODEL", "some-model")
        monkeypatch.setenv("KGQA_PRICE_PROMPT", "3")
        monkeypatch.setenv("KGQA_PRICE_COMPLETION", "6")
        monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path / "data"))
        monkeypatch.chdir(tmp_path)  # no .env of the developer
        monkeypatch.setattr(gallery, "EXAMPLES", ROWS)
        monkeypatch.setattr(gallery, "FOLDER", tmp_path / "runs")
        gallery.forget()
        yield running
        gallery.forget()


def test_a_model_is_recorded_with_label_date_and_cost_and_without_the_key(server, capsys, tmp_path):
    assert main(["gallery", "--llm", "openai", "--label", "Some Model (2026)"]) == 0
    said = capsys.readouterr().out
    files = sorted((tmp_path / "runs" / "some-model-2026").iterdir())
    assert [file.stem for file in files] == [
        "io-who-directed-inception",
        "one-hop-who-directed-inception",
    ]
    assert all(KEY not in file.read_text(encoding="utf-8") for file in files)
    kept = json.loads(files[0].read_text(encoding="utf-8"))["run"]
    assert kept["model"] == "Some Model (2026)"
    assert kept["started_at"].startswith("20")
    assert kept["dollars"] > 0
    assert "tokens, $" in said
    header, records = next(iter(gallery.recorded().values()))
    assert gallery.made(header, records).startswith("Some Model (2026), 20")
    assert f"${header.dollars:.4f}" in gallery.made(header, records)
    assert server.requests[0].headers["authorization"] == f"Bearer {KEY}"


def test_what_is_there_is_not_paid_for_again(server, capsys):
    command = ["gallery", "--llm", "openai", "--method", "io"]
    assert main(command) == 0
    asked = len(server.requests)
    assert main(command) == 0
    assert len(server.requests) == asked
    assert "0 runs of some-model" in capsys.readouterr().out
    assert main([*command, "--anew"]) == 0
    assert len(server.requests) > asked


def test_a_run_that_failed_is_told_and_not_kept(server, capsys, tmp_path):
    server.will(*[status(401)] * 4)
    assert main(["gallery", "--llm", "openai", "--method", "io"]) == 1
    assert "example-io-who-directed-inception: " in capsys.readouterr().err
    assert not list((tmp_path / "runs").rglob("*.json"))


def test_a_label_without_a_model_is_refused(server, capsys):
    assert main(["gallery", "--label", "x"]) == 2
    assert "--llm" in capsys.readouterr().err


def test_what_searches_an_index_that_is_not_whole_is_left_as_it_was_recorded(
    server, capsys, tmp_path, monkeypatch
):
    asked = "Who directed Inception?"
    rows = (Example("rag-triples", asked, "By meaning.", graph="starter"), ROWS[1])
    monkeypatch.setattr(gallery, "EXAMPLES", rows)
    monkeypatch.setattr("kgqa_core.search.index.UNASKED", 10)  # so that nobody builds it unasked
    assert main(["gallery"]) == 1
    out, said = capsys.readouterr()
    assert "example-one-hop-who-directed-inception" in out
    assert "rag-triples-who-directed-inception is left as it was recorded" in said
    assert "kgqa index starter" in said
    assert [f.name for f in (tmp_path / "runs").iterdir()] == [
        "one-hop-who-directed-inception.json"
    ]
