"""`gallery`: runs the recorded examples again and writes those that changed."""

from __future__ import annotations

import argparse
from typing import Any

from kgqa_core.ask.events import status_of
from kgqa_core.errors import KGQAError
from kgqa_core.history import gallery
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_setup, open_sources
from kgqa_core.settings import load_settings


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    parser = commands.add_parser("gallery", help="run the recorded examples again")
    parser.set_defaults(command=_gallery)


def _gallery(args: argparse.Namespace) -> int:
    settings = load_settings()
    graphs = sorted({example.graph for example in gallery.EXAMPLES})
    sources = {name: open_sources(name, "offline", settings) for name in graphs}
    for example in gallery.EXAMPLES:
        method, graph = METHODS[example.method], example.graph
        params = method.params(**example.params)
        setup = open_setup(method, params, graph, "offline", settings, sources=sources[graph])
        setup.prepare()
        header, records = gallery.record(example, setup)
        status = status_of(records)
        if status == "failed":
            message = getattr(records[-1].event, "message", "")
            raise KGQAError(f"{example.method}, “{example.question}”: {message}")
        changed = gallery.write(example, header, records)
        print(f"{example.id:<60} {status:<10} {'written' if changed else 'as it was'}")
    for path in gallery.strangers():
        path.unlink()
        print(f"{path.stem:<60} removed")
    gallery.forget()
    return 0
