"""An OpenAI-shaped chat server on loopback that can also misbehave.

    with OpenAIServer() as server:
        server.will(status(429, retry_after="0"), ok({"text": "Germany"}))

Each request takes the next behaviour from the queue; with an empty queue the server answers by
`answers` (schema name → reply) or fills the schema in, so that it can stand in for a hosted
model. Real sockets, standard library only: hanging, dripping and breaking off need control of
the connection.
"""

from __future__ import annotations

import argparse
import json
import select
import socket
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from typing import Any, Self

from tests.servers.loopback import Loopback, Quiet

Behaviour = Callable[["Exchange"], None]


@dataclass
class Request:
    """What a client sent, and whether it hung up before the reply was complete."""

    path: str
    headers: dict[str, str]
    body: dict[str, Any]
    at_s: float = field(default_factory=time.monotonic)
    hung_up: threading.Event = field(default_factory=threading.Event)

    @property
    def rung(self) -> str:
        return str(self.body.get("response_format", {}).get("type", "prompt"))

    @property
    def schema(self) -> dict[str, Any]:
        found: dict[str, Any] = self.body.get("response_format", {}).get("json_schema", {})
        return found


class Exchange:
    """One request and the means to answer it, well or badly."""

    def __init__(self, server: OpenAIServer, handler: BaseHTTPRequestHandler, request: Request):
        self.server, self.request = server, request
        self._handler = handler

    def send(self, code: int, body: Any, **headers: str) -> None:
        plain = isinstance(body, str)
        data = body.encode() if plain else json.dumps(body).encode()
        self._head(code, "text/html" if plain else "application/json", headers)
        self._handler.wfile.write(data)

    def open_stream(self) -> None:
        self._head(200, "text/event-stream", {"Transfer-Encoding": "chunked"})

    def event(self, data: Any) -> None:
        line = f"data: {data if isinstance(data, str) else json.dumps(data)}\n\n".encode()
        self._handler.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        self._handler.wfile.flush()

    def end_stream(self) -> None:
        self._handler.wfile.write(b"0\r\n\r\n")

    def pause(self, seconds: float) -> None:
        """Waits; ends early, with an exception, when the client hangs up or the server stops."""
        until = time.monotonic() + seconds
        while (left := until - time.monotonic()) > 0:
            readable, _, _ = select.select([self._handler.connection], [], [], min(left, 0.02))
            if readable and not self._handler.connection.recv(1, socket.MSG_PEEK):
                raise ConnectionAbortedError
            if self.server.stopping.is_set():
                raise ConnectionAbortedError

    def break_off(self) -> None:
        self._handler.connection.shutdown(socket.SHUT_RDWR)

    def _head(self, code: int, kind: str, headers: dict[str, str]) -> None:
        self._handler.send_response(code)
        self._handler.send_header("Content-Type", kind)
        self._handler.send_header("Connection", "close")  # tests end with no socket left open
        for name, value in headers.items():
            self._handler.send_header(name.replace("_", "-"), value)
        self._handler.end_headers()


# -- behaviours --------------------------------------------------------------------------


def ok(
    reply: Any,
    *,
    usage: bool = True,
    finish: str | None = "stop",
    drip_s: float = 0.0,
    size: int = 12,
    cut_after: int | None = None,
    reasoning: str = "",
    reasoning_field: str = "reasoning_content",
    refusal: str = "",
) -> Behaviour:
    """The reply (an object becomes its JSON), streamed in pieces if the client asked for that.

    `finish` None: the stream ends without a finish reason; `cut_after`: the connection breaks
    after so many pieces.
    """
    text = reply if isinstance(reply, str) else json.dumps(reply, ensure_ascii=False)
    counts = {"prompt_tokens": 100, "completion_tokens": 10, "total_tokens": 110}

    def behave(exchange: Exchange) -> None:
        body = exchange.request.body
        head = {"id": "chatcmpl-1", "created": 1, "model": body.get("model", "")}
        if not body.get("stream"):
            message = {"role": "assistant", "content": text, "refusal": refusal or None}
            message |= {reasoning_field: reasoning} if reasoning else {}
            choice = {"index": 0, "message": message, "finish_reason": finish}
            whole = {**head, "object": "chat.completion", "choices": [choice]}
            return exchange.send(200, {**whole, "usage": counts} if usage else whole)

        def chunk(delta: dict[str, str], finish: str | None = None) -> None:
            choice = {"index": 0, "delta": delta, "finish_reason": finish}
            exchange.event({**head, "object": "chat.completion.chunk", "choices": [choice]})

        exchange.open_stream()
        chunk({"role": "assistant", "content": ""})
        deltas = [{reasoning_field: piece} for piece in _pieces(reasoning, size)]
        deltas += [{"refusal": piece} for piece in _pieces(refusal, size)]
        deltas += [{"content": piece} for piece in _pieces(text, size)]
        for i, delta in enumerate(deltas):
            if i == cut_after:
                return exchange.break_off()
            exchange.pause(drip_s)
            chunk(delta)
        if finish:
            chunk({}, finish)
        if usage and body.get("stream_options", {}).get("include_usage"):
            exchange.event(
                {**head, "object": "chat.completion.chunk", "choices": [], "usage": counts}
            )
        if finish:
            exchange.event("[DONE]")
        exchange.end_stream()

    return behave


