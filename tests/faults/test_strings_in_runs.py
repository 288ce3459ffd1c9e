"""150 hostile texts in runs (listed, opened, typed, imported, compared) in a browser stay text."""

import pytest

from tests.faults import strings
from tests.faults.cells import table
from tests.faults.hostile import HOSTILE
from tests.faults.hostile_runs import PACKED

PARTS = ("runs", "opened", "asked", "imported", "compare")


@pytest.mark.browser
def test_hostile_texts_stay_text_where_runs_show_them(browser, tmp_path):
    found = strings.cells(tmp_path, browser, PARTS, PACKED)
    assert len(found) > len(PARTS) * len(HOSTILE)
    assert not any(cell.wrong for cell in found), table("Strings", found)
