"""Runs that go on in the background: started once, watched from any page or tab."""

from __future__ import annotations

import logging
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from functools import partial
from typing import Any

from pydantic import BaseModel, ValidationError

from kgqa_core import __version__
from kgqa_core.ask.audit import Auditing, audited
from kgqa_core.ask.events import Record, Status, status_of
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.run import Budget, Solve, StopToken, Toolkit, run
from kgqa_core.errors import SettingsError
from kgqa_core.history.fork import Edits, LinkedByHand, Replaying, check, inherited, solving
from kgqa_core.history.gallery import recorded
from kgqa_core.history.store import Header, RunStore, cut_off
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.without import Hidden, without
from kgqa_core.methods import METHODS
from kgqa_core.methods.pgakv.cypher.bolt import Scratch
from kgqa_core.search.index import Index
from kgqa_core.search.without import IndexWithout

_log = logging.getLogger(__name__)
_KEPT = 200  # finished runs that stay in memory
_SWITCH_S = 0.001


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

    def ended(self) -> None:
        """Called once all of it is saved."""
        self._ended.set()


class Runs:
    """All runs of this process, and those stored by earlier ones."""

    def __init__(self, store: RunStore, workers: int = 6, audit: Auditing = "off") -> None:
        self.store = store
        self._audit = audit  # who checks the answers
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kgqa-run")
        self._saver = Saver(store)
        # Runs compute in threads beside those that draw pages. A page lets go of the interpreter
        # with each message it sends, and waits this long for every run before it has it again.
        sys.setswitchinterval(_SWITCH_S)

    def start(
        self,
        question: str,
        method: str,
        params: BaseModel,
        kg: KnowledgeGraph,
        llm: LLM,
        budget: Budget | None = None,
        index: Index | None = None,
        scratch: Scratch | None = None,
        *,
        graph_source: str = "",
        model_source: str = "",
        personal: Sequence[tuple[str, str, str]] = (),
    ) -> Run:
        """Begins at once or when a worker is free; returns without waiting.

        `graph_source` and `model_source` open the graph and the model again (`sources.py`);
        `personal` are the facts that were laid over that graph.
        """
        header = _header(question, method, params, kg, llm).model_copy(
            update={
                "graph_source": graph_source,
                "model_source": model_source,
                "personal": tuple(personal),
            }
        )
        toolkit = partial(Toolkit, kg, llm, index=index, budget=budget, scratch=scratch)
        return self._begin(header, METHODS[method].solve, params, toolkit)

    def fork(
        self,
        parent: Run,
        edits: Edits,
        kg: KnowledgeGraph,
        llm: LLM,
        budget: Budget | None = None,
        index: Index | None = None,
        scratch: Scratch | None = None,
        *,
        model_source: str = "",
    ) -> Run:
        """The parent's question again with something changed: the same until `edits.at`.

        What the parent asked its model before that costs nothing again. Raises SettingsError for
        edits that do not fit the parent.
        """
        records, asked = list(parent.records), parent.header
        if asked.method not in METHODS:
            raise SettingsError(f"This version has no method “{asked.method}”.")
        method = METHODS[asked.method]
        check(records, edits)
        edits = inherited(asked.edits, edits)
        params = _params(method.params, asked.params, edits.params)
        header = _header(asked.question, asked.method, params, kg, llm).model_copy(
            update={
                "graph_source": asked.graph_source,
                "model_source": model_source,
                "personal": asked.personal,
                "parent": asked.id,
                "forked_at": edits.at,
                "edits": edits,
            }
        )
        replaying = Replaying(llm, records, edits)
        if edits.without:
            hidden = Hidden(edits.without)
            kg = without(kg, hidden)
            index = IndexWithout(index, hidden) if index is not None else None
        toolkit = partial(
            LinkedByHand,
            kg,
            replaying,
            index=index,
            budget=budget,
            scratch=scratch,
            entities=edits.entities,
        )
        return self._begin(header, solving(method.solve, replaying, edits), params, toolkit)

    def _begin(
        self, header: Header, solve: Solve, params: BaseModel, toolkit: Callable[..., Toolkit]
    ) -> Run:
        this = Run(header)
        with self._lock:
            self._runs[header.id] = this
            ended = [i for i, r in self._runs.items() if r.status != "running"]
            for old in ended[:-_KEPT]:
                del self._runs[old]
        self.store.begin(header)
        self._pool.submit(self._execute, this, solve, params, toolkit)
        return this

    def get(self, run_id: str) -> Run | None:
        """A run by id, recorded examples included.

        One that an earlier process left unfinished counts as cancelled.
        """
        with self._lock:
            if run_id in self._runs:
                return self._runs[run_id]
        stored = self.store.load(run_id) or recorded().get(run_id)
        if stored is None:
            return None
        header, records = stored[0], list(stored[1])
        if status_of(records) == "running":  # perhaps another process goes on with it: not kept
            return Run(header, [*records, cut_off(records)])
        this = Run(header, records)
        with self._lock:
            self._runs[run_id] = this
        return this

    def admit(self, header: Header, records: list[Record]) -> Run:
        """Keeps a run that was made elsewhere, as it is; the same one again is the one there.

        Its id is its own only where that is free: nothing here is ever replaced by it.
        """
        there = self.get(header.id)
        if there is not None and there.records == records:
            return there
        if there is not None or self.store.knows(header.id):
            header = header.model_copy(update={"id": secrets.token_urlsafe(9)})
        this = Run(header, records)
        with self._lock:
            self._runs[header.id] = this
        self.store.begin(header)
        self.store.append(header.id, records, this.status)
        return this

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
        self._saver.close()
        self.store.close()

    def _execute(
        self, this: Run, solve: Solve, params: BaseModel, toolkit: Callable[..., Toolkit]
    ) -> None:
        tools = toolkit(stop=this._stop, on_text=this.hear)  # its clock starts here
        for record in run(this.header.question, audited(solve, self._audit), tools, params):
            this.records.append(record)
            this.live_text = ""
            self._saver.tell(this)


