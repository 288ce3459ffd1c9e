"""What everybody knows of common things: sheets read whole, things named, kinds inherited."""

import shutil

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.errors import SettingsError
from kgqa_core.facts.common import FOLDER, SOURCE, Common, common
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(FOLDER, tmp_path / "common")


def told(name):
    """What is known of a thing: (relation, value)."""
    thing = common().called(name)
    return {(s.relation.label, s.object.name) for s in common().statements(thing)}


def test_a_thing_has_what_its_kinds_have_but_for_numbers():
    known = told("penguins")
    assert ("does", "lay eggs") in known  # of birds
    assert ("legs", "2") in known
    assert ("does", "fly") not in known
    assert not any(relation == "length" and value != "0.7 metre" for relation, value in known)


@pytest.mark.parametrize(
    ("question", "things"),
    [
        ("Could a blue whale fit inside a school bus?", ["blue whale", "school bus"]),
        ("Do geese fly?", ["geese"]),
        ("Can a fly fly?", ["fly"]),
        ("May a twelve-year-old drive?", ["twelve-year-old"]),
        ("May somebody born in 1999 drive?", ["somebody born in 1999"]),
        ("Does he bear a grudge?", []),
    ],
)
def test_things_are_found_in_a_question(question, things):
    assert [mention for mention, _ in common().named(question)] == things


def test_who_was_born_in_a_year_is_so_old_in_another():
    (_, one), *_ = common().named("Could a person born in 2001 vote in 2010?")
    (age,) = common().statements(one)
    assert (age.relation.label, age.object.value) == ("age", "9")


def test_what_another_graph_calls_the_same_keeps_its_entity():
    own = Entity("http://example.org/copper", "copper")
    said = common().statements(common().called("copper"), own)
    assert {s.subject for s in said if s.relation.label == "density"} == {own}
    assert {s.source for s in said} == {SOURCE}


def test_a_line_with_too_many_cells_is_named(folder):
    (folder / "own.tsv").write_text("name\tlegs\nstool\t3\t4\n", encoding="utf-8")
    with pytest.raises(SettingsError, match=r"own\.tsv, line 2: more cells than columns"):
        Common(folder)


def test_a_sheet_of_ones_own_is_taken_up(folder):
    (folder / "own.tsv").write_text("name\tlegs\nmilking stool\t3\n", encoding="utf-8")
    own = Common(folder)
    (legs,) = own.statements(own.called("milking stools"))
    assert (legs.relation.label, legs.object.name) == ("legs", "3")


@pytest.fixture(scope="module")
def world():
    return from_rows(
        [
            ("Edda Lorn", "instance of", "human"),
            ("Edda Lorn", "occupation", "tennis player"),
            ("Turkey", "instance of", "country"),
            ("Turkey", "country", "Turkey"),
            ("Japan", "instance of", "country"),
            ("Japan", "country", "Japan"),
            ("Nepal", "instance of", "country"),
            ("Nepal", "country", "Nepal"),
        ],
        name="world",
    )


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Could an elephant fit into a wardrobe?", "No"),
        ("Could a newborn baby drive a car?", "No"),
        ("Is a diamond softer than butter?", "No"),
        ("Could a mouse fit into a shoebox?", "Yes"),
        ("Is a canary heavier than a cow?", "No"),
        ("Does a beetle have more legs than a horse?", "Yes"),
        ("A hexagon has six corners.", "Correct"),
        ("Camels can go without water.", "Correct"),
        ("Can an ostrich fly?", "No"),
        ("Does a hammer need electricity?", "No"),
        ("Does a vacuum cleaner use electricity?", "Yes"),
        ("Can owls see at night?", "Yes"),
        ("Does an electric drill need electricity?", "Yes"),
        ("Would someone with a peanut allergy avoid peanut butter?", "Yes"),
        ("Should a person with diabetes eat candy?", "No"),
        ("Owls are active during the day.", "Incorrect"),
        ("Would gold melt in an oven?", "No"),
        ("Would a log float?", "Yes"),
        ("Would a vegetarian order bacon?", "No"),
        ("May a nine-year-old vote?", "No"),
        ("Could a donkey carry a car?", "No"),
        ("Could a koala meet a polar bear in the wild?", "No"),
        ("Would Edda Lorn need a racket?", "Yes"),
        ("Could Edda Lorn outrun a cheetah?", "No"),
        ("Can you drive from Nepal to Japan?", "No"),
        ("Do people in Japan pay in yen?", "Yes"),
        ("Does Nepal have a navy?", "No"),
        ("Would one speak Japanese in Nepal?", "No"),
    ],
)
def test_common_things_are_decided_and_never_for_certain(world, question, verdict):
    answer, _ = drain(r3.solve(question, Toolkit(world, Offline()), r3.Params(pruning="truncate")))
    assert answer.text.split(":")[0] == verdict
    assert not answer.certain


def test_a_country_is_not_taken_for_a_bird(world):
    tools = Toolkit(world, Offline())
    answer, seen = drain(r3.solve("Does Turkey lay eggs?", tools, r3.Params(pruning="truncate")))
    anchors = [e.entity for e in seen if e.kind == "anchored"]
    assert not any(one.id.startswith("urn:kg:common/turkey") for one in anchors)
    assert answer.text == ""


@pytest.fixture(scope="module")
def zoo():
    """A graph that has a family of birds and a club called as birds are, beside the bird."""
    wd = "http://www.wikidata.org/entity/"
    family = Entity(f"{wd}Q1", "Spheniscidae", "family of birds", ("penguins",))
    club = Entity(f"{wd}Q2", "Harbour Town Penguins", "club", ("Penguins",))
    penguin, bird = Entity(f"{wd}Q3", "penguin", "bird"), Entity(f"{wd}Q4", "bird")
    kind = Relation(f"{wd}P279", "subclass of")
    facts = [Statement(one, kind, bird) for one in (family, penguin)]
    return EmbeddedGraph.build("zoo", [family, club, penguin, bird], [kind], facts)


@pytest.mark.parametrize(
    ("question", "verdict"), [("Can penguins swim?", "Yes"), ("Can penguins fly?", "No")]
)
def test_of_several_that_a_word_names_the_common_thing_is_meant(zoo, question, verdict):
    tools, params = Toolkit(zoo, Offline()), r3.Params(pruning="truncate")
    answer, seen = drain(r3.solve(question, tools, params))
    assert answer.text.split(":")[0] == verdict
    rules = [e.text for e in seen if e.kind == "axiom"]
    assert not any("Penguins and penguins" in rule for rule in rules)
