"""The graph that comes with the app: `assets/starter/*.tsv` into an embedded graph.

entities.tsv     id, label, description, aliases
properties.tsv   id, label, description, aliases, datatype
facts_*.tsv      subject, property, value, qualifiers, rank, source
sources.tsv      id, name, licence, address, description

Several aliases are joined by ` | `. A cell with an id may go on with the label, for people:
`Q64 Berlin`; an id with L (`L1001 Douglas Sirk`) is local, not Wikidata's. A value is an id, a
date (`1897-04-26`, `1897-04`, `1897`, `-0044` for 44 BC), a number (with a unit:
`4167 Q828224 kilometre`), `"text"`, `"text"@en` or `<https://address>`; a bare number is a year
where the property's datatype is time. Qualifiers read `P580 start time=1934; P582 end time=1944`.
Rank is empty, `preferred` or `deprecated`. Source is an id of sources.tsv; a folder without sources
leaves out that file and the column.

Reading them all takes seconds, so `open_starter` keeps what it built, and `begin_starter` lets a
process of its own build it meanwhile; neither has to where `prepare` was called before:

    KEPT/DIGEST/     a folder graph (folder.py); DIGEST is that of the files it was built from
    STORED/DIGEST/   the same, for every data folder
"""

from __future__ import annotations

import atexit
import json
import logging
import os
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from dataclasses import asdict, dataclass
from functools import lru_cache
from hashlib import blake2b
from pathlib import Path
from typing import TypeVar

from kgqa_core.background import Once
from kgqa_core.errors import SourceRejected, SourceUnavailable
from kgqa_core.facts import kinds
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    MONTH,
    STRING,
    URL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Rank,
    Relation,
    Statement,
    Value,
    short_id,
)
from kgqa_core.kg import label_store
from kgqa_core.kg.base import WD, GraphInfo
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import (
    ABOUT,
    HOW_MANY,
    LABELS,
    MOST_STATED,
    STORE,
    open_folder,
)
from kgqa_core.kg.labels import Name
from kgqa_core.kg.layout import full_id
from kgqa_core.places import ASSETS, PROGRAM

T = TypeVar("T")

FOLDER = ASSETS / "starter"
STORED = PROGRAM / "stored"
NAME = "starter"
_log = logging.getLogger(__name__)

_ENTITY_COLUMNS = ("id", "label", "description", "aliases")
_PROPERTY_COLUMNS = (*_ENTITY_COLUMNS, "datatype")
_FACT_COLUMNS = ("subject", "property", "value", "qualifiers", "rank", "source")
_SOURCE_COLUMNS = ("id", "name", "licence", "address", "description")
_RANKS: dict[str, Rank] = {
    "": "normal",
    "normal": "normal",
    "preferred": "preferred",
    "deprecated": "deprecated",
}

_ENTITY = re.compile(r"(Q[1-9]\d*|L[1-9]\d*)(?: .*)?")
_PROPERTY = re.compile(r"(P[1-9]\d*)(?: .*)?")
_TIME = re.compile(r"-?(\d{4,})(?:-(0[1-9]|1[0-2])(?:-(0[1-9]|[12]\d|3[01]))?)?")
_QUANTITY = re.compile(r"([+-]?\d+(?:\.\d+)?)(?: (Q[1-9]\d*)(?: .*)?)?")
_TEXT = re.compile(r'"(.*)"(?:@([A-Za-z-]+))?')
_ADDRESS = re.compile(r"<(\S+)>")
_NEXT_QUALIFIER = re.compile(r";\s*(?=P[1-9]\d*[ =])")


class _Unreadable(ValueError):
    """What is wrong with a line."""


@dataclass
class _Known:
    """The entities and properties that facts may name."""

    entities: dict[str, Entity]
    relations: dict[str, Relation]
    datatypes: dict[str, str]
    sources: dict[str, str]


@Once
def starter_graph() -> EmbeddedGraph:
    """The starter graph in memory, read once in a process: nothing changes it."""
    return load_starter()


def load_starter(folder: Path | None = None, name: str = NAME) -> EmbeddedGraph:
    """The starter graph in memory, or another one in the same format.

    Raises SourceRejected for an unreadable file, naming file and line.
    """
    return _Facts(folder or FOLDER, name).built()


