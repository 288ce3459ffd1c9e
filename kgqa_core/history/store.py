"""Runs on disk: SQLite in write-ahead mode, one file in the data folder.

Nothing that is wrong with the disk keeps anyone from asking. What cannot be written just now
(the file is locked, the disk is full) waits in memory and is written once it can be; a damaged
file is set aside and what can be read of it is copied; a folder that cannot be used at all holds
nothing. `problem` says so in a sentence for the page.
"""

from __future__ import annotations

import json
import os
import socket
import sqlite3
import threading
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Protocol, TypeVar
from typing import Literal as OneOf

from pydantic import ValidationError
from pydantic_core import PydanticSerializationError

from kgqa_core.ask.events import (
    RECORD,
    Abstained,
    Answered,
    Cancelled,
    Event,
    Failed,
    Record,
    Status,
    status_of,
)
from kgqa_core.ask.header import Header
from kgqa_core.settings import Settings
from kgqa_core.text import counted

T = TypeVar("T")
Change = Callable[[sqlite3.Connection], None]

SCHEMA = 4
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


INTERRUPTED = "The app was closed before the run ended."
_DAMAGED = "The rest of this run was lost when the file of runs was damaged."

_MOST_ANSWER = 1000  # characters of an answer in a list
_BUSY_S = 2.0  # how long SQLite waits for another program
_RETRY_S = 1.0  # between two tries to write what waits
_MOST_WAITING = 20_000  # changes that wait in memory; beyond that the store gives up
_PASSING = {  # SQLite's result codes of what may be over in a while
    sqlite3.SQLITE_BUSY,
    sqlite3.SQLITE_LOCKED,
    sqlite3.SQLITE_FULL,
    sqlite3.SQLITE_IOERR,
    sqlite3.SQLITE_READONLY,
    sqlite3.SQLITE_CANTOPEN,
}

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
ALTER TABLE runs ADD COLUMN owner TEXT NOT NULL DEFAULT '';
CREATE INDEX runs_by_parent ON runs (parent) WHERE parent != '';
""",
    3: """
CREATE TABLE stops (
    run TEXT PRIMARY KEY REFERENCES runs (id) ON DELETE CASCADE
) STRICT, WITHOUT ROWID;
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
_BY = "coalesce(header ->> '$.visitor', '') = ?"
_LISTED = (
    "id, started_at, question, method, graph, model, status, grounding, answer, "
    "llm_calls, tokens, seconds, parent, note, thumb, tags"
)


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
    that have one, else the status. `since` and `until` are ISO days. `visitor` None: of everybody.
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
    visitor: str | None = None

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
        if self.visitor is not None:
            parts.append(_BY)
            values.append(self.visitor)
        return " AND ".join(parts), values


SortedBy = OneOf[
    "started_at", "question", "answer", "method", "graph", "model", "llm_calls", "tokens", "seconds"
]


@dataclass(frozen=True)
class Used:
    """What was asked of this place: runs begun, and tokens of its own model."""

    runs: int
    tokens: int


class Store(Protocol):
    """Where runs are kept: a file of the data folder, or a database that servers share."""

    @property
    def problem(self) -> str: ...
    def begin(self, header: Header) -> None: ...
    def append(self, run: str, records: Sequence[Record], status: Status) -> None: ...
    def load(self, run: str) -> tuple[Header, list[Record]] | None: ...
    def goes_on(self, run: str) -> bool: ...
    def ask_to_stop(self, run: str) -> None: ...
    def asked_to_stop(self, runs: Sequence[str]) -> list[str]: ...
    def knows(self, run: str) -> bool: ...
    def recent(self, limit: int = 50) -> list[tuple[Header, Status]]: ...
    def find(
        self, search: Search, limit: int = 200, by: SortedBy = "started_at", rising: bool = False
    ) -> tuple[list[Listed], int]: ...
    def choices(self, visitor: str | None = None) -> dict[str, list[str]]: ...
    def used(self, since: str, visitor: str | None = None) -> Used: ...
    def annotate(self, run: str, *, note: str, thumb: int | None, tags: Sequence[str]) -> None: ...
    def delete(self, runs: Sequence[str]) -> None: ...
    def restore(self, runs: Sequence[str]) -> None: ...
    def close(self) -> None: ...


def open_store(settings: Settings) -> Store:
    """Raises SettingsError for a database address that is none."""
    if settings.runs_url is None:
        return RunStore(settings.data_dir)
    from kgqa_core.history.team_store import TeamStore  # a driver few need

    return TeamStore(settings.runs_url.get_secret_value())


