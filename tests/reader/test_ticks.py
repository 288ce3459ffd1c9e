"""Columns and relations that say yes or no, asked in words."""

from pathlib import Path

import pytest

from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from tests.reader.small import ask

BOATS = """Boat,Has cabin,Crew allowed,Leaky
Swift Heron,yes,no,no
Old Magpie,no,yes,yes
Third Wren,yes,yes,no
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which boats have a cabin?", "Swift Heron and Third Wren."),
        ("Which boats allow crew?", "Old Magpie and Third Wren."),
        ("Which boats are leaky?", "Old Magpie."),
        ("Does the Swift Heron have a cabin?", "Yes"),
        ("Does the Old Magpie have a cabin?", "No"),
        ("Is the Old Magpie leaky?", "Yes"),
        ("Is the Third Wren leaky?", "No"),
        ("Which boats have a mast?", ""),
    ],
)
def test_what_says_yes_or_no_is_asked_by_its_words_and_a_no_is_no_yes(
    tmp_path: Path, question: str, answer: str
) -> None:
    (tmp_path / "boats.csv").write_text(BOATS, encoding="utf-8")
    load([tmp_path / "boats.csv"], tmp_path / "graph")
    said = ask(open_folder(tmp_path / "graph"), question).text
    assert said.startswith(answer)
    assert bool(said) == bool(answer)


PETS = """name,species,owner,weight (kg),status,sold
Biscuit,dog,Nora Fields,13.2,healthy,2018-05-12
Tofu,cat,Nora Fields,4.1,ill,2020-01-30
Major,dog,Igor Pavlik,62,healthy,2016-09-03
Luna,cat,Igor Pavlik,7.4,healthy,2017-03-22
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which pets are ill?", "Tofu."),
        ("Is Tofu ill?", "Yes"),
        ("Is Luna ill?", "No"),
        ("Is Luna angry?", ""),
        ("Which pets are angry?", ""),
        ("Which pets does Igor Pavlik have?", "Luna and Major."),
        ("Which birds does Igor Pavlik have?", ""),
        ("How many healthy pets are there?", "3"),
        ("What was sold before 2017?", "Major."),
        ("What was bought before 2017?", ""),
    ],
)
def test_a_column_that_says_one_of_a_few_words_is_asked_by_them(
    tmp_path: Path, question: str, answer: str
) -> None:
    (tmp_path / "pets.csv").write_text(PETS, encoding="utf-8")
    load([tmp_path / "pets.csv"], tmp_path / "graph")
    said = ask(open_folder(tmp_path / "graph"), question).text
    assert said.startswith(answer)
    assert bool(said) == bool(answer)


HOUSES = """address,city,propertyType,price (EUR),areaM2
1 Mill Lane,Ashwick,house,300000,150
2 Mill Lane,Ashwick,apartment,100000,50
3 Hill Row,Penmouth,apartment,100000,70
4 Hill Row,Penmouth,house,500000,
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Which houses are in Ashwick?", "1 Mill Lane."),
        ("how many apartments are there", "2"),
        ("Which property is the cheapest?", "2 Mill Lane and 3 Hill Row."),
        ("What is the average price of the apartments?", "100,000"),
        ("What is the total price of the properties in Penmouth?", "600,000"),
        ("What is the total price of the apartments?", "200,000"),  # equal ones count twice
        ("What is the average price?", "250,000"),
        ("What is the average weight of the apartments?", ""),
        ("Which castles are in Ashwick?", ""),
    ],
)
def test_a_column_says_the_kind_and_amounts_are_added_up(
    tmp_path: Path, question: str, answer: str
) -> None:
    (tmp_path / "houses.csv").write_text(HOUSES, encoding="utf-8")
    load([tmp_path / "houses.csv"], tmp_path / "graph")
    said = ask(open_folder(tmp_path / "graph"), question).text
    assert said.startswith(answer)
    assert bool(said) == bool(answer)
