"""Who may read for a method: the built-in reader, a connected model, what other packages bring."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING

from kgqa_core.ask.llm import LLM
from kgqa_core.errors import SettingsError
from kgqa_core.extensions import Extensions
from kgqa_core.settings import Settings

if TYPE_CHECKING:
    from kgqa_core.search.encoder import Encoder


@dataclass(frozen=True)
class Model:
    """A choice of model by `name`. `title` says what it is called, empty while not connected.

    `open` raises SettingsError, saying what to set, for one that is not connected.
    """

    name: str
    open: Callable[[Settings, Encoder | None], LLM]
    title: Callable[[Settings], str]


def _offline(settings: Settings, encoder: Encoder | None) -> LLM:
    from kgqa_core.llm.offline import Offline
    from kgqa_core.reader.ranker import Ranker

    return Offline(encoder, Ranker())


def _openai(settings: Settings, encoder: Encoder | None) -> LLM:
    if not _connected(settings):
        raise SettingsError(
            "No model is connected. Set OPENAI_API_KEY (and OPENAI_BASE_URL for another "
            "endpoint than OpenAI's), or use the built-in reader: --llm offline."
        )
    from kgqa_core.llm.openai_chat import OpenAIChat

    return OpenAIChat.from_settings(settings)


def _connected(settings: Settings) -> bool:
    return settings.openai_api_key is not None or settings.openai_base_url is not None


_TABLE = (
    Model("offline", _offline, lambda settings: "built-in reader"),
    Model("openai", _openai, lambda settings: settings.model if _connected(settings) else ""),
)


def _made(thing: object, name: str) -> Model:
    if not isinstance(thing, Model):
        raise SettingsError("give a kgqa_core.llm.kinds.Model.")
    if thing.name in {model.name for model in _TABLE}:
        raise SettingsError(f"there is a model “{thing.name}” already, rename yours.")
    return thing


PACKAGES = Extensions("kgqa_explorer.models", _made)


def models() -> dict[str, Model]:
    """All of them by name."""
    return {model.name: model for model in (*_TABLE, *PACKAGES.found)}
