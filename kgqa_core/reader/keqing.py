"""What the built-in reader does for Keqing's skills: it follows the nearest example.

The library has learned how composed questions split, so the reader takes the sub-questions of
the nearest template, the candidates of the best chain, and tells the log as it stands.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from pydantic import BaseModel

from kgqa_core.ask.skills import CitedSentence, FactAnswer
from kgqa_core.methods.keqing.skills import (
    PICK,
    PLAN,
    PREDICT,
    SPLIT,
    WRITE,
    Decomposition,
    LogEntry,
    Picked,
    Planned,
    Predicted,
    ToPick,
    ToPlan,
    ToSplit,
    ToWrite,
)
from kgqa_core.text import enumerated, listed

_NAMED = 10


def split(given: ToSplit) -> Decomposition:
    return Decomposition(parts=given.examples[0].parts if given.examples else [])


def predict(given: ToSplit) -> Predicted:
    if not given.examples:
        return Predicted(seed="", chain="")
    first = given.examples[0]
    seeds = [seed for part in first.parts for seed in part.seeds]
    return Predicted(seed=seeds[0] if seeds else "", chain=first.chain)


def plan(given: ToPlan) -> Planned:
    """None: the reader splits only what a template is like."""
    return Planned(chain="")


def pick(given: ToPick) -> Picked:
    """All that the best chain led to; of chains that are as good the first."""
    if not given.options:
        return Picked()
    best = max(range(len(given.options)), key=lambda i: (given.options[i].score, -i))
    return Picked(options=[best] if given.options[best].score > 0 else [])


def write(given: ToWrite) -> FactAnswer:
    """The answers of the last sub-question, then each one before it with what it gave."""
    if not given.log:
        return FactAnswer(sentences=[], values=[], reason="Nothing was found.")
    last = given.log[-1]
    told = [CitedSentence(text=_ended(_listed(last)), facts=last.facts)]
    told += [
        CitedSentence(text=_ended(f"“{entry.question}” gave {_listed(entry)}"), facts=entry.facts)
        for entry in given.log[:-1]
        if entry.facts
    ]
    return FactAnswer(sentences=told, values=last.answers)


def _ended(text: str) -> str:
    return text if text.endswith(".") else f"{text}."


def _listed(entry: LogEntry) -> str:
    if entry.count > len(entry.answers[:_NAMED]):
        return listed(entry.answers, _NAMED, of=entry.count)
    return enumerated(entry.answers) or "nothing"


HANDLERS: dict[str, Callable[[Any], BaseModel]] = {
    SPLIT.name: split,
    PREDICT.name: predict,
    PLAN.name: plan,
    PICK.name: pick,
    WRITE.name: write,
}
