"""MetaQA: questions over a film graph, one, two or three hops apart.

Zhang et al., AAAI 2018. A line is question, tab, answers; the topic entity is in brackets:

    what movies did [Temuera Morrison] act in	Once Were Warriors|Tracker|River Queen

The class (hops, relation path) comes from `…_qtype.txt` beside the file, where there is one.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import chain, repeat
from pathlib import Path

from kgqa_core.evaluation.datasets.base import Example, Format, Gold, classes, rows

_TOPIC = re.compile(r"\[([^\]]+)\]")
_HOPS = {1: "1 hop", 2: "2 hops", 3: "3 hops"}


def items(path: Path) -> Iterator[tuple[str, str]]:
    stem, dot, suffixes = path.name.partition(".")
    paths = path.with_name(f"{stem}_qtype{dot}{suffixes}")
    kinds = chain(rows(paths) if paths.is_file() else (), repeat(""))
    return zip(rows(path), kinds, strict=False)


def examples(item: tuple[str, str], number: int) -> Iterator[Example]:
    line, path = item
    question, answers = line.split("\t")
    topic = _TOPIC.search(question)
    if topic is None:
        raise ValueError("no [topic entity]")
    yield Example(
        id=str(number),
        question=_TOPIC.sub(r"\1", question),
        gold={"gold": tuple(Gold(names=(a,)) for a in dict.fromkeys(answers.split("|")) if a)},
        topic={topic[1]: topic[1]},
        classes=classes(_HOPS.get(path.count("_to_"), ""), path),
    )


FORMAT = Format("metaqa", "MetaQA, tab-separated", items, examples, graph="MetaQA's film graph")
