"""Runs in a PostgreSQL database that several app servers share (`KGQA_RUNS_URL`).

The same verbs as `store.RunStore`. Each server leaves a sign of life; what a server had running
is marked as interrupted by the others once it has given none for a minute. While the database
cannot be reached, nobody is kept from asking: changes wait in memory and are written once it is
there again, and `problem` says so.
"""

from __future__ import annotations

import secrets
import threading
from collections import deque
from collections.abc import Callable, Sequence
from typing import Any, TypeVar

import sqlalchemy as sa
from pydantic import ValidationError
from sqlalchemy.dialects import postgresql
from sqlalchemy.engine import Connection

from kgqa_core.ask.events import RECORD, Record, Status, status_of
from kgqa_core.ask.header import Header
from kgqa_core.errors import SettingsError
from kgqa_core.history.store import (
    INTERRUPTED,
    Listed,
    Search,
    SortedBy,
    Used,
    answer_of,
    as_json,
    cut_off,
    tidy_tags,
)

T = TypeVar("T")
Change = Callable[[Connection], None]

SCHEMA = 1
_BEAT_S = 15.0  # between two signs of life
_GONE_S = 60.0  # without one, a server counts as gone
_CONNECT_S = 5
_MOST_WAITING = 20_000  # changes that wait in memory; beyond that the oldest are lost, and told
_LOCK = 4_750_213  # one server at a time makes tables

