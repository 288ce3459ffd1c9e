"""Compass beside its parents, and with one part left out, with the built-in reader.

    python -m tests.measure.compass METHOD[/JSON],… SET[:N],…

SET is one of `tests.measure.results`, N asks every Nth row only; JSON gives parameters of the
method. Prints a line for each: right with its interval, abstained, wrong but certain, replies and
seconds a question; for every method after the first also McNemar's p that it differs from the
first. Rows that the rules were made with are *seen*. MetaQA's templates are learned from its even
half, in the data folder: set KGQA_DATA_DIR to keep them out of yours.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from typing import Any

from kgqa_core.ask.events import Answered
from kgqa_core.ask.run import Budget, Toolkit, run
from kgqa_core.evaluation.benchmark import as_row
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.statistics import estimate, mcnemar
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.measure import results

_BUDGET = Budget(llm_calls=500, seconds=600)


def task(name: str, work: Path) -> results.Task:
    makers: dict[str, Any] = {
        "metaqa": partial(results.metaqa, sample=0),
        "qald": results.qald10,
        "cr-lt": results.commonsense,
        "recipe": results.recipes,
        "starter": results.own_questions,
        "open": results.own_questions,
    }
    make = next(make for start, make in makers.items() if name.startswith(start))
    found: Iterator[results.Task] = make(work)
    return next(t for t in found if t.name == name)


def asked(
    examples: list[Example], graph: Any, index: Index, method: str, params: dict[str, Any]
) -> tuple[list[float], str]:
    """1 for each right answer, 0 for each other, and a line that says the rest."""
    llm, chosen = Offline(index.encoder), METHODS[method]
    right: list[float] = []
    silent = wrong = calls = 0
    began = time.monotonic()
    for n, example in enumerate(examples):
        tools = Toolkit(graph, llm, index=index, budget=_BUDGET)
        records = list(run(example.asked, chosen.solve, tools, chosen.params(**params)))
        row = as_row(n, example, 0, records)
        last = records[-1].event
        right.append(float(row.verdict == "right"))
        silent += row.status == "abstained"
        wrong += row.verdict != "right" and isinstance(last, Answered) and last.answer.certain
        calls += tools.meter.total.llm_calls
    each = (time.monotonic() - began) / len(examples)
    told = f"{silent} abstained | {wrong} wrong but certain | {calls / len(examples):.1f} replies"
    return right, f"{told} | {each:.2f} s"


def main() -> None:
    methods, sets = (argument.split(",") for argument in sys.argv[1:3])
    settings = load_settings()
    encoder, work = Encoder(settings), settings.data_dir / "benchmarks" / "shipping"
    work.mkdir(parents=True, exist_ok=True)
    for spec in sets:
        name, _, every = spec.partition(":")
        of = task(name, work)
        graph = open_graph(of.graph, settings)
        where = {"where": of.options["where"]} if "where" in of.options else {}
        examples = list(load(of.path, of.format, **where).examples)[:: int(every or 1)]
        first: list[float] = []
        with tempfile.TemporaryDirectory() as folder:
            index = Index(graph, encoder, folder)
            for entry in methods:
                method, _, given = entry.partition("/")
                params = {**of.params.get(method, {}), **(json.loads(given) if given else {})}
                right, told = asked(examples, graph, index, method, params)
                share = estimate(right)
                line = f"{name} | {entry} | {sum(right):.0f} of {len(right)} "
                line += f"[{share.low:.2f}, {share.high:.2f}] | {told}"
                if first:
                    p = mcnemar([r == 1 for r in right], [r == 1 for r in first])
                    line += f" | p {p:.2f}"
                first = first or right
                print(line, flush=True)


if __name__ == "__main__":
    main()
