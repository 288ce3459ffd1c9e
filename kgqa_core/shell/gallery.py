"""`gallery`: runs the recorded examples again and writes those that changed, or records a model."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kgqa_core.ask.events import status_of
from kgqa_core.ask.header import Header
from kgqa_core.ask.outcome import dollars, total_cost
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.history import gallery
from kgqa_core.history.gallery import Example
from kgqa_core.methods import METHODS
from kgqa_core.opening import find_method, open_model, open_setup, open_sources
from kgqa_core.settings import load_settings
from kgqa_core.text import counted

_READER = "offline"


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    parser = commands.add_parser(
        "gallery",
        help="record the examples again, or with a model",
        description="Without --llm: runs the recorded examples again with the built-in reader and "
        "writes those that changed. With a model: records what is not there yet into a folder of "
        "its own, with label, date and cost; the key is in no file.",
    )
    parser.add_argument("--llm", default=_READER, metavar="NAME", help="as for `ask`")
    parser.add_argument("--label", default="", metavar="TEXT", help="what to call the model")
    parser.add_argument(
        "--method", default="", metavar="NAME", help="only these methods, with commas between them"
    )
    parser.add_argument("--anew", action="store_true", help="record also what is there")
    parser.add_argument(
        "--into", type=Path, metavar="DIR", help="where a model's folder goes, if not to the app's"
    )
    parser.set_defaults(command=_gallery)


def _gallery(args: argparse.Namespace) -> int:
    if args.llm != _READER:
        return _with_model(args)
    if args.label or args.into or args.anew:
        raise SettingsError("--label, --into and --anew are for a model: name it with --llm.")
    left: list[Example] = []
    for example, header, records in _runs(_chosen(args.method, model=False), _READER, "", left):
        if (status := status_of(records)) == "failed":
            raise KGQAError(f"{example.method}, “{example.question}”: {records[-1].event.line}")
        changed = gallery.write(example, header, records)
        print(f"{example.id:<60} {status:<10} {'written' if changed else 'as it was'}")
    for path in gallery.strangers():
        path.unlink()
        print(f"{path.stem:<60} removed")
    gallery.forget()
    for example in left:
        print(
            f"{example.id} is left as it was recorded: it searches all facts of “{example.graph}”, "
            f"and their index is not whole. Build it with `kgqa index {example.graph}`.",
            file=sys.stderr,
        )
    return 1 if left else 0


def _with_model(args: argparse.Namespace) -> int:
    """What fails is told and not kept: the next call records it. Exit code 1 for any."""
    label = args.label or open_model(args.llm, load_settings()).name
    folder = (args.into or gallery.FOLDER) / gallery.slug(label)
    chosen = _chosen(args.method, model=True)
    left = [e for e in chosen if args.anew or not gallery.there(e, folder)]
    spent, failed = 0.0, 0
    for example, header, records in _runs(left, args.llm, label):
        status = status_of(records)
        if status == "failed":
            failed += 1
            print(f"{example.id}: {records[-1].event.line}", file=sys.stderr)
            continue
        gallery.write(example, header, records, folder)
        spent += header.dollars or 0.0
        print(f"{example.id:<60} {status:<10} {_cost(header, records)}")
    there = len(chosen) - len(left)
    print(
        f"{counted(len(left) - failed, 'run')} of {label} in {folder}, {there} were there", end=""
    )
    print(f", ${spent:.4f}" if spent else "")
    gallery.forget()
    return 1 if failed else 0


def _chosen(methods: str, *, model: bool) -> list[Example]:
    """The rows of the table for those methods; none named: for all."""
    wanted = {find_method(name.strip()).name for name in methods.split(",") if name.strip()}
    rows = [e for e in gallery.EXAMPLES if model or not e.model_only]
    return [example for example in rows if not wanted or example.method in wanted]


def _runs(
    examples: list[Example], llm: str, label: str, left: list[Example] | None = None
) -> Iterator[tuple[Example, Header, Any]]:
    """Each example, run. Those whose run would tell how much of a graph this machine has indexed
    are not run where they can be `left`.
    """
    settings = load_settings()
    graphs = sorted({example.graph for example in examples})
    sources = {name: open_sources(name, llm, settings) for name in graphs}
    for example in examples:
        method, graph = METHODS[example.method], example.graph
        params = method.params(**example.params)
        setup = open_setup(method, params, graph, llm, settings, sources=sources[graph])
        setup.prepare()
        if left is not None and method.searches == "triples" and not _is_whole(setup):
            left.append(example)
            continue
        price = partial(dollars, settings=settings)
        yield example, *gallery.record(example, setup, label, price)


def _is_whole(setup: Setup) -> bool:
    shelf = setup.index.info().triples if setup.index is not None else None
    return shelf is not None and shelf.state == "ready"


def _cost(header: Header, records: Any) -> str:
    cost = total_cost(records)
    tokens = cost.prompt_tokens + cost.completion_tokens
    said = f"{counted(cost.llm_calls, 'call')}, {tokens:,} tokens"
    return said if header.dollars is None else f"{said}, ${header.dollars:.4f}"
