"""A table of your own: comma-, semicolon- or tab-separated, with a header.

    question,answers,id,entities,class,reference
    Who directed Written on the Wind?,Douglas Sirk,1,Written on the Wind,look-up,
    Which films did Douglas Sirk direct?,Q2|Q1,2,Q76716,look-up,
    Is Ulm in Germany?,yes,3,Q3012|Q183,yes/no,

`question` is needed, and `answers` or `reference`. Several answers or entities are separated by
`|`, each an id or a name, and so are several references: the answer is held against the one nearest
to it (ROUGE-L). Where there are references alone, they are what is right, word for word. Empty
`answers` without a reference mean that the question has no gold; `(none)` that nothing is the right
answer.
"""

from __future__ import annotations

import csv
from collections.abc import Iterator, Mapping
from itertools import chain
from pathlib import Path
from textwrap import shorten

from kgqa_core.evaluation.datasets.base import (
    Example,
    Format,
    Gold,
    answer,
    classes,
    text_lines,
)

_NAMES = {
    "question": ("question", "query", "text"),
    "answers": ("answers", "answer", "gold"),
    "id": ("id", "qid", "uid"),
    "entities": ("entities", "entity", "topic", "topic_entities"),
    "class": ("class", "type"),
    "reference": ("reference",),
}
NOTHING = "(none)"


def items(path: Path) -> Iterator[dict[str, str]]:
    lines = text_lines(path)
    header = next(lines, "")
    mark = max(",;\t", key=header.count)
    columns = [name.strip().casefold() for name in next(csv.reader([header], delimiter=mark), [])]
    named = {
        ours: next((columns.index(n) for n in names if n in columns), None)
        for ours, names in _NAMES.items()
    }
    for needed in ("question", "answers"):
        if named[needed] is None and (needed == "question" or named["reference"] is None):
            there = shorten(", ".join(columns), 80, placeholder=" …") or "nothing"
            raise ValueError(f"its first line has no column “{needed}”, but: {there}")
    for row in csv.reader(chain(lines), delimiter=mark):
        if any(cell.strip() for cell in row):
            yield {
                ours: row[at].strip() if at is not None and at < len(row) else ""
                for ours, at in named.items()
            }


def examples(item: Mapping[str, str], number: int) -> Iterator[Example]:
    if not item["question"]:
        raise ValueError("no question")
    gold: dict[str, tuple[Gold, ...]] = {}
    if item["answers"] == NOTHING:
        gold["gold"] = ()
    elif right := item["answers"] or item["reference"]:
        gold["gold"] = tuple(dict.fromkeys(answer(a) for a in _split(right)))
    yield Example(
        id=item["id"] or str(number),
        question=item["question"],
        gold=gold,
        topic={name: name for name in _split(item["entities"])},
        classes=classes(item["class"]),
        reference=item["reference"],
    )


def _split(cell: str) -> list[str]:
    return [part.strip() for part in cell.split("|") if part.strip()]


FORMAT = Format("csv", "a table of your own: question, answers", items, examples, graph="any")
