"""What columns are called, and what else relations may be called."""

from pathlib import Path

import pytest

from kgqa_core.facts import units
from kgqa_core.kg import headers
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from tests.reader.small import ask


@pytest.mark.parametrize(
    ("header", "name", "unit"),
    [
        ("Price (EUR)", "price", "euro"),
        ("unit_price_eur", "unit price", "euro"),
        ("weightKg", "weight", "kilogram"),
        ("Power [kW]", "power", "kilowatt"),
        ("Running time (in minutes)", "running time", "minute"),
        ("Share of total (%)", "share of total", "percent"),
        ("dateOfBirth", "date of birth", ""),
        ("storage_location", "storage location", ""),
        ("Unit price", "unit price", ""),
        ("Fee per hour", "fee per hour", ""),
        ("Weight kg", "weight", "kilogram"),
        ("Fee €", "fee", "euro"),
        ("Fee EUR", "fee", "euro"),
        ("Checked in", "checked in", ""),
        ("Length m", "length m", ""),
        ("Price (net)", "price (net)", ""),
        ("ISBN", "ISBN", ""),
        ("NASDAQ code", "NASDAQ code", ""),
    ],
)
def test_a_header_is_read_as_words_and_a_unit(header: str, name: str, unit: str) -> None:
    said, found = headers.in_words(header)
    assert (said, found.name if found else "") == (name, unit)


def test_a_relation_is_called_by_less_where_no_other_may_be_meant() -> None:
    found = headers.further(["price per person in euros", "date of purchase", "premiere date"])
    assert {"price per person", "price", "cost"} <= set(found["price per person in euros"])
    assert found["date of purchase"] == ["purchase"]
    assert found["premiere date"] == ["premiere", "date of premiere"]


def test_what_has_an_owner_belongs_to_them() -> None:
    assert headers.further(["owner", "maker"]) == {"owner": ["belongs to"]}


