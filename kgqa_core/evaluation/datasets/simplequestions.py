"""SimpleQuestions on Wikidata (Diefenbach et al. 2017), and ToG's thousand of them.

Tab-separated subject, property, object and question; `R50` is the inverse of `P50`. The object
is the gold answer. With a header, columns `subject_label` and `object_label` are read too.

    Q154335	P509	Q12152	what was the cause of death of yves klein

    {"question": "where is the madam satan located", "answer": "United States of America",
     "topic_entity": {"m.02qkg8m": "Madam Satan"}, "relation": "country"}

Each question has one gold answer even where the graph has several: Hits@1 is the usual metric.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from kgqa_core.evaluation.datasets.base import Example, Format, Gold, json_items, rows

_COLUMNS = ["subject", "property", "object", "question"]


def items(path: Path) -> Iterator[Any]:
    first = next(rows(path), "")
    if first.lstrip().startswith(("[", "{")):
        yield from json_items(path)
        return
    columns = first.split("\t")
    headed = "question" in columns
    for number, line in enumerate(rows(path)):
        if not (headed and number == 0):
            yield dict(zip(columns if headed else _COLUMNS, line.split("\t"), strict=True))


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    if "answer" in item:
        topic = item.get("qid_topic_entity") or item["topic_entity"]
        gold = Gold(names=(item["answer"],))
    else:
        topic = {item["subject"]: item.get("subject_label", "")}
        label = item.get("object_label", "")
        gold = Gold(item["object"], (label,) if label else ())
        if item["property"][0] not in "PR":
            raise ValueError(f"{item['property']} is not a property")
    yield Example(
        id=str(number),
        question=item["question"],
        gold={"gold": (gold,)},
        topic=topic,
        classes=("look-up", "1 hop"),
        fields={"split": item.get("split", "")},
    )


FORMAT = Format("simplequestions", "SimpleQuestions on Wikidata", items, examples)
