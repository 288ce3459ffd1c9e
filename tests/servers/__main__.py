"""Loopback servers from a shell: `python -m tests.servers openai --port 8089`."""

from __future__ import annotations

import sys
from collections.abc import Callable

from tests.servers import openai as openai_server

SERVERS: dict[str, Callable[[list[str]], None]] = {"openai": openai_server.main}

if __name__ == "__main__":
    name, *rest = sys.argv[1:] or [""]
    if name not in SERVERS:
        sys.exit(f"usage: python -m tests.servers {{{','.join(SERVERS)}}} [--port N]")
    SERVERS[name](rest)
