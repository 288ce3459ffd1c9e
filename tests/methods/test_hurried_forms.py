"""The forms in which hurried models write their replies, and which cost no second request.

Played over twelve ordinary questions by eight methods.
"""

import json
from dataclasses import replace

import pytest

from kgqa_core.ask import skills
from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.facts.terms import (
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
)
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.llm import prompt
from kgqa_core.methods import kb_binder, kgr
from kgqa_core.methods.answering import compose
from kgqa_core.methods.pgakv.cypher import from_script
from kgqa_core.methods.pgakv.skills import ClaimVerdict, Draft
from kgqa_core.methods.r3.skills import StatedAxiom
from tests.fakes import ScriptedLLM


def fact(subject, relation, value):
    ends = [Entity(f"urn:kg:example/{name}", name) for name in (subject, value)]
    return Statement(ends[0], Relation(f"urn:kg:example/{relation}", relation), ends[1])


FACTS = [
    fact("Ilse Marrow", "spouse", "Otto Fenn"),
    fact("Ilse Marrow", "spouse", "Tomas Ruhl"),
    fact("Ilse Marrow", "place of birth", "Port Quill"),
    fact("Tomas Ruhl", "spouse", "Ilse Marrow"),
]


SINCE = (Qualifier(Relation("urn:kg:example/since", "start time"), Literal("1921", YEAR)),)
DATED = replace(FACTS[0], qualifiers=SINCE)
FIRST = fact("Ilse Marrow the First", "spouse", "Otto Fenn")


def understood(model, said, given=None):
    text = said if isinstance(said, str) else json.dumps(said)
    reply, problem = prompt.parse(model, text, given)
    assert problem == ""
    return reply


@pytest.mark.parametrize(
    "said",
    ['["Lake Orm", "Lake Imber"]', '{"names": ["Lake Orm", "Lake Imber"]}',
     'The names are:\n```json\n["Lake Orm", "Lake Imber"]\n```'],
)  # fmt: skip
def test_a_list_is_the_only_thing_that_was_asked_for(said):
    assert understood(skills.Mentions, said).mentions == ["Lake Orm", "Lake Imber"]


SCRIPT = "CREATE (a:Lake {name: 'Lake Orm'})\nCREATE (a)-[:LIES_IN]->(:Land {name: 'Norland'})"


@pytest.mark.parametrize(
    "said",
    [
        f"Plan: the lake.\n```cypher\n{SCRIPT}\n```",
        {"script": SCRIPT},
        {"plan": ["the lake", "land"], "script": SCRIPT.split("\n")},
    ],
)
def test_a_script_is_a_draft(said):
    assert understood(Draft, said).script == SCRIPT


@pytest.mark.parametrize("year", ["1769", "'1769'"])
def test_a_year_is_a_year_in_quotes_too(year):
    pseudo = from_script(f"CREATE (a:Person {{name: 'Ada Kolb', born: {year}, code: {year}}})")
    said = {s.relation.name: s.object for s in pseudo.statements}
    assert said["born"] == Literal("1769", YEAR)
    assert said["code"] == Literal("1769", DECIMAL)


def test_a_query_in_a_block_is_a_draft():
    query = "SELECT ?l WHERE { <entity:Lake_Orm> <relation:country> ?l }"
    assert understood(kb_binder.DraftReply, f"```sparql\n{query}\n```").queries == [query]


@pytest.mark.parametrize(
    ("said", "mark"),
    [
        ("true", "supported"),
        (True, "supported"),
        ("not stated", "unsupported"),
        ("Not supported", "unsupported"),
        ("partially supported", "unsupported"),
        ("false", "contradicted"),
        ("Contradicted", "contradicted"),
    ],
)
def test_a_verdict_in_other_words(said, mark):
    given = kgr.ToVerifyAll(question="q", claims=["She was born in Port Quill."], facts=FACTS)
    reply = understood(kgr.Verdicts, {"verdicts": [{"claim": 0, "verdict": said}]}, given)
    assert [v.verdict for v in reply.verdicts] == [mark]


@pytest.mark.parametrize(
    ("said", "meant"), [([0, 1], [0, 1]), ([1, 2], [0, 1]), ([1], [1]), ([2, 1], [2, 1])]
)
def test_verdicts_that_were_counted_from_one(said, meant):
    given = kgr.ToVerifyAll(question="q", claims=["She sings.", "She sails."], facts=FACTS)
    verdicts = [{"claim": n, "verdict": "unsupported"} for n in said]
    assert [
        v.claim for v in understood(kgr.Verdicts, {"verdicts": verdicts}, given).verdicts
    ] == meant


@pytest.mark.parametrize(
    ("said", "verdict"), [("supported", "keep"), ("incorrect", "replace"), ("not stated", "drop")]
)
def test_a_claim_is_kept_or_dropped_in_other_words(said, verdict):
    assert understood(ClaimVerdict, {"claim": 0, "verdict": said}).verdict == verdict


