"""How near a way is to what a question asks: the trained layers."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.reader.meaning import FOLDER, Meaning
from tests.reader.small import meaning


def test_layers_that_are_damaged_or_missing_are_refused(tmp_path: Path):
    with pytest.raises(SettingsError, match="cannot be read"):
        Meaning(tmp_path).cosines("q", ["way"])
    (tmp_path / "layers.safetensors").write_bytes(b"other")
    (tmp_path / "layers.json").write_bytes((FOLDER / "layers.json").read_bytes())
    with pytest.raises(SettingsError, match="damaged"):
        Meaning(tmp_path).cosines("q", ["way"])


@pytest.mark.parametrize(
    ("question", "ways"),
    [
        ("who wrote X?", ["author of X", "those whose author is X", "cast member of X"]),
        ("what did X write?", ["those whose author is X", "author of X", "employer of X"]),
        ("in what year was X founded?", ["inception of X", "country of X", "population of X"]),
    ],
)  # fmt: skip
def test_the_way_that_answers_is_nearest(question: str, ways: Sequence[str]):
    near = meaning().cosines(question, ways)
    assert near[0] == max(near)
