"""Names as people give them (`starter`, `offline`, …) opened as graphs and models."""

from __future__ import annotations

from typing import TYPE_CHECKING

from kgqa_core.errors import SettingsError
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.llm.base import LLM
from kgqa_core.settings import Settings

if TYPE_CHECKING:
    from kgqa_core.encoder import Encoder

GRAPHS = ("starter",)
MODELS = ("offline", "openai")


def open_graph(name: str, settings: Settings) -> KnowledgeGraph:
    """Raises SettingsError for a name that is none, SourceError for a graph that is broken."""
    if name == "starter":
        from kgqa_core.kg.starter import load_starter

        return load_starter()
    raise SettingsError(f"There is no graph “{name}”. Choose one of: {', '.join(GRAPHS)}.")


def open_model(name: str, settings: Settings, encoder: Encoder | None = None) -> LLM:
    """Raises SettingsError for a name that is none, or for a model without key and endpoint."""
    if name == "offline":
        from kgqa_core.llm.offline import Offline

        return Offline(encoder)
    if name == "openai":
        if settings.openai_api_key is None and settings.openai_base_url is None:
            raise SettingsError(
                "No model is connected. Set OPENAI_API_KEY (and OPENAI_BASE_URL for another "
                "endpoint than OpenAI's), or use the built-in reader: --llm offline."
            )
        from kgqa_core.llm.openai_chat import OpenAIChat

        return OpenAIChat.from_settings(settings)
    raise SettingsError(f"There is no model “{name}”. Choose one of: {', '.join(MODELS)}.")
