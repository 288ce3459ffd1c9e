"""How long the Runs page takes with many stored runs: `python -m tests.speed.runs [COUNT]`."""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from kgqa_core import events
from kgqa_core.events import Answer, Cost, Record, Sentence
from kgqa_core.store import Header, RunStore, Search
from kgqa_core.terms import Entity, Relation, Statement

WORDS = "river film director capital mountain author spouse border award city lake king".split()
METHODS = ("react", "one-hop", "io", "cot")


def fill(folder: Path, count: int) -> None:
    """A store of `count` ended runs, each of ten records with twenty facts."""
    store = RunStore(folder)
    facts = tuple(
        Statement(Entity(f"e:{i}", f"Entity {i}"), Relation("r", "of"), Entity(f"e:{i + 1}", "End"))
        for i in range(20)
    )
    answer = Answer(sentences=(Sentence(text="Entity 1.", cites=(0,)),), citations=facts[:1])
    story: list[Any] = [events.Step(title=f"Step {i}") for i in range(8)]
    story += [events.Expanded(entities=(facts[0].subject,), statements=facts)]
    story += [events.Answered(answer=answer)]
    cost = Cost(llm_calls=1, prompt_tokens=100, completion_tokens=10)
    records = [Record(seq=i, step=i, at_s=i / 10, cost=cost, event=e) for i, e in enumerate(story)]
    for i in range(count):
        day, minute = divmod(i, 1440)
        this = Header(
            id=f"run-{i}",
            question=f"Which {WORDS[i % 12]} has the longest {WORDS[i // 12 % 12]} number {i}?",
            method=METHODS[i % 4],
            params={},
            graph="starter",
            graph_fingerprint="f",
            model="built-in reader",
            started_at=f"2026-01-{day + 1:02}T{minute // 60:02}:{minute % 60:02}:00.000",
            version="0",
        )
        store.begin(this)
        store.append(this.id, records, "answered")
    store.close()


def took(action: Callable[[], object], times: int = 5) -> float:
    """Milliseconds, the median of several tries."""
    found = []
    for _ in range(times):
        started = time.perf_counter()
        action()
        found.append((time.perf_counter() - started) * 1000)
    return median(found)


def main(count: int) -> None:
    from streamlit.testing.v1 import AppTest

    with tempfile.TemporaryDirectory() as folder:
        os.environ["KGQA_DATA_DIR"] = folder
        started = time.perf_counter()
        fill(Path(folder), count)
        print(f"{count:,} runs stored in {time.perf_counter() - started:.1f} s")
        print(f"open the store {took(lambda: RunStore(Path(folder)).close()):7.1f} ms")
        store = RunStore(Path(folder))
        for name, search in (
            ("newest 200", Search()),
            ("two words", Search(text="lake longest")),
            ("one of all", Search(text=f"number {count // 2}?")),
            ("none", Search(text="nothing like it")),
            ("filtered", Search(method=("io",), outcome=("grounded",), since="2026-01-02")),
        ):
            print(f"find {name:12} {took(lambda s=search: store.find(s)):7.1f} ms")
        print(f"filters to choose  {took(store.choices):7.1f} ms")
        store.close()
        app = AppTest.from_file(Path(__file__).parents[2] / "app.py", default_timeout=60).run()
        app.switch_page("pages/runs.py").run()
        assert not app.exception

        def search() -> None:
            app.text_input(key="runs_text").set_value("lake longest").run()
            app.text_input(key="runs_text").set_value("").run()

        print(f"page               {took(app.run):7.1f} ms")
        print(f"page, a search     {took(search) / 2:7.1f} ms")


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    sys.stdout.flush()
    os._exit(0)  # the app's encoder may still be loading in the background
