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
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, ValidationError

from kgqa_core.events import RECORD, Abstained, Answered, Record, Status
from kgqa_core.fork import Edits

SCHEMA = 3
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


_MOST_ANSWER = 1000  # characters of an answer in a list

# What brings a file of the version before to this one; the last is the present one.
_MIGRATIONS = {
    1: """
ALTER TABLE runs ADD COLUMN grounding TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN answer TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN llm_calls INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN tokens INTEGER NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN seconds REAL NOT NULL DEFAULT 0;
ALTER TABLE runs ADD COLUMN note TEXT NOT NULL DEFAULT '';
ALTER TABLE runs ADD COLUMN thumb INTEGER;
ALTER TABLE runs ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';
ALTER TABLE runs ADD COLUMN deleted_at TEXT;
""",
    2: """
ALTER TABLE runs ADD COLUMN parent TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_by_parent ON runs (parent) WHERE parent != '';
""",
}
# The columns a list of runs shows, worked out from the records when a run has ended.
_SUMMARY = """
UPDATE runs SET (llm_calls, tokens, seconds) = (
    SELECT coalesce(sum(record ->> '$.cost.llm_calls'), 0),
           coalesce(sum((record ->> '$.cost.prompt_tokens')
                        + (record ->> '$.cost.completion_tokens')), 0),
           coalesce(max(record ->> '$.at_s'), 0)
    FROM records WHERE run = runs.id
), grounding = ?, answer = ? WHERE id = ?
"""
_LISTED = (
    "id, started_at, question, method, graph, model, status, grounding, answer, "
    "llm_calls, tokens, seconds, parent, note, thumb, tags"
)


class Header(BaseModel):
    """What a run was asked, of what, and by whom it was read. `started_at` is ISO 8601, UTC.

    `graph` and `model` are titles; `graph_source` and `model_source` are what opens them again,
    as in `sources.py`, without a login. A fork names its `parent`, the position `forked_at` of
    the parent's record from which they part, and what it does otherwise.
    """

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
    graph_source: str = ""
    model_source: str = ""
    parent: str = ""
    forked_at: int | None = None
    edits: Edits | None = None


@dataclass(frozen=True)
class Listed:
    """A stored run as a row of a list. `thumb` is 1 up, 0 down, None not rated."""

    id: str
    started_at: str
    question: str
    method: str
    graph: str
    model: str
    status: Status
    grounding: str
    answer: str
    llm_calls: int
    tokens: int
    seconds: float
    parent: str
    note: str
    thumb: int | None
    tags: tuple[str, ...]


