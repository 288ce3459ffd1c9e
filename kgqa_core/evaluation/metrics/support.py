"""What stands under an answer, and how sure it was given.

Supported accuracy: the answer set is exactly a gold set, and every sentence of the answer
cites the graph; where the answer was audited, every factual claim in it is also supported. A
model that knows the benchmark by heart gets accuracy, not this.

Claim support is FActScore's precision (Min et al., EMNLP 2023) without its penalty for short
answers: like there, it is over answers that were given. The reasoning check is the same for
the rules and conclusions of an answer, which R3 judged by hand (Toroghi et al., EMNLP 2024).

Wrong but certain: an answer was given, not marked as a guess, and is not exactly a gold set.
Over all questions this is the risk of a selective predictor times its coverage (El-Yaniv and
Wiener, JMLR 2010): a method that always abstains has none, so it never stands alone.
"""

from __future__ import annotations

from kgqa_core.ask.events import Answer, Audited
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.metric import Given, Metric, certainty


def _accuracy(given: Given) -> float:
    return float(given.exact and _supported(given.answer, given.audit))


def _claims(given: Given) -> float | None:
    return given.audit.support if given.audit else None


def _supported(answer: Answer, audit: Audited | None) -> bool:
    """Whether nothing is said without the graph: an abstention says nothing."""
    if answer.grounding == "ungrounded":
        return False
    return audit is None or audit.support in (None, 1.0)


def _reasoning(given: Given) -> float | None:
    found = given.audit.reasoning if given.audit else ()
    return sum(claim.mark == "supported" for claim in found) / len(found) if found else None


def _wrong(given: Given) -> float:
    return float(not given.exact and certainty(given.answer) == "certain")


def _none(example: Example) -> None:
    return None


ACCURACY = Metric(
    "supported_accuracy", "right, and every sentence grounded in the graph", _accuracy
)
CLAIMS = Metric(
    "claim_support",
    "factual claims of the answers that the graph supports, where audited",
    _claims,
    _none,
)
REASONING = Metric(
    "reasoning_check",
    "rules and conclusions of the answers that hold, where audited",
    _reasoning,
    _none,
)
WRONG = Metric(
    "wrong_but_certain",
    "wrong answers that were not marked as a guess: the lower, the better",
    _wrong,
    lower_is_better=True,
)
