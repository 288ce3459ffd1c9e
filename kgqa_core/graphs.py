"""The graphs somebody added, in one small file of the data folder, and files on their way in.

DATA/graphs.json           the list
DATA/graphs/NAME/          a graph loaded from an upload
DATA/graphs/.loading/…     one that is being loaded; cleared away when its process is gone
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING
from typing import Literal as OneOf
from urllib.parse import urlsplit, urlunsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from kgqa_core.errors import KGQAError, SettingsError, SourceUnavailable, Stopped
from kgqa_core.kg.base import KnowledgeGraph, Queryable

if TYPE_CHECKING:
    from kgqa_core.kg.load import Progress

Kind = OneOf["starter", "wikidata", "endpoint", "folder", "loaded", "union"]

_BUILT_IN: tuple[tuple[str, str, Kind], ...] = (
    ("starter", "starter", "starter"),
    ("wikidata", "Wikidata, live", "wikidata"),
)
_MOST_TITLE, _MOST_EXAMPLES, _MOST_EXAMPLE = 60, 12, 300
_MOST_UNPACKED = 4 << 30  # bytes a file of an upload may become
_TOO_LARGE_TO_COUNT = frozenset({"wikidata", "qlever", "dbpedia"})

_lock = threading.Lock()


class Entry(BaseModel):
    """A graph in the list. `source` is what `sources.open_graph` takes."""

    model_config = ConfigDict(frozen=True)
    source: str
    title: str
    kind: Kind
    examples: tuple[str, ...] = ()

    @property
    def built_in(self) -> bool:
        return self.kind in ("starter", "wikidata")

    @property
    def address(self) -> str:
        """The source for people, without a password."""
        return ", ".join(_without_login(part) for part in self.source.split(","))


class _File(BaseModel):
    format: int = 1
    graphs: list[Entry] = []


class Registry:
    """The list. Cheap to make: it reads the file when asked, and replaces it whole."""

    def __init__(self, data_dir: Path) -> None:
        self.data_dir = data_dir
        self._path = data_dir / "graphs.json"

    @property
    def problem(self) -> str:
        """Why the graphs that were added cannot be listed, in a sentence; empty when they can."""
        try:
            self._read()
        except SettingsError as error:
            return str(error)
        return ""

    def entries(self) -> list[Entry]:
        """The built-in graphs, then those added, oldest first."""
        try:
            stored = {entry.source: entry for entry in self._read()}
        except SettingsError:
            stored = {}
        built_in = {
            source: stored.get(source, Entry(source=source, title=title, kind=kind))
            for source, title, kind in _BUILT_IN
        }
        return list((built_in | stored).values())

    def get(self, source: str) -> Entry | None:
        return next((entry for entry in self.entries() if entry.source == source), None)

    def add(self, source: str, kind: Kind, title: str) -> Entry:
        """Raises SettingsError for a graph that is in the list already."""
        known = self.entries()
        twin = next((entry for entry in known if entry.source == source), None)
        if twin is not None:
            raise SettingsError(f"This graph is in the list already, as “{twin.title}”.")
        entry = Entry(source=source, title=self.free_title(title or kind), kind=kind)
        with _lock:
            self._write([*self._read(), entry])
        return entry

    def free_title(self, title: str) -> str:
        """A name like this one that no graph of the list has."""
        name = _line(title, _MOST_TITLE) or "graph"
        taken = {entry.title for entry in self.entries()}
        numbered = (f"{name} ({n})" for n in count(2))
        return name if name not in taken else next(n for n in numbered if n not in taken)

    def set_examples(self, source: str, examples: Sequence[str]) -> None:
        """Questions offered for a graph; blank ones and repetitions are left out."""
        lines = [_line(example, _MOST_EXAMPLE) for example in examples]
        kept = tuple(dict.fromkeys(filter(None, lines)))[:_MOST_EXAMPLES]
        entry = self.get(source)
        if entry is None:
            raise SettingsError("This graph is no longer in the list.")
        changed = entry.model_copy(update={"examples": kept})
        with _lock:
            stored = [one for one in self._read() if one.source != source]
            at = next((i for i, one in enumerate(self._read()) if one.source == source), None)
            stored.insert(len(stored) if at is None else at, changed)
            self._write(stored)

    def remove(self, source: str) -> None:
        """Takes a graph off the list; one that was uploaded is deleted."""
        with _lock:
            stored = self._read()
            gone = [entry for entry in stored if entry.source == source]
            self._write([entry for entry in stored if entry.source != source])
        for entry in gone:
            folder = Path(entry.source)
            if entry.kind == "loaded" and folder.parent == self.data_dir / "graphs":
                shutil.rmtree(folder, ignore_errors=True)

    def _read(self) -> list[Entry]:
        try:
            return _File.model_validate_json(self._path.read_bytes()).graphs
        except (FileNotFoundError, NotADirectoryError):
            return []
        except (OSError, ValidationError) as error:
            why = "it is damaged" if isinstance(error, ValidationError) else error.strerror
            raise SettingsError(
                f"The list of graphs in {self._path} cannot be read ({why}): correct the file, or "
                "delete it to begin a new list."
            ) from error

    def _write(self, entries: Sequence[Entry]) -> None:
        text = json.dumps(
            _File(graphs=list(entries)).model_dump(mode="json"), ensure_ascii=False, indent=1
        )
        part = self._path.with_name(f".{self._path.name}.{secrets.token_hex(4)}")
        try:
            self.data_dir.mkdir(parents=True, exist_ok=True)
            # an address may hold a password
            with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as out:
                out.write(text)
                out.flush()
                os.fsync(out.fileno())
            os.replace(part, self._path)
        except OSError as error:
            with suppress(OSError):
                part.unlink()
            raise SettingsError(
                f"The list of graphs cannot be written to {self.data_dir} ({error.strerror}): "
                "make room, or set KGQA_DATA_DIR to another folder."
            ) from error


# -- addresses, as people type them ----------------------------------------------------------


def endpoint_source(url: str, profile: str) -> str:
    """What `open_graph` takes for an endpoint. Raises SettingsError for an address that is none."""
    text = url.strip().replace(",", "%2C")
    parts = urlsplit(text) if _is_url(text) else None
    if parts is None or parts.scheme not in ("http", "https") or not parts.hostname:
        raise SettingsError(
            f"“{_line(url, 100)}” is no address of an endpoint: write http://… or https://…"
        )
    if profile:
        text = text.partition("#")[0] + f"#{profile}"
    return text


def folder_source(folder: str) -> str:
    text = folder.strip()
    if not text:
        raise SettingsError("Type the path of a folder that `load` made.")
    if "," in text:
        raise SettingsError("A folder with a comma in its path cannot be opened: rename it.")
    return str(Path(text).expanduser().absolute())


def _is_url(text: str) -> bool:
    try:
        parts = urlsplit(text)
        return bool(parts.port is None or parts.port) and not re.search(r"\s", text)
    except ValueError:
        return False


def _without_login(source: str) -> str:
    if "://" not in source:
        return source
    parts = urlsplit(source)
    return urlunsplit(parts._replace(netloc=parts.netloc.rpartition("@")[2], fragment=""))


def _line(text: str, most: int) -> str:
    return " ".join(text.split())[:most]


# -- does it answer? -------------------------------------------------------------------------


@dataclass(frozen=True)
class Tested:
    """A graph that answered. `statements` None: too many to count."""

    seconds: float
    statements: int | None
    entities: int | None

    @property
    def text(self) -> str:
        size = f", {compact(self.statements)} facts" if self.statements is not None else ""
        took = f"{self.seconds:.1f} s" if self.seconds >= 0.1 else "under 0.1 s"
        return f"connected, {took}{size}"


def probe(kg: KnowledgeGraph) -> Tested:
    """Asks a graph something small, then how large it is. Raises what the graph raises."""
    started = time.monotonic()
    profile = getattr(getattr(kg, "profile", None), "name", "")
    if isinstance(kg, Queryable):
        kg.query("ASK { ?s ?p ?o }", 1)
    seconds = time.monotonic() - started
    if profile in _TOO_LARGE_TO_COUNT:
        return Tested(seconds, None, None)
    info = kg.info()
    return Tested(seconds, info.statements, info.entities)


def compact(number: int) -> str:
    """`871`, `45,210`, `450 k`, `1.2 M`, `15 G`."""
    for size, letter in ((10**9, "G"), (10**6, "M"), (10**3, "k")):
        if number >= max(size, 100_000):
            value = number / size
            return f"{value:.1f} {letter}" if value < 10 else f"{value:.0f} {letter}"
    return f"{number:,}"


# -- files on their way in -------------------------------------------------------------------


class Loading:
    """Uploaded files becoming a graph of the list, in the background.

    All of it happens in a folder of its own, which is moved to its place when it is complete and
    removed otherwise.
    """

    def __init__(
        self, registry: Registry, title: str, files: Sequence[tuple[str, IO[bytes]]]
    ) -> None:
        self.title = registry.free_title(title)  # also what the graph calls itself
        self.part = 0.0
        self.doing = "waiting"
        self.triples = 0
        self.error = ""
        self.notes: tuple[str, ...] = ()  # lines that could not be read
        self.skipped = 0
        self.entry: Entry | None = None
        self._registry = registry
        self._stop = threading.Event()
        home = registry.data_dir / "graphs"
        self._place = home / f"{_slug(title)}-{secrets.token_hex(3)}"
        self._work = home / ".loading" / f"{os.getpid()}-{secrets.token_hex(4)}"
        try:
            paths = self._keep(files)
        except OSError as error:
            shutil.rmtree(self._work, ignore_errors=True)
            raise SourceUnavailable(
                f"The upload cannot be written to {self._work} ({error.strerror}): make room, or "
                "set KGQA_DATA_DIR to another folder."
            ) from error
        self._thread = threading.Thread(target=self._run, args=(paths,), daemon=True)
        self._thread.start()

    @property
    def running(self) -> bool:
        return self._thread.is_alive()

    def stop(self) -> None:
        self._stop.set()

    def wait(self, timeout_s: float) -> None:
        self._thread.join(timeout_s)

    def _keep(self, files: Sequence[tuple[str, IO[bytes]]]) -> list[Path]:
        inside = self._work / "files"
        inside.mkdir(parents=True)
        paths: list[Path] = []
        for name, data in files:
            path = inside / (re.sub(r"[^\w.-]", "_", Path(name).name).lstrip(".")[-80:] or "file")
            if path.exists():
                path = path.with_name(f"{len(paths)}-{path.name}")
            data.seek(0)
            with path.open("wb") as out:
                shutil.copyfileobj(data, out)
            paths.append(path)
        return paths

    def _run(self, paths: Sequence[Path]) -> None:
        from kgqa_core.kg.files import Options
        from kgqa_core.kg.load import load

        try:
            options = Options(most_bytes=_MOST_UNPACKED)
            built = self._work / "graph"
            done = load(paths, built, name=self.title, options=options, on_progress=self._tell)
            os.replace(built, self._place)
            self.skipped, self.notes = done.bad, done.examples
            self.triples = done.statements or self.triples
            self.entry = self._registry.add(str(self._place), "loaded", self.title)
        except Stopped:
            self.error = "Stopped; nothing was kept."
        except KGQAError as error:
            self.error = str(error)
        except Exception as error:  # a file can be wrong in ways nobody thought of
            self.error = f"The files cannot be loaded ({type(error).__name__}: {error})."
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
            if self.entry is None:
                shutil.rmtree(self._place, ignore_errors=True)

    def _tell(self, progress: Progress) -> None:
        if self._stop.is_set():
            raise Stopped("Stopped by the user.")
        self.part, self.doing, self.triples = progress.part, progress.doing, progress.triples


def sweep(data_dir: Path) -> None:
    """Clears away what loads of ended processes left behind."""
    for work in (data_dir / "graphs" / ".loading").glob("*-*"):
        pid = work.name.partition("-")[0]
        if not (pid.isdecimal() and _alive(int(pid))):
            shutil.rmtree(work, ignore_errors=True)


def _alive(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    except OSError:
        return True
    return True


def _slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "graph"
