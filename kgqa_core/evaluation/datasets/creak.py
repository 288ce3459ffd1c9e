"""CREAK: true and false claims about entities (Onoe et al., NeurIPS 2021).

    {"ex_id": "dev_0", "sentence": "Eating soup means eating only solids.", "label": "false",
     "entity": "Soup", "explanation": "Soup is mainly liquid …"}

The test file has no labels; ToG's copy of the development set adds `qid_topic_entity`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets.base import Example, Format, json_items, truth


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    entity = item.get("entity") or ""
    yield Example(
        id=str(item["ex_id"]),
        question=item["sentence"],
        gold={"gold": truth(item["label"])} if item.get("label") else {},
        topic=item.get("qid_topic_entity") or ({entity: entity} if entity else {}),
        form="claim",
        classes=("claim",),
    )


FORMAT = Format("creak", "CREAK claims", json_items, examples, graph="any encyclopaedic graph")
