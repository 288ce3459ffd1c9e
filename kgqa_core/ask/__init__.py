"""A run: the verbs a method has, the skills it asks, the events it leaves, the audit at its end."""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import Any


class _Room(ModuleType):
    """This package, which can also be called: `from kgqa_core import ask` finds it first.

    A function of that name would hide the package, or be hidden by it, by what was imported first.
    """

    def __call__(self, *args: Any, **named: Any) -> Any:
        """`kgqa_core.notebook.ask`, which stands far above: asked for by name, at a call."""
        return import_module("kgqa_core.notebook").ask(*args, **named)


sys.modules[__name__].__class__ = _Room
