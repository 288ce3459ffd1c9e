"""The graph that a first visit asks: well-known things, in the files of `assets/known`."""

from __future__ import annotations

from pathlib import Path

from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.kinds.source import Source
from kgqa_core.places import ASSETS
from kgqa_core.settings import Settings

EXAMPLES = (
    "When was Christopher Nolan born?",
    "How high is Mont Blanc?",
    "Who invented the telephone?",
    "Which films did Alfred Hitchcock direct before 1950?",
    "What is the chemical symbol of gold?",
    "Which countries border Switzerland?",
    "Who wrote Don Quixote?",
)
STARTS = ("Christopher Nolan", "Mont Blanc", "gold", "Jupiter", "World War II")


def _open(name: str, settings: Settings) -> KnowledgeGraph:
    from kgqa_core.kg.starter import open_starter

    return open_starter(settings.data_dir / "known", ASSETS / "known", "known")


def _begin(settings: Settings) -> bool:
    from kgqa_core.kg.starter import begin_starter

    return begin_starter(settings.data_dir / "known", ASSETS / "known", "known")


def prepare() -> Path:
    """Stores it beside the program, so that no first start has to; returns where."""
    from kgqa_core.kg import starter

    return starter.prepare(ASSETS / "known", "known")


def _fingerprint() -> str:
    from kgqa_core.kg.starter import fingerprint

    return fingerprint(ASSETS / "known")


SOURCE = Source(
    kind="known",
    open=_open,
    word="built in",
    icon="public",
    about="Comes with the app: what most people ask about. No key, no network.",
    name="known",
    title="well-known things",
    examples=EXAMPLES,
    starts=STARTS,
    texts=True,
    fingerprint=_fingerprint,
    begin=_begin,
)
