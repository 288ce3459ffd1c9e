"""`kill -9` at several moments: nothing that was said to be done is lost, nothing is done twice."""

from __future__ import annotations

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from pathlib import Path

from kgqa_core.history.runs import Runs
from kgqa_core.history.store import RunStore
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import part_of
from tests.evaluation.test_benchmark import KILLED as BENCHMARK
from tests.evaluation.test_benchmark import questions, run_benchmark, setup
from tests.faults.cells import Cell
from tests.history.test_runs import KILLED as RUN
from tests.patience import wait_until
from tests.places import ROOT
from tests.search.test_index import check_whole, kill_a_build

_ENVIRONMENT = {**os.environ, "PYTHONPATH": str(ROOT), "KGQA_BUILD_INDEX": "0"}


def cells(folder: Path, *, few: bool = False) -> list[Cell]:
    """`few`: one or two moments of what takes long, for the tests."""
    jobs: list[Callable[[Path], Cell]] = []
    jobs += [partial(_run, records) for records in ((3, 7) if few else range(8))]
    jobs += [partial(_benchmark, moments) for moments in (((1,),) if few else _BYTES)]
    rows = 120_000 if few else 400_000
    jobs += [partial(_load, rows, moments) for moments in ((("a mark",),) if few else _MARKS)]
    jobs += [partial(_index, told) for told in (((500, 2_500),) if few else _TOLD)]
    jobs += [partial(_recipe, moments) for moments in (((1,),) if few else ((0,), (1,), (1, 3)))]
    found = []
    for n, job in enumerate(jobs):
        place = folder / str(n)
        place.mkdir(parents=True)
        began = time.monotonic()
        cell = job(place)
        seconds = time.monotonic() - began
        found.append(Cell(cell.row, cell.column, cell.wrong, "", seconds))
    return found


