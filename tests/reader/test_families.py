"""Families of axioms: rows of a table, read whole, and filled from a question and its facts."""

import shutil

import numpy as np
import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.errors import SettingsError
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.reader.commonsense import AXIOMS, Commonsense, commonsense
from kgqa_core.reader.families import Side, clause, slot_of
from kgqa_core.reader.slots import SLOTS

ROWS = [
    ("Edda Lorn", "instance of", "human"),
    ("Edda Lorn", "date of birth", "1881"),
    ("Edda Lorn", "date of death", "1950"),
    ("Edda Lorn", "spouse", "Ivo Lorn"),
    ("Ivo Lorn", "instance of", "human"),
    ("Ivo Lorn", "date of birth", "1902"),
    ("Ivo Lorn", "date of death", "1977"),
    ("Ivo Lorn", "child", "Mila Lorn"),
    ("Tomas Ruhl", "instance of", "human"),
    ("Tomas Ruhl", "date of birth", "1640"),
    ("Tomas Ruhl", "date of death", "1699"),
    ("Edda Lorn", "occupation", "violinist"),
    ("Ivo Lorn", "occupation", "carpenter"),
    ("Ivo Lorn", "child", "Nils Lorn"),
    ("Edda Lorn", "country of citizenship", "Norway"),
    ("Ivo Lorn", "country of citizenship", "Chile"),
    ("Edda Lorn", "award received", "Nobel Prize in Physics"),
    ("Tomas Ruhl", "position held", "King of Denmark"),
    ("Salt Harbour", "instance of", "town"),
    ("Salt Harbour", "country", "Norway"),
    ("Salt Harbour", "population", "9000"),
    ("Port Amaro", "instance of", "town"),
    ("Port Amaro", "country", "Chile"),
    ("Port Amaro", "population", "70000"),
    ("Norway", "continent", "Europe"),
    ("Chile", "continent", "South America"),
    ("The Red Kite", "instance of", "novel"),
    ("The Red Kite", "publication date", "1931"),
    ("Salt Harbour Brewery", "instance of", "brewery"),
    ("Salt Harbour Brewery", "inception", "1820"),
    ("Salt Harbour Brewery", "dissolved, abolished or demolished date", "1911"),
]


@pytest.fixture(scope="module")
def world():
    return from_rows(ROWS, name="world")


def told(question, kg):
    """The verdict, whether it is certain, and the rules that were stated."""
    tools = Toolkit(kg, Offline())
    answer, seen = drain(r3.solve(question, tools, r3.Params(pruning="truncate")))
    rules = [e.text for e in seen if isinstance(e, events.Axiom)]
    return answer.text.split(":")[0], answer.certain, rules


@pytest.mark.parametrize(
    ("question", "verdict", "rule"),
    [
        ("Could Edda Lorn have met Ivo Lorn?", "Yes", "lived at the same time"),
        ("Could Edda Lorn have met Tomas Ruhl?", "No", "lived at the same time"),
        ("Could Ivo Lorn have read The Red Kite?", "Yes", "not be over before The Red Kite"),
        ("Could Tomas Ruhl have read The Red Kite?", "No", "not be over before The Red Kite"),
        ("Could Tomas Ruhl have used a telephone?", "No", "a telephone (1876 and after)"),
        ("Was Tomas Ruhl dead before there were railways?", "Yes", "gone at the time of"),
        ("Edda Lorn was born in the 19th century.", "Correct", "be born in 19th century"),
        ("Tomas Ruhl was alive in 1800.", "Incorrect", "alive at the time of 1800"),
        ("Does Salt Harbour Brewery still exist?", "No", "no end of Salt Harbour Brewery"),
        ("Did Ivo Lorn become a parent?", "Yes", "a child of Ivo Lorn"),
        ("Edda Lorn stayed single all her life.", "Incorrect", "no spouse of Edda Lorn"),
        ("Can Edda Lorn still give a concert?", "No", "must be alive"),
        ("Ivo Lorn had more children than Edda Lorn.", "Correct", "more children than Edda"),
        ("Could Ivo Lorn's children play a duet?", "Yes", "A duet takes so many children of Ivo"),
        ("Would Port Amaro be bigger than Salt Harbour?", "Yes", "more population than Salt"),
        ("Would Edda Lorn have lived to be ninety?", "No", "to be ninety"),
        ("Would Ivo Lorn have been a teenager in 1918?", "Yes", "teenager"),
        ("Would a broken hand keep Edda Lorn from working?", "Yes", "in the way of Edda Lorn"),
        ("Could Edda Lorn do her job with a broken hand?", "No", "is not up to the work"),
        ("Edda Lorn is a violinist.", "Correct", "must be a violinist"),
        ("Edda Lorn is a Nobel laureate.", "Correct", "received the Nobel Prize"),
        ("Port Amaro lies further north than Salt Harbour.", "Incorrect", "further north"),
        ("Would Salt Harbour be in the southern hemisphere?", "No", "south of the equator"),
        ("Would people in Port Amaro wear coats in July?", "Yes", "where it is winter then"),
        ("Could you walk from Salt Harbour to Port Amaro?", "No", "in one country"),
        ("Could you drive from Salt Harbour to Port Amaro?", "No", "on one continent"),
        ("Would Salt Harbour be a town in South America?", "No", "a country in South America"),
        ("Edda Lorn has a Norwegian passport.", "Correct", "must belong to Norway"),
        ("Tomas Ruhl was the leader of Denmark.", "Correct", "held an office of Denmark"),
        ("Would The Red Kite be a novel?", "Yes", "must be a novel"),
        ("Could Edda Lorn and Ivo Lorn have the same profession?", "No", "agree in profession"),
    ],
)
def test_a_row_is_filled_from_the_question_and_decided_by_facts(world, question, verdict, rule):
    said, _, rules = told(question, world)
    assert said == verdict
    assert rule in rules[-1]


