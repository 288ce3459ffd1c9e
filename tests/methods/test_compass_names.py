"""Compass: what a name may mean, and of which time a question in a known wording asks."""

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import DATE, Entity, Literal, Qualifier, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params

_WD = "http://www.wikidata.org/entity/"
ANN, BEN = Entity(f"{_WD}Q1", "Ann Roth"), Entity(f"{_WD}Q2", "Ben Ask")
TOWN, FILM = Entity(f"{_WD}Q3", "Roth"), Entity(f"{_WD}Q4", "Roth", "film")
NORLAND = Entity(f"{_WD}Q5", "Norland")
BORN, COUNTRY = Relation(_WD + "P569", "date of birth"), Relation(_WD + "P17", "country")
HEAD, END = Relation(_WD + "P6", "head of government"), Relation(_WD + "P582", "end time")
FACTS = [
    Statement(ANN, BORN, Literal("1850-01-02", DATE)),
    Statement(TOWN, COUNTRY, NORLAND),
    Statement(FILM, COUNTRY, NORLAND),
    Statement(NORLAND, HEAD, ANN, (Qualifier(END, Literal("1905-03-04", DATE)),)),
    Statement(NORLAND, HEAD, BEN),
]


def _ask(question):
    graph = EmbeddedGraph.build(
        "names", [ANN, BEN, TOWN, FILM, NORLAND], [BORN, COUNTRY, HEAD, END], FACTS
    )
    return drain(compass.solve(question, Toolkit(graph, Offline()), Params()))


def test_a_name_that_towns_bear_may_be_somebodys_last_one():
    answer, _ = _ask("When was Roth born?")
    assert answer.text == "2 January 1850."


def test_a_question_in_a_known_wording_asks_of_now_when_it_says_is():
    answer, seen = _ask("Who is the prime minister of Norland?")
    assert [e for e in seen if isinstance(e, events.Recalled)]
    assert answer.values == (BEN,)


def test_and_of_any_time_when_it_says_was():
    answer, _ = _ask("Who was the prime minister of Norland?")
    assert answer.values != (BEN,)
