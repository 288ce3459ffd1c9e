"""How near a way through the graph is to what a question asks: MiniLM, its last layers trained.

`assets/ranker` holds the trained layers (fp16) and their digest. They are read at the first
question that needs them, never at the start.
"""

from __future__ import annotations

import hashlib
import json
import threading
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

from kgqa_core.errors import SettingsError
from kgqa_core.places import ASSETS

if TYPE_CHECKING:
    from kgqa_core.search.minilm import MiniLM

FOLDER = ASSETS / "ranker"
_KEPT = 20_000  # vectors of ways


class Meaning:
    """Cosines between questions and ways. Safe to use from several threads."""

    def __init__(self, folder: Path = FOLDER) -> None:
        self._folder = folder
        self._model: MiniLM | None = None
        self._lock = threading.Lock()
        self._vectors: dict[str, list[float]] = {}

    def cosines(self, question: str, ways: Sequence[str]) -> list[float]:
        """Of each way with the question, in order. Raises SettingsError without the weights."""
        import numpy as np

        with self._lock:
            model = self._loaded()
            new = [t for t in dict.fromkeys((question, *ways)) if t not in self._vectors]
            if len(self._vectors) + len(new) > _KEPT:
                self._vectors.clear()
                new = list(dict.fromkeys((question, *ways)))
            if new:
                self._vectors.update(zip(new, model.encode(new), strict=True))
            told = np.stack([self._vectors[w] for w in ways])
            return [float(c) for c in told @ np.asarray(self._vectors[question])]

    def _loaded(self) -> MiniLM:
        if self._model is None:
            self._model = _open(self._folder)
        return self._model


def _open(folder: Path) -> MiniLM:
    """Raises SettingsError for weights that are missing or not those that were trained."""
    file = folder / "layers.safetensors"
    try:
        data = file.read_bytes()
        digest = json.loads((folder / "layers.json").read_text(encoding="utf-8"))["sha256"]
    except (OSError, ValueError, KeyError) as error:
        raise SettingsError(
            f"{file} cannot be read. Reinstall the app, or run `make train`."
        ) from error
    if hashlib.sha256(data).hexdigest() != digest:
        raise SettingsError(f"{file} is damaged. Reinstall the app, or run `make train`.")
    from safetensors.torch import load

    from kgqa_core.search.minilm import MiniLM

    return MiniLM(others={name: value.float() for name, value in load(data).items()})
