"""A family of axioms filled from a question, and decided by the facts."""

import numpy as np
import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.kg.union import from_rows
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from tests.reader.world import ROWS, told, world


def test_what_befell_somebody_is_not_dated_by_their_life():
    assert told("Did Edda Lorn live to see the death of Ivo Lorn?", world())[0] != "Yes"
    verdict, certain, rules = told("Did Edda Lorn live to see Ivo Lorn's funeral?", world())
    assert not (verdict and certain)
    assert not any("at the time of" in rule for rule in rules)


@pytest.mark.parametrize(
    ("question", "verdict", "rule"),
    [
        ("Could Edda Lorn have met Ivo Lorn?", "Yes", "lived at the same time"),
        ("Could Edda Lorn have met Tomas Ruhl?", "No", "lived at the same time"),
        ("Could Ivo Lorn have read The Red Kite?", "Yes", "not be gone before The Red Kite"),
        ("Could Tomas Ruhl have read The Red Kite?", "No", "not be gone before The Red Kite"),
        ("Did Ivo Lorn live long enough to hear of The Red Kite?", "Yes", "at the time of The Red"),
        ("Tomas Ruhl lived to see The Red Kite.", "Incorrect", "at the time of The Red Kite"),
        ("Did Ivo Lorn live to see Salt Harbour Brewery?", "Yes", "at the time of Salt Harbour"),
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
def test_a_row_is_filled_from_the_question_and_decided_by_facts(question, verdict, rule):
    said, _, rules = told(question, world())
    assert said == verdict
    assert rule in rules[-1]


@pytest.mark.parametrize(
    ("question", "verdict", "rule"),
    [
        ("Does Mila Lorn have a father?", "Yes", "There must be a father of Mila Lorn."),
        ("Has Mila Lorn got a dad?", "Yes", "There must be a father of Mila Lorn."),
        ("Did Nils Lorn have a mother?", "Yes", "There must be a mother of Nils Lorn."),
        ("Did Nils Lorn have parents?", "Yes", "There must be a parent of Nils Lorn."),
        ("Does Ivo Lorn have a father?", "", ""),  # that none is stated is no “no”
        ("Has Edda Lorn got a mother?", "", ""),
    ],
)
def test_whose_child_somebody_is_says_nothing_of_children_and_sex(question, verdict, rule):
    own = [("Mila Lorn", "father", "Ivo Lorn"), ("Nils Lorn", "mother", "Edda Lorn")]
    own += [(name, "instance of", "human") for name in ("Mila Lorn", "Nils Lorn")]
    sexes = [("Mila Lorn", "female"), ("Edda Lorn", "female"), ("Ivo Lorn", "male")]
    own += [(name, "sex or gender", sex) for name, sex in sexes]
    said, _, rules = told(question, from_rows([*ROWS, *own], name="world"))
    assert said == verdict
    assert not rule or rule in rules


@pytest.mark.parametrize(
    "question",
    [
        "Did Ivo Lorn read The Red Kite?",  # he lived on, and may have or not
        "Did Edda Lorn own a telephone?",
        "Would Tomas Ruhl have liked The Red Kite?",
        "Can Mila Lorn still give a concert?",
    ],
)
def test_what_is_necessary_is_not_enough(question):
    said, _, _ = told(question, world())
    assert said == ""


@pytest.mark.parametrize(
    "question",
    [
        "Would Salt Harbour be further north than Greyfell?",  # in one country
        "Would Port Amaro be more densely populated than Salt Harbour?",  # who live there, is told
    ],
)
def test_of_two_that_are_compared_nothing_else_is_told(question):
    lies = [("Greyfell", "instance of", "town"), ("Greyfell", "country", "Norway")]
    assert told(question, from_rows([*ROWS, *lies], name="world"))[0] == ""


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Could Ivo Lorn have stood beside Tomas Ruhl?", "No"),  # who was long dead
        ("Could Ivo Lorn have bought a car from Tomas Ruhl?", "No"),
        ("Could Ivo Lorn have ordered beer from Salt Harbour Brewery?", "Yes"),
        ("Might Salt Harbour Brewery have sponsored Tomas Ruhl?", "No"),
        ("Could Ivo Lorn have been influenced by Tomas Ruhl?", "Yes"),  # whose works outlived him
        ("Would people have read The Red Kite during the life of Tomas Ruhl?", "No"),
    ],
)
def test_what_takes_both_takes_a_time_at_which_both_were_there(question, verdict):
    assert told(question, world())[0] == verdict


