"""Every method × everything that a model's endpoint can do wrong × streamed or whole × when."""

from __future__ import annotations

import gzip
import json
from functools import partial
from itertools import product
from pathlib import Path
from typing import Any

from kgqa_core.ask.run import Budget
from kgqa_core.ask.setup import Setup
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings
from tests.faults.cells import SECRET, Cell, carried_out, judged
from tests.servers.openai import (
    Behaviour,
    Exchange,
    OpenAIServer,
    bytes_in_stream,
    document,
    drip_headers,
    endless_headers,
    error_in_stream,
    flood,
    garbage,
    hang,
    hang_in_stream,
    ok,
    packed,
    page,
    redirect,
    rejects,
    status,
)
from tests.small_graph import small_graph

QUESTION = "Is the director of “Written on the Wind” older than Lana Turner?"
NAMES = "Lana Turner", "Written on the Wind", ""
BUDGET = Budget(llm_calls=12, tokens=50_000, seconds=8.0)
_EVENT = b'data: {"choices": [{"index": 0, "delta": {"content": "%s"}}]}\n\n'
_HOSTILE = (
    "<img src=x onerror=alert(1)>` } } UNION { ?s ?p ?o } # \u202e\x00 [x](javascript:alert(1))"
)


def _filled(exchange: Exchange, wild: Any, *, many: int = 2) -> None:
    """A reply of the shape asked for, every value of it wild, and `many` in every list."""
    schema = exchange.request.schema.get("schema", {})
    ok(_wild(schema, wild, many, schema), size=1 << 16)(exchange)


def _name(nth: int) -> str:
    return NAMES[nth % 4 % 3] or f"name {nth}"


