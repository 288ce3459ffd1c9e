"""All of Wikidata, asked as you go."""

from __future__ import annotations

from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds.endpoint import reaching
from kgqa_core.kg.kinds.known import EXAMPLES, STARTS
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.wikidata import WikidataGraph

    cache, reach = reaching(settings)
    return WikidataGraph(cache=cache, reach=reach)


def _host_of(name: str, host: str) -> bool:
    return "wikidata.org" in host


SOURCE = Source(
    kind="wikidata",
    open=_open,
    word="live",
    icon="cloud",
    about="All of Wikidata, asked as you go. Needs a network.",
    name="wikidata",
    title="Wikidata, live",
    host_of=_host_of,
    examples=EXAMPLES,  # that graph's things are Wikidata's
    starts=STARTS,
)
