"""A real browser and real Streamlit servers for the tests marked `browser`.

`tests/conftest.py` registers the fixtures: browser, profile, serve, shared_app, visit.
"""

from __future__ import annotations

import os
import shutil
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import (
    Browser,
    BrowserContext,
    Error,
    Locator,
    Page,
    expect,
    sync_playwright,
)

from tests.places import ROOT
from tests.ports import free_port

START_S = 300.0
PATIENCE_MS = 300_000  # a wait that ends when it is over: long costs nothing
FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
    # nothing but this machine is found, under a name or an address
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost, EXCLUDE 127.0.0.1, EXCLUDE [::1]",
)
_LOCAL = {"localhost", "127.0.0.1", "::1", ""}


def installed_browser() -> str | None:
    """The system's Chromium; None: the one Playwright brings."""
    return shutil.which("chromium") or shutil.which("google-chrome")


@contextmanager
def launched() -> Iterator[Browser]:
    """A browser whose waits all have that patience."""
    with sync_playwright() as driver:
        expect.set_options(timeout=PATIENCE_MS)
        chromium = driver.chromium.launch(
            executable_path=installed_browser(), args=list(FLAGS), timeout=PATIENCE_MS
        )
        yield chromium
        chromium.close()


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    with launched() as chromium:
        yield chromium


class Outside:
    """Records every request that would leave this machine; `FLAGS` let none of them.

    It listens only: to stand in the way of requests would also turn the browser's cache off, and
    a page is a hundred requests.
    """

    def __init__(self, page: Page) -> None:
        self.urls: list[str] = []
        page.on("request", lambda request: self._asked(request.url))
        page.on("websocket", lambda socket: self._asked(socket.url))

    def _asked(self, url: str) -> None:
        parts = urlsplit(url)
        if parts.scheme in ("http", "https", "ws", "wss") and parts.hostname not in _LOCAL:
            self.urls.append(url)


class Visitor:
    """A page with what happened on it: requests to the outside, and script errors."""

    def __init__(self, page: Page) -> None:
        self.page = page
        self.outside = Outside(page)
        self.errors: list[str] = []
        page.set_default_timeout(PATIENCE_MS)
        page.on("pageerror", lambda error: self.errors.append(str(error)))


_USUAL: dict[str, Any] = {"viewport": {"width": 1280, "height": 800}, "reduced_motion": "reduce"}


@pytest.fixture(scope="session")
def profile(browser: Browser) -> BrowserContext:
    """What a browser keeps between pages: scripts, read once, are a second of each visit."""
    return browser.new_context(**_USUAL)


@pytest.fixture
def visit(browser: Browser, profile: BrowserContext) -> Iterator[Callable[..., Visitor]]:
    """Opens pages 1280 × 800, `color_scheme="dark"` for dark; checks at the end what they did.

    Without animations unless asked for, so that what is seen is where it will stay. Pages are
    those of one browser, without the cookies of the test before; `alone`: of another browser.
    """
    visitors: list[Visitor] = []
    profile.clear_cookies()

    def opened(*, alone: bool = False, **options: Any) -> Visitor:
        if alone or set(options) - {"viewport", "color_scheme"}:
            page = browser.new_context(**{**_USUAL, **options}).new_page()
        else:
            page = profile.new_page()
            page.set_viewport_size(options.get("viewport", _USUAL["viewport"]))
            page.emulate_media(color_scheme=options.get("color_scheme", "light"))
        visitors.append(Visitor(page))
        return visitors[-1]

    yield opened
    for visitor in visitors:
        if visitor.page.context is profile:
            visitor.page.close()
        else:
            visitor.page.context.close()
    for visitor in visitors:
        assert visitor.outside.urls == []
        assert visitor.errors == []


# Streamlit says that a script has ended before it has drawn the last of what came: it collects what
# comes for some milliseconds, draws in slices, and fetches the code of an element when it is first
# needed. So: some frames in which nothing changes, with time to spare and nothing being fetched (a
# page that always moves is waited for no longer than the last of them).
_STILL = """async (patience) => {
  const end = performance.now() + patience;
  const app = document.querySelector("[data-testid=stApp]");
  let still = 0;
  const watched = new MutationObserver(() => { still = 0; });
  watched.observe(document.body, { subtree: true, childList: true, characterData: true });
  for (let idle = 0; still < 4 && idle < 300 && performance.now() < end; ) {
    await new Promise(requestAnimationFrame);
    await new Promise((spare) => requestIdleCallback(spare, { timeout: 5000 }));
    const busy = app.dataset.testScriptState !== "notRunning"
      || document.querySelector("[data-testid=stSkeleton]");
    still = busy ? 0 : still + 1;
    idle += busy ? 0 : 1;
  }
  watched.disconnect();
}"""


