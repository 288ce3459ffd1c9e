"""How sure a number is, and whether two methods really differ.

Intervals by bootstrap; paired tests as in R3's appendix B (McNemar for right and wrong, Student's
t for graded scores). Everything is reproducible: the seed is an argument.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import fmean, stdev

import numpy as np

RESAMPLES = 1000


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95 % interval, over `n` questions."""

    value: float
    low: float
    high: float
    n: int

    def document(self) -> dict[str, object]:
        return {
            "value": round(self.value, 4),
            "interval": [round(self.low, 4), round(self.high, 4)],
            "n": self.n,
        }


def estimate(values: Sequence[float], seed: int = 0, resamples: int = RESAMPLES) -> Estimate:
    """Mean and percentile bootstrap interval (Efron and Tibshirani 1993, ch. 13).

    Questions are drawn again with replacement; 2.5 % of the means lie on either side of the
    interval. Raises ValueError for no values.
    """
    if not values:
        raise ValueError("a mean needs at least one value")
    # scipy.stats.bootstrap takes 18 ms for 1,000 questions judged right or wrong, this 0.3 ms;
    # a page of results draws hundreds of intervals, and published ones keep their numbers.
    distinct, times = np.unique(np.asarray(values, dtype=float), return_counts=True)
    mean = float(distinct @ times) / len(values)
    # To draw questions again is to draw how often each distinct score occurs.
    drawn = np.random.default_rng(seed).multinomial(len(values), times / len(values), resamples)
    means = drawn @ distinct / len(values)
    low, high = np.percentile(means, (2.5, 97.5))
    return Estimate(mean, float(low), float(high), len(values))


def mcnemar(ours: Sequence[bool], theirs: Sequence[bool]) -> float:
    """The two-sided p-value that two methods are right equally often (McNemar 1947).

    Exact binomial test over the questions that only one of them got right; 1 when there is none.
    """
    only_ours = sum(a and not b for a, b in zip(ours, theirs, strict=True))
    only_theirs = sum(b and not a for a, b in zip(ours, theirs, strict=True))
    if only_ours == only_theirs:
        return 1.0
    from scipy.special import bdtr  # not scipy.stats: that takes seconds to import

    tail = bdtr(min(only_ours, only_theirs), only_ours + only_theirs, 0.5)
    return float(min(1.0, 2 * tail))


def paired_t(ours: Sequence[float], theirs: Sequence[float]) -> float:
    """The two-sided p-value that the mean difference is zero (Student 1908).

    1 when no question differs; the difference must be over at least two questions.
    """
    gaps = [a - b for a, b in zip(ours, theirs, strict=True)]
    if len(gaps) < 2 or not any(gaps):
        return 1.0
    if len(set(gaps)) == 1:
        return 0.0
    from scipy.stats import ttest_rel

    return float(ttest_rel(ours, theirs).pvalue)


def holm(p_values: Sequence[float]) -> list[float]:
    """The p-values of several tests at once, corrected step by step (Holm 1979), in their order.

    By hand: scipy has no such correction, and statsmodels is five packages and a second to import.
    """
    count, least = len(p_values), 0.0
    corrected = [1.0] * count
    for rank, at in enumerate(sorted(range(count), key=p_values.__getitem__)):
        least = max(least, min(1.0, (count - rank) * p_values[at]))
        corrected[at] = least
    return corrected


@dataclass(frozen=True)
class Comparison:
    """Two methods on the questions both were asked. `gap` is ours minus theirs."""

    metric: str
    gap: Estimate
    p_value: float
    test: str
    ours_only: tuple[str, ...]  # questions that only we got right
    theirs_only: tuple[str, ...]


def compare(
    metric: str, ours: Mapping[str, float], theirs: Mapping[str, float], seed: int = 0
) -> Comparison:
    """By question id; McNemar where every score is 0 or 1, else the paired t-test.

    Raises ValueError when no question is common.
    """
    common = [name for name in ours if name in theirs]
    a, b = [ours[name] for name in common], [theirs[name] for name in common]
    graded = not {*a, *b} <= {0.0, 1.0}
    p_value = paired_t(a, b) if graded else mcnemar([x == 1 for x in a], [x == 1 for x in b])
    return Comparison(
        metric=metric,
        gap=estimate([x - y for x, y in zip(a, b, strict=True)], seed),
        p_value=p_value,
        test="paired t" if graded else "McNemar",
        ours_only=tuple(n for n in common if ours[n] == 1 and theirs[n] < 1),
        theirs_only=tuple(n for n in common if theirs[n] == 1 and ours[n] < 1),
    )


@dataclass(frozen=True)
class Spread:
    """The mean of `k` repeated runs and how far they lie apart (0 for a single one)."""

    value: float
    deviation: float
    k: int


def spread(means: Sequence[float]) -> Spread:
    """Mean and sample standard deviation over repeats."""
    return Spread(fmean(means), stdev(means) if len(means) > 1 else 0.0, len(means))
