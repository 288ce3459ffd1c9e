"""What speaks against an answer, and what the reader does not even try."""

from __future__ import annotations

import pytest

from kgqa_core.ask.skills import FromFacts
from kgqa_core.facts.terms import (
    DATE,
    YEAR,
    Entity,
    Literal,
    Qualifier,
    Relation,
    RelationUse,
    Statement,
)
from kgqa_core.methods.react import Notebook, SetView
from kgqa_core.reader import plan as p
from kgqa_core.reader.acting import Found
from kgqa_core.reader.doubts import beyond, of_kind, sorted_otherwise, undated, unread, unweighed
from kgqa_core.reader.lexicon import lexicon
from kgqa_core.reader.parse import parse
from kgqa_core.reader.reader import Reader
from kgqa_core.reader.views import NotebookView


@pytest.mark.parametrize(
    ("question", "weighed"),
    [
        ("Who is the former wife of Douglas Sirk?", False),
        ("Who is the child of Douglas Sirk?", True),
        ("Who is the child of Douglas Sirk and who is the wife of Lana Turner?", False),
    ],
)
def test_small_words_that_matter_have_to_be_part_of_the_reading(
    question: str, weighed: bool
) -> None:
    assert unweighed(question, parse(question)[0].plan, lexicon()) is not weighed


def test_the_future_is_in_no_graph() -> None:
    assert "what will be" in beyond("What will the population of France be in 2040?")


@pytest.mark.parametrize("question", ["Who directed Psycho in Ulm?", "Who did not direct Psycho?"])
def test_words_without_a_part_in_the_plan_are_left_unread(question: str) -> None:
    plan = parse("Who directed Psycho?")[0].plan
    assert not unread("Who directed Psycho?", plan)
    assert unread(question, plan)


def test_a_year_is_part_of_the_reading() -> None:
    asked = "Who was president of Orvel in 1955?"
    when, never = (parse(text)[0].plan for text in (asked, "Who was president of Orvel?"))
    assert not undated(asked, when)
    assert undated(asked, never)
    assert not undated("Who directed 1941?", parse("Who directed 1941?")[0].plan)


def test_nobody_is_told_who_held_an_office_at_another_time() -> None:
    orvel, ann = Entity("urn:e:1", "Orvel"), Entity("urn:e:2", "Ann Tammik")
    since = Qualifier(Relation("urn:r:2", "start time"), Literal("1990", YEAR))
    fact = Statement(orvel, Relation("urn:r:1", "president"), ann, (since,))
    for year, told in (("1991", ["Ann Tammik"]), ("1985", [])):
        asked = FromFacts(question=f"Who was president of Orvel in {year}?", facts=[fact])
        assert Reader().answer(asked).values == told


def test_what_lies_somewhere_is_of_no_kind_for_that() -> None:
    ulm, ostland = Entity("urn:e:1", "Westburg"), Entity("urn:e:2", "Ostland")
    asked = FromFacts(
        question="Is Westburg the capital of Ostland?",
        facts=[Statement(ulm, Relation("urn:r:1", "country"), ostland)],
    )
    assert not Reader().answer(asked).values


def _called(name: str, *kinds: str, description: str = "") -> Found:
    """One thing with a name, of these kinds."""
    use = RelationUse(Relation("P31", "instance of"), "out", len(kinds), kinds)
    one = Entity(f"urn:{name}", name, description)
    return Found("S1", (one,), 1, (use,) if kinds else ())


