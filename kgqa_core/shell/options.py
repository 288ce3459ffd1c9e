"""What the shell's commands share: how a run is described by flags, and how it is opened."""

from __future__ import annotations

import argparse
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from kgqa_core.ask.llm import LLM
from kgqa_core.ask.run import Budget
from kgqa_core.errors import SettingsError
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.methods import METHODS, Method
from kgqa_core.methods.pgakv.cypher.bolt import Scratch
from kgqa_core.settings import Settings, load_settings
from kgqa_core.sources import open_graph, open_index, open_model

if TYPE_CHECKING:
    from kgqa_core.search.index import Index


@dataclass(frozen=True)
class Opened:
    """A method, ready to be asked."""

    method: Method
    params: BaseModel
    kg: KnowledgeGraph
    llm: LLM
    budget: Budget
    index: Index
    scratch: Scratch | None


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """--method, --graph, --llm, --passages and --param."""
    parser.add_argument("--method", default="react", metavar="NAME", help=", ".join(METHODS))
    parser.add_argument("--graph", default="starter", metavar="NAME", help="starter")
    parser.add_argument("--llm", default="offline", metavar="NAME", help="offline or openai")
    parser.add_argument(
        "--passages",
        action="append",
        default=[],
        metavar="FOLDER",
        help="text and Markdown files for the methods that read passages, instead of the graph's "
        "own; may be repeated",
    )
    parser.add_argument(
        "--param",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter of the method; see `methods`",
    )


def opened(args: argparse.Namespace) -> Opened:
    """What those flags name. Raises SettingsError for a flag that names nothing."""
    settings = load_settings()
    method = find_method(args.method)
    params = parse_params(method, args.param)
    encoder = _encoder(settings)
    llm = open_model(args.llm, settings, encoder)
    kg = open_graph(args.graph, settings)
    index = open_index(kg, encoder, settings, args.graph, text_folders(args.passages))
    budget = Budget(settings.max_llm_calls, settings.max_tokens, settings.max_seconds)
    return Opened(method, params, kg, llm, budget, index, Scratch.from_settings(settings))


def find_method(name: str) -> Method:
    if name not in METHODS:
        raise SettingsError(f"There is no method “{name}”. Choose one of: {', '.join(METHODS)}.")
    return METHODS[name]


def text_folders(names: Sequence[str]) -> list[Path] | None:
    """None without any: the graph's own texts."""
    folders = [Path(name).expanduser() for name in names]
    for folder in folders:
        if not folder.is_dir():
            raise SettingsError(f"--passages: there is no folder {folder}.")
    return folders or None


def parse_params(method: Method, pairs: Sequence[str]) -> BaseModel:
    """`NAME=VALUE` pairs as the method's parameters; a list has commas, a mapping is JSON."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        field = method.params.model_fields.get(name)
        if not equals or field is None:
            known = ", ".join(method.params.model_fields)
            raise SettingsError(
                f"“{pair}” is no parameter of {method.name}: write NAME=VALUE with one of {known}."
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
        first = error.errors()[0]
        raise SettingsError(f"Parameter {first['loc'][0]}: {first['msg'].lower()}.") from error


def _mapping(name: str, text: str) -> Any:
    try:
        return json.loads(text)
    except ValueError:
        raise SettingsError(f'Parameter {name}: write it as JSON, such as {{"0": …}}.') from None


def _encoder(settings: Settings) -> Any:
    from kgqa_core.search.encoder import Encoder

    return Encoder(settings)
