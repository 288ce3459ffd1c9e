"""Runs a method over a question set: in parallel, within a budget, and resumable.

The questions are asked by workers: threads that wait for a model together, or processes that
compute side by side (the built-in reader). One thread here writes each result as it ends, counts
the cost and decides when to stop. Only results that were written count, so a benchmark that is
killed asks again just what it had not written.
"""

from __future__ import annotations

import math
import multiprocessing
import os
import platform
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import (
    FIRST_COMPLETED,
    Executor,
    Future,
    ProcessPoolExecutor,
    ThreadPoolExecutor,
    wait,
)
from concurrent.futures.process import BrokenProcessPool
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core import __version__
from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Cost, Record, status_of
from kgqa_core.ask.outcome import answer_of, audit_of, term, total_cost
from kgqa_core.ask.run import Solve, Steps, StopToken, Toolkit, run
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.evaluation import metrics, results
from kgqa_core.evaluation.anchors import AnchoredToolkit, Coverage, coverage, followed, located
from kgqa_core.evaluation.datasets import FORMATS, Dataset, Example
from kgqa_core.evaluation.metrics.metric import certainty
from kgqa_core.evaluation.metrics.sameness import Item, of_gold, of_value, same
from kgqa_core.evaluation.results import Config, Results, Row, gold_of
from kgqa_core.evaluation.summary import summarise
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.union import from_rows, overlay
from kgqa_core.text import counted

if TYPE_CHECKING:
    pass


@dataclass(frozen=True)
class Options:
    """How the questions were picked and are asked: all of it belongs to the result."""

    title: str = ""
    dataset_sha256: str = ""
    limit: int | None = None
    sample: int | None = None
    where: dict[str, str] = field(default_factory=dict)
    seed: int = 0
    repeat: int = 1
    gold_entities: bool = False
    environment: dict[str, str] = field(default_factory=dict)


@dataclass(frozen=True)
class Cap:
    """What the whole benchmark may use; it stops before the next question."""

    calls: float = math.inf
    tokens: float = math.inf
    seconds: float = math.inf


@dataclass(frozen=True)
class Progress:
    """How far a benchmark is. `asked` counts this session only, `done` earlier ones too."""

    done: int
    planned: int
    right: int
    abstained: int
    failed: int
    cost: Cost
    asked: int
    seconds: float

    @property
    def rate(self) -> float:
        """Questions a second."""
        return self.asked / self.seconds if self.seconds else 0.0

    @property
    def seconds_left(self) -> float | None:
        return (self.planned - self.done) / self.rate if self.rate else None


Anchors = list[tuple[str, Entity]]
Task = tuple[int, Example, int]  # position in the question set, question, repeat
Result = tuple[Row | None, list[Record]]


def run_benchmark(
    data: Dataset,
    setup: Setup,
    folder: Path,
    options: Options | None = None,
    *,
    workers: int = 2,
    cap: Cap | None = None,
    spent: Cost | None = None,
    resume: bool = True,
    traces: bool = False,
    on_progress: Callable[[Progress], None] = lambda progress: None,
    on_note: Callable[[str], None] = lambda note: None,
    stop: StopToken | None = None,
    processes: Processes | None = None,
) -> dict[str, Any]:
    """Asks what is left to ask and returns the summary, which also stands in `summary.json`.

    `stopped` in it says why questions are left over: the budget, a model or graph that is gone,
    or `stop`. With `processes`, the questions are asked there, else by threads. `spent` is what
    others have used of the cap: methods that are measured together share it.

    Raises SettingsError when the folder is in use or holds another benchmark, or when the graph
    has none of the entities that the questions name.
    """
    options = options or Options()
    config = _config(data, setup, options)
    covered = _fit(data, setup) if setup.method.uses_graph else None
    notes = [*([f"{covered}."] if covered else []), *data.notes]
    if setup.method.uses_graph:
        examples, said = followed(data.examples, setup.kg)
        data, notes = replace(data, examples=examples), [*notes, *said]
    with results.opened(folder, config, resume=resume) as out:
        anchors = located(data.examples, setup.kg) if options.gold_entities else {}
        if options.gold_entities:
            notes.append(
                f"The gold entities are given for {len(anchors):,} of {len(data.examples):,} "
                "questions; the others link their own."
            )
        for note in notes:
            on_note(note)
        setup.prepare()
        session = _Session(anchors, out, cap or Cap(), spent or Cost(), traces, stop or StopToken())
        with _crew(setup, workers, session.stop, processes) as crew:
            why = session.work(_tasks(data, options.repeat, out), crew, on_progress)
        rows = sorted(out.rows.values(), key=lambda row: (row.repeat, row.position))
        summary = summarise(out.config, rows) | {
            "stopped": why,
            "coverage": asdict(covered) if covered else None,
            "skipped": [asdict(s) for s in data.skipped],
            "notes": notes,
        }
        out.summarised(summary)
    return summary


