"""StrategyQA: yes/no questions whose steps are not in the question (Geva et al., TACL 2021).

    {"qid": "e0044a7b4d146d611e73", "term": "Albany, Georgia",
     "question": "Will the Albany in Georgia reach a hundred thousand occupants before …?",
     "answer": false, "facts": ["Albany, GA has around 75,000 people", …]}

`term` is the title of the Wikipedia page the question was made from.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets.base import Example, Format, json_items, truth


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    term = item.get("term") or ""
    yield Example(
        id=str(item["qid"]),
        question=item["question"],
        gold={"gold": truth(item["answer"])} if item.get("answer") is not None else {},
        topic={term: term} if term else {},
        classes=("yes/no",),
    )


FORMAT = Format("strategyqa", "StrategyQA", json_items, examples, graph="any encyclopaedic graph")
