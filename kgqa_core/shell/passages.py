"""`python -m kgqa_core passages --graph G --into DIR`: texts for `ask --passages DIR`."""

from __future__ import annotations

import argparse
import json
import sys
from pathlib import Path
from typing import Any

from kgqa_core.text import counted


def register(commands: Any) -> None:
    """Adds the command to the shell's subparsers."""
    make = commands.add_parser("passages", help="write texts about a graph's entities")
    make.add_argument("--graph", metavar="NAME", help="as for `ask`")
    make.add_argument("--into", required=True, type=Path, metavar="DIR", help="a new folder")
    make.add_argument(
        "--wikipedia",
        nargs="?",
        const="en",
        metavar="LANGUAGE",
        help="fetch articles, politely; otherwise entities are told from the graph's facts",
    )
    make.add_argument(
        "--entity",
        action="append",
        default=[],
        metavar="NAME",
        help="a name or id, may be repeated; default: the entities with most facts",
    )
    make.add_argument("--most", type=int, default=100, metavar="N", help="how many texts at most")
    make.add_argument("--json", action="store_true", help="print what was written as JSON")
    make.set_defaults(command=_passages)


def _passages(args: argparse.Namespace) -> int:
    from kgqa_core.errors import KGQAError, SettingsError
    from kgqa_core.opening import open_graph
    from kgqa_core.search.gathering import MOST, MOST_TOLD, FactGathering, Home, WikipediaGathering
    from kgqa_core.settings import load_settings

    settings = load_settings()
    into = args.into.expanduser().absolute()
    most = MOST if args.wikipedia else MOST_TOLD
    if not 1 <= args.most <= most:
        raise SettingsError(f"--most: write a number from 1 to {most:,}.")
    if into.exists() and (not into.is_dir() or any(into.iterdir())):
        raise SettingsError(f"--into: {into} is not empty. Choose a new folder.")
    kg, home = open_graph(args.graph or settings.graph, settings), Home(into)
    work: WikipediaGathering | FactGathering
    if args.wikipedia:
        work = WikipediaGathering(
            home,
            kg,
            names=args.entity,
            most=args.most,
            language=args.wikipedia,
            contact=settings.contact,
        )
    else:
        work = FactGathering(home, kg, names=args.entity, most=args.most)
    try:
        while work.running:
            work.wait(0.5)
            if sys.stderr.isatty():
                print(f"\r{work.doing}: {work.done:,} of {work.total:,} ", end="", file=sys.stderr)
    except KeyboardInterrupt:
        work.stop()
        work.wait(5)
        raise
    if work.texts is None:
        raise KGQAError(work.error)
    for note in work.notes:
        print(note, file=sys.stderr)
    if args.json:
        found = {"folder": str(into), "texts": work.texts.articles, "notes": work.notes}
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        made = counted(work.texts.articles, "text")
        print(f"{made} in {into}, read by `ask --passages {into}`.")
    return 0
