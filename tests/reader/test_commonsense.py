"""The built-in reader's rule base: its files are read whole, or the line at fault is named."""

import shutil

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.reader.commonsense import AXIOMS, Commonsense, commonsense


@pytest.fixture
def folder(tmp_path):
    return shutil.copytree(AXIOMS, tmp_path / "axioms")


def test_people_of_a_country_are_no_things_of_it():
    known = commonsense()
    assert known.lands_of("Could a Swede and a Mexican talk?") == ["Mexico", "Sweden"]
    assert known.lands_of("Is Mexican food hot?") == []


def test_every_rule_can_be_stated_and_asks_for_something():
    rules = commonsense()
    assert len({topic.name for topic in rules.topics}) == len(rules.topics)
    for topic in rules.topics:
        assert "{X}" in topic.rule, topic.name
        assert topic.about, topic.name
        assert topic.wants, topic.name


def test_every_group_that_a_table_names_exists():
    rules = commonsense()
    used = {group for _, one, other in rules.sameness for group in (one, other)}
    used |= {group for _, _, groups in rules.measures for group in groups} - {"birth"}
    used |= {group for _, group in rules.countables}
    used |= {group for *_, group in rules.turns}
    assert used <= set(rules.groups)
    assert set(rules.forbidden) <= {topic.name for topic in rules.topics}


def test_a_topic_of_ones_own_is_taken_up(folder):
    with (folder / "topics.txt").open("a", encoding="utf-8") as file:
        file.write("\n[juggling]\nabout: juggle\nfor work: juggler\nrule: {X} must be a juggler.\n")
    topic = Commonsense(folder).topics[-1]
    assert (topic.name, topic.wants) == ("juggling", [(True, "work", ("juggler",))])


@pytest.mark.parametrize(
    ("file", "line", "problem"),
    [
        ("topics.txt", "[x]\nmaybe work: cook", "“maybe work” is no key of a topic"),
        ("topics.txt", "[x]\nabout", "write `about: …` in a \\[topic\\]"),
        ("topics.txt", "[x]\nfor work: @nobody", "no class “@nobody”"),
        ("topics.txt", "[x]\nfor nothing: cook", "“for nothing” is no key of a topic"),
        ("counts.tsv", "a\tb\tc", "counts.tsv, line .* takes 2 columns"),
    ],
)
def test_a_line_that_cannot_be_read_is_named(folder, file, line, problem):
    with (folder / file).open("a", encoding="utf-8") as opened:
        opened.write(f"\n{line}\n")
    with pytest.raises(SettingsError, match=problem):
        Commonsense(folder)


def test_every_country_belongs_somewhere_and_has_a_capital():
    lands = commonsense().countries.values()
    assert {c.coast for c in lands} == {"coast", "landlocked", "island"}
    assert {name for c in lands for name in c.continents} == {
        "Africa",
        "Asia",
        "Europe",
        "North America",
        "Oceania",
        "South America",
    }
    assert [c.name for c in lands if not c.capitals] == ["Western Sahara"]
    assert all(c.languages for c in lands)
