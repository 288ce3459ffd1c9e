"""What the built-in reader makes of a question, before it has seen a graph."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse
from tests.reader.shapes import likeliest


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What's the capital of France", "capital:role(France)"),
        ("Please tell me the capital of France.", "capital:role(France)"),
        (
            "What is the capital of the country where Albert Einstein was born?",
            "capital:role(country[born:agent(Albert Einstein)])",
        ),
    ],
)
def test_the_cheapest_readings_have_the_expected_shape(question: str, expected: str) -> None:
    assert expected in likeliest(question)


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("What is the P22 of Douglas Adams?", "p22:role(Douglas Adams)"),
        ("What is Otto Brandt's P99999?", "p99999:role(Otto Brandt)"),
    ],
)
def test_a_relation_is_asked_for_by_its_id(question: str, expected: str) -> None:
    assert expected in likeliest(question)


def test_what_was_founded_founds_nothing() -> None:
    for reading in parse("What is the capital of the country where IKEA was founded?"):
        assert not (isinstance(reading.plan, p.Hop) and reading.plan.phrase == "founded")


def test_nothing_is_read_where_there_is_nothing() -> None:
    assert parse("of the") == []


def test_several_are_no_title_of_a_name() -> None:
    called = "description:role(Norland)"
    assert called not in likeliest("What are the states of Norland?")
    assert called in likeliest("What is the state of Norland?")


def test_several_that_are_to_be_named_are_a_kind_of_thing() -> None:
    assert parse("Name the Great Lakes")[0].plan == p.Kind("Great Lakes")
    assert parse("great lakes list")[0].plan == p.Kind("great lakes")
    assert parse("who wrote schindlers list")[0].plan != p.Kind("schindlers")
    lakes = [r.plan for r in parse("name the great lakes of north america")]
    assert p.Kind("great lakes of north america") in lakes
    assert not any(isinstance(plan, p.Hop) and plan.phrase == "description" for plan in lakes)
