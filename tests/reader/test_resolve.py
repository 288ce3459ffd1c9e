"""A phrase, and the relations of a graph that it may mean."""

from __future__ import annotations

from kgqa_core.facts.terms import Relation
from kgqa_core.reader import resolve


def test_a_relation_is_called_what_its_own_graph_calls_it() -> None:
    here = Relation("http://www.wikidata.org/entity/P161", "cast member", "", ("starring",))
    there = Relation("http://www.wikidata.org/entity/P161", "actor", "", ("played by",))
    assert resolve.names(here) == {"cast member", "starring", "p161"}
    assert resolve.names(there) == {"actor", "played by", "p161"}
