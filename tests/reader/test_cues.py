"""The rule base is general knowledge: none of its longer cues is a benchmark row's own wording."""

from __future__ import annotations

import csv
import json
import re
from collections.abc import Iterator

import pytest

from tests.places import DATA, ROOT

AXIOMS = ROOT / "assets" / "axioms"
KNOWN = frozenset(  # names of things, and phrases that everybody uses
    (
        "black lives matter|chinese communist party|communist party of|deck of cards|"
        "people republic of china|post traumatic stress|post traumatic stress disorder|"
        "president of the us|rick and morty|statue of liberty|war in vietnam|water polo team|"
        "go to school|on its own|ceases to exist|no longer exists|at the same time"
    ).split("|")
)


def plain(text: str) -> str:
    return " ".join(re.findall(r"[a-z0-9]+", text.lower().replace("'s", "").replace("’s", "")))


def cues() -> Iterator[str]:
    for path in sorted(AXIOMS.glob("*.t*")):
        for line in path.read_text(encoding="utf-8").splitlines():
            if not line.startswith(("#", "rule:", "[")):
                yield from map(plain, re.split(r"[|\t]", line.split(":", 1)[-1]))


def rows() -> Iterator[str]:
    for name in ("CR-LT-QA.json", "CR-LT-ClaimVerification.json"):
        found = json.loads((DATA / "cr_lt_kgqa" / name).read_text(encoding="utf-8"))
        yield from (row["query"] for row in found)
    for path in sorted((DATA / "r3").glob("*.csv")):
        with path.open(encoding="utf-8", errors="replace", newline="") as lines:
            for row in csv.DictReader(lines):
                yield from (v for k, v in row.items() if k and re.search("uestion|laim", k) and v)


@pytest.mark.data
def test_no_cue_of_three_words_stands_in_a_row():
    if not (DATA / "cr_lt_kgqa").is_dir():
        pytest.skip("needs ../shared/data")
    asked = [f" {plain(row)} " for row in rows()]
    long = {cue for cue in cues() if len(cue.split()) >= 3} - KNOWN
    assert sorted(cue for cue in long if any(f" {cue} " in row for row in asked)) == []