class Saver:
    """Writes records as they come, so that a run that is killed leaves all of them behind.

    One thread for all runs: those that come while it writes are written together next, so no
    run waits for the disk.
    """

    def __init__(self, store: RunStore) -> None:
        self._store = store
        self._told: queue.SimpleQueue[Run | None] = queue.SimpleQueue()
        self._saved: dict[str, int] = {}  # records written so far, by run
        self._thread = threading.Thread(target=self._work, name="kgqa-saver", daemon=True)
        self._thread.start()

    def tell(self, this: Run) -> None:
        """The run has new records."""
        self._told.put(this)

    def close(self) -> None:
        """Writes what it was told so far, and ends."""
        self._told.put(None)
        self._thread.join()

    def _work(self) -> None:
        while True:
            told = [self._told.get()]
            while not self._told.empty():
                told.append(self._told.get())
            for this in dict.fromkeys(told):
                if this is not None:
                    self._save(this)
            if None in told:
                return

    def _save(self, this: Run) -> None:
        if this.wait(0):
            return
        saved = self._saved.pop(this.header.id, 0)
        records = this.records[saved:]
        if records:
            try:
                self._store.append(this.header.id, records, status_of(records))
            except Exception:  # a defect; the run itself goes on, and so do the others
                _log.exception("run %s cannot be stored", this.header.id)
        if records and records[-1].event.terminal:
            this.ended()
        else:
            self._saved[this.header.id] = saved + len(records)


def _header(question: str, method: str, params: BaseModel, kg: KnowledgeGraph, llm: LLM) -> Header:
    return Header(
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


def _params(model: type[BaseModel], given: dict[str, Any], edited: dict[str, Any]) -> BaseModel:
    """A parent's parameters with some changed; those this version no longer has are left out."""
    kept = {name: value for name, value in given.items() if name in model.model_fields}
    unknown = sorted(set(edited) - set(model.model_fields))
    if unknown:
        raise SettingsError(f"The method has no parameter “{unknown[0]}”.")
    try:
        return model.model_validate({**kept, **edited})
    except ValidationError as error:
        first = error.errors()[0]
        name = ".".join(map(str, first["loc"])).replace("_", " ")
        raise SettingsError(f"The parameter “{name}” does not fit: {first['msg']}.") from error