class RunStore:
    """Append-only while a run goes on; safe to use from several threads."""

    def __init__(self, folder: Path) -> None:
        self.path = folder / "runs.sqlite"
        self._trouble = self._recovered = ""
        self._waiting: deque[Change] = deque()
        self._lock = threading.Lock()
        self._retry: threading.Timer | None = None
        self._db: sqlite3.Connection | None = None
        try:
            folder.mkdir(parents=True, exist_ok=True)
            try:
                self._db = self._open()
            except sqlite3.DatabaseError as error:
                if not _damaged(error):
                    raise
                self._recover(error)
        except (OSError, sqlite3.Error) as error:
            self._give_up(error)
        self._write(_interrupt)

    @property
    def problem(self) -> str:
        """What is wrong, in a sentence or two; empty when nothing is."""
        return " ".join(filter(None, (self._recovered, self._trouble)))

    def _open(self) -> sqlite3.Connection:
        db = sqlite3.connect(self.path, check_same_thread=False, timeout=_BUSY_S)
        try:
            self._prepare(db)
        except BaseException:
            db.close()
            raise
        return db

    def _prepare(self, db: sqlite3.Connection) -> None:
        db.execute("PRAGMA journal_mode=WAL")
        db.execute("PRAGMA synchronous=NORMAL")
        db.execute("PRAGMA foreign_keys=ON")
        found = db.execute("PRAGMA user_version").fetchone()[0]
        if found > SCHEMA:
            raise sqlite3.OperationalError(f"written by a newer version (schema {found})")
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
                        _summarise(db, run, records[-1].event if records else None)
                db.execute(f"PRAGMA user_version={version + 1}")
            db.execute("COMMIT")
        except BaseException:
            db.execute("ROLLBACK")
            raise

    # -- when something is wrong -------------------------------------------------------------

    def _give_up(self, error: Exception) -> None:
        if self._db is not None:
            self._db.close()
        self._db = None
        self._waiting.clear()
        self._trouble = (
            f"Runs are kept only until the app closes: {self.path.parent} cannot be used "
            f"({error}). Set KGQA_DATA_DIR to a folder that can be written."
        )

    def _recover(self, error: sqlite3.Error) -> None:
        """Sets a damaged file aside and begins another with what can be read of it."""
        if self._db is not None:
            self._db.close()
        aside = self.path.with_name(f"runs.damaged-{datetime.now(UTC):%Y%m%d-%H%M%S-%f}.sqlite")
        for tail in ("", "-wal", "-shm"):
            with suppress(FileNotFoundError):
                os.replace(f"{self.path}{tail}", f"{aside}{tail}")
        self._db = self._open()
        whole, part = _salvage(aside, self._db)
        found = f"{counted(whole, 'run')} of it could be read"
        found += f", {part:,} more in part" if part else ""
        self._recovered = (
            f"The file of runs was damaged ({error}). {found}; what else it held is lost. "
            f"The damaged file is kept as {aside.name}."
        )

    def _write(self, change: Change) -> None:
        """Makes a change, after those that wait; it waits too while they cannot be made."""
        with self._lock:
            if self._db is not None:
                self._waiting.append(change)
                self._flush()

    def _flush(self) -> None:
        recovered = False
        while self._waiting and self._db is not None:
            try:
                with self._db:
                    self._waiting[0](self._db)
            except sqlite3.IntegrityError:
                self._waiting.popleft()  # its run is gone: deleted for good by another program
            except sqlite3.Error as error:
                if _damaged(error) and not recovered:
                    recovered = True
                    self._try_to_recover(error)
                elif _passing(error) and len(self._waiting) <= _MOST_WAITING:
                    self._trouble = (
                        f"Runs cannot be written to {self.path.parent} just now ({error}). They "
                        "wait, and are written as soon as they can be."
                    )
                    self._retry_later()
                    return
                else:
                    self._give_up(error)
                    return
            else:
                self._waiting.popleft()
        if self._db is not None:
            self._trouble = ""

    def _retry_later(self) -> None:
        if self._retry is None or not self._retry.is_alive():
            self._retry = threading.Timer(_RETRY_S, self._again)
            self._retry.daemon = True
            self._retry.start()

    def _again(self) -> None:
        with self._lock:
            self._retry = None
            self._flush()

    def _try_to_recover(self, error: sqlite3.Error) -> None:
        try:
            self._recover(error)
        except (OSError, sqlite3.Error) as worse:
            self._give_up(worse)

    def _read(self, look: Callable[[sqlite3.Connection], T], otherwise: T) -> T:
        """What is found, or `otherwise` when nothing can be read."""
        with self._lock:
            for _ in range(2):
                if self._db is None:
                    break
                try:
                    return look(self._db)
                except sqlite3.Error as error:
                    if _damaged(error):
                        self._try_to_recover(error)
                    elif not _passing(error):
                        self._give_up(error)
            return otherwise

    # -- runs --------------------------------------------------------------------------------

    def begin(self, header: Header) -> None:
        row = (
            header.id,
            header.started_at,
            header.question,
            header.method,
            header.graph,
            header.model,
            header.model_dump_json(),
            header.parent,
            _owner(),
        )
        self._write(
            lambda db: _execute(
                db,
                "INSERT INTO runs (id, started_at, question, method, graph, model, status, "
                "header, parent, owner) VALUES (?, ?, ?, ?, ?, ?, 'running', ?, ?, ?)",
                row,
            )
        )

    def append(self, run: str, records: Sequence[Record], status: Status) -> None:
        """Adds records and says how the run stands."""
        rows = [(run, r.seq, as_json(r)) for r in records]
        last = records[-1].event if records else None

        def change(db: sqlite3.Connection) -> None:
            db.executemany("INSERT OR REPLACE INTO records VALUES (?, ?, ?)", rows)
            db.execute("UPDATE runs SET status = ? WHERE id = ?", (status, run))
            if status != "running":
                _summarise(db, run, last)

        self._write(change)

    def load(self, run: str) -> tuple[Header, list[Record]] | None:
        """A stored run; None when there is none of that id."""

        def look(db: sqlite3.Connection) -> tuple[Header, list[Record]] | None:
            header = db.execute(
                "SELECT header FROM runs WHERE id = ? AND deleted_at IS NULL", (run,)
            ).fetchone()
            return (Header.model_validate_json(header[0]), _records(db, run)) if header else None

        return self._read(look, None)

    def goes_on(self, run: str) -> bool:
        """Whether another process is at work on it."""
        query = "SELECT owner FROM runs WHERE id = ? AND status = 'running'"
        owners: list[Any] = self._read(lambda db: db.execute(query, (run,)).fetchall(), [])
        return any(owner != _owner() and _goes_on(owner) for (owner,) in owners)

    def ask_to_stop(self, run: str) -> None:
        """Leaves word for the process that is at work on it."""
        query = "INSERT OR IGNORE INTO stops (run) VALUES (?)"
        self._write(lambda db: _execute(db, query, (run,)))

    def asked_to_stop(self, runs: Sequence[str]) -> list[str]:
        """Those of `runs` that somebody elsewhere wants ended."""
        query = "SELECT run FROM stops WHERE run IN (SELECT value FROM json_each(?))"
        wanted = (json.dumps(list(runs)),)
        rows: list[Any] = self._read(lambda db: db.execute(query, wanted).fetchall(), [])
        return [run for (run,) in rows]

    def knows(self, run: str) -> bool:
        """Whether there is a run of that id, deleted ones included."""
        query = "SELECT 1 FROM runs WHERE id = ?"
        return self._read(lambda db: db.execute(query, (run,)).fetchone() is not None, False)

    def recent(self, limit: int = 50) -> list[tuple[Header, Status]]:
        """Newest first."""
        query = (
            "SELECT header, status FROM runs WHERE deleted_at IS NULL "
            "ORDER BY started_at DESC LIMIT ?"
        )
        rows: list[Any] = self._read(lambda db: db.execute(query, (limit,)).fetchall(), [])
        return [(Header.model_validate_json(header), status) for header, status in rows]

    def find(
        self, search: Search, limit: int = 200, by: SortedBy = "started_at", rising: bool = False
    ) -> tuple[list[Listed], int]:
        """The first runs that fit, and how many fit in all; of equal ones the newest first."""
        where, values = search.where()
        order = f"{by} COLLATE NOCASE {'ASC' if rising else 'DESC'}, started_at DESC"

        def look(db: sqlite3.Connection) -> tuple[list[Any], int]:
            rows = db.execute(
                f"SELECT {_LISTED} FROM runs WHERE {where} ORDER BY {order} LIMIT ?",
                (*values, limit),
            ).fetchall()
            if len(rows) < limit:
                return rows, len(rows)
            counted = db.execute(f"SELECT count(*) FROM runs WHERE {where}", values)
            return rows, counted.fetchone()[0]

        nothing: tuple[list[Any], int] = ([], 0)
        rows, count = self._read(look, nothing)
        return [Listed(*(*row[:-1], tuple(json.loads(row[-1])))) for row in rows], count

    def choices(self, visitor: str | None = None) -> dict[str, list[str]]:
        """What there is to filter by: methods, graphs, models and tags of the stored runs.

        Of a visitor's own; None: of everybody's.
        """
        where, values = Search(visitor=visitor).where()

        def look(db: sqlite3.Connection) -> dict[str, list[str]]:
            found = {
                field: _column(db, f"SELECT DISTINCT {field} FROM runs WHERE {where}", values)
                for field in ("method", "graph", "model")
            }
            found["tags"] = _column(
                db,
                f"SELECT DISTINCT value FROM runs, json_each(tags) WHERE tags != '[]' AND {where}",
                values,
            )
            return found

        return self._read(look, {"method": [], "graph": [], "model": [], "tags": []})

    def used(self, since: str, visitor: str | None = None) -> Used:
        """Runs begun since then (ISO 8601, UTC), by a visitor; None: by all visitors together.

        Deleted ones count, too; imported ones do not. Tokens are those of the model that the
        environment names.
        """
        by, values = (_BY, [visitor]) if visitor is not None else (f"NOT {_BY}", [""])
        query = (
            "SELECT count(*), coalesce(sum(CASE header ->> '$.model_source' WHEN 'openai' "
            f"THEN tokens ELSE 0 END), 0) FROM runs WHERE started_at >= ? AND {by} "
            "AND header ->> '$.origin' IS NOT 'imported'"
        )
        rows = self._read(lambda db: db.execute(query, (since, *values)).fetchall(), [(0, 0)])
        return Used(*rows[0])

    def annotate(self, run: str, *, note: str, thumb: int | None, tags: Sequence[str]) -> None:
        """What a person says about a run."""
        row = (note.strip(), thumb, json.dumps(tidy_tags(tags), ensure_ascii=False), run)
        query = "UPDATE runs SET note = ?, thumb = ?, tags = ? WHERE id = ?"
        self._write(lambda db: _execute(db, query, row))

    def delete(self, runs: Sequence[str]) -> None:
        """Out of every list and link; `restore` undoes it until the app is opened again."""
        self._mark(runs, _now())

    def restore(self, runs: Sequence[str]) -> None:
        self._mark(runs, None)

    def _mark(self, runs: Sequence[str], when: str | None) -> None:
        rows = [(when, run) for run in runs]

        def change(db: sqlite3.Connection) -> None:
            db.executemany("UPDATE runs SET deleted_at = ? WHERE id = ?", rows)

        self._write(change)

    def close(self) -> None:
        with self._lock:
            if self._retry is not None:
                self._retry.cancel()
            self._flush()
            if self._retry is not None:
                self._retry.cancel()
            if self._db is not None:
                self._db.close()
            self._db = None


