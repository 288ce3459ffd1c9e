"""Many stored runs, long runs, many runs at once: `python -m tests.speed.runs [COUNT]`.

What is promised: 5,000 runs open in under 1 s and are searched in under 200 ms, a run of 2,000
events is redrawn faster than a replay goes on, and with six methods at work a click on the Compare
page is answered in under 500 ms.
"""

from __future__ import annotations

import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from statistics import median
from typing import Any

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Cost, Record, Sentence
from kgqa_core.ask.header import Header
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.history.store import RunStore, Search
from tests.places import ROOT

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


def promised(name: str, milliseconds: float, most: float) -> None:
    late = "" if milliseconds <= most else f"   more than the {most:g} ms promised"
    print(f"{name:38}{milliseconds:8.1f} ms{late}")


def long_run(count: int) -> tuple[Header, list[Record]]:
    """A run of `count` events around three hundred entities, a step every ten events."""
    entities = [Entity(f"e:{i}", f"Entity {i}") for i in range(300)]
    records = []
    for i in range(count - 1):
        start = entities[i % 300]
        near = tuple(
            Statement(start, Relation(f"r{k}", f"relation {k}"), entities[(i * 7 + k) % 300])
            for k in range(5)
        )
        event: Any = events.Expanded(entities=(start,), statements=near)
        if i % 10 == 0:
            event = events.Step(title=f"Step {i // 10}", thought="Where to go from here?")
        elif i % 10 == 1:
            event = events.Asked(skill="next action", prompt="Where? " * 50, reply="There. " * 20)
        elif i % 10 == 9:
            event = events.Chosen(statements=near[:1], entities=(start,))
        records.append(Record(seq=i, step=i // 10 + 1, at_s=i / 50, event=event))
    answer = Answer(sentences=(Sentence(text="Entity 1.", cites=(0,)),), citations=near[:1])
    end = events.Answered(answer=answer)
    records.append(Record(seq=count - 1, step=count // 10, at_s=count / 50, event=end))
    header = Header(
        id="long",
        question="A long way?",
        method="react",
        params={},
        graph="starter",
        graph_fingerprint="f",
        model="built-in reader",
        started_at="2026-01-01T00:00:00.000",
        version="0",
    )
    return header, records


def store_and_page(app: Any, folder: Path, count: int) -> None:
    promised("open the store", took(lambda: RunStore(folder).close()), 1000)
    store = RunStore(folder)
    for name, search in (
        ("newest 25", Search()),
        ("two words", Search(text="lake longest")),
        ("one of all", Search(text=f"number {count // 2}?")),
        ("none", Search(text="nothing like it")),
        ("filtered", Search(method=("io",), outcome=("grounded",), since="2026-01-02")),
    ):
        promised(f"find {name}", took(lambda s=search: store.find(s, 25)), 200)
    promised("filters to choose", took(store.choices), 200)
    store.close()
    app.switch_page("pages/runs.py").run()
    assert not app.exception

    def search_page() -> None:
        app.text_input(key="runs_text").set_value("lake longest").run()
        app.text_input(key="runs_text").set_value("").run()

    promised(f"Runs page, {count:,} runs", took(app.run), 1000)
    promised("Runs page, a search", took(search_page) / 2, 1000)


def replay(app: Any, count: int) -> None:
    from kgqa_core.screens import run as ui_run
    from kgqa_core.screens import session

    run = session.runs().admit(*long_run(count))
    app.switch_page("pages/ask.py")
    app.query_params["run"] = run.header.id
    app.run()
    assert not app.exception
    tick = ui_run._LEAST_TICK_S * 1000
    for at in (count // 10, count // 2, count):
        app.session_state[f"at:{run.header.id}"] = at
        promised(f"replay, event {at:,} of {count:,}", took(app.run), tick)


def six_at_once(app: Any) -> None:
    """The reader is quick, so each method is asked five times to keep six workers busy."""
    from kgqa_core.screens import session

    app.switch_page("pages/compare.py").run()
    for _ in range(4):
        app.button(key="compare_add").click().run()
    app.selectbox(key="compare_repeats").set_value(5)
    app.text_input(key="compare_question").set_value("Which films did Stanley Kubrick direct?")
    app.button(key="compare_button").click().run()
    assert not app.exception
    runs = [session.runs().get(i) for i in app.session_state["comparing"].split(",")]
    waits: list[float] = []
    while any(run.status == "running" for run in runs):
        waits.append(took(app.run, 1))
    if waits:
        print(f"clicks while {len(runs)} runs went on: {len(waits)}")
        promised("a click then, the median", median(waits), 500)
        promised("a click then, the slowest", max(waits), 500)
    promised("a click when all have ended", took(app.run), 500)


def main(count: int) -> None:
    from streamlit.testing.v1 import AppTest

    with tempfile.TemporaryDirectory() as folder:
        os.environ["KGQA_DATA_DIR"] = folder
        started = time.perf_counter()
        fill(Path(folder), count)
        print(f"{count:,} runs stored in {time.perf_counter() - started:.1f} s")
        app = AppTest.from_file(ROOT / "app.py", default_timeout=120).run()
        store_and_page(app, Path(folder), count)
        replay(app, 2_000)
        six_at_once(app)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 5000)
    sys.stdout.flush()
    os._exit(0)  # the app's encoder may still be loading in the background
