"""The built-in reader as a model: answers skills without network, key or knowledge of its own."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import TypeVar

from pydantic import BaseModel

from kgqa_core.ask.llm import Complaint, Reply
from kgqa_core.ask.skill import Skill
from kgqa_core.errors import SourceRejected
from kgqa_core.methods.letter import question_of
from kgqa_core.reader import audit, compass, explore, kb_binder, keqing, kgr, pgakv, r3
from kgqa_core.reader.interpret import Encoder
from kgqa_core.reader.ranker import Ranker
from kgqa_core.reader.reader import Reader

R = TypeVar("R", bound=BaseModel)

# What single methods ask of the reader; its own handlers answer the skills they share.
_MORE_HANDLERS = (
    audit.HANDLERS,
    explore.HANDLERS,
    kb_binder.HANDLERS,
    keqing.HANDLERS,
    kgr.HANDLERS,
)

_pool = ThreadPoolExecutor(max_workers=4, thread_name_prefix="kgqa-reader")


class Offline:
    """LLM protocol; each skill the reader has goes to its handler, others are refused.

    Without a ranker it reads by its rules alone.
    """

    name = "built-in reader"
    sees_prompts = False

    def __init__(self, encoder: Encoder | None = None, ranker: Ranker | None = None) -> None:
        self.reader = Reader(ranker=ranker)
        for handlers in _MORE_HANDLERS:
            self.reader.handlers.update(handlers)
        self.reader.handlers.update(r3.handlers(self.reader, encoder))
        self.reader.handlers.update(pgakv.handlers(self.reader))
        self.reader.handlers.update(compass.handlers(self.reader, encoder))

    def can(self, skill: str) -> bool:
        return skill in self.reader.handlers

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        return _pool.submit(self._reply, skill, given)

    def _reply(self, skill: Skill[R], given: BaseModel) -> Reply[R]:
        handler = self.reader.handlers.get(skill.name)
        if handler is None:
            raise SourceRejected(
                f"The built-in reader cannot do the step “{skill.name}”; connect a model in "
                "Settings.",
                source=self.name,
            )
        question = getattr(given, "question", "")
        chooses = getattr(given, "options", ())  # by what is told of a person before the question
        if question and not chooses and (alone := question_of(question)) != question:
            given = given.model_copy(update={"question": alone})
        value = skill.reply.model_validate(handler(given), from_attributes=True)
        return Reply(
            prompt=str(question),
            text=value.model_dump_json(exclude_defaults=True),
            value=value,
            rung="reader",
        )
