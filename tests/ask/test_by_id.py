import pytest

from kgqa_core.ask.by_id import ByIds, ids_in
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import Entity, Hit
from kgqa_core.kg.base import WD
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from tests.small_graph import small_graph

ADAMS = Entity(WD + "Q42", "Douglas Adams")
NAMESAKE = Entity(WD + "Q5301562", "Douglas Adams")
CAR = Entity(WD + "Q8000", "Audi Q8")


def describe(ids):
    there = {"Q42": ADAMS, "Q88": ADAMS, "Q8": Entity(WD + "Q8", "happiness")}
    return [there.get(one) for one in ids]


def asked(*mentions, **hits):
    by_ids = ByIds()
    found = by_ids.found(mentions, {m: hits.get(m, []) for m in mentions}, describe)
    return by_ids, [[hit.entity for hit in one] for one in found]


def test_ids_are_found_where_they_stand_for_a_thing():
    assert ids_in("Did Q42 know Q5301562, and Q42 Q64?") == ["Q42", "Q5301562", "Q64"]
    assert ids_in("wd:Q42, Douglas Adams (Q42), Q-42, Q42-b, Q0, P31, FAQ4") == []
    assert ids_in("What is the P31 of Q42?", "P") == ["P31"]


def test_the_name_stands_for_the_id_and_means_that_thing():
    by_ids, found = asked("Q42")
    assert found == [[ADAMS]]
    assert by_ids.in_names("When was Q42 born?") == "When was Douglas Adams born?"
    hits = {"Douglas Adams": [Hit(NAMESAKE, 1.0, "Douglas Adams"), Hit(ADAMS, 1.0, "")]}
    ((first, second),) = by_ids.found(["Douglas Adams"], hits, describe)
    assert (first.entity, second.entity) == (ADAMS, NAMESAKE)
    assert first.score > second.score
    assert list(by_ids.sentences("W")) == ["Q42 is Douglas Adams."]


def test_what_is_called_like_an_id_is_meant_by_it():
    by_ids, found = asked("Q8", Q8=[Hit(CAR, 1.0, "Q8")])
    assert found == [[CAR]]
    assert by_ids.in_names("Who makes the Q8?") == "Who makes the Q8?"
    assert not list(by_ids.sentences("W"))
    assert not asked("Q7", Q7=[Hit(CAR, 1.0, "Q7")])[0].lost("W")


def test_what_leads_on_and_what_is_gone_are_said():
    by_ids, _ = asked("Q88", "Q99", "Ulm")
    gone = "“W” has nothing under Q99: what it named was deleted, or never was."
    moved = "“W” has Q88 no more: it leads on to Douglas Adams (Q42)."
    assert list(by_ids.sentences("W")) == [moved, gone]
    assert by_ids.lost("W") == [gone]


@pytest.mark.parametrize("name", ["keqing", "pgakv", "react"])
@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("P88888 of Written on the Wind", True),
        ("What is the P88888 of Ulm?", True),
        ("What is the P569 of Ulm?", False),
        ("What is the population of Atlantis?", False),
    ],
)
def test_a_relation_that_the_graph_does_not_have_is_named_by_every_method(name, question, said):
    method = METHODS[name]
    tools = Toolkit(small_graph(), Offline(None))
    answer = answer_of(list(run(question, method.solve, tools, method.params())))
    assert answer.sentences == ()
    assert (" has no relation P88888." in answer.reason) == said
