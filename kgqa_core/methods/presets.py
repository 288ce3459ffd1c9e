"""Settings of the methods by name: `ours`, the defaults, and `as published`, as a paper ran them.

They are rows of `assets/presets.tsv`: a parameter, its value, and where that is said. A parameter
without a row keeps its default: nothing was said of it, or it is said so already.
"""

from __future__ import annotations

import csv
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from pydantic import BaseModel, ValidationError

from kgqa_core.ask.method import Method
from kgqa_core.errors import SettingsError, misfit
from kgqa_core.places import ASSETS

OURS = "ours"
PUBLISHED = "as published"


@dataclass(frozen=True)
class Setting:
    """One parameter as a paper has it, and where it says so."""

    method: str
    parameter: str
    value: str
    where: str


@lru_cache(maxsize=1)
def settings() -> tuple[Setting, ...]:
    """All of `assets/presets.tsv`, in its order."""
    with (ASSETS / "presets.tsv").open(encoding="utf-8", newline="") as lines:
        return tuple(
            Setting(**row) for row in csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE)
        )


def names(method: Method) -> list[str]:
    """The presets that a method has: ours, and what was published where there is a row for it."""
    published = any(one.method == method.name for one in settings())
    return [OURS, PUBLISHED] if published else [OURS]


def values(method: Method, preset: str) -> dict[str, Any]:
    """What a preset sets, as the parameters have it; empty for `ours`.

    A name may be written with hyphens (`as-published`). Raises SettingsError for a preset that the
    method does not have.
    """
    name = preset.replace("-", " ")
    if name not in names(method):
        known = " or ".join(f"“{one}”" for one in names(method))
        raise SettingsError(f"{method.title} has no preset “{preset}”: choose {known}.")
    if name == OURS:
        return {}
    rows = {one.parameter: one.value for one in settings() if one.method == method.name}
    try:
        params = method.params.model_validate(rows).model_dump()
    except ValidationError as error:
        raise SettingsError(
            f"The preset “{name}” of {method.title} does not fit: {misfit(error)}."
        ) from error
    return {key: params[key] for key in rows}


def of(method: Method, params: BaseModel) -> str:
    """Which preset these parameters are; empty for none."""
    given = params.model_dump()
    usual = method.params().model_dump()
    return next(
        (name for name in names(method) if usual | values(method, name) == given),
        "",
    )