def tidy_tags(tags: Sequence[str]) -> list[str]:
    """Each once, without the spaces around it."""
    return list(dict.fromkeys(t for t in (" ".join(t.split()) for t in tags) if t))


def as_json(record: Record) -> str:
    """A record as it is kept."""
    try:
        return record.model_dump_json()
    except PydanticSerializationError:  # half a character, in a broken label or reply
        text = json.dumps(record.model_dump(mode="json"), ensure_ascii=False)
        return text.encode("utf-8", "replace").decode()


def _execute(db: sqlite3.Connection, query: str, values: Sequence[Any]) -> None:
    db.execute(query, values)


def _damaged(error: sqlite3.Error) -> bool:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF  # without the extension
    text = "could not decode" in str(error).lower()  # a page that has become no text
    return text or code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB)


def _passing(error: sqlite3.Error) -> bool:
    return getattr(error, "sqlite_errorcode", 0) & 0xFF in _PASSING


def answer_of(last: Event | None) -> tuple[str, str]:
    """Grounding and answer, or what there is instead, as a list of runs shows them."""
    grounding = answer = ""
    if isinstance(last, Answered | Abstained):
        grounding = last.answer.grounding
        answer = last.answer.text or last.answer.reason
    elif isinstance(last, Failed):
        answer = last.message
    elif isinstance(last, Cancelled):
        answer = last.reason
    return grounding, answer[:_MOST_ANSWER]