@pytest.mark.parametrize(
    ("question", "found", "said", "fits"),
    [
        ("who sings in the choir", _called("Choir", "film"), "cast member", False),
        ("who founded it", _called("Reed Ltd", "company"), "founded by", True),
        ("which planet is next to Zed", _called("Hesper", "planet"), "next to", True),
        ("which planet is next to Zed", _called("Grain", "dwarf planet"), "next to", False),
        ("name all the planets of Zed", _called("Zed", "star"), "part of", False),
        ("what are the Nix books", _called("Ann Roth", "human"), "notable work", False),
        ("what are the Nix books", _called("Nix and Nox", "novel"), "part of the series", True),
        ("what alphabet is Norlandic written in", _called("Academy", "academy"), "in", False),
        ("what alphabet is Norlandic written in", _called("Latin", "alphabet"), "in", True),
        ("what currency is used in Norland", _called("Nor"), "currency", True),
        ("what did Ann Roth write", _called("Nix and Nox", "novel"), "author", True),
        ("which scientists won it", _called("Nix and Nox", "novel"), "award received", False),
        ("which scientists won it", _called("Ann Roth", "human"), "award received", True),
        ("which planets have moons", _called("Zed", description="a flag"), "has part(s)", False),
        ("which planets have moons", _called("Zed", description="a planet"), "has part(s)", True),
        ("which planets have moons", _called("Zed"), "has part(s)", True),
        ("What are the regions of Norland?", _called("Asterre", "continent"), "continent", False),
        ("What are the regions of Norland?", _called("Lower Nor", "region"), "contains", True),
        ("List the ingredients of broth", _called("leek", "vegetable"), "has part(s)", True),
    ],
)
def test_an_answer_is_of_the_kind_that_is_asked_for(
    question: str, found: Found, said: str, fits: bool
) -> None:
    assert of_kind(question, found, frozenset({said}), lexicon()) is fits


@pytest.mark.parametrize(
    ("name", "text", "certain"),
    [
        ("Medal of Norland for Best Pilot", "medal of Norland for best", False),
        ("Federal Warden of Norland", "warden of Norland", True),
    ],
)
def test_the_beginning_of_a_name_is_not_the_name(name: str, text: str, certain: bool) -> None:
    named = SetView(name="n1", mention=text, members=(Entity("urn:1", name),), size=1)
    view = NotebookView(Notebook(question="", sets=[named], actions_left=3), [text])
    found = view.anchor(text, "")
    assert found is not None
    assert found.certain is certain


@pytest.mark.parametrize(
    ("plan", "kind", "otherwise"),
    [
        (p.Hop(p.Anchor("Norland"), "border", "agent"), "ocean", True),
        (p.Hop(p.Anchor("Norland"), "border", "agent"), "lake", False),
        (
            p.Of(p.Hop(p.Anchor("Norland"), "border", "agent"), "lake"),
            "ocean",
            False,
        ),  # sorted already
    ],
)
def test_a_kind_that_was_read_as_something_else_is_looked_at(
    plan: p.Plan, kind: str, otherwise: bool
) -> None:
    found = _called("Grey Water", kind)
    question = "Which lakes border Norland?"
    assert sorted_otherwise(question, plan, found, lexicon()) is otherwise


def test_a_date_is_no_school() -> None:
    """Nor is what two words of the question happen to lead to."""
    dated = Found("S1", (Literal("1990-01-01", DATE),), 1)
    school = "Which university did the founder of Acme drop out of?"
    assert not of_kind(school, dated, frozenset(), lexicon())
    assert of_kind("Which year did Acme begin?", dated, frozenset(), lexicon())


def test_how_something_ended_is_not_when() -> None:
    war, end = Entity("urn:e:1", "Orvel War"), Literal("1918-11-11", DATE)
    ended = Statement(war, Relation("urn:r:1", "end time"), end)
    for question, told in (("How did the Orvel War end?", []), ("When did it end?", None)):
        asked = question.replace("it", "the Orvel War") if told is None else question
        assert Reader().answer(FromFacts(question=asked, facts=[ended])).values == (
            ["1918-11-11"] if told is None else told
        )


@pytest.mark.parametrize(("asked", "certain"), [("are the seas", False), ("is the sea", True)])
def test_one_of_several_that_are_asked_for_is_not_certain(asked: str, certain: bool) -> None:
    land, sea = Entity("urn:e:1", "Orvel"), Entity("urn:e:2", "Dun Sea")
    lies = Statement(land, Relation("urn:r:sea", "located in or next to body of water"), sea)
    told = Reader().answer(FromFacts(question=f"What {asked} of Orvel?", facts=[lies]))
    assert told.values == ["Dun Sea"]
    assert told.certain == certain


def test_how_somebody_was_born_is_not_where() -> None:
    ann, orvel = Entity("urn:e:1", "Ann Roth"), Entity("urn:e:2", "Orvel")
    born = Statement(ann, Relation("urn:r:born", "place of birth"), orvel)
    for question, told in (("How was Ann Roth born?", []), ("Where was Ann Roth born?", ["Orvel"])):
        assert Reader().answer(FromFacts(question=question, facts=[born])).values == told
