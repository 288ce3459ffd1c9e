"""Recipe-MPR: which of five recipes fits a request, with a persona where there is one.

Zhang et al., SIGIR 2023; personas by Toroghi et al., EMNLP 2024:

    {"query": "I want to make a warm dish containing oysters",
     "query_type": {"Specific": 0, "Commonsense": 1, "Negated": 0, …},
     "options": {"08cb462fdf": "Simple creamy oyster soup", "5b9441298f": "…", …},
     "answer": "08cb462fdf",
     "triples": ["(user, occupation, student)", "(user, religion, Islam)", …],
     "correctness_explanation": {"oysters": "oyster", "relevant triple": "(user, religion, Islam)"}}

The persona's `triples` are facts about the person who asks, the `recipes` say what the options
are made of: both come with the question as facts. An option is known by its id, its
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
    made_of = tuple(_ingredients(item)) if facts else ()
    yield Example(
        id=str(item.get("id", number)),
        question=item["query"],
        gold={"gold": (options[item["answer"]],)} if item.get("answer") else {},
        form="choice",
        choices=tuple(options.values()),
        classes=classes("persona" if facts else "", *kinds),
        facts=(*facts, *made_of),
        reasons=tuple(_reasons(item)),
    )


def _ingredients(item: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """What each option is made of, where the file has its recipe."""
    for key, recipe in (item.get("recipes") or {}).items():
        for part in str(recipe.get("ingredients") or "").split(","):
            if part.strip() and key in item["options"]:
                yield item["options"][key], "has ingredient", part.strip()


def _reasons(item: Mapping[str, Any]) -> Iterator[tuple[str, str, str]]:
    """The facts about the person that decide between the options, where the file says so."""
    said = (item.get("correctness_explanation") or {}).get("relevant triple") or ()
    for triple in [said] if isinstance(said, str) else said:
        yield from map(_fact, re.findall(r"\([^()]*\)", triple))


def _fact(triple: str) -> tuple[str, str, str]:
    subject, relation, value = re.split(r",\s*", triple.strip().strip("()"), maxsplit=2)
    return subject, relation, value


FORMAT = Format(
    "recipe-mpr", "Recipe-MPR, with or without personas", json_items, examples, graph="recipes"
)
