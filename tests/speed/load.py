"""Many visitors at once: how long the server takes to answer a click, and what it holds.

    python -m tests.speed.load 25 300        25 sessions for 300 seconds
    python -m tests.speed.load 25 300 6      six of them real browsers (`browsers.py`)

Each other session speaks Streamlit's own protocol as a browser does (ask by ReAct, watch the
fragments redraw until the run has ended, step and slide along it, compare two methods, open the
runs, ask again), but draws nothing: the browsers' own work is not counted.
The model is a server of ours that takes 300 ms for every call.
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
from collections.abc import Awaitable
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from urllib.request import urlopen

from tests.client import Client, connected
from tests.patience import PATIENCE_S
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

    times: dict[str, list[float]] = field(default_factory=dict)  # by what was done
    asked: int = 0
    ended: int = 0
    lost: list[str] = field(default_factory=list)


class Session:
    """One visitor, who clicks one thing after the other."""

    def __init__(self, client: Client, seen: Seen) -> None:
        self._client, self._seen = client, seen

    async def open(self) -> None:
        await self._timed("first page", self._client.click())

    async def press(self, question: str) -> None:
        self._seen.asked += 1
        self._choose()
        await self._timed("ask", self._client.click({"question": question}, press="ask_button"))

    async def ask(self, question: str) -> None:
        """And watches until the run has ended."""
        await self.press(question)
        await self._watch(1)

    async def compare(self, question: str) -> None:
        """Two methods on one question, watched until both have ended."""
        await self.turn_to("compare")
        self._seen.asked += 2
        self._choose()
        values = {"compare_question": question}
        await self._timed("compare", self._client.click(values, press="compare_button"))
        await self._watch(2)
        await self.turn_to("ask")

    async def scrub(self, chance: random.Random) -> None:
        """Along the steps of the run that is on the page, by buttons and by the slider."""
        for _ in range(3):
            names = [
                n for n in self._client.widgets if n.split(":")[0] in ("first", "back", "next")
            ]
            if names:
                click = self._client.click(press=chance.choice(names))
                await self._timed("step or slide", click)
            widgets = self._client.widgets
            if slider := next((n for n in widgets if n.startswith("slider:")), ""):
                at = float(chance.randint(1, int(widgets[slider].element.max)))
                await self._timed("step or slide", self._client.click({slider: at}))

    async def turn_to(self, page: str) -> None:
        self._client.chosen.clear()
        await self._timed("another page", self._client.turn_to(page))

    def _choose(self) -> None:
        """A model that is no built-in one, and ReAct, which asks it step by step."""
        for name, widget in self._client.widgets.items():
            last = name.rpartition(":")[2]
            if widget.kind != "selectbox" or last not in ("model", "method"):
                continue
            wanted = (lambda o: "reader" not in o) if last == "model" else (lambda o: "ReAct" in o)
            if last == "model" or name == "method":
                self._client.chosen[name] = next(filter(wanted, widget.element.options))

    async def _timed(self, what: str, click: Awaitable[float]) -> None:
        self._seen.times.setdefault(what, []).append(await click)

    async def _watch(self, runs: int) -> None:
        end = time.monotonic() + PATIENCE_S
        while self._client.again and time.monotonic() < end:
            fragment, pause_s = next(iter(self._client.again.items()))
            await self._client.rest(pause_s)
            if fragment in self._client.again:
                await self._timed("redraw of a run", self._client.click(fragment=fragment))
        self._seen.ended += 0 if self._client.again else runs
        self._client.again.clear()


async def visits(port: int, sessions: int, seconds: float, browsers: int = 0) -> Seen:
    """`browsers` of the sessions are real ones."""
    seen, end = Seen(), time.monotonic() + seconds

    async def visit(number: int) -> None:
        chance = random.Random(number)
        await asyncio.sleep(chance.uniform(0, 5))
        try:
            async with connected(port) as socket:
                client = Client(socket)
                session = Session(client, seen)
                await session.open()
                while time.monotonic() < end:
                    await session.ask(chance.choice(QUESTIONS))
                    await client.rest(chance.uniform(*_THINK_S))
                    await session.scrub(chance)
                    await client.rest(chance.uniform(*_THINK_S))
                    if chance.random() < 0.2:
                        await session.turn_to("runs")
                        await session.turn_to("ask")
                    if chance.random() < 0.2:
                        await session.compare(chance.choice(QUESTIONS))
                        await client.rest(chance.uniform(*_THINK_S))
                seen.lost += client.faults + client.errors
        except Exception as error:
            seen.lost.append(f"{type(error).__name__}: {error}"[:200])

    async def browse() -> None:
        from tests.speed.browsers import visits as browsed  # who has none needs none

        url = f"http://localhost:{port}"
        for one in await browsed(url, browsers, end, QUESTIONS, _THINK_S, seen.times):
            seen.asked, seen.ended = seen.asked + one.asked, seen.ended + one.ended
            seen.lost += one.wrong

    real = [browse()] if browsers else []
    await asyncio.gather(*real, *(visit(n) for n in range(sessions - browsers)))
    return seen


def resident_mb(pid: int, what: str = "VmRSS") -> float:
    status = Path(f"/proc/{pid}/status").read_text()
    found = re.search(rf"{what}:\s+(\d+) kB", status)
    return int(found[1]) / 1024 if found else 0.0


async def watched(pid: int, every_s: float = 60.0) -> None:
    """Prints what a process holds, as time goes by; for ever."""
    began = time.monotonic()
    while True:
        held, own = resident_mb(pid), resident_mb(pid, "RssAnon")
        minutes = (time.monotonic() - began) / 60
        print(f"  {minutes:.0f} min: {held:.0f} MB, {own:.0f} of them its own", flush=True)
        await asyncio.sleep(every_s)


async def watched_visits(port: int, sessions: int, seconds: float, pid: int, browsers: int) -> Seen:
    watch = asyncio.create_task(watched(pid))
    try:
        return await visits(port, sessions, seconds, browsers)
    finally:
        watch.cancel()


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


@dataclass(frozen=True)
class Measured:
    """What visitors saw, and what it took. `idle_mb`: after the first visitor."""

    seen: Seen
    calls: int
    busy_s: float
    idle_mb: float
    end_mb: float


def measured(sessions: int, seconds: float, browsers: int = 0) -> Measured:
    """A server of its own, its visitors, and the model that it asks."""
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
            asyncio.run(visits(port, 1, 20))  # one has asked before: models and graph are open
            idle = resident_mb(server.pid)
            before = processor_s(server.pid)
            seen = asyncio.run(watched_visits(port, sessions, seconds, server.pid, browsers))
            busy = processor_s(server.pid) - before
            return Measured(seen, len(model.requests), busy, idle, resident_mb(server.pid))
        finally:
            server.terminate()
            server.wait(30)


def told(found: Measured) -> list[str]:
    """The figures, a line each."""
    seen = found.seen
    plain = {what: times for what, times in seen.times.items() if "browser" not in what}
    clicks = [t for what, times in plain.items() if "redraw" not in what for t in times]
    return [
        *(_times(what, times) for what, times in {**seen.times, "all but redraws": clicks}.items()),
        f"runs: {seen.ended} of {seen.asked} seen to their end; calls of the model: "
        f"{found.calls:,}",
        f"processor: {found.busy_s:.0f} s, {found.busy_s / max(1, seen.asked):.2f} s for each "
        "question",
        f"memory: {found.idle_mb:.0f} MB after the first visitor, {found.end_mb:.0f} MB at the "
        f"end; sessions lost: {len(seen.lost)} {seen.lost[:3]}",
    ]


if __name__ == "__main__":
    many, seconds, *real = sys.argv[1:]
    print("\n".join(told(measured(int(many), float(seconds), *map(int, real)))))
