"""Names, numbers and times of a sentence, and the facts that say them."""

from decimal import Decimal

import pytest

from kgqa_core.facts.terms import DATE, DECIMAL, YEAR, Entity, Literal, Relation, Statement
from kgqa_core.reader.details import (
    content,
    covers,
    dates_in,
    is_called,
    means,
    named,
    numbers_in,
    speaks,
    stands_in,
)
from kgqa_core.text import plain

ANN, MILL = Entity("urn:1", "Ann Tammik", "", ("Annie T",)), Entity("urn:2", "Mill 12")


@pytest.mark.parametrize(
    ("text", "dates"),
    [
        ("Born on 3 May 1871 and gone by 1930.", ["3 may 1871", "1930"]),
        ("May 3, 1871", ["may 3 1871"]),
        ("in June 1899", ["june 1899"]),
        ("founded in 44 BC", ["44 bc"]),
        ("born 872", ["872"]),
        ("1,930 sheep and 872 goats", []),
    ],
)
def test_dates_are_found_as_they_are_written(text, dates):
    assert [d.text for d in dates_in(text)] == dates
    assert all(d.time and d.low <= d.high for d in dates_in(text))


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("1,930 sheep", "1930", "1930"),
        ("seven sheep", "7", "7"),
        ("1.5 million sheep", "1450000", "1550000"),
        ("about 200 sheep", "190", "210"),
    ],
)
def test_a_number_has_the_slack_of_its_last_digit(text, low, high):
    (found,) = numbers_in(text)
    assert (found.low, found.high, found.time) == (Decimal(low), Decimal(high), False)


def test_a_date_is_no_number():
    assert numbers_in("on 3 May 1871") == []


def test_a_value_means_a_date_as_far_as_it_is_written():
    born = Literal("1871-05-03", DATE)
    for text, meant in (("1871", True), ("May 1871", True), ("4 May 1871", False)):
        assert means(born, dates_in(text)[0]) is meant, text
    (sheep,) = numbers_in("872 sheep")
    assert means(Literal("872", DECIMAL), sheep)
    assert means(Literal("0872", YEAR), sheep)  # a year where a fact says so
    assert not means(Literal("873", DECIMAL), sheep)


def test_people_are_named_by_their_surnames_and_things_by_their_whole_names():
    assert named(ANN, " the barn of tammik ")
    assert named(ANN, " annie t was there ")
    assert not named(ANN, " ann was there ")
    assert not named(MILL, " 12 ")
    assert is_called(ANN, "Annie T")
    assert not is_called(ANN, "Tammik")
    assert is_called(Literal("1,930"), "1930")


def test_a_number_may_stand_within_a_name():
    fact = Statement(ANN, Relation("r:1", "owner of"), MILL)
    (twelve,) = numbers_in("12 of them")
    assert covers(fact, twelve)
    assert not covers(fact, numbers_in("13 of them")[0])
    assert stands_in(MILL, " she has mill 12 ", [])
    assert stands_in(Literal("blue"), " it is blue ", [])


def test_a_relation_is_named_by_label_alias_or_a_phrase_for_it():
    fact = Statement(MILL, Relation("r:1", "director", "", ("shot by",)), ANN)
    for said in ("its director was Ann", "shot by Ann", "Ann directed it"):
        assert speaks(content(said), fact), said
    assert not speaks(content("Ann painted it"), fact)


def test_plain_words_have_neither_case_nor_marks():
    assert plain("O'Brien’s “Café”, 2nd") == "o brien s cafe 2nd"
