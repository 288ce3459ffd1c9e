"""Question answering over knowledge graphs, as typed streams of events.

In a notebook: `from kgqa_core import ask, compare, open_graph`.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

__version__ = "0.1.0"
__all__ = ["ask", "compare", "open_graph"]  # `ask` is the room of that name, which can be called


def __getattr__(name: str) -> Any:
    if name not in ("compare", "open_graph"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    # by its name and at first use: it stands above all the rooms that read the version here
    return getattr(import_module("kgqa_core.notebook"), name)
