"""Things that a graph has no name for: what they are stands beside their ids."""

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.bare import with_nothing_said
from kgqa_core.ask.events import Answer, Sentence
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import FactAnswer
from kgqa_core.errors import SourceUnavailable
from kgqa_core.facts import verbalise
from kgqa_core.facts.terms import Entity, Literal, Relation, RelationUse, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.answering import compose
from tests.fakes import ScriptedLLM

WD = "http://www.wikidata.org/entity/"
MARROW, VILLAGE = Entity(f"{WD}Q1", "Ilse Marrow"), Entity(f"{WD}Q532", "village")
BARE, UNKNOWN = Entity(f"{WD}Q115"), Entity(f"{WD}Q116")
KIND, DIED = Relation(f"{WD}P31", "instance of"), Relation(f"{WD}P20", "place of death")
FACTS = [Statement(MARROW, DIED, BARE), Statement(MARROW, DIED, UNKNOWN)]
GRAPH = EmbeddedGraph.build(
    "deaths",
    [MARROW, VILLAGE, BARE, UNKNOWN],
    [KIND, DIED],
    [*FACTS, Statement(BARE, KIND, VILLAGE)],
)
NONE = FactAnswer(sentences=[], values=[])
GIVEN = {"question": "Where did Ilse Marrow die?", "facts": FACTS}


@pytest.fixture
def asked(monkeypatch):
    """What the graph was asked for, by verb."""
    calls = []
    statements = GRAPH.statements

    def seen(entities, **options):
        calls.append([e.name for e in entities])
        return statements(entities, **options)

    monkeypatch.setattr(GRAPH, "statements", seen)
    return calls


def test_what_it_is_stands_beside_an_id(asked):
    llm = ScriptedLLM(NONE, NONE)
    tools = Toolkit(GRAPH, llm)
    for _ in range(2):
        drain(tools.ask(skills.ANSWER, **GIVEN))
    for skill, given in llm.asked:
        text = prompt.messages(skill, given)[-1]["content"]
        assert "Q115 (village)" in text
        assert "Q116" in text
        assert "Q116 (" not in text
    assert asked == [["Q115", "Q116"]], "all at once, and once in a run"


def test_also_among_the_values_of_a_relation_and_those_to_choose_from():
    """One that a graph describes is not asked about."""
    described = Entity(f"{WD}Q117", "", "hamlet near the coast")
    use = RelationUse(DIED, "out", 2, ("Q115", "Port Quill"))
    llm = ScriptedLLM(skills.Picks(picked=[]))
    given = {"question": "Where?", "entities": [BARE, described], "relations": [use, use],
             "whose": [[BARE], [described]], "most": 1}  # fmt: skip
    drain(Toolkit(GRAPH, llm).ask(skills.CHOOSE_RELATIONS, **given))
    text = prompt.messages(*llm.asked[0])[-1]["content"]
    assert "of Q115 (village):" in text
    assert "of Q117 (hamlet near the coast):" in text
    assert "place of death → Q115 (village), Port Quill" in text


def test_a_reply_may_name_it_either_way():
    for said in ("Q115", "Q115 (village)"):
        reply = FactAnswer(sentences=[], values=[said])
        kept = drain(compose("Where?", reply, FACTS, Toolkit(GRAPH, ScriptedLLM()), found=[BARE]))
        assert kept[0].values == (BARE,)


def test_who_reads_no_prompt_and_what_has_names_costs_nothing(asked):
    drain(Toolkit(GRAPH, Offline()).ask(skills.ANSWER, **GIVEN))
    named = [Statement(MARROW, KIND, VILLAGE), Statement(MARROW, DIED, Literal("sea"))]
    drain(Toolkit(GRAPH, ScriptedLLM(NONE)).ask(skills.ANSWER, question="Where?", facts=named))
    assert asked == []


def test_a_source_that_is_away_ends_no_run(monkeypatch):
    def away(entities, **options):
        raise SourceUnavailable("away", source="deaths")

    monkeypatch.setattr(GRAPH, "statements", away)
    llm = ScriptedLLM(NONE)
    drain(Toolkit(GRAPH, llm).ask(skills.ANSWER, **GIVEN))
    assert "Q115" in prompt.messages(*llm.asked[0])[-1]["content"]


def test_a_name_is_the_label_wherever_there_is_one():
    assert verbalise.name(Entity(f"{WD}Q1", "Ilse Marrow", "novelist")) == "Ilse Marrow"
    assert verbalise.name(Entity(f"{WD}Q115")) == "Q115"
    assert verbalise.name(Entity(f"{WD}Q115", "", "village")) == "Q115 (village)"


def test_an_answer_says_of_what_it_names_by_its_id_alone_that_there_is_nothing_more():
    """Whatever has a name, a kind or an outgoing statement is more than an id."""
    gone = Entity(f"{WD}Q117")
    graph = EmbeddedGraph.build(
        "deaths",
        [MARROW, VILLAGE, BARE],
        [KIND, DIED],
        [*FACTS, Statement(MARROW, DIED, gone), Statement(BARE, KIND, VILLAGE)],
    )
    tools = Toolkit(graph, ScriptedLLM())
    assert tools.nothing_but_ids([BARE, UNKNOWN, VILLAGE, gone, Literal("1880")]) == [UNKNOWN, gone]
    answer = Answer(
        sentences=(Sentence(text="Q115, Q116 and Q117.", cites=(0,)),),
        values=(BARE, UNKNOWN, gone),
        citations=tuple(FACTS),
    )
    told = with_nothing_said(answer, [UNKNOWN, gone])
    assert told.sentences[-1].text == (
        "Of Q116 and Q117 the graph has nothing but the ids: what they name may have been deleted."
    )
    assert told.sentences[-1].cites == (1,)
    assert not told.certain
    assert with_nothing_said(answer, []) is answer
