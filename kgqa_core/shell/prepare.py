"""`prepare`: what a first start takes seconds for, done when the program is installed."""

from __future__ import annotations

import argparse
from typing import Any


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    command = commands.add_parser(
        "prepare",
        help="store the built-in graph beside the program",
        description="Stores the graph that a first visit asks beside the program. Without that, "
        "the first start with a new data folder stores it there, which takes some seconds.",
    )
    command.set_defaults(command=_prepare)


def _prepare(_: argparse.Namespace) -> int:
    from kgqa_core.kg.kinds import known

    print(known.prepare())
    return 0
