"""The reader of the World Factbook, on a small country of its own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.measure.known_factbook import factbook, factbook_states
from tests.measure.known_sources import States

ULM = {
    "Government": {
        "Country name": {
            "conventional long form": {"text": "Republic of Ulm"},
            "conventional short form": {"text": "Ulm"},
        },
        "Capital": {"name": {"text": "Falk"}, "time difference": {"text": "UTC+1 (in winter)"}},
        "Flag": {"description": {"text": "<b>two</b> bands of green and white"}},
        "Independence": {"text": "3 May 1919 (from Norland)"},
        "Legislative branch": {"legislature name": {"text": "Parliament (Ting)"}},
        "National holiday": {"text": "Reed Day, 5 June (1921)"},
    },
    "People and Society": {
        "Nationality": {"noun": {"text": "Ulmer(s)"}, "adjective": {"text": "Ulmish"}},
        "Religions": {"text": "Muslim 61%, Hindu 30%"},
    },
    "Geography": {
        "Location": {
            "text": "Northern Europe, bordering the North Grey Sea, between Norland and Ree"
        },
        "Area": {"total ": {"text": "1.25 million sq km"}},
        "Elevation": {"highest point": {"text": "Hohe\u2019s Top 1,405 m"}},
        "Major rivers (by length in km)": {
            "rivers": {"text": "Ree (shared with Norland) - 310 km"}
        },
    },
}


@pytest.fixture
def states(tmp_path: Path) -> States:
    (tmp_path / "europe").mkdir()
    (tmp_path / "europe" / "ul.json").write_text(json.dumps(ULM), encoding="utf-8")
    return factbook_states(factbook(tmp_path))


@pytest.mark.parametrize(
    ("name", "relation", "value"),
    [
        ("Ulm", "P36", "Falk"),
        ("Ulm", "P571", "1919-05-03"),
        ("Ulm", "P206", "Grey Sea"),
        ("Ulm", "P2046", "1250000"),
        ("Ulm", "P610", "Hohe's Top"),
        ("Mount Hohe's Top", "P2044", "1405"),
        ("Ree", "P205", "Norland"),
        ("Ree River", "P2043", "310"),
        ("flag of Ulm", "P462", "green"),
        ("Reed Day of Ulm", "P837", "5 June"),
        ("Falk", "P421", "UTC+01:00"),
        ("Ulm", "P140", "Islam"),
        ("Ulm", "P194", "Ting"),
        ("Ulm", "P1549", "Ulmer"),
    ],
)
def test_a_row_is_stated_where_a_field_has_both_ends(states, name, relation, value):
    assert states([name], relation, [value])


@pytest.mark.parametrize(
    ("name", "relation", "value"),
    [
        ("Ulm", "P36", "Reed"),
        ("Ulm", "P571", "1919-05-04"),
        ("Ulm", "P206", "Red Sea"),
        ("Ulm", "P2046", "1310000"),
        ("Mount Hohe's Top", "P2044", "1450"),
        ("flag of Ulm", "P462", "red"),
        ("flag of Norland", "P462", "green"),
        ("Falk", "P421", "UTC+11:00"),
        ("Ulm", "P26", "Norland"),
        ("Ulm", "P140", "Judaism"),
        ("Ulm", "P194", "Diet"),
        ("Ulm", "P1549", "Norlander"),
    ],
)
def test_what_stands_in_no_field_is_not_stated(states, name, relation, value):
    assert not states([name], relation, [value])
