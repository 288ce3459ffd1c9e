"""A word is no name where it is but a part of one that the graph lacks."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import DATE, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.r3.query import is_its_name, is_torn, spans

WD = "http://www.wikidata.org/entity/"
ROTH = Entity(f"{WD}Q1", "Otto Roth", "", ("Roth",))
BORN = Relation(f"{WD}P569", "date of birth")


@pytest.mark.parametrize(
    ("name", "question", "known", "torn"),
    [
        ("Roth", "When was Mary Roth born?", [], True),
        ("Roth", "Could Roth Ltd have met Ann?", [], True),
        ("Roth", "When was Roth born?", [], False),
        ("Roth", "Did Roth marry?", [], False),
        ("Roth", "Did President Roth marry?", ["President"], False),
        ("Roth", "Would Sir Roth marry?", [], False),
        ("Roth", "Is Mary Roth older than Roth?", [], False),
        ("Otto Roth", "Did Karl Otto Roth marry?", [], False),
    ],
)
def test_what_is_torn_off_a_longer_name(name, question, known, torn):
    assert is_torn(name, question, known) is torn


@pytest.mark.parametrize(
    ("mention", "is_name"),
    [("Otto Roth", True), ("Roth", True), ("Ottto Roth", True), ("Sir Roth", True),
     ("Mary Roth", False)],
)  # fmt: skip
def test_somebody_of_another_first_name_is_somebody_else(mention, is_name):
    assert is_its_name(mention, ROTH) is is_name


def test_the_number_of_a_king_or_war_belongs_to_its_name():
    assert "World War I" in spans("Was he alive when World War I began?")
    assert "I" not in spans("What would Ann and I do?")


def test_compass_answers_nothing_for_a_namesake():
    fact = Statement(ROTH, BORN, Literal("1850-01-02", DATE))
    tools = Toolkit(EmbeddedGraph.build("names", [ROTH], [BORN], [fact]), Offline())
    answer, _ = drain(compass.solve("When was Mary Roth born?", tools, Params()))
    assert not answer.values
    answer, _ = drain(compass.solve("When was Roth born?", tools, Params()))
    assert answer.text == "2 January 1850."
