"""Text as IRIs (RFC 3987): what is one, and how a name becomes part of one and comes back.

An id that no strict parser takes must not get into a store: it could not be asked for.
"""

from __future__ import annotations

import re
from functools import lru_cache

import pyoxigraph as ox

_LAST = "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0xE0000, 1 << 16)
)
# controls, delimiters, surrogates and private use, noncharacters, specials, tags
_NEVER = (
    '\x00-\x20<>"{}|^`\\\\\\[\\]\x7f-\x9f\ud800-\uf8ff\ufdd0-\ufdef\ufff0-\uffff'
    f"{_LAST}\U000dfffe-\U000e0fff\U000efffe-\U0010ffff"
)
_NOT_IN_NAME = re.compile(f"[{_NEVER}%/#?]")
_NOT_IN_IRI = re.compile(f"[{_NEVER}]|%(?![0-9A-Fa-f]{{2}})")


def is_iri(text: str) -> bool:
    """Whether strict parsers take it: absolute, and without a character that no IRI has."""
    try:
        ox.NamedNode(text)
    except ValueError:
        return False
    return True


def escaped(name: str) -> str:
    """Any text as the last part of an IRI; `urllib.parse.unquote` gives it back.

    Lone surrogates are kept apart, too (`errors="surrogatepass"`).
    """
    return _NOT_IN_NAME.sub(_percent, name)


def made_valid(text: str) -> str:
    """An IRI as it is, or with the characters that no IRI has percent-encoded (RFC 3987, 3.1).

    Raises ValueError for text that is no IRI even so: without scheme, or with a broken host.
    """
    if is_iri(text):
        return text
    encoded = _NOT_IN_IRI.sub(_percent, text)
    try:
        ox.NamedNode(encoded)
    except ValueError as error:
        raise ValueError(f"“{text[:80]}” is not a full IRI ({error})") from error
    return encoded


@lru_cache(maxsize=1_000)
def language_tag(text: str) -> str:
    """A language as RDF writes it, `pt-br`; empty for text that is none."""
    try:
        return ox.Literal("", language=text).language or ""
    except ValueError:
        return ""


def _percent(match: re.Match[str]) -> str:
    return "".join(f"%{byte:02X}" for byte in match[0].encode("utf-8", "surrogatepass"))
