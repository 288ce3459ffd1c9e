"""A verdict is certain only where what decides it speaks of everything that the question names."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.premises import Hop, Premise, Term
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.compass.plan import PlannedAxiom, ReasonedPlan
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.search import Params as OfR3
from kgqa_core.methods.r3.skills import StatedAxiom
from tests.fakes import ScriptedLLM

LIVES = [
    ["Edda Lorn", "spouse", "Tomas Ruhl"],
    ["Edda Lorn", "date of birth", "1881-02-03"],
    ["Edda Lorn", "date of death", "1930-05-06"],
    ["Ivo Marsh", "date of birth", "1885-02-03"],
    ["Ivo Marsh", "date of death", "1940-02-03"],
]
MARRIED = Premise(
    text="Edda Lorn had a spouse",
    left=Term(entity="Edda Lorn", path=(Hop(relation="spouse"),)),
    operator="exists",
)
LATE = Premise(
    text="Edda Lorn was alive in or after 1950",
    left=Term(entity="Edda Lorn", function="lifetime"),
    operator="≥",
    right=Term(constants=("1950",), function="lifetime"),
)
THE_OTHER = Premise(
    text="Ivo Marsh was alive in or after 1950",
    left=Term(entity="Ivo Marsh", function="lifetime"),
    operator="≥",
    right=Term(constants=("1950",), function="lifetime"),
)
BOTH = "Edda Lorn and Ivo Marsh must have had what it takes."


def by_compass(question, premises):
    reply = ReasonedPlan(steps=[], axioms=[PlannedAxiom(rule=BOTH, premises=premises)])
    tools = Toolkit(from_rows(LIVES, name="lives"), ScriptedLLM(reply))
    return drain(compass.solve(question, tools, Params(templates=False)))[0]


def by_r3(question, premises):
    reply = StatedAxiom(rule=BOTH, premises=premises)
    tools = Toolkit(from_rows(LIVES, name="lives"), ScriptedLLM(reply))
    return drain(r3.solve(question, tools, OfR3()))[0]


@pytest.mark.parametrize("decided", [by_compass, by_r3])
@pytest.mark.parametrize(
    ("question", "premises", "certain"),
    [
        ("Could Edda Lorn have had a wedding?", [MARRIED], True),
        ("Could Edda Lorn have had a wedding with Ivo Marsh?", [MARRIED], False),
        ("Could Edda Lorn have had a wedding with Tomas Ruhl?", [MARRIED], True),
        ("Could Edda Lorn have phoned Ivo Marsh?", [LATE], False),
        ("Could Edda Lorn have phoned Ivo Marsh?", [LATE, THE_OTHER], True),
        ("Could Edda Lorn have bought a Velm ferry?", [MARRIED], False),
    ],
)
def test_what_no_premise_speaks_of_may_decide_otherwise(decided, question, premises, certain):
    answer = decided(question, premises)
    assert answer.text.startswith(("Yes", "No"))
    assert answer.certain is certain


@pytest.mark.parametrize("decided", [by_compass, by_r3])
def test_what_a_premise_names_in_words_alone_is_spoken_of(decided):
    told = LATE.model_copy(update={"text": "Edda Lorn lived in the time of the Velm Tower (1950)"})
    assert decided("Could Edda Lorn have climbed the Velm Tower?", [told]).certain


@pytest.mark.parametrize("method", [compass, r3])
@pytest.mark.parametrize(("of_whom", "certain"), [("", True), (" from Ivo Marsh", False)])
def test_nor_is_the_reader_certain(method, of_whom, certain):
    tools = Toolkit(from_rows(LIVES, name="lives"), Offline())
    params = Params(templates=False) if method is compass else OfR3()
    answer, _ = drain(method.solve(f"Did Edda Lorn have a smartphone{of_whom}?", tools, params))
    assert answer.text.startswith("No")
    assert answer.certain is certain
