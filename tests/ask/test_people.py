"""“Who” of a graph that calls nobody a person."""

from pathlib import Path

import pytest

from kgqa_core.ask.people import as_people, is_anybody
from kgqa_core.facts.terms import Entity, Hit
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from tests.reader.small import ask

CREW = """@prefix : <http://crew.example/#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:Marjolein a :{kind} ; :hiredOn "2019-02-01"^^xsd:date ; :monthlySalary 4100 .
:Oskar a :{kind} ; :hiredOn "2012-02-01"^^xsd:date ; :monthlySalary 3900 .
:Petrel a :Ship ; :tonnage 4000 .
"""


@pytest.mark.parametrize("kind", ["Employee", "Volunteer"])
def test_who_is_one_of_those_that_the_graph_has(tmp_path: Path, kind: str) -> None:
    (tmp_path / "crew.ttl").write_text(CREW.format(kind=kind), encoding="utf-8")
    load([tmp_path / "crew.ttl"], tmp_path / "graph")
    kg = open_folder(tmp_path / "graph")
    assert ask(kg, "Who earns the most?").text == "Marjolein."
    assert ask(kg, "Who was hired before 2015?").text == "Oskar."


def test_a_word_that_is_only_like_one_for_people_is_none() -> None:
    play = Hit(Entity("http://x.example/play", "play"), 0.8, "play")
    crew = Hit(Entity("http://x.example/staff", "Staff"), 0.97, "Staff")
    assert [hit.entity.label for hit in as_people([[play], [], [crew]], "person")] == ["Staff"]
    assert as_people([[crew]], "person")[0].entity.aliases == ("person",)
    assert is_anybody("Person")
    assert not is_anybody("Percy")