def _wild(schema: dict[str, Any], wild: Any, many: int, whole: dict[str, Any], nth: int = 0) -> Any:
    """A value that fits the schema: the `nth` of those that a word may be.

    A list in a list is short; with fewer than none in it, it is what is wild itself. That may be
    made of its place in a list.
    """
    value = wild(nth) if callable(wild) else wild
    match schema:
        case {"$ref": str(name)}:
            return _wild(whole["$defs"][name.removeprefix("#/$defs/")], wild, many, whole, nth)
        case {"enum": [*words]}:
            return words[nth % len(words)]
        case {"anyOf": [*ways]}:
            return _wild(ways[nth % 3 // 2 % len(ways)], wild, many, whole, nth)
        case {"type": "object"}:
            fields = schema["properties"].items()
            return {name: _wild(inner, wild, many, whole, nth) for name, inner in fields}
        case {"type": "array"}:
            if many < 0:
                return value
            return [_wild(schema["items"], wild, min(many, 2), whole, n) for n in range(many)]
        case {"type": "string"}:
            return value if isinstance(value, str) else "a reply"
        case {"type": "integer" | "number"}:
            return value if isinstance(value, int) else nth - 1
        case {"type": "boolean"}:
            return nth % 2 == 0
        case _:
            return None


FAULTS: dict[str, Behaviour] = {
    "401": status(401, f"Incorrect API key provided: {SECRET}"),
    "403": status(403, "<html>Forbidden"),
    "404": status(404, "no such model"),
    "413": status(413, "x" * 9_999),
    "429": status(429, retry_after="0"),
    "429, inf": status(429, retry_after="inf"),
    "429, 400 digits": status(429, retry_after="9" * 400),
    "no quota": status(429, "quota", code="insufficient_quota"),
    "500": status(500, "oops\noops"),
    "502": status(502, "<html>Bad gateway"),
    "web page": page(),
    "redirect": redirect(307, "http://127.0.0.1:9/v1"),
    "bad redirect": redirect(302, "http://[::1/"),
    "hangs": hang(),
    "hangs in reply": hang_in_stream('{"text": "Ger'),
    "drips headers": drip_headers,
    "cut": ok({"text": "x"}, cut_after=1),
    "no end": ok({"text": "x"}, finish=None),
    "error event": error_in_stream("engine overloaded"),
    "not JSON": garbage(),
    "half JSON": packed(b'{"choices": ', ""),
    "deep JSON": packed(b"[" * 100_000, ""),
    "no choices": document([]),
    "odd choices": document({"choices": [1, None, {"message": 5}]}),
    "not UTF-8": bytes_in_stream(_EVENT % b"\xff\xfe"),
    "1e309": packed(b'{"choices": [1e309]}', ""),
    "corrupt gzip": packed(gzip.compress(b'{"choices": []}' * 999)[:-20]),
    "gzip bomb": packed(gzip.compress(b" " * (20 << 20))),
    "flood": flood("text/event-stream", b"", _EVENT % (b"x" * 60_000)),
    "empty": ok(""),
    "only thoughts": ok("<think>hm"),
    "refusal": ok("", refusal="I cannot."),
    "token limit": ok('{"text": "Germa', finish="length"),
    "says the key": ok({"text": f"Bearer {SECRET}", "thought": SECRET}, reasoning=SECRET),
    "much work": packed(gzip.compress(b"data: {}\n\n" * 20_000), kind="text/event-stream"),
    "only comments": flood("text/event-stream", b"", b":\n" * 8_000),
    "endless headers": endless_headers,
    "prose": ok("It is in Germany, I believe."),
    "other shape": ok({"colour": ["red"]}),
    "half a character": ok('{"text": "a\\ud800", "thought": "\\ud800"}'),
    "indices out of range": lambda e: _filled(e, 10**9),
    "hostile text": lambda e: _filled(e, _HOSTILE),
    "100 kB": lambda e: _filled(e, "x" * 100_000),
    "a megabyte": lambda e: _filled(e, "x" * (1 << 19)),
    "long lists": lambda e: _filled(e, _name, many=100),
    "endless lists": lambda e: _filled(e, _name, many=5_000),
    "a text that never closes": ok('{"text": "' + '\\"' * 500_000, size=1 << 16),
    "tabs": lambda e: _filled(e, "\t" * 100_000),
    "a text for each list": lambda e: _filled(e, "0,\t" * 30_000, many=-1),
    "deep reply": ok("[" * 5_000 + "]" * 5_000),
    "odd counts": document(
        {
            "choices": [{"message": {"content": json.dumps({"text": "x"})}}],
            "usage": {"prompt_tokens": -5, "completion_tokens": "many"},
        }
    ),
}


WAYS = tuple(product((True, False), (0, 1, 3)))  # streamed or whole; good calls before it


def cells(folder: Path, *, few: bool = False) -> list[Cell]:
    """`folder` holds the index of the small graph that all of them ask.

    `few`: each method with each fault, streamed and whole, one of them at the first call and the
    other at the second; what takes half of the time, a megabyte in every value, with one method in
    four and one way.
    """
    kg = small_graph()
    index = open_index(kg, Encoder(Settings()), Settings(data_dir=folder), folders=[])
    index.build()
    if few:
        turns = product(enumerate(METHODS), enumerate(FAULTS))
        chosen = [
            (method, fault, (streamed, (m + f + streamed) % 2))
            for (m, method), (f, fault) in turns
            for streamed in (True, False)
            if fault != "a megabyte" or m % 4 == 2 * streamed
        ]
    else:
        chosen = list(product(METHODS, FAULTS, WAYS))
    return carried_out(partial(_cell, kg, index, *one) for one in chosen)


def _cell(kg: KnowledgeGraph, index: Index, method: str, fault: str, way: tuple[bool, int]) -> Cell:
    """A method's run with a model that behaves for some calls."""
    streamed, after = way
    behave = FAULTS[fault] if streamed else rejects("stream", FAULTS[fault])
    row = METHODS[method]
    with OpenAIServer() as server:
        server.will(*[server.always] * after)
        server.always = behave
        model = OpenAIChat(
            "test-model", api_key=SECRET, base_url=server.url, timeout_s=0.5, max_retries=1
        )
        setup = Setup(row, row.params(), kg, model, BUDGET, index)
        column = f"{fault}, {'streamed' if streamed else 'whole'}, after {after}"
        return judged(method, column, QUESTION, setup)
