"""An index seen without some of its statements: what a counterfactual asks."""

from __future__ import annotations

from collections.abc import Sequence

from kgqa_core.facts.terms import Statement
from kgqa_core.kg.without import Hidden
from kgqa_core.search.index import Index, Scored


class IndexWithout(Index):
    """The same index, whose statements found by meaning leave out what is hidden."""

    def __init__(self, index: Index, hidden: Hidden) -> None:
        self.__dict__.update(vars(index))  # one store, one set of shelves
        self._hidden = hidden

    def nearest_triples(self, texts: Sequence[str], k: int) -> list[list[Scored[Statement]]]:
        found = super().nearest_triples(texts, k + len(self._hidden.statements))
        return [[s for s in near if s.item not in self._hidden][:k] for near in found]
