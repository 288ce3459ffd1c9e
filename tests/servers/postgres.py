"""A real PostgreSQL on loopback, in a folder of its own, that can go away and come back."""

from __future__ import annotations

import os
import pwd
import shutil
import socket
import subprocess
from pathlib import Path
from typing import Any, Self

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
    """The server refuses to run as root; there it runs as the `postgres` of the package."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder / "database"
        with socket.socket() as free:
            free.bind(("127.0.0.1", 0))
            self.port = free.getsockname()[1]

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
            for parent in self._folder.parents:  # it has to be able to reach its folder
                if parent.owner() == "root" and not parent.stat().st_mode & 0o001:
                    parent.chmod(parent.stat().st_mode | 0o011)
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
            "pg_ctl", "-D", self._folder, "-w", "-t", "90", "-l", self._folder / "log", "start"
        )

    def stop(self) -> None:
        self._run("pg_ctl", "-D", self._folder, "-m", "immediate", "-w", "stop")

    def __exit__(self, *_: object) -> None:
        self.stop()

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
