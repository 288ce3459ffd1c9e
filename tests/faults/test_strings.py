"""150 hostile texts through every surface in a real browser stay text; and how that is seen.

Where a run tells them, several stand in one place: `python -m tests.faults strings` puts each in
every place by itself.
"""

import pytest

from tests.faults import strings, test_strings_in_runs
from tests.faults.cells import table
from tests.faults.hostile import ALL, HOSTILE, TEXTS, broken, packed, present
from tests.faults.hostile_runs import PACKED

PARTS = ("graphs", "explore", "exports", "templates", "preferences", "benchmarks", "settings")


@pytest.mark.browser
def test_hostile_texts_stay_text_on_every_surface_but_those_of_runs(browser, tmp_path):
    found = strings.cells(tmp_path, browser, PARTS, PACKED)
    assert len(found) > len(PARTS) * len(HOSTILE)
    assert not any(cell.wrong for cell in found), table("Strings", found)


def test_no_surface_is_left_out():
    assert sorted([*PARTS, *test_strings_in_runs.PARTS]) == sorted(strings.PARTS)


def test_there_are_150_each_with_its_own_word():
    assert len(set(TEXTS)) == len(HOSTILE) == 150
    assert all(one.text.count(one.word) == 1 for one in HOSTILE)


def test_a_page_of_all_of_them_as_they_are_shows_them_all():
    assert broken(f"before {ALL}\n after") == {}
    assert present(ALL) == set(range(150))


@pytest.mark.parametrize("most", [110, 300])
def test_packed_they_are_all_there_and_one_in_ten_stands_alone(most):
    lots = packed(most)
    assert present(" ".join(lot.text for lot in lots)) == set(range(150))
    assert {one.text for one in HOSTILE[::10]} <= {lot.text for lot in lots}
    assert len(lots) < 75
    assert all(len(lot.text) <= most or lot.text in TEXTS for lot in lots)


@pytest.mark.parametrize(
    ("kind", "drawn"),
    [
        ("scripts", "zz000"),  # taken for a tag
        ("Markdown", "a zz038 b"),  # a link, whose address is gone
        ("directives", ":red zz060"),
        ("templates", "749zz107"),  # reckoned
    ],
)
def test_a_text_that_is_drawn_otherwise_is_seen(kind, drawn):
    (number,) = present(drawn)
    assert HOSTILE[number].kind == kind
    assert number in broken(drawn)


def test_a_text_may_be_cut_and_lose_what_cannot_be_seen():
    one = next(one for one in HOSTILE if one.kind == "lengths")
    assert broken(f"{one.text[:30]}…") == {}
    assert broken(f"{one.text[:30]}!") != {}
    for one in HOSTILE:
        if one.kind == "characters":
            assert broken(" ".join(one.text).replace("\x00", "\ufffd")) == {}
