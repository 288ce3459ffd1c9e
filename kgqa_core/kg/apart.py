"""A query in a process of its own: it has an end, and fills no memory but its own.

Oxigraph cannot be told to stop, and one line of SPARQL may ask for more than any machine has. Run
as a file, this is that process: it knows nothing of the rest of the program.
"""

from __future__ import annotations

import pickle
import subprocess
import sys
import threading
from collections.abc import Mapping
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import pyoxigraph as ox

SECONDS = 60.0  # as Wikidata's service allows
_MEMORY = 512 << 20
_REPLY = 64 << 20
_TEXT = 10_001  # characters of a cell: one more than is read of it
_AT_ONCE = threading.BoundedSemaphore(2)

Rows = tuple[list[str], list[tuple[Any, ...]]]


class TooMuchAsked(Exception):
    """A query that does not end, or needs too much memory; in words that end a sentence."""


def answered(
    store: Path | None,
    sparql: str,
    limit: int,
    prefixes: Mapping[str, str],
    seconds: float | None = None,
) -> bool | Rows:
    """What an ASK says, or the columns and at most `limit` rows of a SELECT.

    `store`: the folder of an Oxigraph store; None: one with nothing in it. Raises TooMuchAsked,
    and what Oxigraph raises.
    """
    seconds = SECONDS if seconds is None else seconds
    if not _AT_ONCE.acquire(timeout=seconds):
        raise TooMuchAsked("other queries take all its time: try again later")
    try:
        asked = pickle.dumps((store and str(store), sparql, limit, dict(prefixes)))
        done = subprocess.run(
            [sys.executable, "-I", __file__], input=asked, capture_output=True, timeout=seconds
        )
    except subprocess.TimeoutExpired:
        raise TooMuchAsked(
            f"it takes more than {seconds:g} seconds: name more of what it asks for"
        ) from None
    finally:
        _AT_ONCE.release()
    if done.returncode or not done.stdout:
        raise TooMuchAsked("it needs too much memory: ask for less, or for less at once")
    kind, value = pickle.loads(done.stdout)
    if kind == "answer":
        found: bool | Rows = value
        return found
    raise {"SyntaxError": SyntaxError, "OSError": OSError}.get(kind, ValueError)(value)


def _bounded() -> None:
    with suppress(ImportError, ValueError, OSError):  # not on every system
        import resource

        resource.setrlimit(resource.RLIMIT_DATA, (_MEMORY, _MEMORY))
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))


def _found(store: str | None, sparql: str, limit: int, prefixes: dict[str, str]) -> bool | Rows:
    opened = ox.Store() if store is None else ox.Store.read_only(store)
    found = opened.query(sparql, prefixes=prefixes)
    if isinstance(found, ox.QueryBoolean):
        return bool(found)
    if not isinstance(found, ox.QuerySolutions):
        raise ValueError("only SELECT and ASK queries are answered")
    names = [variable.value for variable in found.variables]
    return names, [tuple(map(_cut, row)) for row in islice(found, limit)]


def _cut(cell: Any) -> Any:
    if isinstance(cell, ox.Literal) and len(cell.value) > _TEXT:
        if cell.language:
            return ox.Literal(cell.value[:_TEXT], language=cell.language)
        return ox.Literal(cell.value[:_TEXT], datatype=cell.datatype)
    return cell


def _main() -> None:
    _bounded()
    try:
        reply = pickle.dumps(("answer", _found(*pickle.load(sys.stdin.buffer))))
    except (SyntaxError, OSError, RuntimeError, ValueError) as error:
        kind = next((c for c in (SyntaxError, OSError) if isinstance(error, c)), ValueError)
        reply = pickle.dumps((kind.__name__, str(error)))
    if len(reply) <= _REPLY:
        sys.stdout.buffer.write(reply)


if __name__ == "__main__":
    _main()
