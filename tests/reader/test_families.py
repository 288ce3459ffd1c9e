"""Families of axioms: rows of a table, read whole, and filled from a question and its facts."""

import shutil

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.reader.commonsense import AXIOMS, Commonsense, commonsense
from kgqa_core.reader.families import Side, clause, slot_of
from kgqa_core.reader.slots import SLOTS


def test_every_row_has_tables_and_groups_that_exist():
    rules = commonsense()
    names = [family.name for family in rules.families]
    assert len(set(names)) == len(names)
    for family in rules.families:
        assert family.cues, family.name
        assert "{X}" in family.rule, family.name
        assert set(family.slots) <= set(SLOTS), family.name
        for one in family.clauses:
            for side in (one.left, one.right or Side()):
                groups = [step.partition(":")[0] for step in side.path if not slot_of(step)]
                assert set(groups) <= {*rules.groups, "homeland"}, family.name


def test_a_premise_is_read_as_path_operator_and_constants():
    one = clause("X/spouse/birth < Y.lifetime")
    assert (one.left.path, one.operator) == (("spouse", "birth"), "<")
    assert (one.right.who, one.right.function) == ("Y", "lifetime")
    assert clause("X/work = cook | baker").right.constants == ("cook", "baker")
    assert clause("X/{turn}.lifetime {year} {year}.lifetime").right.slot == "year"


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(AXIOMS, tmp_path / "axioms")


@pytest.mark.parametrize(
    ("lines", "problem"),
    [
        ("[x]\nmaybe: yes", "“maybe” is no key of a family"),
        ("[x]\nrule: {X} must be.", "takes `premise: …` and `rule: …`"),
        ("[x]\npremise: spouse absent\nrule: {X}.", "“spouse absent” is no premise"),
        ("[x]\npremise: X/spouse maybe Y\nrule: {X}.", "“maybe” is no operator"),
        ("[x]\nwho: nobody\npremise: X/spouse absent\nrule: {X}.", "who is one or two of"),
        ("[x]\nwords: <nothing>\npremise: X/spouse absent\nrule: {X}.", "no <nothing>"),
    ],
)
def test_a_row_that_cannot_be_read_is_named(folder, lines, problem):
    with (folder / "families.txt").open("a", encoding="utf-8") as file:
        file.write(f"\n{lines}\n")
    with pytest.raises(SettingsError, match=rf"families\.txt, line .*{problem}"):
        Commonsense(folder)


def test_a_row_of_ones_own_is_taken_up(folder):
    with (folder / "families.txt").open("a", encoding="utf-8") as file:
        file.write(
            "\n[widowed]\nwords: a widow\npremise: X/spouse/death exists\n"
            "rule: The spouse of {X} must have died.\ncues: X is a widow.\n"
        )
    row = Commonsense(folder).families[-1]
    assert (row.name, row.clauses[0].left.path) == ("widowed", ("spouse", "death"))


def test_who_shares_the_country_of_a_thing_has_not_for_certain_to_do_with_it() -> None:
    family = next(f for f in commonsense().families if f.name == "of the country of it")
    assert not family.strict
