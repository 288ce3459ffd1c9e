"""An abstention says what the graph states of it: an unknown value, or that there is none."""

import pytest

from kgqa_core.ask.blank import Blanks
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.shown import by_words
from kgqa_core.facts.terms import NO_VALUE, UNKNOWN, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings

WD = "http://www.wikidata.org/entity/"
NORA = Entity(WD + "Q1", "Nora H. Marrow", "sailor")
HUMAN = Entity(WD + "Q5", "human")
FATHER = Relation(WD + "P22", "father", "", ("child of",))
CHILD = Relation(WD + "P40", "child", "", ("father of", "has child"))
BORN = Relation(WD + "P19", "place of birth", "", ("born in",))
KIND = Relation(WD + "P31", "instance of")
PORT = Entity(WD + "Q64", "Cleeve Haven", "port")
FACTS = [
    Statement(NORA, KIND, HUMAN),
    Statement(NORA, FATHER, UNKNOWN),
    Statement(NORA, CHILD, NO_VALUE),
    Statement(NORA, BORN, PORT),
]
# What looks things up in a graph; the others say that they read none, ask by templates, or read
# an index, which has no values that are not known.
READING = "compass react one-hop kaping rag-hybrid pgakv structgpt tog tog-r oda".split()


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    kg = EmbeddedGraph.build("small", [NORA, HUMAN, PORT], [FATHER, CHILD, BORN, KIND], FACTS)
    encoder = Encoder(load_settings())
    index = Index(kg, encoder, str(tmp_path_factory.mktemp("index")))

    def asked(method, question):
        chosen = METHODS[method]
        tools = Toolkit(kg, Offline(encoder), index=index)
        return answer_of(list(run(question, chosen.solve, tools, chosen.params())))

    return asked


@pytest.mark.parametrize("method", READING)
@pytest.mark.parametrize(
    ("question", "told", "not_told"),
    [
        ("Who is the father of Nora H. Marrow?", "the “father” is unknown", "“child”"),
        ("Who is a child of Nora H. Marrow?", "there is no “child”", "“father”"),
    ],
)
def test_an_abstention_says_what_is_stated(ask, method, question, told, not_told):
    answer = ask(method, question)
    assert not answer.sentences
    assert f"The graph states of Nora H. Marrow that {told}." in answer.reason
    assert not_told not in answer.reason
    assert "names no" not in answer.reason
    assert "does not contain" not in answer.reason


def read(*facts):
    blanks = Blanks()
    blanks.read(facts)
    return blanks


def test_what_is_not_asked_is_not_told_of():
    blanks = read(*FACTS, Statement(NORA, Relation(WD + "P20", "place of death"), UNKNOWN))
    reason = "What was read does not contain the answer."
    assert blanks.told("Where was Nora born?", reason, by_words) == reason


def test_an_alias_names_a_relation_and_the_nearest_is_the_one_that_is_meant():
    blanks = read(*(s for s in FACTS if s.relation != CHILD))
    assert "“father” is unknown" in blanks.told("Of whom is Nora the child?", "", by_words)
    died = Relation(WD + "P20", "place of death", "where somebody died", ("died in",))
    blanks = read(*FACTS, Statement(NORA, died, UNKNOWN))
    assert "“place of death” is unknown" in blanks.told("Where did Nora die?", "", by_words)


def test_the_reason_of_a_model_stays_and_what_is_deprecated_is_not_stated():
    said = "The facts name no father of Nora."
    told = read(*FACTS).told("Who is her dad?", said, by_words)
    assert told.endswith(f"is unknown. {said}")
    old = Statement(NORA, FATHER, UNKNOWN, rank="deprecated")
    assert read(old).told("Who is the father of Nora?", said, by_words) == said


def test_what_compass_adds_of_the_graph_stays():
    said = "What was read names no father of Nora H. Marrow. Of Nora H. Marrow it has: child."
    told = read(*FACTS).told("Who is the father of Nora?", said, by_words)
    assert told.endswith("that the “father” is unknown. Of Nora H. Marrow it has: child.")
    dated = Statement(NORA, Relation(WD + "P569", "date of birth"), Literal("1880"))
    assert read(dated).told("Who is the father of Nora?", said, by_words) == said
