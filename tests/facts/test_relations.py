"""The table of relations: well formed, at one with itself and with Wikidata, and the only one."""

import ast
import gzip
import json
import re
from typing import get_args

import pytest

from kgqa_core.facts import relations
from kgqa_core.facts.completeness import missing, stated
from kgqa_core.facts.relations import Group, Number, Stated, Values
from kgqa_core.facts.terms import Relation
from kgqa_core.text import fold
from tests.places import DATA, ROOT

WD = "http://www.wikidata.org/entity/"
PROPERTIES = DATA / "wikidata_properties" / "properties.jsonl.gz"
ROWS = relations.table()
PAIRED = [known for known in ROWS if known.start or known.end]
PID = re.compile(r"\bP\d+\b")

each_row = pytest.mark.parametrize("known", ROWS, ids=lambda known: known.label)


@each_row
def test_a_row_says_what_its_columns_may_say(known):
    assert known.id == "" or re.fullmatch(r"P\d+", known.id)
    assert all(label == label.strip() and label for label in known.labels)
    assert known.values in get_args(Values)
    assert known.number in get_args(Number)
    assert known.stated in get_args(Stated)
    assert known.groups <= set(get_args(Group))


@each_row
def test_what_is_given_in_part_has_values_that_the_graph_does_not_name(known):
    assert known.stated != "partial" or known.number in {"mostly one", "some"}


@each_row
def test_the_inverse_of_an_inverse_is_the_relation(known):
    for back in relations.inverse(known.key):
        assert known in relations.inverse(back.key)


@pytest.mark.parametrize("known", PAIRED, ids=lambda known: known.label)
def test_a_beginning_has_an_end_that_has_this_beginning(known):
    assert known.values == "date"
    assert not known.end or relations.row(known.end).start == known.key
    assert not known.start or relations.row(known.start).end == known.key


def test_lines_have_nine_columns_at_most_and_no_blanks_around_what_is_in_them():
    for line in relations.TABLE.read_text(encoding="utf-8").splitlines():
        cells = [] if line.startswith("#") else line.split("\t")
        assert len(cells) <= 9, line
        assert all(cell == cell.strip() for cell in cells), line


def test_every_group_has_a_relation():
    assert all(relations.in_group(group) for group in get_args(Group))


def test_a_name_is_of_one_row():
    rows: dict[str, set[str]] = {}
    for known in ROWS:
        for name in known.names:
            rows.setdefault(fold(name), set()).add(known.key)
    assert {name: keys for name, keys in rows.items() if len(keys) > 1} == {}


@pytest.mark.parametrize(
    "relation",
    [
        "spouse",
        "Spouse",
        "P26",
        Relation(f"{WD}P26"),
        Relation("http://www.wikidata.org/prop/direct/P26", "Ehepartner"),
        Relation("http://dbpedia.org/ontology/spouse"),
        Relation("urn:kg:spouse", "spouse"),
    ],
)
def test_a_relation_is_known_by_its_id_or_by_a_label(relation):
    assert relations.about(relation) == relations.row("spouse")


def test_words_of_an_identifier_are_told_apart():
    assert relations.about(Relation("http://dbpedia.org/ontology/birthPlace")) == relations.row(
        "place of birth"
    )


def test_in_another_wikibase_the_label_decides_what_an_id_means():
    assert relations.about(Relation("https://wiki.example.org/entity/P26", "capital")) == (
        relations.row("P36")
    )


def test_of_other_relations_nothing_is_known():
    other = Relation("http://example.org/hasMouth", "has mouth")
    assert relations.about(other) is None
    assert not relations.belongs(other, "border", "kinship")
    assert not relations.symmetric(other)
    assert relations.inverse(other) == ()
    with pytest.raises(KeyError):
        relations.row("has mouth")


def test_groups_are_in_the_order_of_the_table():
    assert relations.labels("place within") == (
        "country",
        "located in the administrative territorial entity",
        "continent",
    )
    assert relations.either("subclass") == "subclass of P279|subClassOf"
    assert relations.names("until") == {"P582", "end time"}


