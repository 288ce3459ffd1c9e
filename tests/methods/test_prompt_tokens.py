"""How many prompt tokens a question takes: the reader plays a model that is shown prompts.

Questions of sorts that people ask: a fact, two hops, a list, a comparison, a count, one at a time.
"""

from statistics import mean

import pytest

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.compass.skills import PLAN, PLAN_RULES
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings
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
    "react": 2_080,
    "one-hop": 1_300,
    "structgpt": 2_600,
    "oda": 4_600,
    "pgakv": 2_250,
    "compass": 2_000,
}
MOST = 8_000


@pytest.fixture(scope="module")
def spent(tmp_path_factory):
    kg, tokenizer = starter_graph(), counter()
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"))
    index = open_index(kg, Encoder(settings), settings)
    plans = Planner(kg)

    def play(name):
        found = []
        for question in ASKED:
            llm = Played(lambda asked: None, Offline(None), tokenizer, plans)
            method = METHODS[name]
            list(run(question, method.solve, Toolkit(kg, llm, index=index), method.params()))
            found.append(llm.prompts)
        return found

    return play


LONG = {"oda": pytest.mark.scale}  # as long as all others together


@pytest.mark.parametrize("name", [pytest.param(n, marks=LONG.get(n, ())) for n in MEANS])
def test_a_question_takes_so_many_prompt_tokens_and_no_prompt_too_many(spent, name):
    prompts = spent(name)
    assert mean(map(sum, prompts)) <= MEANS[name]
    assert max(n for own in prompts for n in own) <= MOST


@pytest.mark.parametrize(("skill", "most"), [(PLAN, 1_400), (PLAN_RULES, 1_800)])
def test_what_is_the_same_for_every_question_leaves_room_for_it(skill, most):
    count = counter()
    given, _ = skill.examples[-1]
    *fixed, _ = prompt.messages(skill, given)
    assert sum(len(count.encode(message["content"]).ids) for message in fixed) <= most
