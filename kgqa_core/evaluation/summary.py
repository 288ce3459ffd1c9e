"""What a benchmark came to: metrics with intervals, by class, grounding, certainty, and cost."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from statistics import fmean
from typing import Any

from kgqa_core.ask.events import Cost
from kgqa_core.evaluation.metrics import HEADLINE, METRICS
from kgqa_core.evaluation.results import Config, Row
from kgqa_core.evaluation.statistics import estimate, spread


def summarise(config: Config, rows: Sequence[Row]) -> dict[str, Any]:
    """The document that `bench --json` prints.

    `metrics` are over all questions; `without_trivial` leaves out those that an empty graph
    answers right. With repeats, a question counts once, by its mean.
    """
    seed = config.seed
    trivial = [row for row in rows if row.trivial]
    return {
        **measure(rows, seed),
        "headline": HEADLINE,
        "planned": config.questions * config.repeat,
        "complete": len(rows) == config.questions * config.repeat,
        "by_gold": _by_gold(rows, seed),
        "by_class": _grouped(rows, lambda row: row.classes, seed),
        "by_grounding": _grouped(rows, _grounding, seed),
        "by_certainty": _grouped(rows, _certainty, seed),
        "trivial": measure(trivial, seed) if trivial else None,
        "without_trivial": (
            measure([row for row in rows if not row.trivial], seed) if trivial else None
        ),
        "repeats": _repeats(rows) if config.repeat > 1 else None,
        "causes": _causes(rows),
        "failures": [
            {"id": row.id, "repeat": row.repeat, "error": row.error, "message": row.message}
            for row in rows
            if row.verdict == "failed"
        ],
        "cost": cost(rows),
        "config": config.model_dump(mode="json"),
    }


def measure(rows: Sequence[Row], seed: int = 0) -> dict[str, Any]:
    """`n` questions (runs: with repeats), how they ended, and every metric that applies."""
    return {
        "n": len({row.id for row in rows}),
        "runs": len(rows),
        "answered": sum(row.status == "answered" for row in rows),
        "abstained": sum(row.status == "abstained" for row in rows),
        "failed": sum(row.verdict == "failed" for row in rows),
        "metrics": {
            name: estimate(list(by_id.values()), seed).document()
            for name in METRICS
            if (by_id := scores(rows, name))
        },
    }


def scores(rows: Iterable[Row], metric: str) -> dict[str, float]:
    """The metric by question id, over repeats the mean; without those it does not apply to."""
    found: dict[str, list[float]] = {}
    for row in rows:
        if metric in row.scores:
            found.setdefault(row.id, []).append(row.scores[metric])
    return {name: fmean(values) for name, values in found.items()}


def cost(rows: Sequence[Row]) -> dict[str, Any]:
    """All that was used, and what a question took on average (seconds: of each run)."""
    total = Cost()
    for row in rows:
        total = total + row.cost
    each = {
        name: round(value / len(rows), 3)
        for name, value in total.model_dump(exclude={"estimated"}).items()
        if rows
    }
    return {**total.model_dump(), "seconds": round(total.seconds, 3), "per_question": each}


def _by_gold(rows: Sequence[Row], seed: int) -> dict[str, Any]:
    names = dict.fromkeys(name for row in rows for name in row.by_gold)
    if len(names) < 2:
        return {}
    return {
        name: {
            "f1": estimate([r.by_gold[name] for r in rows if name in r.by_gold], seed).document()
        }
        for name in names
    }


def _grouped(
    rows: Sequence[Row], groups: Callable[[Row], Iterable[str]], seed: int
) -> dict[str, Any]:
    found: dict[str, list[Row]] = {}
    for row in rows:
        for name in groups(row):
            found.setdefault(name, []).append(row)
    by_size = sorted(found.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return {name: measure(some, seed) for name, some in by_size}


def _grounding(row: Row) -> tuple[str]:
    return ("failed" if row.verdict == "failed" else row.grounding,)


def _certainty(row: Row) -> tuple[str, ...]:
    return (row.certainty,) if row.certainty else ()


def _repeats(rows: Sequence[Row]) -> dict[str, Any]:
    """Each metric's mean and standard deviation over the repeats."""
    runs: dict[int, list[Row]] = {}
    for row in rows:
        runs.setdefault(row.repeat, []).append(row)
    found = {}
    for name in METRICS:
        means = [fmean(s.values()) for some in runs.values() if (s := scores(some, name))]
        if means:
            over = spread(means)
            found[name] = {"value": round(over.value, 4), "deviation": round(over.deviation, 4)}
    return {"k": len(runs), "metrics": found}


def _causes(rows: Sequence[Row]) -> dict[str, int]:
    """How often each cause made a question go wrong, most frequent first."""
    counted: dict[str, int] = {}
    for row in rows:
        if row.cause:
            counted[row.cause] = counted.get(row.cause, 0) + 1
    return dict(sorted(counted.items(), key=lambda pair: (-pair[1], pair[0])))
