"""Runs that go on in the background: started once, watched from any page or tab."""

from __future__ import annotations

import logging
import queue
import secrets
import sys
import threading
import time
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import replace
from functools import cached_property, partial
from typing import Any

from pydantic import BaseModel, ValidationError

from kgqa_core.ask.audit import audited
from kgqa_core.ask.events import Cancelled, Record, Status, status_of
from kgqa_core.ask.header import Edits, Header, inherited
from kgqa_core.ask.run import Solve, StopToken, Toolkit, run
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import Busy, SettingsError, misfit
from kgqa_core.history.fork import LinkedByHand, Replaying, check, solving
from kgqa_core.history.gallery import recorded
from kgqa_core.history.store import Store, as_json, cut_off
from kgqa_core.kg.without import Hidden, without
from kgqa_core.search.without import IndexWithout

_log = logging.getLogger(__name__)
_KEPT, _KEPT_SIZE = 200, 32 << 20  # finished runs that stay in memory; characters of them all
_SWITCH_S = 0.001
_LOOK_S = 1.0  # between two looks at a run of another process


class Run:
    """A question being answered, or a stored one. `records` only ever grows."""

    def __init__(
        self,
        header: Header,
        records: list[Record] | None = None,
        elsewhere: Callable[[], None] | None = None,
    ) -> None:
        """`elsewhere` tells the process that is at work on it, when that is another, to stop."""
        self.header = header
        self.records: list[Record] = records or []
        self.live_text = ""  # what the model is writing at this moment
        self._stop = StopToken()
        self._elsewhere = elsewhere
        self._turn: Future[None] | None = None
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

    @cached_property
    def size(self) -> int:
        """Characters of its records, once it has ended."""
        return sum(len(as_json(record)) for record in self.records)

    @property
    def tokens(self) -> int:
        """Of a model, so far."""
        return sum(r.cost.prompt_tokens + r.cost.completion_tokens for r in list(self.records))

    @property
    def here(self) -> bool:
        """Whether it is this process that is at work on it."""
        return self._elsewhere is None

    def stop(self) -> None:
        """Ends the run within a second or two; what it found so far stays."""
        self._stop.press()
        if self._elsewhere is not None:
            self._elsewhere()
        if self._turn is not None:
            self._turn.cancel()  # if it still waits for one

    def wait(self, timeout_s: float | None = None) -> bool:
        """Whether the run has ended (and was saved)."""
        return self._ended.wait(timeout_s)

    def follow(self, records: Sequence[Record]) -> None:
        """Takes over what another process has written of it so far."""
        self.records.extend(records[len(self.records) :])
        if self.records:
            self._clock = min(self._clock, time.monotonic() - self.records[-1].at_s)

    def hear(self, text: str) -> None:
        self.live_text = text

    def ended(self) -> None:
        """Called once all of it is saved."""
        self._ended.set()


