"""The questions the pages offer are answered, with facts, and understood without a doubt."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.kinds.starter import EXAMPLES
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.reader.reader import IN_PART


@pytest.fixture(scope="module")
def kg():
    return starter_graph()


@pytest.mark.parametrize("question", EXAMPLES)
def test_an_example_is_answered(kg, question):
    records = list(run(question, react.solve, Toolkit(kg, Offline(None)), react.Params()))
    answer = answer_of(records)
    assert answer.grounding == "grounded"
    assert answer.certain or answer.reading.endswith(IN_PART)
