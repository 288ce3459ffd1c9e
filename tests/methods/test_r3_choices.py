"""A choice in words, and what is told of a person before it, with the built-in reader."""

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.r3.query import between, read_query
from tests.small_graph import small_graph


@pytest.mark.parametrize(
    ("question", "options"),
    [
        ("Which of these rolls: a ball, a book or a brick?", ["a ball", "a book", "a brick"]),
        ("which rolls best: a ball; a book; a brick", ["a ball", "a book", "a brick"]),
        ("Ann wants a pet: a cat, or a newt?", ["a cat", "a newt"]),
        (
            "Bo naps at noon. Where should he go: the attic or the disco?",
            ["the attic", "the disco"],
        ),
    ],
)
def test_options_in_words_are_a_choice(question, options):
    assert between(question).options == options
    assert read_query(question, "preference").task == "preference"


@pytest.mark.parametrize(
    "text",
    [
        "The band had three members: Ann, Bo and Cy.",
        "True or false: Ulm is a city",
        "Which soup do you want? Choose one of: (1) hot or cold; (2) none",
        "Which film is longer, Alien: Covenant?",
        "Who wrote the book called X: a long title that goes on and on and on or so?",
    ],
)
def test_a_colon_alone_makes_no_choice(text):
    assert between(text) is None


def said(method, question):
    m, tools = METHODS[method], Toolkit(small_graph(), Offline(None))
    return answer_of(list(run(question, m.solve, tools, m.params())))


@pytest.mark.parametrize("method", ["r3", "compass"])
@pytest.mark.parametrize(
    ("told", "options", "chosen"),
    [
        ("Kim hates nuts.", "walnut stew, beef stew", "beef stew"),
        ("Kim is allergic to eggs.", "stew with omelette, rice stew", "rice stew"),
        ("Kim is lactose intolerant.", "cheese stew, bean stew", "bean stew"),
    ],
)
def test_what_somebody_does_not_want_or_bear_is_not_chosen(method, told, options, chosen):
    answer = said(method, f"{told} Which stew would suit Kim: {options}?")
    assert chosen in answer.text.casefold()
    assert not answer.certain


@pytest.mark.parametrize("method", ["r3", "compass"])
def test_where_no_option_comes_near_there_is_no_answer(method):
    answer = said(method, "Which is older: Ada or Bea?")
    assert not answer.sentences
    assert answer.reason
