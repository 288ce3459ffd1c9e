"""Questions that no model need be asked, counted where a model's endpoint sees them."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import YEAR, Entity, Literal, Relation, RelationUse, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import openai_chat
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS, plain
from tests.servers.openai import OpenAIServer

WD = "http://www.wikidata.org/entity/"
VELM, QUILL, MARROW = (Entity(f"{WD}Q{n}", name) for n, name in
                       enumerate(("Velm", "Port Quill", "Ilse Marrow"), 1))  # fmt: skip
ISLAND = Entity(f"{WD}Q23442", "island")
KIND = Relation(f"{WD}P31", "instance of")
CAPITAL, MAYOR = Relation(f"{WD}P36", "capital"), Relation(f"{WD}P6", "mayor")
FOUNDED = Relation(f"{WD}P571", "inception")
FACTS = [
    Statement(VELM, CAPITAL, QUILL),
    Statement(VELM, FOUNDED, Literal("1802", YEAR)),
    Statement(QUILL, MAYOR, MARROW),
    Statement(MARROW, KIND, ISLAND),
]
GRAPH = EmbeddedGraph.build("lands", [VELM, QUILL, MARROW, ISLAND],
                            [CAPITAL, MAYOR, FOUNDED, KIND], FACTS)  # fmt: skip
NOT_YET = {"thought": "", "sufficient": False, "sentences": [], "values": []}
ENOUGH = {**NOT_YET, "sufficient": True, "sentences": [{"text": "Port Quill.", "facts": [0]}],
          "values": ["Port Quill"]}  # fmt: skip


@pytest.fixture
def ask():
    """The names of the steps that an endpoint was asked, and the answer."""
    openai_chat._manners.clear()
    with OpenAIServer() as server:
        llm = OpenAIChat("test-model", api_key="", base_url=server.url, timeout_s=60)

        def asked(method, question, **answers):
            server.answers = answers
            row = METHODS[method]
            solved = row.solve(question, Toolkit(GRAPH, llm), row.params())
            answer, seen = drain(solved)
            return [request.schema["name"] for request in server.requests], answer, seen

        yield asked
        llm.close()


@pytest.mark.parametrize("method", ["tog", "structgpt"])
def test_a_relation_in_the_questions_own_words_is_not_asked_about(ask, method):
    names, answer, _ = ask(
        method,
        "What is the capital of Velm?",
        extract_entities={"mentions": ["Velm"]},
        answer_if_enough=ENOUGH,
    )
    assert names == ["extract_entities", "answer_if_enough"]
    assert answer.values == (QUILL,)


def test_where_the_question_says_more_the_model_chooses(ask):
    picked = {"thought": "", "picked": [{"index": 0, "score": 1}]}
    names, *_ = ask(
        "tog",
        "Who is mayor of the capital of Velm?",
        extract_entities={"mentions": ["Velm"]},
        choose_relations=picked,
        answer_or_go_on={**ENOUGH, "picked": []},
    )
    assert names == ["extract_entities", "choose_relations", "answer_or_go_on"]


def test_what_did_not_suffice_is_gone_on_from(ask):
    """The words may have meant something else."""
    names, answer, _ = ask(
        "tog",
        "What is the capital of Velm?",
        extract_entities={"mentions": ["Velm"]},
        answer_if_enough=NOT_YET,
        answer_or_go_on={**ENOUGH, "picked": []},
    )
    assert names == ["extract_entities", "answer_if_enough", "answer_or_go_on"]
    assert answer.values == (QUILL,)


def test_of_what_only_a_kind_is_stated_nobody_is_asked_when_it_was(ask):
    mentions = {"mentions": ["island"]}
    names, answer, seen = ask("tog", "When was the island settled?", extract_entities=mentions)
    assert names == ["extract_entities"]
    assert not answer.sentences
    assert any(isinstance(e, events.DeadEnd) for e in seen)


def test_a_kind_may_be_what_is_asked_for(ask):
    names, *_ = ask(
        "tog",
        "Which things are an island?",
        extract_entities={"mentions": ["island"]},
        answer_or_go_on={**ENOUGH, "picked": []},
    )
    assert names == ["extract_entities", "answer_or_go_on"]


@pytest.mark.parametrize(
    ("question", "called"),
    [
        ("What is the capital of Velm?", ["capital"]),
        ("What was Velm's capital?", ["capital"]),
        ("What was the first capital of Velm?", []),
        ("What is the capital of the capital of Velm?", []),
        ("What was the capital of Velm in 1850?", []),
        ("What is Velm?", []),
        ("Who is the mayor of the capital of Velm?", ["capital", "mayor"]),
    ],
)
def test_what_a_question_says_in_the_graphs_own_words(question, called):
    uses = [RelationUse(r, "out", 1) for r in (CAPITAL, MAYOR, FOUNDED)]
    at = plain.said_by(question, ["Velm"], uses, 3)
    assert [uses[n].relation.name for n in at] == called
    assert plain.said_by(question, ["Velm"], uses * 4, 3) == []
