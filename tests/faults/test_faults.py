"""Whatever a model or a graph does wrong, a run ends once, in time, in a sentence, without the key.

Files of strangers are read or refused. A slice of the table that `python -m tests.faults` prints
whole; its strings are in `test_strings.py`, what is killed in `test_kills.py`.
"""

import pytest

from kgqa_core.methods import METHODS
from tests.faults import files, graphs, models, values
from tests.faults.cells import sentence_wrong, table

pytestmark = pytest.mark.server


def test_every_method_with_every_fault_of_a_model(tmp_path):
    found = models.cells(tmp_path, few=True)
    assert len(found) > 2 * len(METHODS) * (len(models.FAULTS) - 1)
    assert {cell.row for cell in found} == {*METHODS}
    assert not any(cell.wrong for cell in found), table("Models", found)


def test_every_remote_graph_with_every_fault_of_its_services():
    found = graphs.cells(("react", "one-hop", "r3"))
    assert len(found) > 600
    assert not any(cell.wrong for cell in found), table("Graphs", found)


def test_every_method_over_values_that_are_none(tmp_path):
    found = values.cells(tmp_path, seeds=3)
    assert len(found) == 3 * 3 * 2 * len(METHODS)
    assert {cell.ended for cell in found} >= {"answered", "abstained"}
    assert not any(cell.wrong for cell in found), table("Values", found)


def test_files_of_strangers_are_read_or_refused_in_a_sentence(tmp_path):
    found = files.cells(tmp_path, broken=4, step=5)
    assert len(found) > 300
    assert not any(cell.wrong for cell in found), table("Files", found)


@pytest.mark.parametrize(
    "message",
    [
        "This is a defect: please report it.",
        "Traceback (most recent call last):\n  File",
        "two\nlines.",
        "x" * 2_000 + ".",
        "no end",
        " ",
    ],
)
def test_the_table_tells_what_is_no_sentence(message):
    assert sentence_wrong(message)
