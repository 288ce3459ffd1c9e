"""`Dockerfile` and `compose.yaml`, read: what the tests hold against the program itself."""

from __future__ import annotations

import json
import re
import shlex
from typing import Any

import yaml

from tests.places import ROOT

COMPOSE: dict[str, Any] = yaml.safe_load((ROOT / "compose.yaml").read_text(encoding="utf-8"))
APP: dict[str, Any] = COMPOSE["services"]["app"]


def _instructions() -> list[tuple[str, str]]:
    """Each instruction of the image, in order: its word, and the rest in one line."""
    text = (ROOT / "Dockerfile").read_text(encoding="utf-8")
    text = re.sub(r"(?m)^#.*\n", "", text).replace("\\\n", " ")
    return [(word, rest.strip()) for word, _, rest in (x.partition(" ") for x in text.splitlines())]


INSTRUCTIONS = _instructions()


def last(word: str) -> str:
    """What the image's last instruction of this kind says."""
    return [rest for told, rest in INSTRUCTIONS if told == word][-1]


def environment() -> dict[str, str]:
    """The variables that the image sets."""
    return dict(pair.split("=", 1) for pair in shlex.split(last("ENV")))


def command() -> list[str]:
    """What a container runs."""
    return [str(part) for part in json.loads(last("CMD"))]


def health_check() -> list[str]:
    """How its health is asked for."""
    return shlex.split(last("HEALTHCHECK").partition(" CMD ")[2])