@pytest.mark.parametrize(
    "question",
    [
        "Was Ivo Lorn a father before 1900?",
        "Could Ivo Lorn have read The Red Kite upside down?",
        "Did Ivo Lorn become a parent of triplets?",
        "Does Edda Lorn hold a Norwegian fishing record?",
    ],
)
def test_a_rule_that_leaves_a_word_of_the_question_unused_is_not_certain(question):
    verdict, certain, _ = told(question, world())
    assert not (verdict and certain)


DRIVING = [
    ("Norway", "driving side", "right"),
    ("Kenland", "instance of", "country"),
    ("Kenland", "driving side", "left"),
    ("Mosi", "instance of", "town"),
    ("Mosi", "country", "Kenland"),
]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Do people in Norway and Mosi drive on the same side of the road?", "No"),
        ("Do cars in Salt Harbour drive on the other side of the road than in Mosi?", "Yes"),
        ("Do people in Salt Harbour and Norway drive on the same side of the road?", "Yes"),
    ],
)
def test_on_which_side_one_drives_is_told_by_the_country_of_a_place(question, verdict):
    found, _, rules = told(question, from_rows([*ROWS, *DRIVING], name="roads"))
    assert found == verdict
    assert all("side" in rule for rule in rules)


def test_what_holds_tells_nothing_of_all_that_is_asked_besides():
    rule = "The Red Kite must be a novel."
    assert told("Would The Red Kite be a novel?", world())[2] == [rule]
    long = "Would The Red Kite be a novel of seven stormy winters among whales?"
    assert rule not in told(long, world())[2]


def test_what_holds_tells_nothing_of_another_who_is_named():
    alone = "Could Ivo Lorn have used a telephone?"
    assert told(alone, world())[::2] == (
        "Yes",
        ["Ivo Lorn must have lived at the time of a telephone (1876 and after)."],
    )
    for besides in ("with Tomas Ruhl", "in Salt Harbour"):
        rules = told(f"Could Ivo Lorn have used a telephone {besides}?", world())[2]
        assert not any("the time of a telephone" in rule for rule in rules)


@pytest.mark.parametrize(
    ("question", "certain"),
    [
        ("Could Ivo Lorn have read The Red Kite?", True),
        ("Did Ivo Lorn become a parent?", True),
        ("Could Tomas Ruhl ever have used a telephone himself?", True),
    ],
)
def test_a_rule_that_uses_every_word_stays_certain(question, certain):
    assert told(question, world())[1] is certain


def test_what_a_dead_man_did_is_denied_for_sure_by_dates_alone():
    assert told("Could Tomas Ruhl have read The Red Kite?", world())[1]
    assert not told("Edda Lorn had no children.", world())[1]  # nothing is there: no proof


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
def test_who_lives_later_may_tell_of_who_lived_before(question):
    said, certain, _ = told(question, world())
    assert not (said == "Incorrect" and certain)


def test_to_have_died_before_something_came_up_is_to_be_gone_by_then():
    assert told("Did Tomas Ruhl die before the first telephone was sold?", world())[:2] == (
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
def test_a_wording_without_known_words_is_matched_by_its_meaning(cue, verdict, rules):
    tools = Toolkit(world(), Offline(OneMeaning("X tied the knot.", cue)))
    params = r3.Params(pruning="truncate")
    answer, seen = drain(r3.solve("Edda Lorn tied the knot.", tools, params))
    assert answer.text.split(":")[0] == verdict
    assert [e.text for e in seen if isinstance(e, events.Axiom)] == rules
    assert not (verdict and answer.certain)


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Would silver melt at 700 degrees?", "No"),
        ("Will zinc melt at 500 degrees Celsius?", "Yes"),
        ("Does water boil at 105 degrees?", "Yes"),
        ("Does water freeze at minus 3 degrees?", "Yes"),
        ("Does water freeze at 3 degrees?", "No"),
        ("Is copper liquid at 900 degrees?", "No"),
        ("Is zinc molten at 450 degrees?", "Yes"),
        ("Is wax solid at room temperature?", "Yes"),
        ("Would a lump of lead sink in liquid mercury?", "No"),
        ("Does an ice cube float in alcohol?", "No"),
        ("Nickel is attracted by a magnet.", "Correct"),
        ("Does a magnet attract silver?", "No"),
        ("Is bacon halal?", "No"),
        ("Lobster is not kosher.", "Correct"),
        ("Is bread suitable for a person with celiac disease?", "No"),
        ("Would a vegan eat an omelette?", "No"),
        ("May vegetarians eat cheese?", "Yes"),
        ("Do you need a racket for tennis?", "Yes"),
        ("Basketball is played without a ball.", "Incorrect"),
        ("Penguins cannot fly.", "Correct"),
        ("May a vegan eat feta?", "No"),
        ("A vegetarian would turn down a plate of paella.", "Correct"),
        ("Would a lump of gold sink in the Dead Sea?", "Yes"),
    ],
)
def test_matter_food_and_games_are_known_by_constants_of_their_kinds(question, verdict):
    assert told(question, world()) == (verdict, False, told(question, world())[2])


