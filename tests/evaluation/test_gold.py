"""Answers are scored by gold values that somebody wrote from general knowledge."""

import pytest

from kgqa_core.facts.terms import Entity, Literal
from kgqa_core.kg.base import WD
from tests.measure import gold, live

ULM = Entity(WD + "Q3012", "Ulm", aliases=("Ulm an der Donau",))
BERNE = Entity(WD + "Q70", "Bern")


@pytest.mark.parametrize(
    ("wanted", "values", "right"),
    [
        ("ulm", (ULM,), True),
        ("Ulm an der Donau = Stadt Ulm", (ULM,), True),
        ("Ulm", (ULM, BERNE), False),
        ("Ulm | Bern", (BERNE, ULM), True),
        ("Ulm | Bern", (ULM,), False),
        ("Ulm | ?Bern", (ULM,), True),
        ("*Ulm", (ULM, BERNE), True),
        ("~100", (Literal("101.5"),), True),
        ("~100", (Literal("103"),), False),
        ("~~100", (Literal("112"),), True),
        ("~100", (ULM,), False),
        ("1879", (Literal("1879-03-14"),), True),
        ("1879-03-14", (Literal("1879"),), True),
        ("1879-03-14", (Literal("1879-03"),), True),
        ("1879-03-14", (Literal("1879-04"),), False),
        ("yes", (Literal("true"),), True),
    ],
)
def test_the_values_are_the_gold_ones_and_no_others(wanted, values, right):
    assert gold.agrees(wanted, values) is right


def test_silence_is_right_where_nothing_tells():
    assert gold.verdict("", (), certain=False) == "right"
    assert gold.verdict("Ulm", (), certain=True) == "abstained"
    assert gold.verdict("", (ULM,), certain=False) == "wrong"
    assert gold.verdict("Bern", (ULM,), certain=True) == "wrong but certain"


def answered(method, question, *values, certain=False, status="answered"):
    return live.Kept(method, question, status, values, certain, "said", 2, 1_000, 0.1)


def test_the_report_counts_and_lists_what_was_missed():
    done = {
        ("react", "Where?"): answered("react", "Where?", ULM),
        ("react", "And?"): answered("react", "And?", BERNE, certain=True),
        ("react", "When?"): answered("react", "When?", status="failed"),
    }
    golds = {"Where?": "Ulm", "And?": "Ulm", "When?": "1879"}
    missed, broken, _, line = live.report(["react"], golds, done).splitlines()
    assert "And?" in missed
    assert "wrong but certain" in missed
    assert "When?" in broken
    assert line == "react | 1 | 0 | 0 | 1 | 2.0 | 1,000 (1 failed)"


def test_answers_are_read_again_but_not_what_failed_or_was_cut_off(tmp_path):
    file = tmp_path / "answers.jsonl"
    lines = [
        live.dumped(answered("react", "Where?", ULM, Literal("1879"))),
        live.dumped(answered("react", "When?", status="failed")),
        live.dumped(answered("tog", "Where?", ULM))[:40],
    ]
    file.write_text("\n".join(lines), encoding="utf-8")
    (one,) = live.kept(file).values()
    assert one == answered("react", "Where?", ULM, Literal("1879"))
