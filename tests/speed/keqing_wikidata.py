"""Keqing on WikiWebQuestions without a model: train is learned, val asked, on a Wikidata slice.

    python -m tests.speed.keqing_wikidata SLICE [--hops 2]

SLICE is a folder made by `load` from the slice without its gold facts. The training questions come
with queries but no answers: those the slice gives count. Of the validation questions those are
asked whose query gives the published answers there. Scores are with names linked by the method.
"""

from __future__ import annotations

import argparse
import gzip
import json
import tempfile
import time
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation import learning, metrics
from kgqa_core.evaluation.datasets import webqsp
from kgqa_core.evaluation.datasets.base import Example, Gold
from kgqa_core.facts.terms import Entity, short_id
from kgqa_core.kg.base import KnowledgeGraph, Queryable
from kgqa_core.kg.folder import open_folder
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.keqing import algorithm as keqing
from kgqa_core.methods.keqing import templates
from tests.places import DATA

_DATA = DATA / "wikiwebquestions"


def answered(part: str, kg: KnowledgeGraph) -> Iterator[tuple[Example, tuple[Gold, ...]]]:
    """The questions of a part, each with what its query gives on this graph, if anything."""
    assert isinstance(kg, Queryable)
    with gzip.open(_DATA / f"{part}.jsonl.gz", "rt", encoding="utf-8") as lines:
        items = [json.loads(line) for line in lines]
    for number, item in enumerate(items):
        (example,) = webqsp.examples(item, number)
        try:
            rows = kg.query(item["sparql"], 500).rows
        except KGQAError:
            continue
        values = [row[0] for row in rows if row and row[0] is not None]
        if values:
            yield (
                example,
                tuple(
                    Gold(short_id(v.id), (v.name,))
                    if isinstance(v, Entity)
                    else Gold("", (v.name,))
                    for v in dict.fromkeys(values)
                ),
            )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("slice", type=Path)
    parser.add_argument("--hops", type=int, default=2)
    args = parser.parse_args()
    kg = open_folder(args.slice)
    train = [replace(e, gold={"slice": gold}) for e, gold in answered("train", kg)]
    val = [
        example
        for example, gold in answered("val", kg)
        if {g.id or g.name for g in gold}
        == {g.id or g.name for known in example.gold.values() for g in known}
    ]
    print(f"{len(train):,} training and {len(val):,} validation questions are in the slice")
    start = time.perf_counter()
    learned = learning.learn(train, kg, hops=args.hops)
    seconds = time.perf_counter() - start
    print(f"{len(learned.collection.templates):,} templates learned in {seconds:.0f} s")
    with tempfile.TemporaryDirectory() as here:
        templates.save(learned.collection, path := Path(here) / "learned.txt")
        params, llm = keqing.Params(templates=str(path)), Offline()
        rows = []
        for example in val:
            records = list(run(example.question, keqing.solve, Toolkit(kg, llm), params))
            answer = answer_of(records)
            rows.append((bool(answer.sentences), metrics.score(example, answer).values()))
    n = max(1, len(rows))
    hits, f1 = (sum(s[name] for _, s in rows) / n for name in ("hits_at_1", "f1"))
    given = sum(told for told, _ in rows)
    print(f"Hits@1 {hits:.1%}  F1 {f1:.3f}  answered {given} of {n}")


if __name__ == "__main__":
    main()
