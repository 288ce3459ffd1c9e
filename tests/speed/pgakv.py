"""PG&AKV and its baselines with the built-in reader, on the three kinds of questions of its paper.

    python -m tests.speed.pgakv SLICE [--only qald-10,simplequestions,open] [--methods pgakv,tog]

SLICE is a folder made by `load` from the slice (without its gold facts) and the property names.
Asked are the questions of the QALD-10 half that the slice can answer; those of SimpleQuestions'
validation part whose fact it holds; and the 50 open questions, over the starter graph. All triples
of the slice are encoded first, once: five minutes on two idle cores. Results stay in the data
folder, so a measurement that was stopped goes on.
"""

from __future__ import annotations

import argparse
import gzip
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

from kgqa_core.evaluation import report
from kgqa_core.evaluation.sets import SHIPPED
from kgqa_core.evaluation.statistics import estimate
from kgqa_core.kg.base import WD, WDT
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.opening import open_graph
from kgqa_core.settings import load_settings
from tests.measure.results import DATA, Task, measure

METHODS = ("pgakv", "rag-triples", "tog", "react")
_VARIANTS: dict[str, dict[str, Any]] = {
    "confidence 0.6": {"confidence": 0.6},
    "search linked": {"search": "linked"},
}
_METRICS = {"open": ("rouge_l",)}


def tasks(graph: str, kg: EmbeddedGraph, work: Path) -> Iterator[Task]:
    yield Task(
        "qald-10",
        "QALD-10, answerable, half",
        DATA / "qald10" / "qald_10_en_offline.jsonl",
        "kgqa-jsonl",
        graph,
        METHODS,
        options={"where": {"trivial": "false", "f1_slice_no_gold": "1"}},
    )
    asked = work / "simplequestions.tsv"
    asked.write_text("".join(held(kg)), encoding="utf-8")
    yield Task(
        "simplequestions",
        "SimpleQuestions, answerable, validation",
        asked,
        "simplequestions",
        graph,
        METHODS,
    )
    own = SHIPPED / "questions" / "open.jsonl"
    yield Task("open", "Open questions", own, "kgqa-jsonl", "starter", METHODS)


def held(kg: EmbeddedGraph) -> Iterator[str]:
    """The validation questions whose fact the graph holds; R… is P… the other way round."""
    path = DATA / "simplequestions_wikidata" / "valid_answerable.tsv.gz"
    with gzip.open(path, "rt", encoding="utf-8") as lines:
        for line in lines:
            near, relation, far, _ = line.split("\t", 3)
            subject, value = (near, far) if relation[0] == "P" else (far, near)
            fact = f"<{WD}{subject}> <{WDT}P{relation[1:]}> <{WD}{value}>"
            if kg.query(f"SELECT ?x WHERE {{ VALUES ?x {{ 1 }} {fact} }}", 1).rows:
                yield line


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("slice", type=Path)
    parser.add_argument("--only", default="qald-10,simplequestions,open")
    parser.add_argument("--methods", default=",".join(METHODS))
    args = parser.parse_args()
    settings, graph = load_settings(), str(args.slice)
    work = settings.data_dir / "benchmarks" / "pgakv"
    work.mkdir(parents=True, exist_ok=True)
    kg = open_graph(graph, settings)
    assert isinstance(kg, EmbeddedGraph)
    for task in tasks(graph, kg, work):
        if task.name not in args.only.split(","):
            continue
        methods = args.methods.split(",")
        measure(task, methods, work / task.name, settings, resume=True)
        if "pgakv" in methods:
            for name, params in _VARIANTS.items():
                variant = replace(task, params={"pgakv": params})
                measure(variant, ["pgakv"], work / f"{task.name} {name}", settings, resume=True)
        folders = [work / task.name, *(work / f"{task.name} {name}" for name in _VARIANTS)]
        for bench in report.read([folder for folder in folders if folder.is_dir()]):
            print(line(task, bench))


def line(task: Task, bench: report.Bench) -> str:
    said = f"{task.title} | {bench.config.method}"
    said += "".join(
        f", {name}"
        for name, params in _VARIANTS.items()
        if bench.config.method == "pgakv" and params.items() <= bench.config.params.items()
    )
    answered = sum(row.verdict in ("right", "wrong") for row in bench.rows)
    for metric in _METRICS.get(task.name, ("hits_at_1", "f1")):
        e = estimate(list(bench.scores(metric).values()))
        said += f" | {metric} {e.value:.3f} [{e.low:.3f}, {e.high:.3f}]"
    return f"{said} | answered {answered} of {len(bench.rows)} | {bench.each('seconds'):.2f} s"


if __name__ == "__main__":
    main()
