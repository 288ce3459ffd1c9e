"""Answers in normal form: dates as ISO, booleans, plain numbers (KGIR §3.2)."""

from __future__ import annotations

import re
from datetime import datetime
from typing import Literal as OneOf
from typing import overload

from kgqa_core.facts.terms import BOOLEAN, DATE, DECIMAL, MONTH, STRING, YEAR, Literal

_TRUE = frozenset({"yes", "true", "correct"})
_FALSE = frozenset({"no", "false", "incorrect"})
_ISO = re.compile(r"([+-]?\d{4})(?:-(\d\d)(?:-(\d\d))?)?(?:T[\d:.]+Z?)?")
_NUMBER = re.compile(r"[+-]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?")
_WRITTEN = ("%d %B %Y", "%B %d, %Y", "%d %b %Y", "%b %d, %Y", "%B %d %Y")


@overload
def literal(text: str, *, text_too: OneOf[True]) -> Literal: ...
@overload
def literal(text: str, *, text_too: bool = False) -> Literal | None: ...
def literal(text: str, *, text_too: bool = False) -> Literal | None:
    """`yes`, `April 15, 1912`, `1,234.50`, `1912-04` as a literal; other text only if asked.

    A bare number of four digits stays a number: only the question can tell whether it is a year.
    """
    plain = text.strip().rstrip(".").strip()
    folded = plain.casefold()
    if folded in _TRUE or folded in _FALSE:
        return Literal("true" if folded in _TRUE else "false", BOOLEAN)
    if _NUMBER.fullmatch(plain):
        return Literal(plain.replace(",", "").removeprefix("+"), DECIMAL)
    if iso := _ISO.fullmatch(plain):
        parts = [p for p in iso.groups() if p and p != "00"]
        return Literal("-".join(parts).removeprefix("+"), (YEAR, MONTH, DATE)[len(parts) - 1])
    for form in _WRITTEN:
        try:
            day = datetime.strptime(plain, form)
        except ValueError:
            continue
        return Literal(f"{day:%Y-%m-%d}", DATE)
    try:
        return Literal(f"{datetime.strptime(plain, '%B %Y'):%Y-%m}", MONTH)
    except ValueError:
        return Literal(text.strip(), STRING) if text_too else None
