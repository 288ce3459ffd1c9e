"""What all rules share: sets in view, and the relations around them."""

import pytest

from kgqa_core.facts.terms import BOOLEAN, Entity, Literal, Relation, RelationUse
from kgqa_core.reader.acting import Found, all_are, changes, denied, find_use, ids_of, lacking, twin

SET = Found("S1", (Entity("urn:1", "Nore"),), 1)
OWNER = RelationUse(Relation("r:1", "owner"), "out", 1)
OWNED = RelationUse(Relation("r:1", "owner"), "in", 2)
KEEPER = RelationUse(Relation("r:2", "keeper", "", ("owner", "warden")), "out", 1)


def test_a_doubt_stays() -> None:
    assert SET.doubted(False).certain
    assert not SET.doubted(False, True).certain
    assert not SET.doubted(True).doubted(False).certain


def test_of_several_gaps_the_widest_counts() -> None:
    partial = Found("S2", (), 0, missing="source")
    assert lacking(SET, "class").missing == "class"
    assert lacking(SET, "class", partial, SET).missing == "source"
    assert lacking(SET, "", SET).missing == ""


@pytest.mark.parametrize(("value", "no"), [("false", True), ("true", False)])
def test_a_no_is_seen(value: str, no: bool) -> None:
    assert denied(Found("S3", (Literal(value, BOOLEAN),), 1)) is no


def test_a_relation_is_found_by_its_label_before_an_alias() -> None:
    uses = [KEEPER, OWNED, OWNER]
    assert find_use(uses, ["owner"], "out") == OWNER
    assert find_use(uses, ["owner"], "in") == OWNED
    assert find_use([KEEPER], ["owner"], "out") == KEEPER
    assert find_use(uses, ["heir", "warden"], "out") == KEEPER
    assert find_use(uses, ["heir"], "out") is None


def test_the_same_relation_of_another_set_runs_the_same_way() -> None:
    other = RelationUse(OWNER.relation, "out", 9, ("Ann",))
    assert twin([OWNED, other], OWNER) == other
    assert twin([OWNED], OWNER) is None


@pytest.mark.parametrize(
    ("examples", "all_so"),
    [(("male",), True), (("male", "Male"), True), (("male", "female"), False), ((), False),
     (("male", "male", "male"), False)],
)  # fmt: skip
def test_all_are_of_a_kind_only_where_all_are_shown(examples: tuple[str, ...], all_so: bool):
    assert all_are(RelationUse(Relation("r:3", "sex"), "out", 9, examples), ["male"]) is all_so


def test_what_changes_is_asked_of_the_present() -> None:
    assert changes(RelationUse(Relation("P6", "head of government"), "out", 1))
    assert not changes(RelationUse(Relation("P19", "place of birth"), "out", 1))


def test_members_are_told_by_ids_and_values() -> None:
    assert ids_of([*SET.members, Literal("7")]) == "urn:1 | 7"