@dataclass(frozen=True)
class Search:
    """Which runs to list: those that fit everything that is not empty.

    Every word of `text` stands in question, answer or note. `outcome` is the grounding of runs
    that have one, else the status. `since` and `until` are ISO days.
    """

    text: str = ""
    method: tuple[str, ...] = ()
    graph: tuple[str, ...] = ()
    model: tuple[str, ...] = ()
    status: tuple[str, ...] = ()
    grounding: tuple[str, ...] = ()
    outcome: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    since: str = ""
    until: str = ""

    def where(self) -> tuple[str, list[str]]:
        """The condition in SQL, and its values."""
        parts, values = ["deleted_at IS NULL"], []
        for word in self.text.casefold().split():
            parts.append("instr(folded(question || ' ' || answer || ' ' || note), ?)")
            values.append(word)
        for field in ("method", "graph", "model", "status", "grounding"):
            wanted = getattr(self, field)
            if wanted:
                parts.append(f"{field} IN ({', '.join('?' * len(wanted))})")
                values += wanted
        if self.outcome:
            parts.append(
                "CASE grounding WHEN '' THEN status ELSE grounding END "
                f"IN ({', '.join('?' * len(self.outcome))})"
            )
            values += self.outcome
        for tag in self.tags:
            parts.append("EXISTS (SELECT 1 FROM json_each(tags) WHERE value = ?)")
            values.append(tag)
        if self.since:
            parts.append("started_at >= ?")
            values.append(self.since)
        if self.until:
            parts.append("substr(started_at, 1, 10) <= ?")
            values.append(self.until)
        return " AND ".join(parts), values


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
        db.create_function("folded", 1, str.casefold, deterministic=True)
        if found == 0:
            db.executescript(f"BEGIN;{_TABLES}PRAGMA user_version=1;COMMIT;")
            found = 1
        for version in range(found, SCHEMA):
            self._migrate(db, version)
        with db:  # what was deleted before the app was last closed can no longer be undone
            db.execute("DELETE FROM runs WHERE deleted_at < ?", (_now(),))

    def _migrate(self, db: sqlite3.Connection, version: int) -> None:
        """One version up; all of it or, when it fails, nothing."""
        db.execute("BEGIN IMMEDIATE")
        try:
            if db.execute("PRAGMA user_version").fetchone()[0] == version:  # no other was faster
                for statement in _MIGRATIONS[version].strip().split(";\n"):
                    db.execute(statement)
                if version == 1:
                    for (run,) in db.execute("SELECT id FROM runs").fetchall():
                        records = _records(db, run)
                        self._summarise(db, run, records[-1] if records else None)
                db.execute(f"PRAGMA user_version={version + 1}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise

    def _summarise(self, db: sqlite3.Connection, run: str, last: Record | None) -> None:
        grounding = answer = ""
        if last is not None and isinstance(last.event, Answered | Abstained):
            grounding = last.event.answer.grounding
            answer = last.event.answer.text or last.event.answer.reason
        db.execute(_SUMMARY, (grounding, answer[:_MOST_ANSWER], run))

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
                        "INSERT INTO runs "
                        "(id, started_at, question, method, graph, model, status, header, parent) "
                        "VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?)",
                        (
                            header.id,
                            header.started_at,
                            header.question,
                            header.method,
                            header.graph,
                            header.model,
                            header.model_dump_json(),
                            header.parent,
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
                    if status != "running":
                        self._summarise(db, run, records[-1] if records else None)

    def load(self, run: str) -> tuple[Header, list[Record]] | None:
        """A stored run; None when there is none of that id."""
        header, records = None, []
        with self._session() as db:
            if db:
                header = db.execute(
                    "SELECT header FROM runs WHERE id = ? AND deleted_at IS NULL", (run,)
                ).fetchone()
                records = _records(db, run) if header else []
        if header is None:
            return None
        return Header.model_validate(json.loads(header[0])), records

    def recent(self, limit: int = 50) -> list[tuple[Header, Status]]:
        """Newest first."""
        rows = []
        with self._session() as db:
            if db:
                rows = db.execute(
                    "SELECT header, status FROM runs WHERE deleted_at IS NULL "
                    "ORDER BY started_at DESC LIMIT ?",
                    (limit,),
                ).fetchall()
        return [(Header.model_validate_json(header), status) for header, status in rows]

    def find(self, search: Search, limit: int = 200) -> tuple[list[Listed], int]:
        """The newest runs that fit, and how many fit in all."""
        where, values = search.where()
        rows, count = [], 0
        with self._session() as db:
            if db:
                rows = db.execute(
                    f"SELECT {_LISTED} FROM runs WHERE {where} ORDER BY started_at DESC LIMIT ?",
                    (*values, limit),
                ).fetchall()
                count = len(rows)
                if count == limit:
                    asked = db.execute(f"SELECT count(*) FROM runs WHERE {where}", values)
                    count = asked.fetchone()[0]
        return [Listed(*(*row[:-1], tuple(json.loads(row[-1])))) for row in rows], count

    def choices(self) -> dict[str, list[str]]:
        """What there is to filter by: methods, graphs, models and tags of the stored runs."""
        found: dict[str, list[str]] = {"method": [], "graph": [], "model": [], "tags": []}
        with self._session() as db:
            if db:
                for field in ("method", "graph", "model"):
                    found[field] = _column(
                        db, f"SELECT DISTINCT {field} FROM runs WHERE deleted_at IS NULL"
                    )
                found["tags"] = _column(
                    db,
                    "SELECT DISTINCT value FROM runs, json_each(tags) "
                    "WHERE tags != '[]' AND deleted_at IS NULL",
                )
        return found

    def annotate(self, run: str, *, note: str, thumb: int | None, tags: Sequence[str]) -> None:
        """What a person says about a run."""
        kept = list(dict.fromkeys(t for t in (" ".join(t.split()) for t in tags) if t))
        with self._session() as db:
            if db:
                with db:
                    db.execute(
                        "UPDATE runs SET note = ?, thumb = ?, tags = ? WHERE id = ?",
                        (note.strip(), thumb, json.dumps(kept, ensure_ascii=False), run),
                    )

    def delete(self, runs: Sequence[str]) -> None:
        """Out of every list and link; `restore` undoes it until the app is opened again."""
        self._mark(runs, _now())

    def restore(self, runs: Sequence[str]) -> None:
        self._mark(runs, None)

    def _mark(self, runs: Sequence[str], when: str | None) -> None:
        with self._session() as db:
            if db:
                with db:
                    db.executemany(
                        "UPDATE runs SET deleted_at = ? WHERE id = ?", [(when, r) for r in runs]
                    )

    def close(self) -> None:
        with self._lock:
            if self._db is not None:
                self._db.close()
            self._db = None


def _records(db: sqlite3.Connection, run: str) -> list[Record]:
    """The records of a run, up to the first that cannot be read."""
    found = []
    for (record,) in db.execute("SELECT record FROM records WHERE run = ? ORDER BY seq", (run,)):
        try:
            found.append(RECORD.validate_json(record))
        except ValidationError:
            break
    return found


def _column(db: sqlite3.Connection, query: str) -> list[str]:
    return sorted(row[0] for row in db.execute(query))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
