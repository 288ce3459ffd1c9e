from __future__ import annotations

import pytest

from kgqa_core.ask.events import Anchored
from kgqa_core.ask.follow_up import carried
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.terms import Entity
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.screens.run import gone_on

ADA = Entity("http://example.org/ada", "Ada")
JONAS = Entity("http://example.org/jonas", "Jonas")


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("and her husband?", "Who is Ada's husband?"),
        ("When was she born?", "When was Ada born?"),
        ("Where did they live", "Where did Ada live?"),
        ("What about its capital?", "What is Ada's capital?"),
        ("Who was born there?", "Who was born in Ada?"),
        ("Who wrote Emma?", "Who wrote Emma?"),
        ("Where did Kubrick live when he was young?", "Where did Kubrick live when he was young?"),
        ("What does “it” mean?", "What does “it” mean?"),
        ("", ""),
    ],
)
def test_pronouns_become_what_the_question_before_was_about(question, read):
    assert carried(question, [ADA, JONAS]) == read


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("Where was she educated?", "Where was Jonas educated?"),
        ("and his father?", "Who is Jonas' father?"),
        ("What is its population?", "What is Ada's population?"),
        ("When did they begin?", "When did Ada begin?"),
    ],
)
def test_he_and_she_are_people_and_it_is_none(question, read):
    assert carried(question, [ADA, JONAS], {JONAS.id}) == read


def test_a_name_that_ends_in_s_and_nothing_before():
    assert carried("his father?", [JONAS]) == "Who is Jonas' father?"
    assert carried("and his father?", []) == "and his father?"


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("and which of them is the oldest?", "Which of “Ada”, “Jonas” and “Ulm” is the oldest?"),
        ("Which of these lies in Peru", "Which of “Ada”, “Jonas” and “Ulm” lies in Peru?"),
        ("Which of those two is older?", "Which of those two is older?"),
        ("Where was she educated?", "Where was Ada educated?"),
    ],
)
def test_them_are_all_that_the_last_question_was_answered_with(question, read):
    several = [ADA, JONAS, Entity("http://example.org/ulm", "Ulm")]
    assert carried(question, [ADA], (), several) == read


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("and her children?", "Who are Ada's children?"),
        ("its films", "What are Ada's films?"),
        ("and its capital of culture?", "What is Ada's capital of culture?"),
        ("How old are they?", "How old is Ada?"),
        ("Where do they live?", "Where does Ada live?"),
    ],
)
def test_number_and_kind_are_as_in_english(question, read):
    assert carried(question, [ADA], {ADA.id}) == read


@pytest.mark.parametrize(
    ("question", "read"),
    [
        ("How old are they?", "How old are “Ada” and “Jonas”?"),
        ("and who are their children?", "Who are the children of “Ada” and “Jonas”?"),
        ("and their places of birth?", "What are the places of birth of “Ada” and “Jonas”?"),
        ("Where was she born?", "Where was Ada born?"),
    ],
)
def test_they_are_all_that_the_last_question_was_answered_with(question, read):
    assert carried(question, [ADA], {ADA.id}, [ADA, JONAS]) == read


@pytest.mark.parametrize(
    ("question", "last", "read"),
    [
        ("what about Ulm?", "How old is Ada?", "How old is Ulm?"),
        ("And how about the Nile", "How long is the Amazon?", "How long is the Nile?"),
        ("and Ulm?", "What is Ada's area?", "What is Ulm's area?"),
        ("and for Jonas?", "What is Ada's area?", "What is Jonas' area?"),
        ("What about Ulm?", "Is the Amazon longer than Ada?", "What about Ulm?"),  # which of both?
        ("and Who wrote Emma?", "How old is Ada?", "and Who wrote Emma?"),
        ("What about Ulm?", "", "What about Ulm?"),
        ("and of ulm?", "How old is Ada?", "How old is ulm?"),  # as people type it
        ("what about ulm", "how old is Amazon?", "what about ulm"),  # ulm may be no name
        ("what about her husband?", "How old is Ada?", "How old is Ada's husband?"),
        ("what about her height?", "Where is Ada?", "What is Ada's height?"),
        ("what about her husband?", "How old is the Amazon?", "Who is Ada's husband?"),
    ],
)
def test_the_same_is_asked_of_something_else(question, last, read):
    assert carried(question, [ADA] if last else [], (), (), last, {"Ada", "Amazon"}) == read


STARS_IN = {"Batman Begins", "The Dark Knight", "The Dark Knight Rises", "The Prestige"}


@pytest.mark.parametrize("method", ["compass", "react"])
@pytest.mark.parametrize(
    ("director", "least", "question", "right"),
    [
        ("Christopher Nolan", 7, "and which of them star Christian Bale?", STARS_IN),
        ("Douglas Sirk", 13, "and which of them was released first?", {"Lured"}),
    ],
)
def test_a_long_list_is_gone_on_from(method, director, least, question, right):
    """More names than there are steps to join them two by two."""
    kg, chosen = starter_graph(), METHODS[method]

    def values(question):
        tools = Toolkit(kg, Offline(None))
        answer = answer_of(list(run(question, chosen.solve, tools, chosen.params())))
        return [value for value in answer.values if isinstance(value, Entity)]

    films = values(f"Which films did {director} direct?")
    assert len(films) >= least
    asked = carried(question, [], (), films)
    assert {film.name for film in values(asked)} == right


@pytest.mark.parametrize("further", ["and of germany?", "And of Germany?", "What about Germany?"])
def test_the_same_is_asked_of_something_else_after_a_run_that_anchored_nothing(further):
    last, chosen = "What is the capital of France?", METHODS["compass"]
    tools = Toolkit(starter_graph(), Offline(None))
    records = list(run(last, chosen.solve, tools, chosen.params()))
    records = [r for r in records if not isinstance(r.event, Anchored)]
    assert gone_on(further, last, records).lower() == "what is the capital of germany?"
