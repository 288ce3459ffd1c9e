"""Large graphs load whole and are found again; `make speed` says how fast."""

import gzip
from itertools import islice

import pytest

from kgqa_core.facts.terms import Entity
from kgqa_core.kg.base import WD
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import load
from tests.places import DATA
from tests.speed.load_graph import in_own_process

SLICE = DATA / "wikidata_slice"
pytestmark = pytest.mark.scale


@pytest.mark.data
@pytest.mark.skipif(not SLICE.exists(), reason="needs ../shared/data")
def test_the_slice_of_wikidata(tmp_path):
    done = load([SLICE], tmp_path / "graph")
    assert done.bad == 0
    assert done.statements == 282_647
    assert done.relations == 928
    graph = open_folder(tmp_path / "graph")
    riemann = graph.search(["Bernhard Rieman"])[0][0].entity
    assert riemann == Entity(WD + "Q42299")
    fields = graph.statements([riemann], direction="out", relation=graph.relation("P101"))[0]
    assert "differential geometry" in {s.object.name for s in fields}


@pytest.mark.data
@pytest.mark.skipif(not SLICE.exists(), reason="needs ../shared/data")
def test_the_slice_without_facts_from_gold_answers(tmp_path):
    with gzip.open(SLICE / "triples.tsv.gz", "rt", encoding="utf-8") as stream:
        lines = list(islice(stream, 10_001))
    (tmp_path / "triples.tsv").write_text("".join(lines), encoding="utf-8")
    done = load([tmp_path], tmp_path / "graph", options=Options(leave_out=("*_gold",)))
    tags = [line.rstrip("\n").split("\t")[-1].split("|") for line in lines[1:]]
    gold = sum(all(tag.endswith("_gold") for tag in of_a_fact) for of_a_fact in tags)
    assert gold > 1_000
    assert done.statements == 10_000 - gold


def test_a_hundred_thousand_facts_and_twenty_thousand_names():
    row = in_own_process(100_000)
    assert row["found"] > 0.95
