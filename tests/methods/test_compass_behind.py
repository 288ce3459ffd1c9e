"""Compass: what a plan's prompt lists of the relations that lie behind those of a start."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import DATE, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params
from kgqa_core.methods.compass.plan import Plan, PlanStep
from tests.fakes import ScriptedLLM

_AT = "urn:kg:behind/"


def _thing(name):
    return Entity(_AT + name.replace(" ", "_"), name)


def _relation(name, *aliases):
    return Relation(_AT + name.replace(" ", "_"), name, "", aliases)


MILL, ANN, ORT, FAR = map(_thing, ("Red Mill", "Ann Roth", "Ort", "Farland"))
KIND = _thing("building")
OWNER, KIND_OF = _relation("owner"), Relation("http://www.wikidata.org/entity/P31", "instance of")
BORN, PLACE = _relation("date of birth", "born"), _relation("place of birth", "born in")
TRADE, COUNTRY = _relation("occupation"), _relation("country")
POSTS = [_relation(f"post {n}") for n in range(12)]
FACTS = [
    Statement(MILL, OWNER, ANN),
    Statement(MILL, COUNTRY, FAR),
    Statement(MILL, KIND_OF, KIND),
    Statement(KIND, _relation("studied by"), _thing("history of building")),
    Statement(ANN, PLACE, ORT),
    Statement(ANN, BORN, Literal("1950-02-03", DATE)),
    Statement(ANN, COUNTRY, FAR),
    *(Statement(ANN, post, ORT) for post in POSTS),
    *(Statement(FAR, _relation(f"share {n}"), ORT) for n in range(12)),
]
PLAN = Plan(steps=[PlanStep(id="s1", do="follow", of="n1", relation="owner")], answer="s1")


@pytest.fixture(scope="module")
def kg():
    things = {e for s in FACTS for e in (s.subject, s.object) if isinstance(e, Entity)}
    return EmbeddedGraph.build("behind", list(things), list({s.relation for s in FACTS}), FACTS)


@pytest.fixture
def planned(kg):
    """The starts that a model is given with a question, and what it is sent."""

    def asked(question, **params):
        llm = ScriptedLLM(PLAN)
        given = Params(templates=False, look=False, **params)
        drain(compass.solve(question, Toolkit(kg, llm), given))
        (call,) = llm.inputs
        (start,) = call.starts
        lines = prompt.messages(compass.PLAN, call)[-1]["content"].splitlines()
        return start, [line.strip() for line in lines]

    return asked


def test_relations_behind_the_nearest_ones_are_listed_with_what_they_lie_behind(planned):
    start, _ = planned("In which town was the owner of Red Mill born?")
    group = start.behind[0]
    assert group.via.relation == OWNER
    assert {use.relation for use in group.relations[:2]} == {PLACE, BORN}


def test_a_prompt_prints_them_by_name(planned):
    _, lines = planned("In which town was the owner of Red Mill born?")
    (line,) = (line for line in lines if "owner: " in line)
    assert "place of birth" in line


def test_there_are_few_of_each_and_of_few_relations(planned):
    start, _ = planned("Which posts and shares had the owner of Red Mill?")
    assert len(start.behind) <= 3
    assert all(len(group.relations) <= 4 for group in start.behind)


def test_what_the_prompt_names_already_and_what_a_kind_has_is_left_out(planned):
    start, _ = planned("In which town was the owner of Red Mill born?")
    assert "instance of" not in {group.via.relation.name for group in start.behind}
    listed = {use.relation for use in start.relations}
    assert not listed & {use.relation for group in start.behind for use in group.relations}


@pytest.mark.parametrize("question", ["Who is the owner of Red Mill?", "owner of Red Mill"])
def test_where_names_and_relations_say_the_whole_question_nothing_is_added(planned, question):
    start, lines = planned(question)
    assert start.behind == []
    assert not any("behind" in line for line in lines)


def test_it_is_a_parameter(planned):
    start, _ = planned("In which town was the owner of Red Mill born?", behind=False)
    assert start.behind == []


def test_what_lies_behind_is_neither_counted_nor_read_whole(kg, monkeypatch):
    """One of them may be a country, which a million statements have for a value."""
    counted, limits = [], []
    relations_of, statements = kg.relations_of, kg.statements

    def counting(entities):
        counted.extend(entities)
        return relations_of(entities)

    def reading(entities, **how):
        limits.extend([how["limit"]] * (ANN in entities))
        return statements(entities, **how)

    monkeypatch.setattr(kg, "relations_of", counting)
    monkeypatch.setattr(kg, "statements", reading)
    llm = ScriptedLLM(lambda given: PLAN.model_copy(update={"steps": [], "reason": "Nothing."}))
    question = "In which town was the owner of Red Mill born?"
    drain(compass.solve(question, Toolkit(kg, llm), Params(templates=False, passages=False)))
    assert llm.inputs[0].starts[0].behind
    assert MILL in counted
    assert ANN not in counted
    assert limits
    assert max(limits) <= 500
