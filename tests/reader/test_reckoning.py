"""Sentences that no single fact states: the audit reckons them over, by the facts they cite."""

import pytest

from kgqa_core.ask.audit import audited
from kgqa_core.ask.outcome import audit_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.skills import Said, ToVerify
from kgqa_core.facts.terms import DATE, DECIMAL, STRING, YEAR, Entity, Literal, Relation, Statement
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.opening import open_auditor
from kgqa_core.reader.audit import list_claims, verify

READER = open_auditor("reader")
WD = "http://www.wikidata.org/entity/"
PLAIN = {
    "born": Relation(f"{WD}P569", "date of birth"),
    "died": Relation(f"{WD}P570", "date of death"),
    "height": Relation(f"{WD}P2048", "height"),
    "at": Relation(f"{WD}P625", "coordinate location"),
    "child": Relation(f"{WD}P40", "child"),
    "spouse": Relation(f"{WD}P26", "spouse"),
    "team": Relation(f"{WD}P54", "member of sports team"),
    "food": Relation(f"{WD}P527", "has part(s)"),
}
NEWTON, EINSTEIN, ANNA, BERTA, TOTTI, ROMA, TOWER, DOME, SOUP = (
    Entity(f"{WD}Q{n}", name)
    for n, name in enumerate(
        ("Isaac Newton", "Albert Einstein", "Anna Bo", "Berta Li", "Francesco Totti", "A.S. Roma",
         "White Tower", "Blue Dome", "Fish Soup"),
        1,
    )
)  # fmt: skip


def fact(subject, relation, value):
    if isinstance(value, str):
        value = Literal(value, DATE if value.count("-") == 2 else YEAR)
    if isinstance(value, int):
        value = Literal(str(value), DECIMAL)
    return Statement(subject, PLAIN[relation], value)


def thing(name):
    return Entity(f"{WD}{name}", name)


LIVES = (
    fact(EINSTEIN, "born", "1879-03-14"),
    fact(EINSTEIN, "died", "1955"),
    fact(NEWTON, "born", "1642"),
    fact(NEWTON, "died", "1727"),
)
HEIGHTS = (fact(TOWER, "height", 49), fact(DOME, "height", 12))
CHILDREN = tuple(fact(ANNA, "child", thing(n)) for n in ("Carl", "Dora", "Emil"))
WEDDING = (fact(ANNA, "spouse", TOTTI), fact(TOTTI, "team", ROMA))
PARTS = tuple(fact(SOUP, "food", thing(n)) for n in ("carp", "leek"))
PLACES = tuple(
    Statement(e, PLAIN["at"], Literal(f"Point({east} {north})", STRING))
    for e, east, north in ((TOWER, "10.5", "48.25"), (DOME, "-3.1", "51.5"))
)
BOTH = "{a} (born {b}, died {c}) was {order} {d} (born {e}, died {f})"


def lives(order, b="14 March 1879", c="1955", e="1642", f="1727"):
    return BOTH.format(a="Albert Einstein", b=b, c=c, order=order, d="Isaac Newton", e=e, f=f)


def judged(claim, facts, cited=None, question="Tell me.", **more):
    cited = len(facts) if cited is None else cited
    given = ToVerify(question=question, claim=claim, facts=list(facts), cited=cited, **more)
    return verify(given)


