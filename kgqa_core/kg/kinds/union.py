"""Several graphs as one: their names, with commas between them."""

from __future__ import annotations

from kgqa_core.kg import kinds
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.union import UnionGraph

    return UnionGraph([kinds.open_graph(one, settings) for one in dict.fromkeys(kinds.parts(name))])


SOURCE = Source(
    kind="union",
    open=_open,
    word="several",
    icon="join",
    about="As one, each fact with its source:",
    takes=lambda name: len(kinds.parts(name)) > 1,
)
