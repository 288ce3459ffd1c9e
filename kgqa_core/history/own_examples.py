"""Worked examples from one's own right runs: what was put to the model there, and what it said.

A run counts as right that was rated so (a thumb up). For each question the runs whose questions
are most like it are taken, never the same question; what they asked at the same step joins the
worked examples that the step has anyway (as KB-BINDER-R retrieves its demonstrations).
"""

from __future__ import annotations

import atexit
from collections.abc import Callable, Sequence
from concurrent.futures import Future
from dataclasses import replace
from functools import lru_cache
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kgqa_core.ask.events import Asked, Record
from kgqa_core.ask.llm import LLM, Complaint, Reply
from kgqa_core.ask.setup import Setup
from kgqa_core.ask.skill import AsPut, Skill
from kgqa_core.history.store import Search, Store, open_store
from kgqa_core.settings import Settings
from kgqa_core.text import fold, stems

R = TypeVar("R", bound=BaseModel)
Example = tuple[BaseModel, BaseModel]

_LOOKED_THROUGH = 500  # of the latest runs
_ASKED = "\n\n[user]\n"  # what stands before an input in a prompt that was kept
_AGAIN = "That reply could not be used"
_LONG = 6_000  # characters of an input that is no example any more
_LITTLE = frozenset(stems("who what when where which how is are was were do does did of the a in"))


def taught(setup: Setup, settings: Settings) -> Setup:
    """The setup with a model that is shown examples from one's own right runs, where that is set.

    The built-in reader takes no prompts, so it is shown none.
    """
    if not settings.own_examples or setup.model_source == "offline":
        return setup
    return replace(setup, llm=Taught(setup.llm, _store(settings), settings.own_examples))


@lru_cache(maxsize=1)
def _store(settings: Settings) -> Store:
    store = open_store(settings)
    atexit.register(store.close)
    return store


class Taught:
    """LLM protocol: the model, with `most` examples of the visitor's own at every step."""

    def __init__(self, llm: LLM, store: Store, most: int, visitor: str | None = None) -> None:
        self.name = llm.name
        self._llm = llm
        self._most = most
        self._store = store
        self._visitor = visitor
        self._like = lru_cache(maxsize=64)(self._runs_like)

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        own = self._examples(skill, getattr(given, "question", ""))
        asked: Skill[R] = replace(skill, examples=(*skill.examples, *own)) if own else skill
        return self._llm.ask(asked, given, complaint=complaint, on_text=on_text)

    def _examples(self, skill: Skill[Any], question: str) -> list[Any]:
        found = (example_of(skill, records) for records in self._like(question))
        return [example for example in found if example is not None][: self._most]

    def _runs_like(self, question: str) -> tuple[Sequence[Record], ...]:
        """The right runs of the questions most like this one, with all that they reported."""
        asked = _telling(question)
        rows, _ = self._store.find(Search(visitor=self._visitor), _LOOKED_THROUGH)
        right = {
            row.id: len(asked & theirs) / len(asked | theirs)
            for row in rows
            if row.thumb == 1
            and fold(row.question) != fold(question)
            and (theirs := _telling(row.question))
        }
        nearest = sorted(right, key=lambda run: -right[run])[: self._most]
        kept = (self._store.load(run) for run in nearest if right[run] > 0)
        return tuple(run[1] for run in kept if run is not None)


def example_of(skill: Skill[Any], records: Sequence[Record]) -> Example | None:
    """What a run asked first at this step, and the reply; None where that is no example."""
    for record in records:
        event = record.event
        if not isinstance(event, Asked) or event.skill != skill.name or event.parsed is None:
            continue
        _, asked, put = event.prompt.rpartition(_ASKED)
        if event.problem or not asked or len(put) > _LONG or put.startswith(_AGAIN):
            continue
        try:
            return AsPut(text=put), skill.reply.model_validate(event.parsed)
        except ValidationError:  # the step has another form by now
            continue
    return None


def _telling(question: str) -> frozenset[str]:
    return frozenset(stems(question)) - _LITTLE
