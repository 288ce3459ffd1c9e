"""WebQuestionsSP, WikiWebQuestions, and the WebQuestions file of ToG.

Yih et al., ACL 2016: several parses of a question are alternative gold sets.

    {"QuestionId": "WebQTest-0", "RawQuestion": "what does jamaican people speak?", "Parses": [
        {"TopicEntityMid": "m.03_r3", "TopicEntityName": "Jamaica", "Answers": [
            {"AnswerType": "Entity", "AnswerArgument": "m.01428y", "EntityName": "…"}]}]}

Xu et al., EMNLP 2023 (the same questions on Wikidata), as JSON lines, or as their own list with
`utterance` for the question and `results` at the top:

    {"id": "WebQTrn-3129", "question": "what is the political system in argentina?",
     "sparql": "SELECT DISTINCT ?x WHERE { wd:Q414 wdt:P122 ?x . }", "info": {"results": [
        {"x": {"type": "uri", "value": "http://www.wikidata.org/entity/Q512187"}}]}}

Sun et al., ICLR 2024:

    {"question": "what does jamaican people speak?", "answers": ["Jamaican English"],
     "qid_topic_entity": {"Q766": "Jamaica"}}
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import partial
from typing import Any

from kgqa_core.evaluation.datasets import sparql
from kgqa_core.evaluation.datasets.base import Example, Format, Gold, answer, json_items


def examples(item: Mapping[str, Any], number: int) -> Iterator[Example]:
    if "Parses" in item:
        yield _freebase(item)
    elif "answers" in item:
        yield Example(
            id=str(item.get("id", number)),
            question=item["question"],
            gold={"gold": tuple(answer(a) for a in item["answers"])},
            topic=item.get("qid_topic_entity") or {},
        )
    else:
        yield _wikidata(item, number)


def _freebase(item: Mapping[str, Any]) -> Example:
    parses = [p for p in item["Parses"] if p["Answers"]]
    return Example(
        id=str(item["QuestionId"]),
        question=item["RawQuestion"],
        gold={f"parse {i}": tuple(map(_named, p["Answers"])) for i, p in enumerate(parses, 1)},
        topic={
            p["TopicEntityMid"]: p.get("TopicEntityName") or ""
            for p in parses
            if p.get("TopicEntityMid")
        },
    )


def _named(found: Mapping[str, str]) -> Gold:
    name = found.get("EntityName") or found["AnswerArgument"]
    return Gold(found["AnswerArgument"] if found["AnswerType"] == "Entity" else "", (name,))


def _wikidata(item: Mapping[str, Any], number: int) -> Example:
    query, found = str(item["sparql"]), (item.get("info") or item).get("results")
    gold: dict[str, tuple[Gold, ...]] = {}
    if isinstance(found, bool):
        gold["gold"] = (answer(found),)
    elif found is not None:
        gold["gold"] = sparql.bindings(found)
    return Example(
        id=str(item.get("id", number)),
        question=item.get("question") or item["utterance"],
        gold=gold,
        topic=sparql.entities(query),
        classes=sparql.kinds(query),
        trivial=sparql.trivial(query, gold),
        sparql=query,
    )


FORMAT = Format(
    "webqsp", "WebQSP, WikiWebQuestions", partial(json_items, under="Questions"), examples
)
