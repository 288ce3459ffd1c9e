"""The questions with gold SPARQL, asked of the built-in reader and scored.

Right: the answer's values are the query's (sets, dates at the gold's precision), or, for a
question the graph cannot answer, an abstention.
`python -m tests.measure.starter_questions [FILE]` prints what is wrong; with `--all`, the score of
every file; with `--methods`, a table of all methods that use the graph.

Asked is what the app asks where nobody chose: Compass, with the built-in reader and its ranker.
With `--rules`, ReAct with the reader's rules alone, as the tests ask.
"""

from __future__ import annotations

import argparse
import csv
import sys
import time
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.ask.events import Answer, status_of
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import TIMES, Entity, Value
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.measure.first_sight import as_asked, told
from tests.places import TESTS

FILE = TESTS / "questions" / "starter.tsv"
FILES = (
    *("starter.tsv", "second.tsv", "further.tsv", "further2.tsv", "further3.tsv"),
    *("further4.tsv", "further5.tsv", "further6.tsv"),
)


@dataclass(frozen=True)
class Outcome:
    kind: str
    question: str
    gold: frozenset[str]
    found: frozenset[str]
    answer: Answer
    status: str

    @property
    def right(self) -> bool:
        return self.found == self.gold and self.status in ("answered", "abstained")

    @property
    def wrong_but_certain(self) -> bool:
        return not self.right and bool(self.answer.sentences) and self.answer.certain


def ask_all(
    file: Path = FILE,
    method: str = "react",
    kg: EmbeddedGraph | None = None,
    index: Index | None = None,
    llm: LLM | None = None,
) -> list[Outcome]:
    """Every question of the file; where no model is given, by the reader's rules alone."""
    kg, llm = kg or starter_graph(), llm or Offline()
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [ask_row(row, kg, llm, method, index) for row in rows]


def ask_row(
    row: dict[str, str], kg: EmbeddedGraph, llm: LLM, method: str, index: Index | None
) -> Outcome:
    chosen = METHODS[method]
    records = list(
        run(row["question"], chosen.solve, Toolkit(kg, llm, index=index), chosen.params())
    )
    answer = answer_of(records)
    gold = _gold(kg, row["sparql"])
    found = frozenset(_key(v) for v in answer.values)
    return Outcome(row["class"], row["question"], gold, found, answer, status_of(records))


def _gold(kg: EmbeddedGraph, sparql: str) -> frozenset[str]:
    if not sparql.strip():
        return frozenset()
    table = kg.query(sparql, 10_000)
    return frozenset(_key(row[0]) for row in table.rows if row[0] is not None)


def _key(value: Value) -> str:
    """What two equal answers share: an id, or a value without its unit or clock."""
    if isinstance(value, Entity):
        return value.id
    text = value.value.split("T")[0]
    if value.datatype in TIMES:  # SPARQL gives a year as its first day
        return text + "-01" * (2 - text.lstrip("-").count("-"))
    try:
        return f"{float(text):g}"
    except ValueError:
        return text.casefold()


def report(outcomes: list[Outcome]) -> str:
    lines = []
    asked, right = Counter(o.kind for o in outcomes), Counter(o.kind for o in outcomes if o.right)
    for kind in asked:
        lines.append(f"{kind:<18}{right[kind]:>4} of {asked[kind]}")
    certain = [o for o in outcomes if o.wrong_but_certain]
    lines.append(f"{'all':<18}{right.total():>4} of {asked.total()}")
    lines.append(f"wrong but certain {len(certain)}")
    return "\n".join(lines)


def scores(kg: EmbeddedGraph, method: str, llm: LLM) -> str:
    """Every file: right, wrong but certain; all of them were seen when the rules were written."""
    lines = ["file | questions | right | share | wrong but certain"]
    found = {name: ask_all(FILE.parent / name, method, kg, llm=llm) for name in FILES}
    found["all"] = [o for outcomes in found.values() for o in outcomes]
    for name, outcomes in found.items():
        right = sum(o.right for o in outcomes)
        certain = sum(o.wrong_but_certain for o in outcomes)
        share = right / len(outcomes)
        lines.append(f"{name} | {len(outcomes)} | {right} | {share:.3f} | {certain}")
    return "\n".join(lines)


def name_of(kg: EmbeddedGraph, keys: frozenset[str]) -> str:
    entities = kg.describe([k for k in keys if k.startswith("http")])
    names = [e.name for e in entities if e] + [k for k in keys if not k.startswith("http")]
    return ", ".join(sorted(names)[:8]) or "-"


def table(kg: EmbeddedGraph, llm: LLM) -> str:
    """Each method over all questions: right, wrong but certain, abstained, seconds a question."""
    settings = load_settings()
    index = open_index(kg, Encoder(settings), settings)
    lines = ["method | right | wrong but certain | abstained | seconds per question"]
    for method in METHODS.values():
        if method.uses_graph:
            began = time.monotonic()
            outcomes = ask_all(FILE, method.name, kg, index, llm)
            each = (time.monotonic() - began) / len(outcomes)
            right = sum(o.right for o in outcomes)
            certain = sum(o.wrong_but_certain for o in outcomes)
            silent = sum(o.status == "abstained" for o in outcomes)
            lines.append(
                f"{method.name} | {right} of {len(outcomes)} | {certain} | {silent} | {each:.3f}"
            )
            print(lines[-1], file=sys.stderr)
    return "\n".join(lines)


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("file", nargs="?", type=Path, default=FILE)
    parser.add_argument("--all", action="store_true", help="the score of every file")
    parser.add_argument("--methods", action="store_true", help="every method that uses the graph")
    parser.add_argument("--rules", action="store_true", help="ReAct, the reader without its ranker")
    args = parser.parse_args()
    kg = starter_graph()
    method, llm = as_asked(load_settings(), rules=args.rules)
    if args.methods:
        print(table(kg, llm))
    elif args.all:
        print(scores(kg, method, llm))
    else:
        outcomes = ask_all(args.file, method, kg, llm=llm)
        for o in outcomes:
            if not o.right:
                mark = "!" if o.wrong_but_certain else " "
                print(f"{mark} {o.kind:<12} {o.question}")
                print(f"      gold  {name_of(kg, o.gold)}")
                print(f"      found {name_of(kg, o.found)} [{o.status}] {o.answer.text[:150]}")
                print(f"      {o.answer.reading} | {o.answer.reason}")
        print(report(outcomes))
    said = told(rules=args.rules)
    print(f"every method; otherwise {said}" if args.methods else said)


if __name__ == "__main__":
    main()