class Runs:
    """All runs of this process, and those stored by earlier ones."""

    def __init__(self, store: Store, workers: int = 6, waiting: int = 100) -> None:
        self.store = store
        self._most_waiting = waiting
        self._closed = False
        self._closing = threading.Event()
        self._listening: threading.Thread | None = None
        self._following: list[threading.Thread] = []
        self._waiting: dict[str, Run] = {}  # in the order in which they were asked
        self._runs: dict[str, Run] = {}
        self._lock = threading.Lock()
        self._pool = ThreadPoolExecutor(workers, thread_name_prefix="kgqa-run")
        self._saver = Saver(store)
        # Runs compute in threads beside those that draw pages. A page lets go of the interpreter
        # with each message it sends, and waits this long for every run before it has it again.
        sys.setswitchinterval(_SWITCH_S)

    def start(self, question: str, setup: Setup) -> Run:
        """Begins at once or when a worker is free; returns without waiting.

        Raises Busy when too many wait already.
        """
        return self._begin(setup.header(question), setup.solve, setup, Toolkit)

    def fork(self, parent: Run, edits: Edits, setup: Setup) -> Run:
        """The parent's question again with something changed: the same until `edits.at`.

        Of the setup, method, parameters and source of the graph are the parent's. What the parent
        asked its model before the change costs nothing again. Raises SettingsError for edits that
        do not fit the parent.
        """
        records, asked = list(parent.records), parent.header
        check(records, edits)
        edits = inherited(asked.edits, edits)
        setup = replace(
            setup,
            params=_params(setup.method.params, asked.params, edits.params),
            graph_source=asked.graph_source,
            personal=asked.personal,
        )
        header = setup.header(asked.question).model_copy(
            update={"parent": asked.id, "forked_at": edits.at, "edits": edits}
        )
        replaying = Replaying(setup.llm, records, edits)
        setup = replace(setup, llm=replaying)
        if edits.without:
            hidden = Hidden(edits.without)
            index = IndexWithout(setup.index, hidden) if setup.index is not None else None
            setup = replace(setup, kg=without(setup.kg, hidden), index=index)
        solve = audited(solving(setup.method.solve, replaying, edits), setup.auditor)
        return self._begin(header, solve, setup, partial(LinkedByHand, entities=edits.entities))

    def _begin(
        self, header: Header, solve: Solve, setup: Setup, kind: Callable[..., Toolkit]
    ) -> Run:
        this = Run(header)
        with self._lock:
            if len(self._waiting) >= self._most_waiting:
                raise Busy(
                    f"{len(self._waiting):,} questions are waiting already, as many as this "
                    "app allows: ask again in a minute."
                )
            self._waiting[header.id] = this
            self._keep(this)
            if self._listening is None:
                self._listening = threading.Thread(
                    target=self._listen, name="kgqa-stops", daemon=True
                )
                self._listening.start()
        self.store.begin(header)
        this._turn = self._pool.submit(self._execute, this, solve, setup, kind)
        this._turn.add_done_callback(lambda turn: self._never_begun(this, turn))
        return this

    def _never_begun(self, this: Run, turn: Future[None]) -> None:
        if turn.cancelled():
            with self._lock:
                self._waiting.pop(this.header.id, None)
            this.records.append(Record(seq=0, step=0, at_s=0.0, event=Cancelled()))
            self._saver.tell(this)

    @property
    def going(self) -> bool:
        """Whether this process is at work on a question."""
        with self._lock:
            return any(r.here and r.status == "running" for r in self._runs.values())

    def spent(self, visitor: str | None = None) -> int:
        """Tokens of the environment's model that runs used which go on here, by a visitor.

        None: by all visitors together. Those of runs that have ended are in the store.
        """
        with self._lock:
            going = [r for r in self._runs.values() if r.here and r.status == "running"]
        return sum(
            r.tokens
            for r in going
            if r.header.model_source == "openai"
            and (r.header.visitor == visitor if visitor is not None else r.header.visitor)
        )

    def before(self, this: Run) -> int | None:
        """How many questions are before this one; None once it has begun."""
        with self._lock:
            if this.header.id not in self._waiting:
                return None
            return list(self._waiting).index(this.header.id)

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
        if status_of(records) == "running":
            if self.store.goes_on(run_id):
                return self._follow(header, records)
            return Run(header, [*records, cut_off(records)])
        this = Run(header, records)
        with self._lock:
            self._keep(this)
        return this

    def _keep(self, this: Run) -> None:
        """In memory, with the lock held. Those that ended longest ago go: the store has them."""
        self._runs.pop(this.header.id, None)
        ended = [r for r in reversed(self._runs.values()) if r.status != "running"]
        room = _KEPT_SIZE - (this.size if this.status != "running" else 0)
        for kept, old in enumerate(ended, 2):
            room -= old.size
            if kept > _KEPT or room < 0:
                del self._runs[old.header.id]
        self._runs[this.header.id] = this

    def _follow(self, header: Header, records: list[Record]) -> Run:
        """A run that another process is at work on, watched from here as it grows."""
        this = Run(header, elsewhere=partial(self.store.ask_to_stop, header.id))
        this.follow(records)
        thread = threading.Thread(target=self._watch, args=(this,), name="kgqa-follow", daemon=True)
        with self._lock:
            if header.id in self._runs:
                return self._runs[header.id]
            self._runs[header.id] = this
            self._following = [*filter(threading.Thread.is_alive, self._following), thread]
            thread.start()
        return this

    def _watch(self, this: Run) -> None:
        while this.status == "running" and not self._closing.wait(_LOOK_S):
            goes_on = self.store.goes_on(this.header.id)  # before its last words are read
            stored = self.store.load(this.header.id)
            this.follow(stored[1] if stored is not None else [])
            if this.status == "running" and not goes_on:
                this.records.append(cut_off(this.records))
        this.ended()

    def _listen(self) -> None:
        """Stops the runs of this process that somebody stopped from another one."""
        while not self._closing.wait(_LOOK_S):
            with self._lock:
                going = {i: r for i, r in self._runs.items() if r.here and r.status == "running"}
            for asked in self.store.asked_to_stop(list(going)) if going else ():
                going[asked].stop()

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
            self._keep(this)
        self.store.begin(header)
        self.store.append(header.id, records, this.status)
        return this

    def delete(self, ids: Sequence[str]) -> None:
        """Stops them if they go on, and marks them as deleted; `store.restore` takes it back."""
        with self._lock:
            going = [self._runs.pop(run_id, None) for run_id in ids]
        for this in filter(None, going):
            this.stop()
        self.store.delete(ids)

    def close(self) -> None:
        """Stops what still runs and lets the store go; a second time does nothing."""
        with self._lock:
            if self._closed:
                return
            self._closed = True
            going = list(self._runs.values())
        self._closing.set()
        for this in going:
            if this.here:  # what another process is at work on goes on
                this.stop()
        for thread in filter(None, (self._listening, *self._following)):
            thread.join()
        self._pool.shutdown(wait=True, cancel_futures=True)
        self._saver.close()
        self.store.close()

    def _execute(self, this: Run, solve: Solve, setup: Setup, kind: Callable[..., Toolkit]) -> None:
        with self._lock:
            self._waiting.pop(this.header.id, None)
        tools = setup.toolkit(kind, stop=this._stop, on_text=this.hear)
        for record in run(this.header.question, solve, tools, setup.params):
            this.records.append(record)
            this.live_text = ""
            self._saver.tell(this)


class Saver:
    """Writes records as they come, so that a run that is killed leaves all of them behind.

    One thread for all runs: those that come while it writes are written together next, so no
    run waits for the disk.
    """

    def __init__(self, store: Store) -> None:
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


def _params(model: type[BaseModel], given: dict[str, Any], edited: dict[str, Any]) -> BaseModel:
    """A parent's parameters with some changed; those this version no longer has are left out."""
    kept = {name: value for name, value in given.items() if name in model.model_fields}
    unknown = sorted(set(edited) - set(model.model_fields))
    if unknown:
        raise SettingsError(f"The method has no parameter “{unknown[0]}”.")
    try:
        return model.model_validate({**kept, **edited})
    except ValidationError as error:
        raise SettingsError(f"The parameters do not fit: {misfit(error)}.") from error
