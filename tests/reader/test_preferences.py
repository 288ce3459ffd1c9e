"""What is chosen for somebody, and what it must not have."""

from kgqa_core.ask import preferences
from kgqa_core.ask.audit import audited
from kgqa_core.ask.outcome import audit_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.facts.premises import Premise
from kgqa_core.facts.terms import Entity, Relation, Statement
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.r3 import algorithm as r3
from kgqa_core.methods.r3.skills import ToSurface
from kgqa_core.opening import open_auditor
from kgqa_core.reader.commonsense import commonsense
from kgqa_core.reader.preferences import preference
from kgqa_core.reader.surfacer import Surfacer

READER = open_auditor("reader")


def test_every_sentence_of_a_choice_is_supported():
    rows = [
        ("user", "religion", "Islam"),
        ("user", "shown allergy to", "peanut butter"),
        ("Oyster soup with wine", "has ingredient", "white wine"),
        ("Oyster soup with wine", "has ingredient", "oyster"),
        ("Creamy oyster soup", "has ingredient", "milk"),
    ]
    kg = preferences.graph_of(rows, starter_graph())
    options = ["Oyster soup with wine", "Creamy oyster soup"]
    question = preferences.question_of("I want something warm with oysters", options)
    params = r3.Params(task="preference", pruning="truncate")
    records = list(run(question, audited(r3.solve, READER), Toolkit(kg, Offline()), params))
    found = audit_of(records)
    assert len(found.facts) > 3
    assert found.support == 1, [c for c in found.facts if c.mark != "supported"]


def premises(*facts: tuple[str, str]) -> list[Premise]:
    """What a choice for Ann has to meet, of whom this is known."""
    ann = Entity("urn:ann", "Ann")
    known = [
        Statement(ann, Relation(f"r:{n}", relation), Entity(f"urn:{n}", value))
        for n, (relation, value) in enumerate(facts)
    ]
    given = ToSurface(
        question="I want a soup", task="preference", user="Ann", anchors=["Ann"], facts=known,
        options=["Leek soup"],
    )  # fmt: skip
    return preference(Surfacer(given, commonsense())).premises


def test_a_choice_fits_what_is_wished_for():
    (fits,) = premises(("occupation", "miller"))
    assert "fits the query “I want a soup”" in fits.text


def test_what_somebody_dislikes_or_must_not_have_is_not_in_it():
    _, onion, milk = premises(("dislikes", "onion rings"), ("allergic to", "milk allergy"))
    assert onion.operator == milk.operator == "≠"
    assert onion.right is not None
    assert milk.right is not None
    assert "onion" in onion.right.constants
    assert "cheese" in milk.right.constants
