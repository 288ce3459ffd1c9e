"""Claims, and which of two is more."""

import pytest

from kgqa_core.facts.terms import DATE, Literal, Qualifier, Relation
from kgqa_core.reader import plan as p
from kgqa_core.reader.parse import parse
from tests.reader.shapes import likeliest
from tests.reader.small import WD, ask, fact, named, of, thing


@pytest.mark.parametrize(
    ("question", "expected"),
    [
        ("Is Paris the capital of France?", "capital:role(France) ? Paris"),
        ("Did Steven Spielberg direct Jaws?", "direct:patient(Jaws) ? Steven Spielberg"),
        ("Is Jaws a film?", "Jaws isa film"),
        ("Is Ann Roth alive?", "alive(Ann Roth)"),
        ("Is Ann Roth dead?", "some(die:agent(Ann Roth))"),
        ("Does Ann Roth have more than 3 children?", "against(Ann Roth)"),
        ("Is the Nile longer than the Danube?", "Nile highest longer Danube"),
        ("Was Bach born before Mozart?", "Bach lowest first born Mozart"),
        (
            "Do Germany and Austria have the same official language?",
            "official language:role(Germany) ? official language:role(Austria)",
        ),
        (
            "Did Spain join the EU before Sweden did?",
            "join:agent(Spain & EU) lowest first join join:agent(Sweden & EU)",
        ),
    ],
)
def test_a_claim_or_comparison_is_read(question: str, expected: str) -> None:
    assert expected in likeliest(question)


def test_of_alone_links_no_two_things_where_a_relation_is_named() -> None:
    best, *others = parse("Is Ulm capital of Chad")
    assert isinstance(best.plan, p.Is)
    assert isinstance(best.plan.left, p.Hop)
    assert best.plan.left.phrase == "capital"
    linked = [r for r in others if "phrase='of'" in str(r.plan)]
    assert linked
    assert all(r.cost > best.cost + 1.5 for r in linked)


NORLAND, SUDLAND, OSTAD, WESTAD, MITTE, CITY = (
    thing(n, name) for n, name in enumerate("Norland Sudland Ostad Westad Mitte city".split(), 1)
)
CAPITALS = [
    fact(NORLAND, "P36", "capital", OSTAD),
    fact(SUDLAND, "P36", "capital", WESTAD),
    *(fact(city, "P31", "instance of", CITY) for city in (OSTAD, WESTAD, MITTE)),
]


@pytest.mark.parametrize(
    ("question", "truth"),
    [
        ("Are Ostad and Westad both cities?", "true"),
        ("Is Ostad the capital of both Norland and Sudland?", "false"),
    ],
)
def test_two_claims_at_once(question, truth):
    assert named(ask(of(CAPITALS), question)) == {truth}


def test_what_is_said_of_both_is_not_said_of_each_other():
    found = ask(of(CAPITALS), "Are Ostad and Westad both capitals?")
    assert named(found) != {"false"}


ENDED = Qualifier(Relation(f"{WD}P582", "end time"), Literal("1990-10-02", DATE))
MOVED = [  # a capital, and a former one, stated from both ends
    fact(NORLAND, "P36", "capital", WESTAD, ENDED),
    fact(NORLAND, "P36", "capital", OSTAD),
    fact(WESTAD, "P1376", "capital of", NORLAND, ENDED),
    fact(OSTAD, "P1376", "capital of", NORLAND),
]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("What is the capital of Norland?", {"Ostad"}),
        ("Which is the capital of Norland?", {"Ostad"}),
        ("Is Ostad the capital of Norland?", {"true"}),
        ("Is Westad the capital of Norland?", {"false"}),
        ("Was Westad the capital of Norland?", {"true"}),
    ],
)
def test_what_was_so_is_no_more_from_whichever_end_it_is_stated(question, said):
    assert named(ask(of(MOVED), question)) == said
    assert named(ask(of(MOVED[2:]), question)) == said