def _summarise(db: sqlite3.Connection, run: str, last: Event | None) -> None:
    db.execute(_SUMMARY, (*answer_of(last), run))


def _end(db: sqlite3.Connection, run: str, records: Sequence[Record], reason: str) -> None:
    """Ends a run that nobody will go on with."""
    gone = cut_off(records, reason)
    db.execute(
        "INSERT OR REPLACE INTO records VALUES (?, ?, ?)", (run, gone.seq, gone.model_dump_json())
    )
    db.execute("UPDATE runs SET status = 'cancelled' WHERE id = ?", (run,))
    _summarise(db, run, gone.event)


def cut_off(records: Sequence[Record], reason: str = INTERRUPTED) -> Record:
    """The record that ends a run which did not come to its own end."""
    last = records[-1] if records else Record(seq=-1, step=0, at_s=0.0, event=Cancelled())
    return Record(seq=last.seq + 1, step=last.step, at_s=last.at_s, event=Cancelled(reason=reason))


def _interrupt(db: sqlite3.Connection) -> None:
    """Marks the runs of processes that are gone: killed, or of a machine that went down."""
    rows = db.execute("SELECT id, owner FROM runs WHERE status = 'running'").fetchall()
    for run, owner in rows:
        if not _goes_on(owner):
            records = _records(db, run)
            if status_of(records) == "running":
                _end(db, run, records, INTERRUPTED)


