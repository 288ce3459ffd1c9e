"""`bench`: a method over a question set, from the shell.

Exit code 0: all questions were asked; 1: it stopped before, and says why; 2: bad usage.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
import time
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core import shell
from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets import FORMATS
from kgqa_core.settings import load_settings

if TYPE_CHECKING:
    from kgqa_core.evaluation.benchmark import Cap, Progress, Setup

_EVERY_S = 10.0  # a line of progress where stderr is no terminal
_MANY = 100  # questions that make it worth to start processes for a reader that computes
_SHOWN = 12  # classes in the table


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    bench = commands.add_parser(
        "bench",
        help="score a method on a question set",
        description="Asks a method every question of a file and scores the answers. The folder "
        "holds config.json, results.jsonl and summary.json; a benchmark that was stopped goes on "
        "when it is started again.",
    )
    bench.add_argument("--dataset", required=True, type=Path, metavar="FILE", help="the questions")
    bench.add_argument("--format", required=True, metavar="NAME", help=", ".join(FORMATS))
    bench.add_argument("--out", type=Path, metavar="DIR", help="where results go")
    shell.add_run_options(bench)
    bench.add_argument("--limit", type=_positive, metavar="N", help="the first N questions")
    bench.add_argument("--sample", type=_positive, metavar="N", help="N questions at random")
    bench.add_argument(
        "--where",
        action="append",
        default=[],
        metavar="FIELD=VALUE",
        help="only questions with this id, class, trivial, or field of the file",
    )
    bench.add_argument("--seed", type=int, default=0, help="of the sample and the intervals")
    bench.add_argument(
        "--repeat", type=_positive, default=1, metavar="K", help="ask each question K times"
    )
    bench.add_argument(
        "--gold-entities",
        action="store_true",
        help="give the method the entities the file names, instead of linking",
    )
    bench.add_argument("--workers", type=_positive, metavar="N", help="questions asked at once")
    bench.add_argument(
        "--budget",
        default="",
        metavar="LIMITS",
        help="stop the whole benchmark at calls=N, tokens=N or seconds=N, comma-separated",
    )
    bench.add_argument(
        "--resume",
        action=argparse.BooleanOptionalAction,
        default=True,
        help="go on with the results in --out",
    )
    bench.add_argument("--traces", action="store_true", help="keep every run's events too")
    bench.add_argument("--json", action="store_true", help="print the summary as JSON")
    bench.set_defaults(command=_bench)


def _bench(args: argparse.Namespace) -> int:
    from kgqa_core.evaluation import datasets
    from kgqa_core.evaluation.benchmark import Options, run_benchmark

    cap = parse_cap(args.budget)
    where = parse_where(args.where)
    data = datasets.load(
        args.dataset,
        args.format,
        limit=args.limit,
        sample=args.sample,
        seed=args.seed,
        where=where,
    )
    setup = open_setup(args)
    settings = load_settings()
    options = Options(
        dataset_sha256=datasets.fingerprint(args.dataset),
        limit=args.limit,
        sample=args.sample,
        where=where,
        seed=args.seed,
        repeat=args.repeat,
        gold_entities=args.gold_entities,
        environment={"encoder": settings.encoder, "temperature": str(settings.temperature)},
    )
    out = args.out or Path(f"bench-{args.dataset.name.partition('.')[0]}-{args.method}")
    offline = args.llm == "offline"
    most = min(settings.workers, os.cpu_count() or 1) if offline else settings.workers
    workers = args.workers or most
    computes = offline and workers > 1 and len(data.examples) * args.repeat >= _MANY
    screen = _Screen()
    summary = run_benchmark(
        data,
        setup,
        out,
        options,
        workers=workers,
        cap=cap,
        resume=args.resume,
        traces=args.traces,
        on_progress=screen.progress,
        on_note=screen.note,
        reopen=partial(open_setup, args) if computes else None,
    )
    screen.end()
    if args.json:
        print(json.dumps(summary, ensure_ascii=False, indent=2))
    else:
        print(table(summary))
    print(f"Results: {out}", file=sys.stderr)
    if summary["stopped"]:
        left = summary["planned"] - summary["runs"]
        print(
            f"kgqa: {summary['stopped']} {_questions(left)} left; start the same command again "
            "to go on.",
            file=sys.stderr,
        )
    return 1 if summary["stopped"] else 0


def open_setup(args: argparse.Namespace) -> Setup:
    """What is tested, by the flags that `ask` has too; each worker process calls it."""
    from kgqa_core.evaluation.benchmark import Setup

    opened = shell.opened(args)
    return Setup(opened.method, opened.params, opened.kg, opened.llm, opened.budget, opened.index)


def parse_cap(text: str) -> Cap:
    """`calls=1000,seconds=600` as what the benchmark may use."""
    from kgqa_core.evaluation.benchmark import Cap

    limits: dict[str, float] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.partition("=")
        try:
            limits[name.strip()] = float(value)
        except ValueError:
            limits.clear()
            break
    if text and (not limits or not set(limits) <= {"calls", "tokens", "seconds"}):
        raise SettingsError(f"--budget {text}: write calls=N, tokens=N or seconds=N, with commas.")
    return Cap(**limits)


def parse_where(pairs: list[str]) -> dict[str, str]:
    found = dict(pair.partition("=")[::2] for pair in pairs)
    if "" in found or "" in found.values():
        raise SettingsError(f"--where {' '.join(pairs)}: write FIELD=VALUE, like class=count.")
    return found


def table(summary: dict[str, Any]) -> str:
    """The summary for people: every metric with its interval, then the largest classes."""
    lines = [
        f"{_questions(summary['n'])}: {summary['answered']:,} answered, "
        f"{summary['abstained']:,} abstained, {summary['failed']:,} failed"
    ]
    for name, found in summary["metrics"].items():
        low, high = found["interval"]
        mark = "  ←" if name == summary["headline"] else ""
        lines.append(f"  {name:<20}{found['value']:.3f}  [{low:.3f}, {high:.3f}]{mark}")
    if without := summary["without_trivial"]:
        f1 = without["metrics"]["f1"]["value"]
        lines.append(
            f"Without {_questions(summary['trivial']['n'])} that an empty graph answers right: "
            f"F1 {f1:.3f} on {without['n']:,}"
        )
    for name, found in list(summary["by_class"].items())[:_SHOWN]:
        f1 = found["metrics"]["f1"]["value"]
        lines.append(f"  {name:<32}{found['n']:>6,}  F1 {f1:.3f}")
    each = summary["cost"]["per_question"]
    lines.append(
        f"Each question: {each.get('llm_calls', 0):.1f} model calls, "
        f"{each.get('prompt_tokens', 0) + each.get('completion_tokens', 0):,.0f} tokens, "
        f"{each.get('kg_requests', 0):.1f} graph requests, {each.get('seconds', 0):.2f} s"
    )
    return "\n".join(lines)


class _Screen:
    """Progress on stderr: one line that is written over, or one every ten seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = time.monotonic()

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)

    def progress(self, now: Progress) -> None:
        wait = 0.2 if self._terminal else _EVERY_S
        if time.monotonic() - self._last < wait:
            return
        self._last = time.monotonic()
        left = "" if now.seconds_left is None else f", {_clock(now.seconds_left)} left"
        tokens = now.cost.prompt_tokens + now.cost.completion_tokens
        line = (
            f"{now.done:,} of {now.planned:,}: {now.right:,} right, {now.abstained:,} abstained, "
            f"{now.failed:,} failed; {now.rate:.1f}/s{left}; "
            f"{now.cost.llm_calls:,} calls, {tokens:,} tokens"
        )
        if self._terminal:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr)

    def end(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr)


def _questions(count: int) -> str:
    return f"{count:,} question{'' if count == 1 else 's'}"


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1")
    return int(text)
