"""A real Virtuoso on loopback, started in a temporary folder and loaded with N-Triples."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path
from typing import Self
from urllib.error import URLError
from urllib.request import urlopen

from tests.patience import PATIENCE_S
from tests.ports import free_port

SERVER, ISQL = shutil.which("virtuoso-t"), shutil.which("isql-vt")
GRAPH = "http://example.org/world"

_INI = """
[Database]
DatabaseFile = virtuoso.db
ErrorLogFile = virtuoso.log
LockFile = virtuoso.lck
TransactionFile = virtuoso.trx
xa_persistent_file = virtuoso.pxa
[TempDatabase]
DatabaseFile = temp.db
TransactionFile = temp.trx
[Parameters]
ServerPort = 127.0.0.1:{sql}
NumberOfBuffers = 4000
MaxDirtyBuffers = 2500
DirsAllowed = {folder}
CheckpointInterval = 0
[HTTPServer]
ServerPort = 127.0.0.1:{http}
ServerRoot = .
ServerThreads = 6
[SPARQL]
ResultSetMaxRows = 100000
MaxQueryExecutionTime = 20
"""


class Virtuoso:
    def __init__(self, folder: Path, n_triples: str) -> None:
        self._folder = folder
        (folder / "world.nt").write_text(n_triples, encoding="utf-8", errors="replace")

    def __enter__(self) -> Self:
        assert SERVER
        assert ISQL
        sql, http = free_port(), free_port()
        self.url = f"http://127.0.0.1:{http}/sparql#virtuoso"
        (self._folder / "virtuoso.ini").write_text(
            _INI.format(sql=sql, http=http, folder=self._folder)
        )
        self._log = (self._folder / "out.log").open("wb")
        self._process = subprocess.Popen(
            [SERVER, "-f", "-c", "virtuoso.ini"],
            cwd=self._folder,
            stdout=self._log,
            stderr=subprocess.STDOUT,
        )
        try:
            _wait_for(f"http://127.0.0.1:{http}/sparql", self._process)
            file = self._folder / "world.nt"
            load = f"DB.DBA.TTLP_MT(file_to_string_output('{file}'), '', '{GRAPH}');"
            subprocess.run(
                [ISQL, f"127.0.0.1:{sql}", "dba", "dba", f"exec={load}"],
                check=True,
                capture_output=True,
                timeout=PATIENCE_S,
            )
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_: object) -> None:
        self._process.terminate()
        try:
            self._process.wait(PATIENCE_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        self._log.close()


def _wait_for(url: str, process: subprocess.Popen[bytes], timeout_s: float = PATIENCE_S) -> None:
    until = time.monotonic() + timeout_s
    while time.monotonic() < until:
        if process.poll() is not None:
            raise RuntimeError(f"Virtuoso ended with {process.returncode}")
        try:
            with urlopen(url, timeout=timeout_s):
                return
        except (URLError, OSError):
            time.sleep(0.2)
    raise RuntimeError("Virtuoso did not start")
