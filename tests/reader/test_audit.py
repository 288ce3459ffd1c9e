"""How the built-in reader splits an answer into claims, and how it judges them."""

from dataclasses import replace

import pytest

from kgqa_core.ask.skills import Said, ToVerify
from kgqa_core.facts.terms import (
    DATE,
    DECIMAL,
    YEAR,
    Entity,
    Literal,
    Passage,
    Qualifier,
    Relation,
    Statement,
)
from kgqa_core.reader.audit import list_claims, verify
from tests.small_graph import DATE_OF, DIRECTOR, FILM, LATER, PEOPLE, SIRK, ULM

BY_SIRK = Statement(FILM, DIRECTOR, SIRK)
LATER_1959 = Statement(LATER, DATE_OF, Literal("1959", YEAR))
IN_1956 = Statement(FILM, DATE_OF, Literal("1956-12-25", DATE))
FOUNDED = Statement(ULM, Relation("r:inception", "inception"), Literal("0854", YEAR))
MANY = Statement(ULM, PEOPLE, Literal("126790", DECIMAL))
MOTHER = Relation("http://www.wikidata.org/entity/P25", "mother")
BERTA = Entity("http://www.wikidata.org/entity/Q11", "Berta Schmidt")
ANNA = Entity("http://www.wikidata.org/entity/Q12", "Anna Schmidt")


def claims(*sentences, values=(), question="Who directed Written on the Wind?"):
    said = Said(question=question, sentences=list(sentences), values=list(values))
    return [c.text for c in list_claims(said).claims]


@pytest.mark.parametrize("values", [[], ["Sleep, My Love", "Pride and Prejudice"]])
def test_a_title_with_an_and_or_a_comma_is_one_claim(values):
    others = ["A Time to Love and a Time to Die", "Shockproof", *values]
    sentence = f"“films of Sirk” gave {', '.join(others[:-1])} and {others[-1]}."
    said = Said(question="Which?", sentences=[sentence], values=values)
    assert [c.answer for c in list_claims(said).claims] == others


def judged(claim, *facts, cited=0, question="Tell me.", **more):
    return verify(ToVerify(question=question, claim=claim, facts=list(facts), cited=cited, **more))


def test_bare_answers_are_one_claim_each():
    assert claims("Huron,", "and Erie.", values=["Huron", "Erie"]) == [
        "The answer: Huron",
        "The answer: Erie",
    ]
    assert claims("Huron and Erie.", values=["Huron", "Erie"]) == [
        "The answer: Huron",
        "The answer: Erie",
    ]


def test_a_verdict_and_what_it_tells_are_claims():
    assert claims("Yes: Ulm – country – Germany; Ulm – instance of – city.", values=["Yes"]) == [
        "The answer: Yes",
        "Ulm – country – Germany",
        "Ulm – instance of – city",
    ]


def test_a_number_with_what_it_counts_is_one_claim():
    assert claims("2: Erie, Huron.", values=["2"]) == ["The answer: 2"]


def test_an_amount_with_its_date_is_one_answer():
    told = claims("126,790 (as of 2023)", "and 9,000 (as of 2021).", values=["126,790", "9,000"])
    assert told == ["The answer: 126,790 (as of 2023)", "The answer: 9,000 (as of 2021)"]
    assert claims("2 (as of 2020): Erie, Huron.", values=["3"]) != ["The answer: 2"]


def test_the_date_of_an_amount_is_held_against_the_fact_too():
    when = Relation("http://www.wikidata.org/entity/P585", "point in time")
    dated = replace(MANY, qualifiers=(Qualifier(when, Literal("2023", YEAR)),))
    asked = "What is the population of Ulm?"
    for year, verdict in (("2023", "supported"), ("1923", "unsupported")):
        claim = f"The answer: 126,790 (as of {year})"
        found = judged(claim, dated, cited=1, question=asked, answer="126,790")
        assert found.verdict == verdict


@pytest.mark.parametrize("claim", ["Together that is 236.00.", "Ulm and Aalen have 236 together."])
def test_what_was_computed_of_cited_facts_is_supported_by_it(claim):
    line = "sum of 136, 100 = 236"
    assert judged(claim, MANY, cited=1, computed=[line]).verdict == "supported"
    assert judged(claim, MANY, cited=1, computed=["sum of 136, 99 = 235"]).verdict == "unsupported"
    assert judged("Together 236.", MANY, computed=[line]).verdict == "unsupported"  # of nothing


def test_a_path_is_told_step_by_step():
    assert claims("“who directed [Jaws]” gave Ann Lee and Bo Li and 3 more.") == [
        "who directed [Jaws]: Ann Lee",
        "who directed [Jaws]: Bo Li",
    ]


def test_prose_is_cut_where_a_part_stands_alone():
    assert claims("Douglas Sirk was born in Hamburg and died in Lugano; he directed films.") == [
        "Douglas Sirk was born in Hamburg",
        "Douglas Sirk died in Lugano",
        "he directed films",
    ]


