"""R3's tables: StrategyQA and CREAK questions, as they were and about long-tail entities.

Toroghi et al., EMNLP 2024. A row of comma-separated values gives two questions:

    ID,StrategyQA Question,Modified Question,Answer,Answer Original Question,KG Entities …
    S3,Does Paulo Coelho's wife make a living through speech?,Does Leopold Lanner's wife …?,
    TRUE,TRUE,Leopold Lanner (Q27906395),"(Leopold Lanner, spouse, Stefanie Hertel), …",…

In the CREAK table the columns are `Creak Claim`, `Modified Claim` and `Answer original`.
"""

from __future__ import annotations

import csv
import re
from collections.abc import Iterator, Mapping
from pathlib import Path

from kgqa_core.evaluation.datasets.base import Example, Format, text_lines, truth

_LINKED = re.compile(r"\s*([^()]+?)\s*\((Q\d+)\)")


def items(path: Path) -> Iterator[Mapping[str, str]]:
    table = csv.DictReader(text_lines(path))
    if "ID" not in (table.fieldnames or ()):
        raise ValueError("its first line has no column “ID”")
    for row in table:
        if (row.get("ID") or "").strip():
            yield row


def examples(item: Mapping[str, str], number: int) -> Iterator[Example]:
    claim = "Creak Claim" in item
    original = item["Creak Claim" if claim else "StrategyQA Question"]
    changed = item["Modified Claim" if claim else "Modified Question"]
    entities = item.get("KG Entities (Labels and QIDs)") or ""
    linked = {qid: label.lstrip(", ") for label, qid in _LINKED.findall(entities)}
    kind = "claim" if claim else "yes/no"
    for which, question, column in (
        ("long-tail", changed, "Answer"),
        ("original", original, "Answer original" if claim else "Answer Original Question"),
    ):
        if question.strip():
            yield Example(
                id=f"{item['ID'].strip()}/{which}",
                question=" ".join(question.split()),
                gold={"gold": truth(item[column])} if (item[column] or "").strip() else {},
                topic=linked if which == "long-tail" else {},
                form="claim" if claim else "question",
                classes=(which, kind),
            )


FORMAT = Format("r3", "R3's original and long-tail tables", items, examples)
