from decimal import Decimal

import pytest

from kgqa_core.facts import compute, verbalise
from kgqa_core.facts.compute import NotComputable
from kgqa_core.facts.terms import BOOLEAN, DATE, DECIMAL, MONTH, YEAR, Entity, Literal

KM, M, KG_UNIT = (Entity(f"u:{n}", n) for n in ("kilometre", "metre", "kilogram"))
A, B, C = (Entity(f"e:{n}", n) for n in "ABC")


def num(text, unit=None):
    return Literal(text, DECIMAL, unit)


def day(text):
    return Literal(text, {4: YEAR, 7: MONTH}.get(len(text.lstrip("-")), DATE))


@pytest.mark.parametrize(
    ("operation", "sets", "expected"),
    [
        ("count", [[A, B, B]], [num("2")]),
        ("count", [[]], [num("0")]),
        ("sum", [[num("1.5"), num("2")]], [num("3.5")]),
        ("average", [[num("1"), num("2")]], [num("1.5")]),
        ("union", [[A, B], [B, C]], [A, B, C]),
        ("intersection", [[A, B], [B, C]], [B]),
        ("minus", [[A, B], [B, C]], [A]),
        ("same", [[A], [A, B]], [Literal("true", BOOLEAN)]),
        ("same", [[A], [B]], [Literal("false", BOOLEAN)]),
        ("any", [[]], [Literal("false", BOOLEAN)]),
        ("none", [[]], [Literal("true", BOOLEAN)]),
        ("highest", [[num("3"), num("20")]], [num("20")]),
        ("highest", [[num("900", M), num("1", KM)]], [num("1", KM)]),
        ("lowest", [[day("1950"), day("1912-04-15")]], [day("1912-04-15")]),
        ("more", [[num("2")], [num("1")]], [Literal("true", BOOLEAN)]),
        ("fewer", [[day("-0044-03-15")], [day("0014")]], [Literal("true", BOOLEAN)]),
        ("equal", [[num("1000", M)], [num("1", KM)]], [Literal("true", BOOLEAN)]),
        ("difference", [[num("2", KM)], [num("500", M)]], [num("1.5", KM)]),
        ("years_between", [[day("1976-09-27")], [day("2005-06-19")]], [num("28")]),
        ("years_between", [[day("1976")], [day("2005-06-19")]], [num("29")]),
        ("days_between", [[day("2024-02-28")], [day("2024-03-01")]], [num("2")]),
        ("year_of", [[day("1912-04-15")]], [day("1912")]),
    ],
)
def test_operation(operation, sets, expected):
    assert compute.apply(operation, *sets) == expected


@pytest.mark.parametrize(
    ("operation", "sets"),
    [
        ("sum", [[num("1", M), num("1", KG_UNIT)]]),
        ("sum", [[A]]),
        ("more", [[], [num("1")]]),
        ("years_between", [[A], [day("1912")]]),
        ("days_between", [[day("1912")], [day("1913")]]),
        ("count", [[A], [B]]),
    ],
)
def test_what_cannot_be_computed_is_an_error_and_never_a_guess(operation, sets):
    with pytest.raises(NotComputable):
        compute.apply(operation, *sets)


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("count", ["A, B"], "count of A, B"),
        ("intersection", ["A", "B"], "intersection of A and B"),
        ("minus", ["A", "B"], "A minus B"),
        ("more", ["8848", "4810"], "whether 8848 is more than 4810"),
        ("years_between", ["1879", "1955"], "full years between 1879 and 1955"),
        ("years_later", ["1879", "20"], "20 years after 1879"),
        ("at least", ["3", "2"], "whether 3 is at least 2"),
        ("same", ["A", "B"], "whether A and B are the same"),
        ("same", ["A, B", "C"], "whether C is among A, B"),
        ("same", ["A, B", "C, D"], "whether A, B and C, D have anything in common"),
        ("any", ["A, B"], "whether anything was found: A, B"),
        ("none", ["nothing"], "whether nothing was found: nothing"),
        ("minus", ["A"], "minus of A"),  # an action that lacks its second set
    ],
)
def test_an_operation_is_told_in_words(operation, arguments, said):
    assert compute.words(operation, arguments) == said


@pytest.mark.parametrize(
    ("operation", "arguments", "said"),
    [
        ("same", ["Canberra", "Sydney"], "Check whether Canberra and Sydney are the same"),
        ("count", ["A, B, … (4)"], "Count A, B, … (4)"),
        ("union", ["A", "B"], "Put A and B together"),
        (
            "highest",
            ["the answers to 1", "the answers to 2"],
            "Take the highest of the answers to 1 and the answers to 2",
        ),
        ("intersection", ["A", "B"], "Take what A and B have in common"),
        ("minus", ["A, B", "C"], "Leave C out of A, B"),
        ("more", ["8848", "4810"], "Check whether 8848 is more than 4810"),
        ("years_later", ["1879", "20"], "Go 20 years on from 1879"),
        ("minus", ["A"], "Compute minus of A"),  # an action that lacks its second set
    ],
)
def test_what_is_about_to_be_computed_is_a_sentence(operation, arguments, said):
    assert compute.deed(operation, arguments) == said


