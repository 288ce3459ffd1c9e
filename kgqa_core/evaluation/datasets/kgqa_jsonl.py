"""JSON lines with one or several gold sets a question; also the form for questions of your own.

    {"id": 0, "question": "After whom is the Riemannian geometry named?", "type": "SELECT",
     "sparql": "SELECT DISTINCT ?result WHERE { wd:Q761383 wdt:P138 ?result. }",
     "topic_entities": {"Q761383": "Riemannian geometry"},
     "gold": ["Q42299"], "gold_2024": ["Q42299"], "gold_spinach": ["Q42299"],
     "answer_labels": {"Q42299": "Bernhard Riemann"},
     "answer_aliases": {"Q42299": ["Georg Friedrich Bernhard Riemann"]},
     "offline": {"trivial_on_empty_kg": false, "f1_slice_no_gold": 1.0}}

Only `question` and one `gold…` are needed. Every key that begins with `gold` is an alternative
set: an answer that matches any of them is right. An empty set beside a filled one says that it
is not known, not that nothing is right. `class`, `reference` and the numbers in `offline` are
read too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets import sparql
from kgqa_core.evaluation.datasets.base import Example, Format, Gold, answer, classes, json_items


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    labels, aliases = item.get("answer_labels") or {}, item.get("answer_aliases") or {}

    def one(value: Any) -> Gold:
        names = (labels.get(str(value), ""), *aliases.get(str(value), ()))
        return answer(value, names)

    sets: dict[str, tuple[Gold, ...]] = {}
    for key, values in item.items():
        if key.startswith("gold") and values is not None:
            listed = values if isinstance(values, list) else [values]
            sets[key] = tuple(dict.fromkeys(one(v) for v in listed))
    query, measured = str(item.get("sparql") or ""), item.get("offline") or {}
    topic = item.get("topic_entities") or sparql.entities(query)
    trivial = measured.get("trivial_on_empty_kg", sparql.trivial(query, sets))
    yield Example(
        id=str(item.get("id", number)),
        question=str(item["question"]),
        gold={k: v for k, v in sets.items() if v} or sets,
        topic=topic if isinstance(topic, Mapping) else {str(t): str(t) for t in topic},
        classes=classes(str(item.get("class") or ""), *(sparql.kinds(query) if query else ())),
        trivial=bool(trivial),
        sparql=query,
        reference=str(item.get("reference") or ""),
        fields={k: str(v) for k, v in measured.items()} | {"type": str(item.get("type", ""))},
    )


FORMAT = Format("kgqa-jsonl", "JSON lines, with alternative gold sets", json_items, examples)
