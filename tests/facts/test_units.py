"""Units of measurement: one table for what is written, computed, checked and read."""

from decimal import Decimal

import pytest

from kgqa_core.facts import compute, units, verbalise
from kgqa_core.facts.terms import DECIMAL, Entity, Literal
from kgqa_core.reader import words


def num(text, unit):
    return Literal(text, DECIMAL, unit)


def test_no_two_units_share_a_way_to_be_written():
    seen = {}
    for unit in units.table():
        for name in {unit.id, unit.name, unit.sign, *unit.also} - {""}:
            assert name not in seen, f"{name}: {unit.name} and {seen[name]}"
            seen[name] = unit.name


def test_what_measures_the_same_has_one_unit_of_size_one():
    for kind in {unit.of for unit in units.table() if unit.of}:
        ones = [
            unit.name
            for unit in units.table()
            if unit.of == kind and (unit.size, unit.zero) == (1, 0)
        ]
        assert len(ones) == 1, (kind, ones)


@pytest.mark.parametrize(
    ("said", "name"),
    [("Q11573", "metre"), ("km²", "square kilometre"), ("miles", "mile"), ("feet", "foot"),
     ("Kilometers", "kilometre"), ("K", "kelvin"), ("mph", "mile per hour")],
)  # fmt: skip
def test_a_unit_is_known_by_id_name_sign_and_other_ways(said, name):
    assert units.unit(said).name == name


def test_an_unknown_unit_is_written_as_it_is_named():
    smoot = Entity("u:smoot", "smoot")
    assert verbalise.value(num("364", smoot)) == "364 smoot"
    assert units.of("smoot") == ""
    assert units.size("smoot") == 1


def test_a_unit_without_a_name_is_known_by_its_id():
    inch = Entity("http://www.wikidata.org/entity/Q218593", "")
    assert verbalise.value(num("12", inch)) == "12 inch"


@pytest.mark.parametrize(
    ("less", "more"),
    [(("39", "inch"), ("1", "metre")), (("100", "kilometre per hour"), ("30", "metre per second")),
     (("1", "day"), ("25", "hour")), (("2", "pound"), ("1", "kilogram"))],
)  # fmt: skip
def test_amounts_in_different_units_are_compared(less, more):
    one, other = (num(n, Entity(f"u:{unit}", unit)) for n, unit in (less, more))
    assert compute.amount(one) < compute.amount(other)


def test_a_rate_is_of_the_size_of_its_parts():
    assert units.size("kilometre per hour") == pytest.approx(Decimal(1000) / 3600)
    assert units.size("smoot per kilometre") == Decimal("0.001")


def test_the_reader_knows_every_unit_by_every_way_it_is_written():
    for said in ("miles", "km²", "tonnes", "yards", "sq km"):
        assert said in units.spellings()
    (amount, used) = words.number_at(words.tokenise("3 million miles"), 0)
    assert (amount, used) == ("3 million miles", 3)


@pytest.mark.parametrize(
    ("amount", "other", "converted"),
    [(("100", "degree Celsius"), "Fahrenheit", "212"), (("0", "K"), "°C", "-273"),
     (("90", "km/h"), "metres per second", "25.0"), (("42.195", "km"), "miles", "26.219"),
     (("5", "kg"), "metre", None), (("5", "smoot"), "metre", None)],
)  # fmt: skip
def test_an_amount_in_another_unit(amount, other, converted):
    found = units.converted(Decimal(amount[0]), amount[1], other)
    assert (found if found is None else str(found)) == converted


@pytest.mark.parametrize(
    ("question", "asked"),
    [("How tall is Ann in inches?", "inches"), ("How many miles long is it?", "miles"),
     ("Who came in second?", None), ("In square miles, how big is Ulm?", "square miles"),
     ("Who lives in Ulm?", None), ("How fast is it in feet per second", "feet per second")],
)  # fmt: skip
def test_the_unit_that_a_question_asks_for(question, asked):
    found = units.asked(question)
    assert (found and (found["unit"] or found["many"])) == asked


@pytest.mark.parametrize(("operation", "number"), [("sum", "8"), ("average", "4")])
def test_amounts_of_one_unit_are_added_in_it(operation, number):
    km = Entity("u:km", "kilometre")
    found = compute.apply(operation, [num("3", km), num("5", km)])
    assert found[0] == num(number, km)
