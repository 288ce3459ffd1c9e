"""Several methods over one question set: the plan, and the job that carries it out.

The shell and the page both run plans. On the page a job goes on in the background, whoever looks;
its plan lies beside its results, so that it can go on after the app was closed.
"""

from __future__ import annotations

import math
import os
import re
import secrets
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import nullcontext
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from kgqa_core.ask.audit import Auditing
from kgqa_core.ask.events import Cost
from kgqa_core.ask.run import StopToken
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError, SettingsError, misfit
from kgqa_core.evaluation import datasets, results
from kgqa_core.evaluation.benchmark import (
    Cap,
    Options,
    Processes,
    Progress,
    run_benchmark,
)
from kgqa_core.evaluation.datasets import Dataset
from kgqa_core.evaluation.regold import renewed
from kgqa_core.methods import METHODS
from kgqa_core.opening import Sources, open_auditor, open_setup, open_sources
from kgqa_core.settings import Settings

MANY = 100  # questions that make it worth to start processes for a reader that computes
_PLAN = "plan.json"


class Plan(BaseModel):
    """What is measured: methods (with the parameters that are not their defaults) on questions.

    `calls`, `tokens` and `seconds` are what all of it may use together. `workers` 0: as many as
    fit the machine and the model. `regold`: the gold queries are run on the graph in use, and what
    they give there is the gold. `encoder`: another one than the settings name.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")
    title: str = ""
    dataset: Path
    format: str
    methods: dict[str, dict[str, Any]]
    graph: str
    llm: str = "offline"
    limit: int | None = None
    sample: int | None = None
    where: dict[str, str] = {}
    seed: int = 0
    repeat: int = 1
    gold_entities: bool = False
    workers: int = 0
    calls: float | None = None
    tokens: float | None = None
    seconds: float | None = None
    traces: bool = True
    audit: Auditing = "off"
    regold: bool = False
    encoder: str = ""

    @property
    def cap(self) -> Cap:
        given = (self.calls, self.tokens, self.seconds)
        return Cap(*(math.inf if limit is None else limit for limit in given))

    def folder(self, method: str, out: Path) -> Path:
        """Where a method's results go: `out` itself, or its own folder there beside others'."""
        return out / method if len(self.methods) > 1 else out

    def load(self) -> Dataset:
        """Raises DatasetError as `datasets.load` does."""
        return datasets.load(
            self.dataset,
            self.format,
            limit=self.limit,
            sample=self.sample,
            seed=self.seed,
            where=self.where,
        )


Opener = Callable[[str], Setup]  # a method's name: all it needs, opened


def run_plan(
    plan: Plan,
    out: Path,
    open_setup: Opener,
    settings: Settings,
    *,
    reopen: Opener | None = None,
    resume: bool = True,
    on_progress: Callable[[str, Progress], None] = lambda method, progress: None,
    on_note: Callable[[str], None] = lambda note: None,
    stop: StopToken | None = None,
) -> dict[str, dict[str, Any]]:
    """The summary of each method, one method after the other. They share the plan's cap.

    `reopen` is for worker processes, so it must survive pickling; without, workers are threads.
    A method whose model or graph is gone does not keep the next from being measured.
    """
    data, asked = plan.load(), dict[str, Dataset]()
    stop = stop or StopToken()
    offline = plan.llm == "offline"
    shots = 0 if offline else settings.own_examples  # the reader takes none
    options = Options(
        title=plan.title,
        dataset_sha256=datasets.fingerprint(plan.dataset),
        limit=plan.limit,
        sample=plan.sample,
        where=plan.where,
        seed=plan.seed,
        repeat=plan.repeat,
        gold_entities=plan.gold_entities,
        environment={
            "encoder": settings.encoder,
            "temperature": str(settings.temperature),
            **({"scripts": "carried out over Bolt"} if settings.bolt_url else {}),
            **({"own examples": str(shots)} if shots else {}),
            **({"gold": "queried anew on the graph"} if plan.regold else {}),
        },
    )
    most = min(settings.workers, os.cpu_count() or 1) if offline else settings.workers
    workers = plan.workers or most
    computes = offline and workers > 1 and len(data.examples) * plan.repeat >= MANY
    began = time.monotonic()
    spent, found = Cost(), {}
    with (
        Processes(workers, partial(_audited, reopen, plan.audit))
        if reopen is not None and computes
        else nullcontext()
    ) as processes:
        for method in plan.methods:
            if stop.pressed:
                break
            setup = replace(open_setup(method), auditor=open_auditor(plan.audit))
            if plan.regold:
                graph = setup.kg.info().fingerprint
                if graph not in asked:
                    on_note("The gold queries are run on the graph …")
                    asked[graph] = renewed(data, setup.kg)
            summary = run_benchmark(
                asked[graph] if plan.regold else data,
                setup,
                plan.folder(method, out),
                options,
                workers=workers,
                cap=plan.cap,
                spent=spent.model_copy(update={"seconds": time.monotonic() - began}),
                resume=resume,
                traces=plan.traces,
                on_progress=partial(on_progress, method),
                on_note=on_note,
                stop=stop,
                processes=processes,
            )
            found[method] = summary
            used = {name: summary["cost"][name] for name in Cost.model_fields}
            spent = spent + Cost.model_validate(used)
    return found


def _audited(reopen: Opener, audit: Auditing, method: str) -> Setup:
    return replace(reopen(method), auditor=open_auditor(audit))


def opened(
    params: Mapping[str, Mapping[str, Any]],
    graph: str,
    llm: str,
    settings: Settings,
    method: str,
    *,
    files: Sequence[str] = (),
) -> Setup:
    """All a method needs, opened by names: what a worker process calls.

    `files` are those that methods were read from.

    Raises SettingsError for a parameter that does not fit.
    """
    for name in files:
        if name not in METHODS.files:
            METHODS.read(name)
    values = params_of(method, params[method])
    # an index is opened for each method: another one may have built it since
    sources = _sources(graph, llm, settings)
    return open_setup(METHODS[method], values, graph, llm, settings, sources=sources)


@lru_cache(maxsize=1)
def _sources(graph: str, llm: str, settings: Settings) -> Sources:
    """What methods share."""
    return open_sources(graph, llm, settings)


def params_of(method: str, values: Mapping[str, Any]) -> BaseModel:
    """A method's parameters. Raises SettingsError for one that does not fit."""
    try:
        return METHODS[method].params.model_validate(dict(values))
    except ValidationError as error:
        title = METHODS[method].title
        raise SettingsError(f"The parameters of {title} do not fit: {misfit(error)}.") from error


