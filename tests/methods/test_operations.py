"""Every operation that the next action may be, in a whole run over documents of real Wikidata.

A scripted model says what to do; what comes of it is held against what the documents state.
"""

import re

import pytest

from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts import compute
from kgqa_core.methods import react
from kgqa_core.methods.walk import TESTS, TOOLS, Action, Move
from tests.fakes import ScriptedLLM
from tests.servers.real_wikidata import NEEDED, RealWikidata

pytestmark = [
    pytest.mark.scale,
    pytest.mark.skipif(
        not all(path.exists() for path in NEEDED), reason="needs the documents in ../shared/data"
    ),
]

OSLO, HELSINKI, TALLINN, ROME, BERLIN, ADAMS = "S1", "S2", "S3", "S4", "S5", "S6"
NAMES = ["Oslo", "Helsinki", "Tallinn", "Rome", "Berlin", "Douglas Adams"]
IDS = ["Q585", "Q1757", "Q1770", "Q220", "Q64", "Q42"]
CITIES = f"{OSLO}|{HELSINKI}|{TALLINN}|{ROME}|{BERLIN}"  # 23, 17, 9, 21 and 34 m above the sea
NEXT, AFTER = "S7", "S8"  # what the first action makes, and what the second
COUNTRY, HIGH, BEGAN, TWIN, BORN, DIED = "P17", "P2044", "P571", "P190", "P569", "P570"


@pytest.fixture(scope="module")
def kg():
    with RealWikidata(IDS) as sites:
        yield sites.graph()


def walked(kg, *actions):
    """The answer that these actions lead to, the last set being the answer."""
    moves = [Move(thought="", **action) for action in actions]
    last = f"S{len(NAMES) + len(moves)}"
    answer = Move(thought="", tool="answer", of=last, say=f"It is {{{last}}}.")
    llm = ScriptedLLM(*moves, answer)
    anchors = list(zip(NAMES, kg.describe(IDS), strict=True))

    def solve(question, tools, params):
        return (yield from react.walked(question, anchors, tools, params))

    records = list(run("What is it?", solve, Toolkit(kg, llm), react.Params()))
    assert records[-1].event.kind == "answered", records[-1].event
    assert not llm.left
    return answer_of(records)


def keep(test, relation, value="", of=CITIES):
    return {"tool": "keep", "of": of, "relation": relation, "test": test, "value": value}


def rank(order, relation, position=1, value=""):
    return {
        "tool": "rank",
        "of": CITIES,
        "order": order,
        "relation": relation,
        "position": position,
        "value": value,
    }


def follow(of, relation, **more):
    return {"tool": "follow", "of": of, "relation": relation, **more}


def reckon(operation, of, **more):
    return {"tool": "compute", "operation": operation, "of": of, **more}


