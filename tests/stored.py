"""The graphs that come with the app, stored once for all tests; the larger one takes its time."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

from kgqa_core.kg.kinds import open_graph
from kgqa_core.settings import Settings

_BUILT_IN = ("known", "starter")


@pytest.fixture(scope="session")
def known_graph(tmp_path_factory: pytest.TempPathFactory) -> Callable[[Path], Path]:
    """Puts them into a data folder, as if they had been opened there before; returns the folder.

    What this process has open already, or what was prepared beside the program, is not stored.
    """
    ours = tmp_path_factory.getbasetemp()
    everybodys = ours.parent if "PYTEST_XDIST_WORKER" in os.environ else ours
    with FileLock(everybodys / "stored.lock"):
        for name in _BUILT_IN:
            open_graph(name, Settings(_env_file=None, data_dir=everybodys / "stored"))

    def put(data: Path) -> Path:
        for name in _BUILT_IN:
            if (folder := everybodys / "stored" / name).is_dir():
                shutil.copytree(folder, data / name)
        return data

    return put
