"""Ordinary questions with answers from general knowledge, asked of the usual graph and scored.

The answers do not come from the graph, so what it lacks counts. Columns: class, question, gold, as
`gold.py` reads it.

`python -m tests.measure.first_sight [FILE…]` prints every question with what became of it, then
the score: right, abstained, wrong, wrong but certain. `KGQA_GRAPH` names another graph.

Asked is what the app asks where nobody chose: Compass, with the built-in reader and its ranker.
With `--rules`, ReAct with the reader's rules alone: a weaker reader, which no visitor meets.
"""

from __future__ import annotations

import argparse
from collections import Counter
from dataclasses import dataclass
from pathlib import Path

from kgqa_core.ask.events import Answer
from kgqa_core.ask.llm import LLM
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph, open_model
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings, load_settings
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


def ask(file: Path = FILE, kg: KnowledgeGraph | None = None, *, rules: bool = False) -> list[Asked]:
    """Every question of the file, as the app asks it, or by ReAct with the rules alone."""
    settings = load_settings()
    kg = kg or open_graph(settings.graph, settings)
    name, llm = as_asked(settings, rules=rules)
    method = METHODS[name]
    return [
        Asked(
            row["class"],
            row["question"],
            row["gold"],
            answer_of(list(run(row["question"], method.solve, Toolkit(kg, llm), method.params()))),
        )
        for row in gold.rows(file)
    ]


def as_asked(settings: Settings, *, rules: bool) -> tuple[str, LLM]:
    """The method and the model: those of the app without a key, or ReAct and the rules alone."""
    if rules:
        return "react", Offline()
    return next(iter(METHODS)), open_model("offline", settings, Encoder(settings))


def told(*, rules: bool) -> str:
    """Who is asked, in words."""
    if rules:
        return "asked of react with the built-in reader's rules alone, without the ranker"
    return (
        f"asked of {next(iter(METHODS))} with the built-in reader and its ranker, as the app does"
    )


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("files", nargs="*", type=Path, default=[FILE])
    parser.add_argument("--rules", action="store_true", help="ReAct, the reader without its ranker")
    args = parser.parse_args()
    for file in args.files:
        asked = ask(file, rules=args.rules)
        for one in asked:
            said = " | ".join(getattr(v, "label", "") or str(v) for v in one.answer.values)
            shown = said or one.answer.reason
            print(f"{one.verdict:18} {one.question}   {shown[:150]}")
        counts = Counter(one.verdict for one in asked)
        score = ", ".join(f"{n} {verdict}" for verdict, n in counts.most_common())
        print(f"{file.name}: {len(asked)} questions, {score} ({told(rules=args.rules)})")


if __name__ == "__main__":
    main()
