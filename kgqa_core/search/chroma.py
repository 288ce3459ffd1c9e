"""Chroma, in this process over a folder or as a server by URL: the one file that knows it.

Thread-safe, but two processes must not write one folder: `writing` sees to that.
"""

from __future__ import annotations

import atexit
import re
import shutil
import sqlite3
import subprocess
import sys
import threading
import urllib.request
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

from kgqa_core.errors import KGQAError, SourceError, SourceUnavailable
from kgqa_core.network import fetch

OLDEST = (1, 0)  # version of a server whose API is ours
# With fewer neighbours than 32 a vector among hundreds alike may get none, and is never found.
HNSW = {"space": "cosine", "max_neighbors": 32, "ef_construction": 100, "ef_search": 200}
_PATIENCE_S = 10.0
_SEGMENT = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}")  # folder of vectors


# Looks at the vectors of a collection; ends by a signal when their files are torn.
_LOOK = """
import sys
import chromadb
from chromadb.config import Settings
client = chromadb.PersistentClient(sys.argv[1], settings=Settings(anonymized_telemetry=False))
collection = client.get_collection(sys.argv[2], embedding_function=None)
some = collection.get(limit=20, include=["embeddings"])["embeddings"]
if len(some):
    collection.query(query_embeddings=some, n_results=1, include=["distances"])
    import numpy
    anywhere = numpy.random.default_rng().normal(size=(200, len(some[0])))
    collection.query(query_embeddings=anywhere, n_results=10, include=["distances"])
"""
_LOOKS = 3  # what is torn ends some processes and not others, as their memory lies


class Damaged(Exception):
    """A collection that cannot be mended."""


