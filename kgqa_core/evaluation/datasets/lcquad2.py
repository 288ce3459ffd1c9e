"""LC-QuAD 2.0 with answers (Dubey et al., ISWC 2019); also QALD files written in its form.

    {"uid": 19719, "question": "What periodical literature does Delta Air Lines use …?",
     "sparql_wikidata": "select distinct ?obj where { wd:Q188920 wdt:P2813 ?obj . … }",
     "answer": ["http://www.wikidata.org/entity/Q3486420"], "solved_answer": ["Sky"]}

`solved_answer` names each answer, or lists its names. The published file has no answers: its
questions are then left out as lacking gold.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from kgqa_core.evaluation.datasets import sparql
from kgqa_core.evaluation.datasets.base import Example, Format, Gold, answer, json_items


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    query = str(item.get("sparql_wikidata") or item["sparql"])
    gold: dict[str, tuple[Gold, ...]] = {}
    if item.get("answer") is not None:
        values, named = item["answer"], item.get("solved_answer") or []
        names = named if len(named) == len(values) else [()] * len(values)
        gold["gold"] = tuple(
            dict.fromkeys(answer(v, _names(n)) for v, n in zip(values, names, strict=True))
        )
    question = item.get("question") or item.get("NNQT_question")
    if not question:
        raise KeyError("question")
    yield Example(
        id=str(item.get("uid", item.get("id", number))),
        question=question,
        gold=gold,
        topic=sparql.entities(query),
        classes=sparql.kinds(query),
        trivial=sparql.trivial(query, gold),
        sparql=query,
    )


def _names(names: Any) -> list[str]:
    if isinstance(names, str):
        return [names]
    return [str(n) for n in names] if isinstance(names, list | tuple) else []


FORMAT = Format("lcquad2", "LC-QuAD 2.0", json_items, examples)
