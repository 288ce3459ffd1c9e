"""`index`: the vector index of a graph, built or told of."""

from __future__ import annotations

import argparse
import json
from dataclasses import asdict
from typing import Any

from kgqa_core.kg import kinds
from kgqa_core.shell.options import ProgressLine


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    index = commands.add_parser(
        "index",
        help="build the index that methods search a graph with",
        description="Encodes every triple of a graph, and the texts about it, once. What is there "
        "stays: an interrupted build goes on where it stopped.",
    )
    index.add_argument(
        "graph",
        nargs="?",
        metavar="GRAPH",
        help=f"{', '.join(kinds.names())}; several with commas between them",
    )
    index.add_argument("--anew", action="store_true", help="start from nothing")
    index.add_argument("--info", action="store_true", help="build nothing, say what is there")
    index.add_argument("--json", action="store_true", help="print what is there as JSON")
    index.set_defaults(command=_index)


def _index(args: argparse.Namespace) -> int:
    from kgqa_core.errors import SettingsError
    from kgqa_core.opening import open_graph, open_index
    from kgqa_core.search.build import told
    from kgqa_core.search.encoder import Encoder
    from kgqa_core.search.index import Progress
    from kgqa_core.settings import load_settings

    settings = load_settings()
    name = args.graph or settings.graph
    kg = open_graph(name, settings)
    index = open_index(kg, Encoder(settings), settings, name)
    if not index.has_triples and not args.info:
        raise SettingsError(
            f"The graph “{kg.name}” is too large to be indexed whole. Methods search what is "
            "linked there, without an index; load a part of it to have one."
        )
    line = ProgressLine()

    def tell(progress: Progress) -> None:
        line.show(f"Indexing “{kg.name}”: {told(progress)}")

    found = index.info() if args.info else index.build(tell, anew=args.anew)
    line.end()
    if args.json:
        print(json.dumps(asdict(found), ensure_ascii=False, indent=2, default=str))
        return 0
    for name, shelf in (("triples", found.triples), ("passages", found.passages)):
        if shelf is not None and (shelf.total or name == "triples"):
            print(f"{shelf.count:,} of {shelf.total:,} {name}: {shelf.state}")
    print(f"{found.graph}, compared by {found.encoder}, in {found.where}")
    return 0
