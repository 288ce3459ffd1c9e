"""The built-in reader on public questions, over a graph: right, F1, wrong but certain.

    python -m tests.measure.public_questions GRAPH PART OUT [--sources wwq,sq] [--most 200]
        [--skip 60] [--old]

Gold is what a question's query gives on this graph; where that is nothing, right is to abstain.
`--old` leaves the ranker out; `--after OLD` asks only what that left unanswered, as the ranker
does, and takes over the rest. Two files of this kind are compared, question by question, with
`python -m tests.measure.public_questions --compare OLD NEW`.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections import defaultdict
from pathlib import Path
from typing import Any

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation.statistics import compare
from kgqa_core.facts.terms import Entity, Literal, Value
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from tests.measure.starter_questions import _key
from tests.training import sources

_LARGE = 200  # values of a gold answer; more are no answer to a person


def gold(kg: EmbeddedGraph, sparql: str) -> frozenset[str] | None:
    """None for a query that this graph cannot carry out."""
    try:
        table = kg.query(sparql, 2_000)
    except KGQAError:
        return None
    return frozenset(_key(row[0]) for row in table.rows if row and row[0] is not None)


def questions(
    kg: EmbeddedGraph, part: str, names: set[str], most: int, empty: int, skip: int = 0
) -> list[tuple[sources.Row, frozenset[str]]]:
    """Of each source up to `most` that the graph answers, and `empty` for every hundred that it
    does not; `skip`: after so many, which were asked before."""
    by_source: dict[str, list[sources.Row]] = defaultdict(list)
    for row in sources.rows():
        if row.part == part and (not names or row.source in names):
            by_source[row.source].append(row)
    out = []
    for source in sorted(by_source):
        rows = by_source[source]
        random.Random(17).shuffle(rows)
        found: list[tuple[sources.Row, frozenset[str]]] = []
        nothing: list[tuple[sources.Row, frozenset[str]]] = []
        for row in rows:
            if len(found) == skip + most:
                break
            values = gold(kg, row.sparql)
            if values is None or len(values) > _LARGE or values in ({"0"}, {"false"}):
                continue
            (found if values else nothing).append((row, values))
        before = min(skip, len(found))
        out += found[before:] + nothing[before * empty // 100 : len(found) * empty // 100]
    return out


def ask(kg: EmbeddedGraph, llm: Any, row: sources.Row, values: frozenset[str]) -> dict[str, Any]:
    began = time.process_time()
    answer = answer_of(list(run(row.question, react.solve, Toolkit(kg, llm), react.Params())))
    found = frozenset(_key(v) for v in answer.values)
    both = len(found & values)
    f1 = 2 * both / (len(found) + len(values)) if found or values else 1.0
    return {
        "id": f"{row.source} {row.id}",
        "question": row.question,
        "gold": sorted(values),
        "found": [_named(v) for v in answer.values[:5]],
        "f1": f1,
        "answered": bool(found),
        "certain": bool(found) and answer.certain,
        "reading": answer.reading,
        "reason": answer.reason,
        "cpu_s": round(time.process_time() - began, 3),
    }


def _named(value: Value) -> str:
    return value.name if isinstance(value, Entity | Literal) else str(value)


def table(rows: list[dict[str, Any]]) -> str:
    lines = ["set | questions | F1 | answered | wrong but certain | abstained rightly | CPU s"]
    by_source: dict[str, list[dict[str, Any]]] = defaultdict(list)
    for r in rows:
        by_source[r["id"].split()[0]].append(r)
    for name, some in [*sorted(by_source.items()), ("all", rows)]:
        there = [r for r in some if r["gold"]]
        not_there = [r for r in some if not r["gold"]]
        wrong = sum(r["certain"] and r["f1"] < 0.5 for r in some)
        f1 = sum(r["f1"] for r in there) / max(1, len(there))
        silent = sum(not r["answered"] for r in not_there)
        cpu = sorted(r["cpu_s"] for r in some)[len(some) // 2]
        answered = sum(r["answered"] for r in there)
        lines.append(
            f"{name} | {len(there)} + {len(not_there)} | {f1:.3f} | {answered} | {wrong} | "
            f"{silent} of {len(not_there)} | {cpu}"
        )
    return "\n".join(lines)


def _read(path: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in Path(path).read_text(encoding="utf-8").splitlines()]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+")
    parser.add_argument("--sources", default="")
    parser.add_argument("--most", type=int, default=150)
    parser.add_argument("--empty", type=int, default=30, help="a hundred, that have no answer")
    parser.add_argument("--skip", type=int, default=0, help="so many of a set were asked before")
    parser.add_argument("--old", action="store_true")
    parser.add_argument("--after", default="", help="results without the ranker")
    parser.add_argument("--compare", action="store_true")
    args = parser.parse_args()
    if args.compare:
        old, new = map(_read, args.files)
        print(f"old\n{table(old)}\nnew\n{table(new)}")
        a, b = ({r["id"]: r["f1"] for r in rows if r["gold"]} for rows in (new, old))
        print(compare("f1", a, b))
        return
    graph, part, out = args.files
    kg = open_folder(Path(graph))
    llm = Offline(None) if args.old else _new()
    names = set(filter(None, args.sources.split(",")))
    asked = questions(kg, part, names, args.most, args.empty, args.skip)
    print(f"{len(asked)} questions", file=sys.stderr, flush=True)
    before = {r["id"]: r for r in _read(args.after)} if args.after else {}
    rows = []
    with Path(out).open("w", encoding="utf-8") as file:
        for n, (row, values) in enumerate(asked):
            told = before.get(f"{row.source} {row.id}")
            rows.append(told if told and told["answered"] else ask(kg, llm, row, values))
            file.write(json.dumps(rows[-1], ensure_ascii=False) + "\n")
            if n % 50 == 49:
                print(n + 1, file=sys.stderr, flush=True)
    print(table(rows))


def _new() -> Offline:
    from kgqa_core.reader.ranker import Ranker

    return Offline(None, Ranker())


if __name__ == "__main__":
    main()
