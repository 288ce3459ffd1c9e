"""Of what stays in a list without a stated kind, the run says so, once, whatever the method."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import KEPT, Toolkit, run
from kgqa_core.facts.terms import Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
COUNTRY = Entity(WD + "Q6256", "country")
MOLDOVA, ROMANIA = (
    Entity(WD + "Q217", "Moldova", "country in Europe"),
    Entity(WD + "Q218", "Romania"),
)
UKRAINE, UNION = Entity(WD + "Q212", "Ukraine"), Entity(WD + "Q458", "European Union")
BORDERS, KIND = Relation(WD + "P47", "shares border with"), Relation(WD + "P31", "instance of")
GRAPH = EmbeddedGraph.build(
    "borders",
    [COUNTRY, MOLDOVA, ROMANIA, UKRAINE, UNION],
    [BORDERS, KIND],
    [
        *(Statement(MOLDOVA, BORDERS, other) for other in (ROMANIA, UKRAINE, UNION)),
        *(Statement(one, KIND, COUNTRY) for one in (MOLDOVA, ROMANIA, UKRAINE)),
    ],
)
LISTING = "compass react one-hop kaping rag-triples pgakv structgpt tog tog-r oda keqing".split()


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    encoder = Encoder(load_settings())
    index = Index(GRAPH, encoder, str(tmp_path_factory.mktemp("index")))

    def asked(method):
        chosen = METHODS[method]
        tools = Toolkit(GRAPH, Offline(encoder), index=index)
        question = "Which countries does Moldova border?"
        return list(run(question, chosen.solve, tools, chosen.params()))

    return asked


@pytest.mark.parametrize("method", LISTING)
def test_what_has_no_stated_kind_is_named_once(ask, method):
    records = ask(method)
    answer = answer_of(records)
    assert UNION in answer.values
    assert not answer.certain
    notes = [r.event.text for r in records if r.event.kind == "noted"]
    assert notes.count(f"No kind is stated of European Union: {KEPT}.") == 1


@pytest.mark.parametrize(
    ("question", "values", "unsorted"),
    [
        ("Which countries does Moldova border?", [ROMANIA, UNION, UKRAINE], [UNION]),
        ("Which countries does Moldova border?", [ROMANIA, UKRAINE], []),
        ("Which countries does Moldova border?", [UNION], []),
        ("What does Moldova border?", [ROMANIA, UNION], []),
        ("Which countries does Moldova border?", [UNION, Literal("1880")], []),
    ],
)
def test_a_kind_is_missed_where_the_question_asks_for_it(question, values, unsorted):
    assert Toolkit(GRAPH, ScriptedLLM()).of_no_kind(question, values) == unsorted


def test_a_relation_may_say_the_kind():
    called = Relation(WD + "P1", "neighbouring country")
    asked = "Which countries does Moldova border?"
    tools = Toolkit(GRAPH, ScriptedLLM())
    assert tools.of_no_kind(asked, [ROMANIA, UNION], [called]) == []
    assert tools.of_no_kind(asked, [ROMANIA, UNION], [BORDERS]) == [UNION]


def test_each_is_told_of_once_in_a_run():
    tools = Toolkit(GRAPH, ScriptedLLM())
    (note,) = tools.note_no_kind([UNION], KEPT)
    assert note.text == "No kind is stated of European Union: kept, though perhaps not meant."
    assert not list(tools.note_no_kind([UNION], "left out"))
