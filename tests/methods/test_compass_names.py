"""Compass: what a name may mean, and of which time a question in a known wording asks."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.compass.orient import _details, orient
from kgqa_core.methods.keqing.templates import Relations
from kgqa_core.methods.r3.query import spans
from tests.fakes import ScriptedLLM

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


_LAND, _COIN = Entity(f"{_WD}Q11", "Quenia"), Entity(f"{_WD}Q12", "Quenia coin", "", ("Quenia.",))
_KING = Entity(f"{_WD}Q13", "Otto II of Quenia", "king")
_TOWN, _HARBOUR = Entity(f"{_WD}Q14", "town"), Entity(f"{_WD}Q15", "harbour")
_END = Entity(f"{_WD}Q16", "death")
_DIED, _LIES = Relation(f"{_WD}P570", "date of death"), Relation(f"{_WD}P131", "located in")
_PART = Relation(f"{_WD}P279", "subclass of")


def _starts(question):
    facts = [
        Statement(_LAND, COUNTRY, _LAND),
        Statement(_COIN, COUNTRY, _LAND),
        Statement(_KING, _DIED, Literal("1850-01-02", DATE)),
        Statement(_TOWN, _PART, _HARBOUR),
        Statement(_END, _PART, _HARBOUR),
    ]
    things = [_LAND, _COIN, _KING, _TOWN, _HARBOUR, _END]
    graph = EmbeddedGraph.build("words", things, [COUNTRY, _DIED, _LIES, _PART], facts)
    tools = Toolkit(graph, ScriptedLLM())
    here, _ = drain(orient(question, tools, library=None, relations=Relations(tools.relation)))
    return [(start.candidate.entity, start.shown > 0) for start in here.starts]


def test_names_come_before_words_and_words_take_little_room():
    """What is a relation of something named is no start, nor who is called after a country."""
    asked = "which town has the harbour of quenia"
    first, *_, one, other = _starts(asked)
    assert first == (_LAND, True)
    assert {one, other} == {(_TOWN, False), (_HARBOUR, False)}
    assert _starts("Where is Quenia?") == [(_LAND, True)]
    assert _starts("death of Otto II of Quenia") == [(_KING, True)]
    assert {*_starts("which town has a harbour")} == {(_TOWN, True), (_HARBOUR, True)}


@pytest.mark.parametrize(
    ("question", "spans_of"),
    [
        ("Under which king was Quenia at war?", ["Quenia"]),
        ("Under Fire was shot in Quenia.", ["Under Fire", "Under", "Fire", "Quenia"]),
    ],
)
def test_a_preposition_before_the_word_that_asks_begins_no_name(question, spans_of):
    assert set(spans_of) <= set(spans(question))
    assert ("Under" in spans(question)) is ("Under" in spans_of)


def test_the_last_word_of_a_name_that_is_not_there_is_no_misspelling():
    assert _starts("What genus is Wilfred's Queria of?") == []


def test_a_question_in_a_known_wording_asks_of_now_when_it_says_is():
    answer, seen = _ask("Who is the prime minister of Norland?")
    assert [e for e in seen if isinstance(e, events.Recalled)]
    assert answer.values == (BEN,)


def test_and_of_any_time_when_it_says_was():
    answer, _ = _ask("Who was the prime minister of Norland?")
    assert answer.values != (BEN,)


def test_what_is_said_of_quantities_is_in_a_plan_before_times_alone():
    land, ship = Entity(_WD + "Q1", "Land"), Entity(_WD + "Q2", "ship")
    parts, people = Relation(_WD + "P1", "has part(s)"), Relation(_WD + "P2", "population")
    number, when = Relation(_WD + "P3", "quantity"), Relation(_WD + "P585", "point in time")
    counted = Statement(land, parts, ship, (Qualifier(number, Literal("12", DECIMAL)),))
    dated = Statement(
        land, people, Literal("900", DECIMAL), (Qualifier(when, Literal("1990", YEAR)),)
    )
    graph = EmbeddedGraph.build(
        "land", [land, ship], [parts, people, number, when], [dated, counted]
    )
    tools = Toolkit(graph, ScriptedLLM())
    uses = {land: tools.relations_of([land])[0]}
    assert _details([land], uses, tools) == {land: ["has part(s): quantity"]}