def _owner() -> str:
    """Which process writes a run: host and process id."""
    return f"{socket.gethostname()}:{os.getpid()}"


def _goes_on(owner: str) -> bool:
    """Whether that process may still be there; one on another host may."""
    host, _, pid = owner.rpartition(":")
    if not pid.isdecimal():
        return False
    if host != socket.gethostname():
        return True
    try:
        os.kill(int(pid), 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _salvage(aside: Path, into: sqlite3.Connection) -> tuple[int, int]:
    """Copies the runs a damaged file still gives; how many came over whole, and in part."""
    whole = part = 0
    damaged = sqlite3.connect(aside)
    try:
        known = {row[1] for row in into.execute("PRAGMA table_info(runs)")}
        columns = [row[1] for row in damaged.execute("PRAGMA table_info(runs)")]
        columns = [column for column in columns if column in known]
        names, marks = ", ".join(columns), ", ".join("?" * len(columns))
        for row in _readable(damaged, f"SELECT {names} FROM runs NOT INDEXED", "rowid"):
            records = _records(damaged, row[columns.index("id")], damaged=True)
            try:
                header = Header.model_validate_json(row[columns.index("header")])
                with into:
                    into.execute(f"INSERT INTO runs ({names}) VALUES ({marks})", row)
                    into.executemany(
                        "INSERT INTO records VALUES (?, ?, ?)",
                        [(header.id, r.seq, r.model_dump_json()) for r in records],
                    )
                    if status_of(records) == "running":
                        _end(into, header.id, records, _DAMAGED)
                        part += 1
                    else:
                        _summarise(into, header.id, records[-1].event)
                        whole += 1
            except (ValueError, sqlite3.IntegrityError):
                continue  # this row is damaged itself
    except sqlite3.DatabaseError:
        pass  # not even its list of tables can be read
    finally:
        damaged.close()
    return whole, part


def _readable(db: sqlite3.Connection, query: str, order: str) -> Iterator[tuple[Any, ...]]:
    """Rows up to the first damaged page, then from the other end down to the last one."""
    seen: set[tuple[Any, ...]] = set()
    for direction in ("ASC", "DESC"):
        try:
            for row in db.execute(f"{query} ORDER BY {order} {direction}"):
                if row not in seen:
                    seen.add(row)
                    yield row
        except sqlite3.DatabaseError:
            continue
        return


def _records(db: sqlite3.Connection, run: str, *, damaged: bool = False) -> list[Record]:
    """The records of a run, up to the first that is missing or cannot be read.

    `damaged`: also up to a page of the file that cannot be read.
    """
    found: list[Record] = []
    try:
        rows = db.execute("SELECT record FROM records WHERE run = ? ORDER BY seq", (run,))
        for (text,) in rows:
            record = RECORD.validate_json(text)
            if record.seq != len(found):
                break
            found.append(record)
    except ValidationError:
        pass
    except sqlite3.DatabaseError:
        if not damaged:
            raise
    return found


def _column(db: sqlite3.Connection, query: str, values: Sequence[str]) -> list[str]:
    return sorted(row[0] for row in db.execute(query, values))


def _now() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
