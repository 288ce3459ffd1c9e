"""Everything that can go wrong, each with a sentence that says what to do."""

from __future__ import annotations


class KGQAError(Exception):
    """Base. `str(error)` is one sentence for the person in front of the screen."""


class SettingsError(KGQAError):
    """A setting is missing or wrong; the message names it."""


class SourceError(KGQAError):
    """A graph, model or index failed."""

    def __init__(self, message: str, *, source: str = "", request: str = "") -> None:
        super().__init__(message)
        self.source = source
        self.request = request


class SourceUnavailable(SourceError):
    """Time-out, 429 or 5xx: trying again may help. `retry_after_s` is the server's wish."""

    def __init__(
        self,
        message: str,
        *,
        source: str = "",
        request: str = "",
        retry_after_s: float | None = None,
    ) -> None:
        super().__init__(message, source=source, request=request)
        self.retry_after_s = retry_after_s


class SourceRejected(SourceError):
    """A bad query, key or model name: trying again will not help."""


class ReplyError(KGQAError):
    """A model's reply does not fit the skill, after one retry. `reply` is what it said."""

    def __init__(self, message: str, *, reply: str = "") -> None:
        super().__init__(message)
        self.reply = reply


class BudgetExceeded(KGQAError):
    """The run used up its calls, tokens or seconds."""


class Stopped(KGQAError):
    """Somebody pressed Stop."""
