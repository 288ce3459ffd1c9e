"""Every setting, in one place: environment variables, then `.env`, then these defaults."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Self
from typing import Literal as OneOf

from pydantic import AliasChoices, Field, SecretStr, ValidationError
from pydantic_settings import BaseSettings, SettingsConfigDict

from kgqa_core.errors import SettingsError, misfit

OPENAI = "https://api.openai.com/v1"


def _data_dir() -> Path:
    home = os.environ.get("XDG_DATA_HOME") or str(Path.home() / ".local" / "share")
    return Path(home) / "kgqa-explorer"


class Settings(BaseSettings):
    """Read once and passed down. A blank variable counts as unset."""

    model_config = SettingsConfigDict(
        env_file=".env", env_prefix="KGQA_", env_ignore_empty=True, extra="ignore", frozen=True
    )

    openai_api_key: SecretStr | None = Field(
        None, validation_alias=AliasChoices("openai_api_key"), description="key of the endpoint"
    )
    openai_base_url: str | None = Field(
        None,
        validation_alias=AliasChoices("openai_base_url"),
        description="endpoint, ending in /v1; none: api.openai.com",
    )
    model: str = Field("gpt-4o-mini", description="model name at the endpoint")
    temperature: float = Field(0.0, ge=0, le=2, description="randomness of reasoning; 0: none")
    llm_timeout_s: float = Field(60.0, gt=0, description="seconds for one model call")
    data_dir: Path = Field(
        default_factory=_data_dir, description="folder for runs, indexes and caches"
    )
    runs_url: SecretStr | None = Field(
        None,
        description="a PostgreSQL database for runs, `postgresql://user:password@host/name`, that "
        "several app servers share; none: a file in the data folder",
    )
    graph: str = Field(
        "known", description="the graph that is asked where nobody names one, as `--graph` takes it"
    )
    encoder: str = Field(
        "minilm",
        description="`minilm`, a sentence-transformers name or folder, two for questions and "
        "passages with a vertical bar between them, or `openai:MODEL`",
    )
    build_index: bool = Field(
        True,
        description="whether the encoder is loaded, and graphs of up to 100,000 triples are "
        "indexed, in the background; otherwise when a method needs them",
    )
    chroma_url: str | None = Field(
        None, description="a Chroma server for the vector index; none: in process, data folder"
    )
    bolt_url: str | None = Field(
        None,
        description="a graph database (bolt://…) that carries out PG&AKV's scripts; none: they are "
        "interpreted here",
    )
    bolt_database: str = Field(
        "", description="its database for that: throw-away, empty, and empty again afterwards"
    )
    bolt_user: str = Field("", description="user of that database; empty: it asks for none")
    bolt_password: SecretStr | None = Field(None, description="password of that user")
    bolt_timeout_s: float = Field(30.0, gt=0, le=600, description="seconds for one script there")
    max_llm_calls: int = Field(60, ge=1, description="model calls a run may make")
    max_tokens: int = Field(200_000, ge=1, description="tokens a run may use, both ways")
    max_seconds: float = Field(300.0, gt=0, description="seconds a run may take")
    own_examples: int = Field(
        0,
        ge=0,
        le=5,
        description="examples that a step of a run takes from your own runs with a thumb up, of "
        "questions like the one asked; 0: none",
    )
    price_prompt: float | None = Field(
        None, ge=0, description="US dollars for a million prompt tokens; none: no price is shown"
    )
    price_completion: float | None = Field(
        None, ge=0, description="US dollars for a million completion tokens"
    )
    graph_timeout_s: float = Field(60.0, gt=0, description="seconds for one request to a graph")
    cache_days: float = Field(7.0, ge=0, description="days that answers of endpoints are kept")
    cache_mb: int = Field(500, ge=1, description="size of the cache of endpoints' answers")
    contact: str = Field("", description="address or page told to endpoints: who runs this")
    hosted: bool = Field(
        False,
        description="open to strangers: of what is inside this network nothing is opened for them "
        "but what KGQA_GRAPH names",
    )
    visitor_header: str = Field(
        "",
        description="hosted: the request header in which a reverse proxy names who is asking; it "
        "must overwrite what a visitor sends in it",
    )
    operators: str = Field(
        "", description="hosted: names in that header, with commas, that see everybody's runs"
    )
    operator_password: SecretStr | None = Field(
        None, description="hosted: whoever types it on the Settings page sees everybody's runs"
    )
    visitor_runs: int = Field(60, ge=1, description="hosted: runs that a visitor may start an hour")
    visitor_tokens: int = Field(
        500_000, ge=1, description="hosted: tokens of the environment's model for a visitor a day"
    )
    visitors_tokens: int = Field(
        5_000_000, ge=1, description="hosted: the same for all visitors together"
    )
    audit: OneOf["off", "reader", "model"] = Field(
        "reader", description="who checks an answer claim by claim; `model` costs calls"
    )
    workers: int = Field(6, ge=1, description="runs executed at once")
    waiting: int = Field(
        100, ge=1, description="runs that may wait for their turn; a question beyond is refused"
    )

    def model_copy(self, *, update: Mapping[str, Any] | None = None, deep: bool = False) -> Self:
        """A copy with changes, in which no secret follows to another place.

        A key or a password belongs to the address that it was given for: with another address
        comes its own, or none.
        """
        changes = dict(update or {})
        for place, secret in (("openai_base_url", "openai_api_key"), ("bolt_url", "bolt_password")):
            if place in changes and not same_place(changes[place], getattr(self, place)):
                changes = {secret: None} | changes
        return super().model_copy(update=changes, deep=deep)


def load_settings() -> Settings:
    """Raises SettingsError, naming each variable that does not fit."""
    try:
        return Settings()
    except ValidationError as error:
        wrong = misfit(error, len(Settings.model_fields), name=_variable)
        raise SettingsError(f"Correct these settings (environment or .env): {wrong}.") from error


def _variable(field: str) -> str:
    name = field.upper()
    return name if name.startswith("OPENAI_") else f"KGQA_{name}"


def same_place(one: str | None, other: str | None) -> bool:
    """Whether two addresses, as people type them, are one and the same. None: OpenAI's."""
    return _written(one) == _written(other)


def _written(address: str | None) -> str:
    scheme, mark, rest = ((address or "").strip().rstrip("/") or OPENAI).partition("://")
    host, slash, path = rest.partition("/")
    return f"{scheme}{mark}{host}".lower() + slash + path


def given_endpoint(settings: Settings) -> bool:
    """Whether it is the environment that names this model endpoint, not somebody on a page."""
    return same_place(settings.openai_base_url, load_settings().openai_base_url)


def checked_key(key: SecretStr | str | None) -> str:
    """The key as it can be sent, empty for none. Raises SettingsError for what no key is."""
    text = (key.get_secret_value() if isinstance(key, SecretStr) else key or "").strip()
    if any(not "!" <= ch <= "~" for ch in text):
        raise SettingsError(
            "OPENAI_API_KEY has characters that no key has. Copy it again, without spaces or "
            "quotation marks."
        )
    return text


def from_environment(field: str) -> bool:
    """Whether a field was set outside the page, so the form can say so."""
    return field in load_settings().model_fields_set
