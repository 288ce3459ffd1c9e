"""A way through a graph from a name to what is asked for, and how it is put in words.

The ranker compares these words with the question, so training and reading share them.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kgqa_core.facts.terms import Direction

MASK = "X"  # stands for the name that a way begins at, in questions and in ways


@dataclass(frozen=True)
class Hop:
    """Along a relation: out, from subject to object, or in, the other way."""

    relation: str  # its label
    direction: Direction


_JOINED = {"of", "by", "at", "in", "to", "after", "for", "with", "from"}
VERB = re.compile(r"(?:share|follow|replace|depict|contain|ha|i)s\b|\w+[^\Ws]s (?:at|in|to|for)$")
_OTHERWISE = {  # labels that are no words for what they say: out, and in
    "instance of": ("what {} is", "all that is called {}"),
    "subclass of": ("what {} is a kind of", "kinds of {}"),
    "has part(s)": ("parts of {}", "what {} is a part of"),
}


def told(hops: Sequence[Hop], start: str) -> str:
    """`words` for people: “what Italy shares border with”, not “shares border with of Italy”."""
    text = start
    for hop in hops:
        name = hop.relation.replace("_", " ")
        verb, last = VERB.match(name), name.rpartition(" ")[2]
        if name in _OTHERWISE:
            text = _OTHERWISE[name][hop.direction == "in"].format(text)
        elif not verb and last not in _JOINED:
            text = words([hop], text)
        elif hop.direction == "out":
            text = f"what {text} {name}" if verb else f"what {text} is {name}"
        else:
            text = f"what {name} {text}" if verb else f"what is {name} {text}"
    return text


def words(hops: Sequence[Hop], start: str = MASK) -> str:
    """“author of X”, “those whose author is X”, nested for more hops."""
    text = start
    for hop in hops:
        name = hop.relation.replace("_", " ")
        text = f"{name} of {text}" if hop.direction == "out" else f"those whose {name} is {text}"
    return text
