"""How fast a benchmark is: `python -m tests.speed.benchmarks`.

1,000 MetaQA questions through the built-in reader on two workers (with what of MetaQA lies in
../shared/data), and a result of 10,000 rows opened: read, its table and grid made, and on the
page in a real browser.
"""

from __future__ import annotations

import json
import shutil
import tempfile
import time
from functools import partial
from pathlib import Path

from playwright.sync_api import sync_playwright

from kgqa_core.evaluation import jobs, report
from kgqa_core.evaluation.jobs import Plan, run_plan
from kgqa_core.evaluation.report import Shelf
from kgqa_core.kg.load import load as load_graph
from kgqa_core.settings import Settings
from tests.evaluation.test_benchmark import questions, run_benchmark, setup
from tests.places import DATA
from tests.screens.browser import FLAGS, App, installed_browser

_DATA = DATA / "metaqa"

ROWS = 10_000
PROMISE_ASKED_S = 30.0
PROMISE_OPEN_S = 2.0


def metaqa(folder: Path, method: str) -> float:
    """Seconds for 1,000 questions, all that it takes counted."""
    if not (folder / "graph").is_dir():
        load_graph([_DATA / "kb.txt.gz"], folder / "graph", name="MetaQA")
    shutil.copy(_DATA / "2-hop" / "qa_dev.txt.gz", folder)
    settings = Settings(data_dir=folder / "data", workers=2)
    plan = Plan(
        dataset=folder / "qa_dev.txt.gz",
        format="metaqa",
        methods={method: {}},
        graph=str(folder / "graph"),
        limit=1000,
        traces=False,
    )

    opener = partial(jobs.opened, plan.methods, plan.graph, plan.llm, settings)
    began = time.monotonic()
    found = run_plan(plan, folder / method, opener, settings, reopen=opener)
    seconds = time.monotonic() - began
    f1 = found[method]["metrics"]["f1"]["value"]
    print(f"1,000 MetaQA questions, {method:<8} {seconds:6.1f} s, macro F1 {f1:.3f}")
    return seconds


def large(folder: Path) -> None:
    """A result of 10,000 rows: those of a hundred questions, again and again."""
    run_benchmark(questions(*["right", "wrong", "unknown", "right"] * 25), setup(), folder)
    lines = (folder / "results.jsonl").read_text().splitlines()
    with (folder / "results.jsonl").open("w") as out:
        for number in range(ROWS):
            row = json.loads(lines[number % 100])
            row |= {
                "id": f"n{number}",
                "position": number,
                "classes": ["count", "look-up"][: 1 + number % 2],
                "values": [{"id": f"Q{i}", "label": f"answer {i}"} for i in range(4)],
            }
            out.write(json.dumps(row) + "\n")
    config = json.loads((folder / "config.json").read_text())
    config |= {"questions": ROWS, "title": "Ten thousand"}
    (folder / "config.json").write_text(json.dumps(config))


def opened(folder: Path) -> float:
    began = time.monotonic()
    bench = Shelf().open(folder)
    read = time.monotonic() - began
    report.table([bench], "f1")
    report.by_class(bench, "f1")
    report.grid([bench])
    seconds = time.monotonic() - began
    print(f"10,000 rows read                       {read:6.2f} s")
    print(f"  … with table, classes and grid       {seconds:6.2f} s")
    return seconds


def on_the_page(data: Path) -> float:
    """From the click on the page to the grid with its rows; first the app is warmed."""
    with sync_playwright() as driver:
        browser = driver.chromium.launch(executable_path=installed_browser(), args=list(FLAGS))
        app = App("app.py", data / "log", KGQA_DATA_DIR=str(data), OPENAI_API_KEY="")
        try:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            page.goto(app.url)
            page.get_by_label("Question").wait_for(timeout=60_000)
            page.wait_for_timeout(8_000)  # the encoder loads
            began = time.monotonic()
            page.get_by_role("link", name="Benchmarks").click()
            page.get_by_text("Ten thousand").first.wait_for(timeout=60_000)
            seconds = time.monotonic() - began
            page.get_by_text("How the questions ended").wait_for(timeout=60_000)
            charts = time.monotonic() - began
            print(f"Benchmarks page, until the table       {seconds:6.2f} s")
            print(f"  … until the charts                   {charts:6.2f} s")
            began = time.monotonic()
            page.get_by_role("tab", name="Questions").click()
            page.get_by_role("combobox", name="Question set").click()
            page.get_by_role("option", name="Ten thousand").click()
            page.get_by_text(f"{ROWS:,} of {ROWS:,} questions").wait_for(timeout=60_000)
            print(f"the grid of its questions              {time.monotonic() - began:6.2f} s")
        finally:
            browser.close()
            app.stop()
    return seconds


def main() -> int:
    broken = []
    with tempfile.TemporaryDirectory() as here:
        folder = Path(here)
        large(jobs.folder_of(folder / "data") / "large")
        if opened(jobs.folder_of(folder / "data") / "large") > PROMISE_OPEN_S:
            broken.append("opening 10,000 rows")
        if on_the_page(folder / "data") > PROMISE_OPEN_S:
            broken.append("10,000 rows on the page")
        if _DATA.is_dir():
            for method in ("keqing", "react"):
                if metaqa(folder, method) > PROMISE_ASKED_S:
                    broken.append(f"1,000 MetaQA questions with {method}")
        else:
            print(f"MetaQA: left out, there is no {_DATA}")
    for what in broken:
        print(f"slower than promised: {what}")
    return int(bool(broken))


if __name__ == "__main__":
    raise SystemExit(main())