BOTH_TWINS = (follow(OSLO, TWIN), follow(HELSINKI, TWIN))
LIFE = (follow(ADAMS, BORN), follow(ADAMS, DIED))
ROWS = [
    ((follow(TALLINN, COUNTRY),), "Estonia"),
    ((follow(OSLO, COUNTRY, at="now"),), "Norway"),
    ((follow(OSLO, COUNTRY, at="1850"),), "Union between Sweden and Norway"),
    ((follow(OSLO, TWIN, value="Shanghai", qualifier="start time"),), "2001"),
    ((keep("is", COUNTRY, "Estonia"),), "Tallinn"),
    ((keep("is not", COUNTRY, "Estonia"),), "Oslo, Helsinki, Rome, Berlin"),
    ((keep("more than", HIGH, "20 m"),), "Oslo, Rome, Berlin"),
    ((keep("less than", HIGH, "20 m"),), "Helsinki, Tallinn"),
    ((keep("before", BEGAN, "1100"),), "Oslo, Rome"),
    ((keep("after", BEGAN, "1100"),), "Helsinki, Berlin"),
    ((keep("during", BEGAN, "1550"),), "Helsinki"),
    ((keep("has", BEGAN),), "Oslo, Helsinki, Rome, Berlin"),
    ((rank("highest", HIGH),), "Berlin"),
    ((rank("highest", HIGH, 2),), "Oslo"),
    ((rank("lowest", HIGH),), "Tallinn"),
    ((rank("nearest", HIGH, value="16 m"),), "Helsinki"),
    ((rank("nearest", BEGAN, value="06-10"),), "Helsinki"),
    ((rank("most", TWIN),), "Berlin"),
    ((reckon("sum", CITIES, relation=HIGH),), "104 metre"),
    ((reckon("average", CITIES, relation=HIGH),), "20.8 metre"),
    ((reckon("highest", CITIES, relation=HIGH),), "34 metre"),
    ((reckon("lowest", CITIES, relation=HIGH),), "9 metre"),
    ((reckon("more", OSLO, with_set=HELSINKI, relation=HIGH),), "true"),
    ((reckon("fewer", OSLO, with_set=HELSINKI, relation=HIGH),), "false"),
    ((*LIFE, reckon("earlier", NEXT, with_set=AFTER)), "true"),
    ((*LIFE, reckon("later", NEXT, with_set=AFTER)), "false"),
    ((reckon("equal", OSLO, with_set=OSLO, relation=HIGH),), "true"),
    ((reckon("difference", OSLO, with_set=HELSINKI, relation=HIGH),), "6 metre"),
    ((reckon("quotient", OSLO, with_set=OSLO, relation=HIGH),), "1"),
    ((reckon("sum", CITIES, relation=HIGH), reckon("product", NEXT, value="2")), "208 metre"),
    ((reckon("same", OSLO, with_set=HELSINKI, relation=COUNTRY),), "false"),
    ((keep("is", COUNTRY, "Estonia"), reckon("any", NEXT)), "true"),
    ((keep("is", COUNTRY, "Estonia"), reckon("none", NEXT)), "false"),
    ((*LIFE, reckon("years_between", NEXT, with_set=AFTER)), "49"),
    ((*LIFE, reckon("days_between", NEXT, with_set=AFTER)), "17958"),
    ((follow(ADAMS, BORN), reckon("years_later", NEXT, value="42")), "1994"),
    ((follow(ADAMS, BORN), reckon("year_of", NEXT)), "1952"),
    (({"tool": "find", "mention": "Douglas Adams"}, follow(NEXT, BORN)), "1952-03-11"),
]


@pytest.mark.parametrize(("actions", "expected"), ROWS)
def test_an_operation_gives_what_the_documents_state(kg, actions, expected):
    answer = walked(kg, *actions)
    assert {v.name for v in answer.values} == set(expected.split(", "))
    assert answer.grounding == "grounded"


@pytest.mark.parametrize(
    ("operation", "of"),
    [
        ("union", lambda one, other: one | other),
        ("intersection", lambda one, other: one & other),
        ("minus", lambda one, other: one - other),
    ],
)
def test_sets_are_joined(kg, operation, of):
    one, other = (twins(kg, name) for name in ("Oslo", "Helsinki"))
    answer = walked(kg, *BOTH_TWINS, reckon(operation, NEXT, with_set=AFTER))
    assert set(answer.values) == of(one, other)


def test_a_set_is_counted(kg):
    answer = walked(kg, follow(BERLIN, TWIN), reckon("count", NEXT))
    assert [v.name for v in answer.values] == [str(len(twins(kg, "Berlin")))]


@pytest.mark.parametrize("least", [2, 3])
def test_what_several_share_is_grouped(kg, least):
    own = [twins(kg, name) for name in NAMES[:5]]
    shared = {one for one in set().union(*own) if sum(one in some for some in own) >= least}
    assert shared
    action = {"tool": "group", "of": CITIES, "relation": TWIN, "value": str(least)}
    answer = walked(kg, action)
    assert set(answer.values) == shared
    cited = {(c.subject.name, c.object) for c in answer.citations}
    assert all(sum(end == one for _, end in cited) >= least for one in shared)


def twins(kg, name):
    ((hit, *_),) = kg.search([name])
    (facts,) = kg.statements([hit.entity], relation=kg.relation(TWIN), direction="out")
    return {s.object for s in facts}


def test_no_operation_is_left_untried():
    tried = [action for actions, _ in ROWS for action in actions]
    ends = {"more", "reckon", "answer", "give up"}  # of these, and of group, the tests around speak
    assert {a["tool"] for a in tried} | ends | {"group"} == set(TOOLS)
    assert {a["test"] for a in tried if "test" in a} == set(TESTS)
    reckoned = {a["operation"] for a in tried if "operation" in a}
    assert reckoned | {"count", "union", "intersection", "minus"} == set(compute.MEANINGS)
    text = str(Action.model_json_schema()["properties"]["operation"])
    for name, meaning in compute.MEANINGS.items():  # those of one meaning stand together
        assert re.search(rf"\b{name}\b(?:, \w+)*: {re.escape(meaning)}", text)