_tables = sa.MetaData()
_meta = sa.Table("kgqa_meta", _tables, sa.Column("schema", sa.Integer, nullable=False))
_servers = sa.Table(
    "kgqa_servers",
    _tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("beat", sa.DateTime(timezone=True), nullable=False),
)
_runs = sa.Table(
    "kgqa_runs",
    _tables,
    sa.Column("id", sa.Text, primary_key=True),
    sa.Column("started_at", sa.Text, nullable=False, index=True),
    sa.Column("question", sa.Text, nullable=False),
    sa.Column("method", sa.Text, nullable=False),
    sa.Column("graph", sa.Text, nullable=False),
    sa.Column("model", sa.Text, nullable=False),
    sa.Column("model_source", sa.Text, nullable=False),
    sa.Column("visitor", sa.Text, nullable=False, index=True),
    sa.Column("status", sa.Text, nullable=False, index=True),
    sa.Column("header", sa.Text, nullable=False),
    sa.Column("grounding", sa.Text, nullable=False, server_default=""),
    sa.Column("answer", sa.Text, nullable=False, server_default=""),
    sa.Column("llm_calls", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("tokens", sa.BigInteger, nullable=False, server_default="0"),
    sa.Column("seconds", sa.Float, nullable=False, server_default="0"),
    sa.Column("parent", sa.Text, nullable=False, index=True),
    sa.Column("owner", sa.Text, nullable=False),
    sa.Column("note", sa.Text, nullable=False, server_default=""),
    sa.Column("thumb", sa.Integer),
    sa.Column("tags", postgresql.ARRAY(sa.Text), nullable=False, server_default="{}"),
    sa.Column("deleted_at", sa.DateTime(timezone=True)),
    sa.Column("words", sa.Text, nullable=False),  # question, answer and note, folded, to search
)
_records = sa.Table(
    "kgqa_records",
    _tables,
    sa.Column("run", sa.ForeignKey("kgqa_runs.id", ondelete="CASCADE"), primary_key=True),
    sa.Column("seq", sa.Integer, primary_key=True),
    sa.Column("record", sa.Text, nullable=False),
)
_stops = sa.Table(
    "kgqa_stops",
    _tables,
    sa.Column("run", sa.ForeignKey("kgqa_runs.id", ondelete="CASCADE"), primary_key=True),
)
_LISTED = [_runs.c[name] for name in Listed.__dataclass_fields__]


class TeamStore:
    """Append-only while a run goes on; safe to use from several threads.

    Raises SettingsError for an address that is none of a PostgreSQL database.
    """

    def __init__(self, url: str) -> None:
        self._engine = sa.create_engine(
            _address(url),
            pool_pre_ping=True,
            pool_size=4,
            connect_args={"connect_timeout": _CONNECT_S, "application_name": "kgqa-explorer"},
        )
        sa.event.listen(self._engine, "before_cursor_execute", _with_plain_texts, retval=True)
        where = self._engine.url
        self.place = f"{where.host or 'localhost'}/{where.database or ''}"
        self._server = secrets.token_hex(8)
        self._ready = False
        self._trouble = ""
        self._lost = 0
        self._waiting: deque[Change] = deque()
        self._lock = threading.Lock()
        self._closing = threading.Event()
        self._tell = threading.Event()
        with self._lock:
            self._flush()
        self._thread = threading.Thread(target=self._live, name="kgqa-team-store", daemon=True)
        self._thread.start()

    @property
    def problem(self) -> str:
        """What is wrong, in a sentence or two; empty when nothing is."""
        lost = f" {self._lost:,} changes did not find room to wait and are lost."
        return self._trouble + (lost if self._lost else "")

    # -- the database ------------------------------------------------------------------------

    def _live(self) -> None:
        """Gives signs of life, and writes what waits."""
        while not self._closing.wait(0):
            with self._lock:
                self._flush()
                if self._ready:
                    self._try(self._beat)
            self._tell.clear()
            self._tell.wait(1.0 if self._trouble else _BEAT_S)

    def _beat(self, db: Connection) -> None:
        now = sa.func.now()
        mine = postgresql.insert(_servers).values(id=self._server, beat=now)
        db.execute(mine.on_conflict_do_update(index_elements=["id"], set_={"beat": now}))
        gone = sa.select(_servers.c.id).where(_servers.c.beat < now - _ago(_GONE_S))
        for (server,) in db.execute(gone.with_for_update(skip_locked=True)).fetchall():
            _interrupt(db, server)
            db.execute(sa.delete(_servers).where(_servers.c.id == server))

    def _prepare(self, db: Connection) -> None:
        db.execute(sa.select(sa.func.pg_advisory_xact_lock(_LOCK)))
        _tables.create_all(db)
        found = db.execute(sa.select(_meta.c.schema)).scalar()
        if found is None:
            db.execute(sa.insert(_meta).values(schema=SCHEMA))
        elif found > SCHEMA:
            raise _Newer(f"it was written by a newer version, schema {found}")
        # what was deleted a day ago can no longer be undone
        db.execute(sa.delete(_runs).where(_runs.c.deleted_at < sa.func.now() - _ago(86_400)))
        self._beat(db)
        self._ready = True

    def _try(self, change: Change) -> bool:
        """Whether it was carried out; what went wrong is told."""
        try:
            with self._engine.begin() as db:
                change(db)
        except sa.exc.IntegrityError:
            pass  # its run is gone: deleted for good by another server
        except (sa.exc.SQLAlchemyError, _Newer) as error:
            self._trouble = (
                f"Runs cannot be kept in the database {self.place} just now ({_short(error)}). "
                "They wait in memory, and are written as soon as it can be reached; see that it "
                "runs and that KGQA_RUNS_URL is right."
            )
            return False
        self._trouble = ""
        return True

    def _flush(self) -> None:
        if not self._ready and not self._try(self._prepare):
            return
        while self._waiting and self._try(self._waiting[0]):
            self._waiting.popleft()

    def _write(self, change: Change) -> None:
        """Makes a change, after those that wait; it waits too while they cannot be made."""
        with self._lock:
            if len(self._waiting) >= _MOST_WAITING:
                self._waiting.popleft()
                self._lost += 1
            self._waiting.append(change)
            if not self._trouble:  # else the thread tries once a second
                self._flush()
            if self._trouble:
                self._tell.set()

    def _read(self, look: Callable[[Connection], T], otherwise: T) -> T:
        """What is found, or `otherwise` when nothing can be read."""
        found = [otherwise]

        def change(db: Connection) -> None:
            found[0] = look(db)

        with self._lock:
            if not self._trouble:
                self._flush()
                self._try(change)
        return found[0]

    # -- runs --------------------------------------------------------------------------------

    def begin(self, header: Header) -> None:
        row = {
            "id": header.id,
            "started_at": header.started_at,
            "question": _plain(header.question),
            "method": _plain(header.method),
            "graph": _plain(header.graph),
            "model": _plain(header.model),
            "model_source": _plain(header.model_source),
            "visitor": _plain(header.visitor),
            "status": "running",
            "header": _plain(header.model_dump_json()),
            "parent": header.parent,
            "owner": self._server,
            "words": _folded(header.question),
        }
        self._write(lambda db: _carry_out(db, postgresql.insert(_runs).values(row)))

    def append(self, run: str, records: Sequence[Record], status: Status) -> None:
        """Adds records and says how the run stands."""
        rows = [{"run": run, "seq": r.seq, "record": _plain(as_json(r))} for r in records]

        def change(db: Connection) -> None:
            _put(db, rows)
            db.execute(sa.update(_runs).where(_runs.c.id == run).values(status=status))
            if status != "running":
                _summarise(db, run)

        self._write(change)

    def load(self, run: str) -> tuple[Header, list[Record]] | None:
        """A stored run; None when there is none of that id."""

        def look(db: Connection) -> tuple[Header, list[Record]] | None:
            query = sa.select(_runs.c.header).where(_runs.c.id == run, _kept())
            header = db.execute(query).scalar()
            return (Header.model_validate_json(header), _of(db, run)) if header else None

        return self._read(look, None)

    def goes_on(self, run: str) -> bool:
        """Whether another server is at work on it."""
        query = (
            sa.select(_runs.c.id)
            .join(_servers, _servers.c.id == _runs.c.owner)
            .where(
                _runs.c.id == run,
                _runs.c.status == "running",
                _runs.c.owner != self._server,
                _servers.c.beat >= sa.func.now() - _ago(_GONE_S),
            )
        )
        return self._read(lambda db: db.execute(query).first() is not None, False)

    def ask_to_stop(self, run: str) -> None:
        """Leaves word for the server that is at work on it."""
        query = postgresql.insert(_stops).values(run=run).on_conflict_do_nothing()
        self._write(lambda db: _carry_out(db, query))

    def asked_to_stop(self, runs: Sequence[str]) -> list[str]:
        """Those of `runs` that somebody elsewhere wants ended."""
        query = sa.select(_stops.c.run).where(_stops.c.run.in_(list(runs)))
        return self._read(lambda db: list(db.execute(query).scalars()), [])

    def knows(self, run: str) -> bool:
        """Whether there is a run of that id, deleted ones included."""
        query = sa.select(_runs.c.id).where(_runs.c.id == run)
        return self._read(lambda db: db.execute(query).first() is not None, False)

    def recent(self, limit: int = 50) -> list[tuple[Header, Status]]:
        """Newest first."""
        query = _newest(sa.select(_runs.c.header, _runs.c.status).where(_kept())).limit(limit)
        rows: list[Any] = self._read(lambda db: list(db.execute(query).fetchall()), [])
        return [(Header.model_validate_json(header), status) for header, status in rows]

    def find(
        self, search: Search, limit: int = 200, by: SortedBy = "started_at", rising: bool = False
    ) -> tuple[list[Listed], int]:
        """The first runs that fit, and how many fit in all; of equal ones the newest first."""
        where = _where(search)
        column: Any = _runs.c[by]
        column = sa.func.lower(column) if isinstance(_runs.c[by].type, sa.String) else column
        wanted = sa.select(*_LISTED).where(*where)
        wanted = _newest(wanted.order_by(column.asc() if rising else column.desc()))

        def look(db: Connection) -> tuple[list[Any], int]:
            rows = db.execute(wanted.limit(limit)).fetchall()
            if len(rows) < limit:
                return list(rows), len(rows)
            fits = sa.select(sa.func.count()).select_from(_runs).where(*where)
            return list(rows), db.execute(fits).scalar() or 0

        nothing: tuple[list[Any], int] = ([], 0)
        rows, count = self._read(look, nothing)
        return [Listed(*(*row[:-1], tuple(row[-1]))) for row in rows], count

    def choices(self, visitor: str | None = None) -> dict[str, list[str]]:
        """What there is to filter by: methods, graphs, models and tags of the stored runs.

        Of a visitor's own; None: of everybody's.
        """
        where = _where(Search(visitor=visitor))
        columns = {name: _runs.c[name] for name in ("method", "graph", "model")}
        columns["tags"] = sa.func.unnest(_runs.c.tags)  # type: ignore[assignment]

        def look(db: Connection) -> dict[str, list[str]]:
            return {
                name: sorted(db.execute(sa.select(column).where(*where).distinct()).scalars())
                for name, column in columns.items()
            }

        return self._read(look, {name: [] for name in columns})

    def used(self, since: str, visitor: str | None = None) -> Used:
        """Runs begun since then (ISO 8601, UTC), by a visitor; None: by all visitors together.

        Deleted ones count, too; imported ones do not. Tokens are those of the model that the
        environment names.
        """
        asked_here = _runs.c.header.not_like('%"origin":"imported"%')  # in a text, \\" stands for "
        by = _runs.c.visitor == visitor if visitor is not None else _runs.c.visitor != ""
        tokens = sa.case((_runs.c.model_source == "openai", _runs.c.tokens), else_=0)
        total = sa.cast(sa.func.coalesce(sa.func.sum(tokens), 0), sa.BigInteger)
        query = sa.select(sa.func.count(), total).where(_runs.c.started_at >= since, by, asked_here)
        rows: list[Any] = self._read(lambda db: list(db.execute(query).fetchall()), [(0, 0)])
        return Used(*rows[0])

    def annotate(self, run: str, *, note: str, thumb: int | None, tags: Sequence[str]) -> None:
        """What a person says about a run."""
        kept = [_plain(tag) for tag in tidy_tags(tags)]
        noted = {"note": _plain(note.strip()), "thumb": thumb, "tags": kept}

        def change(db: Connection) -> None:
            db.execute(sa.update(_runs).where(_runs.c.id == run).values(noted))
            _words(db, run)

        self._write(change)

    def delete(self, runs: Sequence[str]) -> None:
        """Out of every list and link; `restore` undoes it for a day."""
        self._mark(runs, sa.func.now())

    def restore(self, runs: Sequence[str]) -> None:
        self._mark(runs, None)

    def _mark(self, runs: Sequence[str], when: Any) -> None:
        query = sa.update(_runs).where(_runs.c.id.in_(list(runs))).values(deleted_at=when)
        self._write(lambda db: _carry_out(db, query))

    def close(self) -> None:
        """Writes what waits, if that can be done, and says goodbye."""
        self._closing.set()
        self._tell.set()
        self._thread.join()
        with self._lock:
            self._flush()
            if self._ready and not self._trouble:
                mine = sa.delete(_servers).where(_servers.c.id == self._server)
                self._try(lambda db: _interrupt(db, self._server))
                self._try(lambda db: _carry_out(db, mine))
            self._engine.dispose()


class _Newer(Exception):
    pass


def _address(url: str) -> sa.URL:
    wanted = "Set KGQA_RUNS_URL to postgresql://user:password@host/database, or leave it empty."
    try:
        parsed = sa.make_url(url.strip())
    except sa.exc.ArgumentError:
        raise SettingsError(f"The address of the runs' database cannot be read. {wanted}") from None
    if parsed.get_backend_name() not in ("postgresql", "postgres"):
        raise SettingsError(f"Runs can only be shared in a PostgreSQL database. {wanted}")
    return parsed.set(drivername="postgresql+psycopg")


def _short(error: Exception) -> str:
    """The first line of what a driver says; it names no password."""
    said = str(getattr(error, "orig", None) or error).strip() or type(error).__name__
    return said.splitlines()[0][:200].rstrip(".")


def _plain(text: str) -> str:
    """What PostgreSQL can keep: no character zero, no half characters."""
    return text.replace("\0", "\N{REPLACEMENT CHARACTER}").encode("utf-8", "replace").decode()


def _with_plain_texts(*told: Any) -> tuple[str, Any]:
    """Of what is about to be asked: statement and values, the one way all of them go.

    An address that names a run by such a character would be an error of the database otherwise,
    after which all writing waits.
    """
    return told[2], _plain_values(told[3])


def _plain_values(value: Any) -> Any:
    match value:
        case str():
            return _plain(value)
        case dict():
            return {name: _plain_values(one) for name, one in value.items()}
        case list() | tuple():
            return type(value)(map(_plain_values, value))
        case _:
            return value


def _folded(*texts: str) -> str:
    return _plain(" ".join(texts)).casefold()


def _ago(seconds: float) -> Any:
    return sa.func.make_interval(0, 0, 0, 0, 0, 0, seconds)


def _kept() -> Any:
    return _runs.c.deleted_at.is_(None)


def _newest(query: Any) -> Any:
    return query.order_by(_runs.c.started_at.desc())


def _carry_out(db: Connection, query: Any) -> None:
    db.execute(query)


def _put(db: Connection, rows: list[dict[str, Any]]) -> None:
    if rows:
        insert = postgresql.insert(_records)
        same = {"record": insert.excluded.record}
        db.execute(insert.on_conflict_do_update(index_elements=["run", "seq"], set_=same), rows)


def _where(search: Search) -> list[Any]:
    parts = [_kept()]
    parts += [
        sa.func.strpos(_runs.c.words, _plain(word)) > 0 for word in search.text.casefold().split()
    ]
    for field in ("method", "graph", "model", "status", "grounding"):
        wanted = getattr(search, field)
        if wanted:
            parts.append(_runs.c[field].in_(wanted))
    if search.outcome:
        came = sa.case((_runs.c.grounding == "", _runs.c.status), else_=_runs.c.grounding)
        parts.append(came.in_(search.outcome))
    parts += [sa.literal(tag) == sa.any_(_runs.c.tags) for tag in search.tags]
    if search.since:
        parts.append(_runs.c.started_at >= search.since)
    if search.until:
        parts.append(sa.func.substr(_runs.c.started_at, 1, 10) <= search.until)
    if search.visitor is not None:
        parts.append(_runs.c.visitor == search.visitor)
    return parts


def _of(db: Connection, run: str) -> list[Record]:
    """The records of a run, up to the first that is missing or cannot be read."""
    found: list[Record] = []
    query = sa.select(_records.c.record).where(_records.c.run == run).order_by(_records.c.seq)
    try:
        for text in db.execute(query).scalars():
            record = RECORD.validate_json(text)
            if record.seq != len(found):
                break
            found.append(record)
    except ValidationError:
        pass
    return found


def _summarise(db: Connection, run: str) -> None:
    """The columns a list of runs shows, worked out from the records when a run has ended."""
    records = _of(db, run)
    grounding, answer = answer_of(records[-1].event if records else None)
    values = {
        "llm_calls": sum(r.cost.llm_calls for r in records),
        "tokens": sum(r.cost.prompt_tokens + r.cost.completion_tokens for r in records),
        "seconds": max((r.at_s for r in records), default=0.0),
        "grounding": grounding,
        "answer": _plain(answer),
    }
    db.execute(sa.update(_runs).where(_runs.c.id == run).values(values))
    _words(db, run)


def _words(db: Connection, run: str) -> None:
    query = sa.select(_runs.c.question, _runs.c.answer, _runs.c.note).where(_runs.c.id == run)
    for row in db.execute(query).fetchall():
        words = _folded(*row)
        db.execute(sa.update(_runs).where(_runs.c.id == run).values(words=words))


def _interrupt(db: Connection, server: str) -> None:
    """Ends the runs of a server that nobody will go on with."""
    left = sa.select(_runs.c.id).where(_runs.c.owner == server, _runs.c.status == "running")
    for run in list(db.execute(left).scalars()):
        records = _of(db, run)
        if status_of(records) == "running":
            gone = cut_off(records, INTERRUPTED)
            _put(db, [{"run": run, "seq": gone.seq, "record": gone.model_dump_json()}])
            db.execute(sa.update(_runs).where(_runs.c.id == run).values(status="cancelled"))
            _summarise(db, run)