def _fit(data: Dataset, setup: Setup) -> Coverage:
    """Whether the questions are about this graph. Raises SettingsError when none is."""
    covered = coverage(data.examples, setup.kg)
    if covered.checked and not covered.known:
        raise SettingsError(
            f"None of the {covered.checked:,} topic entities looked up is in the graph "
            f"“{setup.kg.name}”: {data.name} is about {FORMATS[data.format].graph}. "
            "Choose the graph that belongs to it with --graph."
        )
    return covered


@dataclass(frozen=True)
class _Crew:
    """Workers, and how to hand one a question: (task, its anchors, whether to keep the trace).

    `room` is how many questions may be out: for processes twice their number, so that none
    waits for the next. `first` asks the first question before the processes do: what a method
    builds when it is first used is built once, not by all of them at once. `ready`
    has them start and read their modules meanwhile.
    """

    pool: Executor
    room: int
    ask: Callable[[Task, Anchors, bool], Result]
    first: Callable[[Task, Anchors, bool], Result] | None = None
    ready: Callable[[], None] = lambda: None

    def hand(self, task: Task, anchors: Anchors, keep: bool) -> Future[Result]:
        return self.pool.submit(self.ask, task, anchors, keep)


@contextmanager
def _crew(
    setup: Setup, workers: int, stop: StopToken, processes: Processes | None
) -> Iterator[_Crew]:
    if processes is None:
        with ThreadPoolExecutor(workers, thread_name_prefix="kgqa-bench") as threads:
            yield _Crew(threads, workers, partial(_ask, setup, stop))
        return
    yield _Crew(
        processes.pool,
        2 * processes.count,
        partial(_ask_here, setup.method.name),
        partial(_ask, setup, stop),
        processes.start,
    )


class Processes:
    """Worker processes. They serve all methods of a plan, one after the other: to start and to
    read all modules takes each some seconds.

    `reopen` opens the setup of a method, given its name; it must survive pickling.
    """

    def __init__(self, count: int, reopen: Callable[[str], Setup]) -> None:
        self.count = count
        spawn = multiprocessing.get_context("spawn")  # a fork would inherit the encoder's threads
        self.pool = ProcessPoolExecutor(count, spawn, _begin, (reopen,))
        self._started = False

    def start(self) -> None:
        """Returns at once; they start meanwhile."""
        if not self._started:
            self._started = True
            for _ in range(self.count):
                self.pool.submit(os.getpid)  # each starts a process

    def __enter__(self) -> Processes:
        return self

    def __exit__(self, *_: object) -> None:
        self.pool.shutdown(cancel_futures=True)


_reopen: Callable[[str], Setup] | None = None  # of a worker process
_open: dict[str, Setup] = {}  # the method it was asked for last


def _begin(reopen: Callable[[str], Setup]) -> None:
    """A worker process begins. It ends with its parent, even one that is killed."""
    global _reopen
    parent = multiprocessing.parent_process()
    assert parent is not None

    def leave() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=leave, daemon=True).start()
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # the parent decides
    os.environ.setdefault("OMP_NUM_THREADS", "1")  # a core each
    _reopen = reopen


def _ask_here(method: str, task: Task, anchors: Anchors, keep: bool) -> Result:
    """A method's first question opens its setup: what is built at first use is there by then."""
    assert _reopen is not None
    if method not in _open:
        _open.clear()
        _open[method] = _reopen(method)
    return _ask(_open[method], StopToken(), task, anchors, keep)


