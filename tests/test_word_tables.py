"""Words that belong together stand in tables of `assets`, and each row of them is used."""

import pytest

from kgqa_core.facts.terms import Relation
from kgqa_core.llm.prompt import _choice
from kgqa_core.methods.double import halves
from kgqa_core.methods.r3.names import relation_called
from kgqa_core.methods.recast import PAST
from kgqa_core.places import ASSETS, rows

VERBS = dict(rows(ASSETS / "reader" / "verbs.tsv"))
CHOICES = list(rows(ASSETS / "choices.tsv"))
DOERS = list(rows(ASSETS / "reader" / "doers.tsv"))


@pytest.mark.parametrize(("past", "participle"), VERBS.items())
def test_a_verb_whose_past_has_no_ed_is_known_in_both_forms(past, participle):
    assert PAST.fullmatch(past)
    assert halves(f"Who {past} Ulm and when?") == (
        f"Who {past} Ulm?",
        f"When was Ulm {participle}?",
    )


def test_no_word_of_choices_means_two_things():
    said = [word for row in CHOICES for cell in row for word in cell.split("|")]
    assert sorted(set(said)) == sorted(said)


@pytest.mark.parametrize(("offered", "said"), CHOICES)
def test_what_models_write_for_a_word_of_a_choice_is_understood(offered, said):
    for word in offered.split("|"):
        assert {_choice(other, [word, "none of these"]) for other in said.split("|")} == {word}


@pytest.mark.parametrize(("called", "leads"), DOERS)
def test_a_person_is_found_by_what_they_do(called, leads):
    present = [Relation(id=label, label=label) for label in ("date", *leads.split("|"))]
    for name in called.split("|"):
        found = relation_called(name, present, lambda _: None)
        assert found is not None
        assert found.label in leads.split("|")
