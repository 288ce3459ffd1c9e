"""Whatever a model or a graph does wrong, a run ends once, in time, in a sentence, without the key.

A slice of the table that `python -m tests.faults` prints whole: the first call and the second,
streamed and whole, every method and every fault once each.
"""

from itertools import product

import pytest

from kgqa_core.methods import METHODS
from tests.faults import graphs, models
from tests.faults.cells import sentence_wrong, table

pytestmark = pytest.mark.server


def test_every_method_with_every_fault_of_a_model(tmp_path):
    found = models.cells(tmp_path, ways=tuple(product((True,), (0, 1))))
    assert len(found) == len(METHODS) * len(models.FAULTS) * 2
    assert not any(cell.wrong for cell in found), table("Models", found)


def test_every_remote_graph_with_every_fault_of_its_services():
    found = graphs.cells(("react", "one-hop", "r3"))
    assert len(found) > 600
    assert not any(cell.wrong for cell in found), table("Graphs", found)


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
