"""SPARQL endpoints, by their addresses.

An address may end in # and a profile, as in `http://localhost:8890/sparql#virtuoso`.
"""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path

from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.cache import DiskCache
from kgqa_core.kg.kinds.source import Source
from kgqa_core.kg.polite import Reach
from kgqa_core.settings import Settings


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.sparql import SparqlGraph
    from kgqa_core.kg.wikidata import WikidataGraph, has_wikidata

    cache, reach = reaching(settings, name)
    if has_wikidata(name):
        return WikidataGraph(name, cache=cache, reach=reach)
    return SparqlGraph(name, cache=cache, reach=reach)


def reaching(settings: Settings, name: str = "") -> tuple[DiskCache, Reach]:
    """What an endpoint is asked with, by the settings.

    On a hosted app the one that the operator named may be inside the network, no other.
    """
    cache = _cache(settings.data_dir, settings.cache_days, settings.cache_mb)
    operators = name in (part.strip() for part in settings.graph.split(","))
    return cache, Reach(
        timeout_s=settings.graph_timeout_s,
        hosted=settings.hosted and not operators,
        contact=settings.contact,
    )


@lru_cache(maxsize=8)
def _cache(data_dir: Path, days: float, megabytes: int) -> DiskCache:
    """One per process, whoever opens graphs."""
    return DiskCache(data_dir / "endpoints.sqlite", days=days, most_bytes=megabytes << 20)


SOURCE = Source(
    kind="endpoint",
    open=_open,
    word="endpoint",
    icon="lan",
    takes=lambda name: "://" in name,
    named="the address of a SPARQL endpoint",
    host_of=lambda name, host: host in name.lower(),
)