def settled(page: Page) -> None:
    """Waits until the page is drawn to its end and redraws itself no more.

    Until then elements come and go, and Streamlit may put a redrawing of its own in the place of
    a click on another page.
    """
    while True:
        page.locator("[data-testid=stApp][data-test-script-state=notRunning]").wait_for()
        try:
            page.evaluate(_STILL, PATIENCE_MS)
            return
        except Error as error:  # a link just clicked has led to another document
            if "context was destroyed" not in str(error):
                raise


def at_rest(graph: Locator) -> None:
    """Waits until a live graph has taken in its data, and nothing in it moves."""
    settled(graph.page)
    graph.evaluate(
        """async (graph) => {
            const frame = () => new Promise(requestAnimationFrame);
            for (let n = 0; n < 10; n += 1) await frame();
            while (!graph.pane?.run || graph.pane.inMotion) await frame();
        }"""
    )


class App:
    """A Streamlit app in a process of its own, on a free port: `app.py` as `make run` starts it."""

    def __init__(self, script: str | Path, log: Path, **environment: str) -> None:
        port = free_port()
        self.url = f"http://localhost:{port}"
        self.log = log
        paths = os.pathsep.join(filter(None, [str(ROOT), os.environ.get("PYTHONPATH", "")]))
        with log.open("wb") as out:
            self._process = subprocess.Popen(
                self._command(str(script), port),
                cwd=ROOT,
                env={**os.environ, "PYTHONPATH": paths, **environment},
                stdout=out,
                stderr=subprocess.STDOUT,
            )
        self._wait(port)

    def _command(self, script: str, port: int) -> list[str]:
        if script == "app.py":
            return [sys.executable, "-m", "kgqa_core", "app", "--port", str(port)]
        run = [sys.executable, "-m", "streamlit", "run", script]
        return [*run, "--server.port", str(port), "--server.headless", "true"]

    def _wait(self, port: int) -> None:
        until = time.monotonic() + START_S
        while time.monotonic() < until and self._process.poll() is None:
            try:
                socket.create_connection(("localhost", port), 1).close()
                return
            except OSError:
                time.sleep(0.1)
        self.stop()
        raise RuntimeError(f"Streamlit did not start:\n{self.log.read_text()}")

    @property
    def pid(self) -> int:
        return self._process.pid

    def end(self) -> None:
        """Asks it to end; `stop` waits for that."""
        self._process.terminate()

    def stop(self) -> None:
        self.end()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()


@pytest.fixture(scope="session")
def serve(
    tmp_path_factory: pytest.TempPathFactory, known_graph: Callable[[Path], Path]
) -> Iterator[Callable[..., App]]:
    """Starts apps: `serve("app.py", KGQA_DATA_DIR=…)`; the same call gives the same app.

    The graphs of the app lie in the folder, as after a first start: storing them takes as long as
    a test, for each of them.
    """
    apps: dict[tuple[object, ...], App] = {}

    def start(script: str | Path, **environment: str) -> App:
        key = (str(script), *sorted(environment.items()))
        if key not in apps:
            log = tmp_path_factory.mktemp("app") / "streamlit.log"
            if (data := environment.get("KGQA_DATA_DIR")) and not Path(data, "known").exists():
                known_graph(Path(data))
            apps[key] = App(script, log, **environment)
        return apps[key]

    yield start
    for app in apps.values():  # all at once
        app.end()
    for app in apps.values():
        app.stop()


@pytest.fixture(scope="session")
def shared_app(serve: Callable[..., App], tmp_path_factory: pytest.TempPathFactory) -> App:
    """One app for all tests that need none of their own: starting one takes as long as a test.

    Its runs and graphs are those of the tests before, so none counts on being the first.
    """
    data = tmp_path_factory.mktemp("shared")
    return serve("app.py", KGQA_DATA_DIR=str(data), OPENAI_API_KEY="", OPENAI_BASE_URL="")
