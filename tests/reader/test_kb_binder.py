"""Readings written down as SPARQL, in the notation of KB-BINDER."""

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import kb_binder
from kgqa_core.methods.kb_binder import DRAFT, Params, ToDraft
from kgqa_core.reader.kb_binder import draft


def test_the_reader_drafts_its_readings():
    kg, llm = starter_graph(), Offline()
    assert llm.can(DRAFT.name)
    for question, names in (
        ("Who directed Inception?", {"Christopher Nolan"}),
        ("How many films did Christopher Nolan direct?", None),
        ("Which countries border both Germany and Italy?", {"Austria", "France", "Switzerland"}),
        ("Who was the mayor of Hamburg in 1985?", {"Klaus von Dohnanyi"}),
        ("Who directed Nothing at All?", set()),
    ):
        answer, _ = drain(kb_binder.solve(question, Toolkit(kg, llm), Params()))
        if names is not None:
            assert {v.name for v in answer.values} == names
            assert answer.grounding == ("grounded" if names else "abstained")
        else:
            directed = [c for c in answer.citations if c.relation.name == "director"]
            assert int(answer.values[0].value) == len(directed) > 0


def drafts(question: str, most: int = 3) -> list[str]:
    return draft(ToDraft(question=question, most=most)).queries


def test_a_reading_is_written_down_as_a_query_over_names():
    assert drafts("Who directed Long Dusk?") == [
        "SELECT DISTINCT ?v1 WHERE { <entity:Long_Dusk> <relation:director> ?v1 . }"
    ]
    rivers = drafts("Which is the longest river in Nore?")
    assert rivers[0].endswith("ORDER BY DESC(?v3) LIMIT 1")
    assert drafts("Which is the longest river in Nore?", most=1) == rivers[:1]
    assert drafts("How many films did Ann Roth direct?")[0].startswith("SELECT (COUNT(DISTINCT ")
    assert drafts("Did Ann Roth direct Long Dusk?")[0].startswith("ASK { ")


def test_a_year_that_a_draft_would_leave_out_is_not_left_out():
    assert all("1985" in query for query in drafts("Who was the mayor of Selo in 1985?"))


def test_what_is_no_question_of_facts_is_not_drafted():
    assert drafts("What is the best film?") == []


def test_a_name_cannot_end_its_place():
    for query in drafts("Who directed “Dusk> }”?"):
        assert "<entity:Dusk%3E_%7D>" in query
