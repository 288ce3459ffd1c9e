"""ReAct answers the same questions alike, wherever the starter graph, or a part of it, lives."""

from __future__ import annotations

from collections.abc import Iterator

import pyoxigraph as ox
import pytest

from kgqa_core.ask.events import Answer
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.kg.union import UnionGraph
from kgqa_core.kg.wikidata import WikidataGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.screens.explore import walk as exploration
from kgqa_core.screens.explore.walk import Shown
from tests.servers.sparql import SparqlServer
from tests.servers.virtuoso import ISQL, SERVER, Virtuoso
from tests.servers.wikidata import WikidataServer

QUESTIONS = [
    "Who directed Inception?",
    "What is the capital of Germany?",
    "Where was Albert Einstein born?",
    "When did Frank Herbert die?",
    "Which films did Ridley Scott direct?",
]
ABOUT = ["Inception", "Germany", "Albert Einstein", "Frank Herbert", "Ridley Scott"]


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
    return starter_graph()


@pytest.fixture(scope="module")
def expected(starter) -> list[tuple[list[str], str]]:
    found = answers(starter)
    assert all(grounding == "grounded" for _, grounding in found)
    return found


@pytest.fixture(scope="module")
def part(starter) -> EmbeddedGraph:
    """What is stated of the things that are asked about: all of it takes some stores minutes."""
    things = [hits[0].entity for hits in starter.search(ABOUT)]
    facts = [fact for found in starter.statements(things) for fact in found]
    ends = {end for s in facts for end in (s.subject, s.object) if isinstance(end, Entity)}
    return EmbeddedGraph.build("part", ends, {fact.relation for fact in facts}, facts)


@pytest.fixture(scope="module")
def n_triples(part) -> bytes:
    written = part._store.dump(format=ox.RdfFormat.N_TRIPLES, from_graph=ox.DefaultGraph())
    assert isinstance(written, bytes)
    return written


@pytest.fixture(scope="module")
def server(starter) -> Iterator[SparqlServer]:
    with SparqlServer(starter._store) as running:
        yield running


def test_from_a_folder(n_triples, expected, tmp_path):
    (tmp_path / "part.nt").write_bytes(n_triples)
    load([tmp_path / "part.nt"], tmp_path / "graph")
    assert answers(open_folder(tmp_path / "graph")) == expected


def test_over_http(server, expected):
    graph = SparqlGraph(server.url)
    assert answers(graph) == expected


def test_from_a_union(part, server, expected):
    assert answers(UnionGraph([part, SparqlGraph(server.url)])) == expected


def test_through_wikidatas_api(part, expected):
    entities = [entity for entity in part.describe(sorted(_entities(part))) if entity]
    with (
        SparqlServer(part._store) as service,
        WikidataServer(entities, [], list(part.all_statements())) as api,
    ):
        graph = WikidataGraph(service.url, api=api.url, profile=PROFILES["wikidata"])
        assert answers(graph) == expected


@pytest.mark.server
@pytest.mark.skipif(not (SERVER and ISQL), reason="Virtuoso is not installed: tests/setup.sh")
def test_from_virtuoso(n_triples, expected, tmp_path):
    with Virtuoso(tmp_path, n_triples.decode()) as running:
        assert answers(SparqlGraph(running.url)) == expected


def _entities(graph: EmbeddedGraph) -> set[str]:
    ends = (end for s in graph.all_statements() for end in (s.subject, s.object))
    return {end.id for end in ends if isinstance(end, Entity)}


CYCLIC = """
@prefix : <http://example.org/> .
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
:a a :Ring , :Thing , :Part ; rdfs:label "Alpha" ; :part_of :b , :a .
:b a :Ring ; rdfs:label "Beta" ; :part_of :c .
:c a :Ring ; rdfs:label "Gamma" ; :part_of :a .
"""


@pytest.mark.parametrize("place", ["file", "http", "union"])
def test_circles_loops_and_several_types_are_told_once_each(tmp_path, place):
    (tmp_path / "ring.ttl").write_text(CYCLIC)
    load([tmp_path / "ring.ttl"], tmp_path / "graph")
    stored = open_folder(tmp_path / "graph")
    with SparqlServer(stored._store) as running:
        over_http = SparqlGraph(running.url)
        both = UnionGraph([stored, over_http])
        kg: KnowledgeGraph = {"file": stored, "http": over_http, "union": both}[place]
        alpha = kg.search(["Alpha"])[0][0].entity
        facts = kg.statements([alpha])[0]
        told = sorted((s.subject.name, s.relation.name, s.object.name) for s in facts)
        assert told == [
            ("Alpha", "part of", "Alpha"),
            ("Alpha", "part of", "Beta"),
            *(("Alpha", "type", kind) for kind in ("Part", "Ring", "Thing")),
            ("Gamma", "part of", "Alpha"),
        ]
        walked, ring = alpha, []
        for _ in range(4):  # around, and on
            out = kg.statements([walked], direction="out", relation=kg.relation("part_of"))[0]
            walked = next(s.object for s in out if s.object != s.subject)
            ring.append(walked.name)
        assert ring == ["Beta", "Gamma", "Alpha", "Beta"]
        shown = Shown().with_root(alpha).with_facts(facts, [alpha.id])
        assert len(exploration.view(shown).edges) == 6
