"""CR-LT-KGQA: commonsense questions and claims about long-tail entities.

Guo et al. 2024 (arXiv:2403.01395). The claims file has the same form, ids from C1:

    {"id": "S1", "query": "If both places have equal population growth, …?", "answer": true,
     "KG Entities": {"Horsens": "Q190235", "Ikast": "Q1021277"},
     "Inference Rule": "Assuming equal population growth rates, …",
     "KG Triples": "1- (Horsens, population, 59,449), …",
     "Reasoning Strategy": ["number comparison"]}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets.base import Example, Format, classes, json_items, truth


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    name = str(item["id"])
    claim = name.startswith("C")
    strategies = item.get("Reasoning Strategy") or []
    yield Example(
        id=name,
        question=item["query"],
        gold={"gold": truth(item["answer"])},
        topic={qid or label: label for label, qid in item["KG Entities"].items()},
        form="claim" if claim else "question",
        classes=classes("claim" if claim else "yes/no", *strategies),
    )


FORMAT = Format("crlt", "CR-LT-KGQA, questions or claims", json_items, examples)
