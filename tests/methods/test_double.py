"""Two questions in one sentence: both are asked, and what has no answer is said."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import METHODS
from kgqa_core.methods.double import halves
from kgqa_core.methods.letter import question_of


@pytest.mark.parametrize(
    ("asked", "first", "second"),
    [
        ("Who founded Ulm and when?", "Who founded Ulm?", "When was Ulm founded?"),
        ("who wrote Faust, and when was it?", "who wrote Faust?", "When was Faust written?"),
        ("Where was Ann born and when?", "Where was Ann born?", "When was Ann born?"),
        ("When did Ann die and where?", "When did Ann die?", "Where did Ann die?"),
        (
            "Where was Ann born, which country?",
            "Where was Ann born?",
            "In which country was Ann born?",
        ),
        ("When and where was Ann born?", "When was Ann born?", "Where was Ann born?"),
        ("Who sang it? And when was he born?", "Who sang it?", "When was he born?"),
        (
            "What is the capital of Chad and how many people live there?",
            "What is the capital of Chad?",
            "How many people live there?",
        ),
        ("Who is Ann, and what has she sung?", "Who is Ann?", "What has she sung?"),
        ("Who knows Ann and when?", "Who knows Ann?", ""),  # nobody can say what “when” asks
        ("What is the capital of Chad and its area?", "What is the capital of Chad?", "Its area?"),
        ("What's Chad's area, and its currency", "What's Chad's area?", "Its currency?"),
        ("How tall is the Eiger and where is it?", "How tall is the Eiger?", "Where is the Eiger?"),
        ("Did the Vasa sink and when?", "Did the Vasa sink?", "When did the Vasa sink?"),
        ("When was Ulm built and who runs it?", "When was Ulm built?", "Who runs it?"),
        ("Where is Ann from and did she sing?", "Where is Ann from?", "Did she sing?"),
        # a text is cut at its marks as it is for every question (`letter.py`)
        ("Who wrote Faust? When was he born?", "Who wrote Faust?", "When was he born?"),
        ("Who sang it? And when?", "Who sang it?", "When was it sung?"),
        (
            "Hi! Can you tell me who wrote Faust and when?",
            "who wrote Faust?",
            "When was Faust written?",
        ),
        (
            "I read Faust. Who wrote it and where was he born?",
            "I read Faust. Who wrote it?",
            "Where was he born?",
        ),
    ],
)
def test_two_questions_are_told_apart(asked, first, second):
    assert halves(asked) == (first, second)


@pytest.mark.parametrize(
    "asked",
    [
        "Who wrote Faust and Egmont?",
        "Who directed Faust and who was born in Ulm?",
        "How many years between when Ann was born and when Bob died?",
        "Which poets who lived in Ulm and who was king?",
        "Which is longer, the Nile and the Amazon?",
        "Who was born in Ulm and died in Bonn?",
        "When was Ann born?",
        "Who directed Faust and its sequel?",
        "Who wrote Faust? Was it Goethe or Lessing?",
        "Who is older? Ann or Bob?",
        "Guess what? Who wrote Faust?",
        "Remember U2, the band with Bono? Which country are they from?",
        "Did Ann and Bob marry?",
    ],
)
def test_one_question_stays_one(asked):
    assert halves(asked) is None


READING = [
    name for name, method in METHODS.items() if method.uses_graph and method.searches != "passages"
]


def ask(question, method="compass"):
    return drain(
        METHODS[method].solve(
            question, Toolkit(starter_graph(), Offline()), METHODS[method].params()
        )
    )


def told(answer):
    return [getattr(value, "label", "") or value.value for value in answer.values]


def test_both_are_answered_and_each_sentence_cites_its_own_facts():
    answer, _ = ask("Where was Albert Einstein born and when?")
    assert told(answer) == ["Ulm", "1879-03-14"]
    assert answer.certain
    place, day = answer.sentences
    assert [answer.citations[n].object.name for n in place.cites] == ["Ulm"]
    assert [answer.citations[n].object.value for n in day.cites] == ["1879-03-14"]


def test_a_pronoun_stands_for_whom_the_first_question_asks_for():
    answer, _ = ask("Who directed Inception and where was he born?")
    assert told(answer) == ["Christopher Nolan", "London"]


def test_it_is_what_the_first_question_names():
    answer, _ = ask("Who directed Inception and when was it published?")
    assert told(answer)[0] == "Christopher Nolan"
    assert told(answer)[1].startswith("2010")


def test_what_has_no_answer_is_said_and_what_has_one_is_not_certain():
    answer, trace = ask("Who directed Inception and when was he crowned?")
    assert told(answer) == ["Christopher Nolan"]
    assert not answer.certain
    assert "not answered: When was Christopher Nolan crowned?" in answer.reading
    said = [e.text for e in trace if isinstance(e, events.Noted) and e.level == "warning"]
    assert said
    assert said[0].startswith("Not answered: When was Christopher Nolan crowned?")


def test_what_is_asked_besides_is_not_taken_for_talk():
    asked = "Where was Ann Lee born, which country?"
    assert question_of(asked) == asked


@pytest.mark.parametrize("method", READING)
def test_no_method_tells_half_of_it_as_if_it_were_all(method):
    answer, trace = ask("Who directed Inception and where was he born?", method)
    said = [e.text for e in trace if isinstance(e, events.Noted) and e.text.startswith("Not ans")]
    if answer.sentences:
        whole = {"Christopher Nolan", "London"} <= set(told(answer))
        assert whole or (said and not answer.certain)
    titles = [e.title for e in trace if isinstance(e, events.Step)]
    assert "Two questions: the first" in titles


def test_what_is_its_own_is_asked_of_what_was_asked_for_and_else_of_what_was_named():
    answer, _ = ask("What is the capital of Germany and its mayor?")
    assert told(answer) == ["Berlin", "Michael Müller"]
    assert not answer.certain  # it may be that of Germany
    answer, _ = ask("What is the capital of Germany and when was it founded?")
    assert told(answer)[0] == "Berlin"
    assert answer.reading.endswith("When was Berlin founded")
    assert answer.certain  # “it” is what was asked for
    answer, _ = ask("What is the capital of France and its currency?")
    assert told(answer) == ["Paris", "euro"]
    answer, _ = ask("What is the population of Italy and its currency?")
    assert told(answer)[1] == "euro"


def test_what_else_is_other_than_what_was_named():
    answer, _ = ask("Who directed Inception and what else did he direct?")
    assert told(answer)[0] == "Christopher Nolan"
    assert len(told(answer)) > 2
    assert "Inception" not in told(answer)
