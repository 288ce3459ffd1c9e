"""What is known about units of measurement: the table `assets/units.tsv`, explained there.

A unit is known by its Wikidata id, its name, its sign, or another way to write it, in one or
several; `a per b` is computed from both.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from kgqa_core.places import ASSETS

TABLE = ASSETS / "units.tsv"
PER = " per "
WRITTEN = "unit:"  # in the id of a unit that is written as a relation is called by it
_DECIMALS = 3
_BEHIND = re.compile(r" [(\[](?:in )?(?P<unit>[^()\[\]]+)[)\]]$| in (?!.* in )(?P<last>.+)$")


@dataclass(frozen=True, slots=True)
class Unit:
    """A row of the table. `size` and `zero` in terms of the unit that those alike have."""

    id: str
    name: str
    sign: str
    of: str
    size: Decimal
    also: tuple[str, ...]
    zero: Decimal = Decimal(0)


@lru_cache(maxsize=1)
def table() -> tuple[Unit, ...]:
    """All rows, in the order of the file."""
    lines = TABLE.read_text(encoding="utf-8").splitlines()
    return tuple(_row(line) for line in lines if line and not line.startswith("#"))


def _row(line: str) -> Unit:
    key, name, sign, of, size, also, zero = [*line.split("\t"), *[""] * 6][:7]
    others = tuple(filter(None, also.split("|")))
    return Unit(key, name, sign or name, of, Decimal(size or 1), others, Decimal(zero or 0))


@lru_cache(maxsize=1)
def _by_name() -> dict[str, Unit]:
    """Signs are as they are written: a `K` is no `k`."""
    known: dict[str, Unit] = {}
    for unit in table():
        for name in (unit.id, unit.name, unit.sign, *unit.also):
            known.setdefault(name, unit)
        for name in (unit.name, *unit.also):
            known.setdefault(f"{name}s", unit)
            known.setdefault(name.casefold(), unit)  # “degrees fahrenheit”, as people type it
    known.pop("", None)
    return known


def unit(name: str) -> Unit | None:
    """The unit of that id, name or sign, in whatever case where the case tells nothing apart."""
    known = _by_name()
    return known.get(name) or known.get(name.casefold())


def behind(relation: str) -> str:
    """The unit that a relation is called by, “price in euros” or “price (EUR)”; empty where it is
    called by none."""
    found = _BEHIND.search(relation)
    written = (found["unit"] or found["last"]) if found else ""
    return written if written and unit(written) else ""


def sign(name: str) -> str:
    """How a unit is written behind a number; its name where nothing shorter is known."""
    found = unit(name)
    return found.sign if found else name


def size(name: str) -> Decimal:
    """A unit in terms of the one that others of its kind are brought to; 1 of an unknown one."""
    if found := unit(name):
        return found.size
    top, per, bottom = f" {name}".rpartition(PER)
    return size(top.strip()) / size(bottom) if per else Decimal(1)


def times(name: str, other: str) -> float:
    """How many times as large a unit is as another one that measures the same."""
    return 1.0 if name == other else float(size(name) / size(other))


def base(number: Decimal, name: str) -> Decimal:
    """An amount in the unit that those of its kind are brought to."""
    found = unit(name)
    return number * size(name) + (found.zero if found else 0)


def converted(number: Decimal, name: str, other: str) -> Decimal | None:
    """An amount in another unit, as exact as it is given; None for one of another kind.

    As many decimals as the last digit that is given is worth in the other unit, three at most.
    """
    if not of(name) or of(name) != of(other):
        return None
    found = unit(other)
    exact = (base(number, name) - (found.zero if found else 0)) / size(other)
    least = Decimal(1).scaleb(int(number.as_tuple().exponent)) * size(name) / size(other)
    return round(exact, min(_DECIMALS, max(0, -least.adjusted())))


def of(name: str) -> str:
    """What a unit measures, as others do; empty where it has no like."""
    if found := unit(name):
        return found.of
    top, per, bottom = name.rpartition(PER)
    return f"{of(top)}{PER}{of(bottom)}" if per and of(top) and of(bottom) else ""


@lru_cache(maxsize=1)
def spellings() -> frozenset[str]:
    """Every way in which a unit is written, in small letters."""
    return frozenset(name.casefold() for name in _by_name() if not name.startswith("Q"))


@lru_cache(maxsize=1)
def _asked() -> re.Pattern[str]:
    """What asks for a unit: “in feet”, “how many miles”; who comes in second asks for none."""
    one = {u.name for u in table() if u.of == "time"}
    names = sorted({n for n in _by_name() if n[:1] != "Q" and n not in one}, key=len, reverse=True)
    word = "|".join(map(re.escape, names))
    word = rf"(?:{word})(?: per (?:{word}|{'|'.join(sorted(one))})| ?/ ?(?:{word}))?"
    return re.compile(
        rf"(?: |^)(?:measured |given |expressed )?in (?P<unit>{word})(?=\W*$|, | how\b| what\b)"
        rf"|\bhow many (?P<many>{word}) ",
        re.IGNORECASE,
    )


def asked(question: str) -> re.Match[str] | None:
    """Where a question asks for a unit, as `unit` or as `many`."""
    return _asked().search(question)
