"""The questions the pages offer are answered, with facts, and understood without a doubt."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.kinds import known, open_graph
from kgqa_core.kg.kinds.starter import EXAMPLES
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import react
from kgqa_core.reader.reader import IN_PART
from kgqa_core.settings import Settings


@pytest.fixture(scope="module")
def kg():
    return starter_graph()


@pytest.mark.parametrize("question", EXAMPLES)
def test_an_example_is_answered(kg, question):
    records = list(run(question, react.solve, Toolkit(kg, Offline(None)), react.Params()))
    answer = answer_of(records)
    assert answer.grounding == "grounded"
    assert answer.certain or answer.reading.endswith(IN_PART)


@pytest.mark.scale
def test_what_a_first_visit_is_offered_is_answered_and_found(tmp_path, known_graph):
    well_known = open_graph("known", Settings(_env_file=None, data_dir=known_graph(tmp_path)))
    for question in known.EXAMPLES:
        tools = Toolkit(well_known, Offline(None))
        answer = answer_of(list(run(question, react.solve, tools, react.Params())))
        assert (answer.grounding, question) == ("grounded", question)
    found = well_known.search(known.STARTS, 1)
    assert [hits[0].entity.label for hits in found] == [*known.STARTS]
