"""The plan of the reader's own reading, step by step, as Compass carries it out."""

import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.compass import algorithm as compass
from kgqa_core.methods.compass.course import Params
from tests.small_graph import FILM, LATER, small_graph


@pytest.fixture(scope="module")
def kg():
    return small_graph()


def of_kind(seen, kind):
    return [event for event in seen if isinstance(event, kind)]


def test_the_reader_plans_step_by_step(kg):
    question = "Which films did the director of Written on the Wind direct?"
    answer, seen = drain(compass.solve(question, Toolkit(kg, Offline()), Params(templates=False)))
    assert set(answer.values) == {FILM, LATER}
    assert [e.step for e in of_kind(seen, events.Filled)][:2] == ["s1", "s2"]


def test_what_asks_for_a_text_the_reader_has_drafted_and_corrected(kg):
    question = "Tell me about Written on the Wind."
    answer, seen = drain(compass.solve(question, Toolkit(kg, Offline()), Params(templates=False)))
    assert of_kind(seen, events.Corrected)
    assert "Douglas Sirk" in answer.text
    assert len(answer.sentences) > 1
    assert not answer.certain


NAMES = [
    ["Northern United", "home venue", "Lake Park"],
    ["Southern United", "home venue", "Hill Park"],
    ["Night Hill", "director", "Ann Lee"],
    ["Night Hill", "instance of", "film"],
    ["Ann Lee", "award received", "Golden Hill"],
    ["Sand", "instance of", "island"],
    ["Sand", "country", "Chad"],
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("northern united stadium", "Lake Park"),
        ("home venue of northern united please", "Lake Park"),
        ("What is the country of the island of Sand?", "Chad"),
    ],
)
def test_a_name_that_the_graph_has_goes_before_a_part_of_it(question, answer):
    tools = Toolkit(from_rows(NAMES, name="clubs"), Offline())
    found, _ = drain(compass.solve(question, tools, Params(templates=False)))
    assert found.text == f"{answer}."


def test_keywords_are_no_claim():
    tools = Toolkit(from_rows(NAMES, name="clubs"), Offline())
    answer, seen = drain(compass.solve("night hill anthem", tools, Params(templates=False)))
    assert not answer.sentences
    assert not of_kind(seen, events.Axiom)


def test_an_abstention_says_what_the_graph_has_instead():
    tools = Toolkit(from_rows(NAMES, name="clubs"), Offline())
    question = "What is the budget of Night Hill?"
    answer, _ = drain(compass.solve(question, tools, Params(templates=False)))
    assert not answer.sentences
    assert "Of Night Hill it has: " in answer.reason
    assert "director" in answer.reason


def test_a_plural_in_small_letters_is_a_kind_of_thing_before_a_team_called_so():
    kind = Relation("p:31", "instance of")
    dolphin, mammal = Entity("e:1", "dolphin"), Entity("e:2", "mammal")
    team, sort = Entity("e:3", "Miami Dolphins", "", ("Dolphins",)), Entity("e:4", "team")
    facts = [Statement(dolphin, kind, mammal), Statement(team, kind, sort)]
    kg = EmbeddedGraph.build("zoo", [dolphin, mammal, team, sort], [kind], facts)
    tools = Toolkit(kg, Offline())
    answer, _ = drain(compass.solve("are dolphins mammals", tools, Params(templates=False)))
    assert answer.text.startswith("Yes")


def test_what_is_said_of_a_part_does_not_tell_how_many_an_unknown_thing_has():
    kg = from_rows([("leg", "description", "limb on which an animal walks")], name="parts")
    answer, _ = drain(compass.solve("Does a glim have six legs?", Toolkit(kg, Offline()), Params()))
    assert not answer.values


def test_in_which_of_two_is_no_question_for_yes_or_no():
    rows = [("Orm", "continent", place) for place in ("Asterre", "Borealis")]
    rows += [("Orm", "country", "Norland"), ("Norland", "continent", "Asterre")]
    kg = from_rows([*rows, *((x, "instance of", "continent") for x in ("Asterre", "Borealis"))])
    for question in ("Is Orm in Asterre or Borealis?", "is orm in asterre or borealis"):
        answer, _ = drain(compass.solve(question, Toolkit(kg, Offline()), Params()))
        assert {v.name for v in answer.values} == {"Asterre", "Borealis"}


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("capital of ravia", "Lomsk."),
        ("is porim the capital of ravia", "No: "),
        ("is ravia a bird", "Yes: "),
        ("what does a ravia eat", "seeds."),
        ("what is the capital of Ravia", "Lomsk."),
    ],
)
def test_in_small_letters_a_country_may_be_called_like_a_bird(question, said):
    ravia, bird = Entity("t:1", "Ravia", "state in Asia"), Entity("t:2", "ravia", "a bird")
    town, other = Entity("t:3", "Lomsk", "city"), Entity("t:4", "Porim", "city")
    kind, food = Entity("t:5", "bird"), Entity("t:6", "seeds")
    capital, is_a = Relation("p:1", "capital"), Relation("p:2", "instance of")
    eats, country = Relation("p:3", "main food source"), Relation("p:4", "country")
    facts = [
        Statement(ravia, capital, town),
        Statement(town, country, ravia),
        Statement(other, country, ravia),
        Statement(bird, is_a, kind),
        Statement(bird, eats, food),
    ]
    things, relations = [ravia, bird, town, other, kind, food], [capital, is_a, eats, country]
    tools = Toolkit(EmbeddedGraph.build("lands", things, relations, facts), Offline())
    answer, _ = drain(compass.solve(question, tools, Params(templates=False)))
    assert answer.text.startswith(said)