def open_starter(kept: Path, folder: Path = FOLDER, name: str = NAME) -> EmbeddedGraph:
    """The starter graph, from the store that an earlier start left in the folder `kept`.

    It is built there when there is none of the files as they are now, and stores of other files
    are removed unless a program still reads them. A process opens it once. A folder that cannot
    be written is said in the log; the graph is then in memory.
    """
    digest = fingerprint(folder)
    if digest not in _OPEN:
        place = _place(kept, digest)
        if begun := _BEGUN.get(digest):
            begun.wait()
        try:
            if not (place / ABOUT).is_file():
                _keep(folder, place, name)
            _hold(place)
            _OPEN[digest] = open_folder(place, name)
        except OSError as error:
            _log.warning("The graph “%s” is not kept in %s (%s).", name, kept, error.strerror)
            return starter_graph() if folder == FOLDER else load_starter(folder, name)
    return _OPEN[digest]


_OPEN: dict[str, EmbeddedGraph] = {}  # by the digest of their files
_BEGUN: dict[str, subprocess.Popen[bytes]] = {}  # what is being built for this process


def begin_starter(kept: Path, folder: Path = FOLDER, name: str = NAME) -> bool:
    """Begins to build, in a process of its own, what `open_starter` will open; it waits for that.

    Whether it is being built; nothing is done where it is there. What goes wrong there is met
    again, and told, by `open_starter`, which then builds it itself.
    """
    digest = fingerprint(folder)
    begun = _BEGUN.get(digest)
    if begun is None and digest not in _OPEN and not (_place(kept, digest) / ABOUT).is_file():
        program = f"from {__name__} import _keep; from pathlib import Path; import gc, sys; " + (
            "gc.disable(); _keep(Path(sys.argv[1]), Path(sys.argv[2]), sys.argv[3])"
        )
        begun = _BEGUN[digest] = subprocess.Popen(
            [sys.executable, "-c", program, str(folder), str(kept.absolute() / digest), name],
            cwd=Path(__file__).parents[2],  # where this package lies
            stderr=subprocess.DEVNULL,
        )
        atexit.register(begun.terminate)
    return begun is not None and begun.poll() is None


def prepare(folder: Path, name: str) -> Path:
    """Builds beside the program what `open_starter` then opens, whatever the data folder.

    Raises SourceUnavailable where that cannot be written.
    """
    place = STORED / fingerprint(folder)
    try:
        if not (place / ABOUT).is_file():
            _keep(folder, place, name)
            place.chmod(0o755)  # who installs may be another user
    except OSError as error:
        raise SourceUnavailable(
            f"The graph “{name}” cannot be stored in {STORED} ({error.strerror}): the first start "
            "stores it in the data folder.",
            source=name,
        ) from error
    return place


def _place(kept: Path, digest: str) -> Path:
    """Where the store of these files lies, or will lie."""
    prepared = STORED / digest
    return prepared if (prepared / ABOUT).is_file() else kept / digest


def _keep(folder: Path, place: Path, name: str) -> None:
    """Builds beside the place and moves: nobody meets half a store."""
    kept = place.parent
    kept.mkdir(parents=True, exist_ok=True)
    part = Path(tempfile.mkdtemp(prefix="part-", dir=kept))
    try:
        _Facts(folder, name).build_in(part, place.name)
        with suppress(OSError):  # another program was quicker
            os.replace(part, place)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    for other in kept.iterdir():
        if other != place and not other.name.startswith("part-") and not _is_read(other):
            shutil.rmtree(other, ignore_errors=True)


_HELD: list[sqlite3.Connection] = []  # for the life of the process


def _readers(place: Path) -> sqlite3.Connection:
    """A database without a table, for its locks, which end with the process that has them."""
    return sqlite3.connect(
        place / "readers", timeout=0, isolation_level=None, check_same_thread=False
    )


def _hold(place: Path) -> None:
    """Tells other programs that this one reads the store; not where nothing can be written."""
    with suppress(sqlite3.Error):
        held = _readers(place)
        held.execute("BEGIN").execute("SELECT * FROM sqlite_master").fetchall()
        _HELD.append(held)


