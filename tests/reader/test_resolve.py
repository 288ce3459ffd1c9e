"""A phrase, and the relations of a graph that it may mean."""

from __future__ import annotations

import pytest

from kgqa_core.facts.terms import Relation, RelationUse
from kgqa_core.reader import resolve
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.plan import Form


def test_a_relation_is_called_what_its_own_graph_calls_it() -> None:
    here = Relation("http://www.wikidata.org/entity/P161", "cast member", "", ("starring",))
    there = Relation("http://www.wikidata.org/entity/P161", "actor", "", ("played by",))
    assert resolve.names(here) == {"cast member", "starring", "p161"}
    assert resolve.names(there) == {"actor", "played by", "p161"}


BORN = RelationUse(Relation("P19", "place of birth"), "out", 1)
MADE = RelationUse(Relation("P57", "director", "", ("directed by",)), "in", 3)
MADE_BY = RelationUse(Relation("P57", "director", "", ("directed by",)), "out", 1)
MILL = RelationUse(Relation("r:1", "mill keeper"), "out", 1)


def best(phrase: str, form: Form, *uses: RelationUse, **more: str) -> RelationUse | None:
    found = resolve.Resolver(lexicon()).candidates(phrase, form, uses, **more)
    return found[0].uses[0] if found else None


def test_a_verb_is_followed_from_whoever_does_it_and_back() -> None:
    assert best("directed", "agent", MADE, MADE_BY) == MADE
    assert best("directed", "patient", MADE, MADE_BY) == MADE_BY
    assert best("director", "role", MADE, MADE_BY) == MADE_BY


def test_a_phrase_of_no_table_is_held_against_labels() -> None:
    assert best("mill keeper", "role", BORN, MILL) == MILL
    assert best("keeper of the mill", "role", BORN, MILL) == MILL
    assert best("harpsichord", "role", BORN, MILL) is None


def test_what_is_wanted_has_to_fit_the_values() -> None:
    assert best("born", "agent", BORN, want="place") == BORN
    assert best("born", "agent", BORN, want="time") is None


@pytest.mark.parametrize(
    ("label", "examples", "kind"),
    [
        ("date of paving", (), "time"),
        ("number of doors", (), "number"),
        ("weir", ("1,204", "88"), "number"),
        ("keeper", ("Ann Roth",), ""),
    ],
)
def test_the_kind_of_values_is_told_by_label_or_examples(label, examples, kind) -> None:
    use = RelationUse(Relation("r:9", label), "out", 2, examples)
    assert resolve.Resolver(lexicon()).kind_of(use) == kind
    back = RelationUse(use.relation, "in", 2, examples)
    assert resolve.Resolver(lexicon()).kind_of(back) == ""


@pytest.mark.parametrize(
    ("name", "form", "direction"),
    [
        ("keeper", "role", "out"), ("keeper of", "role", "in"), ("kept by", "agent", "in"),
        ("keeps", "agent", "out"), ("keeps", "patient", "in"),
    ],
)  # fmt: skip
def test_the_usual_direction_is_told_by_how_a_relation_is_called(name, form, direction) -> None:
    assert resolve.expected(name, form) == direction