def _pieces(text: str, size: int) -> Iterator[str]:
    return (text[i : i + size] for i in range(0, len(text), size))


def status(http: int, message: str = "", *, retry_after: str = "", code: str = "") -> Behaviour:
    """An error; `code` is the name OpenAI gives it (`insufficient_quota`)."""
    body = {"error": {"message": message or f"status {http}", "code": code or None}}
    headers = {"Retry_After": retry_after} if retry_after else {}
    return lambda exchange: exchange.send(http, body, **headers)


def page(text: str = "<html><body>Welcome</body></html>", code: int = 200) -> Behaviour:
    """A web page where a model should be."""
    return lambda exchange: exchange.send(code, text)


def hang(seconds: float = 60.0) -> Behaviour:
    """Accepts the request and says nothing."""
    return lambda exchange: exchange.pause(seconds)


def hang_in_stream(text: str, seconds: float = 60.0) -> Behaviour:
    """Begins to reply, then says nothing more."""

    def behave(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.event({"choices": [{"index": 0, "delta": {"content": text}}]})
        exchange.pause(seconds)

    return behave


def redirect(code: int, to: str) -> Behaviour:
    return lambda exchange: exchange.send(code, {}, Location=to)


def bytes_in_stream(*lines: bytes) -> Behaviour:
    """An event stream of just these bytes."""

    def behave(exchange: Exchange) -> None:
        exchange.open_stream()
        for line in lines:
            exchange._handler.wfile.write(f"{len(line):x}\r\n".encode() + line + b"\r\n")
        exchange.end_stream()

    return behave


def packed(
    body: bytes | Callable[[], bytes], encoding: str = "gzip", kind: str = "application/json"
) -> Behaviour:
    """Bytes that are called packed; many are made only when somebody asks for them."""

    def behave(exchange: Exchange) -> None:
        exchange._head(200, kind, {"Content_Encoding": encoding})
        exchange._handler.wfile.write(body() if callable(body) else body)

    return behave


def flood(kind: str, head: bytes, piece: bytes, code: int = 200) -> Behaviour:
    """As many pieces as the client takes."""

    def behave(exchange: Exchange) -> None:
        exchange._head(code, kind, {})
        exchange._handler.wfile.write(head)
        while not exchange.server.stopping.is_set():
            exchange._handler.wfile.write(piece)

    return behave


def drip_headers(exchange: Exchange) -> None:
    """A reply whose headers never end."""
    raw = exchange._handler.wfile
    raw.write(b"HTTP/1.1 200 OK\r\nX-Slow: ")
    while True:
        exchange.pause(0.05)
        raw.write(b"x")
        raw.flush()


def endless_headers(exchange: Exchange) -> None:
    """As many headers as the client takes."""
    raw = exchange._handler.wfile
    raw.write(b"HTTP/1.1 200 OK\r\n")
    while not exchange.server.stopping.is_set():
        raw.write(b"X-Much: " + b"x" * 60_000 + b"\r\n")


def error_in_stream(message: str) -> Behaviour:
    def behave(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.event({"error": {"message": message}})
        exchange.end_stream()

    return behave


def garbage() -> Behaviour:
    """An event stream whose events are not JSON."""

    def behave(exchange: Exchange) -> None:
        exchange.open_stream()
        exchange.event("{not json")
        exchange.end_stream()

    return behave


def unstreamed(reply: Any) -> Behaviour:
    """Ignores `stream` and sends the whole reply as one JSON document."""

    def behave(exchange: Exchange) -> None:
        exchange.request.body["stream"] = False
        ok(reply)(exchange)

    return behave


def document(body: Any) -> Behaviour:
    """Status 200 and some JSON, whatever the client asked for."""
    return lambda exchange: exchange.send(200, body)


def rejects(parameter: str, then: Behaviour, message: str = "") -> Behaviour:
    """400 while the request has the parameter, otherwise `then`. `response_format.json_schema`
    stands for that one type."""
    name, _, kind = parameter.partition(".")

    def behave(exchange: Exchange) -> None:
        body = exchange.request.body
        if name in body and (not kind or body[name].get("type") == kind):
            text = message or f"Unsupported parameter: '{name}' is not supported with this model."
            return exchange.send(400, {"error": {"message": text}})
        then(exchange)

    return behave


# -- the server --------------------------------------------------------------------------


class OpenAIServer:
    """`always` answers every request that finds the queue empty."""

    def __init__(self, port: int = 0, models: tuple[str, ...] = ("test-model", "small")) -> None:
        self.requests: list[Request] = []
        self.models = models
        self.answers: dict[str, Any] = {}
        self.always: Behaviour = self._stand_in
        self.drip_s = 0.0
        self.stopping = threading.Event()
        self._queue: deque[Behaviour] = deque()
        self._http = _Http(self, port)

    @property
    def url(self) -> str:
        return f"{self._http.url}/v1"

    def will(self, *behaviours: Behaviour) -> None:
        self._queue.extend(behaviours)

    @property
    def rungs(self) -> list[str]:
        return [request.rung for request in self.requests]

    def __enter__(self) -> Self:
        self._http.__enter__()
        return self

    def __exit__(self, *_: object) -> None:
        self.stopping.set()
        self._http.__exit__()

    def answer(self, exchange: Exchange) -> None:
        try:
            behave = self._queue.popleft()
        except IndexError:
            behave = self.always
        behave(exchange)

    def _stand_in(self, exchange: Exchange) -> None:
        name = exchange.request.schema.get("name", "")
        reply = self.answers.get(name, self.answers.get("*"))
        if isinstance(reply, list):  # one after the other; the last one stays
            reply = reply.pop(0) if len(reply) > 1 else reply[0]
        if reply is None:
            reply = filled_in(exchange.request.schema.get("schema", {}))
        ok(reply, drip_s=self.drip_s)(exchange)


class _Http(Loopback):
    def __init__(self, server: OpenAIServer, port: int) -> None:
        self.openai = server
        super().__init__(_Handler, port)


class _Handler(Quiet):
    protocol_version = "HTTP/1.1"
    server: _Http

    def do_GET(self) -> None:
        exchange = self._exchange({})
        if self.path.endswith("/models"):
            data = [{"id": m, "object": "model"} for m in self.server.openai.models]
            listing = {"object": "list", "data": data}
            queued = self.server.openai._queue
            self._run(queued.popleft() if queued else lambda e: e.send(200, listing), exchange)
        else:
            exchange.send(404, {"error": {"message": "Not found"}})

    def do_POST(self) -> None:
        sent = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        if not sent:  # hung up before it had said anything
            self.close_connection = True
            return
        body = json.loads(sent)
        exchange = self._exchange(body)
        if self.path.endswith("/chat/completions"):
            self._run(self.server.openai.answer, exchange)
        else:
            exchange.send(404, {"error": {"message": "Not found"}})

    def _exchange(self, body: dict[str, Any]) -> Exchange:
        headers = {name.lower(): value for name, value in self.headers.items()}
        request = Request(self.path, headers, body)
        self.server.openai.requests.append(request)
        return Exchange(self.server.openai, self, request)

    def _run(self, behave: Behaviour, exchange: Exchange) -> None:
        try:
            behave(exchange)
        except OSError:  # the client hung up
            exchange.request.hung_up.set()
        self.close_connection = True

    def finish(self) -> None:
        with suppress(OSError):  # buffered bytes for a client that is gone
            super().finish()


def filled_in(schema: dict[str, Any], whole: dict[str, Any] | None = None) -> Any:
    """The plainest value a strict schema allows: texts say so, lists are empty.

    References are to definitions in the `whole` schema.
    """
    whole = schema if whole is None else whole
    match schema:
        case {"$ref": str(name)}:
            return filled_in(whole["$defs"][name.removeprefix("#/$defs/")], whole)
        case {"enum": [first, *_]}:
            return first
        case {"anyOf": [first, *_]}:
            return filled_in(first, whole)
        case {"type": "object"}:
            fields = schema["properties"].items()
            return {name: filled_in(field, whole) for name, field in fields}
        case {"type": "array"}:
            return []
        case {"type": "string"}:
            return "a reply from the loopback server"
        case {"type": "boolean"}:
            return True
        case {"type": "integer" | "number"}:
            return 0
        case _:
            return None if schema else {}


def main(arguments: list[str]) -> None:
    """`--answers FILE`: JSON, schema name → a reply or a list of replies in turn."""
    parser = argparse.ArgumentParser(prog="python -m tests.servers openai")
    parser.add_argument("--port", type=int, default=8089)
    parser.add_argument("--answers", type=Path)
    parser.add_argument("--drip", type=float, default=0.0, help="seconds between pieces")
    parser.add_argument("--hang", action="store_true", help="never answer")
    chosen = parser.parse_args(arguments)
    with OpenAIServer(chosen.port) as server:
        server.drip_s = chosen.drip
        if chosen.answers:
            server.answers = json.loads(chosen.answers.read_text("utf-8"))
        if chosen.hang:
            server.always = hang(3600)
        print(server.url, flush=True)
        with suppress(KeyboardInterrupt):
            threading.Event().wait()
