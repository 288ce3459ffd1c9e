"""What is killed loses nothing and does nothing twice: a slice of `tests.faults kills`."""

import pytest

from tests.faults import kills
from tests.faults.cells import table

pytestmark = pytest.mark.server
KILLED = {f"kill, {what}" for what in ("a run", "a benchmark", "a load", "an index", "a recipe")}


def test_what_is_killed_loses_nothing_and_does_nothing_twice(tmp_path):
    found = kills.cells(tmp_path, few=True)
    assert {cell.row for cell in found} == KILLED
    assert not any(cell.wrong for cell in found), table("Kills", found)
