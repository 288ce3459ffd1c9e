"""ReAct answers the same questions alike, wherever the starter graph lives."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
import pytest

from kgqa_core.events import Answer
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.starter import load_starter
from kgqa_core.kg.union import UnionGraph
from kgqa_core.kg.wikidata import WikidataGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.run import Toolkit, drain
from kgqa_core.terms import Entity
from tests.sparql_server import SparqlServer
from tests.virtuoso import ISQL, SERVER, Virtuoso
from tests.wikidata_server import WikidataServer

QUESTIONS = [
    "Who directed Inception?",
    "What is the capital of Germany?",
    "Where was Albert Einstein born?",
    "When did Frank Herbert die?",
    "Which films did Ridley Scott direct?",
]


def answers(kg: KnowledgeGraph) -> list[tuple[list[str], str]]:
    llm = Offline()
    found = []
    for question in QUESTIONS:
        answer: Answer
        answer, _ = drain(react.solve(question, Toolkit(kg, llm), react.Params()))
        found.append((sorted(value.name for value in answer.values), answer.grounding))
    return found


@pytest.fixture(scope="module")
def starter() -> EmbeddedGraph:
    return load_starter()


@pytest.fixture(scope="module")
def expected(starter) -> list[tuple[list[str], str]]:
    found = answers(starter)
    assert all(grounding == "grounded" for _, grounding in found)
    return found


@pytest.fixture(scope="module")
def n_triples(starter) -> bytes:
    written = starter._store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    assert isinstance(written, bytes)
    return written


@pytest.fixture(scope="module")
def server(starter) -> Iterator[SparqlServer]:
    with SparqlServer(starter._store) as running:
        yield running


def test_from_a_folder(n_triples, expected, tmp_path):
    (tmp_path / "starter.nt").write_bytes(n_triples)
    load([tmp_path / "starter.nt"], tmp_path / "graph")
    assert answers(open_folder(tmp_path / "graph")) == expected


def test_over_http(server, expected):
    graph = SparqlGraph(server.url)
    assert answers(graph) == expected


def test_from_a_union(starter, server, expected):
    assert answers(UnionGraph([starter, SparqlGraph(server.url)])) == expected


def test_through_wikidatas_api(starter, server, expected):
    entities = starter.describe(sorted(_entities(starter)))
    with WikidataServer([e for e in entities if e], [], list(starter.all_statements())) as api:
        graph = WikidataGraph(server.url, api=api.url, profile=PROFILES["wikidata"])
        assert answers(graph) == expected


@pytest.mark.server
@pytest.mark.skipif(not (SERVER and ISQL), reason="Virtuoso is not installed: tests/setup.sh")
def test_from_virtuoso(n_triples, expected, tmp_path):
    with Virtuoso(tmp_path, n_triples.decode()) as running:
        assert answers(SparqlGraph(running.url)) == expected


def _entities(graph: EmbeddedGraph) -> set[str]:
    ends = (end for s in graph.all_statements() for end in (s.subject, s.object))
    return {end.id for end in ends if isinstance(end, Entity)}