def test_every_operation_has_a_title_of_its_own():
    for operation in compute.OPERATIONS:
        arguments = ["A", "B"][: compute.ARITY[operation]]
        assert not compute.deed(operation, arguments).startswith("Compute")


def test_a_wrong_number_of_sets_is_told_in_words():
    with pytest.raises(NotComputable, match="“count” takes 1 set, not 2"):
        compute.apply("count", [A], [B])


def test_leap_years_and_years_before_christ_are_counted_as_in_sparql():
    assert compute.amount(day("2000-03-01")) - compute.amount(day("2000-02-28")) == 2
    assert compute.amount(day("1900-03-01")) - compute.amount(day("1900-02-28")) == 1
    assert compute.amount(day("-0044")) < compute.amount(day("0001"))


@pytest.mark.parametrize(
    ("text", "like", "low", "high"),
    [
        ("1,500", num("1"), "1500", "1500"),
        ("3 million", num("1"), "3000000", "3000000"),
        ("much", num("1"), None, None),
        ("soon", day("1912"), None, None),
    ],
)
def test_limits_are_read_as_people_write_them(text, like, low, high):
    expected = None if low is None else (Decimal(low), Decimal(high))
    assert compute.parse_amount(text, like) == expected


@pytest.mark.parametrize(
    ("text", "relation", "meant"),
    [
        ("500 g", "weight in kilograms", "0.5"),
        ("2 kg", "weight in kilograms", "2"),
        ("28 euros", "price in euros", "28"),
        ("28", "price in euros", "28"),
        ("2 kg", "weight", "2 kg"),
        ("2 hours", "price in euros", "2 hours"),
        ("2019", "born in", "2019"),
    ],
)
def test_a_limit_is_told_in_the_unit_that_a_relation_is_called_by(text, relation, meant):
    assert compute.in_unit_of(text, relation) == meant


def test_a_year_as_a_limit_is_all_its_days():
    low, high = compute.parse_amount("1990", day("1985"))
    assert high - low >= 364


KM2, MILE2, DOLLAR = (Entity(f"u:{n}", n) for n in ("square kilometre", "square mile", "dollar"))


@pytest.mark.parametrize(
    ("operation", "a", "b", "said"),
    [
        ("quotient", num("83000000"), num("357022", KM2), "232.479 per km²"),
        ("quotient", num("4000000", DOLLAR), num("3"), "1,333,333.33 dollar"),
        ("quotient", num("90", DOLLAR), num("2", KG_UNIT), "45 dollar per kg"),
        ("quotient", num("3", KM), num("500", M), "6"),
        ("quotient", num("3", DOLLAR), num("2", DOLLAR), "1.5"),
        ("product", num("0.25"), num("100"), "25"),
        ("product", num("2", KM), num("3"), "6 km"),
    ],
)
def test_quotients_and_products_keep_their_units(operation, a, b, said):
    assert [verbalise.value(v) for v in compute.apply(operation, [a], [b])] == [said]


def test_what_was_divided_comes_back_when_it_is_multiplied():
    for whole, part in ((num("12", DOLLAR), num("4", KG_UNIT)), (num("12"), num("4", KM2))):
        (rate,) = compute.apply("quotient", [whole], [part])
        assert compute.apply("product", [rate], [part]) == [whole]
        assert compute.apply("product", [part], [rate]) == [whole]


def test_rates_are_compared_whatever_area_they_are_per():
    (per_km,) = compute.apply("quotient", [num("100")], [num("1", KM2)])
    (per_mile,) = compute.apply("quotient", [num("200")], [num("1", MILE2)])
    assert compute.apply("more", [per_km], [per_mile]) == [Literal("true", BOOLEAN)]
    low, high = compute.parse_amount("100 per km²", per_km)
    assert low == high == compute.amount(per_km)


@pytest.mark.parametrize(
    ("operation", "a", "b", "why"),
    [
        ("quotient", num("1"), num("0"), "by zero"),
        ("quotient", day("1912"), num("2"), "“1912” is not a number"),
        ("product", num("2", KM), num("3", M), "has no unit"),
        ("product", A, num("3"), "“A” is not a number"),
    ],
)
def test_what_is_no_quotient_or_product_says_why(operation, a, b, why):
    with pytest.raises(NotComputable, match=why):
        compute.apply(operation, [a], [b])
