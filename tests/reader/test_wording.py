"""Readings: what a question was taken to ask, in English."""

import pytest

from kgqa_core.reader.parse import parse
from kgqa_core.reader.plan import (
    Age,
    Anchor,
    Compare,
    Count,
    Hop,
    IsA,
    Join,
    Kind,
    Lasting,
    Limit,
    Nth,
    Of,
    Where,
)
from kgqa_core.reader.wording import reading
from kgqa_core.reader.words import NONE, Span

ANN = Anchor("Ann Lee")
TOUCHES = [Hop(Anchor(name), "border", "patient") for name in ("Norland", "Sorland")]


@pytest.mark.parametrize(
    ("plan", "says"),
    [
        (Count(Hop(ANN, "child", "role")), "number of the children of Ann Lee"),
        (Count(Hop(ANN, "head of state", "role")), "number of the head of state of Ann Lee"),
        (Count(Limit(Kind("planet"), "moon", NONE)), "number of (all planets, moon is 0)"),
        (
            Nth(Where(Kind("mountain"), "in", "patient", Anchor("Norland")), "highest", "highest"),
            "highest of all mountains in Norland",
        ),
        (
            Of(Join(*TOUCHES, "intersection"), "country"),
            "countries that border Norland and border Sorland",
        ),
        (
            Join(*TOUCHES, "intersection"),
            "who or what borders Norland and also borders Sorland",
        ),
        (
            Of(Hop(ANN, "direct", "agent", when=Span("before", "2000")), "film"),
            "films that Ann Lee directs before 2000",
        ),
        (
            Of(Hop(Anchor("Oxide Bridge"), "flows under", "patient"), "river"),
            "rivers that flow under Oxide Bridge",
        ),
        (Of(Hop(Anchor("king"), "with", "patient"), "country"), "countries with king"),
        (
            Of(Hop(Anchor("Norland"), "born in", "patient", when=Span("during", "1970")), "baker"),
            "bakers that were born in Norland in 1970",
        ),
        (Hop(ANN, "born", "agent", "time"), "when Ann Lee was born"),
        (Of(Hop(ANN, "born", "agent", "place"), "town"), "towns where Ann Lee was born"),
        (Of(Hop(ANN, "based on", "agent"), "book"), "books that Ann Lee is based on"),
        (Hop(Anchor("Oxide Bridge"), "locate", "agent", "place"), "where Oxide Bridge is located"),
        (Hop(Anchor("Oxide Games"), "held", "agent", "time"), "when Oxide Games was held"),
        (Hop(Anchor("Oxide"), "wrote", "role"), "who or what wrote Oxide"),
        (Hop(Anchor("bears"), "eat", "agent"), "what bears eat"),
        (IsA(Anchor("whales"), "mammal"), "whether whales are mammals"),
        (Hop(Anchor("Norland"), "born in", "patient"), "who or what was born in Norland"),
        (
            Nth(Hop(ANN, "wife", "role"), "first", "lowest", 2),
            "second of the wives of Ann Lee",
        ),
        (
            Nth(Where(Kind("river"), "in", "patient", ANN), "longest", "highest", 3),
            "third longest of all rivers in Ann Lee",
        ),
        (Nth(Kind("Beatles"), "last", "highest"), "last of all Beatles"),
        (Lasting(Anchor("Long War"), "last", None), "how long Long War lasts"),
        (
            Age(ANN, Hop(ANN, "died", "agent", "time")),
            "age of Ann Lee when Ann Lee died",
        ),
        (
            Compare(ANN, Anchor("Bob Lee"), "first born", "lowest"),
            "whether Ann Lee comes before Bob Lee (born)",
        ),
        (
            Compare(ANN, Anchor("Bob Lee"), "taller", "highest"),
            "whether Ann Lee is taller than Bob Lee",
        ),
    ],
)
def test_a_plan_reads_as_english(plan, says):
    assert reading(plan) == says


@pytest.mark.parametrize(
    ("noun", "says"),
    [
        ("planet", "every planet"),
        ("planets", "all planets"),
        ("their film", "all their films"),
        ("women", "all women"),
        ("series", "every series"),
        ("glass", "every glass"),
    ],
)
def test_all_of_a_kind_are_told_in_their_number(noun, says):
    assert reading(Kind(noun)) == says


def test_a_reading_can_be_put_into_words() -> None:
    best = parse("What else did the director of Jaws make?")[0]
    assert reading(best.plan) == "what the director of Jaws makes other than Jaws"


def test_a_verb_in_the_past_stays_in_the_past():
    for verb, told in (("invented", "invented"), ("wrote", "wrote"), ("make", "makes")):
        assert reading(Hop(Anchor("loom"), verb, "patient")) == f"who or what {told} loom"
