"""The graphs somebody added, in one small file of the data folder, and files on their way in.

DATA/graphs.json           the list
DATA/graphs/NAME/          a graph loaded from an upload
DATA/graphs/.loading/…     one that is being loaded; cleared away when its process is gone
DATA/texts/NAME/           texts about a graph, for the methods that read passages
"""

from __future__ import annotations

import json
import os
import re
import secrets
import shutil
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import datetime
from itertools import count
from pathlib import Path
from typing import IO, TYPE_CHECKING, Any
from typing import Literal as OneOf
from urllib.parse import urlsplit

from pydantic import BaseModel, ConfigDict, ValidationError

from kgqa_core import network
from kgqa_core.background import Work
from kgqa_core.errors import KGQAError, SettingsError, SourceUnavailable, Stopped
from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph, Queryable
from kgqa_core.kg.kinds.source import Source

if TYPE_CHECKING:
    from kgqa_core.kg.load import Progress

_MOST_TITLE, _MOST_EXAMPLES, _MOST_EXAMPLE = 60, 12, 300
_MOST_UNPACKED = 4 << 30  # bytes a file of an upload may become

_lock = threading.Lock()


TextKind = OneOf["folder", "files", "wikipedia", "facts"]


class Texts(BaseModel):
    """Text files about a graph in a folder, and how they came there."""

    model_config = ConfigDict(frozen=True)
    folder: Path
    title: str
    kind: TextKind
    articles: int
    made: datetime


class Entry(BaseModel):
    """A graph in the list. `source` is what `opening.open_graph` takes."""

    model_config = ConfigDict(frozen=True)
    source: str
    title: str
    kind: str
    examples: tuple[str, ...] = ()
    texts: tuple[Texts, ...] = ()

    @property
    def built_in(self) -> bool:
        return bool(self.source_kind.name)

    @property
    def source_kind(self) -> Source:
        return kinds.of_kind(self.kind)

    @property
    def address(self) -> str:
        """The source for people, without a password."""
        return ", ".join(kinds.without_login(self.source).split(","))


class _File(BaseModel):
    """`gone`: graphs taken off the list whose index is not cleared away yet."""

    format: int = 1
    graphs: list[Entry] = []
    gone: list[str] = []


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
            stored = {entry.source: entry for entry in self._read().graphs}
        except SettingsError:
            stored = {}
        built_in = {
            one.name: stored.get(one.name, Entry(source=one.name, title=one.title, kind=one.kind))
            for one in kinds.kinds()
            if one.name
        }
        return list((built_in | stored).values())

    def get(self, source: str) -> Entry | None:
        return next((entry for entry in self.entries() if entry.source == source), None)

    def add(self, source: str, kind: str, title: str) -> Entry:
        """Raises SettingsError for a graph that is in the list already."""
        known = self.entries()
        twin = next((entry for entry in known if entry.source == source), None)
        if twin is not None:
            raise SettingsError(f"This graph is in the list already, as “{twin.title}”.")
        entry = Entry(source=source, title=self.free_title(title or kind), kind=kind)
        with _lock:
            file = self._read()
            file.graphs.append(entry)
            file.gone = [one for one in file.gone if one != source]
            self._write(file)
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
        self._change(source, lambda entry: {"examples": kept})

    def texts(self, source: str) -> tuple[Texts, ...]:
        """The texts about a graph; about several at once, those of each."""
        entries = {entry.source: entry for entry in self.entries()}
        wanted = dict.fromkeys([source, *source.split(",")])
        return tuple(t for one in wanted if one in entries for t in entries[one].texts)

    def add_texts(self, source: str, texts: Texts) -> None:
        """A folder that the graph has already is told about anew."""
        self._change(
            source,
            lambda entry: {"texts": (*(t for t in entry.texts if t.folder != texts.folder), texts)},
        )

    def remove_texts(self, source: str, folder: Path) -> None:
        """Takes texts from a graph; what the app wrote itself is deleted."""
        self._change(
            source, lambda entry: {"texts": tuple(t for t in entry.texts if t.folder != folder)}
        )
        self._delete("texts", folder)

    def remove(self, source: str) -> None:
        """Takes a graph off the list; what was uploaded or gathered for it is deleted.

        Its index is still to be cleared away: see `gone`.
        """
        with _lock:
            file = self._read()
            gone = [entry for entry in file.graphs if entry.source == source]
            if not gone:
                return
            file.graphs = [entry for entry in file.graphs if entry.source != source]
            if all(not entry.built_in for entry in gone):
                file.gone = [*(one for one in file.gone if one != source), source]
            self._write(file)
        for entry in gone:
            if entry.kind == "loaded":
                self._delete("graphs", Path(entry.source))
            for texts in entry.texts:
                self._delete("texts", texts.folder)

    @property
    def gone(self) -> list[str]:
        """Sources of removed graphs that may still have an index."""
        try:
            return self._read().gone
        except SettingsError:
            return []

    def cleared(self, source: str) -> None:
        """The index of a removed graph is gone, too."""
        with _lock:
            file = self._read()
            file.gone = [one for one in file.gone if one != source]
            self._write(file)

    def _delete(self, home: str, folder: Path) -> None:
        """Only what lies in our own place is ever deleted."""
        if folder.parent == self.data_dir / home:
            shutil.rmtree(folder, ignore_errors=True)

    def _change(self, source: str, change: Callable[[Entry], dict[str, Any]]) -> None:
        entry = self.get(source)
        if entry is None:
            raise SettingsError("This graph is no longer in the list.")
        with _lock:
            file = self._read()
            entry = next((one for one in file.graphs if one.source == source), entry)
            changed = entry.model_copy(update=change(entry))
            at = next((i for i, one in enumerate(file.graphs) if one.source == source), None)
            if at is None:  # a built-in graph, until now as it comes
                file.graphs.append(changed)
            else:
                file.graphs[at] = changed
            self._write(file)

    def _read(self) -> _File:
        try:
            return _File.model_validate_json(self._path.read_bytes())
        except (FileNotFoundError, NotADirectoryError):
            return _File()
        except (OSError, ValidationError) as error:
            why = "it is damaged" if isinstance(error, ValidationError) else error.strerror
            raise SettingsError(
                f"The list of graphs in {self._path} cannot be read ({why}): correct the file, or "
                "delete it to begin a new list."
            ) from error

    def _write(self, file: _File) -> None:
        text = json.dumps(file.model_dump(mode="json"), ensure_ascii=False, indent=1)
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
            f"{network.told(url)} is not the address of an endpoint: write http://… or https://…"
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
    if isinstance(kg, Queryable):
        kg.query("ASK { ?s ?p ?o }", 1)
    seconds = time.monotonic() - started
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


