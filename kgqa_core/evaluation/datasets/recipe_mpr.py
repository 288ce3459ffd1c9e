"""Recipe-MPR: which of five recipes fits a request, with a persona where there is one.

Zhang et al., SIGIR 2023; personas by Toroghi et al., EMNLP 2024:

    {"query": "I want to make a warm dish containing oysters",
     "query_type": {"Specific": 0, "Commonsense": 1, "Negated": 0, …},
     "options": {"08cb462fdf": "Simple creamy oyster soup", "5b9441298f": "…", …},
     "answer": "08cb462fdf",
     "triples": ["(user, occupation, student)", "(user, religion, Islam)", …]}

The persona's `triples` are facts about the person who asks. An option is known by its id, its
text and its place in the list.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets.base import Example, Format, Gold, classes, json_items


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    options = {
        key: Gold(key, (text, str(place)))
        for place, (key, text) in enumerate(item["options"].items(), 1)
    }
    kinds = [name for name, is_so in item["query_type"].items() if is_so]
    facts = tuple(_fact(triple) for triple in item.get("triples") or ())
    yield Example(
        id=str(item.get("id", number)),
        question=item["query"],
        gold={"gold": (options[item["answer"]],)} if item.get("answer") else {},
        form="choice",
        choices=tuple(options.values()),
        classes=classes("persona" if facts else "", *kinds),
        facts=facts,
    )


def _fact(triple: str) -> tuple[str, str, str]:
    subject, relation, value = re.split(r",\s*", triple.strip().strip("()"), maxsplit=2)
    return subject, relation, value


FORMAT = Format(
    "recipe-mpr", "Recipe-MPR, with or without personas", json_items, examples, graph="recipes"
)
