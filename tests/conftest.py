"""Fixtures every test may use."""

import os
import sys
import threading
from collections.abc import Iterator

import pytest

from tests.screens.browser import browser, serve, shared_app, visit
from tests.screens.pages import app

os.environ.setdefault("KGQA_BUILD_INDEX", "0")  # what needs an index builds it
os.environ.setdefault("KGQA_GRAPH", "starter")  # the small graph, which is there at once

__all__ = ["app", "browser", "serve", "shared_app", "visit"]


@pytest.fixture(autouse=True)
def main_module() -> Iterator[None]:
    """AppTest leaves a script of its own as `__main__`, which worker processes would then run."""
    before = sys.modules["__main__"]
    yield
    sys.modules["__main__"] = before


def pytest_sessionfinish() -> None:
    """An interpreter that ends while an encoder is loading in the background is aborted."""
    for thread in threading.enumerate():
        if thread.name == "kgqa-encoder":
            thread.join()