@pytest.mark.parametrize(
    ("claim", "facts", "verdict", "deciding"),
    [
        # lifetimes: four facts, then two
        (lives("after"), LIVES, "supported", [0, 1, 2, 3]),
        (lives("before"), LIVES, "contradicted", [0, 1, 2, 3]),
        (lives("at the same time as"), LIVES, "contradicted", [0, 1, 2, 3]),
        (lives("not at the same time as"), LIVES, "supported", [0, 1, 2, 3]),
        (lives("after", e="1742"), LIVES, "contradicted", [2]),
        ("Isaac Newton died in 1727, before Albert Einstein was born in 1879", LIVES,
         "supported", [3, 0]),
        ("Isaac Newton died in 1727, after Albert Einstein was born in 1879", LIVES,
         "contradicted", [3, 0]),
        # ages: two facts, or one
        ("Albert Einstein (born 14 March 1879, died 1955) was 75 or 76 years old at the end",
         LIVES, "supported", [0, 1]),
        ("Albert Einstein (born 14 March 1879, died 1955) was 70 years old at the end",
         LIVES, "contradicted", [0, 1]),
        ("Albert Einstein (born 14 March 1879) was 25 or 26 years old in 1905", LIVES,
         "supported", [0]),
        ("Albert Einstein (born 14 March 1889) was 15 years old in 1905", LIVES,
         "contradicted", [0]),
        # amounts: two facts
        ("White Tower (49 metres) is taller than Blue Dome (12 metres)", HEIGHTS,
         "supported", [0, 1]),
        ("White Tower (49 metres) is shorter than Blue Dome (12 metres)", HEIGHTS,
         "contradicted", [0, 1]),
        ("The height of White Tower, 49, is not more than 12, the height of Blue Dome", HEIGHTS,
         "contradicted", [0, 1]),
        ("White Tower (59 metres) is taller than Blue Dome (12 metres)", HEIGHTS,
         "unsupported", []),
        ("Blue Dome (51.50° north) lies further north than White Tower (48.25° north)", PLACES,
         "supported", [1, 0]),
        ("Blue Dome (3.10° west) lies further east than White Tower (10.50° east)", PLACES,
         "contradicted", [1, 0]),
        # counts: three facts
        ("Anna Bo has three children", CHILDREN, "supported", [0, 1, 2]),
        ("Anna Bo has 5 children", CHILDREN, "contradicted", [0, 1, 2]),
        ("The number of values of child of Anna Bo, 3, is at least 2", CHILDREN,
         "supported", [0, 1, 2]),
        ("The number of values of child of Anna Bo, 3, is not at least 2", CHILDREN,
         "contradicted", [0, 1, 2]),
        # two facts on the way from one name to the other
        ("Anna Bo's husband has played for A.S. Roma", WEDDING, "supported", [0, 1]),
        ("Anna Bo's husband has played for Berta Li", WEDDING, "unsupported", []),
        # what is not among the values, and what is not there
        ("Of 2 values of has part(s) of Fish Soup none is onion, garlic", PARTS,
         "supported", [0, 1]),
        ("Of 2 values of has part(s) of Fish Soup none is onion, leek", PARTS,
         "contradicted", [1]),
        ("Among what the graph says of it there is nothing about the spouse of Anna Bo", CHILDREN,
         "supported", [0, 1, 2]),
        ("Among what the graph says of it there is nothing about the spouse of Anna Bo",
         (*CHILDREN, *WEDDING), "contradicted", [3]),
    ],
)  # fmt: skip
def test_a_sentence_is_reckoned_over(claim, facts, verdict, deciding):
    question = "Were there at least 2?"  # what is asked for needs no fact
    found = judged(claim, facts, question=question)
    assert (found.verdict, found.facts) == (verdict, deciding)


def test_what_is_among_other_things_does_not_count_among_these():
    facts = (*PARTS, fact(ANNA, "food", thing("onion")))
    claim = "Of 2 values of has part(s) of Fish Soup none is onion, garlic"
    assert judged(claim, facts).verdict == "supported"


def test_a_date_of_the_question_needs_no_fact():
    claim = "Isaac Newton (born 1642, died 1727) was before 1876"
    assert judged(claim, LIVES).verdict == "unsupported"
    found = judged(claim, LIVES, question="Did Newton use a telephone, there since 1876?")
    assert (found.verdict, found.facts) == ("supported", [2, 3])


def test_dates_that_are_too_coarse_show_nothing():
    facts = (fact(NEWTON, "died", "1727"), fact(EINSTEIN, "born", "1727"))
    claim = "Isaac Newton died in 1727, before Albert Einstein was born in 1727"
    assert judged(claim, facts).verdict == "unsupported"


def test_a_number_that_the_run_computed_is_supported_by_what_it_cites():
    claim, computed = "Anna Bo is grandmother of 4", ["count of Carl and Dora = 4"]
    assert judged(claim, CHILDREN, computed=computed).verdict == "supported"
    assert judged(claim, CHILDREN, computed=["count of Carl and Dora = 5"]).verdict != "supported"
    assert judged(claim, CHILDREN, cited=0, computed=computed).verdict != "supported"


def test_brackets_keep_a_sentence_together():
    told = "Anna — spouse — Totti (start time: 2005; end time: 2022); Anna — child — Carl"
    claims = [c.text for c in list_claims(Said(question="?", sentences=[told])).claims]
    assert claims == ["Anna — spouse — Totti (start time: 2005; end time: 2022)",
                      "Anna — child — Carl"]  # fmt: skip


@pytest.mark.parametrize(
    "question",
    [
        "Could Albert Einstein have met Isaac Newton?",
        "Could Oscar Wilde have read The Catcher in the Rye?",
        "Does the Dome of Soltaniyeh stand taller than the Alaviyan Dome?",
        "Could Shaquille O'Neal's kids make up a volleyball team?",
        "Was Alfred Nobel alive during World War I?",
        "Is Oslo further north than Rome?",
    ],
)
def test_what_r3_computes_is_supported(question):
    tools = Toolkit(starter_graph(), Offline())
    params = r3.Params(pruning="truncate")
    found = audit_of(list(run(question, audited(r3.solve, READER), tools, params)))
    assert found.support == 1, found.summary
    assert all(claim.mark == "supported" for claim in found.claims)
    assert all(claim.facts for claim in found.facts)


@pytest.mark.parametrize(
    ("when", "verdict"),
    [("on 2 September 1945", "supported"), ("in 1976", "contradicted"), ("in 1912", "supported")],
)
def test_whether_somebody_was_alive_at_a_date_of_the_question(when, verdict):
    claim = f"Albert Einstein (born 14 March 1879, died 1955) was alive {when}"
    assert judged(claim, LIVES[:2], question=f"Was he alive {when}?").verdict == verdict
