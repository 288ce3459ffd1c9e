"""StructGPT as its paper tells it: relations, triples, again, answer."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import (
    AnswerIfEnough,
    CitedSentence,
    FactAnswer,
    Mentions,
    Picks,
    ScoredPick,
)
from kgqa_core.facts.terms import YEAR, Entity, Literal, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import structgpt
from kgqa_core.methods.structgpt import Params
from tests.fakes import ScriptedLLM, kinds
from tests.small_graph import FILM, LATER, SIRK, small_graph

QUESTION = "What else did the director of Written on the Wind make?"


@pytest.fixture(scope="module")
def kg():
    return small_graph()


@pytest.fixture(scope="module")
def starter():
    return starter_graph()


def pick(*wanted):
    """Picks the relations with these names and directions, whatever their positions."""

    def reply(given):
        found = [(use.relation.name, use.direction) for use in given.relations]
        return Picks(picked=[ScoredPick(index=found.index(w)) for w in wanted])

    return reply


def says(text, *positions):
    return AnswerIfEnough(
        sufficient=True,
        sentences=[CitedSentence(text=text, facts=list(positions))],
        values=[text],
    )


def not_yet(*keep):
    return AnswerIfEnough(
        thought="more is needed", sufficient=False, sentences=[], values=[], keep=list(keep)
    )


def solve(kg, llm, question=QUESTION, **params):
    return drain(structgpt.solve(question, Toolkit(kg, llm), Params(**params)))


def test_relations_are_read_then_triples_until_they_suffice(kg):
    def last(given):
        assert [(s.subject, s.object) for s in given.facts] == [(FILM, SIRK), (LATER, SIRK)]
        return says("Imitation of Life", 0, 1)

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out")),
        not_yet(),
        pick(("director", "in")),
        last,
    )
    answer, seen = solve(kg, llm)
    assert answer.values == (LATER,)
    assert answer.grounding == "grounded"
    assert kinds(seen) == (
        "step asked linked anchored "
        "step surveyed asked step expanded asked "
        "step surveyed asked step expanded asked chosen"
    )
    assert [s.name for s, _ in llm.asked] == [
        "extract entities",
        "choose relations",
        "answer if enough",
        "choose relations",
        "answer if enough",
    ]
    assert SIRK in llm.inputs[3].entities


def test_when_nothing_suffices_it_answers_from_what_was_read_or_abstains(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out")),
        FactAnswer(sentences=[], values=[], reason="Nothing about other films."),
    )
    answer, _ = solve(kg, llm, rounds=1)
    assert answer.grounding == "abstained"
    assert answer.reason == "Nothing about other films."


def test_what_further_reading_does_not_need_is_left(kg):
    def only_director(given):
        position = [s.relation.name for s in given.facts].index("director")
        return not_yet(position)

    def last(given):
        assert {s.relation.name for s in given.facts} == {"director"}
        return says("Imitation of Life", 0)

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out"), ("publication date", "out")),
        only_director,
        pick(("director", "in")),
        last,
    )
    answer, seen = solve(kg, llm)
    assert answer.values == (LATER,)
    assert "pruned" in kinds(seen)


def test_none_of_the_facts_may_be_needed_which_is_not_all_of_them(kg):
    def last(given):
        assert {s.relation.name for s in given.facts} == {"director"}
        return says("Douglas Sirk", 0)

    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("publication date", "out")),
        '{"sufficient": false, "sentences": [], "values": [], "keep": [-1]}',
        pick(("director", "out")),
        last,
    )
    _, seen = solve(kg, llm)
    assert "pruned" in kinds(seen)
    assert "-1: none of them; empty: all" in prompt.as_text(prompt.messages(*llm.asked[2]))


def test_of_many_ends_those_that_the_question_names_are_read_on_from():
    land, port, opened = (
        Entity("urn:l", "Land"),
        Relation("urn:p", "port"),
        Relation("urn:o", "opened"),
    )
    ports = [Entity(f"urn:h{n}", f"Harbour {n}") for n in range(30)]
    facts = [Statement(land, port, one) for one in ports]
    facts += [Statement(one, opened, Literal("1900", YEAR)) for one in ports]
    coast = EmbeddedGraph.build("coast", [land, *ports], [port, opened], facts)
    llm = ScriptedLLM(Mentions(mentions=["Land"]), not_yet(), Picks(picked=[]), not_yet())
    _, seen = solve(coast, llm, "When was the port Harbour 27 of Land opened?", width=2)
    assert set(llm.inputs[2].entities) == {ports[27], ports[0], land}
    told = [e.text for e in seen if isinstance(e, events.Noted)]
    assert "Of 30 ends the 2 nearest to the question are read on from." in told


def test_a_relation_says_whose_it_is_once_there_are_several(kg):
    llm = ScriptedLLM(
        Mentions(mentions=["Written on the Wind"]),
        pick(("director", "out")),
        not_yet(),
        lambda given: Picks(picked=[]),
        FactAnswer(sentences=[], values=[], reason="no"),
    )
    solve(kg, llm)
    first, second = llm.inputs[1], llm.inputs[3]
    assert not first.whose
    under = prompt.rendered(second).partition("of Douglas Sirk:")[2]
    assert "] director ←" in under.partition("of ")[0]


def test_no_relation_chosen_is_a_dead_end(kg):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), Picks(picked=[]))
    answer, seen = solve(kg, llm, "Why is Ulm so pretty?")
    assert answer.grounding == "abstained"
    assert kinds(seen).endswith("step surveyed asked dead_end")


def test_a_position_that_is_none_is_ignored(kg):
    llm = ScriptedLLM(Mentions(mentions=["Ulm"]), Picks(picked=[ScoredPick(index=99)]))
    assert solve(kg, llm, "Of which country is Ulm a part?")[0].grounding == "abstained"


def test_without_an_entity_there_is_nothing_to_read(kg):
    answer, _ = solve(kg, ScriptedLLM(Mentions(mentions=["Atlantis"])), "Where is Atlantis?")
    assert "No entity" in answer.reason


@pytest.mark.parametrize(
    ("question", "names", "certain"),
    [
        ("Who directed Inception?", {"Christopher Nolan"}, True),
        (
            "Which countries border both Germany and Italy?",
            {"Austria", "France", "Switzerland"},
            False,  # borders are given in part
        ),
        ("In which country was the director of Inception born?", {"United Kingdom"}, True),
        ("What currency is used in the country whose capital is Bern?", {"Swiss franc"}, True),
        ("Who directed Nothing at All?", set(), True),
    ],
)
def test_the_reader_reads_as_far_as_it_has_to(starter, question, names, certain):
    answer, _ = solve(starter, Offline(), question)
    assert {v.name for v in answer.values} == names
    assert answer.certain is certain


@pytest.mark.parametrize(
    ("question", "values"),
    [
        (
            "Which Christopher Nolan movies is Christian Bale in?",
            {"Batman Begins", "The Dark Knight", "The Dark Knight Rises", "The Prestige"},
        ),
        ("Which of the G20 countries has the smallest population?", {"Australia"}),
    ],
)
def test_the_reader_follows_a_relation_only_from_what_has_it(starter, question, values):
    """Directors and actors side by side: nobody is looked up as a director who directed nothing."""
    answer, _ = solve(starter, Offline(None), question)
    assert {value.name for value in answer.values} == values
