"""A server on a port of 127.0.0.1, in threads of its own, for as long as a context lasts."""

from __future__ import annotations

import socket
import sys
import threading
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Self


class Quiet(BaseHTTPRequestHandler):
    """Says nothing on the terminal."""

    def log_message(self, format: str, *args: Any) -> None:
        pass


class Loopback(ThreadingHTTPServer):
    """Leaving it hangs up on whoever is still there and waits for their threads: none is left.

    A handler that waits for something else than its connection is to be woken before.
    """

    daemon_threads = False
    block_on_close = True

    def __init__(self, handler: type[BaseHTTPRequestHandler], port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), handler)
        self._open: set[socket.socket] = set()
        self._thread = threading.Thread(target=self.serve_forever, args=(0.02,), daemon=True)

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.server_port}"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.shutdown()
        for connection in list(self._open):
            with suppress(OSError):  # it has gone by itself
                connection.shutdown(socket.SHUT_RDWR)
        self.server_close()
        self._thread.join()

    def process_request(self, request: Any, client_address: Any) -> None:
        self._open.add(request)
        super().process_request(request, client_address)

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def handle_error(self, request: Any, client_address: Any) -> None:
        if not isinstance(sys.exception(), OSError):  # the client hung up, or refused a handshake
            super().handle_error(request, client_address)
