"""Step by step: which relations to follow, whether it is enough, what to keep."""

from kgqa_core.ask import skills
from kgqa_core.ask.skills import FromFacts, ToFollow
from kgqa_core.facts.terms import Entity, Relation, RelationUse, Statement
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.oda import ToAct, ToReflect
from kgqa_core.reader.explore import (
    act,
    answer_if_enough,
    answer_or_go_on,
    choose_relations,
    enough,
    reflect,
    supporting,
)
from tests.small_graph import CAST, COUNTRY, DIRECTOR, FILM, GERMANY, SIRK, ULM


def test_of_things_of_one_name_the_reader_takes_the_first_that_was_given():
    """In whatever order a process keeps its sets."""
    namesakes = [Entity(f"urn:{n}", "Ada Berg") for n in range(12)]
    born = RelationUse(Relation("http://www.wikidata.org/entity/P19", "place of birth"), "out", 1)
    given = ToFollow(
        question="Where was Ada Berg born?",
        entities=namesakes,
        relations=[born] * len(namesakes),
        whose=[[one] for one in namesakes],
        most=1,
    )
    assert [pick.index for pick in choose_relations(given).picked] == [0]


def test_the_reader_has_the_skills_of_exploring():
    shared = (skills.CHOOSE_RELATIONS, skills.ANSWER_IF_ENOUGH, skills.ANSWER_OR_GO_ON)
    assert all(Offline().can(s.name) for s in shared)


MADE, CITED = Statement(FILM, DIRECTOR, SIRK), Statement(ULM, COUNTRY, GERMANY)
QUESTION = "Who directed Written on the Wind?"


def picks(question, *uses, entities=(FILM,), facts=()):
    given = ToFollow(
        question=question, entities=list(entities), relations=list(uses), facts=list(facts), most=3
    )
    return [pick.index for pick in choose_relations(given).picked]


def test_the_relation_that_a_reading_needs_is_followed():
    uses = [RelationUse(CAST, "out", 1), RelationUse(DIRECTOR, "out", 1)]
    assert picks(QUESTION, *uses) == [1]
    assert picks("Who starred in Written on the Wind?", *uses) == [0]
    assert picks("What is the best film?", *uses) == []


def test_facts_suffice_where_a_likely_reading_is_answered_for_certain():
    assert not isinstance(enough(QUESTION, [MADE]), str)
    assert isinstance(enough(QUESTION, [CITED]), str)
    assert isinstance(enough(QUESTION, []), str)
    denied = FromFacts(question="Did Lana Turner direct Written on the Wind?", facts=[MADE])
    assert isinstance(
        enough(denied.question, denied.facts), str
    )  # that it is not shown is no answer yet


def test_an_answer_is_given_once_there_is_enough_and_else_the_way_on():
    enough = answer_if_enough(FromFacts(question=QUESTION, facts=[CITED, MADE]))
    assert (enough.sufficient, enough.values, enough.sentences[0].facts) == (
        True, ["Douglas Sirk"], [1],
    )  # fmt: skip
    uses = [RelationUse(DIRECTOR, "out", 1)]
    going = ToFollow(question=QUESTION, entities=[FILM], relations=uses, facts=[CITED], most=1)
    assert [pick.index for pick in answer_or_go_on(going).picked] == [0]
    there = going.model_copy(update={"facts": [MADE]})
    assert answer_or_go_on(there).values == ["Douglas Sirk"]


def test_only_what_a_reading_rests_on_is_kept():
    assert supporting(QUESTION, [CITED, MADE]) == {MADE}
    kept = reflect(ToReflect(question=QUESTION, outcome=[CITED, MADE], memory=[], most=5))
    assert kept.indices == [1]


def test_the_last_thing_that_was_reached_is_explored():
    asked = ToAct(
        question="Where was the director of Written on the Wind born?",
        entities=[FILM, SIRK], facts=[MADE], rounds_left=3,
    )  # fmt: skip
    decided = act(asked)
    assert (decided.action, decided.entities) == ("explore", [1])
    done = ToAct(question=QUESTION, entities=[FILM], facts=[MADE], rounds_left=3)
    assert (act(done).action, act(done).values) == ("answer", ["Douglas Sirk"])
