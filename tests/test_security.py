"""What `SECURITY.md` says in figures of limits and of tests is what they are."""

import re

import pytest

from kgqa_core import network
from kgqa_core.history import store, team_store
from kgqa_core.llm import openai_chat
from kgqa_core.settings import Settings
from tests.faults import models
from tests.faults.hostile import HOSTILE
from tests.places import ROOT

SAID = " ".join((ROOT / "SECURITY.md").read_text(encoding="utf-8").split())
OPERATING = " ".join((ROOT / "docs" / "operating.md").read_text(encoding="utf-8").split())


@pytest.mark.parametrize(
    "said",
    [
        f"{openai_chat._MOST_STREAMED >> 20} MB of a streamed reply",
        f"{openai_chat._MOST_WHOLE >> 20} MB of a whole one",
        f"{network.MOST_BYTES >> 20} MB of a graph's answer",
        f"every method × {len(models.FAULTS)} faults of a model's endpoint",
        f"{len(HOSTILE)} hostile texts in a browser",
    ],
)
def test_a_limit_is_as_it_is_said(said):
    assert said in SAID


def test_operating_says_how_servers_share_runs():
    assert f"a sign of life every {team_store._BEAT_S:.0f} s" in OPERATING
    assert team_store._GONE_S == 60
    assert "interrupted after a minute" in OPERATING
    assert f"{store._MOST_WAITING:,} changes wait in memory" in OPERATING
    assert store._MOST_WAITING == team_store._MOST_WAITING


def test_settings_that_are_named_are_some():
    named = set(re.findall(r"\bKGQA_[A-Z_]+\b", f"{SAID} {OPERATING}"))
    assert named <= {f"KGQA_{name.upper()}" for name in Settings.model_fields}
    assert f"`KGQA_WAITING` ({Settings.model_fields['waiting'].default})" in OPERATING


def test_files_that_are_named_exist():
    for name in re.findall(r"`((?:tests|docs)/[\w/]+(?:\.\w+)?)`", f"{SAID} {OPERATING}"):
        assert (ROOT / name).exists(), name
