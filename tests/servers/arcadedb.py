"""A real graph database that speaks Bolt, on loopback, and a proxy in front of it that misbehaves.

ArcadeDB comes as a wheel with its own Java (`arcadedb-embedded`); here it runs as a server in a
process of its own.
"""

from __future__ import annotations

import importlib.util
import socket
import subprocess
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Self

from pydantic import SecretStr

from kgqa_core.methods.pgakv.cypher.bolt import Scratch
from tests.patience import PATIENCE_S
from tests.ports import free_port

USER, PASSWORD = "root", "playwithdata"
_OPEN = ("java.nio", "java.io", "java.lang")


def _installed() -> Path | None:
    found = importlib.util.find_spec("arcadedb_embedded")
    home = Path(found.submodule_search_locations[0]) if found else None
    return home if home and (home / "jre" / "bin" / "java").is_file() else None


HOME = _installed()


class ArcadeDB:
    """The databases `scratch` and `other`, both empty, until the server is left."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def __enter__(self) -> Self:
        assert HOME
        (self._folder / "config").mkdir()
        self.port = free_port()
        settings = {
            "server.rootPath": self._folder,
            "server.rootPassword": PASSWORD,
            "server.plugins": "Bolt:com.arcadedb.bolt.BoltProtocolPlugin",
            "server.defaultDatabases": f"scratch[{USER}];other[{USER}]",
            "server.httpIncomingHost": "127.0.0.1",
            "server.httpIncomingPort": free_port(),
            "bolt.host": "127.0.0.1",
            "bolt.port": self.port,
        }
        self._log = (self._folder / "out.log").open("wb")
        self._process = subprocess.Popen(
            [
                HOME / "jre" / "bin" / "java",
                *("-Xmx256m", "-XX:+UseSerialGC", "-XX:TieredStopAtLevel=1"),
                *(f"--add-opens=java.base/{name}=ALL-UNNAMED" for name in _OPEN),
                *(f"-Darcadedb.{key}={value}" for key, value in settings.items()),
                *("-cp", f"{HOME / 'jars'}/*", "com.arcadedb.server.ArcadeDBServer"),
            ],
            cwd=self._folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        self._wait()
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        self._process.wait()
        self._log.close()

    def scratch(self, database: str = "scratch", port: int = 0) -> Scratch:
        address = f"bolt://127.0.0.1:{port or self.port}"
        return Scratch(address, database, USER, SecretStr(PASSWORD))

    def run(self, query: str, database: str = "scratch") -> list[list[object]]:
        """A query carried out and kept."""
        from neo4j import GraphDatabase

        address = f"bolt://127.0.0.1:{self.port}"
        with (
            GraphDatabase.driver(address, auth=(USER, PASSWORD)) as driver,
            driver.session(database=database) as session,
        ):
            return [record.values() for record in session.run(query)]

    def _wait(self) -> None:
        until = time.monotonic() + PATIENCE_S
        while b"Server started in" not in (log := (self._folder / "out.log").read_bytes()):
            if self._process.poll() is not None or time.monotonic() > until:
                self.__exit__()
                raise RuntimeError(f"ArcadeDB did not start: {log.decode(errors='replace')[-800:]}")
            time.sleep(0.1)


@contextmanager
def proxy(port: int, change: Callable[[bytes], bytes | None]) -> Iterator[int]:
    """The port of a proxy: what the client sends goes through `change`; None ends the connection.

    Ends when it is left; so do its connections.
    """
    sockets = [listener := socket.create_server(("127.0.0.1", 0))]
    threads: list[threading.Thread] = []

    def pass_on(source: socket.socket, target: socket.socket, change: Callable) -> None:
        try:
            while (data := source.recv(65536)) and (changed := change(data)) is not None:
                target.sendall(changed)
        except OSError:
            pass  # the other direction has ended
        for end in (source, target):
            _shut(end)

    def accept() -> None:
        while True:
            try:
                client, _ = listener.accept()
            except OSError:
                return
            server = socket.create_connection(("127.0.0.1", port))
            sockets.extend((client, server))
            for args in ((client, server, change), (server, client, bytes)):
                threads.append(threading.Thread(target=pass_on, args=args))
                threads[-1].start()

    accepting = threading.Thread(target=accept)
    accepting.start()
    try:
        yield listener.getsockname()[1]
    finally:
        _shut(listener)
        accepting.join()
        for end in sockets:
            _shut(end)
        for thread in threads:
            thread.join()
        for end in sockets:
            end.close()


@contextmanager
def silent() -> Iterator[int]:
    """The port of a server that accepts connections and says nothing."""
    with closing(socket.create_server(("127.0.0.1", 0))) as listener:
        yield listener.getsockname()[1]


def _shut(end: socket.socket) -> None:
    with suppress(OSError):  # it is already
        end.shutdown(socket.SHUT_RDWR)