def test_a_rule_names_nothing():
    said = Said(question="?", sentences=["People can only marry while they are alive."])
    assert list_claims(said).claims[0].reasoning
    said = Said(question="?", sentences=["Sirk was alive in 1956."])
    assert not list_claims(said).claims[0].reasoning


@pytest.mark.parametrize(
    ("claim", "facts", "verdict"),
    [
        ("Written on the Wind was directed by Douglas Sirk", [BY_SIRK], "supported"),
        ("Sirk directed “Written on the Wind”", [BY_SIRK], "supported"),
        ("Written on the Wind was directed by Fannie Hurst", [BY_SIRK], "contradicted"),
        ("Written on the Wind was not directed by Douglas Sirk", [BY_SIRK], "contradicted"),
        ("Written on the Wind was not directed by Fannie Hurst", [BY_SIRK], "unsupported"),
        ("Written on the Wind was written by Douglas Sirk", [BY_SIRK], "unsupported"),
        ("Written on the Wind was released in 1956", [IN_1956], "supported"),
        ("Written on the Wind was released on 25 December 1956", [IN_1956], "supported"),
        ("Written on the Wind was released on December 24, 1956", [IN_1956], "contradicted"),
        ("Written on the Wind was released in 1959", [IN_1956], "contradicted"),
        ("The population of Ulm is 126,790", [MANY], "supported"),
        ("The inception of Ulm is 854", [FOUNDED], "supported"),
        ("The inception of Ulm is 853", [FOUNDED], "unsupported"),
        ("The population of Ulm is about 127,000", [MANY], "supported"),
        ("The population of Ulm is 0.13 million", [MANY], "supported"),
        ("The population of Ulm is 200,000", [MANY], "contradicted"),
        ("Ulm lies on the Danube", [MANY], "unsupported"),
        (
            "Douglas Sirk directed Written on the Wind in 1959",
            [BY_SIRK],
            "unsupported",
        ),
        (
            "Berta Schmidt is the mother of Anna Schmidt",
            [Statement(ANNA, MOTHER, BERTA)],
            "supported",
        ),
        (
            "Anna Schmidt is the mother of Berta Schmidt",
            [Statement(ANNA, MOTHER, BERTA)],
            "contradicted",
        ),
        ("Ulm is in Germany", [], "unsupported"),
    ],
)
def test_a_claim_is_judged_by_names_relation_and_numbers(claim, facts, verdict):
    found = judged(claim, *facts)
    assert (found.verdict, found.facts) == (verdict, [0] if verdict != "unsupported" else [])


def test_a_cited_fact_needs_no_word_for_its_relation():
    assert judged("Sirk made Written on the Wind", BY_SIRK, cited=1).verdict == "supported"


def test_of_several_values_none_is_contradicted_by_another():
    both = [Statement(FILM, DIRECTOR, SIRK), Statement(FILM, DIRECTOR, BERTA)]
    assert (
        judged("Written on the Wind was directed by Fannie Hurst", *both).verdict == "unsupported"
    )


def test_a_passage_supports_what_it_says():
    text = Passage("p", "Ulm lies on the Danube, below the Alb.", "Ulm")
    assert judged("Ulm lies on the Danube", text).verdict == "supported"
    assert judged("Ulm lies on the Rhine", text).verdict == "unsupported"


def test_an_answer_has_to_be_connected_with_the_question():
    question = "Who directed Written on the Wind?"
    found = judged("x", IN_1956, BY_SIRK, cited=2, question=question, answer="Douglas Sirk")
    assert (found.verdict, found.facts) == ("supported", [1])
    far = Statement(LATER, DIRECTOR, SIRK)
    found = judged("x", IN_1956, far, cited=2, question=question, answer="Douglas Sirk")
    assert found.verdict == "unsupported"
    assert judged("x", IN_1956, question=question, answer="Hurst").verdict == "unsupported"


def test_an_answer_over_two_hops_names_both_facts():
    far = Statement(LATER, DIRECTOR, SIRK)
    question = "What else did the director of Written on the Wind make?"
    found = judged("x", BY_SIRK, far, cited=2, question=question, answer="Imitation of Life")
    assert (found.verdict, sorted(found.facts)) == ("supported", [0, 1])


def test_a_count_is_supported_by_what_was_counted():
    far = Statement(LATER, DIRECTOR, SIRK)
    assert judged("x", BY_SIRK, far, cited=2, answer="2").verdict == "supported"
    assert judged("x", BY_SIRK, far, cited=2, answer="3").verdict == "unsupported"
    found = judged("x", IN_1956, LATER_1959, cited=2, answer="3")
    assert (found.verdict, found.why) == ("supported", "years between")
    found = judged("x", BY_SIRK, cited=1, answer="Yes", computed=["same of a and b = Yes"])
    assert found.verdict == "supported"


def test_a_rule_is_held_against_the_axioms():
    rule = "People can only marry while they are alive"
    assert judged(rule, axioms=["A person sleeps at night."]).verdict == "unsupported"
    assert judged(rule, axioms=["People can marry only while alive."]).verdict == "supported"
