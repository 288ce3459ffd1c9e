"""Gold queries on the graph in use."""

from dataclasses import replace

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation.datasets import Dataset, Example
from kgqa_core.evaluation.datasets.base import answer
from kgqa_core.evaluation.regold import renewed
from kgqa_core.kg.union import overlay
from tests.small_graph import small_graph

DIRECTOR = "SELECT ?x WHERE { wd:Q1 wdt:P57 ?x }"


def data(*queries):
    old = {"gold": (answer("Q999"),)}
    return Dataset(
        "q", "qald", [Example(str(n), "?", old, sparql=q) for n, q in enumerate(queries)]
    )


def test_what_the_graph_says_is_the_only_gold():
    found = renewed(
        data(
            DIRECTOR,
            "ASK { wd:Q1 wdt:P57 wd:Q76716 }",
            "SELECT (COUNT(?x) AS ?n) WHERE { ?x wdt:P57 wd:Q76716 }",
            "SELECT ?x WHERE { wd:Q1 wdt:P9999 ?x }",
        ),
        small_graph(),
    )
    sirk, yes, two, nothing = found.examples
    assert [(g.id, g.name) for g in sirk.gold["renewed"]] == [("Q76716", "Douglas Sirk")]
    assert [g.name for g in yes.gold["renewed"]] == ["true"]
    assert [g.name for g in two.gold["renewed"]] == ["2"]
    assert (nothing.gold, nothing.trivial) == ({"renewed": ()}, True)


def test_a_query_that_the_graph_refuses_leaves_its_question_out():
    found = renewed(data(DIRECTOR, "SELEC nonsense", ""), small_graph())
    assert [e.id for e in found.examples] == ["0"]
    assert [s.id for s in found.skipped] == ["1", "2"]
    assert "refuses its gold query" in found.skipped[0].reason
    assert "2 questions left out" in found.notes[-1]


def test_what_cannot_be_renewed_is_said():
    with pytest.raises(SettingsError, match="q has no gold queries"):
        renewed(data("", ""), small_graph())
    with pytest.raises(SettingsError, match="refuses every gold query of q"):
        renewed(data("SELEC"), small_graph())
    two = overlay(small_graph(), small_graph())
    with pytest.raises(SettingsError, match="takes no SPARQL"):
        renewed(replace(data(DIRECTOR)), two)
