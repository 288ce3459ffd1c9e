"""Sending requests as a good guest: named, in a queue, backing off when asked to, metered.

One `Line` per host and process: graphs at one host share its queue, its meter and its patience.
"""

from __future__ import annotations

import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from kgqa_core import __version__
from kgqa_core.errors import SourceUnavailable
from kgqa_core.kg.base import requested
from kgqa_core.network import Reply, retry_after

_PATIENCE_S = 10.0  # a longer wait is told, not waited
_UNTOLD_S = {429: 60.0, 503: 1.0}  # how long to wait when the server does not say
_TRIES = 3
_LONGEST_GAP_S = 60.0


@dataclass(frozen=True)
class Reach:
    """How a graph elsewhere may be asked. `hosted`: strangers choose it, see `network`."""

    timeout_s: float = 60.0
    hosted: bool = False
    contact: str = ""


@dataclass
class Meter:
    """What went to one host, for the page that shows it. `warnings`: the last few, newest last."""

    sent: int = 0
    from_cache: int = 0
    waiting: int = 0
    failed: int = 0
    seconds: float = 0.0
    gap_s: float = 0.0
    warnings: deque[str] = field(default_factory=lambda: deque(maxlen=20))

    def warn(self, text: str) -> None:
        if text not in self.warnings:
            self.warnings.append(text)


class Line:
    """The queue in front of a host: `parallel` requests at once, pauses as it asks for them."""

    def __init__(self, host: str, parallel: int) -> None:
        self.host = host
        self.meter = Meter()
        self._slots = threading.BoundedSemaphore(parallel)
        self._lock = threading.Lock()
        self._not_before = 0.0
        self._gap_s = 0.0

    def send(self, call: Callable[[], Reply], source: str, timeout_s: float) -> Reply:
        """The reply to a request, sent again when the host asks for a short wait.

        Raises SourceUnavailable when the wait is long, and what `call` raises.
        """
        for attempt in range(_TRIES):
            with self._slot(source, timeout_s):
                self._wait(source)
                started = time.monotonic()
                with self._lock:
                    self.meter.sent += 1
                requested()
                try:
                    reply = call()
                except SourceUnavailable:
                    with self._lock:
                        self.meter.failed += 1
                    raise
                finally:
                    with self._lock:
                        self.meter.seconds += time.monotonic() - started
                wait = self._judge(reply)
            if wait is None:
                return reply
            if wait > _PATIENCE_S or attempt == _TRIES - 1:
                raise self._busy(source, wait)
        raise AssertionError

    def hit(self, count: int = 1) -> None:
        """Counts look-ups that the cache answered."""
        with self._lock:
            self.meter.from_cache += count

    def _judge(self, reply: Reply) -> float | None:
        """How long the host wants us to wait; None when it is content."""
        with self._lock:
            if reply.status not in (429, 503) and reply.lagging_s is None:
                self._gap_s = self._gap_s / 2 if self._gap_s > 0.05 else 0.0
                self.meter.gap_s = self._gap_s
                self._not_before = max(self._not_before, time.monotonic() + self._gap_s)
                if reply.status >= 400:
                    self.meter.failed += 1
                return None
            told = retry_after(reply.headers)
            wait = reply.lagging_s if told is None else told
            if wait is None:
                wait = max(_UNTOLD_S[reply.status], self._gap_s)
            self._gap_s = min(_LONGEST_GAP_S, max(0.2, 2 * self._gap_s))
            self.meter.gap_s = self._gap_s
            self.meter.failed += 1
            self._not_before = max(self._not_before, time.monotonic() + wait)
            return wait

    def _wait(self, source: str) -> None:
        while (left := self._not_before - time.monotonic()) > 0:
            if left > _PATIENCE_S:
                raise self._busy(source, left)
            time.sleep(left)

    def _busy(self, source: str, wait: float) -> SourceUnavailable:
        return SourceUnavailable(
            f"“{source}” is busy and asks to wait {max(1, round(wait))} s. Try again then, or "
            "choose another graph.",
            source=source,
            retry_after_s=wait,
        )

    @contextmanager
    def _slot(self, source: str, timeout_s: float) -> Iterator[None]:
        with self._lock:
            self.meter.waiting += 1
        try:
            free = self._slots.acquire(timeout=timeout_s)
        finally:
            with self._lock:
                self.meter.waiting -= 1
        if not free:
            raise SourceUnavailable(
                f"“{source}” is still busy with earlier requests. Try again in a moment.",
                source=source,
            )
        try:
            yield
        finally:
            self._slots.release()


_lines: dict[str, Line] = {}
_lines_lock = threading.Lock()


def line_to(url: str, parallel: int) -> Line:
    """The one line to the host of this address."""
    host = urlsplit(url).netloc.rpartition("@")[2].lower()
    with _lines_lock:
        return _lines.setdefault(host, Line(host, parallel))


def meters() -> dict[str, Meter]:
    """By host, every meter there is."""
    with _lines_lock:
        return {host: line.meter for host, line in _lines.items()}


def user_agent(library: str, contact: str = "") -> str:
    """`name/version (contact) library`, as Wikimedia asks for."""
    said = " ".join(contact.split()) or "set KGQA_CONTACT to say who runs this"
    return f"KGQA-Explorer/{__version__} ({said}) {library}"