# -- in the background ---------------------------------------------------------------------


def folder_of(data_dir: Path) -> Path:
    """Where the page's benchmarks go."""
    return data_dir / "benchmarks" / "results"


def new_folder(data_dir: Path, title: str) -> Path:
    name = re.sub(r"[^a-z0-9]+", "-", title.casefold()).strip("-")[:40] or "benchmark"
    now = datetime.now(UTC).strftime("%Y%m%d-%H%M%S")
    return folder_of(data_dir) / f"{now}-{name}-{secrets.token_hex(2)}"


def stored_plan(out: Path) -> Plan | None:
    """The plan of a folder that the page made; None for any other."""
    path = out / _PLAN
    try:
        return Plan.model_validate_json(path.read_bytes())
    except FileNotFoundError:
        return None
    except (OSError, ValidationError) as error:
        raise SettingsError(f"{path} is damaged or of another version. Delete it.") from error


def unfinished(data_dir: Path) -> Iterator[tuple[Path, Plan]]:
    """Benchmarks of the page that were stopped or killed, newest first."""
    home = folder_of(data_dir)
    folders = sorted(home.iterdir(), reverse=True) if home.is_dir() else []
    for out in folders:
        try:
            plan = stored_plan(out)
        except SettingsError:
            continue
        if plan is not None and not all(_complete(plan.folder(m, out)) for m in plan.methods):
            yield out, plan


def _complete(folder: Path) -> bool:
    summary = results.stored_summary(folder)
    return summary is not None and bool(summary["complete"])


class Job:
    """A plan being carried out in the background."""

    def __init__(self, plan: Plan, out: Path, open_setup: Opener, settings: Settings) -> None:
        self.plan = plan
        self.out = out
        self.method = next(iter(plan.methods))
        self.progress: Progress | None = None
        self.done: dict[str, dict[str, Any]] = {}
        self.notes: list[str] = []
        self.error = ""
        self._stop = StopToken()
        try:
            out.mkdir(parents=True, exist_ok=True)
            (out / _PLAN).write_text(plan.model_dump_json(indent=1), encoding="utf-8")
        except OSError as error:
            raise SettingsError(f"Results cannot be written to {out}: {error}.") from error
        params = {name: dict(values) for name, values in plan.methods.items()}
        reopen = partial(opened, params, plan.graph, plan.llm, settings, files=METHODS.files)
        self._thread = threading.Thread(
            target=self._run, args=(open_setup, settings, reopen), name="kgqa-job", daemon=True
        )
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    @property
    def stopped(self) -> str:
        """Why it ended before its end; empty while it goes on and when it is through."""
        reasons = [summary["stopped"] for summary in self.done.values() if summary["stopped"]]
        return "" if self.running else self.error or (reasons[0] if reasons else "")

    @property
    def stopping(self) -> bool:
        return self.running and self._stop.pressed

    def stop(self) -> None:
        """Ends it after the questions that are out; what it has is kept."""
        self._stop.press()

    def wait(self, timeout_s: float | None = None) -> bool:
        self._thread.join(timeout_s)
        return not self.running

    def _run(self, open_setup: Opener, settings: Settings, reopen: Opener) -> None:
        try:
            self.done = run_plan(
                self.plan,
                self.out,
                open_setup,
                settings,
                reopen=reopen,
                on_progress=self._tell,
                on_note=self.notes.append,
                stop=self._stop,
            )
        except KGQAError as error:
            self.error = str(error)
        except Exception as error:  # it must not look as if it still went on
            self.error = f"The benchmark broke off ({type(error).__name__}: {error})."

    def _tell(self, method: str, progress: Progress) -> None:
        self.method, self.progress = method, progress
