"""Reading running text: the reader quotes the sentence that shares most with the question.

It does not understand prose, so a quotation is never certain; it is grounded in its passage.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from kgqa_core.ask.skills import CitedSentence, FactAnswer
from kgqa_core.facts.terms import Passage
from kgqa_core.text import stems

_ENDS = re.compile(r"(?<=[.!?])\s+(?=[A-ZÀ-Þ“\"'(0-9])")
_ENOUGH = 0.5  # of the question's words; less is another subject
_EMPTY = frozenset(
    stem
    for word in "a an the of in on at to by for from with is are was were be been do does did has "
    "have had who whom whose what which when where why how many much and or that this it its he "
    "she they his her their there s".split()
    for stem in stems(word)
)


def quote(question: str, passages: Sequence[tuple[int, Passage]]) -> FactAnswer:
    """The best sentence, with the position of its passage; none when no sentence comes near.

    A passage's title counts as said in each of its sentences.
    """
    asked = set(stems(question)) - _EMPTY
    best: tuple[float, int, str] | None = None
    for position, passage in passages:
        about = set(stems(passage.title))
        for sentence in _ENDS.split(passage.text):
            shared = asked & (set(stems(sentence)) | about)
            own = asked & set(stems(sentence)) - about
            score = len(shared) / len(asked) if asked and own else 0.0
            if score >= _ENOUGH and (best is None or score > best[0]):
                best = (score, position, sentence.strip())
    if best is None:
        return FactAnswer(
            sentences=[], values=[], reason="No sentence of the passages comes near the question."
        )
    _, position, sentence = best
    return FactAnswer(
        sentences=[CitedSentence(text=sentence, facts=[position])],
        values=[],
        certain=False,
        reading="the nearest sentence of the passages, quoted",
    )