def _ask(setup: Setup, stop: StopToken, task: Task, anchors: Anchors, keep: bool) -> Result:
    """A question asked and scored; no row for one that was stopped half-way."""
    position, example, repeat = task
    kg, solve = setup.kg, setup.solve
    try:
        if example.facts:
            kg = overlay(from_rows(example.facts, setup.kg), setup.kg)
    except Exception as error:
        solve = _raising(error)  # inside `run`, which makes it this question's result
    kind = partial(AnchoredToolkit, anchors=anchors) if anchors else Toolkit
    tools = replace(setup, kg=kg).toolkit(kind, stop=stop)
    records = list(run(example.asked, solve, tools, setup.params))
    if status_of(records) == "cancelled":
        return None, []
    return as_row(position, example, repeat, records), records if keep else []


def _raising(error: Exception) -> Solve:
    def solve(*_: object) -> Steps[Answer]:
        raise error
        yield

    return solve


class _Session:
    """One sitting of a benchmark."""

    def __init__(
        self,
        anchors: dict[str, Anchors],
        out: Results,
        cap: Cap,
        spent: Cost,
        traces: bool,
        stop: StopToken,
    ) -> None:
        self.anchors, self.out, self.cap, self.spent = anchors, out, cap, spent
        self.traces, self.stop = traces, stop
        self.started = time.monotonic()
        self.asked = 0
        self.gone = 0  # questions in a row whose model or graph did not answer
        self.complaint = ""
        self.verdicts = Counter(row.verdict for row in out.rows.values())
        self.total = sum((row.cost for row in out.rows.values()), Cost())

    def work(
        self, tasks: Iterator[Task], crew: _Crew, on_progress: Callable[[Progress], None]
    ) -> str:
        """Asks until the tasks or the reasons to go on are used up; says which it was."""
        patience = max(5, 2 * crew.room)
        running: set[Future[Result]] = set()
        why = ""
        on_progress(self.progress())
        if crew.first is not None and not self._why_stop(patience):
            for task in islice(tasks, 1):
                crew.ready()
                self._keep(*crew.first(task, self.anchors.get(task[1].id, []), self.traces))
        try:
            while True:
                why = why or self._why_stop(patience)
                if why:
                    running = {future for future in running if not future.cancel()}
                for task in islice(tasks, 0 if why else crew.room - len(running)):
                    given = self.anchors.get(task[1].id, [])
                    running.add(crew.hand(task, given, self.traces))
                if not running:
                    return why
                done, running = wait(running, return_when=FIRST_COMPLETED)
                for future in done:
                    self._keep(*future.result())
                on_progress(self.progress())
        except BrokenProcessPool as error:
            raise KGQAError(
                "A worker process died, perhaps for lack of memory. Start the same command again "
                "to go on, with fewer --workers."
            ) from error
        finally:
            for future in running:
                future.cancel()
            if running:
                self.stop.press()

    def progress(self) -> Progress:
        return Progress(
            done=len(self.out.rows),
            planned=self.out.config.questions * self.out.config.repeat,
            right=self.verdicts["right"],
            abstained=self.verdicts["abstained"],
            failed=self.verdicts["failed"],
            cost=self.total,
            asked=self.asked,
            seconds=time.monotonic() - self.started,
        )

    def _keep(self, row: Row | None, records: list[Record]) -> None:
        if row is None:
            return
        if (before := self.out.rows.get(row.key)) is not None:
            self.verdicts[before.verdict] -= 1
        self.out.add(row, records)
        self.asked += 1
        self.verdicts[row.verdict] += 1
        self.total = self.total + row.cost
        self.gone = self.gone + 1 if row.source_failed else 0
        self.complaint = row.message

    def _why_stop(self, patience: int) -> str:
        cap, total = self.cap, self.total + self.spent
        tokens = total.prompt_tokens + total.completion_tokens
        if self.stop.pressed:
            return "Stopped by the user."
        if self.gone >= patience:
            return f"{self.gone} questions in a row failed at their source: {self.complaint}"
        if total.llm_calls >= cap.calls:
            return f"The budget of {counted(round(cap.calls), 'model call')} is used up."
        if tokens >= cap.tokens:
            return f"The budget of {cap.tokens:,.0f} tokens is used up."
        if time.monotonic() - self.started + self.spent.seconds >= cap.seconds:
            return f"The budget of {cap.seconds:,.0f} seconds is used up."
        return ""


