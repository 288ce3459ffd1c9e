"""Presets: a table of parameters as papers have them, held against the methods."""

import pytest

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.ask.skills import AnswerIfEnough, CitedSentence, Draft, Mentions, Picks, ScoredPick
from kgqa_core.errors import SettingsError
from kgqa_core.kg.union import from_rows
from kgqa_core.methods import METHODS, presets, react
from tests.fakes import ScriptedLLM, kinds

BY_PAPER = sorted({row.method for row in presets.settings()})


def test_every_row_is_a_parameter_of_a_method_and_says_where_it_is_from():
    rows = presets.settings()
    for row in rows:
        assert row.parameter in METHODS[row.method].params.model_fields, row
        assert row.where, row
    assert len({(row.method, row.parameter) for row in rows}) == len(rows)


def test_every_method_of_a_paper_has_a_preset():
    assert set(METHODS) - set(BY_PAPER) == {"compass", "rag-hybrid"}  # ours; nowhere published


@pytest.mark.parametrize("name", BY_PAPER)
def test_a_preset_fits_its_method(name):
    method = METHODS[name]
    found = presets.values(method, "as-published")
    assert set(found) == {row.parameter for row in presets.settings() if row.method == name}
    params = method.params(**found)
    assert presets.of(method, params) in (presets.PUBLISHED, presets.OURS)
    assert presets.of(method, method.params()) == presets.OURS


def test_a_preset_that_is_not_there_is_refused():
    with pytest.raises(SettingsError, match=r"Compass has no preset “as-published”: choose “ours”"):
        presets.values(METHODS["compass"], "as-published")


def test_parameters_that_are_no_preset_are_none():
    assert presets.of(METHODS["react"], react.Params(steps=3)) == ""


# -- ReAct, hop by hop ----------------------------------------------------------------------

FAMILY = from_rows(
    [
        ("Ilse", "child", "Nora"),
        ("Ilse", "spouse", "Tom"),
        ("Nora", "place of birth", "Port Quill"),
        ("The Lantern", "author", "Ilse"),
        ("Port Quill", "country", "Orvel"),
    ]
)
NOT_YET = AnswerIfEnough(sufficient=False, sentences=[], values=[])


def told(text, value):
    said = [CitedSentence(text=text, facts=[0])]
    return AnswerIfEnough(thought="", sentences=said, values=[value], sufficient=True)


def go_along(name):
    def pick(given):
        names = [use.relation.name for use in given.relations]
        assert {use.direction for use in given.relations} == {"out"}
        return Picks(thought="", picked=[ScoredPick(index=names.index(name), score=1)])

    return pick


def ask(*replies, **params):
    llm = ScriptedLLM(*replies)
    published = presets.values(METHODS["react"], presets.PUBLISHED)
    tools = Toolkit(FAMILY, llm)
    return (*drain(react.solve("Q", tools, react.Params(**published | params))), llm)


def test_two_hops_along_outgoing_statements_of_the_main_entity():
    answer, happened, llm = ask(
        Mentions(mentions=["Ilse", "Orvel"]),
        go_along("child"),
        NOT_YET,
        go_along("place of birth"),
        told("In Port Quill.", "Port Quill"),
    )
    assert answer.text == "In Port Quill."
    assert answer.grounding == "grounded"
    assert llm.left == []
    assert kinds(happened).count("expanded") == 2


def test_after_two_hops_the_bare_model_is_asked_and_its_answer_marked():
    answer, _, llm = ask(
        Mentions(mentions=["Ilse"]),
        go_along("child"),
        NOT_YET,
        go_along("place of birth"),
        NOT_YET,
        Draft(text="In Bonn.", values=["Bonn"]),
    )
    assert (answer.text, answer.grounding, answer.certain) == ("In Bonn.", "ungrounded", False)
    assert llm.left == []


def test_without_memory_it_abstains():
    answer, _, _ = ask(Mentions(mentions=["Nobody at all"]), memory="off")
    assert answer.grounding == "abstained"
    assert answer.reason == "No entity of the question was found in the graph."
    answer, _, _ = ask(Mentions(mentions=[]), memory="off")
    assert answer.reason == "No name was read in the question, so nothing was looked up."
