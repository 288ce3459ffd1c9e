"""Every kind of remote graph × what its services can do wrong × several methods × when.

The built-in reader plays the model, so that runs go on long enough to meet the fault.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from functools import partial

import pyoxigraph as ox

from kgqa_core.ask.run import Budget
from kgqa_core.ask.setup import Setup
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.polite import Reach
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.union import UnionGraph
from kgqa_core.kg.wikidata import WikidataGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.faults.cells import Cell, carried_out, judged
from tests.faults.endpoints import FAULTS
from tests.kg.conformance import ENTITIES, RELATIONS, STATEMENTS
from tests.servers import sparql, wikidata
from tests.small_graph import small_graph

QUESTION = "Who directed “Written on the Wind”?"
BUDGET = Budget(seconds=8.0)
METHODS_TRIED = ("react", "one-hop", "tog", "r3", "kb-binder", "kgr", "oda")
_REACH = Reach(timeout_s=0.4)

_API: dict[str, wikidata.Behaviour] = {
    "web page": wikidata.says("<html>", 200),
    "list": wikidata.says("[]"),
    "other JSON": wikidata.says({"success": 1}),
    "403": wikidata.says("no", 403),
    "404": wikidata.says("no", 404),
    "redirect": wikidata.says("", 302, Location="http://127.0.0.1/"),
    "500": wikidata.says("no", 500),
    "429": wikidata.says("no", 429, Retry_After="300"),
    "lagging": wikidata.says(wikidata.LAGGED, Retry_After="90"),
    "its own error": wikidata.says({"error": {"code": "x", "info": "so\nso"}}),
    "deep": wikidata.says("[" * 100_000),
}


def cells(methods: tuple[str, ...] = METHODS_TRIED) -> list[Cell]:
    """Two kinds of services in three graphs, each wrong at once and after some good answers."""
    store = EmbeddedGraph.build("world", ENTITIES, RELATIONS, STATEMENTS)._store
    kinds: list[tuple[str, str, Callable[[int], object]]] = []
    for name, fault, *_ in FAULTS:
        kinds.append(("SPARQL endpoint", name, partial(_endpoint, store, fault)))
        kinds.append(("Wikidata, queries", name, partial(_wikidata, store, fault, None)))
        kinds.append(("union of two", name, partial(_union, store, fault)))
    for name, wrong in _API.items():
        kinds.append(("Wikidata, API", name, partial(_wikidata, store, None, wrong)))
    return carried_out(
        partial(_cell, row, name, opened, method, after)
        for row, name, opened in kinds
        for method in methods
        for after in (0, 2)
    )


def _cell(row: str, name: str, opened: Callable[[int], object], method: str, after: int) -> Cell:
    chosen = METHODS[method]
    with opened(after) as kg:  # type: ignore[attr-defined]
        setup = Setup(chosen, chosen.params(), kg, Offline(), BUDGET)
        return judged(row, f"{name}, {method}, after {after}", QUESTION, setup)


@contextmanager
def _endpoint(store: ox.Store, fault: sparql.Behaviour, after: int) -> Iterator[KnowledgeGraph]:
    with sparql.SparqlServer(store) as server:
        server.will(*[sparql.good] * after, *[fault] * 40)
        yield SparqlGraph(server.url, name="world", reach=_REACH)


@contextmanager
def _union(store: ox.Store, fault: sparql.Behaviour, after: int) -> Iterator[KnowledgeGraph]:
    with _endpoint(store, fault, after) as remote:
        yield UnionGraph([small_graph(), remote])


@contextmanager
def _wikidata(
    store: ox.Store,
    fault: sparql.Behaviour | None,
    wrong: wikidata.Behaviour | None,
    after: int,
) -> Iterator[KnowledgeGraph]:
    with ExitStack() as open_:
        service = open_.enter_context(sparql.SparqlServer(store))
        api = open_.enter_context(wikidata.WikidataServer(ENTITIES, RELATIONS, STATEMENTS))
        if fault is not None:
            service.will(*[sparql.good] * after, *[fault] * 40)
        if wrong is not None:
            api.will(*[api._answer] * after, *[wrong] * 40)
        yield WikidataGraph(service.url, api=api.url, profile=PROFILES["wikidata"], reach=_REACH)
