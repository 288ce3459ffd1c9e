"""A SPARQL endpoint on loopback over any Oxigraph store, that can also misbehave.

    with SparqlServer(store) as server:
        server.will(status(429, retry_after="0"))
        SparqlGraph(server.url)

Each request takes the next behaviour from the queue; with an empty queue the server answers.
"""

from __future__ import annotations

import gzip
import json
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from http.server import BaseHTTPRequestHandler
from typing import Any, Self
from urllib.parse import parse_qs, urlsplit

import pyoxigraph as ox

from tests.servers.loopback import Loopback, Quiet

Behaviour = Callable[["Exchange"], None]


@dataclass(frozen=True)
class Request:
    path: str
    headers: dict[str, str]
    query: str
    parameters: dict[str, list[str]]
    at_s: float


class Exchange:
    """One request and the means to answer it, well or badly."""

    def __init__(self, server: SparqlServer, handler: BaseHTTPRequestHandler, request: Request):
        self.server, self.request = server, request
        self._handler = handler

    def answer(self) -> bytes:
        found = self.server.store.query(self.request.query)
        return found.serialize(format=ox.QueryResultsFormat.JSON)

    def send(self, code: int, body: bytes, kind: str, *, promised: int = 0, **headers: str) -> None:
        if code == 200 and "gzip" in self.request.headers.get("Accept-Encoding", ""):
            body = gzip.compress(body, 1)
            headers["Content-Encoding"] = "gzip"
        self._handler.send_response(code)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Content-Length", str(promised or len(body)))
        self._handler.send_header("Connection", "close")
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()
        self._handler.wfile.write(body)

    def pause(self, seconds: float) -> None:
        """Ends early, with an exception, when the client hangs up or the server stops."""
        until = time.monotonic() + seconds
        while time.monotonic() < until:
            readable, _, _ = select.select([self._handler.connection], [], [], 0.02)
            if readable or self.server.stopping.is_set():
                raise ConnectionAbortedError


RESULTS = "application/sparql-results+json"


def good(exchange: Exchange, **headers: str) -> None:
    try:
        exchange.send(200, exchange.answer(), RESULTS, **headers)
    except SyntaxError as error:
        exchange.send(400, f"Malformed query: {error}".encode(), "text/plain")


def status(code: int, body: str = "", kind: str = "text/plain", **headers: str) -> Behaviour:
    return lambda exchange: exchange.send(code, body.encode(), kind, **headers)


def says(body: str | bytes, kind: str = RESULTS, **headers: str) -> Behaviour:
    data = body if isinstance(body, bytes) else body.encode()
    return lambda exchange: exchange.send(200, data, kind, **headers)


def rows(*bindings: dict[str, Any], columns: tuple[str, ...] = ("s", "p", "o")) -> Behaviour:
    found = {"head": {"vars": list(columns)}, "results": {"bindings": list(bindings)}}
    return says(json.dumps(found))


def partial(exchange: Exchange) -> None:
    good(exchange, X_SQL_State="S1TAT")


def cut(exchange: Exchange) -> None:
    body = exchange.answer()
    exchange.request.headers.pop("Accept-Encoding", None)
    exchange.send(200, body[: len(body) // 2], RESULTS, promised=len(body))


def cut_quietly(exchange: Exchange) -> None:
    body = exchange.answer()
    exchange.send(200, body[: len(body) // 2], RESULTS)


def hang(exchange: Exchange) -> None:
    exchange.pause(30)


def drip(exchange: Exchange) -> None:
    exchange.request.headers.pop("Accept-Encoding", None)
    exchange.send(200, b" ", RESULTS, promised=100_000)
    while True:
        exchange.pause(0.05)
        exchange._handler.wfile.write(b" ")
        exchange._handler.wfile.flush()


def drip_headers(exchange: Exchange) -> None:
    """A reply whose headers never end."""
    raw = exchange._handler.wfile
    raw.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        exchange.pause(0.05)
        raw.write(b"x")
        raw.flush()


def packed(body: bytes | Callable[[], bytes], encoding: str = "gzip") -> Behaviour:
    """Bytes that are called packed; many are made only when somebody asks for them."""

    def behave(exchange: Exchange) -> None:
        exchange.request.headers.pop("Accept-Encoding", None)
        packing = body() if callable(body) else body
        exchange.send(200, packing, RESULTS, Content_Encoding=encoding)

    return behave


def flood(exchange: Exchange) -> None:
    """As many bytes as the client takes."""
    exchange.request.headers.pop("Accept-Encoding", None)
    exchange.send(200, b" ", RESULTS, promised=1 << 40)
    while True:
        exchange._handler.wfile.write(b" " * (1 << 20))


def hang_up(exchange: Exchange) -> None:
    exchange._handler.connection.close()


class SparqlServer:
    """Answers from the store, one query a request, GET or POST."""

    def __init__(self, store: ox.Store) -> None:
        self.store = store
        self.requests: list[Request] = []
        self.stopping = threading.Event()
        self._queue: deque[Behaviour] = deque()
        self._lock = threading.Lock()

    def will(self, *behaviours: Behaviour) -> None:
        self._queue.extend(behaviours)

    def recover(self) -> None:
        """What was still to go wrong does not."""
        self._queue.clear()

    @property
    def url(self) -> str:
        return f"{self._http.url}/sparql"

    def __enter__(self) -> Self:
        outer = self

        class Handler(Quiet):
            def do_GET(self) -> None:
                outer._handle(self)

            do_POST = do_GET

        self._http = Loopback(Handler).__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.__exit__()

    def _handle(self, handler: BaseHTTPRequestHandler) -> None:
        length = int(handler.headers.get("Content-Length", 0))
        parameters = parse_qs(urlsplit(handler.path).query)
        parameters |= parse_qs(handler.rfile.read(length).decode())
        request = Request(
            handler.path,
            dict(handler.headers.items()),
            parameters.get("query", [""])[0],
            parameters,
            time.monotonic(),
        )
        with self._lock:
            self.requests.append(request)
            behave = self._queue.popleft() if self._queue else good
        with suppress(ConnectionError, ValueError):
            behave(Exchange(self, handler, request))
