"""How long the first list of relations takes, of an entity with 2,000 statements.

    python -m tests.speed.first_list [TIMES [DELAY [LEADING]]]

A SPARQL endpoint on loopback has the entity: 250 identifiers, and 100 relations to 1,750 things.
It waits for DELAY milliseconds before each answer, as networks do, and LEADING further things lead
to the entity. Each graph is fresh, so nothing is remembered. Printed are the number of requests,
the medians of the longest of them with its answer as rows and of the whole list made of it, and how
many times the one the other takes; and the same of the very first of all. On a processor that does
other things as well, more TIMES help.
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
from tests.servers.sparql import Exchange, SparqlServer, good

_ADA = Entity(WD + "Q1", "Ada")


def entity_of_2000(leading: int = 0) -> EmbeddedGraph:
    """An entity with as many statements, and as many identifiers among them, as Wikidata's have."""
    catalogues = [
        Relation(WD + f"P{n}", f"catalogue {n}", datatype="externalid") for n in range(1, 251)
    ]
    matters = [Relation(WD + f"P{n}", f"matter {n}", datatype="item") for n in range(5000, 5100)]
    things = [Entity(WD + f"Q{n}", f"thing {n}") for n in range(100, 1850)]
    facts = [Statement(_ADA, r, Literal(f"n{i}")) for i, r in enumerate(catalogues)]
    facts += [Statement(_ADA, matters[i % 100], thing) for i, thing in enumerate(things)]
    others = [Entity(WD + f"Q{n}", f"other {n}") for n in range(10_000, 10_000 + leading)]
    facts += [Statement(other, matters[i % 100], _ADA) for i, other in enumerate(others)]
    return EmbeddedGraph.build("large", [_ADA, *things, *others], [*catalogues, *matters], facts)


def once(url: str) -> tuple[float, float, int]:
    """Seconds of the longest request of a first list, and of the list; how many requests."""
    graph = SparqlGraph(url, name="large", profile=PROFILES["wikidata"])
    spent: list[float] = []
    send = graph._endpoint.send

    def timed(sparql: str) -> object:
        began = time.perf_counter()
        answer = send(sparql)
        spent.append(time.perf_counter() - began)
        return answer

    graph._endpoint.send = timed  # type: ignore[method-assign, assignment]
    began = time.perf_counter()
    (uses,) = graph.relations_of([_ADA])
    whole = time.perf_counter() - began
    graph._cache.write()  # what is written behind is no part of the next one's request
    assert len(uses) >= 350
    return max(spent), whole, len(spent)


def main() -> None:
    given = [int(one) for one in sys.argv[1:]]
    times, delay, leading = (*given, *(20, 0, 0)[len(given) :])

    def late(exchange: Exchange) -> None:
        time.sleep(delay / 1000)
        good(exchange)

    with SparqlServer(entity_of_2000(leading)._store) as server:
        server.will(*[late] * (9 * (times + 1)))
        first, *others = [once(server.url) for _ in range(times + 1)]
    request, whole, requests = (median(column) for column in zip(*others, strict=True))
    print(f"requests: {requests:.0f}")
    print(f"one request {request:.3f} s, the list {whole:.3f} s: {whole / request:.2f} times")
    print(f"the first of all: {first[0]:.3f} s, {first[1]:.3f} s: {first[1] / first[0]:.2f} times")


if __name__ == "__main__":
    main()
