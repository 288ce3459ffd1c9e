"""What the ranker learns from: ways in queries, and parts that do not overlap."""

from __future__ import annotations

import pytest

from tests.training import sources
from tests.training.pairs import find
from tests.training.sparql import parse, paths

_WD = "PREFIX wd: <http://www.wikidata.org/entity/> "


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("SELECT ?x WHERE { wd:Q1 wdt:P57 ?x . }", [("Q1", (("P57", "out"),))]),
        ("SELECT ?x WHERE { ?x wdt:P57 wd:Q1 }", [("Q1", (("P57", "in"),))]),
        (
            "SELECT DISTINCT ?x WHERE { wd:Q1 wdt:P161 / wdt:P569 ?x . }",
            [("Q1", (("P161", "out"), ("P569", "out")))],
        ),
        (
            "SELECT ?x WHERE { ?x wdt:P31 wd:Q5 ; wdt:P50 wd:Q1 . }",
            [("Q1", (("P50", "in"),))],
        ),
        (
            "SELECT ?x WHERE { wd:Q1 p:P39 ?s . ?s ps:P39 ?x ; pq:P580 ?t . FILTER(YEAR(?t) > 3) }",
            [("Q1", (("P39", "out"),))],
        ),
        (
            "ASK WHERE { wd:Q1 wdt:P57 wd:Q2 }",
            [("Q1", (("P57", "out"),)), ("Q2", (("P57", "in"),))],
        ),
    ],
)
def test_the_way_from_each_entity_to_what_is_asked_is_read_off_a_query(query, expected):
    found = parse(_WD + query)
    assert found is not None
    assert list(paths(found)) == expected


def test_a_query_for_two_things_is_left_out():
    assert parse("SELECT ?x ?y WHERE { wd:Q1 wdt:P1 ?x . wd:Q1 wdt:P2 ?y }") is None


def test_a_name_is_found_as_it_is_written_or_nearly():
    assert find("who is albert einstein's wife", ("Albert Einstein",)) == (7, 22)
    assert find("who is albert einstien", ("Albert Einstein",)) == (7, 22)
    assert find("who is it", ("Albert Einstein",)) is None


@pytest.mark.data
def test_no_question_is_in_two_parts_and_none_of_those_reported_is_learned_from():
    if not sources.DATA.is_dir():
        pytest.skip("needs ../shared/data")
    parts: dict[str, set[str]] = {}
    for row in sources.rows():
        parts.setdefault(sources._plain(row.question), set()).add(row.part)
    learnt = {"encoder", "weights", "thresholds"}
    assert not [q for q, p in parts.items() if "report" in p and p & learnt]
    assert not sources.qald10() & {q for q, p in parts.items() if p & learnt}
