"""Ordinary questions with answers from general knowledge, asked of the usual graph and scored.

The answers do not come from the graph, so what it lacks counts. Columns: class, question, gold, as
`gold.py` reads it.

`python -m tests.measure.first_sight [FILE…]` prints every question with what became of it, then
the score: right, abstained, wrong, wrong but certain. `KGQA_GRAPH` names another graph.
"""

from __future__ import annotations

import sys
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.ask.events import Answer
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph
from kgqa_core.settings import load_settings
from tests.measure import gold
from tests.places import TESTS

FILE = TESTS / "questions" / "first_sight_2026_11.tsv"


@dataclass(frozen=True)
class Asked:
    kind: str
    question: str
    gold: str
    answer: Answer

    @property
    def verdict(self) -> gold.Verdict:
        return gold.verdict(self.gold, self.answer.values, self.answer.certain)


def ask(file: Path = FILE, kg: KnowledgeGraph | None = None) -> list[Asked]:
    """Every question of the file, by ReAct with the built-in reader."""
    settings = load_settings()
    kg = kg or open_graph(settings.graph, settings)
    method, llm = METHODS["react"], Offline(None)
    return [
        Asked(
            row["class"],
            row["question"],
            row["gold"],
            answer_of(list(run(row["question"], method.solve, Toolkit(kg, llm), method.params()))),
        )
        for row in gold.rows(file)
    ]


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
