"""`bench --recipe NAME`: the table of a paper, measured anew, with ours beside it.

Exit codes are those of `bench`. Started again, it goes on where it was.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from kgqa_core.ask.events import Cost
from kgqa_core.ask.run import StopToken
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.methods import DEFAULT, METHODS, presets
from kgqa_core.opening import open_graph
from kgqa_core.settings import load_settings
from kgqa_core.shell import bench
from kgqa_core.text import counted

if TYPE_CHECKING:
    from kgqa_core.evaluation.catalogue import Download, Entry
    from kgqa_core.evaluation.recipes import Beside, Bill, Task
    from kgqa_core.settings import Settings


def run(args: argparse.Namespace) -> int:
    """What `bench` does when it is given a recipe."""
    from kgqa_core.evaluation import recipes

    _check(args)
    recipe, settings = recipes.find(args.recipe), load_settings()
    settings = settings.model_copy(update={"own_examples": 0})  # no paper had one's own runs
    preset = (args.preset or presets.PUBLISHED).replace("-", " ")
    if preset not in (presets.OURS, presets.PUBLISHED):
        raise SettingsError(f"There is no preset “{preset}”: choose ours or as-published.")
    columns = recipes.columns(recipe, settings.data_dir, args.data, partial(_fetch, settings))
    for column in columns:
        if column.missing:
            _note(column.missing)
    recipes.check(columns)
    choices = recipes.Choices(
        graph=args.graph or "",
        llm=args.llm,
        limit=args.limit,
        sample=args.sample,
        seed=args.seed,
        workers=args.workers or 0,
        traces=args.traces,
        regold=args.regold,
        preset=preset,
    )
    suffix = "" if preset == presets.PUBLISHED else f"-{preset.replace(' ', '-')}"
    out = args.out or Path(f"recipe-{recipe.name}{suffix}")
    pooled = any("linking=pool" in line.params for line in recipes.lines(recipe))
    graph = choices.graph or recipe.graph
    kg = open_graph(graph, settings) if pooled and graph else None
    tasks = recipes.tasks(recipe, columns, choices, kg)
    _agree(recipes.bill(tasks, out), args, settings)
    stopped, refused, pressed = _measure(tasks, out, args, settings)
    rows = recipes.table(recipe, columns, recipes.read(out), preset, refused)
    if args.json:
        print(json.dumps([row.document() for row in rows], ensure_ascii=False, indent=2))
    else:
        print(table(rows))
    print(f"Results: {out}", file=sys.stderr)
    if stopped:
        _note(f"kgqa: {stopped} Start the same command again to go on.")
    elif refused:
        lines = counted(len(refused), "line")
        _note(f"kgqa: {lines} could not be measured, as the table says.")
    return 130 if pressed else int(bool(stopped or refused))


def _check(args: argparse.Namespace) -> None:
    """Raises SettingsError for a flag that a recipe would not heed."""
    given = {
        "--dataset": args.dataset,
        "--format": args.format,
        "--title": args.title,
        "--method": args.method != DEFAULT,
        "--param": args.param,
        "--where": args.where,
        "--passages": args.passages,
        "--repeat": args.repeat > 1,
        "--gold-entities": args.gold_entities,
        "--audit": args.audit != "off",
        "--own-examples": args.own_examples,
    }
    if wrong := [flag for flag, value in given.items() if value]:
        raise SettingsError(
            f"A recipe has its own questions, methods and settings: leave {', '.join(wrong)} out."
        )


def _fetch(settings: Settings, entry: Entry) -> Download:
    from kgqa_core.evaluation import catalogue

    _note(f"Downloading {entry.title} (licence: {entry.licence}) …")
    return catalogue.download(entry, catalogue.folder_of(settings.data_dir))


def _agree(bill: Bill, args: argparse.Namespace, settings: Settings) -> None:
    """Says what it costs. Raises SettingsError unless somebody agrees; the reader costs nothing."""
    if args.llm == "offline" or not bill.questions:
        return
    prompt, reply = bill.tokens
    price = ""
    if settings.price_prompt is not None and settings.price_completion is not None:
        dollars = (prompt * settings.price_prompt + reply * settings.price_completion) / 1e6
        price = f", ${dollars:,.2f}"
    said = (
        f"{counted(bill.questions, 'question')} to ask: about {bill.calls:,} model calls, "
        f"{prompt + reply:,} tokens{price}. It may be twice as much."
    )
    _note(said)
    if args.yes:
        return
    if sys.stdin.isatty():
        print("Go on? [y/N] ", end="", file=sys.stderr, flush=True)
        if sys.stdin.readline().strip().casefold() in ("y", "yes"):
            return
        raise SettingsError("Nothing was asked.")
    raise SettingsError(f"{said} Nothing was asked: add --yes to spend it, or --limit N to try.")


def _measure(
    tasks: Sequence[Task], out: Path, args: argparse.Namespace, settings: Settings
) -> tuple[str, dict[str, str], bool]:
    """Why it stopped, why lines could not be measured (by place), whether it was stopped by hand.

    A line whose encoder, index or graph cannot be had does not keep the next from being measured.
    """
    from kgqa_core.evaluation import jobs

    cap, spent = bench.parse_cap(args.budget), Cost()
    screen, stop, stopped = bench.Screen(), StopToken(), ""
    refused: dict[str, str] = {}
    with bench.gently(stop):
        for task in tasks:
            if stop.pressed:
                break
            given = settings
            if task.plan.encoder:
                given = settings.model_copy(update={"encoder": task.plan.encoder})
            ((method, params),) = task.plan.methods.items()
            opener = partial(
                jobs.opened,
                {method: params},
                task.plan.graph,
                task.plan.llm,
                given,
                files=METHODS.files,
            )
            _note(f"{task.column.dataset}: {task.line.title}")
            plan = task.plan.model_copy(update=_left(cap, spent))
            try:
                (summary,) = jobs.run_plan(
                    plan,
                    out / task.place,
                    opener,
                    given,
                    reopen=opener,
                    resume=args.resume,
                    on_progress=screen.progress,
                    on_note=screen.note,
                    stop=stop,
                ).values()
            except KGQAError as error:
                refused[task.place] = str(error)
                _note(f"{task.line.title} was not measured: {error}")
                continue
            finally:
                screen.end()
            used = {name: summary["cost"][name] for name in Cost.model_fields}
            spent = spent + Cost.model_validate(used)
            stopped = summary["stopped"] or stopped
    return stopped, refused, stop.pressed


def _left(cap: dict[str, float], spent: Cost) -> dict[str, float]:
    """What of the budget the next line may use."""
    used = {
        "calls": spent.llm_calls,
        "tokens": spent.prompt_tokens + spent.completion_tokens,
        "seconds": spent.seconds,
    }
    return {name: max(0.0, most - used[name]) for name, most in cap.items()}


def table(rows: Sequence[Beside]) -> str:
    """The paper's table, a block for each question set and metric: printed, then ours."""
    blocks: dict[str, list[str]] = {}
    for row in rows:
        f = row.figure
        printed = "  –  " if f.value != f.value else f"{f.value:.3f}"
        away = row.why.startswith(f"{f.dataset}: ")  # the whole column; said once, on stderr
        ours = "questions not here" if away else row.why and f"not measured: {row.why}"
        if row.ours is not None:
            e = row.ours
            ours = f"{e.value:.3f}  [{e.low:.3f}, {e.high:.3f}]  n {e.n:,}"
        blocks.setdefault(f"{f.dataset}, {f.metric} ({f.place})", []).append(
            f"  {f.system:<44} {f.model:<16} {printed}  {ours or '–'}"
        )
    return "\n\n".join("\n".join([head, *lines]) for head, lines in blocks.items())


def _note(text: str) -> None:
    print(" ".join(text.split()), file=sys.stderr)
