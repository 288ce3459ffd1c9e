"""What a metric is to everybody but itself, and what it is given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Literal as OneOf

from kgqa_core.ask.events import Answer, Audited, Event
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.sameness import Item, Overlap, of_gold, of_value, overlap

Certainty = OneOf["certain", "uncertain", "abstained", ""]  # empty: the question failed


@dataclass(frozen=True)
class Given:
    """One answer, and the question with all its gold sets. An abstention is an empty set.

    `happened`: the events of the run, for metrics of how an answer came about.
    """

    example: Example
    answer: Answer
    audit: Audited | None = None
    happened: Sequence[Event] = ()

    @cached_property
    def predicted(self) -> list[Item]:
        return [of_value(v) for v in self.answer.values]

    @cached_property
    def sets(self) -> Mapping[str, list[Item]]:
        """The gold sets, by name."""
        return {name: [of_gold(g) for g in gold] for name, gold in self.example.gold.items()}

    @cached_property
    def overlaps(self) -> Mapping[str, Overlap]:
        return {name: overlap(self.predicted, items) for name, items in self.sets.items()}

    @cached_property
    def best(self) -> Overlap:
        """With the gold set that fits best."""
        return max(self.overlaps.values(), key=lambda o: (o.f1, o.recall))

    @property
    def exact(self) -> bool:
        return self.best.f1 == 1.0


def nothing(example: Example) -> float | None:
    return 0.0


@dataclass(frozen=True)
class Metric:
    """A number for each answer, averaged over questions; None where it does not apply.

    `failed` is what a question scores that ended in an error. `about` is one line, lower case.
    """

    name: str
    about: str
    of: Callable[[Given], float | None]
    failed: Callable[[Example], float | None] = nothing
    lower_is_better: bool = False


def closed(example: Example) -> bool:
    """Whether the answer is one of a few that are known beforehand."""
    return example.form != "question" or any(
        len(answers) == 1 and of_gold(answers[0]).truth is not None
        for answers in example.gold.values()
    )


def certainty(answer: Answer) -> Certainty:
    """How an answer was given: as certain, marked as a guess, or not at all."""
    if answer.grounding == "abstained":
        return "abstained"
    return "certain" if answer.certain else "uncertain"
