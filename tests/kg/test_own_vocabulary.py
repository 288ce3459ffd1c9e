"""A graph as people write one by hand: without labels, or in the names of other vocabularies."""

from pathlib import Path

import pytest

from kgqa_core.facts.terms import words_apart
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.load import load
from tests.reader.small import ask

WORKSHOP = """
@prefix : <http://workshop.example/ns#> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
:LenaVoss :worksFor :BrightLathe ; :dateOfBirth "1971-03-04"^^xsd:date ; :livesIn :Ulm .
:OttoKrahn :worksFor :BrightLathe ; :has_teacher :LenaVoss .
:BrightLathe :foundedIn "1962"^^xsd:gYear ; :makes :BenchVice .
:BenchVice a :HandTool ; :yearMade "1999"^^xsd:gYear ; :weight 4 .
:FileSet a :HandTool ; :yearMade "1987"^^xsd:gYear ; :weight 1 .
"""

LIBRARY = """
@prefix s: <https://schema.org/> .
@prefix b: <http://library.example/id/> .
@prefix xsd: <http://www.w3.org/2001/XMLSchema#> .
b:1 a s:Book ; s:name "Cold Lanterns" ; s:author b:2 ; s:datePublished "1990-05-01"^^xsd:date ;
  s:numberOfPages 410 .
b:3 a s:Book ; s:name "A Quiet Ferry" ; s:author b:4 ; s:datePublished "2001-02-03"^^xsd:date ;
  s:numberOfPages 150 .
b:2 a s:Person ; s:name "Edda Lorne" ; s:birthDate "1944-06-07"^^xsd:date .
b:4 a s:Person ; s:name "Piet Harmsen" ; s:birthDate "1951-08-09"^^xsd:date ;
  s:deathDate "2009-01-01"^^xsd:date .
"""


def graph(tmp_path: Path, turtle: str) -> KnowledgeGraph:
    (tmp_path / "graph.ttl").write_text(turtle, encoding="utf-8")
    load([tmp_path / "graph.ttl"], tmp_path / "graph")
    return open_folder(tmp_path / "graph")


@pytest.mark.parametrize(
    ("iri", "words"),
    [
        ("http://a.example/birthPlace", "birth place"),
        ("http://a.example/has_author", "has author"),
        ("http://a.example/imdbID", "imdb ID"),
        ("http://a.example/AdaByron", "Ada Byron"),
        ("http://a.example/Caf%C3%A9_Noir", "Café Noir"),
        ("http://a.example/author", ""),
        ("http://a.example/P40", ""),
        ("http://a.example/", ""),
    ],
)
def test_an_address_is_read_as_words(iri: str, words: str) -> None:
    assert words_apart(iri) == words


def test_what_has_no_label_is_called_by_its_address_and_a_code_is_not(tmp_path: Path) -> None:
    (tmp_path / "graph.ttl").write_text(
        "@prefix : <http://a.example/> . :AdaByron :knows :Q42 , :JoanClarke .\n"
        ':JoanClarke <http://www.w3.org/2000/01/rdf-schema#label> "Joan" .'
    )
    done = load([tmp_path / "graph.ttl"], tmp_path / "graph")
    assert done.remark == "1 thing without a label: called by the last part of the address."
    kg = open_folder(tmp_path / "graph")
    found = kg.search(["Ada Byron", "Joan", "Joan Clarke", "Q42"])
    assert [hits[0].entity.label if hits else None for hits in found[:2]] == ["Ada Byron", "Joan"]
    assert not any(h.entity.label == "Q42" for hits in found for h in hits)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who does Otto Krahn work for?", "Bright Lathe."),
        ("Does Lena Voss work for Bright Lathe?", "Yes"),
        ("Who is the teacher of Otto Krahn?", "Lena Voss."),
        ("When was Bright Lathe founded?", "1962."),
        ("What does Bright Lathe make?", "Bench Vice."),
        ("When was the File Set made?", "1987."),
        ("Which hand tool is the oldest?", "File Set."),
        ("Which hand tools were made after 1990?", "Bench Vice."),
        ("Is the Bench Vice older than the File Set?", "No"),
    ],
)
def test_a_graph_without_labels_is_asked_in_plain_words(
    tmp_path: Path, question: str, answer: str
) -> None:
    assert ask(graph(tmp_path, WORKSHOP), question).text.startswith(answer)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who is older, Edda Lorne or Piet Harmsen?", "Edda Lorne."),
        ("Which book is the longest?", "Cold Lanterns."),
        ("Which book was published first?", "Cold Lanterns."),
        ("Which books were published after 2000?", "A Quiet Ferry."),
        ("When was Cold Lanterns published?", "1 May 1990."),
    ],
)
def test_the_names_of_another_vocabulary_are_understood(
    tmp_path: Path, question: str, answer: str
) -> None:
    assert ask(graph(tmp_path, LIBRARY), question).text == answer


def test_of_two_dates_none_is_taken_for_the_age(tmp_path: Path) -> None:
    two = WORKSHOP.replace(":weight 4", ':soldIn "2004"^^xsd:gYear').replace(
        ":weight 1", ':soldIn "1993"^^xsd:gYear'
    )
    assert not ask(graph(tmp_path, two), "Which hand tool is the oldest?").values


def test_a_p6_of_ones_own_is_not_wikidatas(tmp_path: Path) -> None:
    jars = """
    @prefix : <http://jars.example/> .
    @prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
    :p6 rdfs:label "height in cm" . :Jar rdfs:label "jar" .
    :a a :Jar ; rdfs:label "Blue Jar" ; :p6 31 .
    :b a :Jar ; rdfs:label "Salt Jar" ; :p6 142 .
    """
    assert ask(graph(tmp_path, jars), "Which jar is the tallest?").text == "Salt Jar."


BOATS = """
@prefix rdfs: <http://www.w3.org/2000/01/rdf-schema#> .
@prefix b: <http://boats.example/ns#> .
b:Boat rdfs:label "Boat" . b:Dinghy rdfs:subClassOf b:Boat ; rdfs:label "Dinghy" .
b:Punt rdfs:subClassOf b:Boat ; rdfs:label "Punt" . b:len rdfs:label "length (m)" .
b:1 a b:Dinghy ; rdfs:label "Gull" ; b:len 4.5 . b:2 a b:Punt ; rdfs:label "Otter" ; b:len 7 .
b:3 a b:Dinghy ; rdfs:label "Tern" ; b:len 3 .
"""


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("How many boats do we have?", "3: Gull, Tern and Otter."),
        ("How many dinghies are there?", "2: Gull and Tern."),
        ("Which boat is the longest?", "Otter."),
        ("What is the length of Otter?", "7 m."),
        ("What is the total length of the dinghies?", "7.5 m."),
    ],
)
def test_things_of_the_kinds_of_a_kind_are_of_it(
    tmp_path: Path, question: str, answer: str
) -> None:
    assert ask(graph(tmp_path, BOATS), question).text == answer
