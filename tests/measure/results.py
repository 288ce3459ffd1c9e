"""The results that ship with the app, measured anew: `make results`.

    python -m tests.measure.results [--only NAME,…] [--methods NAME,…] [--sample 200] [--go-on]

Asks the methods, with the built-in reader, the starter questions, the open questions, and what of
MetaQA, QALD-10, CR-LT and Recipe-MPR lies in ../shared/data; packs the results into
assets/benchmarks/, and writes the tables between the marks in docs/results.md. Questions, answers
and gold of sets that are not ours stay out: ids, scores and costs ship.

Every method that can answer a set is asked all of it, of MetaQA a sample of each hop. Left out
are methods that read texts where there are none, those that correct a draft where nobody drafts,
on MetaQA R3 (no yes/no there) and what needs a vector index of the whole graph, and on the
commonsense sets the walks that go the way of those that are asked.
"""

from __future__ import annotations

import argparse
import csv
import gzip
import json
import shutil
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

from kgqa_core.evaluation import exports, jobs, learning, report, results
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.jobs import Plan, run_plan
from kgqa_core.evaluation.sets import SHIPPED
from kgqa_core.facts.terms import Entity, Literal, Value, short_id
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import load as load_graph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.methods import METHODS
from kgqa_core.methods.keqing import templates
from kgqa_core.settings import Settings, load_settings
from tests.places import ROOT

QUESTIONS = ROOT / "tests" / "questions"
DATA = ROOT.parent / "shared" / "data"
MARKS = ("<!-- results -->", "<!-- /results -->")
METRIC, RISK = "supported_accuracy", "wrong_but_certain"
_ORDER = (
    *("starter", "open", "metaqa-1-hop", "metaqa-2-hop", "metaqa-3-hop", "qald-10"),
    *("qald-10-gold-entities", "cr-lt-questions", "cr-lt-claims", "recipe-mpr-personas"),
)
_WALKS = (  # from the entities of the question through the graph
    *("compass", "react", "structgpt", "oda", "tog", "tog-r", "one-hop", "kaping", "kb-binder"),
)
_READS = ("react", "structgpt", "one-hop", "kaping")  # for the walks where hardly any answers
_NEAREST = frozenset({"rag-triples", "rag-hybrid", "pgakv"})  # search the graph by meaning
_KINDS = {  # what the query says too has one name
    "abstain": "unanswerable",
    **dict.fromkeys(("lookup-1", "lookup-2", "lookup-3", "count", "yes/no"), ""),
    "qualifier/time": "qualifier",
    "superlative": "extremum",
}


@dataclass(frozen=True)
class Task:
    """A question set with its graph, and what belongs to the measurement."""

    name: str
    title: str
    path: Path
    format: str
    graph: str
    methods: tuple[str, ...]
    ours: bool = False  # its words may ship
    options: dict[str, Any] = field(default_factory=dict)
    params: dict[str, dict[str, Any]] = field(default_factory=dict)  # by method


# -- question sets -------------------------------------------------------------------------


def own_questions(work: Path) -> Iterator[Task]:
    """The starter and the open questions, with the answers the starter graph gives today."""
    kg = starter_graph()
    for name, title, file in (
        ("starter", "Starter questions", "starter.tsv"),
        ("open", "Open questions", "open.csv"),
    ):
        source = QUESTIONS / file
        with source.open(encoding="utf-8", newline="") as lines:
            tabs = {"delimiter": "\t", "quoting": csv.QUOTE_NONE} if file.endswith("tsv") else {}
            rows = list(csv.DictReader(lines, **tabs))
        path = SHIPPED / "questions" / f"{name}.jsonl"
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("w", encoding="utf-8") as out:
            for number, row in enumerate(rows, 1):
                out.write(json.dumps(_line(kg, f"{name}-{number}", row), ensure_ascii=False) + "\n")
        every = tuple(m.name for m in METHODS.values() if m.uses_graph)
        yield Task(name, title, path, "kgqa-jsonl", "starter", every, ours=True)


def _line(kg: Any, name: str, row: dict[str, str]) -> dict[str, Any]:
    """A row as a line of `kgqa-jsonl`; the query is run, other columns are kept as they are."""
    query = (row.get("sparql") or "").strip()
    values = [r[0] for r in kg.query(query, 10_000).rows if r[0] is not None] if query else []
    answers = [a.strip() for a in (row.get("answers") or "").split("|") if a.strip()]
    gold = answers or [_gold(v) for v in values]
    found = {
        "id": name,
        "question": row["question"],
        "class": _KINDS.get(row.get("class") or "", row.get("class") or ""),
        "sparql": query,
        "reference": row.get("reference") or "",
        "topic_entities": [e.strip() for e in (row.get("entities") or "").split("|") if e.strip()],
        "gold": list(dict.fromkeys(gold)),
        "answer_labels": {short_id(v.id): v.name for v in values if isinstance(v, Entity)},
    }
    return {key: value for key, value in found.items() if value or key == "gold"}