def _is_read(place: Path) -> bool:
    try:
        with closing(_readers(place)) as readers:
            readers.execute("BEGIN EXCLUSIVE")
    except sqlite3.OperationalError as error:
        return "locked" in str(error)
    except sqlite3.Error:
        return False
    return False


def fingerprint(folder: Path) -> str:
    """Of the files of a graph and of the way they are stored; they are read when they changed."""
    files = sorted(folder.glob("*.tsv"))
    seen = ((file, file.stat()) for file in files)
    return _digest(tuple((file, stat.st_size, stat.st_mtime_ns) for file, stat in seen))


@lru_cache(maxsize=64)
def _digest(files: tuple[tuple[Path, int, int], ...]) -> str:
    sum_ = blake2b(b"1", digest_size=16)  # count up when layout or label_store write differently
    for file, _, _ in files:
        sum_.update(file.name.encode() + b"\0" + file.read_bytes() + b"\0")
    return sum_.hexdigest()


class _Facts:
    """The files of a folder, read as they are asked for."""

    def __init__(self, folder: Path, name: str) -> None:
        self._folder, self._name = folder, name
        entities = _read(folder / "entities.tsv", _ENTITY_COLUMNS, _entity)
        properties = list(_read(folder / "properties.tsv", _PROPERTY_COLUMNS, _property))
        self._known = _Known(
            {short_id(e.id): e for e in entities},
            {r.id.removeprefix(WD): r for r, _ in properties},
            {r.id.removeprefix(WD): datatype for r, datatype in properties},
            {row[0]: row[1] for row in _sources(folder)},
        )
        self._statements = 0
        self._used: set[str] = set()

    def built(self, path: Path | None = None) -> EmbeddedGraph:
        """In memory, or in the new folder `path`."""
        entities, relations = self._known.entities.values(), self._known.relations.values()
        return EmbeddedGraph.build(self._name, entities, relations, self._facts(), path)

    def build_in(self, folder: Path, fingerprint: str) -> None:
        """What `open_folder` opens."""
        with ThreadPoolExecutor(1, thread_name_prefix="kgqa-names") as beside:
            named = beside.submit(label_store.build, folder / LABELS, self._names())
            most = self.built(folder / STORE).most_stated(HOW_MANY)
            named.result()
        about = GraphInfo(
            self._name, len(self._known.entities), self._statements, len(self._used), fingerprint
        )
        most_stated = [(entity.id, count) for entity, count in most]
        told = asdict(about) | {MOST_STATED: most_stated}
        (folder / ABOUT).write_text(json.dumps(told), encoding="utf-8")

    def _names(self) -> Iterator[Name]:
        for entity in self._known.entities.values():
            yield Name(entity.id, entity.label, False)
            for alias in entity.aliases:
                yield Name(entity.id, alias, True)

    def _facts(self) -> Iterator[Statement]:
        columns = _FACT_COLUMNS if self._known.sources else _FACT_COLUMNS[:-1]
        for file in sorted(self._folder.glob("facts_*.tsv")):
            for fact in _read(file, columns, lambda cells: _statement(cells, self._known)):
                if fact.rank != "deprecated":
                    self._statements += 1
                    self._used.add(fact.relation.id)
                yield fact


def _sources(folder: Path) -> Iterable[list[str]]:
    file = folder / "sources.tsv"
    return _read(file, _SOURCE_COLUMNS, lambda cells: cells) if file.exists() else ()


def _read(file: Path, columns: tuple[str, ...], parse: Callable[[list[str]], T]) -> Iterator[T]:
    """Every line after the heading, parsed; empty cells may be missing at the end of a line."""
    line = 1
    try:
        with file.open(encoding="utf-8-sig", newline="\n") as lines:
            for line, text in enumerate(lines, start=1):
                cells = [cell.strip() for cell in text.split("\t")]
                if line == 1:
                    if tuple(cells) != columns:
                        raise _Unreadable(f"the heading must be: {' '.join(columns)}")
                elif any(cells):
                    if len(cells) > len(columns):
                        raise _Unreadable(f"{len(cells)} cells instead of {len(columns)}")
                    yield parse(cells + [""] * (len(columns) - len(cells)))
    except _Unreadable as error:
        raise _broken(file, line, str(error)) from error
    except UnicodeDecodeError as error:
        raise _broken(file, line, "not UTF-8 text") from error
    except OSError as error:
        raise SourceRejected(
            f"{file} cannot be read ({error.strerror}): install the app again to restore it.",
            source=NAME,
        ) from error


