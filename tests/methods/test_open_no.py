"""A model's "no" is certain where a graph that did not say so would say something else."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import CitedSentence, FactAnswer
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.starter import starter_graph
from kgqa_core.methods import answering
from tests.fakes import ScriptedLLM

CURIE = Entity("urn:curie", "Marie Curie")


def told(text, values, *relations, question="Is Marie Curie a novelist?"):
    """The answer that a model's words and values make, which cite a statement of each relation."""
    facts = [
        Statement(CURIE, Relation(f"urn:{name}", name), Entity(f"urn:{i}", f"thing {i}"))
        for i, name in enumerate(relations)
    ]
    sentence = CitedSentence(text=text, facts=list(range(len(facts))))
    reply = FactAnswer(sentences=[sentence], values=values)
    tools = Toolkit(starter_graph(), ScriptedLLM())
    return drain(answering.compose(question, reply, facts, tools, link=False))[0]


@pytest.mark.parametrize("values", [["no"], ["false"], []])
def test_a_no_of_what_need_not_be_all_is_not_certain_and_says_why(values):
    answer = told("No, she is a physicist.", values, "occupation")
    assert not answer.certain
    assert answer.reading == "what the graph gives as occupation need not be all"


def test_a_no_that_no_fact_says_is_not_certain():
    answer = told("No, nothing says so.", ["no"])
    assert not answer.certain
    assert answer.reading == "no fact says no"


def test_a_no_that_rests_in_part_on_what_is_given_in_full_is_not_certain_either():
    assert not told("No.", ["no"], "date of birth", "award received").certain


@pytest.mark.parametrize("relation", ["place of birth", "director"])
def test_a_no_of_what_a_graph_states_in_full_is_certain(relation):
    answer = told("No, it is another.", ["no"], relation, question="Is she of Paris?")
    assert (answer.certain, answer.reading) == (True, "")


@pytest.mark.parametrize(
    ("text", "values"), [("Yes, she is.", ["yes"]), ("Nobel Prize.", []), ("No. 5.", [])]
)
def test_what_is_no_no_is_as_certain_as_before(text, values):
    assert told(text, values, "occupation").certain
