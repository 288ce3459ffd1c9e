"""Published numbers, each with the base it was measured on.

They are shown beside ours and never ranked with them: QALD-10 alone is reported on four bases,
with three metrics, and with models that no longer exist. What a paper calls Hits@1 or exact match
is often a substring test (`hits_at_1_lenient`).
"""

from __future__ import annotations

import csv
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from kgqa_core.places import ASSETS

_FIGURES = ASSETS / "benchmarks" / "published.tsv"
_NOT_HELD = {"copy": " (from a copy of the table)", "no": " (not checked)"}


@dataclass(frozen=True)
class Published:
    """A figure as printed, in the table of its source.

    `method` is the name of the same method here, if there is one; `params` what sets its row
    apart from others of that method: `shots=2`, `linking=pool`, with commas between several.
    `checked`: empty: against the text of its source; “copy”: against a copy of the source's tables
    in a survey, as the text has none of them; “no”: against nothing that was at hand.
    """

    dataset: str
    method: str
    params: str
    system: str
    model: str
    metric: str
    value: float
    base: str
    source: str
    table: str
    checked: str = ""

    @property
    def place(self) -> str:
        """Its table, and what it could not be held against when the figures were compared."""
        return f"{self.source}, {self.table}{_NOT_HELD.get(self.checked, '')}"

    def is_of(self, method: str, settings: Mapping[str, Any]) -> bool:
        """Whether a method with these parameters (and environment) is this row's."""
        pairs = (part.partition("=") for part in self.params.split(",") if part)
        return self.method == method and all(str(settings.get(k)) == v for k, _, v in pairs)


# By what a question set's file or title says; the first that fits.
_FAMILIES = {
    "QALD-10 train": r"qald[-_ ]?10.*train",
    "QALD-10": r"qald[-_ ]?10",
    "QALD-9-plus train": r"qald[-_ ]?9[-_ ]?plus.*train|train_en_sparql|train_with_answers",
    "QALD-9-plus test": r"qald[-_ ]?9[-_ ]?plus.*test|test_en_sparql",
    "MetaQA 1-hop": r"metaqa.*1[-_ ]hop",
    "MetaQA 2-hop": r"metaqa.*2[-_ ]hop",
    "MetaQA 3-hop": r"metaqa.*3[-_ ]hop",
    "R3 claims, original": r"(r3.*claim|creak_modified).*\boriginal",
    "R3 questions, original": r"(r3.*question|strategyqa_modified).*\boriginal",
    "CR-LT claims": r"cr[-_]?lt.*claim|(r3.*claim|creak_modified).*\blong-tail",
    "CR-LT questions": r"cr[-_]?lt|(r3.*question|strategyqa_modified).*\blong-tail",
    "Recipe-MPR personas": r"recipe.*persona|commonsense_dict",
    "SimpleQuestions": r"simple[-_ ]?q",
    "WebQSP": r"webqsp|webquestionssp",
    "Nature Questions": r"nature[-_ ]?questions",
}

# Which of our metrics measures the nearest thing.
OURS = {
    "macro F1": "f1",
    "F1-QALD": "f1",
    "F1": "f1",
    "Hits@1 (substring)": "hits_at_1_lenient",
    "Hit@1": "hits_at_1",
    "Hits@1": "hits_at_1",
    "accuracy": "accuracy",
    "ROUGE-L": "rouge_l",
    "linked": "linked",
    "entities found": "entities_found",
    "FActScore (people)": "claim_support",
    "reasoning (people)": "reasoning_check",
    "accuracy of reasons (people)": "reasons",
    "decodable": "decodable",
}


@lru_cache(maxsize=1)
def figures() -> tuple[Published, ...]:
    """All of `assets/benchmarks/published.tsv`, in its order."""
    with _FIGURES.open(encoding="utf-8", newline="") as lines:
        rows = csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        return tuple(Published(value=float(row.pop("value")), **row) for row in rows)


def family(*names: str) -> str:
    """Which published question set is meant by a file name or title; empty: none known.

    R3's files hold each question in two wordings: which, has to be said (`original`, `long-tail`).
    """
    text = " ".join(names).casefold()
    return next((name for name, form in _FAMILIES.items() if re.search(form, text)), "")


def published(*names: str) -> list[Published]:
    """The figures for a question set, by its file name or title."""
    wanted = family(*names)
    return [row for row in figures() if row.dataset == wanted]
