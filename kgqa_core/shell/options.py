"""What the shell's commands share: how a run is described by flags, and how it is opened."""

from __future__ import annotations

import argparse
import json
import math
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from kgqa_core.ask.method import Method
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import SettingsError, misfit
from kgqa_core.history.own_examples import taught
from kgqa_core.kg import kinds
from kgqa_core.llm.kinds import models
from kgqa_core.methods import DEFAULT, METHODS, presets
from kgqa_core.opening import find_method, open_setup
from kgqa_core.settings import Settings, load_settings

if TYPE_CHECKING:
    from kgqa_core.search.index import Progress

_EVERY_S = 10.0  # a line of progress where stderr is no terminal


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """--method, --graph, --llm, --passages, --own-examples, --preset and --param."""
    parser.add_argument(
        "--method",
        default=DEFAULT,
        metavar="NAME",
        help=f"{', '.join(METHODS)}, or FILE.py:NAME for one of your own",
    )
    parser.add_argument(
        "--graph",
        metavar="NAME",
        help=f"{', '.join(kinds.names())}; several with commas between them; without it, "
        "KGQA_GRAPH",
    )
    parser.add_argument("--llm", default="offline", metavar="NAME", help=" or ".join(models()))
    parser.add_argument(
        "--passages",
        action="append",
        default=[],
        metavar="FOLDER",
        help="text and Markdown files for the methods that read passages, instead of the graph's "
        "own; may be repeated",
    )
    parser.add_argument(
        "--own-examples",
        type=int,
        choices=range(6),
        metavar="N",
        help="examples that each step takes from your own runs with a thumb up, of questions like "
        "the one asked, 0 to 5; without it, KGQA_OWN_EXAMPLES",
    )
    parser.add_argument(
        "--preset",
        default="",
        metavar="NAME",
        help="ours, or as-published: the parameters of the method's paper; --param goes before it",
    )
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the method; see `methods`",
    )


def opened(args: argparse.Namespace) -> Setup:
    """What those flags name. Raises SettingsError for a flag that names nothing."""
    method = find_method(args.method)
    params = parse_params(method, args.param, args.preset or presets.OURS)
    passages, settings = text_folders(args.passages), settings_of(args)
    graph = args.graph or settings.graph
    return taught(
        open_setup(method, params, graph, args.llm, settings, passages=passages), settings
    )


def settings_of(args: argparse.Namespace) -> Settings:
    """Those of the environment, with what the flags say otherwise.

    Raises SettingsError for examples that nobody would see.
    """
    settings = load_settings()
    if args.own_examples is None:
        return settings
    if args.own_examples and args.llm == "offline":
        raise SettingsError(
            "The built-in reader takes no examples: leave --own-examples out, or name a model "
            "with --llm."
        )
    return settings.model_copy(update={"own_examples": args.own_examples})


def prepare(setup: Setup) -> None:
    """Indexes what the method searches, with a line of progress, before its clock starts."""
    line = ProgressLine()

    def tell(progress: Progress) -> None:
        from kgqa_core.search.build import told

        line.show(f"Indexing “{setup.kg.name}”, once: {told(progress)}")

    setup.prepare(tell)
    line.end()


class ProgressLine:
    """Progress on stderr: one line that is written over, or one every ten seconds."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = -math.inf

    def show(self, line: str) -> None:
        wait = 0.2 if self._terminal else _EVERY_S
        if time.monotonic() - self._last < wait:
            return
        self._last = time.monotonic()
        if self._terminal:
            print(f"\r\x1b[K{line}", end="", file=sys.stderr, flush=True)
        else:
            print(line, file=sys.stderr)

    def end(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr)


def text_folders(names: Sequence[str]) -> list[Path] | None:
    """None without any: the graph's own texts."""
    folders = [Path(name).expanduser() for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise SettingsError(f"--passages: there is no folder {folder}.")
    return folders or None


def parse_params(method: Method, pairs: Sequence[str], preset: str = presets.OURS) -> BaseModel:
    """`NAME=VALUE` pairs as the method's parameters; a list has commas, a mapping is JSON.

    What is not among them is as the preset has it.
    """
    values: dict[str, Any] = presets.values(method, preset)
    for pair in pairs:
        name, equals, value = pair.partition("=")
        field = method.params.model_fields.get(name)
        if not equals or field is None:
            known = ", ".join(method.params.model_fields)
            raise SettingsError(
                f"“{pair}” is not a parameter of {method.name}: write NAME=VALUE, with one of "
                f"{known}."
            )
        match field.get_default(call_default_factory=True):
            case list():
                values[name] = [v for v in value.split(",") if v]
            case dict():
                values[name] = _mapping(name, value)
            case _:
                values[name] = value
    try:
        return method.params(**values)
    except ValidationError as error:
        raise SettingsError(
            f"The parameters of {method.name} do not fit: {misfit(error)}."
        ) from error


def _mapping(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise SettingsError(f'Parameter {name}: write it as JSON, such as {{"0": …}}.') from None