class Loading(Work):
    """Uploaded files becoming a graph of the list, in the background.

    All of it happens in a folder of its own, which is moved to its place when it is complete and
    removed otherwise.
    """

    def __init__(
        self, registry: Registry, title: str, files: Sequence[tuple[str, IO[bytes]]]
    ) -> None:
        super().__init__("kgqa-loading")
        self.title = registry.free_title(title)  # also what the graph calls itself
        self.part = 0.0
        self.doing = "waiting"
        self.triples = 0
        self.notes: tuple[str, ...] = ()  # lines and statements that could not be read
        self.skipped = 0
        self.remark = ""  # on the names of what was loaded
        self.entry: Entry | None = None
        self._registry = registry
        home = registry.data_dir / "graphs"
        self._place = home / f"{slug(title)}-{secrets.token_hex(3)}"
        self._work = home / ".loading" / f"{os.getpid()}-{secrets.token_hex(4)}"
        self._paths = received(files, self._work / "files")
        self.start()

    def do(self) -> None:
        from kgqa_core.kg.lines import Options
        from kgqa_core.kg.load import load

        try:
            options = Options(most_bytes=_MOST_UNPACKED)
            built = self._work / "graph"
            done = load(
                self._paths, built, name=self.title, options=options, on_progress=self._tell
            )
            os.replace(built, self._place)
            self.skipped, self.notes, self.remark = done.bad, done.examples, done.remark
            self.triples = done.statements or self.triples
            self.entry = self._registry.add(str(self._place), "loaded", self.title)
        except Stopped:
            raise KGQAError("Stopped; nothing was kept.") from None
        finally:
            shutil.rmtree(self._work, ignore_errors=True)
            if self.entry is None:
                shutil.rmtree(self._place, ignore_errors=True)

    def _tell(self, progress: Progress) -> None:
        self.check()
        self.part, self.doing, self.triples = progress.part, progress.doing, progress.triples


def received(files: Sequence[tuple[str, IO[bytes]]], folder: Path) -> list[Path]:
    """Uploaded files, written under safe names. Raises SourceUnavailable, leaving nothing."""
    paths: list[Path] = []
    try:
        folder.mkdir(parents=True)
        for name, data in files:
            path = folder / (re.sub(r"[^\w.-]", "_", Path(name).name).lstrip(".")[-80:] or "file")
            if path.exists():
                path = path.with_name(f"{len(paths)}-{path.name}")
            data.seek(0)
            with path.open("wb") as out:
                shutil.copyfileobj(data, out)
            paths.append(path)
    except OSError as error:
        shutil.rmtree(folder.parent, ignore_errors=True)
        raise SourceUnavailable(
            f"The upload cannot be written to {folder} ({error.strerror}): make room, or set "
            "KGQA_DATA_DIR to another folder."
        ) from error
    return paths


def sweep(data_dir: Path) -> None:
    """Clears away what loads of ended processes left behind."""
    for home, hidden in (("graphs", ".loading"), ("texts", ".gathering")):
        for work in (data_dir / home / hidden).glob("*-*"):
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


def slug(title: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", title.lower()).strip("-")[:40] or "graph"
