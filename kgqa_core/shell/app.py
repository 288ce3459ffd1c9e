"""`app`: the pages, in a browser, from whatever folder one is in."""

from __future__ import annotations

import argparse
import os
import sys
from typing import Any

from kgqa_core.errors import SettingsError
from kgqa_core.places import PROGRAM


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
    command = [sys.executable, "-m", "streamlit", "run", str(PROGRAM / "app.py")]
    command += ["--server.port", str(args.port)]
    if args.address:
        command += ["--server.address", args.address]
    os.execv(command[0], command)  # this process becomes the server: signals reach it