@pytest.mark.parametrize(
    "question",
    [
        "Did Ivo Lorn read The Red Kite?",  # he lived on, and may have or not
        "Did Edda Lorn own a telephone?",
        "Would Tomas Ruhl have liked The Red Kite?",
        "Can Mila Lorn still give a concert?",
    ],
)
def test_what_is_necessary_is_not_enough(world, question):
    said, _, _ = told(question, world)
    assert said == ""


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Could Ivo Lorn have stood beside Tomas Ruhl?", "No"),  # who was long dead
        ("Could Ivo Lorn have ordered beer from Salt Harbour Brewery?", "Yes"),
        ("Might Salt Harbour Brewery have sponsored Tomas Ruhl?", "No"),
        ("Could Ivo Lorn have been influenced by Tomas Ruhl?", "Yes"),  # whose works outlived him
        ("Would people have read The Red Kite during the life of Tomas Ruhl?", "No"),
    ],
)
def test_what_takes_both_takes_a_time_at_which_both_were_there(world, question, verdict):
    assert told(question, world)[0] == verdict


def test_whoever_has_an_apostrophe_at_the_end_has_a_life_of_their_own():
    rows = [
        ["Ibn Suf", "instance of", "human"],
        ["Ibn Suf", "date of birth", "724"],
        ["Ibn Suf", "date of death", "756"],
        ["Lars Nils", "instance of", "human"],
        ["Lars Nils", "date of birth", "1724"],
        ["Lars Nils", "date of death", "1756"],
    ]
    kg = from_rows(rows, name="names")
    assert told("Could Ibn Suf' have used a telephone?", kg)[:2] == ("No", True)
    rules = told("Could Lars Nils' chair stand beside a telephone?", kg)[2]
    assert not any("telephone" in rule for rule in rules)  # it may be there still


def test_the_wives_of_a_wife_are_not_the_wives_of_her_husband():
    rows = [["Gol Ray", "spouse", "Shah Ray"], ["Gol Ray", "instance of", "human"]]
    rows += [["Shah Ray", "instance of", "human"]]
    rows += [["Shah Ray", "spouse", f"Wife {n}"] for n in range(1, 7)]
    kg = from_rows(rows, name="wives")
    question = "Did Gol Ray's spouse have enough wives to form a volleyball team?"
    assert told(question, kg)[0] == "Yes"


def test_that_somebody_is_human_links_nobody():
    human = Entity("http://www.wikidata.org/entity/Q5", "human", "", ("people",))
    edda = Entity("http://www.wikidata.org/entity/Q1", "Edda Lorn")
    kind = Relation("http://www.wikidata.org/entity/P31", "instance of")
    kg = EmbeddedGraph.build("one", [human, edda], [kind], [Statement(edda, kind, human)])
    assert told("People in a shop would bow to Edda Lorn.", kg)[::2] == ("", [])
    assert told("When people called Edda Lorn, they wrote.", kg)[::2] == ("", [])


def test_a_kind_of_people_is_nobodys_name(world):
    rules = told("Edda Lorn comes from a Muslim country.", world)[2]
    assert rules == ["Edda Lorn must come from a country where most people are Muslims."]


def test_it_is_no_profession():
    assert "IT" not in commonsense().professions.values()


@pytest.mark.parametrize("where", ["southern Salt Harbour", "the south of Salt Harbour"])
def test_in_the_south_is_not_further_south(world, where):
    said, _, rules = told(f"Is Port Amaro in {where}?", world)
    assert said == ""
    assert not any("further" in rule for rule in rules)


def test_what_a_dead_man_did_is_denied_for_sure_by_dates_alone(world):
    assert told("Could Tomas Ruhl have read The Red Kite?", world)[1]
    assert not told("Edda Lorn had no children.", world)[1]  # nothing is there: no proof


