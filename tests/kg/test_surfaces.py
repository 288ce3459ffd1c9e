"""Values of real documents wherever they are shown: units, details, calendars, precision, rank."""

import csv
import io

import pytest

from kgqa_core.ask import events, skills
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Literal
from kgqa_core.history.comparison import fact_cells
from kgqa_core.kg.base import WD
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import walk
from kgqa_core.methods.answering import listed
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.methods.walk import Action, NodeSet
from kgqa_core.render.graph import snapshot
from kgqa_core.screens.explore.walk import csv_of
from tests.fakes import ScriptedLLM
from tests.screens.graph_story import recorded
from tests.servers.real_wikidata import NEEDED, store_of_documents

pytestmark = [
    pytest.mark.scale,
    pytest.mark.skipif(
        not all(path.exists() for path in NEEDED), reason="needs the documents in ../shared/data"
    ),
]

WANTED = [  # document, relation, how its value is told, and what stands in brackets
    ("Q23", "P569", "22 February 1732", ""),
    ("Q23", "P2048", "193 cm", ""),
    ("Q23", "P39", "President of the United States", "start time: 30 April 1789"),
    ("Q619", "P569", "19 February 1473", ""),  # in the calendar of its time
    ("Q859", "P569", "7 May 427 BC", ""),
    ("Q578170", "P131", "Kansas", "deprecated"),
    ("Q2", "P2120", "6,371 km", ""),
    ("Q2", "P571", "about 4.54 billion BC", ""),
    ("Q30", "P2046", "9,826,675 km²", ""),
    ("Q130531", "P570", "August 1516", ""),
]


@pytest.fixture(scope="module")
def kg():
    return EmbeddedGraph("documents", store_of_documents(sorted({one for one, *_ in WANTED})))


@pytest.fixture(scope="module", params=WANTED, ids=lambda row: f"{row[0]}-{row[1]}")
def row(request, kg):
    """A statement with how it is told, and all that the document says with its relation."""
    one, key, told, inside = request.param
    (entity,) = kg.describe([one])
    relation = kg.relation(WD + key)
    (facts,) = kg.statements([entity], relation=relation, direction="out", limit=500)
    fact = next(
        s
        for s in facts
        if verbalise.value(s.object, relation) == told and inside in verbalise.qualified(s)
    )
    return fact, told, inside, facts


def test_in_a_list_of_relations(kg, row):
    fact, told, _, facts = row
    uses, _ = drain(Toolkit(kg, ScriptedLLM()).survey([fact.subject], about=fact.relation.name))
    (use,) = [u for u in uses if (u.relation, u.direction) == (fact.relation, "out")]
    text = prompt.rendered(
        skills.ToFollow(question="?", entities=[fact.subject], relations=[use], most=1)
    )
    raw = {v.value for s in facts if isinstance(v := s.object, Literal)}
    assert told in text or len(facts) > 3
    assert not any(f" {one} " in text for one in raw if "-" in one or len(one) > 4)


def test_in_facts_of_a_prompt(row):
    fact, told, inside, _ = row
    text = prompt.rendered(skills.FromFacts(question="?", facts=[fact]))
    assert f"{fact.relation.name} — {told}" in text
    assert inside in text


def test_among_the_members_of_a_set(kg, row):
    fact, told, _, _ = row
    start = NodeSet({fact.subject: ()})
    action = Action(tool="follow", of="S1", relation=fact.relation.id)
    found, _ = drain(walk.follow(action, start, Toolkit(kg, ScriptedLLM()), 10))
    shown = SetView(name="S2", by=action, members=[fact.object], size=found.size)
    assert told in prompt.rendered(Notebook(question="?", sets=[shown], actions_left=1))
    assert fact.object in found.members


def test_in_an_answer(row):
    fact, told, _, _ = row
    assert listed({fact.object: [fact]}).text == f"{told}."


def test_in_tables(row):
    fact, told, inside, _ = row
    (cells,) = csv.DictReader(io.StringIO(csv_of([fact])))
    assert cells["object"] == told
    assert inside in cells["qualifiers"]
    beside = fact_cells(fact)
    assert beside["object"].startswith(told)
    assert inside in beside["object"]


def test_in_a_picture(row):
    fact, told, inside, _ = row
    view = snapshot(
        recorded([events.Expanded(entities=(fact.subject,), statements=(fact,), relation=None)])
    )
    assert told in {n.title.split("\n")[0] for n in view.nodes}
    (edge,) = view.edges
    assert told in edge.title
    assert inside in edge.title
    assert edge.label.startswith("deprecated: ") is (fact.rank == "deprecated")
