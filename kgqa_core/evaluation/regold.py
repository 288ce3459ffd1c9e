"""Gold queries run on the graph in use: what is right there, today.

Facts change and graphs hold parts of others: of QALD-10's 394 frozen answers 133 were others two
years later. KGIR measures on renewed ones.
"""

from __future__ import annotations

from dataclasses import replace

from kgqa_core.errors import SettingsError, SourceRejected
from kgqa_core.evaluation.datasets import Dataset, Skipped
from kgqa_core.evaluation.datasets.base import Example, Gold, answer
from kgqa_core.facts.terms import Entity, Value
from kgqa_core.kg.base import KnowledgeGraph, Queryable
from kgqa_core.text import counted

NAME = "renewed"  # of the gold set
_MOST = 1000  # rows of an answer


def renewed(data: Dataset, kg: KnowledgeGraph) -> Dataset:
    """The questions that have a gold query, with what it gives on this graph as their only gold.

    No rows: nothing is right there, and such a question is trivial. A query that the graph refuses
    leaves its question out, with the reason. Raises SettingsError for a graph that no query can be
    put to, or a question set without queries; SourceUnavailable when the graph does not answer.
    """
    if not isinstance(kg, Queryable):
        raise SettingsError(
            f"“{kg.name}” takes no SPARQL, so gold queries cannot be run on it: choose a single "
            "graph, or leave --regold out."
        )
    if not any(example.sparql for example in data.examples):
        raise SettingsError(f"{data.name} has no gold queries to run: leave --regold out.")
    examples, skipped = [], list(data.skipped)
    for example in data.examples:
        if not example.sparql:
            skipped.append(Skipped(example.id, "no gold query"))
            continue
        try:
            examples.append(_renewed(example, kg))
        except SourceRejected as error:
            skipped.append(Skipped(example.id, f"the graph refuses its gold query: {error}"))
    if not examples:
        raise SettingsError(
            f"“{kg.name}” refuses every gold query of {data.name}. The first: {skipped[-1].reason}"
        )
    notes = [*data.notes, f"{len(examples):,} gold answers were queried anew on “{kg.name}”."]
    if left := len(data.examples) - len(examples):
        notes.append(
            f"{counted(left, 'question')} left out: no gold query, or one the graph refuses."
        )
    return Dataset(data.name, data.format, examples, skipped, notes)


def _renewed(example: Example, kg: Queryable) -> Example:
    table = kg.query(example.sparql, _MOST)
    values = dict.fromkeys(cell for row in table.rows for cell in row if cell is not None)
    gold = tuple(dict.fromkeys(map(_gold, values)))
    return replace(example, gold={NAME: gold}, trivial=example.trivial or not gold)


def _gold(value: Value) -> Gold:
    if isinstance(value, Entity):
        return answer(value.id, [name for name in (value.label, *value.aliases) if name])
    return answer(value.value)
