"""`bench`: methods over a question set, from the shell; `compare`: stored results side by side.

Exit code 0: all questions were asked; 1: it stopped before, and says why; 2: bad usage; 130: it
was stopped by hand.
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kgqa_core.ask.run import StopToken
from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets import FORMATS, parse_where
from kgqa_core.evaluation.metrics import HEADLINE, METRICS
from kgqa_core.evaluation.recipes import RECIPES
from kgqa_core.methods import METHODS
from kgqa_core.methods.others import is_file
from kgqa_core.opening import find_method
from kgqa_core.settings import load_settings
from kgqa_core.shell import options
from kgqa_core.text import counted

if TYPE_CHECKING:
    from kgqa_core.ask.setup import Setup
    from kgqa_core.evaluation.benchmark import Progress
    from kgqa_core.evaluation.report import Bench

_EVERY_S = 10.0  # a line of progress where stderr is no terminal
_SHOWN = 12  # classes in the table


def register(commands: Any) -> None:
    """Adds both commands to the shell's."""
    bench = commands.add_parser(
        "bench",
        help="score methods on a question set",
        description="Asks methods every question of a file and scores the answers. The folder "
        "holds config.json, results.jsonl and summary.json, for several methods (--method a,b) in "
        "a folder each; a benchmark that was stopped goes on when it is started again.",
    )
    bench.add_argument("--dataset", metavar="FILE", help="the questions, or a name of `datasets`")
    bench.add_argument(
        "--recipe",
        metavar="NAME",
        help=f"instead, all lines of a paper's table, as published: {', '.join(RECIPES)}",
    )
    bench.add_argument(
        "--data", type=Path, metavar="DIR", help="where a recipe looks for question sets first"
    )
    bench.add_argument(
        "--yes", action="store_true", help="a recipe: spend what it costs without asking"
    )
    bench.add_argument(
        "--regold",
        action="store_true",
        help="run the gold SPARQL on the graph in use: what it gives there is right",
    )
    bench.add_argument("--format", metavar="NAME", help=", ".join(FORMATS))
    bench.add_argument("--title", metavar="TEXT", help="what to call the question set in tables")
    bench.add_argument("--out", type=Path, metavar="DIR", help="where results go")
    options.add_run_options(bench)
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
    bench.add_argument(
        "--audit",
        choices=("off", "reader", "model"),
        default="off",
        help="check every answer claim by claim, by the built-in reader or by the model",
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

    compare = commands.add_parser(
        "compare",
        help="set stored benchmarks side by side",
        description="Reads folders made by `bench`: a table of methods and question sets with "
        "95 % intervals, and a paired test for every two methods.",
    )
    compare.add_argument("folders", nargs="+", type=Path, metavar="DIR")
    compare.add_argument("--metric", default=HEADLINE, metavar="NAME", help=", ".join(METRICS))
    form = compare.add_mutually_exclusive_group()
    for name in ("json", "csv", "latex", "markdown"):
        form.add_argument(
            f"--{name}", dest="form", action="store_const", const=name, help=f"print {name}"
        )
    compare.set_defaults(command=_compare, form="")


def _bench(args: argparse.Namespace) -> int:
    from kgqa_core.evaluation.jobs import Plan, run_plan

    if args.recipe:
        from kgqa_core.shell import recipe

        return recipe.run(args)
    if not args.dataset:
        raise SettingsError(
            "Say which questions: --dataset FILE, or --recipe NAME for the table of a paper."
        )
    methods = _named(args)
    params = _params(methods, args.param)
    path, form, title, about = _question_set(args)
    args.graph = args.graph or about or load_settings().graph
    plan = Plan(
        title=title,
        dataset=path,
        format=form,
        methods={name: {} for name in methods},  # open_setup has their parameters
        graph=args.graph,
        llm=args.llm,
        limit=args.limit,
        sample=args.sample,
        where=parse_where(args.where),
        seed=args.seed,
        repeat=args.repeat,
        gold_entities=args.gold_entities,
        workers=args.workers or 0,
        traces=args.traces,
        audit=args.audit,
        regold=args.regold,
        **parse_cap(args.budget),
    )
    stem = path.name.partition(".")[0]
    out = args.out or Path(f"bench-{stem}-{'-'.join(methods)}")
    screen, stop = Screen(), StopToken()
    opener = partial(open_setup, args, params)
    with gently(stop):
        summaries = run_plan(
            plan,
            out,
            opener,
            options.settings_of(args),
            reopen=opener,
            resume=args.resume,
            on_progress=screen.progress,
            on_note=screen.note,
            stop=stop,
        )
    screen.end()
    _print(args, summaries, out)
    print(f"Results: {out}", file=sys.stderr)
    for summary in summaries.values():
        if summary["stopped"]:
            left = counted(summary["planned"] - summary["runs"], "question")
            print(
                f"kgqa: {summary['stopped']} {left} left; start the same command again to go on.",
                file=sys.stderr,
            )
    if stop.pressed:
        return 130
    return int(any(summary["stopped"] for summary in summaries.values()))


def _print(args: argparse.Namespace, summaries: dict[str, dict[str, Any]], out: Path) -> None:
    from kgqa_core.evaluation import exports, report

    if len(summaries) == 1:
        (summary,) = summaries.values()
        print(json.dumps(summary, ensure_ascii=False, indent=2) if args.json else table(summary))
        return
    found = report.read([out])
    if args.json:
        both = {"benchmarks": summaries, "comparison": exports.document(found)}
        print(json.dumps(both, ensure_ascii=False, indent=2))
        return
    for name, summary in summaries.items():
        print(f"{name}\n{table(summary)}\n")
    print(comparison(found, HEADLINE))


@contextmanager
def gently(stop: StopToken) -> Iterator[None]:
    """The first Ctrl-C ends the benchmark with a summary, the second one at once."""

    def press(number: int, frame: object) -> None:
        if stop.pressed:
            raise KeyboardInterrupt
        print("\nStopping after the questions that are out …", file=sys.stderr)
        stop.press()

    before = [(number, signal.signal(number, press)) for number in (signal.SIGINT, signal.SIGTERM)]
    try:
        yield
    finally:
        for number, handler in before:
            signal.signal(number, handler)


def _question_set(args: argparse.Namespace) -> tuple[Path, str, str, str]:
    """File, format, title and graph of `--dataset`: a file, or a set that is at hand."""
    from kgqa_core.evaluation import sets

    path = Path(args.dataset)
    if not path.exists() and not args.format:
        found = sets.get(args.dataset, load_settings().data_dir)
        if found is not None:
            return found.path, found.format, found.title, found.graph
        raise SettingsError(
            f"There is neither a file nor a question set “{args.dataset}”. `python -m kgqa_core "
            "datasets` lists the sets; a file needs --format."
        )
    if not args.format:
        raise SettingsError(f"Say what {path.name} is: --format with one of {', '.join(FORMATS)}.")
    return path, args.format, args.title or "", ""


def _params(methods: list[str], pairs: list[str]) -> dict[str, list[str]]:
    """Which `--param` belongs to which method: all to a single one, else to those that have it."""
    if len(set(methods)) < len(methods) or not methods:
        raise SettingsError("--method: name each method once, with commas between them.")
    known = {name: find_method(name).params.model_fields for name in methods}
    if len(methods) == 1:
        return {methods[0]: pairs}
    for pair in pairs:
        if not any(pair.partition("=")[0] in fields for fields in known.values()):
            raise SettingsError(f"None of these methods has the parameter “{pair}”.")
    return {
        name: [pair for pair in pairs if pair.partition("=")[0] in fields]
        for name, fields in known.items()
    }


def _named(args: argparse.Namespace) -> list[str]:
    """The names of --method, files read: a worker process has not seen them."""
    given = [name.strip() for name in args.method.split(",") if name.strip()]
    return [METHODS.read(name).name if is_file(name) else name for name in given]


def open_setup(args: argparse.Namespace, params: dict[str, list[str]], method: str) -> Setup:
    """What is tested, by the flags that `ask` has too; each worker process calls it."""
    _named(args)
    named = argparse.Namespace(**(vars(args) | {"method": method, "param": params[method]}))
    return options.opened(named)


def parse_cap(text: str) -> dict[str, float]:
    """`calls=1000,seconds=600`: what the benchmark may use."""
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
    return limits


def _compare(args: argparse.Namespace) -> int:
    from kgqa_core.evaluation import exports, report

    if args.metric not in METRICS:
        raise SettingsError(
            f"There is no metric “{args.metric}”. Choose one of: {', '.join(METRICS)}."
        )
    found = report.read(args.folders)
    if not any(bench.scores(args.metric) for bench in found):
        raise SettingsError(f"None of these benchmarks was measured by {args.metric}.")
    match args.form:
        case "json":
            print(json.dumps(exports.document(found, args.metric), ensure_ascii=False, indent=2))
        case "csv":
            print(exports.as_csv(found, args.metric), end="")
        case "latex":
            print(exports.as_latex(found, args.metric), end="")
        case "markdown":
            print(exports.as_markdown(found, args.metric), end="")
        case _:
            print(comparison(found, args.metric))
    return 0


def comparison(benches: Sequence[Bench], metric: str) -> str:
    """Every question set with its methods, best first, and the tests between every two."""
    from kgqa_core.evaluation import report

    found, lines = report.table(benches, metric), [f"{metric}, 95 % intervals"]
    tests = report.pairs(benches, metric)
    for column in found.columns:
        lines.append(column)
        for row in found.rows:
            if (cell := found.get(row, column)) is not None:
                e = cell.estimate
                mark = "  best" if cell.best else "  † worse than the best" if cell.worse else ""
                left = "" if cell.bench.complete else f"  {len(cell.bench.rows):,} asked so far"
                lines.append(
                    f"  {row:<28}{e.value:.3f}  [{e.low:.3f}, {e.high:.3f}]  n {e.n:,}{mark}{left}"
                )
        for pair in tests:
            if pair.column == column:
                gap = pair.comparison.gap
                lines.append(
                    f"    {pair.ours} − {pair.theirs}: {gap.value:+.3f} "
                    f"[{gap.low:+.3f}, {gap.high:+.3f}], {pair.comparison.test} p = {pair.p:.3g}"
                )
    if any(pair.column for pair in tests):
        lines.append("p-values are Holm-corrected within a question set.")
    return "\n".join(lines)


def table(summary: dict[str, Any]) -> str:
    """The summary for people: every metric with its interval, then the largest classes."""
    lines = [
        f"{counted(summary['n'], 'question')}: {summary['answered']:,} answered, "
        f"{summary['abstained']:,} abstained, {summary['failed']:,} failed"
    ]
    for name, found in summary["metrics"].items():
        low, high = found["interval"]
        mark = "  ←" if name == summary["headline"] else ""
        lines.append(f"  {name:<20}{found['value']:.3f}  [{low:.3f}, {high:.3f}]{mark}")
    if without := summary["without_trivial"]:
        f1 = without["metrics"]["f1"]["value"]
        trivial = counted(summary["trivial"]["n"], "question")
        lines.append(
            f"Without {trivial} that an empty graph answers right: F1 {f1:.3f} on {without['n']:,}"
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


class Screen:
    """Notes and progress on stderr."""

    def __init__(self) -> None:
        self._line = options.ProgressLine()

    def note(self, text: str) -> None:
        print(text, file=sys.stderr)

    def progress(self, method: str, now: Progress) -> None:
        left = "" if now.seconds_left is None else f", {_clock(now.seconds_left)} left"
        tokens = now.cost.prompt_tokens + now.cost.completion_tokens
        self._line.show(
            f"{method}: {now.done:,} of {now.planned:,}: {now.right:,} right, "
            f"{now.abstained:,} abstained, {now.failed:,} failed; {now.rate:.1f}/s{left}; "
            f"{now.cost.llm_calls:,} calls, {tokens:,} tokens"
        )

    def end(self) -> None:
        self._line.end()


def _clock(seconds: float) -> str:
    minutes, seconds = divmod(round(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


def _positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text} is not a number from 1")
    return int(text)
