"""A server, started as its image starts it, is healthy, and leaves no run behind when it stops."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from urllib.request import urlopen

import pytest

from tests import container
from tests.client import Client, connected
from tests.patience import PATIENCE_S, wait_until
from tests.places import ROOT
from tests.ports import free_port
from tests.servers.openai import OpenAIServer, hang
from tests.speed.load import Seen, Session

pytestmark = pytest.mark.server


PORT = container.last("EXPOSE")


def serves(port):
    try:
        return urlopen(f"http://localhost:{port}/_stcore/health", timeout=PATIENCE_S).status == 200
    except OSError:
        return False


def healthy(port):
    """What the image asks, of this port and by this Python."""
    _, *asked = (part.replace(PORT, str(port)) for part in container.health_check())
    return subprocess.run([sys.executable, *asked], stderr=subprocess.DEVNULL).returncode == 0


async def begin(port):
    async with connected(port) as socket:
        session = Session(Client(socket), Seen())
        await session.open()
        await session.press("What do Alien and Blade Runner have in common?")  # no template


def test_runs_are_marked_as_interrupted_before_the_process_ends(tmp_path):
    port = free_port()
    with OpenAIServer() as model:
        model.always = hang(3600)
        env = (
            os.environ
            | container.environment()
            | {
                "PATH": os.environ["PATH"],
                "KGQA_DATA_DIR": str(tmp_path),
                "OPENAI_BASE_URL": model.url,
                "OPENAI_API_KEY": "sk-x",
                "KGQA_BUILD_INDEX": "0",
            }
        )
        program, *said = (part.replace(PORT, str(port)) for part in container.command())
        assert program == "kgqa"
        assert not healthy(port)
        command = [sys.executable, "-m", "kgqa_core", *said]
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL) as server:
            try:
                wait_until(lambda: serves(port))
                assert healthy(port)
                asyncio.run(begin(port))
                wait_until(lambda: model.requests)  # the run waits for its model now
                server.send_signal(signal.Signals[container.last("STOPSIGNAL")])
                assert server.wait(PATIENCE_S) == 0
            finally:
                server.kill()  # leaving the context waits for it
    db = sqlite3.connect(tmp_path / "runs.sqlite")  # no store, which would mark it itself
    assert db.execute("SELECT status FROM runs").fetchall() == [("cancelled",)]
    db.close()
