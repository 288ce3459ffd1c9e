"""What graphs elsewhere answered, kept on disk for a while: SQLite, with limits of age and size."""

from __future__ import annotations

import json
import logging
import sqlite3
import threading
import time
import zlib
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from typing import Any

_DAY_S = 86_400
_PART = 500  # keys in one query
_USED_S = 60.0  # how exactly it is known when an entry was used: what is read is seldom written
_CHECK_EVERY = 0.05  # of the size allowed is written between looks at it, which read all there is
_SHORT = 1_000  # bytes; packing shorter ones takes longer than all else about them
_ENCODE = json.JSONEncoder(check_circular=False).encode  # `dumps` looks at its options each time
_MOMENT_S = 0.2  # until what was put is written: who put it goes on with it first
_log = logging.getLogger(__name__)

_TABLE = """
CREATE TABLE IF NOT EXISTS entry (
    key BLOB PRIMARY KEY, value BLOB NOT NULL, written REAL NOT NULL, used REAL NOT NULL
) WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS entry_used ON entry (used);
"""


class DiskCache:
    """JSON values by key. Any number of threads and programs may use one file.

    A cache never fails: a damaged file is begun anew, and without a place to write it remembers
    in memory. What is put is known here at once and written a moment later, when nobody waits for
    it, at the latest as the program ends: other programs know it then.
    """

    # Not diskcache: last released in 2023, one query a key (1,000 keys: 0.23 s to read and 0.14 s
    # to write, here 0.06 s and 0.05 s), and unpickles what it finds unless told otherwise.

    def __init__(
        self, path: Path | None, *, days: float = 7.0, most_bytes: int = 500 << 20
    ) -> None:
        self._path, self._days, self._most = path, days, most_bytes
        self._lock = threading.Lock()
        self._written = 0
        self._coming: dict[str, tuple[Any, float]] = {}  # put then, and not yet written
        with _door:  # of the same file
            others = [one for one in _waiting if path is not None and one._path == path]
        for one in others:
            one.write()
        self._db = self._open()

    def get(self, keys: Sequence[str]) -> dict[str, Any]:
        """The values of those keys that are known and not too old."""
        found: dict[str, Any] = {}
        if self._days > 0:
            with _door:
                coming = {key: self._coming[key] for key in keys if key in self._coming}
            found = {key: json.loads(_ENCODE(value)) for key, (value, _) in coming.items()}
        digests = {_digest(key): key for key in keys if key not in found}
        if not digests:
            return found
        now = time.time()
        oldest = now - self._days * _DAY_S
        with self._session() as db:
            for part in _parts(list(digests)):
                marks = ",".join("?" * len(part))
                rows = db.execute(
                    f"SELECT key, value, used FROM entry WHERE key IN ({marks}) AND written > ?",
                    (*part, oldest),
                ).fetchall()
                values = json.loads(b"[%s]" % b",".join(_unpacked(value) for _, value, _ in rows))
                found |= {digests[row[0]]: one for row, one in zip(rows, values, strict=True)}
                used = [(now, digest) for digest, _, last in rows if last < now - _USED_S]
                db.executemany("UPDATE entry SET used = ? WHERE key = ?", used)
        return found

    def put(self, values: Mapping[str, Any]) -> None:
        now = time.time()
        with _door:
            self._coming |= {key: (value, now) for key, value in values.items()}
            if self in _waiting:
                return
            _waiting.add(self)
        threading.Timer(_MOMENT_S, self.write).start()

    def write(self) -> None:
        """Writes what was put, now."""
        coming: dict[str, tuple[Any, float]] = {}
        try:
            with self._session() as db:
                with _door:
                    _waiting.discard(self)
                    coming = dict(self._coming)
                rows = [
                    (_digest(key), _packed(_ENCODE(value).encode()), put, put)
                    for key, (value, put) in coming.items()
                ]
                db.executemany("INSERT OR REPLACE INTO entry VALUES (?, ?, ?, ?)", rows)
                self._written += sum(len(value) for _, value, _, _ in rows)
                if self._written >= _CHECK_EVERY * self._most:
                    self._written = 0
                    self._shrink(db)
        except Exception:  # most often in a thread of its own, where nobody else would hear of it
            _log.exception("Answers of a graph were not kept.")
        with _door:
            for key, one in coming.items():
                if self._coming.get(key) is one:  # nothing newer was put
                    del self._coming[key]

    def clear(self) -> None:
        with self._session() as db:
            with _door:
                self._coming = {}
            db.execute("DELETE FROM entry")

    def shrink(self) -> None:
        """Drops what is too old, then what was not used for longest, down to the size allowed."""
        self.write()
        with self._session() as db:
            self._shrink(db)

    @property
    def bytes(self) -> int:
        """What the values take."""
        self.write()
        with self._session() as db:
            return int(db.execute("SELECT total(length(value)) FROM entry").fetchone()[0])
        return 0

    def _shrink(self, db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM entry WHERE written < ?", (time.time() - self._days * _DAY_S,))
        total = db.execute("SELECT total(length(value)) FROM entry").fetchone()[0]
        if total <= self._most:
            return
        drop = []
        rows = db.execute("SELECT key, length(value) FROM entry ORDER BY used")
        for key, size in rows:
            drop.append((key,))
            total -= size
            if total <= 0.8 * self._most:
                break
        db.executemany("DELETE FROM entry WHERE key = ?", drop)

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection]:
        """The database, for one thread at a time; what goes wrong with it is nobody's problem."""
        with self._lock:
            try:
                with self._db:
                    yield self._db
            except (sqlite3.Error, zlib.error, ValueError):
                self._db.close()
                if self._path is not None:
                    self._path.unlink(missing_ok=True)
                self._db = self._open()

    def _open(self) -> sqlite3.Connection:
        for place in (self._path, self._path, None):  # damaged, anew, in memory
            try:
                if place is not None:
                    place.parent.mkdir(parents=True, exist_ok=True)
                db = sqlite3.connect(place or ":memory:", check_same_thread=False, timeout=5)
                db.execute("PRAGMA journal_mode=WAL")
                db.execute("PRAGMA synchronous=OFF")
                db.executescript(_TABLE)
                return db
            except sqlite3.DatabaseError:
                if place is not None:
                    place.unlink(missing_ok=True)
            except OSError:
                pass
        raise AssertionError("memory can always be written")


_waiting: set[DiskCache] = set()  # those with something to write
_door = threading.Lock()  # to them, and to what it is


def _digest(key: str) -> bytes:
    return blake2b(key.encode("utf-8", "replace"), digest_size=16).digest()


def _packed(text: bytes) -> bytes:
    return text if len(text) < _SHORT else zlib.compress(text, 1)


def _unpacked(value: bytes) -> bytes:
    return zlib.decompress(value) if value.startswith(b"x") else value  # no JSON begins so


def _parts(keys: list[bytes]) -> Iterator[list[bytes]]:
    for start in range(0, len(keys), _PART):
        yield keys[start : start + _PART]
