"""A server behind TLS for one name, that remembers by what name it was asked for."""

from __future__ import annotations

import shutil
import ssl
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest

from tests.servers.loopback import Loopback, Quiet


@dataclass
class Seen:
    """`asked`: the names of handshakes; `hosts`: those of requests, which came through."""

    port: int
    certificate: Path
    asked: list[str | None] = field(default_factory=list)
    hosts: list[str] = field(default_factory=list)


@contextmanager
def tls_server(folder: Path, name: str) -> Iterator[Seen]:
    """Answers every request with 404, under a certificate of its own. Skips without openssl."""
    if shutil.which("openssl") is None:
        pytest.skip("needs openssl to make a certificate")
    key, certificate = folder / "key.pem", folder / "certificate.pem"
    make = "openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=test".split()
    make += ["-keyout", str(key), "-out", str(certificate)]
    subprocess.run(
        [*make, "-addext", f"subjectAltName=DNS:{name}"], check=True, capture_output=True
    )

    class Handler(Quiet):
        def do_POST(self) -> None:
            seen.hosts.append(self.headers["Host"])
            self.send_response(404)
            self.send_header("Content-Length", "0")
            self.end_headers()

    server = Loopback(Handler)
    seen = Seen(server.server_port, certificate)
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(certificate, key)
    context.sni_callback = lambda _socket, asked, _context: seen.asked.append(asked)
    server.socket = context.wrap_socket(server.socket, server_side=True)
    with server:
        yield seen
