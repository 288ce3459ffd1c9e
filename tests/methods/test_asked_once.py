"""No method puts the very same prompt twice: the second reply could be no better than the first."""

from collections import Counter

import pytest

from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skills import Draft
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.settings import Settings
from tests.measure.calls import Played, counter

ASKED = (
    "When was the founder of the Nobel Prize born?",
    "Was Google founded before Tencent?",
)
SEVERAL = {"sc"}  # samples of one prompt are what it is about


class Heard(Played):
    """The reader in the place of a model, and every prompt it was sent."""

    def ask(self, skill, given, **more):
        self.heard = getattr(self, "heard", Counter())
        self.heard[skill.name, prompt.rendered(given)] += 1
        return super().ask(skill, given, **more)


@pytest.fixture(scope="module")
def starter(tmp_path_factory):
    kg = starter_graph()
    settings = Settings(_env_file=None, data_dir=tmp_path_factory.mktemp("data"))
    return kg, open_index(kg, Encoder(settings), settings)


@pytest.mark.parametrize("name", sorted(set(METHODS) - SEVERAL))
def test_no_prompt_is_put_twice(starter, name):
    kg, index = starter
    method = METHODS[name]
    for question in ASKED:
        llm = Heard(lambda asked: Draft(text="", values=[]), Offline(None), counter())
        list(run(question, method.solve, Toolkit(kg, llm, index=index), method.params()))
        again = [step for (step, _), times in getattr(llm, "heard", Counter()).items() if times > 1]
        assert again == [], question
