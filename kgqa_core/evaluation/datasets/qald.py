"""QALD in its own JSON (QALD-7, 9-plus, 10, or any other year).

Usbeck et al., QALD-10, Semantic Web 2023. One entry of the list `questions`:

    {"id": 0, "question": [{"language": "en", "string": "After whom is … named?"}, …],
     "query": {"sparql": "SELECT DISTINCT ?result WHERE { wd:Q761383 wdt:P138 ?result. }"},
     "answers": [{"head": {"vars": ["result"]}, "results": {"bindings": [{"result":
         {"type": "uri", "value": "http://www.wikidata.org/entity/Q42299"}}]}}]}

A boolean answer is `[{"head": {}, "boolean": true}]`. The English wording is asked where there
is one.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from kgqa_core.evaluation.datasets import sparql
from kgqa_core.evaluation.datasets.base import Example, Format, Gold, json_items


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    query = _query(item)
    gold: dict[str, tuple[Gold, ...]] = {}
    if item.get("answers"):
        found = [sparql.results(a) for a in item["answers"]]
        gold["gold"] = tuple(dict.fromkeys(answer for answers in found for answer in answers))
    yield Example(
        id=str(item.get("id", number)),
        question=_wording(item["question"]),
        gold=gold,
        topic=sparql.entities(query),
        classes=sparql.kinds(query) if query else (),
        trivial=sparql.trivial(query, gold),
        sparql=query,
    )


def _wording(question: list[Mapping[str, str]] | str) -> str:
    if isinstance(question, str):
        return question
    in_english = [q["string"] for q in question if q.get("language", "en").startswith("en")]
    return (in_english or [q["string"] for q in question])[0]


def _query(item: Mapping[str, Any]) -> str:
    query = item.get("query") or item.get("sparql") or ""
    return str(query.get("sparql") or "") if isinstance(query, Mapping) else str(query)


FORMAT = Format("qald", "QALD JSON, any year", partial(json_items, under="questions"), examples)
