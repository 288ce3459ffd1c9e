"""A way through a graph from a name to what is asked for, and how it is put in words.

The ranker compares these words with the question, so training and reading share them.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from kgqa_core.facts.terms import Direction

MASK = "X"  # stands for the name that a way begins at, in questions and in ways


@dataclass(frozen=True)
class Hop:
    """Along a relation: out, from subject to object, or in, the other way."""

    relation: str  # its label
    direction: Direction


def words(hops: Sequence[Hop], start: str = MASK) -> str:
    """“author of X”, “those whose author is X”, nested for more hops."""
    text = start
    for hop in hops:
        name = hop.relation.replace("_", " ")
        text = f"{name} of {text}" if hop.direction == "out" else f"those whose {name} is {text}"
    return text
