"""Answer sets against gold sets: exact match, F1, precision, recall, accuracy."""

from __future__ import annotations

from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.metric import Given, Metric, closed


def _accuracy(given: Given) -> float | None:
    return float(given.exact) if closed(given.example) else None


def _failed(example: Example) -> float | None:
    return 0.0 if closed(example) else None


ACCURACY = Metric(
    "accuracy",
    "right, of questions with a closed choice (yes/no, claims, options)",
    _accuracy,
    _failed,
)
EXACT = Metric("exact", "the answer is exactly a gold set", lambda given: float(given.exact))
F1 = Metric("f1", "macro F1 over answer sets", lambda given: given.best.f1)
PRECISION = Metric(
    "precision", "macro precision over answer sets", lambda given: given.best.precision
)
RECALL = Metric("recall", "macro recall over answer sets", lambda given: given.best.recall)