def _broken(file: Path, line: int, problem: str) -> SourceRejected:
    return SourceRejected(
        f"{file.name}, line {line}: {problem}; correct the line in {file.parent}, or install the "
        "app again to restore the file.",
        source=NAME,
    )


def _entity(cells: list[str]) -> Entity:
    qid, label, description, aliases = cells
    return Entity(full_id(_id(_ENTITY, qid)), label, description, _aliases(aliases))


def _property(cells: list[str]) -> tuple[Relation, str]:
    pid, label, description, aliases, datatype = cells
    iri = WD + _id(_PROPERTY, pid)
    known = kinds.datatype(datatype)
    return Relation(iri, label, description, _aliases(aliases), known), datatype


def _statement(cells: list[str], known: _Known) -> Statement:
    subject, pid, value, qualifiers, rank, *source = cells
    if source and source[0] not in known.sources:
        raise _Unreadable(f"“{source[0]}” is not in sources.tsv")
    if rank not in _RANKS:
        raise _Unreadable(f"“{rank}” is not a rank")
    relation, datatype = _relation(pid, known)
    return Statement(
        _known_entity(subject, known),
        relation,
        _value(value, datatype, known),
        tuple(_qualifiers(qualifiers, known)),
        _RANKS[rank],
        NAME,
        known.sources[source[0]] if source else "",
    )


def _qualifiers(cell: str, known: _Known) -> Iterator[Qualifier]:
    for part in _NEXT_QUALIFIER.split(cell) if cell else ():
        pid, equals, value = part.partition("=")
        if not equals:
            raise _Unreadable(f"the qualifier “{part}” has no “=”")
        relation, datatype = _relation(pid.strip(), known)
        yield Qualifier(relation, _value(value.strip(), datatype, known))


def _value(cell: str, datatype: str, known: _Known) -> Value:
    if match := _TEXT.fullmatch(cell):
        return Literal(match[1], STRING, language=match[2] or "")
    if match := _ADDRESS.fullmatch(cell):
        return Literal(match[1], URL)
    if datatype == "time":
        if (match := _TIME.fullmatch(cell)) and int(match[1]):
            return Literal(cell, DATE if match[3] else MONTH if match[2] else YEAR)
        raise _Unreadable(f"“{cell}” is not a date: write YYYY, YYYY-MM or YYYY-MM-DD")
    if match := _QUANTITY.fullmatch(cell):
        unit = _known_entity(match[2], known) if match[2] else None
        return Literal(match[1].removeprefix("+"), DECIMAL, unit)
    if _ENTITY.fullmatch(cell):
        return _known_entity(cell, known)
    raise _Unreadable(f"“{cell}” is not a value: text needs quotation marks, an address <…>")


def _relation(cell: str, known: _Known) -> tuple[Relation, str]:
    pid = _id(_PROPERTY, cell)
    if pid not in known.relations:
        raise _Unreadable(f"{pid} is not in properties.tsv")
    return known.relations[pid], known.datatypes[pid]


def _known_entity(cell: str, known: _Known) -> Entity:
    qid = _id(_ENTITY, cell)
    if qid not in known.entities:
        raise _Unreadable(f"{qid} is not in entities.tsv")
    return known.entities[qid]


@lru_cache(maxsize=65_536)
def _id(pattern: re.Pattern[str], cell: str) -> str:
    match = pattern.fullmatch(cell)
    if match is None:
        raise _Unreadable(f"“{cell}” does not begin with an id like {pattern.pattern[1]}42")
    return match[1]


def _aliases(cell: str) -> tuple[str, ...]:
    return tuple(alias.strip() for alias in cell.split("|") if alias.strip())
