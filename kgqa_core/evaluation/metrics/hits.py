"""Hits@1: whether the first answer is a gold answer; strict, and as ToG counts."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from kgqa_core.evaluation.datasets.base import Gold
from kgqa_core.evaluation.metrics.metric import Given, Metric, closed
from kgqa_core.evaluation.metrics.sameness import Item, same


def hits_at_1(predicted: Sequence[Item], gold: Sequence[Item]) -> float:
    """1 if the first answer equals a gold answer by id, label or alias (strict).

    The usual measure on MetaQA and WebQSP (Sun et al., EMNLP 2018). No answer is a hit only
    where the gold set is empty.
    """
    if not predicted or not gold:
        return float(not predicted and not gold)
    return float(any(same(predicted[0], g) for g in gold))


def hits_at_1_lenient(texts: Iterable[str], gold: Iterable[Gold]) -> float:
    """ToG's “exact match”: gold and answer, without spaces, contain one another.

    Sun et al., ICLR 2024, `eval/utils.py`. Too kind (“no” is in “Norway”), so it never stands
    alone. Departure: an empty answer is no hit; there it always is.
    """
    said = [t for t in (_tight(text) for text in texts) if t]
    wanted = [w for g in gold for name in g.names if (w := _tight(name))]
    return float(any(t in w or w in t for t in said for w in wanted))


def _strict(given: Given) -> float:
    return max(hits_at_1(given.predicted, items) for items in given.sets.values())


def _lenient(given: Given) -> float:
    """Strict for a closed choice, which ToG's test leaves out: every second word has a “no”."""
    example, answer = given.example, given.answer
    if closed(example):
        return float(given.exact)
    said = [answer.text, *(v.name for v in answer.values[:1])]
    return max(hits_at_1_lenient(said, answers) for answers in example.gold.values())


def _tight(text: str) -> str:
    return "".join(text.split()).casefold()


STRICT = Metric("hits_at_1", "the first answer is a gold answer", _strict)
LENIENT = Metric(
    "hits_at_1_lenient", "ToG's substring match; only to meet published numbers", _lenient
)
