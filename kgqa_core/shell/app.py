"""`app`: the pages, in a browser, from whatever folder one is in."""

from __future__ import annotations

import argparse
import gc
import signal
import socket
import sys
import threading
import time
from contextlib import suppress
from importlib import import_module
from typing import Any

from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.kg.kinds import begin_graph
from kgqa_core.places import PROGRAM
from kgqa_core.settings import load_settings

_LOOK_S, _LOOKS = 0.05, 1_200  # between two looks whether the server is up, and how many
# Imported in the order in which a first page takes them: numpy and PIL for its icon
_AHEAD = (
    "kgqa_core.screens.session",
    "numpy",
    "PIL.Image",
    "kgqa_core.screens.run",
    "kgqa_core.llm.offline",
)


def register(commands: Any) -> None:
    """Adds the command to the shell's."""
    app = commands.add_parser("app", help="start the pages, for a browser")
    app.add_argument("--port", type=int, default=8501, metavar="N", help="otherwise 8501")
    app.add_argument(
        "--address", metavar="HOST", help="where to listen; otherwise this machine alone"
    )
    app.set_defaults(command=_app)


def _app(args: argparse.Namespace) -> int:
    if not 0 < args.port < 65536:
        raise SettingsError("--port: write a number from 1 to 65535.")
    with suppress(KGQAError):  # the page says it
        begin_graph((settings := load_settings()).graph, settings)
    script = PROGRAM / "app.py"
    sys.argv = [str(script)]  # beside it lie Streamlit's settings
    options = {"port": args.port} | ({"address": args.address} if args.address else {})
    at = (args.address or "localhost", args.port)
    gc.disable()  # what is imported stays: to search it, time and again, is a sixth of the start
    import_module("kgqa_core.screens.mended").look_for_no_components()
    threading.Thread(target=_read_ahead, args=(at,), name="kgqa-ahead", daemon=True).start()
    # The server ends in good order, then raises the signal again: to be told to end is no failure
    signal.signal(signal.SIGTERM, lambda *_: sys.exit())
    with suppress(KeyboardInterrupt):
        import_module("kgqa_core.screens.first_box").serve(script, **options)
    return 0


def _read_ahead(at: tuple[str, int]) -> None:
    """Imports what the first answer needs once the server is up: a browser takes a second to come.

    Not before: two threads that import the same package at once may meet it half read.
    """
    try:
        for _ in range(_LOOKS):
            time.sleep(_LOOK_S)
            with suppress(OSError), socket.create_connection(at, _LOOK_S):
                break
        else:
            return  # the page imports it
        for module in _AHEAD:
            import_module(module)
    finally:
        gc.freeze()
        gc.enable()