def _gold(value: Value) -> str:
    if isinstance(value, Entity):
        return short_id(value.id)
    assert isinstance(value, Literal)
    return value.value


def metaqa(work: Path, sample: int) -> Iterator[Task]:
    """The odd questions of its development part; Keqing's templates come from the even ones."""
    home, here = DATA / "metaqa", work / "metaqa"
    if not home.is_dir():
        print(f"MetaQA: left out, there is no {home}", file=sys.stderr)
        return
    graph = _graph(work / "graphs" / "metaqa", [home / "kb.txt.gz"], "MetaQA")
    taught = []
    for hops in (1, 2, 3):
        folder = here / f"{hops}-hop"
        folder.mkdir(parents=True, exist_ok=True)
        for file in ("qa_dev", "qa_dev_qtype"):
            with gzip.open(home / f"{hops}-hop" / f"{file}.txt.gz", "rt", encoding="utf-8") as text:
                lines = list(text)
            (folder / f"{file}.txt").write_text("".join(lines[1::2]), encoding="utf-8")
            (folder / f"even_{file}.txt").write_text("".join(lines[::2]), encoding="utf-8")
        taught += load(folder / "even_qa_dev.txt", "metaqa").examples
    library = templates.own_folder(load_settings()) / f"metaqa-half{templates.SUFFIX}"
    if not library.is_file():
        library.parent.mkdir(parents=True, exist_ok=True)
        templates.save(learning.learn(taught, open_folder(graph)).collection, library)
    for hops in (1, 2, 3):
        yield Task(
            f"metaqa-{hops}-hop",
            f"MetaQA {hops}-hop, sample of odd half of dev",
            here / f"{hops}-hop" / "qa_dev.txt",
            "metaqa",
            str(graph),
            (*_WALKS, "keqing"),
            options={"sample": sample},
            params={"keqing": {"templates": library.name.removesuffix(templates.SUFFIX)}},
        )


def qald10(work: Path) -> Iterator[Task]:
    """What the slice can answer of the half that is at hand, linked and with gold entities."""
    path = DATA / "qald10" / "qald_10_en_offline.jsonl"
    if not path.is_file():
        print(f"QALD-10: left out, there is no {path}", file=sys.stderr)
        return
    names = DATA / "wikidata_properties" / "properties.jsonl.gz"  # how relations are called
    graph = _graph(
        work / "graphs" / "slice", [DATA / "wikidata_slice", names], "Wikidata slice", "*_gold"
    )
    for gold in (False, True):
        yield Task(
            "qald-10-gold-entities" if gold else "qald-10",
            "QALD-10, answerable, half" + (", gold entities" if gold else ""),
            path,
            "kgqa-jsonl",
            str(graph),
            (*_WALKS, "keqing", "pgakv", "rag-triples"),
            options={
                "where": {"trivial": "false", "f1_slice_no_gold": "1"},
                "gold_entities": gold,
            },
        )


def commonsense(work: Path) -> Iterator[Task]:
    home = DATA / "cr_lt_kgqa"
    if not home.is_dir():
        print(f"CR-LT: left out, there is no {home}", file=sys.stderr)
        return
    graph = _graph(work / "graphs" / "cr-lt", [home / "graph"], "CR-LT")
    for name, file, title in (
        ("cr-lt-questions", "CR-LT-QA.json", "CR-LT questions, half"),
        ("cr-lt-claims", "CR-LT-ClaimVerification.json", "CR-LT claims, half"),
    ):
        yield Task(
            name,
            title,
            home / file,
            "crlt",
            f"starter,{graph}",
            ("compass", "r3", *_READS, "pgakv"),
        )


def recipes(work: Path) -> Iterator[Task]:
    home = DATA / "recipe_mpr"
    if not home.is_dir():
        print(f"Recipe-MPR: left out, there is no {home}", file=sys.stderr)
        return
    yield Task(
        "recipe-mpr-personas",
        "Recipe-MPR personas, half",
        home / "commonsense_dict_final.json.gz",
        "recipe-mpr",
        "starter",
        ("compass", "r3", *_READS),
    )


def _graph(folder: Path, files: list[Path], name: str, *leave_out: str) -> Path:
    if not folder.is_dir():
        print(f"Loading {name} …", file=sys.stderr)
        load_graph(files, folder, name=name, options=Options(leave_out=leave_out))
    return folder


# -- measuring -----------------------------------------------------------------------------


