"""How an answer came about: linking, reasons of preferences, drafts that could be read.

Linked counts the questions of which some entity was found (KGIR, Table 4; whether it is the right
one, nobody looked at there). Entities found is the share of those that the question is about (R3,
Table 5). Reasons are those of right choices: the fact about the person that decides is cited, or
some fact about the person where the question set does not say which decides (R3, Table 4, where
people judged them). Decodable is the share of pseudo-graphs that could be read at
the first try, with nothing mended or lost (PG&AKV, §III-A: 98 % of scripts, 75 % of bare triples).
"""

from __future__ import annotations

from kgqa_core.ask.events import Anchored, Asked, Linked, Proposed
from kgqa_core.evaluation.datasets.base import Example
from kgqa_core.evaluation.metrics.metric import Given, Metric
from kgqa_core.evaluation.metrics.sameness import Item, of_value, plain, same
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Statement
from kgqa_core.methods.pgakv.cypher import PROSE
from kgqa_core.methods.pgakv.skills import DRAFT, DRAFT_TRIPLES

_DRAFTS = frozenset({DRAFT.name, DRAFT_TRIPLES.name})


def _looked(given: Given) -> bool:
    """Whether the method links at all: without a graph there is nothing to find."""
    return any(isinstance(event, Linked | Anchored) for event in given.happened)


def _linked(given: Given) -> float | None:
    if not _looked(given):
        return None
    return float(any(isinstance(event, Anchored) for event in given.happened))


def _found(given: Given) -> float | None:
    topics = [Item.of((t,), (t, label)) for t, label in given.example.topic.items()]
    if not topics or not _looked(given):
        return None
    anchored = [of_value(e.entity) for e in given.happened if isinstance(e, Anchored)]
    return sum(any(same(one, topic) for one in anchored) for topic in topics) / len(topics)


def _reasons(given: Given) -> float | None:
    """None where there is no person, or the choice is wrong."""
    example = given.example
    options = {name for choice in example.choices for name in choice.names}
    of_person = [fact for fact in example.facts if fact[0] not in options]
    decisive = example.reasons or of_person
    if not decisive or not given.exact:
        return None
    cited = {
        (plain(c.relation.name), plain(verbalise.value(c.object)))
        for c in given.answer.citations
        if isinstance(c, Statement)
    }
    return float(any((plain(r), plain(v)) in cited for _, r, v in decisive))


def _decodable(given: Given) -> float | None:
    """The first draft counts: a second is asked for only where it could not be read.

    Prose around a script is no fault of it: who carries scripts out is not given that.
    """
    drafted = False
    for event in given.happened:
        if isinstance(event, Asked) and event.skill in _DRAFTS and event.parsed is not None:
            if drafted:
                return 0.0
            drafted = True
        if isinstance(event, Proposed) and drafted:
            mended = [said for said in event.mended if PROSE not in said]
            return float(not mended and not event.lost)
    return 0.0 if drafted else None


def _none(example: Example) -> None:
    return None


LINKED = Metric("linked", "questions of which some entity was found in the graph", _linked, _none)
FOUND = Metric("entities_found", "entities of the question that were found", _found, _none)
REASONS = Metric(
    "reasons",
    "right choices that cite a fact about the person, the one that decides",
    _reasons,
    _none,
)
DECODABLE = Metric(
    "decodable", "drafted graphs that could be read as they were written", _decodable, _none
)
