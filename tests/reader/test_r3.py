"""What the reader knows by itself of common sense, without a model, as R3 asks it."""

import numpy as np
import pytest

from kgqa_core.ask import events
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.union import from_rows, overlay, personal
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.search import Params
from kgqa_core.methods.r3.skills import ToName
from kgqa_core.reader.r3 import Judge, Surface, missing
from kgqa_core.reader.reader import Reader
from tests.reader.world import world

ROWS = [
    ("Ada Berg", "spouse", "Bea Stone"),
    ("Ada Berg", "occupation", "cook"),
    ("Ada Berg", "date of birth", "1890-02-01"),
    ("Ada Berg", "date of death", "1950"),
    ("Bea Stone", "occupation", "singer"),
    ("Bea Stone", "religion or worldview", "Judaism"),
    ("Cal Roe", "occupation", "cook"),
    ("Long Bridge", "inception", "1960"),
]


@pytest.fixture(scope="module")
def kg():
    return from_rows(ROWS, name="people")


@pytest.fixture(scope="module")
def built_in(kg):
    def asked(question, graph=None, **params):
        tools = Toolkit(graph or kg, Offline())
        return drain(r3.solve(question, tools, Params(**params)))

    return asked


@pytest.mark.parametrize(
    ("question", "verdict"),
    [
        ("Could Ada Berg have crossed Long Bridge?", "No"),
        ("Could Ada Berg have used a smartphone?", "No"),
        ("Does Ada Berg's wife sing for a living?", "Yes"),
        ("Would Ada Berg's wife avoid a dish with ham?", "Yes"),
        ("Do Ada Berg and Cal Roe have the same profession?", "Yes"),
        ("True or false: Ada Berg never married.", "Incorrect"),
        ("True or false: Ada Berg was born in the 19th century.", "Correct"),
        ("True or false: Cal Roe knows how to prepare food.", "Correct"),
    ],
)
def test_the_built_in_reader_knows_common_sense(built_in, question, verdict):
    answer, _ = built_in(question)
    assert answer.text.split(":")[0] == verdict
    assert answer.grounding == "grounded"


def test_no_passport_tells_where_somebody_was_born(built_in, kg):
    facts = (
        "Nell Vane\tinstance of\thuman\n"
        "Nell Vane\tcountry of citizenship\tGermany\n"
        "Nell Vane\tplace of birth\tThal\n"
    )
    graph = overlay(personal(facts, kg), kg)
    answer, _ = built_in("Was Nell Vane born in Germany?", graph)
    assert not answer.text.startswith("Yes")
    answer, _ = built_in("Does Nell Vane have a German passport?", graph)
    assert answer.text.startswith("Yes")


@pytest.mark.parametrize(
    "question",
    ["Who directed Inception?", "Since when is Ada a cook?", "Which is older, Ada or Bea?"],
)
def test_a_question_that_is_not_of_yes_or_no_is_refused_at_once(built_in, question):
    answer, seen = built_in(question)
    assert "yes or no" in answer.reason
    assert seen == []


def test_a_question_without_an_entity_is_undetermined(built_in):
    answer, _ = built_in("Could Zorp Quux have met anybody?")
    assert answer.reason.startswith("Undetermined because no entity of the query was found")


def test_a_rejected_axiom_is_not_used_again(built_in):
    question = "Could Ada Berg have crossed Long Bridge?"
    _, seen = built_in(question)
    rule = next(e.text for e in seen if isinstance(e, events.Axiom))
    _, other = built_in(question, rejected=rule)
    assert rule not in [e.text for e in other if isinstance(e, events.Axiom)]


class Hears:
    """An encoder to which all texts mean the same, or each something else."""

    ready = True

    def __init__(self, alike):
        self.alike = alike

    def encode(self, texts):
        return np.ones((len(texts), 1)) if self.alike else np.eye(len(texts))


@pytest.mark.parametrize(("alike", "verdict"), [(True, "Yes"), (False, "")])
def test_a_rule_of_thumb_that_is_far_from_the_question_decides_nothing(alike, verdict):
    tools = Toolkit(world(), Offline(Hears(alike)))
    question = "Could Edda Lorn play in an orchestra?"
    answer, _ = drain(r3.solve(question, tools, r3.Params(pruning="truncate")))
    assert answer.text.split(":")[0] == verdict


def named_by(text, *facts, read=()):
    given = ToName(question="?", axiom="", facts=list(facts), lacking=[text], read=list(read))
    return missing(given).name


def test_what_is_lacking_is_named_by_the_longest_name_of_the_facts():
    bay, north = Entity("urn:1", "Reed Bay"), Entity("urn:2", "Reed Bay North")
    fact = Statement(bay, Relation("r:1", "part of"), north)
    assert named_by("the owner of Reed Bay North", fact) == "Reed Bay North"
    assert named_by("the owner of Reed Bay North", fact, read=["Reed Bay North"]) == "Reed Bay"
    assert named_by("the owner of the mill", fact) == ""


@pytest.mark.parametrize(
    ("question", "plain"),
    [
        ("Is Ada Berg a cook?", True),
        ("Could Ada Berg be a cook?", False),
        ("Was Ada Berg alive in 1920?", False),
        ("Who is Ada Berg?", False),
    ],
)
def test_a_question_is_plain_where_the_reader_reads_it_as_a_claim(question, plain):
    assert Surface(Reader(), Judge(None)).is_plain(question) is plain
