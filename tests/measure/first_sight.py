"""Ordinary questions with answers from general knowledge, asked of the usual graph and scored.

The answers do not come from the graph, so what it lacks counts. Columns: class, question, gold.
Gold values stand between ` | `, spellings of one value between ` = `. `~5` is a number within two
per cent, `~~5` within fifteen; `?x` may be there; a list that begins with `*` may hold more. A date
that is coarser or finer than the gold one is right if it holds.

`python -m tests.measure.first_sight [FILE…]` prints every question with what became of it, then
the score: right, abstained, wrong, wrong but certain. `KGQA_GRAPH` names another graph.
"""

from __future__ import annotations

import csv
import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.ask.events import Answer
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import Entity, Value
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.labels import fold
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph
from kgqa_core.settings import load_settings
from tests.places import TESTS

FILE = TESTS / "questions" / "first_sight_2026_11.tsv"


@dataclass(frozen=True)
class Asked:
    kind: str
    question: str
    gold: str
    answer: Answer

    @property
    def verdict(self) -> str:
        if not self.answer.values:
            return "abstained"
        if agrees(self.gold, self.answer.values):
            return "right"
        return "wrong but certain" if self.answer.certain else "wrong"


def ask(file: Path = FILE, kg: KnowledgeGraph | None = None) -> list[Asked]:
    """Every question of the file, by ReAct with the built-in reader."""
    settings = load_settings()
    kg = kg or open_graph(settings.graph, settings)
    method, llm = METHODS["react"], Offline(None)
    with file.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [
        Asked(
            row["class"],
            row["question"],
            row["gold"],
            answer_of(list(run(row["question"], method.solve, Toolkit(kg, llm), method.params()))),
        )
        for row in rows
    ]


def agrees(gold: str, values: tuple[Value, ...]) -> bool:
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
        return fold(spelling) in {fold(name) for name in (value.label, *value.aliases)}
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


def main() -> None:
    for name in sys.argv[1:] or [str(FILE)]:
        asked = ask(Path(name))
        for one in asked:
            said = " | ".join(getattr(v, "label", "") or str(v) for v in one.answer.values)
            shown = said or one.answer.reason
            print(f"{one.verdict:18} {one.question}   {shown[:150]}")
        counts = Counter(one.verdict for one in asked)
        score = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        print(f"{Path(name).name}: {len(asked)} questions, {score}")


if __name__ == "__main__":
    main()