MILLS = """@prefix m: <http://example.org/mills#> .
m:Krumm a m:Mill ; m:inParish m:Osterau ; m:lengthInMetres 1200 ; m:hasPond true ; m:needKey true .
m:Zwirn a m:Mill ; m:inParish m:Osterau ; m:lengthInMetres 300 ; m:hasPond false ; m:needKey true .
m:Flach a m:Mill ; m:inParish m:Wester_Tal ; m:hasPond false ; m:needKey true .
m:Osterau a m:Parish . m:Wester_Tal a m:Parish .
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which mills are longer than 1 km?", "Krumm."),
        ("How many mills are in Osterau?", "2: Krumm and Zwirn."),
        ("Where is Flach?", "Wester Tal."),
        ("Which mills in Osterau have no pond?", "Zwirn."),
        ("Which mills in Osterau need a key and have no pond?", "Zwirn."),
        ("Which mills in Wester Tal have no pond?", "Flach."),
    ],
)
def test_relations_that_nobody_named_are_called_by_less_as_well(
    tmp_path: Path, question: str, answer: str
) -> None:
    (tmp_path / "mills.ttl").write_text(MILLS, encoding="utf-8")
    load([tmp_path / "mills.ttl"], tmp_path / "graph")
    assert ask(open_folder(tmp_path / "graph"), question).text == answer


def test_what_two_relations_may_be_called_neither_is() -> None:
    found = headers.further(["budget 2023 in euros", "net price", "gross price", "price", "place"])
    assert "cost" not in found["net price"]
    assert "place" not in found


def test_a_unit_is_told_of_a_relation_that_is_called_by_it() -> None:
    assert units.behind("price in euros") == "euros"
    assert units.behind("capital in exile") == ""
    assert units.behind("born in") == ""


TOURS = """tour_name,price_per_person_eur,last_departure,dauer (h),Dogs
Gorge Scramble,"60,50",12.03.2021,5,ja
Gull Cliffs,30,4 May 2019,"4,5",nein
"""


def loaded(tmp_path: Path, text: str, name: str = "tours.csv") -> KnowledgeGraph:
    (tmp_path / name).write_text(text, encoding="utf-8")
    load([tmp_path / name], tmp_path / "graph")
    return open_folder(tmp_path / "graph")


def told(kg: KnowledgeGraph) -> set[tuple[str, str, str]]:
    return {(s.subject.name, s.relation.name, s.object.name) for s in kg.all_statements()}  # type: ignore[attr-defined]


def test_numbers_days_and_truths_are_read_as_europe_writes_them(tmp_path: Path) -> None:
    facts = told(loaded(tmp_path, TOURS))
    assert ("Gorge Scramble", "is a", "tour") in facts
    assert ("Gorge Scramble", "price per person in euros", "60.5") in facts
    assert ("Gorge Scramble", "last departure", "2021-03-12") in facts
    assert ("Gull Cliffs", "last departure", "2019-05-04") in facts
    assert ("Gull Cliffs", "dogs", "no") in facts
    assert ("Gull Cliffs", "dauer in hours", "4.5") in facts


@pytest.mark.parametrize(
    ("days", "stated"),
    [
        (("3/4/2020", "31/1/2021"), "2020-04-03"),
        (("3/4/2020", "1/31/2021"), "2020-03-04"),
        (("3/4/2020", "3/5/2021"), "2020-04-03"),
    ],
)
def test_a_files_own_days_say_which_number_is_the_month(
    tmp_path: Path, days: tuple[str, str], stated: str
) -> None:
    facts = told(loaded(tmp_path, f"name,sold\nA,{days[0]}\nB,{days[1]}\n"))
    assert ("A", "sold", stated) in facts


def test_no_day_is_made_of_what_is_none(tmp_path: Path) -> None:
    facts = told(loaded(tmp_path, "name,code\nA,45.13.2020\nB,10.0.0.1\nC,July Band 2020\n"))
    assert {o for _, p, o in facts if p == "code"} == {"45.13.2020", "10.0.0.1", "July Band 2020"}


def test_a_cell_may_hold_several_values_between_semicolons(tmp_path: Path) -> None:
    text = "name,food,note\nPepper,carrots; parsley,One thing; and a long other one that goes on\n"
    facts = told(loaded(tmp_path, text))
    assert {o for _, p, o in facts if p == "food"} == {"carrots", "parsley"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How much does Gull Cliffs cost?", "30 euros."),
        ("Which costs more, Gorge Scramble or Gull Cliffs?", "Gorge Scramble."),
        ("Does Gull Cliffs cost more than Gorge Scramble?", "No"),
        ("Which tours cost less than 40 euros?", "Gull Cliffs."),
        ("What is the length of Gull Cliffs?", ""),
    ],
)
def test_a_table_is_asked_in_words_its_header_does_not_say(
    tmp_path: Path, question: str, answer: str
) -> None:
    text = ask(loaded(tmp_path, TOURS), question).text
    assert text.startswith(answer)
    assert bool(text) == bool(answer)


MACHINES = """Machine;Hall;Operator;Installed;Power (kW);Status
Furnace Ember;Hall 2;Olaf Dietz;21.08.1998;85;stopped
Band saw Krokus;Hall 1;Hakan Yildiz;19.02.2009;3;running
Press Titan 80;Hall 2;Bettina Kroll;30.10.2004;30;stopped
Press Nova;Hall 1;Bettina Kroll;02.01.2014;7,5;running
"""


def test_a_thing_is_called_by_what_stands_before_its_own_name_where_it_alone_is() -> None:
    things = ["Furnace Ember", "Band saw Krokus", "Press Titan 80", "Press Nova", "Red lentils"]
    assert headers.heads(things, ["Hall 1", "Salt mill", "running"]) == {
        "Furnace Ember": "Furnace",
        "Band saw Krokus": "Band saw",
        "Red lentils": "lentils",
    }
    assert headers.heads(["Great Wood", "Town Hall", "Hall 1"], []) == {"Town Hall": "Town"}


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who operates the furnace?", "Olaf Dietz."),
        ("where is the band saw", "Hall 1."),
        ("How many machines are in Hall 1?", "2"),
        ("Which machine is the oldest?", "Furnace Ember."),
        ("Is the furnace older than the band saw?", "Yes"),
        ("Which machines were installed before 2005?", "Furnace Ember and Press Titan 80."),
        ("How much does the furnace cost?", ""),
    ],
)
def test_machines_are_asked_for_as_one_speaks_of_them(
    tmp_path: Path, question: str, answer: str
) -> None:
    text = ask(loaded(tmp_path, MACHINES, "machines.csv"), question).text
    assert text.startswith(answer)
    assert bool(text) == bool(answer)


def test_what_two_things_are_called_none_is(tmp_path: Path) -> None:
    found = ask(loaded(tmp_path, MACHINES, "machines.csv"), "Who operates the press?")
    assert not (found.text and found.certain)
