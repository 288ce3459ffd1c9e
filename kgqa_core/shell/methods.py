"""`methods`: what there is to choose from, with parameters."""

from __future__ import annotations

import argparse
import json
from typing import Any

from kgqa_core.ask.method import Method
from kgqa_core.methods import METHODS, presets


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    methods = commands.add_parser("methods", help="list the methods and their parameters")
    methods.add_argument("--json", action="store_true")
    methods.set_defaults(command=_methods)


def _methods(args: argparse.Namespace) -> int:
    rows: list[dict[str, Any]] = [
        {
            "name": m.name,
            "title": m.title,
            "about": m.about,
            "paper": m.paper,
            "uses_graph": m.uses_graph,
            "params": _describe(m),
        }
        for m in METHODS.values()
    ]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        print(f"{row['name']:<14}{row['about']} ({row['paper']})")
        for p in row["params"]:
            published = f" (published: {p['published']})" if p["published"] is not None else ""
            print(f"    {p['name']}={p['default']!s:<10} {p['description']}{published}")
    return 0


def _describe(method: Method) -> list[dict[str, Any]]:
    """The parameters, each with its default and, where a paper has it otherwise, that."""
    published = presets.values(method, presets.names(method)[-1])
    return [
        {
            "name": name,
            "default": (default := field.get_default(call_default_factory=True)),
            "published": None if published.get(name) == default else published.get(name),
            "description": field.description or "",
        }
        for name, field in method.params.model_fields.items()
    ]
