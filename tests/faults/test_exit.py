"""Whatever a model's endpoint does, the shell ends as it says it does, with one document."""

import json

import pytest

from kgqa_core.shell.main import main
from tests.faults.cells import SECRET, sentence_wrong
from tests.faults.models import FAULTS
from tests.servers.openai import OpenAIServer

pytestmark = pytest.mark.server


@pytest.fixture
def server(monkeypatch, tmp_path):
    with OpenAIServer() as running:
        told = {"KGQA_DATA_DIR": str(tmp_path), "KGQA_MODEL": "test-model"}
        told |= {"OPENAI_API_KEY": SECRET, "OPENAI_BASE_URL": running.url}
        told |= {"KGQA_LLM_TIMEOUT_S": "0.5", "KGQA_MAX_SECONDS": "8"}
        for name, value in told.items():
            monkeypatch.setenv(name, value)
        monkeypatch.chdir(tmp_path)  # no .env of the developer
        yield running


@pytest.mark.parametrize("fault", FAULTS)
def test_the_exit_code_is_as_documented(server, capsys, fault):
    server.always = FAULTS[fault]
    code = main(
        ["ask", "Who directed Inception?", "--graph", "starter", "--method", "io", "--json"]
    )
    said = capsys.readouterr()
    assert SECRET not in said.out + said.err
    document = json.loads(said.out)
    assert code == {"answered": 0, "abstained": 0, "failed": 1}[document["status"]]
    assert (code == 1) == bool(said.err)
    if code:
        assert not sentence_wrong(said.err.rstrip("\n"))
