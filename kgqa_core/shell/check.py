"""`check`: what cannot be true of a graph's facts together.

Exit code 0: nothing found; 1: something found; 2: bad usage.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Iterable
from typing import Any

from kgqa_core.errors import SettingsError
from kgqa_core.facts.check import Finding
from kgqa_core.settings import load_settings


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    check = commands.add_parser(
        "check",
        help="look for facts of a graph that cannot be true",
        description="Reads a whole graph and prints a line for what does not fit: values "
        "of the wrong type, impossible dates and sizes, ends before beginnings, capitals outside "
        "their country, borders, marriages and siblings that hold one way only. Relations are "
        "known by Wikidata's ids.",
    )
    check.add_argument("graph", nargs="?", help="a graph, as for `ask`")
    check.add_argument("--json", action="store_true", help="print a JSON object for each finding")
    check.set_defaults(command=_check)


def _check(args: argparse.Namespace) -> int:
    from kgqa_core.facts.check import findings
    from kgqa_core.opening import open_graph
    from kgqa_core.search.index import Enumerable

    settings = load_settings()
    name = args.graph or settings.graph
    graph = open_graph(name, settings)
    if not isinstance(graph, Enumerable):
        raise SettingsError(
            f"“{name}” cannot be read as a whole: load its files into a folder with "
            "`load`, and check that."
        )
    found = findings(graph.all_statements())
    print("\n".join(_lines(found, args.json) if found else ["Nothing found that cannot be true."]))
    return 1 if found else 0


def _lines(found: Iterable[Finding], as_json: bool) -> list[str]:
    if not as_json:
        return [f"{f.rule}: {f.text}{_origins(f)}" for f in found]
    return [
        json.dumps(
            {"rule": f.rule, "text": f.text, "subject": f.statements[0].subject.id},
            ensure_ascii=False,
        )
        for f in found
    ]


def _origins(finding: Finding) -> str:
    origins = list(dict.fromkeys(s.origin for s in finding.statements if s.origin))
    return f" [{', '.join(origins)}]" if origins else ""
