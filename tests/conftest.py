"""Fixtures every test may use."""

import threading

from tests.screens.browser import browser, serve, visit
from tests.screens.pages import app

__all__ = ["app", "browser", "serve", "visit"]


def pytest_sessionfinish() -> None:
    """An interpreter that ends while an encoder is loading in the background is aborted."""
    for thread in threading.enumerate():
        if thread.name == "kgqa-encoder":
            thread.join()
