"""Waiting without hanging on the clock: a wait ends when what it waits for has happened.

How long it may take is no business of these tests, which must pass on a machine that is busy
elsewhere; `make speed` measures.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Any

PATIENCE_S = 300.0  # only so that a defect ends a test; long costs nothing where all is well


def wait_until(happened: Callable[[], Any], what: str = "it did not happen") -> None:
    """Returns once it has happened. Raises AssertionError when patience is at an end."""
    end = time.monotonic() + PATIENCE_S
    while not happened():
        assert time.monotonic() < end, what
        time.sleep(0.01)
