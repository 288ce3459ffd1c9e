"""A server that is stopped in order leaves no run behind that seems to go on."""

import asyncio
import os
import signal
import sqlite3
import subprocess
import sys
from urllib.request import urlopen

import pytest
import websockets

from tests.patience import PATIENCE_S, wait_until
from tests.places import ROOT
from tests.screens.browser import free_port
from tests.servers.openai import OpenAIServer, hang
from tests.speed.load import Seen, Session

pytestmark = pytest.mark.server


def healthy(port):
    try:
        return urlopen(f"http://localhost:{port}/_stcore/health", timeout=5).status == 200
    except OSError:
        return False


async def begin(port):
    address = f"ws://localhost:{port}/_stcore/stream"
    async with websockets.connect(address, subprotocols=["streamlit"], max_size=None) as socket:
        session = Session(socket, Seen())
        await session.open()
        await session.press("What do Alien and Blade Runner have in common?")  # no template


def test_runs_are_marked_as_interrupted_before_the_process_ends(tmp_path):
    port = free_port()
    with OpenAIServer() as model:
        model.always = hang(3600)
        env = os.environ | {
            "KGQA_DATA_DIR": str(tmp_path),
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "sk-x",
            "KGQA_BUILD_INDEX": "0",
        }
        command = [sys.executable, "-m", "kgqa_core", "app", "--port", str(port)]
        with subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL) as server:
            try:
                wait_until(lambda: healthy(port))
                asyncio.run(begin(port))
                wait_until(lambda: model.requests)  # the run waits for its model now
                server.send_signal(signal.SIGTERM)
                assert server.wait(PATIENCE_S) == 0
            finally:
                server.kill()  # leaving the context waits for it
    db = sqlite3.connect(tmp_path / "runs.sqlite")  # no store, which would mark it itself
    assert db.execute("SELECT status FROM runs").fetchall() == [("cancelled",)]
    db.close()
