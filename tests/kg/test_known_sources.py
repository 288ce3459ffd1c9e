"""The readers of reference works that the well-known things name, on small works of their own."""

from __future__ import annotations

import re
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from kgqa_core.places import ASSETS
from tests.measure.known_sources import (
    Row,
    WordNet,
    atoms,
    calendar_states,
    cldr_states,
    code_states,
    dictionary,
    element_states,
    formula_states,
    lone_deaths,
    measured,
    mendeleev,
    rows,
    unstated,
    wordnet,
)

# As wndb(5WN) writes them: offset, file, type, words in hexadecimal, links, a gloss.
NOUNS = """\
  1 This line is of the licence.
00000001 05 n 02 marsh_cat 0 Paludis_felis 0 002 @ 00000002 n 0000 #m 00000003 n 0000 | a cat
00000002 05 n 01 mammal 0 000 | an animal that has hair
00000003 05 n 02 Paludis 0 genus_Paludis 0 001 #m 00000004 n 0000 | a genus of cats
00000004 05 n 02 Paludidae 0 family_Paludidae 0 000 | a family of mammals
00000005 18 n 01 Sir_Ada_Falk 0 001 @i 00000009 n 0000 | 1870-71; built a rain clock (1845-1923)
00000006 06 n 01 rain_clock 0 000 | a clock driven by rain
00000007 18 n 01 Orvo 0 001 @i 00000009 n 0000 | god of frost; son of Mira
00000008 15 n 01 Glass_Tower 0 001 #p 00000010 n 0000 | a tower that was built in 1931
00000009 18 n 01 being 0 000 | somebody
00000010 15 n 02 Ulm 0 city_of_Ulm 0 001 #p 00000011 n 0000 | a city
00000011 15 n 01 Germany 0 000 | a republic
00000012 13 n 01 frost_soup 0 000 | (Danish) a cold soup of snow
"""


@pytest.fixture(scope="module")
def words() -> WordNet:
    return WordNet(wordnet(NOUNS.splitlines()))


@pytest.mark.parametrize(
    ("name", "relation", "value"),
    [
        ("marsh cat", "P31", "mammal"),
        ("marsh cat", "P279", "mammals"),
        ("marsh cat", "P225", "Paludis felis"),
        ("marsh cat", "P171", "Paludidae"),
        ("Ada Falk", "P569", "1845"),
        ("Ada Falk", "P570", "1923"),
        ("Ada Falk", "P106", "being"),
        ("rain clock", "P61", "Ada Falk"),
        ("Orvo", "P25", "Mira"),
        ("Glass Tower", "P571", "1931"),
        ("Glass Tower", "P131", "Ulm"),
        ("Glass Tower", "P17", "Germany"),
        ("frost soup", "P495", "Denmark"),
        ("frost soup", "P186", "snow"),
    ],
)
def test_wordnet_states_what_its_links_and_glosses_say(
    words: WordNet, name: str, relation: str, value: str
):
    assert words.states([name], relation, [value])


@pytest.mark.parametrize(
    ("name", "relation", "value"),
    [
        ("marsh cat", "P31", "being"),
        ("marsh cat", "P171", "mammal"),
        ("marsh cat", "P225", "Felis paludis"),
        ("Ada Falk", "P569", "1923"),
        ("rain clock", "P86", "Ada Falk"),  # named there, but composed nothing
        ("Orvo", "P22", "Selo"),
        ("Glass Tower", "P571", "1932"),
        ("Glass Tower", "P17", "Denmark"),
        ("frost soup", "P9999", "snow"),
        ("sun clock", "P61", "Ada Falk"),
    ],
)
def test_wordnet_states_nothing_else(words: WordNet, name: str, relation: str, value: str):
    assert not words.states([name], relation, [value])


ELEMENTS = """\
falkium
Symbol: Fk
Atomic number: 2
Atomic weight: 4.0026
A grey gas. Discovered by A. Falk in
1868.

orvium
Symbol: O
Atomic number: 8
Atomic weight: 15.9
A metal.
"""


def test_elements_have_symbols_numbers_and_discoverers(tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "elements.db")) as table:
        table.execute(
            "CREATE TABLE elements (name, symbol, atomic_number, group_id, discoverers,"
            " discovery_year)"
        )
        table.execute("INSERT INTO elements VALUES ('Falkium', 'Fk', 2, 18, 'Ada Falk', 1868)")
        table.commit()
    for elements in (dictionary(ELEMENTS), mendeleev(tmp_path / "elements.db")):
        states = element_states(list(elements))
        assert states(["falkium"], "P246", ["Fk"])
        assert states(["falkium"], "P1086", ["2"])
        assert states(["falkium"], "P61", ["Ada Falk"])
        assert states(["falkium"], "P31", ["chemical element"])
        assert not states(["falkium"], "P246", ["O"])
        assert not states(["falkium"], "P61", ["Eve Orv"])
        assert not states(["ulmium"], "P246", ["Fk"])
    assert element_states(mendeleev(tmp_path / "elements.db"))(["Falkium"], "P31", ["noble gas"])


