"""Many visitors at once: how long the server takes to answer a click, and what it holds.

    python -m tests.speed.load 25 300        25 sessions for 300 seconds

Each session speaks Streamlit's own protocol as a browser does (ask by ReAct, watch the fragments
redraw until the run has ended, open the runs, ask again), but draws nothing: the browsers' own
work is not counted. The model is a server of ours that takes 300 ms for every call.
"""

from __future__ import annotations

import asyncio
import os
import random
import re
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any
from urllib.request import urlopen

import websockets
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from tests.places import ROOT
from tests.ports import free_port
from tests.servers.openai import Exchange, OpenAIServer

QUESTIONS = (
    "Who directed Alien?",
    "When was Marie Curie born?",
    "Which countries border France?",
    "Who are the children of Johann Sebastian Bach?",
    "How high is Mont Blanc?",
)
_MODEL_S = 0.3
_THINK_S = (2.0, 6.0)  # a person reads before the next click


@dataclass
class Seen:
    """What all sessions saw. Times in seconds."""

    clicks: list[float] = field(default_factory=list)
    redraws: list[float] = field(default_factory=list)
    asked: int = 0
    ended: int = 0
    lost: list[str] = field(default_factory=list)


class Session:
    """One visitor's connection."""

    def __init__(self, socket: Any, seen: Seen) -> None:
        self._socket, self._seen = socket, seen
        self._widgets: dict[str, str] = {}  # id by label or key
        self._pages: dict[str, str] = {}
        self._page = ""
        self._chosen: dict[str, str] = {}  # of a box, by its name: what is set in it
        self._again: dict[str, float] = {}  # seconds between redraws, by fragment

    async def open(self) -> None:
        await self._rerun(self._seen.clicks)

    async def press(self, question: str) -> None:
        self._seen.asked += 1
        await self._rerun(self._seen.clicks, question=question, pressed="ask_button")

    async def ask(self, question: str) -> None:
        """And watches until the run has ended."""
        await self.press(question)
        end = time.monotonic() + 120
        while self._again and time.monotonic() < end:
            fragment, pause_s = next(iter(self._again.items()))
            await asyncio.sleep(pause_s)
            await self._rerun(self._seen.redraws, fragment=fragment)
        self._seen.ended += not self._again
        self._again.clear()

    async def turn_to(self, page: str) -> None:
        self._page, self._again = self._pages.get(page, ""), {}
        await self._rerun(self._seen.clicks)

    async def _rerun(
        self, times: list[float], *, question: str = "", pressed: str = "", fragment: str = ""
    ) -> None:
        message = BackMsg()
        state = message.rerun_script
        state.page_script_hash, state.fragment_id = self._page, fragment
        if question and (box := self._widgets.get("question")):
            state.widget_states.widgets.add(id=box, string_value=question)
        for box, value in self._chosen.items():
            state.widget_states.widgets.add(id=self._widgets[box], string_value=value)
        if pressed and (button := self._widgets.get(pressed)):
            state.widget_states.widgets.add(id=button, trigger_value=True)
        began = time.monotonic()
        await self._socket.send(message.SerializeToString())
        if not fragment:
            self._again.clear()
        while True:
            got = ForwardMsg()
            got.ParseFromString(await asyncio.wait_for(self._socket.recv(), 60))
            kind = got.WhichOneof("type")
            if kind == "script_finished":
                if fragment and got.script_finished == ForwardMsg.FINISHED_EARLY_FOR_RERUN:
                    self._again.clear()  # the page is drawn anew: the run has ended
                    continue
                break
            self._take(kind or "", got)
        times.append(time.monotonic() - began)

    def _take(self, kind: str, got: Any) -> None:
        if kind == "auto_rerun":
            self._again[got.auto_rerun.fragment_id] = got.auto_rerun.interval
        elif kind == "navigation":
            for page in got.navigation.app_pages:
                self._pages[page.url_pathname] = page.page_script_hash
            self._page = self._page or got.navigation.page_script_hash
        elif kind == "delta":
            element = got.delta.new_element
            for one in ("text_input", "button", "selectbox"):
                if element.HasField(one):
                    found = getattr(element, one)
                    name = re.sub(r".*-", "", found.id)
                    self._widgets[name] = found.id
                    if name == "model":  # any but the built-in reader
                        self._chosen[name] = next(o for o in found.options if "reader" not in o)
                    elif name == "method":  # one that asks the model, step by step
                        self._chosen[name] = next(o for o in found.options if "ReAct" in o)


async def visits(port: int, sessions: int, seconds: float) -> Seen:
    seen, end = Seen(), time.monotonic() + seconds

    async def visit(number: int) -> None:
        chance = random.Random(number)
        await asyncio.sleep(chance.uniform(0, 5))
        try:
            address = f"ws://localhost:{port}/_stcore/stream"
            async with websockets.connect(
                address, subprotocols=["streamlit"], max_size=None, open_timeout=60
            ) as socket:
                session = Session(socket, seen)
                await session.open()
                while time.monotonic() < end:
                    await session.ask(chance.choice(QUESTIONS))
                    await asyncio.sleep(chance.uniform(*_THINK_S))
                    if chance.random() < 0.2:
                        await session.turn_to("runs")
                        await session.turn_to("ask")
        except Exception as error:
            seen.lost.append(f"{type(error).__name__}: {error}"[:200])

    await asyncio.gather(*(visit(n) for n in range(sessions)))
    return seen


def resident_mb(pid: int) -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(r"VmRSS:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


def processor_s(pid: int) -> float:
    """What a process has had of the processor."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _slow(exchange: Exchange) -> None:
    exchange.pause(_MODEL_S)
    exchange.server._stand_in(exchange)


def _times(name: str, times: list[float]) -> str:
    if len(times) < 2:
        return f"{name}: {len(times)}"
    p95 = statistics.quantiles(times, n=20)[-1]
    return f"{name}: {len(times):,}, p50 {statistics.median(times):.2f} s, p95 {p95:.2f} s"


def main(sessions: int, seconds: float) -> None:
    port = free_port()
    with OpenAIServer() as model, tempfile.TemporaryDirectory() as folder:
        model.always = _slow
        env = os.environ | {
            "KGQA_DATA_DIR": folder,
            "OPENAI_BASE_URL": model.url,
            "OPENAI_API_KEY": "sk-load",
            "KGQA_BUILD_INDEX": "0",
        }
        command = [sys.executable, "-m", "streamlit", "run", "app.py", f"--server.port={port}"]
        server = subprocess.Popen(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL)
        try:
            for _ in range(600):
                with suppress(OSError):
                    urlopen(f"http://localhost:{port}/_stcore/health", timeout=2)
                    break
                time.sleep(0.2)
            asyncio.run(visits(port, 1, 1))
            idle = resident_mb(server.pid)
            before = processor_s(server.pid)
            seen = asyncio.run(visits(port, sessions, seconds))
            busy = processor_s(server.pid) - before
            print(_times("clicks", seen.clicks))
            print(_times("redraws while a run goes on", seen.redraws))
            print(
                f"runs: {seen.ended} of {seen.asked} seen to their end; calls of the model: "
                f"{len(model.requests):,}"
            )
            print(f"processor: {busy:.0f} s, {busy / max(1, seen.asked):.2f} s for each question")
            print(
                f"memory: {idle:.0f} MB after the first visit, {resident_mb(server.pid):.0f} MB "
                f"at the end; sessions lost: {len(seen.lost)} {seen.lost[:3]}"
            )
        finally:
            server.terminate()
            server.wait(30)


if __name__ == "__main__":
    main(int(sys.argv[1]), float(sys.argv[2]))
