"""Answers from general knowledge, written by hand, and how an answer is scored by them.

Gold values stand between ` | `, spellings of one value between ` = `. `~5` is a number within two
per cent, `~~5` within fifteen; `?x` may be there; a list that begins with `*` may hold more. A date
that is coarser or finer than the gold one is right if it holds. An empty gold: nothing tells.
"""

from __future__ import annotations

import csv
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from kgqa_core.facts.terms import Entity, Value
from kgqa_core.kg.labels import fold

Verdict = Literal["right", "abstained", "wrong", "wrong but certain"]


def rows(file: Path) -> list[dict[str, str]]:
    """A line of the file each, by the names of its columns."""
    with file.open(encoding="utf-8", newline="") as lines:
        return list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))


def verdict(gold: str, values: Sequence[Value], certain: bool) -> Verdict:
    if not values:
        return "abstained" if gold else "right"
    if gold and agrees(gold, values):
        return "right"
    return "wrong but certain" if certain else "wrong"


def agrees(gold: str, values: Sequence[Value]) -> bool:
    """Whether the values are the gold ones, all of them and no others."""
    more = gold.startswith("*")
    wanted = [cell.strip() for cell in gold.removeprefix("*").split("|")]
    left = list(values)
    for cell in wanted:
        spellings = [s.strip() for s in cell.removeprefix("?").split("=")]
        hit = [v for v in left if any(_same(s, v) for s in spellings)]
        if not hit and not cell.startswith("?"):
            return False
        left = [v for v in left if v not in hit]
    return more or not left


def _same(spelling: str, value: Value) -> bool:
    if isinstance(value, Entity):
        return fold(spelling) in {fold(name) for name in (value.name, *value.aliases)}
    text = {"true": "yes", "false": "no"}.get(value.value, value.value)
    if spelling.startswith("~"):
        share = 0.15 if spelling.startswith("~~") else 0.02
        wanted = float(spelling.lstrip("~"))
        try:
            return abs(float(text) - wanted) <= share * abs(wanted)
        except ValueError:
            return False
    if fold(spelling) == fold(text):
        return True
    dates = len(spelling) in (4, 7, 10) and spelling[:4].isdigit()  # "1756" is true, if coarse
    return dates and (text.startswith(f"{spelling}-") or spelling.startswith(f"{text}-"))