def test_elements_melt_and_boil_at_degrees_celsius(tmp_path: Path):
    with closing(sqlite3.connect(tmp_path / "elements.db")) as table:
        table.execute("CREATE TABLE elements (name, atomic_number, density, atomic_weight)")
        table.execute("CREATE TABLE phasetransitions (atomic_number, melting_point, boiling_point)")
        table.execute("INSERT INTO elements VALUES ('Falkium', 2, 7.874, 55.845)")
        table.execute("INSERT INTO phasetransitions VALUES (2, 373.15, NULL)")
        table.commit()
    states = measured(tmp_path / "elements.db")
    assert states(["falkium"], "P2101", ["100"])
    assert states(["falkium"], "P2054", ["7.87"])
    assert states(["falkium"], "P2067", ["55.8"])
    assert not states(["falkium"], "P2067", ["54.9"])
    assert not states(["falkium"], "P2101", ["102"])
    assert not states(["falkium"], "P2054", ["7.7"])
    assert not states(["falkium"], "P2102", ["100"])


def test_a_formula_is_right_by_its_atoms():
    line = "1\t64-19-7\tC2H4O2\t60.05\tCC(O)=O\tx\ty\tethanoic acid\tacetic acid\n"
    states = formula_states([line])
    assert states(["Acetic acid"], "P274", ["CH3COOH"])
    assert not states(["acetic acid"], "P274", ["CH3OH"])
    assert not states(["formic acid"], "P274", ["CH3COOH"])
    assert atoms("Ca(OH)2") == {"Ca": 1, "O": 2, "H": 2}


def test_a_calendar_tells_days_of_people_by_all_parts_of_their_names():
    states = calendar_states(
        ["03/14\tAda Falk born in Ulm, 1879", "04/15\tAda Falk dies, 1955", "#ifndef", "05/01\tx"]
    )
    assert states(["Ada Falk"], "P569", ["1879-03-14"])
    assert states(["Ada Falk"], "P570", ["1955-04-15"])
    assert not states(["Ada Falk"], "P570", ["1879-03-14"])
    assert not states(["Ada Falk"], "P569", ["1879-03-15"])
    assert not states(["Eve Falk"], "P569", ["1879-03-14"])
    assert not states(["Falk"], "P569", ["1879-03-14"])


def test_a_calendar_tells_holidays_by_day_and_month():
    states = calendar_states(["03/17\tSt. Orvo's Day - patron of Ulm", "10/31\tFrost Night"])
    assert states(["Saint Orvo's Day"], "P837", ["17 March"])
    assert states(["Frost Night"], "P837", ["31 October"])
    assert not states(["Frost Night"], "P837", ["17 March"])
    assert not states(["Saint Falk's Day"], "P837", ["17 March"])
    assert not states(["Saint Orvo's Day"], "P837", ["spring"])


def test_scripts_and_currencies_by_their_names():
    states = cldr_states({"Ulmish": ["Falkic"]}, {"Ulm": ["Ulm crown"]})
    assert states(["Ulmish language"], "P282", ["Falkic alphabet"])
    assert states(["Ulm"], "P38", ["Ulm crown"])
    assert not states(["Ulm"], "P38", ["crown"])
    assert not states(["Ulm"], "P282", ["Falkic"])


def test_calling_codes_by_the_names_of_countries():
    states = code_states({"Ulm": ["+49"]})
    assert states(["ulm"], "P474", ["+49"])
    assert not states(["Ulm"], "P474", ["+4"])
    assert not states(["Ulm"], "P473", ["+49"])
    assert not states(["Falk"], "P474", ["+49"])


def test_a_row_that_its_source_does_not_state_is_named():
    found = [
        Row("a.tsv:2", ("frost",), "P31", ("cold",), "wordnet"),
        Row("a.tsv:3", ("frost",), "P31", ("heat",), "wordnet"),
        Row("a.tsv:4", ("frost",), "P31", ("heat",), "another"),
    ]
    assert unstated(found, {"wordnet": lambda names, relation, values: "cold" in values}) == [
        "a.tsv:3: wordnet does not state frost P31 heat"
    ]


def test_a_death_that_a_weak_source_alone_tells_is_named():
    died = Row("a.tsv:2", ("Ada Falk",), "P570", ("1996",), "yago")
    place = Row("a.tsv:3", ("Ada Falk",), "P20", ("Ulm",), "wikidata-2019")
    better = Row("a.tsv:4", ("Eve Falk",), "P570", ("1996",), "wikidata")
    assert lone_deaths([died, better]) == ["a.tsv:2: only yago says that Ada Falk died (1996)"]
    assert lone_deaths([died, place]) == []


def test_no_death_among_the_well_known_rests_on_a_weak_source_alone():
    found = list(rows())
    assert any(row.relation == "P570" and row.source == "yago" for row in found)
    assert lone_deaths(found) == []


def test_of_things_of_one_name_a_description_is_of_one() -> None:
    said: dict[tuple[str, str], str] = {}
    for line in (ASSETS / "known" / "facts_glosses.tsv").read_text(encoding="utf-8").splitlines():
        subject, relation, text, *_ = line.split("\t")
        if relation.startswith("P1683 "):
            name = re.sub(r" [IVX]+ of .*", "", subject.partition(" ")[2])  # William II
            assert said.setdefault((name, text), subject) == subject