LANDS = [
    ("Peru", "continent", "South America"),
    ("Peru", "official language", "Spanish"),
    ("Chile", "official language", "Spanish"),
    ("Peru", "shares border with", "Chile"),
    ("Chile", "shares border with", "Peru"),
    ("Old Lighthouse", "instance of", "lighthouse"),
    ("Old Lighthouse", "located in the administrative territorial entity", "Salt Harbour"),
    ("Old Lighthouse", "inception", "1800"),
    ("New Lighthouse", "instance of", "lighthouse"),
    ("New Lighthouse", "inception", "1950"),
    ("Greyfell", "instance of", "town"),
    ("Greyfell", "country", "Poland"),
    ("Mila Lorn", "instance of", "human"),
    ("Mila Lorn", "father", "Ivo Lorn"),
    ("Mila Lorn", "child", "Pia Lorn"),
    ("Pia Lorn", "instance of", "human"),
    ("Pia Lorn", "mother", "Mila Lorn"),
]


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Is it spring in Chile in October?", "Yes"),
        ("Is it autumn in Norway in April?", "No"),
        ("Do people in Chile celebrate Christmas in summer?", "Yes"),
        ("Can one walk from Peru to Chile?", "Yes"),
        ("Is it possible to drive from Norway to Greyfell without a ferry?", "Yes"),
        ("Can you drive from Norway to Peru?", "No"),
        ("Do Peruvians need a passport to visit Norway?", "Yes"),
        ("Could a Peruvian and a Chilean share a mother tongue?", "Yes"),
        ("Could Tomas Ruhl have painted a portrait of Edda Lorn?", "No"),
        ("Could Ivo Lorn have played a sonata by Tomas Ruhl?", "Yes"),
        ("Tomas Ruhl might have read a novel by Ivo Lorn.", "Incorrect"),
        ("It is possible that Ivo Lorn met Edda Lorn.", "Correct"),
        ("You cannot walk from Peru to Chile.", "Incorrect"),
        ("Peru is not reached on foot from Norway.", "Correct"),
        ("Would a trip from Salt Harbour to Port Amaro take you abroad?", "Yes"),
        ("Can you find the Old Lighthouse in Salt Harbour?", "Yes"),
        ("Can you find the Old Lighthouse in Port Amaro?", "No"),
        ("The Old Lighthouse was built before the New Lighthouse.", "Correct"),
        ("Is the Old Lighthouse more recent than the New Lighthouse?", "No"),
        ("Was Ivo Lorn the father of Mila Lorn?", "Yes"),
        ("Tomas Ruhl was the father of Mila Lorn.", "Incorrect"),
        ("Could Ivo Lorn be the grandfather of Pia Lorn?", "Yes"),
        ("Is it earlier in the day in Chile than in Norway?", "Yes"),
        ("Was Edda Lorn born too late to meet Tomas Ruhl?", "Yes"),
        ("could tomas ruhl have met edda lorn?", "No"),
        ("Did Tomas Ruhl die too early to have met Edda Lorn?", "Yes"),
        ("Tomas Ruhl lived far too early to meet Edda Lorn.", "Correct"),
        ("Ivo Lorn was born too late to meet Edda Lorn.", "Incorrect"),
        ("Was Ivo Lorn born too late to meet Edda Lorn?", "No"),
    ],
)
def test_places_times_and_kin_are_known_by_the_graph(question, verdict):
    assert told(question, from_rows([*ROWS, *LANDS], name="lands"))[0] == verdict


@pytest.mark.parametrize(
    "question",
    [
        "Do you need a dictionary for chess?",  # no list of what a game takes is whole
        "Is the Old Lighthouse seen in snow?",  # snow is no place
        "Would a careful painter from Oslo find the Old Lighthouse in Port Amaro ugly?",
    ],
)
def test_what_these_rules_do_not_tell_is_left_open(question):
    assert told(question, from_rows([*ROWS, *LANDS], name="lands"))[0] == ""