def as_row(position: int, example: Example, repeat: int, records: Sequence[Record]) -> Row:
    """A run, scored against the gold."""
    last = records[-1].event
    failed = isinstance(last, events.Failed)
    answer = Answer() if failed else answer_of(records)
    happened = [record.event for record in records]
    scores = (
        metrics.failed(example)
        if failed
        else metrics.score(example, answer, audit_of(records), happened)
    )
    verdict = metrics.verdict(None if failed else scores, answer.grounding)
    return Row(
        id=example.id,
        position=position,
        repeat=repeat,
        question=example.question,
        classes=example.classes,
        trivial=example.trivial or not any(example.gold.values()),
        status=status_of(list(records)),
        verdict=verdict,
        grounding=answer.grounding,
        certainty="" if failed else certainty(answer),
        text=answer.text,
        values=tuple(term(v) for v in answer.values),
        gold=gold_of(example),
        scores={name: round(value, 4) for name, value in scores.values().items()},
        by_gold={name: round(value, 4) for name, value in scores.by_gold.items()},
        cause="" if verdict == "right" else cause(example, answer, records),
        error=last.error if isinstance(last, events.Failed) else "",
        message=last.message if isinstance(last, events.Failed) else answer.reason,
        cost=total_cost(records),
    )


_CAUSES = {
    "BudgetExceeded": "budget",
    "ReplyError": "format",
    "SourceUnavailable": "source error",
    "SourceRejected": "source error",
}


def cause(example: Example, answer: Answer, records: Sequence[Record]) -> str:
    """Why a question was not answered right, as far as its trace shows.

    `budget`, `format`, `source error`, `defect` (any other error); `linking`: no topic entity
    was anchored; `ungrounded`: the answer came from the model alone; `reading`: a gold answer
    was retrieved, but not given; `relation choice`: none was ever retrieved.
    """
    last = records[-1].event
    if isinstance(last, events.Failed):
        return _CAUSES.get(last.error, "defect")
    anchored = [r.event.entity for r in records if isinstance(r.event, events.Anchored)]
    links = any(isinstance(r.event, events.Linked) for r in records)
    topics = [Item.of((t,), (t, label)) for t, label in example.topic.items()]
    if links and topics and not any(_among(e, topics) for e in anchored):
        return "linking"
    if answer.grounding == "ungrounded":
        return "ungrounded"
    gold = [of_gold(g) for answers in example.gold.values() for g in answers]
    seen = {
        end
        for r in records
        if isinstance(r.event, events.Expanded)
        for s in r.event.statements
        for end in (s.subject, s.object)
    }
    return "reading" if any(_among(end, gold) for end in seen) else "relation choice"


def _among(value: Any, items: Sequence[Item]) -> bool:
    ours = of_value(value)
    return any(same(ours, item) for item in items)


def _tasks(data: Dataset, repeat: int, out: Results) -> Iterator[Task]:
    """What has no result yet, and what failed because its graph or model was away."""
    for again in range(repeat):
        for position, example in enumerate(data.examples):
            before = out.rows.get((example.id, again))
            if before is None or before.source_failed:
                yield position, example, again


def _config(data: Dataset, setup: Setup, options: Options) -> Config:
    info = setup.kg.info()
    return Config(
        dataset=data.name,
        format=data.format,
        questions=len(data.examples),
        method=setup.method.name,
        params=setup.params.model_dump(mode="json"),
        graph=info.name,
        graph_fingerprint=info.fingerprint,
        model=setup.llm.name,
        run_budget=asdict(setup.budget),
        audit=setup.audit,
        version=__version__,
        python=platform.python_version(),
        started_at=datetime.now(UTC).isoformat(timespec="seconds"),
        **asdict(options),
    )
