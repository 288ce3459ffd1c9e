"""`datasets`: the question sets that are at hand, and those that can be downloaded."""

from __future__ import annotations

import argparse
import json
import sys
import time
from typing import TYPE_CHECKING, Any

from kgqa_core.errors import SettingsError
from kgqa_core.settings import load_settings

if TYPE_CHECKING:
    from kgqa_core.evaluation.catalogue import Progress


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    command = commands.add_parser(
        "datasets",
        help="list question sets, or download one",
        description="Without a name: what can be asked now, and what can be downloaded, each "
        "with home and licence. With a name: downloads it; one that broke off goes on.",
    )
    command.add_argument("name", nargs="?", metavar="NAME")
    command.add_argument("--json", action="store_true")
    command.set_defaults(command=_datasets)


def _datasets(args: argparse.Namespace) -> int:
    from kgqa_core.evaluation import sets
    from kgqa_core.evaluation.catalogue import CATALOGUE

    data_dir = load_settings().data_dir
    if args.name:
        return _download(args.name, args.json)
    here = sets.available(data_dir)
    rows = [
        {
            "name": one.name,
            "title": one.title,
            "format": one.format,
            "path": str(one.path),
            "here": True,
        }
        for one in here.values()
    ] + [
        {
            "name": entry.name,
            "title": entry.title,
            "format": entry.format,
            "home": entry.home,
            "licence": entry.licence,
            "questions": entry.questions,
            "by_hand": entry.by_hand,
            "here": False,
        }
        for entry in CATALOGUE.values()
        if entry.name not in here
    ]
    if args.json:
        print(json.dumps(rows, ensure_ascii=False, indent=2))
        return 0
    for row in rows:
        if row["here"]:
            print(f"{row['name']:<22}{row['title']} ({row['format']}), {row['path']}")
        else:
            how = "by hand" if row["by_hand"] else "download"
            print(
                f"{row['name']:<22}{row['title']} ({row['format']}), {row['questions']:,} "
                f"questions, licence: {row['licence']}, {how}: {row['home']}"
            )
    return 0


def _download(name: str, as_json: bool) -> int:
    from kgqa_core.evaluation import catalogue
    from kgqa_core.evaluation.catalogue import CATALOGUE

    if name not in CATALOGUE:
        raise SettingsError(
            f"There is no question set “{name}” to download. Choose one of: "
            f"{', '.join(n for n, e in CATALOGUE.items() if e.url)}."
        )
    screen = _Screen()
    found = catalogue.download(
        CATALOGUE[name],
        catalogue.folder_of(load_settings().data_dir),
        on_progress=screen.progress,
    )
    screen.end()
    known = "as known" if found.checked else "recorded: none was known before"
    print(f"SHA-256 {found.sha256} ({known})", file=sys.stderr)
    if as_json:
        said = {"path": str(found.path), "sha256": found.sha256, "bytes": found.bytes}
        print(json.dumps(said, ensure_ascii=False))
    else:
        print(found.path)
    return 0


class _Screen:
    """Progress on stderr, where it is a terminal."""

    def __init__(self) -> None:
        self._terminal = sys.stderr.isatty()
        self._last = 0.0

    def progress(self, now: Progress) -> None:
        if self._terminal and time.monotonic() - self._last > 0.2:
            self._last = time.monotonic()
            of = f" of {now.of:,}" if now.of else ""
            print(f"\r\x1b[K{now.bytes:,}{of} bytes", end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        if self._terminal:
            print("\r\x1b[K", end="", file=sys.stderr)
