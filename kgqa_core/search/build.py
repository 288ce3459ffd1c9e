"""Building an index: a task of its own, outside every run, that can be watched and stopped."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable
from contextlib import suppress

from kgqa_core.background import Work
from kgqa_core.search.index import Index, Progress

_STEP_ASIDE_S = 0.05  # after each batch: whoever asks meanwhile has the processor first
_AT_MOST_S = 5.0  # that a batch waits for others: where somebody always asks, it goes on too
_LAST_S = 60.0  # at most, for a batch or a library at the end of the process
_LOW = 10  # how far it stands behind, as `nice` counts


class Build(Work):
    """A build in the background; what it built stays when it is stopped.

    `anew` starts from nothing, `most` leaves alone what has more items, but for the best-known
    facts of a large graph. `quiet`: whether nobody else needs the processor; until then it waits,
    for a while before each batch. The end of the process calls it off and waits for that.
    """

    def __init__(
        self,
        index: Index,
        *,
        anew: bool = False,
        most: int | None = None,
        quiet: Callable[[], bool] = lambda: True,
    ) -> None:
        super().__init__("kgqa-build")
        self._index, self._anew, self._most, self._quiet = index, anew, most, quiet
        # A process that ends while a library of it loads or computes is aborted by that; `atexit`
        # comes after the pools of threads are gone, which a batch needs
        threading._register_atexit(self._called_off)  # type: ignore[attr-defined]
        self.start()

    def _called_off(self) -> None:
        self.stop()
        self.wait(_LAST_S)

    def do(self) -> None:
        def step_aside(_: Progress) -> None:
            self.pause(_STEP_ASIDE_S)
            until = time.monotonic() + _AT_MOST_S
            while not self._quiet() and time.monotonic() < until:
                self.pause(_STEP_ASIDE_S)

        self._index.open()  # while another thread loads the encoder
        self.check()
        with suppress(AttributeError, OSError):  # where a thread has no priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), _LOW)
        self._index.build(step_aside, anew=self._anew, most=self._most, first=True)


def told(progress: Progress) -> str:
    """`3,000 of 22,895 triples · 1,200 a second · 17 s left`; at first without the speed."""
    far = f"{progress.done:,} of {progress.total:,} {progress.what}"
    if not progress.rate:
        return far
    if progress.left_s < 1:
        return f"{far} · almost done"
    return f"{far} · {progress.rate:,.0f} a second · {span(progress.left_s)} left"


def stands(index: Index) -> tuple[float, str]:
    """How far the build of an index is: a share, and words."""
    if (now := index.progress) is not None:
        there = "" if now.what == "triples" else f"{index.searched:,} triples are searched · "
        words = f"{there if index.searched else ''}{told(now)}"
        return min(1.0, now.done / max(now.total, 1)), words
    return 0.0, "it waits until another index is built" if index.queued else "it begins"


def span(seconds: float) -> str:
    """`40 s`, `5 min`, `3 h`, `12 days`."""
    if seconds < 90:
        return f"{seconds:.0f} s"
    if seconds < 90 * 60:
        return f"{seconds / 60:.0f} min"
    hours = seconds / 3600
    return f"{hours:.0f} h" if hours < 48 else f"{hours / 24:.0f} days"
