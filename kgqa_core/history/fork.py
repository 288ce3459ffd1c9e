"""A run asked again from one of its steps, with something changed.

A method is a function of the replies and facts it gets, so a fork runs it again from the start:
replies up to the change are taken from the parent at no cost, the rest is asked anew.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import BaseModel, ValidationError

from kgqa_core.ask import events
from kgqa_core.ask.events import Answer, Asked, Record
from kgqa_core.ask.header import Edits
from kgqa_core.ask.llm import LLM, Complaint, Reply
from kgqa_core.ask.run import Solve, Steps, Toolkit
from kgqa_core.ask.skill import Skill, digest, registered
from kgqa_core.errors import ReplyError, SettingsError, misfit
from kgqa_core.facts.terms import Hit, Passage

R = TypeVar("R", bound=BaseModel)

_BY_HAND = "edited by hand"  # how such a reply was obtained, as `Asked.rung`


def check(records: Sequence[Record], edits: Edits) -> None:
    """Raises SettingsError, in a sentence, for edits that do not fit the run they change."""
    if not 0 <= edits.at <= len(records):
        raise SettingsError(f"The run has {len(records)} events: it cannot part at {edits.at}.")
    for seq, reply in edits.replies.items():
        event = records[seq].event if 0 <= seq < len(records) else None
        if not isinstance(event, Asked):
            raise SettingsError(f"Event {seq} of the run is not a question to the model.")
        skill = registered().get(event.skill)
        if skill is not None:
            read_reply(skill, reply)
    reused = [r.event for r in records[: edits.at] if isinstance(r.event, Asked)]
    edited = [r.event for r in records if r.seq in edits.replies and isinstance(r.event, Asked)]
    if any(not asked.given for asked in (*reused, *edited)):
        raise SettingsError(
            "This run was kept by an earlier version, which did not note what its steps were "
            "given. Ask the question again and change that run."
        )


def read_reply(skill: Skill[R], reply: dict[str, Any]) -> R:
    """A reply written by hand. Raises SettingsError, naming each field that does not fit."""
    try:
        return skill.reply.model_validate(reply)
    except ValidationError as error:
        raise SettingsError(
            f"The edited reply to “{skill.name}” does not fit: {misfit(error, 5)}."
        ) from error


class Replaying:
    """LLM protocol: the parent's replies where the same is asked before the change, else the model.

    What is the same is told by the skill and the digest of its input, in the parent's order, so
    that a reply is never put to a question it was not given to.
    """

    def __init__(self, llm: LLM, records: Sequence[Record], edits: Edits) -> None:
        self.name = llm.name
        self._llm = llm
        self._edits = edits
        self._kept: dict[tuple[str, str], deque[Record]] = {}
        self.unused = set(edits.replies)  # edits that no question came for so far
        for record in records:
            event = record.event
            if isinstance(event, Asked) and (record.seq < edits.at or record.seq in edits.replies):
                self._kept.setdefault((event.skill, event.given), deque()).append(record)
        self.sees_prompts = self._saw_prompts()

    def _saw_prompts(self) -> bool:
        """Whether inputs are put in order for a prompt: as they were for the replies that are kept.

        What is put in another order is another input, and no kept reply is found for it.
        """
        kept = [record.event for records in self._kept.values() for record in records]
        rungs = [event.rung for event in kept if isinstance(event, Asked)]
        by_model = next((rung != "reader" for rung in rungs if rung != _BY_HAND), None)
        return getattr(self._llm, "sees_prompts", True) if by_model is None else by_model

    def ask(
        self,
        skill: Skill[R],
        given: BaseModel,
        *,
        complaint: Complaint | None = None,
        on_text: Callable[[str], None] | None = None,
    ) -> Future[Reply[R]]:
        kept = self._kept.get((skill.name, digest(given)))
        if not kept:
            instruction = self._edits.instructions.get(skill.name, skill.instruction)
            asked = replace(skill, instruction=instruction)
            return self._llm.ask(asked, given, complaint=complaint, on_text=on_text)
        future: Future[Reply[R]] = Future()
        try:
            future.set_result(self._reply(skill, kept.popleft()))
        except SettingsError as error:
            future.set_exception(ReplyError(str(error)))
        return future

    def _reply(self, skill: Skill[R], record: Record) -> Reply[R]:
        event = record.event
        assert isinstance(event, Asked)
        edited = self._edits.replies.get(record.seq)
        if edited is not None:
            self.unused.discard(record.seq)
            value = read_reply(skill, edited)
            text = value.model_dump_json(exclude_defaults=True)
            return Reply(event.prompt, text, value, rung=_BY_HAND, reused=True)
        return Reply(
            event.prompt,
            event.reply,
            None if event.parsed is None else read_reply(skill, event.parsed),
            problem=event.problem,
            rung=event.rung,
            estimated=event.tokens_estimated,
            reasoning=event.reasoning,
            reused=True,
        )


class LinkedByHand(Toolkit):
    """A toolkit that takes some mentions to mean what was chosen; all others it looks up."""

    def __init__(self, *args: Any, entities: Mapping[str, str], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._chosen = dict(entities)

    def _look_up(self, mentions: list[str], limit: int) -> list[list[Hit]]:
        others = [m for m in mentions if m not in self._chosen]
        found = dict(zip(others, super()._look_up(others, limit), strict=True)) if others else {}
        ids = list(dict.fromkeys(self._chosen[m] for m in mentions if self._chosen.get(m)))
        known = dict(zip(ids, self._call(self._kg.describe, ids), strict=True)) if ids else {}
        for mention in set(mentions) - set(others):
            entity = known.get(self._chosen[mention])
            found[mention] = [Hit(entity, 1.0, mention)] if entity is not None else []
        return [found[m] for m in mentions]


def solving(solve: Solve, replaying: Replaying, edits: Edits) -> Solve:
    """The method, saying what was chosen for it and where a change could not be made."""

    def solve_again(question: str, tools: Toolkit, params: BaseModel) -> Steps[Answer]:
        steps = solve(question, tools, params)
        said: set[str] = set()
        chosen = dict(edits.entities)
        try:
            while True:
                event = next(steps)
                yield event
                if isinstance(event, events.Linked):
                    for mention, hits in zip(event.mentions, event.candidates, strict=True):
                        if mention in chosen:
                            yield _chosen(mention, chosen.pop(mention), hits)
                blind = _blind(event) if edits.without else ""
                if blind and blind not in said:
                    said.add(blind)
                    yield events.Noted(text=blind, level="warning")
        except StopIteration as stop:
            answer: Answer = stop.value
        finally:
            steps.close()
        if replaying.unused:
            yield events.Noted(
                text="The step that was edited did not come up again: what led to it is different "
                "this time.",
                level="warning",
            )
        for mention in chosen:
            yield events.Noted(
                text=f"“{mention}” was not looked up this time: choosing its entity had no effect.",
                level="warning",
            )
        return answer

    return solve_again


def _chosen(mention: str, entity_id: str, hits: Sequence[Hit]) -> events.Noted:
    """That a mention was not looked up but chosen, and what for."""
    if hits:
        return events.Noted(text=f"“{mention}” means {hits[0].entity.name}: chosen by hand.")
    if not entity_id:
        return events.Noted(text=f"“{mention}” means no entity of the graph: chosen by hand.")
    text = f"The entity chosen for “{mention}” is not in this graph."
    return events.Noted(text=text, level="warning")


def _blind(event: events.Event) -> str:
    """Why what an event found may rest on a hidden fact all the same; else empty."""
    if isinstance(event, events.Queried):
        return "A SPARQL query sees the whole graph, the hidden fact too."
    if isinstance(event, events.Retrieved) and any(isinstance(f, Passage) for f in event.found):
        return "A passage of text may say what the hidden fact says."
    return ""
