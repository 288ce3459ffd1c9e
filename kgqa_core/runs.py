"""Runs that go on in the background: started once, watched from any page or tab."""

from __future__ import annotations

import secrets
import threading
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import BaseModel

from kgqa_core import __version__, events
from kgqa_core.events import Record, Status, status_of
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.base import LLM
from kgqa_core.methods import METHODS
from kgqa_core.run import Budget, StopToken, Toolkit, run
from kgqa_core.store import Header, RunStore

if TYPE_CHECKING:
    from kgqa_core.index import Index

_SAVE_EVERY_S = 0.5
_KEPT = 200  # finished runs that stay in memory


class Run:
    """A question being answered, or a stored one. `records` only ever grows."""

    def __init__(self, header: Header, records: list[Record] | None = None) -> None:
        self.header = header
        self.records: list[Record] = records or []
        self.live_text = ""  # what the model is writing at this moment
        self._stop = StopToken()
        self._ended = threading.Event()
        self._clock = time.monotonic()
        if records is not None:
            self._ended.set()

    @property
    def status(self) -> Status:
        return status_of(self.records)

    @property
    def seconds(self) -> float:
        """Since the start, or in all once it has ended."""
        if self.status != "running":
            return self.records[-1].at_s
        return time.monotonic() - self._clock

    def stop(self) -> None:
        """Ends the run within a second; what it found so far stays."""
        self._stop.press()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether the run has ended (and was saved)."""
        return self._ended.wait(timeout_s)

    def hear(self, text: str) -> None:
        self.live_text = text


class Runs:
    """All runs of this process, and those stored by earlier ones."""

    def __init__(self, store: RunStore, workers: int = 6) -> None:
        self.store = store
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kgqa-run")

    def start(
        self,
        question: str,
        method: str,
        params: BaseModel,
        kg: KnowledgeGraph,
        llm: LLM,
        budget: Budget | None = None,
        index: Index | None = None,
    ) -> Run:
        """Begins at once or when a worker is free; returns without waiting."""
        header = Header(
            id=secrets.token_urlsafe(9),
            question=question,
            method=method,
            params=params.model_dump(mode="json"),
            graph=kg.name,
            graph_fingerprint=kg.info().fingerprint if isinstance(kg, EmbeddedGraph) else "",
            model=llm.name,
            started_at=datetime.now(UTC).isoformat(timespec="milliseconds"),
            version=__version__,
        )
        this = Run(header)
        with self._lock:
            self._runs[header.id] = this
            ended = [i for i, r in self._runs.items() if r.status != "running"]
            for old in ended[:-_KEPT]:
                del self._runs[old]
        self.store.begin(header)
        self._pool.submit(self._execute, this, params, kg, llm, budget, index)
        return this

    def get(self, run_id: str) -> Run | None:
        """A run by id; one that an earlier process left unfinished counts as cancelled."""
        with self._lock:
            if run_id in self._runs:
                return self._runs[run_id]
        stored = self.store.load(run_id)
        if stored is None:
            return None
        header, records = stored
        if status_of(records) == "running":
            last = records[-1] if records else None
            gone = events.Cancelled(reason="The app was closed before the run ended.")
            records.append(
                Record(
                    seq=last.seq + 1 if last else 0,
                    step=last.step if last else 0,
                    at_s=last.at_s if last else 0.0,
                    event=gone,
                )
            )
        return Run(header, records)

    def delete(self, ids: Sequence[str]) -> None:
        """Stops them if they go on, and marks them as deleted; `store.restore` takes it back."""
        with self._lock:
            for run_id in ids:
                if this := self._runs.pop(run_id, None):
                    this.stop()
        self.store.delete(ids)

    def close(self) -> None:
        """Stops what still runs and lets the store go."""
        with self._lock:
            for this in self._runs.values():
                this.stop()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self.store.close()

    def _execute(
        self,
        this: Run,
        params: BaseModel,
        kg: KnowledgeGraph,
        llm: LLM,
        budget: Budget | None,
        index: Index | None,
    ) -> None:
        tools = Toolkit(kg, llm, index=index, budget=budget, stop=this._stop, on_text=this.hear)
        saved, last_save = 0, 0.0
        solve = METHODS[this.header.method].solve
        for record in run(this.header.question, solve, tools, params):
            this.records.append(record)
            this.live_text = ""
            if record.event.terminal or time.monotonic() - last_save > _SAVE_EVERY_S:
                self.store.append(this.header.id, this.records[saved:], this.status)
                saved, last_save = len(this.records), time.monotonic()
        this._ended.set()
