"""The small graph that comes with the app: the question sets and the worked examples ask it."""

from __future__ import annotations

from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds.source import Source
from kgqa_core.settings import Settings

EXAMPLES = (
    "What else did the director of Written on the Wind make?",
    "How many grandchildren did Jacques Cousteau have?",
    "On which stock exchanges are Siemens shares traded?",
    "What is the time zone of Salt Lake City?",
    "When did Francesco Totti marry Ilary Blasi?",
    "Is Berlin the capital of Germany?",
    "Which films did Stanley Kubrick direct before 1970?",
)
STARTS = ("Albert Einstein", "The Beatles", "Douglas Sirk", "Berlin", "Nile")


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.starter import open_starter

    return open_starter(settings.data_dir / "starter")


def _begin(settings: Settings) -> bool:
    from kgqa_core.kg.starter import begin_starter

    return begin_starter(settings.data_dir / "starter")


def _fingerprint() -> str:
    from kgqa_core.kg.starter import FOLDER, fingerprint

    return fingerprint(FOLDER)


SOURCE = Source(
    kind="starter",
    open=_open,
    word="built in",
    icon="inventory_2",
    about="Comes with the app: a small graph, which the question sets are about.",
    name="starter",
    title="starter",
    examples=EXAMPLES,
    starts=STARTS,
    texts=True,
    fingerprint=_fingerprint,
    begin=_begin,
)
