"""A question that goes on from the one before: its pronouns as the names they stand for."""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.facts.terms import Entity

_OPENING = re.compile(r"^(?:and|but|so|then|what about|how about)\b[\s,]*", re.IGNORECASE)
_OWNED = re.compile(r"\b(?:his|her|its|their)\s+(?=[a-z])")
_SELF = re.compile(r"\b(?:he|she|it|they|him|them|her)\b(?!\s+(?:a|an|the)\b)")
_NAMED = re.compile(r"(?<!^)(?:\b[A-Z][\w'’]|[“\"«])")  # its pronouns have somebody to mean
_THERE = re.compile(r"\bthere\b(?!\s+(?:is|are|was|were)\b)")
_ASKS = re.compile(
    r"^(?:who|what|when|where|which|why|how|is|are|was|were|did|does|do|has|have|had|can|could)\b",
    re.IGNORECASE,
)


def carried(question: str, before: Sequence[Entity]) -> str:
    """The question with what it leaves out. `before`: what the last one was about, best first.

    A question without a pronoun, with a name of its own, or with nothing before it is returned
    as it is.
    """
    text = _OPENING.sub("", question.strip())
    if not before or _NAMED.search(text):
        return question
    name = before[0].name
    named = _OWNED.sub(lambda _: f"{_owner(name)} ", _lowered(text))
    named = _SELF.sub(lambda _: name, named)
    named = _THERE.sub(lambda _: f"in {name}", named)
    if named == _lowered(text):
        return question
    if not _ASKS.match(named):
        named = f"What is {named}"
    named = named[:1].upper() + named[1:]
    return named if named.endswith("?") else f"{named.rstrip('.! ')}?"


def _owner(name: str) -> str:
    return f"{name}'" if name.endswith("s") else f"{name}'s"


def _lowered(text: str) -> str:
    """With a small first letter, where that begins a word of the question and no name."""
    first = text.split(" ", 1)[0]
    known = first.lower() in {"his", "her", "its", "their", "he", "she", "it", "they", "there"}
    return text[:1].lower() + text[1:] if known or _ASKS.match(text) else text
