"""An abstention says what the graph states of it: an unknown value, or that there is none."""

import pytest

from kgqa_core.ask.blank import Blanks
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.shown import by_words
from kgqa_core.ask.skills import Draft
from kgqa_core.facts.terms import NO_VALUE, UNKNOWN, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.measure.calls import DRAFTS, drafted

WD = "http://www.wikidata.org/entity/"
NORA = Entity(WD + "Q1", "Nora H. Marrow", "sailor")
HUMAN = Entity(WD + "Q5", "human")
FATHER = Relation(WD + "P22", "father", "", ("child of",))
CHILD = Relation(WD + "P40", "child", "", ("father of", "has child"))
BORN = Relation(WD + "P19", "place of birth", "", ("born in",))
KIND = Relation(WD + "P31", "instance of")
PORT = Entity(WD + "Q64", "Cleeve Haven", "port")
JON = Entity(WD + "Q70", "Jon Pell", "painter")
AUTHOR = Relation(WD + "P50", "author", "main creator of a written work")
FACTS = [
    Statement(NORA, KIND, HUMAN),
    Statement(NORA, FATHER, UNKNOWN),
    Statement(NORA, CHILD, NO_VALUE),
    Statement(NORA, BORN, PORT),
]
BESIDE = [  # what is near to it and is no answer
    Statement(NORA, AUTHOR, JON),
    Statement(JON, AUTHOR, NORA),
    Statement(JON, KIND, HUMAN),
    Statement(JON, BORN, PORT, rank="deprecated"),
]
WRONG = (
    "What the graph states as “place of birth” of Jon Pell is all marked as wrong: Cleeve Haven."
)
DECIDING, DRAFTING = "r3", "kgr"
NO_GRAPH = "rag io cot cot-few-shot sc".split()  # they read passages, or nothing
READING = [m for m in METHODS if m not in (DECIDING, DRAFTING, *NO_GRAPH)]


class Drafting(Offline):
    """The reader, with a draft from memory, which it does not write by itself."""

    def __init__(self, encoder, text, value):
        super().__init__(encoder)
        self.draft = Draft(text=text, values=[value])

    def ask(self, skill, given, **more):
        return drafted(self.draft) if skill.name in DRAFTS else super().ask(skill, given, **more)


@pytest.fixture(scope="module")
def ask(tmp_path_factory):
    things, relations = [NORA, HUMAN, PORT, JON], [FATHER, CHILD, BORN, KIND, AUTHOR]
    kg = EmbeddedGraph.build("small", things, relations, [*FACTS, *BESIDE])
    encoder = Encoder(load_settings())
    index = Index(kg, encoder, str(tmp_path_factory.mktemp("index")))

    def asked(method, question, *draft):
        chosen = METHODS[method]
        llm = Drafting(encoder, *draft) if draft else Offline(encoder)
        tools = Toolkit(kg, llm, index=index)
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


@pytest.mark.parametrize(
    ("question", "told"),
    [
        ("Is Jon Pell the father of Nora H. Marrow?", "the “father” is unknown"),
        ("Is Jon Pell a child of Nora H. Marrow?", "there is no “child”"),
        ("Does Nora H. Marrow have a child?", "there is no “child”"),
    ],
)
def test_what_is_decided_by_facts_stays_open_and_says_what_is_stated(ask, question, told):
    answer = ask(DECIDING, question)
    assert not answer.sentences
    assert f"The graph states of Nora H. Marrow that {told}." in answer.reason


@pytest.mark.parametrize(
    ("question", "draft", "told"),
    [
        (
            "Who is the father of Nora H. Marrow?",
            "The father of Nora H. Marrow is Jon Pell.",
            "the “father” is unknown",
        ),
        (
            "Who is a child of Nora H. Marrow?",
            "Jon Pell is a child of Nora H. Marrow.",
            "there is no “child”",
        ),
    ],
)
def test_a_draft_stands_beside_what_is_stated(ask, question, draft, told):
    answer = ask(DRAFTING, question, draft, "Jon Pell")
    assert not answer.certain
    assert not answer.citations
    assert answer.reason.startswith(f"The graph states of Nora H. Marrow that {told}.")


@pytest.mark.parametrize("method", [*READING, DRAFTING])
def test_what_is_marked_as_wrong_is_no_certain_answer_and_never_another_thing(ask, method):
    draft = ("Jon Pell was born in Cleeve Haven.", "Cleeve Haven") if method == DRAFTING else ()
    answer = ask(method, "Where was Jon Pell born?", *draft)
    if answer.sentences:
        assert [v.name for v in answer.values] == [PORT.name]
        assert not answer.certain
    else:
        assert answer.reason.startswith(WRONG)


def test_no_rule_decides_by_what_is_marked_as_wrong(ask):
    answer = ask(DECIDING, "Was Jon Pell born in Cleeve Haven?")
    assert not answer.sentences
    assert answer.reason.startswith(WRONG)


@pytest.mark.parametrize("method", NO_GRAPH)
def test_who_reads_no_statements_says_so(ask, method):
    answer = ask(method, "Who is the father of Nora H. Marrow?")
    assert not answer.sentences
    assert "no passages about this graph" in answer.reason or "by itself" in answer.reason


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


def test_of_what_stands_nothing_is_told_as_wrong():
    old, new = (
        Statement(JON, BORN, place, rank=rank)
        for place, rank in ((PORT, "deprecated"), (Entity(WD + "Q65", "Ely"), "normal"))
    )
    assert read(old).told("Where was Jon born?", "", by_words) == WRONG
    assert read(old, new).told("Where was Jon born?", "", by_words) == ""


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
