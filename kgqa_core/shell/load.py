"""`python -m kgqa_core load FILE… --into DIR`: graph files into a folder, with progress."""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

from kgqa_core.text import counted


def register(commands: Any) -> None:
    """Adds the command to the shell's subparsers."""
    load = commands.add_parser("load", help="build an on-disk graph from files")
    load.add_argument(
        "files",
        nargs="+",
        type=Path,
        metavar="FILE",
        help="RDF, triples between tabs or bars, tables (CSV), Wikidata JSON lines, or a folder of "
        "such files; also gzipped",
    )
    load.add_argument("--into", required=True, type=Path, metavar="DIR", help="a new folder")
    load.add_argument("--name", default="", help="what the graph is called; default: DIR's name")
    load.add_argument(
        "--leave-out",
        action="append",
        default=[],
        metavar="TAG",
        help="facts whose only sources match this tag, such as '*_gold'; may be repeated",
    )
    load.add_argument("--restart", action="store_true", help="forget an interrupted load")
    load.add_argument("--json", action="store_true", help="print what was loaded as JSON")
    load.set_defaults(command=_load)


def _load(args: argparse.Namespace) -> int:
    from kgqa_core.kg.lines import Options
    from kgqa_core.kg.load import Progress, discard, load, part_of

    shown = sys.stderr.isatty()

    def tell(progress: Progress) -> None:
        if shown:
            bar = ("█" * round(30 * progress.part)).ljust(30, "·")
            doing = f"{progress.doing[:24]:<24}"
            line = f"\r{bar} {progress.part:4.0%}  {progress.triples:>12,} triples  {doing}"
            print(line, end="\n" if progress.part == 1 else "", file=sys.stderr, flush=True)

    into = args.into.absolute()
    if args.restart:
        discard(into)
    options = Options(leave_out=tuple(args.leave_out))
    try:
        done = load(args.files, into, name=args.name, options=options, on_progress=tell)
    except KeyboardInterrupt:
        print(
            f"\nStopped. The same command goes on where it was; {part_of(into)} holds the part.",
            file=sys.stderr,
        )
        raise
    for example in done.examples:
        print(f"skipped {example}", file=sys.stderr)
    if done.bad > len(done.examples):
        print(
            f"skipped {done.bad - len(done.examples):,} further lines or statements",
            file=sys.stderr,
        )
    if done.remark:
        print(done.remark, file=sys.stderr)
    if args.json:
        found = asdict(done) | {"folder": str(done.folder), "examples": list(done.examples)}
        print(json.dumps(found, ensure_ascii=False, indent=2))
    else:
        print(
            f"{done.name}: {counted(done.statements or 0, 'fact')} about "
            f"{counted(done.entities or 0, 'entity')}, "
            f"{counted(done.relations or 0, 'relation')}, in {done.folder}"
        )
    return 0