def killed(command: list[str], when: Callable[[], object], where: Path) -> bool:
    """Starts it and kills it as soon as that has happened; False: it had ended before."""
    with subprocess.Popen(
        command, cwd=where, env=_ENVIRONMENT, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as running:
        wait_until(lambda: running.poll() is not None or when())
        running.send_signal(signal.SIGKILL)
    return running.returncode == -signal.SIGKILL


def _run(records: int, folder: Path) -> Cell:
    """A run of seven records so far: those that were reported are there, and one end."""
    with subprocess.Popen(
        [sys.executable, "-c", RUN, str(folder), str(records)],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
    ) as running:
        assert running.stdout is not None
        run_id = running.stdout.readline().strip()
        running.kill()
    later = Runs(RunStore(folder))
    try:
        found = later.get(run_id)
        told = list(found.records) if found is not None else []
    finally:
        later.close()
    ends = sum(record.event.terminal for record in told)
    wrong = ""
    if len(told) < records + 1 or ends != 1 or not told[-1].event.terminal:
        wrong = f"{len(told)} records with {ends} ends"
    elif [record.seq for record in told] != list(range(len(told))):
        wrong = "records are missing or twice there"
    return Cell("kill, a run", f"after {records} records", wrong)


_BYTES = ((0,), (1,), (3_000,), (1, 3_000, 6_000))  # of results, at each kill


def _benchmark(moments: Iterable[int], folder: Path) -> Cell:
    path = folder / "results.jsonl"
    wrong, kept = "", b""
    for size in moments:
        killed(
            [sys.executable, "-c", BENCHMARK, str(folder)],
            partial(_larger, path, size),
            ROOT,
        )
        now = path.read_bytes() if path.exists() else b""
        if not now.startswith(kept):
            wrong = "lines that were there are gone"
        kept = now[: now.rfind(b"\n") + 1]
    run_benchmark(questions(*["right"] * 200), setup(pause_s=0.05), folder, workers=20)
    if not path.read_bytes().startswith(kept):
        wrong = "lines that were there are gone"
    wrong = wrong or _each_once(path, [f"q{i}" for i in range(200)])
    return Cell("kill, a benchmark", f"at {', '.join(map(str, moments))} bytes", wrong)


def _larger(path: Path, size: int) -> bool:
    return path.exists() and path.stat().st_size >= size


def _each_once(path: Path, expected: list[str]) -> str:
    found = sorted(str(json.loads(line)["id"]) for line in path.read_text().splitlines())
    if found != sorted(expected):
        return f"{len(found)} results of {len(set(found))} questions instead of {len(expected)}"
    return ""


_MARKS = (("the plan",), ("a mark",), ("a mark", "a second mark"), ("the names",))


def _load(rows: int, moments: Iterable[str], folder: Path) -> Cell:
    with (folder / "many.tsv").open("w") as out:
        out.writelines(f"Q{i}\tP{i % 50 + 1}\tQ{i + 1}\n" for i in range(1, rows + 1))
    command = [sys.executable, "-m", "kgqa_core", "load", "many.tsv", "--into", "graph"]
    into = folder / "graph"
    part, wrong = part_of(into), ""
    reached = {
        "the plan": lambda: (part / "plan.json").exists(),
        "a mark": lambda: _loaded(part) > 0,
        "a second mark": lambda: _loaded(part) > 100_000,
        "the names": lambda: any(part.glob("labels*")),
    }
    for moment in moments:
        if killed(command, reached[moment], folder) and into.exists():
            wrong = "a graph is there that is not whole"
    subprocess.run(command, cwd=folder, env=_ENVIRONMENT, capture_output=True, check=False)
    if not into.exists() or part.exists():
        wrong = wrong or "the load did not go on to its end"
    elif (facts := sum(1 for _ in open_folder(into).all_statements())) != rows:
        wrong = wrong or f"{facts:,} facts instead of {rows:,}"
    return Cell("kill, a load", " and ".join(moments), wrong)


def _loaded(part: Path) -> int:
    try:
        return int(json.loads((part / "done.json").read_text())["mark"]["triples"])
    except (OSError, ValueError):
        return 0


# Statements that a build told of before each of its kills.
_TOLD = ((0, 0), (0, 250), (250, 250), (250, 500), (500, 1_500), (1_500, 1_500), (1_500, 3_500))
_TOLD += ((2_500, 4_500), (4_500, 5_500), (5_500, 6_000))


def _index(told: Sequence[int], folder: Path) -> Cell:
    wrong = ""
    any_time = random.Random(repr(told))
    for done in told:  # the second one hits a build that goes on
        kill_a_build(folder, 6_000, done, any_time.uniform(0, 0.4))
    try:
        check_whole(folder, 6_000)
    except AssertionError as error:
        wrong = f"is not whole: {error}"[:200]
    return Cell("kill, an index", f"after {told[0]:,} statements, and {told[1]:,}", wrong)


_ASKED = 12


def _recipe(moments: Iterable[int], folder: Path) -> Cell:
    """Several benchmarks in one: each line of the table holds each question once at the end."""
    (folder / "data").mkdir()
    lines = [
        {
            "id": n,
            "question": "Who directed Inception?",
            "gold": ["Q25191"],
            "topic_entities": {"Q25188": "Inception"},
            "sparql": "SELECT ?x WHERE { wd:Q25188 wdt:P57 ?x }",
        }
        for n in range(_ASKED)
    ]
    text = "".join(json.dumps(line) + "\n" for line in lines)
    (folder / "data" / "qald_10_en_offline.jsonl").write_text(text)
    asked = "bench --recipe kgir-table5 --data data --graph starter --workers 1".split()
    command = [sys.executable, "-m", "kgqa_core", *asked]

    def results() -> list[Path]:
        return sorted(folder.glob("recipe-*/**/results.jsonl"))

    def written(files: int) -> bool:
        return sum(path.stat().st_size > 0 for path in results()) >= files

    wrong, kept = "", dict[Path, bytes]()
    for files in moments:
        killed(command, partial(written, files), folder)
        for path in results():
            now = path.read_bytes()
            if not now.startswith(kept.get(path, b"")):
                wrong = "lines that were there are gone"
            kept[path] = now[: now.rfind(b"\n") + 1]
    done = subprocess.run(command, cwd=folder, env=_ENVIRONMENT, capture_output=True, text=True)
    if done.returncode or not results():
        wrong = wrong or f"does not go on: {done.stderr[-200:]}"
    for path in results():
        if not path.read_bytes().startswith(kept.get(path, b"")):
            wrong = "lines that were there are gone"
        wrong = wrong or _each_once(path, [str(n) for n in range(_ASKED)])
    return Cell("kill, a recipe", f"at {', '.join(map(str, moments))} lines begun", wrong)