def test_what_is_said_from_either_end():
    assert relations.symmetric("spouse")
    assert not relations.symmetric("child")
    assert {known.label for known in relations.inverse("child")} == {"father", "mother", "parent"}
    assert relations.inverse("date of birth") == ()


BORDERS = [Relation(f"{WD}P47", "shares border with"), Relation("urn:kg:borders", "borders")]


@pytest.mark.parametrize("relation", BORDERS, ids=lambda relation: relation.label)
def test_borders_are_one_case_whatever_a_graph_calls_them(relation):
    assert relations.belongs(relation, "border")
    assert relations.symmetric(relation)
    assert stated(relation) == "partial"
    for direction in ("out", "in"):
        for several in (True, False):
            assert missing(relation, direction, several=several) == "set"


@pytest.mark.parametrize("label", ["instance of", "type", "rdf type", "is a"])
def test_whatever_a_graph_calls_being_of_a_kind_its_members_are_a_class(label):
    assert missing(Relation(f"urn:kg:{label}", label), "in") == "class"


# -- with other tables -----------------------------------------------------------------------


def test_the_rules_of_axioms_call_relations_as_the_table_does():
    lines = (ROOT / "assets" / "axioms" / "relations.tsv").read_text(encoding="utf-8").splitlines()
    named = [name for line in lines if line[:1] != "#" for name in line.split("\t")[1].split("|")]
    for name in named:
        label, _, pid = name.rpartition(" ")
        known = relations.about(pid) if PID.fullmatch(pid) else None
        assert known is None or fold(label) in map(fold, known.labels), name


# -- with Wikidata ---------------------------------------------------------------------------

_DATATYPES = {"date": {"time"}, "amount": {"quantity"}, "text": {"string", "monolingualtext"}}
_OTHER = {  # what its values are to a question, whatever Wikidata stores them as
    "coordinate location": "globe-coordinate",  # answers where
    "review score": "string",  # “8/10”
}


@pytest.fixture(scope="module")
def properties():
    if not PROPERTIES.exists():
        pytest.skip("needs ../shared/data/wikidata_properties")
    with gzip.open(PROPERTIES, "rt", encoding="utf-8") as lines:
        return [json.loads(line) for line in lines]


def test_ids_and_labels_are_those_of_wikidata(properties):
    by_id = {found["id"]: found for found in properties}
    for known in ROWS:
        if known.id:
            assert by_id[known.id]["label"] == known.label, known.id


def test_a_label_is_of_no_other_property_of_wikidata(properties):
    by_label = {fold(found["label"]): found["id"] for found in properties}
    for known in ROWS:
        for label in known.labels:
            assert by_label.get(fold(label), known.id) == known.id, label


def test_values_are_of_the_kind_that_wikidata_stores(properties):
    by_id = {found["id"]: found["datatype"] for found in properties}
    for known in ROWS:
        if known.id:
            expected = _DATATYPES.get(known.values, {"wikibase-item"})
            expected = {_OTHER[known.label]} if known.label in _OTHER else expected
            assert by_id[known.id] in expected, known.label


# -- the only one ----------------------------------------------------------------------------

_ROOMS = ("facts", "kg/order.py", "methods", "reader", "render")


def _code(room: str):
    place = ROOT / "kgqa_core" / room
    return [place] if place.is_file() else sorted(place.rglob("*.py"))


@pytest.mark.parametrize("room", _ROOMS)
def test_code_spells_no_ids_of_relations(room):
    spelled = []
    for path in _code(room):
        tree = ast.parse(path.read_text(encoding="utf-8"))
        told = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}  # docstrings
        spelled += [
            f"{path.name}:{node.lineno} {node.value}"
            for node in ast.walk(tree)
            if isinstance(node, ast.Constant) and isinstance(node.value, str)
            if id(node) not in told and PID.search(node.value)
        ]
    assert spelled == []