class ChromaStore:
    """Collections in a folder or on a server."""

    def __init__(self, where: Path | str) -> None:
        remote = isinstance(where, str) and "://" in where
        self.where: Path | str = where if remote else Path(where)

    @property
    def name(self) -> str:
        return "Chroma in " + str(self.where)

    def client(self) -> Any:
        """The client of this place, opened once in a process."""
        with _opening:
            place = str(self.where)
            if place not in _clients:
                _clients[place] = self._open()
            return _clients[place]

    def _open(self) -> Any:
        import chromadb
        from chromadb.config import Settings

        quiet = Settings(anonymized_telemetry=False)
        if isinstance(self.where, Path):
            self.where.mkdir(parents=True, exist_ok=True)
            return chromadb.PersistentClient(str(self.where), settings=quiet)
        self._check_version(self.where)
        url = urlsplit(self.where)
        options: dict[str, Any] = dict(parse_qsl(url.query))
        return chromadb.HttpClient(
            host=url.hostname or "localhost",
            port=url.port or (443 if url.scheme == "https" else 8000),
            ssl=url.scheme == "https",
            settings=quiet,
            **{key: options[key] for key in ("tenant", "database") if key in options},
        )

    def _check_version(self, where: str) -> None:
        """Raises SourceUnavailable for a server that speaks another API than this client.

        Asked before anything else: an older server would misunderstand the first request, and
        its complaint would be about that.
        """
        url = urlsplit(where)
        port = f":{url.port}" if url.port else ":8000" if url.scheme != "https" else ""
        address = f"{url.scheme}://{url.hostname}{port}/api/v2/version"
        request = urllib.request.Request(address)
        try:
            reply = fetch(request, self.name, timeout_s=_PATIENCE_S, redirects="home")
        except SourceError:
            return  # the client says that nobody is there
        said = reply.body[:40].decode("utf-8", "replace").strip()
        found = re.fullmatch(r'"?(\d+)\.(\d+)[\w.+-]*"?', said)
        if reply.status in (404, 405, 410, 501) or (reply.status < 400 and not found):
            why = f"it does not speak API v2 (/api/v2/version gives {reply.status})"
        elif reply.status < 400 and found and tuple(map(int, found.groups())) < OLDEST:
            why = f"it is of version {found[0].strip(chr(34))}"
        else:
            return
        raise SourceUnavailable(
            f"The Chroma server {where} is too different from this app: {why}. Start one of "
            f"version {'.'.join(map(str, OLDEST))} or newer (this app was made with {_version()}), "
            "or leave KGQA_CHROMA_URL empty to keep the index on this machine.",
            source=self.name,
        )

    def collections(self) -> Iterable[Any]:
        return self.client().list_collections()

    def collection(self, name: str) -> Any:
        """None when there is none. Embeddings are always given: Chroma never encodes."""
        from chromadb.errors import NotFoundError

        try:
            return self.client().get_collection(name, embedding_function=None)
        except NotFoundError:
            return None

    def survives(self, name: str) -> None:
        """Raises Damaged when looking at the vectors of a collection would end this process.

        A build that was killed may have left files that are torn; what reads them is not in
        Python, and takes the whole program with it. So another process looks first.
        """
        if not isinstance(self.where, Path):
            return
        command = [sys.executable, "-c", _LOOK, str(self.where), name]
        for _ in range(_LOOKS):
            looked = subprocess.run(command, capture_output=True, text=True)
            if looked.returncode:
                raise Damaged("its files are torn")

    def create(self, name: str, metadata: dict[str, Any]) -> Any:
        """A new collection; one of that name is dropped."""
        self.drop(name)
        return self.client().create_collection(
            name, metadata=metadata, configuration={"hnsw": HNSW}, embedding_function=None
        )

    def drop(self, name: str) -> None:
        from chromadb.errors import NotFoundError

        with suppress(NotFoundError):
            self.client().delete_collection(name)

    def tidy(self) -> None:
        """Gives back the disk space of dropped collections, whose files Chroma keeps.

        For who is `writing`. What cannot be given back now stays for the next time.
        """
        if not isinstance(self.where, Path):
            return
        with suppress(sqlite3.Error, OSError), closing(self._database()) as database:
            known = {str(row[0]) for row in database.execute("SELECT id FROM segments")}
            for folder in self.where.iterdir():
                if folder.is_dir() and _SEGMENT.fullmatch(folder.name) and folder.name not in known:
                    shutil.rmtree(folder, ignore_errors=True)
            (pages,) = database.execute("PRAGMA page_count").fetchone()
            (free,) = database.execute("PRAGMA freelist_count").fetchone()
            if free > pages / 2:
                database.execute("VACUUM")

    def _database(self) -> sqlite3.Connection:
        """Chroma's own, which must be there."""
        assert isinstance(self.where, Path)
        file = (self.where / "chroma.sqlite3").absolute().as_uri()
        return sqlite3.connect(f"{file}?mode=rw", uri=True, timeout=1, isolation_level=None)

    @contextmanager
    def writing(self, *, wait: bool = True) -> Iterator[None]:
        """One writer at a time: in this process, and among the processes that share a folder.

        The lock is SQLite's, so it goes with the process that holds it, however that ends.
        Raises SourceUnavailable when another process writes, and without `wait` when this one
        does.
        """
        with self._only_thread(wait), self._only_process():
            yield

    @contextmanager
    def _only_thread(self, wait: bool) -> Iterator[None]:
        lock = _writers(str(self.where.absolute() if isinstance(self.where, Path) else self.where))
        if not lock.acquire(blocking=wait):
            raise SourceUnavailable(
                f"An index is being built in {self.where}. Wait until it is done.", source=self.name
            )
        try:
            yield
        finally:
            lock.release()

    @contextmanager
    def _only_process(self) -> Iterator[None]:
        if not isinstance(self.where, Path):
            yield
            return
        with self.errors("written"):
            self.where.mkdir(parents=True, exist_ok=True)
            held = sqlite3.connect(self.where / "writer.lock", timeout=0.2, isolation_level=None)
        try:
            try:
                held.execute("BEGIN EXCLUSIVE")
            except sqlite3.OperationalError as error:
                if "locked" not in str(error):
                    raise self._failed("written", error) from error
                raise SourceUnavailable(
                    f"Another process is building an index in {self.where}. Wait until it is "
                    "done, or give this one its own KGQA_DATA_DIR.",
                    source=self.name,
                ) from error
            yield
        finally:
            held.close()

    @contextmanager
    def errors(self, done: str) -> Iterator[None]:
        """Chroma's many exceptions as ours."""
        try:
            yield
        except (KGQAError, Damaged):
            raise
        except Exception as error:
            raise self._failed(done, error) from error

    def _failed(self, done: str, error: Exception) -> SourceUnavailable:
        why = one_line(error)
        if not isinstance(self.where, Path):
            todo = (
                f"Start it with `chroma run` (version {_version()}), or leave KGQA_CHROMA_URL "
                "empty to keep the index on this machine."
            )
            return SourceUnavailable(
                f"The Chroma server {self.where} cannot be used: {why}. {todo}", source=self.name
            )
        return SourceUnavailable(
            f"The index in {self.where} cannot be {done}: {why}. Check that the disk has room "
            "and the folder can be written; delete the folder to have it built anew.",
            source=self.name,
        )


_clients: dict[str, Any] = {}
_opening = threading.Lock()


@atexit.register
def _close() -> None:
    for client in _clients.values():
        with suppress(Exception):  # nobody is left to be told
            client.close()


_writer_locks: dict[str, threading.Lock] = {}
_writer_locks_lock = threading.Lock()


def _writers(place: str) -> threading.Lock:
    with _writer_locks_lock:
        return _writer_locks.setdefault(place, threading.Lock())


def _version() -> str:
    import chromadb

    return chromadb.__version__


def one_line(error: BaseException) -> str:
    return " ".join(str(error).split()).rstrip(".")[:300] or type(error).__name__
