"""A real PostgreSQL on loopback, in a folder of its own, that can go away and come back."""

from __future__ import annotations

import os
import pwd
import shutil
import subprocess
import tempfile
from pathlib import Path
from typing import Any, Self

from tests.ports import free_port

_BINARIES = sorted(Path("/usr/lib/postgresql").glob("*/bin"), reverse=True)
_SETTINGS = {
    "listen_addresses": "127.0.0.1",
    "unix_socket_directories": "",
    "fsync": "off",
    "max_connections": "40",
}


def _binary(name: str) -> str:
    found = (folder / name for folder in _BINARIES if (folder / name).exists())
    return str(next(found, "")) or shutil.which(name) or ""


AVAILABLE = bool(_binary("initdb") and _binary("pg_ctl"))


class Postgres:
    """The server refuses to run as root; there it runs as the `postgres` of the package.

    Its folder is not one of pytest's: those are closed to other users, anew by each run.
    """

    def __init__(self) -> None:
        self._home = tempfile.TemporaryDirectory(prefix="kgqa-postgres-")
        self._folder = Path(self._home.name) / "database"
        self.port = free_port()

    @property
    def url(self) -> str:
        return f"postgresql://kgqa:hush@127.0.0.1:{self.port}/postgres"

    def __enter__(self) -> Self:
        self._folder.mkdir()
        password = self._folder.with_name("password")
        password.write_text("hush")
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            for path in (self._folder, password):
                os.chown(path, owner.pw_uid, owner.pw_gid)
            self._folder.parent.chmod(0o711)  # it has to be able to reach its folder
        self._run(
            "initdb",
            "-D",
            self._folder,
            "-U",
            "kgqa",
            "-A",
            "scram-sha-256",
            f"--pwfile={password}",
            "-E",
            "UTF8",
            "--locale=C.UTF-8",
            "--no-sync",
        )
        with (self._folder / "postgresql.conf").open("a") as written:
            written.write(f"port = {self.port}\n")
            written.writelines(f"{name} = '{value}'\n" for name, value in _SETTINGS.items())
        self.start()
        return self

    def start(self) -> None:
        self._run(
            "pg_ctl", "-D", self._folder, "-w", "-t", "300", "-l", self._folder / "log", "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._folder, "-m", "immediate", "-w", "-t", "300", "stop")

    def __exit__(self, *_: object) -> None:
        self.stop()
        self._home.cleanup()

    def _run(self, name: str, *arguments: Any) -> None:
        user: dict[str, Any] = {}
        if os.geteuid() == 0:
            owner = pwd.getpwnam("postgres")
            user = {"user": owner.pw_uid, "group": owner.pw_gid, "extra_groups": []}
        done = subprocess.run(
            [_binary(name), *map(str, arguments)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            cwd="/",
            check=False,
            **user,
        )
        if done.returncode:
            raise RuntimeError(f"{name}: {done.stderr.decode()[:500]}")
