"""Plans carried out over a handful of facts: sets joined, and members by a part of their names."""

import pytest

from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found
from kgqa_core.reader.evaluate import Evaluator
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.resolve import Resolver
from kgqa_core.reader.views import FactsView
from tests.reader.small import ask, fact, named, of, thing

NORE, SELO, ANN, BEN, CAT = (
    thing(n, name) for n, name in enumerate(("Nore", "Selo", "Ann Roth", "Ben Roth", "Cat Lund"), 1)
)
FACTS = [
    *(fact(NORE, "P463", "member", who) for who in (ANN, BEN, CAT)),
    *(fact(SELO, "P463", "member", who) for who in (CAT,)),
]
OF_NORE, OF_SELO = (p.Hop(p.Anchor(name), "member", "role") for name in ("Nore", "Selo"))


def first(plan: p.Plan) -> Found | None:
    view = FactsView(FACTS)
    return next(Evaluator(view, lexicon(), Resolver(lexicon()), "").values(plan), None)


@pytest.mark.parametrize(
    ("how", "left", "right", "who", "certain"),
    [
        ("union", OF_SELO, p.Anchor("Ann Roth"), {ANN, CAT}, True),
        ("intersection", OF_NORE, OF_SELO, {CAT}, True),
        ("minus", OF_NORE, p.Anchor("Ann Roth"), {BEN, CAT}, True),
        ("minus", OF_NORE, OF_SELO, {ANN, BEN}, False),  # nobody may have entered the others
    ],
)
def test_two_sets_are_joined(how, left, right, who, certain):
    found = first(p.Join(left, right, how))
    assert found is not None
    assert (set(found.members), found.certain) == (who, certain)


def test_where_nobody_is_left_there_is_no_answer():
    everybody = p.Join(OF_SELO, p.Anchor("Cat Lund"), "minus")
    assert first(everybody) is None


def test_what_lies_between_two_is_of_both_by_one_relation() -> None:
    chad, mali, range_, gulf = (
        thing(n, name) for n, name in enumerate(("Chad", "Mali", "Red Hills", "Dry Gulf"), 1)
    )
    kinds = {range_: thing(5, "mountain range"), gulf: thing(6, "gulf")}
    kg = of(
        [
            *(fact(range_, "P17", "country", country) for country in (chad, mali)),
            fact(gulf, "P205", "basin country", chad),
            fact(gulf, "P17", "country", mali),
            *(fact(one, "P31", "instance of", kind) for one, kind in kinds.items()),
        ]
    )
    assert named(ask(kg, "Which mountains separate Chad and Mali?")) == {"Red Hills"}
    assert not ask(kg, "Which gulf lies between Chad and Mali?").values


def test_what_borders_nothing_of_itself_is_not_asked_for() -> None:
    facts = [*FACTS, fact(ANN, "P47", "shares border with", BEN)]
    view = Evaluator(FactsView(facts), lexicon(), Resolver(lexicon()), "")
    beside = p.Hop(p.Anchor("Ann Roth"), "border", "role")
    found = next(view.values(p.Join(OF_NORE, beside, "minus")), None)
    assert found is not None
    assert set(found.members) == {CAT}
