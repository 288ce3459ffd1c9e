"""What of a question is a name: runs of its words that the graph has, as written or nearly so."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from rapidfuzz.distance import OSA

from kgqa_core.ask.run import Steps, Toolkit
from kgqa_core.facts.premises import folded
from kgqa_core.facts.terms import Hit
from kgqa_core.kg.labels import allowed_edits
from kgqa_core.methods.asking import begins_as_question
from kgqa_core.methods.r3.query import SMALL, inside, is_torn, spans
from kgqa_core.text import is_last_name

EXACT = 0.96  # score of a label or an alias as written, but for case
_LOOKED_UP = 24  # runs of words
_WORDS = 6  # of the longest, in a question without capitals
_LETTERS = 5  # of a name that may be misspelt, or the last of several
_RIVAL = 0.9  # of the best score: what else a name may mean


Found = dict[str, Sequence[Hit]]


def names_in(question: str, tools: Toolkit) -> Steps[tuple[Found, Found]]:
    """The names that the graph has as they are written, and those that it has nearly so.

    Each with what it may mean, best first. What lies within a name is none. The built-in reader
    is told of the former alone: it looks up what it has read as a name.
    """
    names = spans(question) if question[1:] != question[1:].casefold() else runs(question)
    exact: list[str] = []
    looked: dict[str, Sequence[Hit]] = {}
    for some in _longer_first(names):
        asked = [name for name in some if not inside(name, exact)]
        found = yield from tools.link(asked, limit=3)
        looked |= zip(asked, found, strict=True)
        exact += [n for n in asked if looked[n] and looked[n][0].score >= EXACT]
    torn = {n for n in looked if is_torn(n, question, [o for o in exact if o != n])}
    looked = {name: hits for name, hits in looked.items() if name not in torn}
    exact = [name for name in exact if name not in torn]
    whole = [n for n in exact if not any(n != other and inside(n, [other]) for other in exact)]
    near = [] if tools.reads_all else _nearly(looked, whole)
    near = [name for name in near if not _is_owned(name, question)]
    return {name: looked[name] for name in whole}, {name: looked[name] for name in near}


def _nearly(looked: Mapping[str, Sequence[Hit]], exact: Sequence[str]) -> list[str]:
    """Names that the graph has in another spelling, or as the last of several; not within others.

    A start that is only like its name makes no answer certain.
    """
    near = [name for name, hits in looked.items() if name not in exact and _is_like(name, hits)]
    free = [name for name in near if not inside(name, exact)]
    return [name for name in free if not inside(name, (other for other in free if other != name))]


def _is_owned(name: str, question: str) -> bool:
    """Whether it is but the end of a name that the graph lacks: Stint, of “Temminck's Stint”."""
    return re.search(rf"\b[A-Z]\w*['’]s {re.escape(name)}\b", question) is not None


def _is_like(name: str, hits: Sequence[Hit]) -> bool:
    """Whether all that is found is one thing, misspelt, or called by its last name alone."""
    if not hits or any(hit.score >= _RIVAL * hits[0].score for hit in hits[1:]):
        return False
    said, called = folded(name), folded(hits[0].matched)
    if len(said) < _LETTERS or hits[0].entity.label == "":
        return False
    if " " not in said and " " in called:
        return is_last_name(said, called)
    most = allowed_edits(said)
    alike = len(said.split()) == len(called.split())
    return alike and OSA.distance(said, called, score_cutoff=most) <= most


def _longer_first(names: Sequence[str]) -> list[list[str]]:
    """Runs of several words and those within none, then those within one: two requests at most."""
    within = [n for n in names if " " not in n and inside(n, (m for m in names if m != n))]
    return [part for part in ([n for n in names if n not in within], within) if part]


def runs(question: str) -> list[str]:
    """Runs of words of a text without capitals behind the first letter, the longest first."""
    words = re.findall(r"[\w'’.-]+", question)
    first = int(begins_as_question(question))  # a claim begins with what it is about
    runs = (
        words[i : i + n]
        for n in range(min(_WORDS, len(words) - first), 0, -1)
        for i in range(first, len(words) - n + 1)
    )
    names = (" ".join(run) for run in runs if _may_be_name(run))
    likely = [name for name in dict.fromkeys(names) if len(name) > 3]
    # a long question has many runs, and the shorter ones are names more often
    return sorted(likely, key=lambda name: name.count(" "))[:_LOOKED_UP][::-1]


def _may_be_name(run: Sequence[str]) -> bool:
    """Ends in a word that says something, and begins with one, or is long: “of mice and men”."""
    first, last = run[0].casefold(), run[-1].casefold()
    return last not in SMALL and (first not in SMALL or len(run) > 2)
