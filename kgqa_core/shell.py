"""What the shell's commands share: how a run is described by flags, and how it is opened."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from pydantic import BaseModel, ValidationError

from kgqa_core.errors import SettingsError
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.base import LLM
from kgqa_core.methods import METHODS, Method
from kgqa_core.run import Budget
from kgqa_core.settings import Settings, load_settings
from kgqa_core.sources import open_graph, open_index, open_model

if TYPE_CHECKING:
    from kgqa_core.index import Index


@dataclass(frozen=True)
class Opened:
    """A method, ready to be asked."""

    method: Method
    params: BaseModel
    kg: KnowledgeGraph
    llm: LLM
    budget: Budget
    index: Index


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """--method, --graph, --llm and --param."""
    parser.add_argument("--method", default="react", metavar="NAME", help=", ".join(METHODS))
    parser.add_argument("--graph", default="starter", metavar="NAME", help="starter")
    parser.add_argument("--llm", default="offline", metavar="NAME", help="offline or openai")
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
    index = open_index(kg, encoder, settings)
    budget = Budget(settings.max_llm_calls, settings.max_tokens, settings.max_seconds)
    return Opened(method, params, kg, llm, budget, index)


def find_method(name: str) -> Method:
    if name not in METHODS:
        raise SettingsError(f"There is no method “{name}”. Choose one of: {', '.join(METHODS)}.")
    return METHODS[name]


def parse_params(method: Method, pairs: Sequence[str]) -> BaseModel:
    """`NAME=VALUE` pairs as the method's parameters; a list is written with commas."""
    values: dict[str, Any] = {}
    for pair in pairs:
        name, equals, value = pair.partition("=")
        field = method.params.model_fields.get(name)
        if not equals or field is None:
            known = ", ".join(method.params.model_fields)
            raise SettingsError(
                f"“{pair}” is no parameter of {method.name}: write NAME=VALUE with one of {known}."
            )
        is_list = isinstance(field.get_default(call_default_factory=True), list)
        values[name] = [v for v in value.split(",") if v] if is_list else value
    try:
        return method.params(**values)
    except ValidationError as error:
        first = error.errors()[0]
        raise SettingsError(f"Parameter {first['loc'][0]}: {first['msg'].lower()}.") from error


def _encoder(settings: Settings) -> Any:
    from kgqa_core.encoder import Encoder

    return Encoder(settings)
