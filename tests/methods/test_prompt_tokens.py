"""How many prompt tokens a question takes: the reader plays a model that is shown prompts.

Questions of sorts that people ask: a fact, two hops, a list, a comparison, a count, one at a time.
"""

from statistics import mean

import pytest

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.starter import load_starter
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.measure.calls import Played, counter
from tests.measure.planning import Planner

ASKED = (
    "What is the capital of Peru?",
    "How high is Mount Everest?",
    "When was the founder of the Nobel Prize born?",
    "Which films did Sofia Coppola's father direct?",
    "Was Google founded before Tencent?",
    "How many countries does China share a border with?",
    "By how many years is Julian Lennon older than Sean Lennon?",
    "Who was Isaac Newton's mother?",
)
MEANS = {  # about a tenth above what it was when this was written
    "react": 3_000,
    "one-hop": 1_600,
    "structgpt": 3_800,
    "oda": 5_600,
    "pgakv": 2_500,
    "compass": 2_500,
}
MOST = 8_000


@pytest.fixture(scope="module")
def spent():
    kg, tokenizer = load_starter(), counter()
    plans = Planner(kg)

    def play(name):
        found = []
        for question in ASKED:
            llm = Played(lambda asked: None, Offline(None), tokenizer, plans)
            method = METHODS[name]
            list(run(question, method.solve, Toolkit(kg, llm), method.params()))
            found.append(llm.prompts)
        return found

    return play


@pytest.mark.parametrize("name", MEANS)
def test_a_question_takes_so_many_prompt_tokens_and_no_prompt_too_many(spent, name):
    prompts = spent(name)
    assert mean(map(sum, prompts)) <= MEANS[name]
    assert max(n for own in prompts for n in own) <= MOST
