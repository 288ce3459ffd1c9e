"""ROUGE-L: how far the answer's text and a reference say the same in the same order."""

from __future__ import annotations

from functools import lru_cache
from typing import Any

from kgqa_core.ask.events import Answer
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.metric import Given, Metric, closed


def rouge_l(text: str, reference: str) -> float:
    """F1 of the longest common subsequence of words (Lin 2004), as `rouge-score` computes it.

    Without stemming; the measure of PG&AKV on open questions.
    """
    return float(_rouge().score(reference, text)["rougeL"].fmeasure)


def rouge_of(example: Example, answer: Answer) -> float | None:
    references = _references(example)
    if not references:
        return None
    return max(rouge_l(answer.text, r) for r in references) if answer.text else 0.0


def _references(example: Example) -> list[str]:
    """The reference texts, or the gold names in a row; nothing where the gold has ids only."""
    if example.reference:
        return [r for text in example.reference.split("|") if (r := text.strip())]
    named = [
        ", ".join(g.names[0] for g in answers)
        for answers in example.gold.values()
        if answers and all(g.names for g in answers)
    ]
    return [] if closed(example) and example.form != "choice" else list(dict.fromkeys(named))


@lru_cache(maxsize=1)
def _rouge() -> Any:
    """Loaded at first use: the import takes longer than a short benchmark."""
    from rouge_score import rouge_scorer

    return rouge_scorer.RougeScorer(["rougeL"])


def _of(given: Given) -> float | None:
    return rouge_of(given.example, given.answer)


def _failed(example: Example) -> float | None:
    return 0.0 if _references(example) else None


METRIC = Metric("rouge_l", "ROUGE-L F1 between the answer's text and the reference", _of, _failed)