@pytest.mark.parametrize(
    "question",
    [
        "Edda Lorn wrote a novel about Tomas Ruhl.",
        "Edda Lorn painted Tomas Ruhl.",
        "Edda Lorn directed a film about Tomas Ruhl.",
        "Tomas Ruhl is a popular painter on Spotify.",
        "Tomas Ruhl's ideas were told on television.",
        "Edda Lorn danced to the music of Tomas Ruhl.",
        "Tomas Ruhl is less famous than Ivo Lorn.",
    ],
)
def test_who_lives_later_may_tell_of_who_lived_before(world, question):
    said, certain, _ = told(question, world)
    assert not (said == "Incorrect" and certain)


def test_to_have_died_before_something_came_up_is_to_be_gone_by_then(world):
    assert told("Did Tomas Ruhl die before the first telephone was sold?", world)[:2] == (
        "Yes",
        True,
    )


class OneMeaning:
    """An encoder to which one wording means what one cue says, and nothing else means anything."""

    ready = True

    def __init__(self, wording, cue):
        self.alike = {wording, cue}

    def encode(self, texts):
        return np.array([[1.0, 0.0] if text in self.alike else [0.0, 1.0] for text in texts])


@pytest.mark.parametrize(
    ("cue", "verdict", "rules"),
    [
        ("X is married.", "Correct", ["There must be a spouse of Edda Lorn."]),
        ("X frobs the knot.", "", []),  # no cue: nothing is meant clearly
    ],
)
def test_a_wording_without_known_words_is_matched_by_its_meaning(world, cue, verdict, rules):
    tools = Toolkit(world, Offline(OneMeaning("X tied the knot.", cue)))
    params = r3.Params(pruning="truncate")
    answer, seen = drain(r3.solve("Edda Lorn tied the knot.", tools, params))
    assert answer.text.split(":")[0] == verdict
    assert [e.text for e in seen if isinstance(e, events.Axiom)] == rules
    assert not (verdict and answer.certain)


def test_every_row_has_tables_and_groups_that_exist():
    rules = commonsense()
    names = [family.name for family in rules.families]
    assert len(set(names)) == len(names)
    for family in rules.families:
        assert family.cues, family.name
        assert "{X}" in family.rule, family.name
        assert set(family.slots) <= set(SLOTS), family.name
        for one in family.clauses:
            for side in (one.left, one.right or Side()):
                groups = [step.partition(":")[0] for step in side.path if not slot_of(step)]
                assert set(groups) <= {*rules.groups, "homeland"}, family.name


def test_a_premise_is_read_as_path_operator_and_constants():
    one = clause("X/spouse/birth < Y.lifetime")
    assert (one.left.path, one.operator) == (("spouse", "birth"), "<")
    assert (one.right.who, one.right.function) == ("Y", "lifetime")
    assert clause("X/work = cook | baker").right.constants == ("cook", "baker")
    assert clause("X/{turn}.lifetime {year} {year}.lifetime").right.slot == "year"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(AXIOMS, tmp_path / "axioms")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("[x]\nmaybe: yes", "“maybe” is no key of a family"),
        ("[x]\nrule: {X} must be.", "takes `premise: …` and `rule: …`"),
        ("[x]\npremise: spouse absent\nrule: {X}.", "“spouse absent” is no premise"),
        ("[x]\npremise: X/spouse maybe Y\nrule: {X}.", "“maybe” is no operator"),
        ("[x]\nwho: nobody\npremise: X/spouse absent\nrule: {X}.", "who is one or two of"),
        ("[x]\nwords: <nothing>\npremise: X/spouse absent\nrule: {X}.", "no <nothing>"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(folder, lines, problem):
    with (folder / "families.txt").open("a", encoding="utf-8") as file:
        file.write(f"\n{lines}\n")
    with pytest.raises(SettingsError, match=rf"families\.txt, line .*{problem}"):
        Commonsense(folder)


def test_a_row_of_ones_own_is_taken_up(folder):
    with (folder / "families.txt").open("a", encoding="utf-8") as file:
        file.write(
            "\n[widowed]\nwords: a widow\npremise: X/spouse/death exists\n"
            "rule: The spouse of {X} must have died.\ncues: X is a widow.\n"
        )
    row = Commonsense(folder).families[-1]
    assert (row.name, row.clauses[0].left.path) == ("widowed", ("spouse", "death"))


class Hears:
    """An encoder to which all texts mean the same, or each something else."""

    ready = True

    def __init__(self, alike):
        self.alike = alike

    def encode(self, texts):
        return np.ones((len(texts), 1)) if self.alike else np.eye(len(texts))


@pytest.mark.parametrize(("alike", "verdict"), [(True, "Yes"), (False, "")])
def test_a_rule_of_thumb_that_is_far_from_the_question_decides_nothing(world, alike, verdict):
    tools = Toolkit(world, Offline(Hears(alike)))
    question = "Could Edda Lorn play in an orchestra?"
    answer, _ = drain(r3.solve(question, tools, r3.Params(pruning="truncate")))
    assert answer.text.split(":")[0] == verdict
