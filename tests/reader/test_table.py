"""Which rows a question is about, and what is done with them."""

import pytest

from kgqa_core.ask import bounds
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import Entity, Relation, RelationUse
from kgqa_core.llm.offline import Offline
from kgqa_core.methods import compass
from kgqa_core.reader.table import Column
from tests.reader.small import WD, fact, of
from tests.reader.yard import asked, stock, values

CHOIR = "choir.ttl"


def column(name: str, *examples: str) -> Column:
    return Column(RelationUse(Relation(f"urn:{name}", name), "out", 3, examples))


def test_a_column_says_what_its_name_says_without_unit_and_little_words() -> None:
    assert column("weight in kilograms").says == {"weight"}
    assert "temperature" in column("temp").called


@pytest.mark.parametrize(
    ("examples", "word"),
    [
        (("yes", "n/a"), "yes"),
        (("yes", "no"), "yes"),
        (("true",), "true"),
        (("yes", "perhaps"), ""),
        ((), ""),
    ],
)
def test_a_column_of_yes_and_no_ticks(examples: tuple[str, ...], word: str) -> None:
    assert column("lent", *examples).ticks == word


@pytest.mark.parametrize(
    ("name", "examples", "people"),
    [
        ("skipper", ("Orre",), True),
        ("rented by", ("Ada Sund", "Moss Guild"), True),
        ("harbour", ("Old Quay", "North Pier"), False),
    ],
)
def test_people_stand_in_columns_called_by_what_they_do(
    name: str, examples: tuple[str, ...], people: bool
) -> None:
    assert column(name, *examples).has_people == people


@pytest.mark.parametrize(
    ("question", "gold"),
    [
        ("Which concerts had no sponsor?", ["Spring Songs", "Winter Carols"]),
        ("Which concerts drew over 90 people?", ["Night Music", "Winter Carols"]),
        ("Which concert had the biggest audience?", ["Night Music"]),
        ("Total audience?", ["287"]),
    ],
)
def test_of_several_kinds_of_things_those_are_meant_that_are_named(
    question: str, gold: list[str]
) -> None:
    assert values(question, CHOIR) == gold


def test_of_more_rows_than_are_read_some_are_counted_and_none_added_up() -> None:
    rows = [line.split(",") for line in stock().splitlines()[1:]]
    red = sum(row[1:3] == ["lamp", "red"] for row in rows)
    assert values("How many red lamps are there?", "stock.csv") == [str(red)]
    assert red > bounds.SAMPLE
    assert values("What is the total price of the red lamps?", "stock.csv") == []


def test_what_is_read_so_says_how_and_is_never_certain() -> None:
    answer = asked("How many hours was Vera Holm out altogether?")
    assert not answer.certain
    assert answer.reading == "sum of hours where skipper is Vera Holm"
    assert answer.citations


@pytest.mark.parametrize("name", ["boat_rentals.csv", CHOIR])
@pytest.mark.parametrize("question", ["Who is the treasurer?", "Average zest?", "Which of them?"])
def test_what_no_row_tells_is_not_answered(question: str, name: str) -> None:
    assert not asked(question, name).values


def test_what_all_rows_are_called_is_no_name_of_a_question() -> None:
    """A graph may have an entry of its own: nobody asked for it."""
    ann, entry, song = (
        Entity(f"{WD}Q{n}", name) for n, name in enumerate(("Ann", "entry", "song"), 1)
    )
    kg = of([fact(entry, "P31", "instance of", song), fact(entry, "P175", "performer", ann)])
    answer, _ = drain(compass.solve("What is the zest?", Toolkit(kg, Offline()), compass.Params()))
    assert "entry" not in answer.reason
