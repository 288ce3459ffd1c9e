"""How long until the starter graph, or one that is named, is searched by meaning: a new folder.

The app loads the encoder once nobody waits, and indexes what a visit begins with, the
best-known facts first; a page says what is under way. Measured as a visitor sees it: a page is
opened, and nothing is asked.
"""

from __future__ import annotations

import os
import re
import sys
import tempfile
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from tests.screens.browser import FLAGS, App, installed_browser
from tests.speed.pages import set_up

SEARCHABLE_S = 10.0  # until the first facts are there, on a quiet machine with two cores
LONGEST_MS = 120_000


def main(graph: str = "starter") -> int:
    set_up()
    with tempfile.TemporaryDirectory() as data, sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=installed_browser(), args=list(FLAGS))
        began = time.monotonic()
        app = App(
            "app.py",
            Path(data) / "log",
            KGQA_DATA_DIR=data,
            KGQA_GRAPH=graph,
            OPENAI_API_KEY="",
        )
        try:
            page = browser.new_page()
            page.goto(app.url)
            line = page.get_by_text("for search by meaning")
            facts = page.get_by_text(re.compile("for search by meaning: [1-9].* triples"))
            facts.wait_for(timeout=LONGEST_MS)
            first = time.monotonic() - began
            print(f"{graph}, from the start: first facts searchable {first:.1f} s", flush=True)
            print(f"of the processor until then {processor_s(app.pid):.1f} s", flush=True)
            line.wait_for(state="detached", timeout=LONGEST_MS)
            whole = time.monotonic() - began
        finally:
            app.stop()
            browser.close()
    print(f"all that is indexed unasked {whole:.1f} s")
    print(f"load {os.getloadavg()[0]:.1f} on {os.cpu_count()} cores")
    return int(first > SEARCHABLE_S)


def processor_s(pid: int) -> float:
    """What a process has used of the processor so far, on Linux."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    raise SystemExit(main(*sys.argv[1:]))
