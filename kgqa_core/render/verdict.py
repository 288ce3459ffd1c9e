"""How far an answer can be relied on, in one plain sentence."""

from __future__ import annotations

from typing import Literal as OneOf

from kgqa_core.ask.events import Answer, Audited
from kgqa_core.facts.terms import Literal
from kgqa_core.text import counted

Trust = OneOf["firm", "open", "weak"]

_IN_PART = ("may not have all", "need not have all")  # the second: in runs kept before


def verdict(answer: Answer, audit: Audited | None = None) -> tuple[Trust, str]:
    """What stands under an answer, and what the check of its claims made of that."""
    bare = sum(not s.cites for s in answer.sentences)
    if bare and bare == len(answer.sentences):
        return "weak", "From the model alone: no fact of the graph supports it."
    if bare:
        of = len(answer.sentences)
        return "weak", f"Partly from the graph: no fact supports {bare} of {of} sentences."
    claims = audit.claims if audit is not None else ()
    against = sum(c.mark == "contradicted" for c in claims)
    if against:
        return "weak", f"It cites facts, but they contradict {_of(against, len(claims))}."
    unclear = sum(c.mark == "unsupported" for c in claims)
    if unclear:
        return "open", f"It cites facts, but they do not confirm {_of(unclear, len(claims))}."
    if answer.is_guess:
        return "weak", "From the graph, by a guess at what is asked: see “Read as”."
    if in_part(answer):
        if any(isinstance(v, Literal) for v in answer.values):
            return "open", "From the graph; it may not have all there is to count."
        return "open", "From the graph; the list may be incomplete."
    if not answer.certain:
        return "open", "From the graph, but the question leaves room for another answer."
    if audit is None or not claims:
        return "firm", "From the graph."
    if audit.unread:
        some = f"{len(claims)} of {counted(len(claims) + audit.unread, 'claim')}"
        return "firm", f"From the graph: all that were checked, {some}, rest on facts."
    return "firm", "From the graph: every claim rests on its facts."


def in_part(answer: Answer) -> bool:
    """Whether all that is open about it is that there may be more."""
    return not answer.certain and any(words in answer.reading for words in _IN_PART)


def _of(some: int, every: int) -> str:
    return "its one claim" if every == 1 else f"{some} of its {counted(every, 'claim')}"
