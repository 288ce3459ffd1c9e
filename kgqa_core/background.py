"""Work in a thread of its own, which outlives the page that started it and can be stopped."""

from __future__ import annotations

import functools
import logging
import threading
from abc import ABC, abstractmethod
from collections.abc import Callable
from typing import Generic, TypeVar

from kgqa_core.errors import KGQAError, Stopped

T = TypeVar("T")
_LOOK_S = 0.25  # between two looks whether it is quiet
_log = logging.getLogger(__name__)


class Once(Generic[T]):
    """A function without arguments whose value is made once: who asks meanwhile waits for it.

    `functools.cache` has two threads that ask at once both make it, each half as fast.
    """

    def __init__(self, make: Callable[[], T]) -> None:
        functools.update_wrapper(self, make)
        self._make = make
        self._lock = threading.RLock()
        self._made: list[T] = []

    def __call__(self) -> T:
        if not self._made:
            with self._lock:
                if not self._made:
                    self._made.append(self._make())
        return self._made[0]

    def forget(self) -> None:
        """The next call makes it anew."""
        with self._lock:
            self._made = []


class Work(ABC):
    """Something long. `error` is a sentence once it failed, `stopped` true once it was stopped."""

    def __init__(self, name: str) -> None:
        self.error = ""
        self.stopped = False
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._all, name=name, daemon=True)

    def start(self) -> None:
        self._thread.start()

    @abstractmethod
    def do(self) -> None:
        """The work; calls `check` often."""

    def check(self) -> None:
        """Raises Stopped once somebody pressed stop."""
        if self._stop.is_set():
            raise Stopped("Stopped by the user.")

    def pause(self, seconds: float) -> None:
        """Waits; a stop ends it."""
        self._stop.wait(seconds)
        self.check()

    def stop(self) -> None:
        self._stop.set()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def wait(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _all(self) -> None:
        try:
            self.do()
        except Stopped:
            self.stopped = True
        except KGQAError as error:
            self.error = str(error)
        except Exception as error:  # nobody else is there to hear of it
            _log.exception("%s failed", self._thread.name)
            self.error = f"It stopped at an unexpected {type(error).__name__}: {error}."


class Later(Work):
    """One thing that is done as soon as it is quiet."""

    def __init__(self, name: str, quiet: Callable[[], bool], then: Callable[[], object]) -> None:
        super().__init__(name)
        self._quiet, self._then = quiet, then
        self.start()

    def do(self) -> None:
        while not self._quiet():
            self.pause(_LOOK_S)
        self.check()
        self._then()
