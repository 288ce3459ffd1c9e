"""What other packages bring by entry points: methods, kinds of graphs, models.

One that cannot be used is told of in a sentence, and keeps nothing else from working.
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import lru_cache
from importlib.metadata import entry_points
from typing import Any, Generic, TypeVar

from kgqa_core.errors import KGQAError

T = TypeVar("T")


@lru_cache(maxsize=1)
def _entries() -> Any:  # a type of its own in each version of Python
    """All there are: to look through what is installed takes a while."""
    return entry_points()


class Extensions(Generic[T]):
    """What packages bring under one group, looked for when it is first asked for.

    `made(what was found, its name)` makes a thing of the program out of it; it raises KGQAError
    for what none can be made of.
    """

    def __init__(self, group: str, made: Callable[[object, str], T]) -> None:
        self._group, self._made = group, made
        self._lock = threading.RLock()  # a package may ask for others while it is imported
        self._found: tuple[T, ...] | None = None
        self._problems: tuple[str, ...] = ()

    @property
    def found(self) -> tuple[T, ...]:
        with self._lock:
            if self._found is None:
                self._found = ()
                self._found, self._problems = self._load()
            return self._found

    @property
    def problems(self) -> tuple[str, ...]:
        """Why some could not be used, a sentence each."""
        return self._problems if self.found is not None else ()

    def _load(self) -> tuple[tuple[T, ...], tuple[str, ...]]:
        things, problems = [], []
        for entry in sorted(_entries().select(group=self._group), key=lambda e: e.name):
            package = entry.dist.name if entry.dist else entry.value
            try:
                things.append(self._made(entry.load(), entry.name))
            except KGQAError as error:
                problems.append(f"“{entry.name}” of the package {package} is left out: {error}")
            except (Exception, SystemExit) as error:  # whatever strange code may raise
                why = " ".join(f"{type(error).__name__}: {error}".split())[:300]
                problems.append(
                    f"“{entry.name}” of the package {package} cannot be imported ({why}): "
                    "correct or uninstall it."
                )
        return tuple(things), tuple(problems)
