"""Runs on disk: SQLite in write-ahead mode, one file in the data folder.

A folder that cannot be written keeps no one from asking: the store then holds nothing, and
`problem` says so in a sentence for the page.
"""

from __future__ import annotations

import json
import sqlite3
import threading
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict

from kgqa_core.events import RECORD, Record, Status

SCHEMA = 1
_TABLES = """
CREATE TABLE runs (
    id TEXT PRIMARY KEY,
    started_at TEXT NOT NULL,
    question TEXT NOT NULL,
    method TEXT NOT NULL,
    graph TEXT NOT NULL,
    model TEXT NOT NULL,
    status TEXT NOT NULL,
    header TEXT NOT NULL
) STRICT;
CREATE INDEX runs_by_time ON runs (started_at DESC);
CREATE TABLE records (
    run TEXT NOT NULL REFERENCES runs (id) ON DELETE CASCADE,
    seq INTEGER NOT NULL,
    record TEXT NOT NULL,
    PRIMARY KEY (run, seq)
) STRICT, WITHOUT ROWID;
"""


class Header(BaseModel):
    """What a run was asked, of what, and by whom it was read. `started_at` is ISO 8601, UTC."""

    model_config = ConfigDict(frozen=True)
    id: str
    question: str
    method: str
    params: dict[str, Any]
    graph: str
    graph_fingerprint: str
    model: str
    started_at: str
    version: str


class RunStore:
    """Append-only while a run goes on; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "runs.sqlite"
        self.problem = ""
        self._lock = threading.Lock()
        self._db: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            self._db = sqlite3.connect(self.path, check_same_thread=False, timeout=10)
            self._prepare(self._db)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("PRAGMA foreign_keys=ON")
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA:
            raise sqlite3.DatabaseError(f"written by a newer version (schema {found})")
        if found == 0:
            db.executescript(f"BEGIN;{_TABLES}PRAGMA user_version={SCHEMA};COMMIT;")

    def _give_up(self, error: Exception) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None
        self.problem = (
            f"Runs are kept only until the app closes: {self.path.parent} cannot be used "
            f"({error}). Set KGQA_DATA_DIR to a folder that can be written."
        )

    @contextmanager
    def _session(self) -> Iterator[sqlite3.Connection | None]:
        """The connection, or None once the store has given up."""
        with self._lock:
            try:
                yield self._db
            except sqlite3.Error as error:
                self._give_up(error)

    def begin(self, header: Header) -> None:
        with self._session() as db:
            if db:
                with db:
                    db.execute(
                        "INSERT INTO runs VALUES (?, ?, ?, ?, ?, ?, 'running', ?)",
                        (
                            header.id,
                            header.started_at,
                            header.question,
                            header.method,
                            header.graph,
                            header.model,
                            header.model_dump_json(),
                        ),
                    )

    def append(self, run: str, records: Sequence[Record], status: Status) -> None:
        """Adds records and says how the run stands."""
        rows = [(run, r.seq, r.model_dump_json()) for r in records]
        with self._session() as db:
            if db:
                with db:
                    db.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)
                    db.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))

    def load(self, run: str) -> tuple[Header, list[Record]] | None:
        """A stored run; None when there is none of that id."""
        header, rows = None, []
        with self._session() as db:
            if db:
                header = db.execute("SELECT header FROM runs WHERE id = ?", (run,)).fetchone()
                rows = db.execute(
                    "SELECT record FROM records WHERE run = ? ORDER BY seq", (run,)
                ).fetchall()
        if header is None:
            return None
        records = [RECORD.validate_json(row[0]) for row in rows]
        return Header.model_validate(json.loads(header[0])), records

    def recent(self, limit: int = 50) -> list[tuple[Header, Status]]:
        """Newest first."""
        rows = []
        with self._session() as db:
            if db:
                rows = db.execute(
                    "SELECT header, status FROM runs ORDER BY started_at DESC LIMIT ?", (limit,)
                ).fetchall()
        return [(Header.model_validate_json(header), status) for header, status in rows]

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None
