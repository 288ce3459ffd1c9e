"""Names, and nouns with the adjectives before them."""

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse
from tests.reader.shapes import shape


def test_a_name_of_common_words_stays_among_the_readings() -> None:
    shapes = [shape(r.plan) for r in parse("who directed written on the wind")]
    assert "directed:patient(written on the wind)" in shapes


def test_a_name_does_not_run_over_a_word_that_begins_a_clause() -> None:
    found = parse("who was mayor of ulm when the long war ended in bonn")
    assert "ulm" in {a.text for r in found[:2] for a in p.anchors(r.plan)}
    assert not any(" when " in a.text for r in found[:2] for a in p.anchors(r.plan))
