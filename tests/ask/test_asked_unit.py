"""Amounts in the unit that is asked for."""

import pytest

from kgqa_core.ask.asked_unit import in_asked_unit
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import DECIMAL, Entity, Literal
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.reader import small
from tests.reader.small import WD, fact, thing

METRE, CELSIUS, SPEED = (
    Entity(f"{WD}Q11573", "metre"),
    Entity(f"{WD}Q25267", "degree Celsius"),
    Entity(f"{WD}Q182429", "metre per second"),
)
DOME, OLIN = thing(1, "Dome Peak"), thing(2, "olinite")
GRAPH = small.of(
    [
        fact(DOME, "P2044", "elevation above sea level", Literal("3000", DECIMAL, METRE)),
        fact(OLIN, "P2101", "melting point", Literal("-40", DECIMAL, CELSIUS)),
        fact(OLIN, "P2052", "speed", Literal("2500", DECIMAL, SPEED)),
    ],
    METRE,
    CELSIUS,
    SPEED,
)


@pytest.mark.parametrize("method", ["compass", "react", "one-hop"])
@pytest.mark.parametrize(
    ("question", "text"),
    [
        ("How high is Dome Peak in feet?", "9,843 feet (3,000 m)."),
        ("how high is dome peak in kilometres", "3 km (3,000 m)."),
        ("How high is Dome Peak in metres?", "3,000 m."),
        ("What is the melting point of olinite in degrees Fahrenheit?", "-40 °F (-40 °C)."),
        ("melting point of olinite in degrees fahrenheit", "-40 °F (-40 °C)."),
        ("What is the melting point of olinite in kelvin?", "233 K (-40 °C)."),
        ("What is the speed of olinite in km/s?", "2.5 km/s (2,500 m/s)."),
        ("In miles per hour, what is the speed of olinite?",
         "5,592 miles per hour (2,500 m/s)."),
    ],
)  # fmt: skip
def test_an_amount_is_told_in_the_unit_asked_for(method: str, question: str, text: str) -> None:
    way = METHODS[method]
    answer = answer_of(list(run(question, way.solve, Toolkit(GRAPH, Offline()), way.params())))
    assert answer.text == text


@pytest.mark.parametrize("unit", ["cubits", "kilograms", "Fahrenheit"])
def test_what_cannot_be_converted_is_told_as_it_stands_and_not_certain(unit: str) -> None:
    value = Literal("3000", DECIMAL, METRE)
    stated = Answer(sentences=(Sentence(text="3,000 m."),), values=(value,))
    answer = in_asked_unit(f"How high is Dome Peak in {unit}?", stated)
    assert answer.text == f"3,000 m. What that is in {unit} is not known here."
    assert not answer.certain


def test_a_text_that_has_the_unit_by_itself_is_left_alone() -> None:
    value = Literal("3000", DECIMAL, METRE)
    answer = Answer(sentences=(Sentence(text="About 9,840 feet."),), values=(value,))
    assert in_asked_unit("How high is it in feet?", answer) == answer
