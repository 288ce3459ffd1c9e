"""How good an answer is: the metrics, a file each, and the one table that names them.

All of them compare *sets* of answers; each file says where its definition comes from. A metric
is a function and a row: see `docs/extending.md`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kgqa_core.ask.events import Answer, Audited, Event, Grounding
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics import hits, rouge, sets, steps, support
from kgqa_core.evaluation.metrics.metric import Given, Metric

_TABLE = (
    support.ACCURACY,
    sets.ACCURACY,
    sets.EXACT,
    sets.F1,
    sets.PRECISION,
    sets.RECALL,
    hits.STRICT,
    hits.LENIENT,
    rouge.METRIC,
    support.CLAIMS,
    support.REASONING,
    support.WRONG,
    steps.LINKED,
    steps.FOUND,
    steps.REASONS,
    steps.DECODABLE,
)
METRICS: dict[str, Metric] = {metric.name: metric for metric in _TABLE}
HEADLINE = support.ACCURACY.name


def lower_is_better(metric: str) -> bool:
    return metric in METRICS and METRICS[metric].lower_is_better


@dataclass(frozen=True)
class Scores:
    """One answer against all gold sets of a question; `by_gold` has the F1 against each."""

    by_metric: Mapping[str, float]  # those that apply, in the table's order
    by_gold: Mapping[str, float]
    exact: bool

    def __getitem__(self, metric: str) -> float | None:
        """None where it does not apply."""
        return self.by_metric.get(metric)

    def values(self) -> dict[str, float]:
        return dict(self.by_metric)


def score(
    example: Example,
    answer: Answer,
    audit: Audited | None = None,
    happened: Sequence[Event] = (),
) -> Scores:
    """All metrics of one answer. An abstention is an empty set without text."""
    given = Given(example, answer, audit, happened)
    found = {name: metric.of(given) for name, metric in METRICS.items()}
    return Scores(
        {name: value for name, value in found.items() if value is not None},
        {name: o.f1 for name, o in given.overlaps.items()},
        given.exact,
    )


def failed(example: Example) -> Scores:
    """What a question scores that ended in an error: nothing, whatever the gold is."""
    found = {name: metric.failed(example) for name, metric in METRICS.items()}
    return Scores(
        {name: value for name, value in found.items() if value is not None},
        dict.fromkeys(example.gold, 0.0),
        False,
    )


def verdict(scores: Scores | None, grounding: Grounding) -> str:
    """`right`, `wrong`, `abstained` or `failed`: the one word for a question.

    To abstain is right where the gold is that nothing is.
    """
    if scores is None:
        return "failed"
    if scores.exact:
        return "right"
    return "abstained" if grounding == "abstained" else "wrong"
