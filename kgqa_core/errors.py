"""Everything that can go wrong, each with a sentence that says what to do."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pydantic import ValidationError
    from pydantic_core import ErrorDetails


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


class Busy(KGQAError):
    """More questions wait than this app lets wait."""


class Stopped(KGQAError):
    """Somebody pressed Stop."""


# What pydantic calls it, and what a person does; `{}` is the limit it names.
_PLAIN = {
    "missing": "is missing",
    "extra_forbidden": "is not known",
    "greater_than_equal": "must be at least {ge}",
    "greater_than": "must be more than {gt}",
    "less_than_equal": "must be at most {le}",
    "less_than": "must be less than {lt}",
    "literal_error": "must be {expected}",
    "enum": "must be {expected}",
    **dict.fromkeys(("int_type", "int_parsing", "int_from_float"), "must be a whole number"),
    **dict.fromkeys(("float_type", "float_parsing", "finite_number"), "must be a number"),
    **dict.fromkeys(("bool_type", "bool_parsing"), "must be true or false"),
    **dict.fromkeys(("string_type", "string_sub_type"), "must be text"),
    **dict.fromkeys(("list_type", "tuple_type", "set_type", "frozen_set_type"), "must be a list"),
    **dict.fromkeys(("dict_type", "model_type", "model_attributes_type"), "must be an object"),
    "none_required": "must be empty",
}
_MOST_SAID = 200  # characters of a place or a reason: a file may name a field by a whole book


def misfit(
    error: ValidationError, most: int = 3, *, name: Callable[[str], str] = "“{}”".format
) -> str:
    """Which fields do not fit and why, without a full stop: `“rounds” must be at least 1`.

    At most `most` of them. A field within another is named by its path, `claims.0.text`; `name`
    says how a path is written.
    """
    wrong = error.errors(include_url=False, include_input=False)
    said = [_misfit(e, name) for e in wrong[:most]]
    left = len(wrong) - len(said)
    return "; ".join(said) + (f"; and {left:,} more" if left else "")


def _misfit(e: ErrorDetails, name: Callable[[str], str]) -> str:
    place = ".".join(map(str, e["loc"]))[:_MOST_SAID]
    limits = {k: f"{v:g}" if isinstance(v, float) else v for k, v in e.get("ctx", {}).items()}
    if e["type"] in _PLAIN:
        why = _PLAIN[e["type"]].format_map(limits)
    else:
        why = re.sub(r"^\w+ should ", "must ", e["msg"])  # “String should have at most …”
    if why.startswith(("is ", "must ")):
        return f"{name(place) if place else 'it'} {why[:_MOST_SAID]}"
    said = str(limits.get("error", e["msg"]))[:_MOST_SAID].rstrip(".")  # a validator's own words
    return f"{name(place)}: {said}" if place else said
