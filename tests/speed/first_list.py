"""How long the first list of relations takes, of an entity with 2,000 statements.

    python -m tests.speed.first_list [TIMES]

A SPARQL endpoint on loopback has the entity: 250 identifiers, and 100 relations to 1,750 things.
Each graph is fresh, so nothing is remembered. Printed are the medians of one request with its
answer as rows, of the whole list made of it, and how many times the one the other takes; and the
same of the very first of all. On a processor that does other things as well, more TIMES help.
"""

from __future__ import annotations

import sys
import time
from statistics import median

from kgqa_core.facts.terms import Entity, Literal, Relation, Statement
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.profiles import PROFILES
from kgqa_core.kg.sparql import SparqlGraph
from tests.servers.sparql import SparqlServer

_ADA = Entity(WD + "Q1", "Ada")


def entity_of_2000() -> EmbeddedGraph:
    """An entity with as many statements, and as many identifiers among them, as Wikidata's have."""
    catalogues = [
        Relation(WD + f"P{n}", f"catalogue {n}", datatype="externalid") for n in range(1, 251)
    ]
    matters = [Relation(WD + f"P{n}", f"matter {n}", datatype="item") for n in range(5000, 5100)]
    things = [Entity(WD + f"Q{n}", f"thing {n}") for n in range(100, 1850)]
    facts = [Statement(_ADA, r, Literal(f"n{i}")) for i, r in enumerate(catalogues)]
    facts += [Statement(_ADA, matters[i % 100], thing) for i, thing in enumerate(things)]
    return EmbeddedGraph.build("large", [_ADA, *things], [*catalogues, *matters], facts)


def once(url: str) -> tuple[float, float]:
    """Seconds of the requests of a first list, and of the list with them."""
    graph = SparqlGraph(url, name="large", profile=PROFILES["wikidata"])
    spent = 0.0
    send = graph._endpoint.send

    def timed(sparql: str) -> object:
        nonlocal spent
        began = time.perf_counter()
        answer = send(sparql)
        spent += time.perf_counter() - began
        return answer

    graph._endpoint.send = timed  # type: ignore[method-assign, assignment]
    began = time.perf_counter()
    (uses,) = graph.relations_of([_ADA])
    whole = time.perf_counter() - began
    assert len(uses) == 350
    return spent, whole


def main() -> None:
    times = int(sys.argv[1]) if len(sys.argv) > 1 else 20
    with SparqlServer(entity_of_2000()._store) as server:
        first, *others = [once(server.url) for _ in range(times + 1)]
    request, whole = (median(column) for column in zip(*others, strict=True))
    print(f"one request {request:.3f} s, the list {whole:.3f} s: {whole / request:.2f} times")
    print(f"the first of all: {first[0]:.3f} s, {first[1]:.3f} s: {first[1] / first[0]:.2f} times")


if __name__ == "__main__":
    main()