def measure(task: Task, methods: list[str], out: Path, settings: Settings, resume: bool) -> None:
    """Each method into a folder of its own name."""
    plan = Plan(
        title=task.title,
        dataset=task.path,
        format=task.format,
        methods={name: task.params.get(name, {}) for name in methods},
        graph=task.graph,
        traces=False,
        **task.options,
    )
    opener = partial(jobs.opened, plan.methods, plan.graph, plan.llm, settings)
    if _NEAREST & set(methods) and (index := opener(methods[0]).index) is not None:
        print("  the vector index …", file=sys.stderr, flush=True)  # minutes, the first time
        index.build()
    began = {"at": time.monotonic()}

    def tell(method: str, now: Any) -> None:
        if time.monotonic() - began["at"] > 10:
            began["at"] = time.monotonic()
            print(f"  {method}: {now.done:,} of {now.planned:,}", file=sys.stderr, flush=True)

    run_plan(
        plan,
        out if len(methods) > 1 else out / methods[0],
        opener,
        settings,
        reopen=opener,
        resume=resume,
        on_progress=tell,
        on_note=lambda note: print(f"  {note}", file=sys.stderr, flush=True),
    )


def ship(task: Task, methods: list[str], out: Path) -> None:
    """Packs what was measured; a method that the reader cannot be asked by is left out.

    The results of other methods stay as they are, but for those that are asked the set no more.
    """
    into = SHIPPED / "results" / f"{_ORDER.index(task.name):02}-{task.name}"
    for before in into.iterdir() if into.is_dir() else ():
        if before.name in methods or before.name not in task.methods:
            shutil.rmtree(before)
    for bench in report.read([out / method for method in methods]):
        failed = [row for row in bench.rows if row.source_failed]
        if not bench.complete or len(failed) > len(bench.rows) / 2:
            why = failed[-1].message if failed else "it did not end"
            print(f"  {bench.config.method} does not ship: {why}", file=sys.stderr)
            continue
        results.pack(bench.folder, into / bench.config.method, words=task.ours)


def write_table() -> str:
    """The shipped results as a Markdown table, also put between the marks of docs/results.md."""
    folders = results.find(SHIPPED / "results")
    found = report.read(folders) if folders else []
    text = exports.as_markdown(found, METRIC)
    texts = [bench for bench in found if "open" in bench.folder.parent.name]
    text += f"\nROUGE-L:\n\n{exports.as_markdown(texts, 'rouge_l')}" if texts else ""
    if any(bench.scores(RISK) for bench in found):
        text += f"\nWrong but certain, of all questions:\n\n{exports.as_markdown(found, RISK)}"
    chapter = ROOT / "docs" / "results.md"
    before, mark, rest = chapter.read_text(encoding="utf-8").partition(MARKS[0])
    _, end, after = rest.partition(MARKS[1])
    if mark and end:
        chapter.write_text(f"{before}{mark}\n{text}{end}{after}", encoding="utf-8")
    return text


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="question sets, comma-separated")
    parser.add_argument("--methods", default="", help="methods, comma-separated")
    parser.add_argument("--sample", type=int, default=200, help="MetaQA questions of each hop")
    parser.add_argument("--go-on", action="store_true", help="with the results of the last time")
    parser.add_argument("--table", action="store_true", help="only write the table")
    args = parser.parse_args()
    if args.table:
        print(write_table())
        return 0
    settings = load_settings()
    work = settings.data_dir / "benchmarks" / "shipping"
    work.mkdir(parents=True, exist_ok=True)
    chosen = set(filter(None, args.methods.split(",")))
    only = set(filter(None, args.only.split(",")))
    for kind, names, known in (
        ("question set", only, set(_ORDER)),
        ("method", chosen, {m.name for m in METHODS.values() if m.uses_graph}),
    ):
        if unknown := names - known:
            there = ", ".join(sorted(known))
            parser.error(f"no {kind}: {', '.join(sorted(unknown))}; there are {there}")
    makers = {
        ("starter", "open"): own_questions,
        ("metaqa-1-hop", "metaqa-2-hop", "metaqa-3-hop"): partial(metaqa, sample=args.sample),
        ("qald-10", "qald-10-gold-entities"): qald10,
        ("cr-lt-questions", "cr-lt-claims"): commonsense,
        ("recipe-mpr-personas",): recipes,
    }
    wanted = [make for names, make in makers.items() if not only or only & set(names)]
    for task in chain.from_iterable(make(work) for make in wanted):
        methods = [name for name in task.methods if not chosen or name in chosen]
        if (only and task.name not in only) or not methods:
            continue
        print(f"{task.title}:", file=sys.stderr, flush=True)
        began = time.monotonic()
        out = work / "results" / task.name
        measure(task, methods, out, settings, args.go_on)
        ship(task, methods, out)
        minutes = (time.monotonic() - began) / 60
        print(f"  {len(methods)} methods, {minutes:.1f} minutes", file=sys.stderr, flush=True)
    print(write_table())
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
