"""Several graphs as one: the facts of all, each with its source."""

import re

import pyoxigraph as ox
import pytest

from kgqa_core.errors import SettingsError, SourceRejected, SourceUnavailable
from kgqa_core.facts.terms import DECIMAL, Entity, Literal
from kgqa_core.kg.base import Queryable
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.layout import LABEL
from kgqa_core.kg.sparql import SparqlGraph
from kgqa_core.kg.union import UnionGraph, from_rows, overlay, personal
from kgqa_core.opening import open_graph
from kgqa_core.settings import Settings
from tests.kg.conformance import (
    BERLIN,
    ENTITIES,
    FILM,
    GERMANY,
    MAYOR,
    RELATIONS,
    SIRK,
    STATEMENTS,
    TOTTI,
    Conformance,
)


def graph(statements, name="world") -> EmbeddedGraph:
    return EmbeddedGraph.build(name, ENTITIES, RELATIONS, statements)


class TestHalves(Conformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls):
        return UnionGraph([graph(STATEMENTS[::2], "one"), graph(STATEMENTS[1::2], "two")])


class TestTwice(Conformance):
    """Two graphs that say the same."""

    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls):
        return UnionGraph([graph(STATEMENTS, "one"), graph(STATEMENTS, "two")])


class TestAlone(Conformance):
    @pytest.fixture(scope="class")
    @classmethod
    def kg(cls):
        return UnionGraph([graph(STATEMENTS)], "alone")


def test_each_fact_has_its_source():
    mayors = [s for s in STATEMENTS if s.relation == MAYOR]
    union = UnionGraph([graph(mayors[:3], "one"), graph(mayors[2:], "two")])
    found = union.statements([BERLIN], direction="out")[0]
    assert {s.object.label: s.source for s in found} == {
        "Michael Müller": "one",
        "Klaus Wowereit": "one",
        "Eberhard Diepgen": "one, two",
        "Franziska Giffey": "two",
    }
    assert union.name == "one + two"
    assert not isinstance(union, Queryable)


def test_a_personal_graph_lies_on_top_of_another():
    base = graph(STATEMENTS, "world")
    mine = personal(
        """
        # what I like
        me | likes | Written on the Wind
        me | director | douglas sirk
        me | age | 41
        Berlin | head of government | me
        """,
        base,
    )
    both = overlay(mine, base)
    me = both.search(["me"])[0][0].entity
    facts = {s.relation.name: s for s in both.statements([me], direction="out")[0]}
    assert facts["director"].object == SIRK
    assert facts["age"].object == Literal("41", DECIMAL)
    assert facts["likes"].object in (FILM, Entity("http://www.wikidata.org/entity/Q2"))
    assert {s.source for s in facts.values()} == {"mine"}
    mayors = both.statements([BERLIN], direction="out", relation=MAYOR)[0]
    assert {s.source for s in mayors} == {"mine", "world"}
    assert both.describe([BERLIN.id])[0].label == "Berlin"


def test_a_typed_line_that_is_no_fact_is_named():
    with pytest.raises(SourceRejected, match="Line 2"):
        personal("a | b | c\nonly two | parts")


def test_a_graph_that_fails_is_named():
    union = UnionGraph([graph(STATEMENTS), SparqlGraph("http://127.0.0.1:9/sparql", name="gone")])
    with pytest.raises(SourceUnavailable) as failed:
        union.statements([BERLIN])
    assert failed.value.source == "gone"


def test_graphs_are_opened_by_name(tmp_path):
    settings = Settings(data_dir=tmp_path)
    assert open_graph("starter", settings).name == "starter"
    assert open_graph("wikidata", settings).name == "Wikidata"
    assert open_graph("https://dbpedia.org/sparql", settings).name == "dbpedia.org"
    assert open_graph("https://qlever.dev/api/wikidata", settings).name == "Wikidata"
    folder = tmp_path / "store"
    EmbeddedGraph.build("x", [GERMANY], [], [], path=folder)
    assert open_graph(str(folder), settings).search(["Germany"])[0][0].entity == GERMANY
    both = open_graph(f"starter, {folder}", settings)
    assert both.name == "starter + store"
    assert isinstance(open_folder(folder), EmbeddedGraph)


@pytest.mark.parametrize("name", ["nowhere", "", ",", "ftp://example.org/"])
def test_what_is_no_graph_is_told(tmp_path, name):
    with pytest.raises(SettingsError):
        open_graph(name, Settings(data_dir=tmp_path))


def test_a_missing_folder_is_told(tmp_path):
    with pytest.raises(SourceUnavailable, match="no folder"):
        open_graph(str(tmp_path / "gone"), Settings(data_dir=tmp_path))


def test_a_hosted_app_opens_no_folder_outside_its_own(tmp_path):
    (tmp_path / "other").mkdir()
    with pytest.raises(SettingsError, match="hosted"):
        open_graph(str(tmp_path / "other"), Settings(data_dir=tmp_path / "data", hosted=True))


def test_a_union_of_nothing_is_none():
    with pytest.raises(SettingsError):
        UnionGraph([])


def test_names_of_the_first_graph_win():
    mine = EmbeddedGraph.build("mine", [Entity(TOTTI.id, "il Capitano")], [], [])
    both = overlay(mine, graph(STATEMENTS))
    [found] = both.describe([TOTTI.id])
    assert found.label == "il Capitano"
    assert "Francesco Totti" in found.aliases
    assert both.search(["Francesco Totti"])[0][0].entity.label == "il Capitano"
    assert both.statements([TOTTI])[0][0].source == "world"


def test_a_name_in_other_signs_is_not_what_the_base_knows():
    base = from_rows([("C#", "made by", "Microsoft"), ("São Tomé", "is", "an island")])
    mine = personal("C++ | made by | Stroustrup\n[C#] | is | odd\nsao tome | is | warm", base)
    subjects = {s.subject.name: s.subject.id for s in mine.all_statements()}
    assert {"C++", "[C#]"} <= subjects.keys()
    (known,) = base.search(["São Tomé"], 1)[0]
    assert subjects["São Tomé"] == known.entity.id
    (sharp,) = base.search(["C#"], 1)[0]
    assert [s.object.name for s in UnionGraph([mine, base]).statements([sharp.entity])[0]] == [
        "Microsoft"
    ]


def test_a_fact_about_what_has_no_name_but_a_label_is_about_that():
    """A blank node of the base stays the same one in the personal graph."""
    store = ox.Store()
    somebody = ox.BlankNode("b")
    store.add(ox.Quad(somebody, ox.NamedNode(LABEL), ox.Literal("Somebody")))
    store.add(ox.Quad(somebody, ox.NamedNode("x:likes"), ox.NamedNode("x:tea")))
    base = EmbeddedGraph("base", store)
    both = overlay(personal("Somebody | hates | coffee", base), base)
    (hit,) = both.search(["Somebody"])[0]
    said = {(s.relation.name, s.object.name) for s in both.statements([hit.entity])[0]}
    assert said == {("hates", "coffee"), ("x:likes", "x:tea")}


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("a | b | c\n\nhttp://a:b/ | b | c", "Line 3 cannot be used: “http://a:b/” is not a full"),
        ("a | <x:y#z#> | c", "Line 1 cannot be used: “x:y#z#” is not a full IRI"),
    ],
)
def test_a_typed_line_with_an_impossible_address_is_named(text, said):
    with pytest.raises(SourceRejected, match=re.escape(said)):
        personal(text)
