"""Operations on sets: what is most, what did not pass, what was compared."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts import compute
from kgqa_core.facts.terms import DECIMAL, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import walk
from kgqa_core.methods.react import NEXT_ACTION, SetView
from kgqa_core.methods.walk import Action, NodeSet
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
ANN, BOB, CAL = (Entity(WD + f"Q{n}", name) for n, name in enumerate(("Ann", "Bob", "Cal"), 1))
CHILDREN = [Entity(WD + f"Q{n}", f"child {n}") for n in range(11, 15)]
CHILD, HEIGHT = Relation(WD + "P40", "child"), Relation(WD + "P2048", "height")


def tall(who, metres):
    return Statement(who, HEIGHT, Literal(metres, DECIMAL))


FACTS = [
    *(Statement(ANN, CHILD, c) for c in CHILDREN[:3]),
    Statement(BOB, CHILD, CHILDREN[3]),
    tall(ANN, "1.7"),
    tall(BOB, "1.9"),
]
SET = NodeSet({ANN: (), BOB: (), CAL: ()})


@pytest.fixture(scope="module")
def tools():
    everyone = [ANN, BOB, CAL, *CHILDREN]
    kg = EmbeddedGraph.build("family", everyone, [CHILD, HEIGHT], FACTS)
    return Toolkit(kg, ScriptedLLM())


def act(tool, relation, **more):
    return Action(thought="", tool=tool, of="S1", relation=relation, **more)


@pytest.mark.parametrize(("order", "who"), [("most", ANN), ("fewest", BOB)])
def test_rank_by_the_number_of_values(tools, order, who):
    found, _ = drain(walk.rank(act("rank", "P40", order=order), SET, tools, 10))
    assert list(found.members) == [who]


def test_a_comparison_cites_both_sides(tools):
    found, _ = drain(walk.rank(act("rank", "P2048"), SET, tools, 10))
    assert found.members[BOB] == (tall(BOB, "1.9"), tall(ANN, "1.7"))


def test_an_empty_keep_shows_what_it_looked_at(tools):
    test = act("keep", "P40", test="is", value="Nobody")
    found, _ = drain(walk.keep(test, SET, tools, 10))
    assert found.members == {}
    assert set(found.looked_at) == set(CHILDREN)
    view = SetView(name="S2", by=test, looked_at=list(found.looked_at))
    given = NEXT_ACTION.given(question="?", sets=[view], actions_left=1)
    assert "looked_at: child 11; child 12" in prompt.rendered(given)


def test_every_operation_has_its_meaning_in_the_prompt():
    given = NEXT_ACTION.given(question="?", sets=[], actions_left=1)
    system = prompt.messages(NEXT_ACTION, given)[0]["content"]
    assert set(compute.MEANINGS) == set(compute.OPERATIONS)
    assert all(f"{name}: {meaning}" in system for name, meaning in compute.MEANINGS.items())