def test_correct_may_be_a_verb_where_there_is_something_to_replace():
    _, problem = prompt.parse(ClaimVerdict, '{"claim": 0, "verdict": "correct"}')
    assert "must be 'keep'" in problem


@pytest.mark.parametrize(
    ("said", "operator"),
    [("greater than", ">"), ("before", "<"), (">=", "≥"), ("!=", "≠"), ("overlap", "overlaps")],
)
def test_an_operator_in_words(said, operator):
    lake = {"entity": "Lake Orm", "function": "lifespan"}
    premise = {"text": "It is old.", "left": lake, "operator": said, "right": lake}
    axiom = understood(StatedAxiom, {"rule": "r", "premises": [premise], "guess": True})
    (found,) = axiom.premises
    assert (found.operator, found.left.function, axiom.guess) == (operator, "lifetime", "yes")


@pytest.mark.parametrize(
    ("right", "named"),
    [("1971", ["1971"]), (1971, ["1971"]), (["Orvel", "Sund"], ["Orvel", "Sund"])],
)
def test_a_name_is_a_term(right, named):
    premise = {"text": "t", "left": "Lake Orm", "operator": "is", "right": right}
    (found,) = understood(StatedAxiom, {"rule": "r", "premises": [premise]}).premises
    assert (found.left.entity, found.operator) == ("Lake Orm", "=")
    assert list(found.right.constants) == named


@pytest.mark.parametrize(
    ("said", "facts"),
    [
        (["Port Quill"], [2]),
        (["place of birth"], [2]),
        (["spouse: Otto Fenn"], [0]),
        ("Otto Fenn", [0]),
        (["place of birth: Port Quill", 1], [2, 1]),
    ],
)
def test_a_fact_is_named_by_what_no_other_has(said, facts):
    given = skills.FromFacts(question="q", facts=FACTS)
    sentence = {"text": "So it is.", "facts": said}
    reply = understood(skills.FactAnswer, {"sentences": [sentence], "values": ["x"]}, given)
    assert [list(s.facts) for s in reply.sentences] == [facts]


@pytest.mark.parametrize(
    ("text", "facts"), [("She married Otto Fenn.", None), ("Tomas Ruhl is from Port Quill.", None),
                        ("Ilse Marrow married Otto Fenn.", [0])],
)  # fmt: skip
def test_a_sentence_tells_which_of_several_facts_is_meant(text, facts):
    given = skills.FromFacts(question="q", facts=FACTS)
    said = {"sentences": [{"text": text, "facts": ["spouse"]}], "values": ["x"]}
    reply, _ = prompt.parse(skills.FactAnswer, json.dumps(said), given)
    assert (reply and list(reply.sentences[0].facts)) == facts


@pytest.mark.parametrize(
    ("said", "picked"),
    [(["child", "publisher"], [0]), (["publisher"], None), (["author", 0], [1, 0])],
)
def test_of_relations_those_that_are_there_are_picked(said, picked):
    uses = [
        RelationUse(Relation(f"P{n}", name), "out", 1) for n, name in enumerate(("child", "author"))
    ]
    given = skills.ToFollow(question="q", entities=[], relations=uses, most=3)
    reply, _ = prompt.parse(skills.Picks, json.dumps({"picked": said}), given)
    assert (reply and [p.index for p in reply.picked]) == picked


@pytest.mark.parametrize("said", ["spouse", "Tomas Ruhl", "Ilse Marrow"])
def test_what_several_facts_have_names_none(said):
    given = skills.FromFacts(question="q", facts=FACTS)
    sentence = {"text": "So it is.", "facts": [said]}
    text = json.dumps({"sentences": [sentence], "values": ["x"]})
    reply, problem = prompt.parse(skills.FactAnswer, text, given)
    assert reply is None
    assert "whole number" in problem


@pytest.mark.parametrize(
    ("question", "facts", "certain"),
    [
        ("Who was Ilse Marrow's first husband?", FACTS, False),
        ("Who was Ilse Marrow's husband?", FACTS, True),
        (
            "Who was Ilse Marrow's first husband?",
            [replace(FACTS[0], qualifiers=SINCE), *FACTS],
            True,
        ),
        ("Who was Ilse Marrow's first husband?", FACTS[:1], True),
        ("Who was married to Ilse Marrow the First?", [FIRST, *FACTS], True),
    ],
)
def test_the_first_of_what_has_no_dates_is_not_certain(question, facts, certain):
    reply = skills.FactAnswer(
        sentences=[skills.CitedSentence(text="Otto Fenn.", facts=[0])], values=["Otto Fenn"]
    )
    kg = EmbeddedGraph.build("none", [], [], [])
    answer, _ = drain(compose(question, reply, facts, Toolkit(kg, ScriptedLLM()), link=False))
    assert answer.certain is certain
    assert ("which of 2 is the first is not stated" in answer.reading) is not certain
