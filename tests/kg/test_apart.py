"""A line of SPARQL that asks for more than any machine has ends; this process is left alone."""

import sys

import pytest

from kgqa_core.errors import SourceRejected
from kgqa_core.kg import apart
from kgqa_core.kg.embedded import EmbeddedGraph, readable
from tests.small_graph import ULM, small_graph

DOUBLED = "".join(f"BIND(CONCAT(?x{n}, ?x{n}) AS ?x{n + 1}) " for n in range(40))
THOUSANDS = " ".join(f"VALUES ?v{n} {{ {' '.join(map(str, range(1000)))} }}" for n in range(6))
FAR_TOO_LARGE = f'SELECT ?x40 {{ BIND("a" AS ?x0) {DOUBLED} }}'
WITHOUT_END = f"SELECT (COUNT(*) AS ?n) {{ {THOUSANDS} }}"


@pytest.fixture(scope="module")
def kept(tmp_path_factory):
    folder = tmp_path_factory.mktemp("apart") / "store"
    facts = small_graph().statements([ULM])[0]
    return EmbeddedGraph.build("kept", [ULM], [], facts, folder)


def test_a_graph_in_a_folder_answers_as_one_in_memory(kept):
    for query in (
        "ASK { ?s ?p ?o }",
        "SELECT ?s { ?s rdfs:label 'Ulm'@en }",
        "SELECT ?o { ?s rdfs:label ?o } ORDER BY ?o",
        "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }",
        "SELECT ?s ?nothing { ?s rdfs:label 'Ulm'@en }",
    ):
        assert kept.query(query) == kept.query_of_ours(query)
    assert kept.query("SELECT * { ?s ?p ?o }", limit=2).more


@pytest.mark.skipif(sys.platform != "linux", reason="memory is bounded on Linux alone")
@pytest.mark.parametrize("asked", ["of a graph", "of an endpoint, before it is sent"])
def test_what_needs_more_memory_than_there_is_is_refused(kept, asked):
    with pytest.raises(SourceRejected, match="too much memory"):
        kept.query(FAR_TOO_LARGE) if "graph" in asked else readable("far", FAR_TOO_LARGE)


@pytest.mark.parametrize("asked", ["of a graph", "of an endpoint, before it is sent"])
def test_what_does_not_end_is_ended(kept, asked, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 3.0)
    with pytest.raises(SourceRejected, match=r"takes more than 3 seconds|too much memory"):
        kept.query(WITHOUT_END) if "graph" in asked else readable("far", WITHOUT_END)


def test_what_oxigraph_refuses_is_told_as_before(kept):
    for query in ("SELECT oops", "SELECT * { ?s ?p 1e }"):
        with pytest.raises(SourceRejected) as said:
            kept.query(query)
        with pytest.raises(SourceRejected) as same:
            kept.query_of_ours(query)
        assert str(said.value) == str(same.value)


def test_no_more_than_two_are_answered_at_once(kept, monkeypatch):
    monkeypatch.setattr(apart, "SECONDS", 0.2)
    held = [apart._AT_ONCE.acquire() for _ in range(2)]
    try:
        with pytest.raises(SourceRejected, match="other queries take all its time"):
            kept.query("ASK { ?s ?p ?o }")
    finally:
        for _ in held:
            apart._AT_ONCE.release()


def test_a_long_text_comes_back_as_far_as_it_is_read(kept):
    text = "a" * 20_000
    (row,) = kept.query(f'SELECT ?x {{ BIND("{text}" AS ?x) }}').rows
    assert row[0].value == "a" * 10_000 + "…"
