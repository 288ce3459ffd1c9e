"""The compare page under AppTest, nothing patched."""

import json
import re

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.methods import METHODS
from kgqa_core.render.sorts import SORTS
from kgqa_core.screens import session
from kgqa_core.screens.compare import panes, together
from tests.patience import PATIENCE_S
from tests.screens.pages import APP

QUESTION = "Who directed Inception?"


@pytest.fixture
def app(app):
    return app.switch_page("pages/compare.py").run()


def compare(app, question=QUESTION):
    app.text_input(key="compare_question").set_value(question)
    app.button(key="compare_button").click()
    app.run()
    return finish(app)


def finish(app):
    runs = [session.runs().get(i) for i in app.session_state["comparing"].split(",")]
    assert all(run.wait(PATIENCE_S) for run in runs), "a run does not end"
    app.run()
    assert not app.exception
    return runs


def text(app):
    kinds = (app.markdown, app.caption, app.error, app.warning)
    return "\n".join(e.value for kind in kinds for e in kind)


def graphs(app):
    return [c.proto.json for c in app.get("bidi_component") if '"svg"' in (c.proto.json or "")]


def look_by(app, view):
    control = next(c for c in app.get("button_group") if c.label == "Compare by")
    control.set_value(view)
    app.run()
    assert not app.exception


def test_the_empty_page_says_what_to_do(app):
    assert not app.exception
    assert "Choose two to six methods" in text(app)
    assert app.pills(key="compare_example").options


def test_two_methods_walk_side_by_side_in_shared_places(app):
    runs = compare(app)
    assert [run.header.method for run in runs] == ["compass", "react"]
    assert len(graphs(app)) == 2
    assert "Both agree: Christopher Nolan" in text(app)
    assert app.query_params["runs"] == ",".join(run.header.id for run in runs)
    nolan = r'data-id=.?"http://www.wikidata.org/entity/Q25191.?"'
    pictures = [json.loads(g)[0]["svg"] for g in graphs(app)]
    tags = [re.search(r"<g [^>]*" + nolan, p)[0] for p in pictures]
    assert len({re.search(r"translate\([^)]*\)", tag)[0] for tag in tags}) == 1


def test_of_many_values_the_headline_tells_a_few_and_how_many_more(app):
    compare(app, "Which films did Alfred Hitchcock direct before 1950?")
    (headline,) = [m.value for m in app.markdown if m.value.startswith("#### ")]
    assert re.fullmatch(r"#### Both agree: Blackmail, [^,]+, [^,]+ and \d+ more", headline)


def test_a_link_and_a_page_switch_restore_the_comparison(app):
    runs = compare(app)
    other = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    other.query_params["runs"] = ",".join(run.header.id for run in runs)
    other.switch_page("pages/compare.py").run()
    assert not other.exception
    assert other.text_input(key="compare_question").value == QUESTION
    app.switch_page("pages/settings.py").run()
    app.switch_page("pages/compare.py").run()
    assert "Both agree" in text(app)
    assert app.text_input(key="compare_question").value == QUESTION


def test_every_view_of_what_they_share(app):
    compare(app)
    for view in ("Facts", "Numbers"):
        look_by(app, view)
    for view in ("Where they part", "One graph"):
        look_by(app, view)
        [together] = json.loads(graphs(app)[-1])
        shown = [words for _, words in together["legend"]]
        assert shown[:3] == ["Compass", "ReAct", "all of them"]
        assert "Nolan" in together["svg"]
        assert any("Compass and ReAct" in words for _, words in together["list"])
    app.toggle(key="compare:differences").set_value(True).run()
    assert not app.exception


def test_a_league_ranks_many_methods_on_one_question(app):
    app.button_group(key="compare_mode").set_value("A league of many").run()
    methods = ["io", "react", "one-hop", "kaping", "tog", "structgpt", "oda"]
    app.multiselect(key="compare_league").set_value(methods).run()
    runs = compare(app)
    assert [run.header.method for run in runs] == methods
    league = app.table[0].value
    assert len(league) == 7
    assert "from the graph" in league["Verdict"][0]
    *places, none = league["Place"]
    assert none == "–"
    assert places[0] == "1"
    assert places == sorted(places, key=int)
    assert len(set(places)) < 6  # equal ones share theirs
    assert "no answer" in league["Verdict"][6]  # the model alone, which here knows nothing
    assert "IO" in league["Method"][6]
    assert league["Answer"][6].count(".") == 1  # the rest is told where it is opened
    told = app.table[1].value  # who gave which answer, each name whole
    given = "; ".join(told["Given by"]).replace("\\", "").split("; ")
    assert sorted(given) == sorted(METHODS[m].title for m in methods)
    assert len(graphs(app)) == 3  # of those chosen below it
    other = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    other.query_params["runs"] = ",".join(run.header.id for run in runs)
    other.switch_page("pages/compare.py").run()
    assert other.multiselect(key="compare_league").value == methods
    assert len(other.table[0].value) == 7


def test_repetitions_of_one_method_share_a_pane_and_show_stability(app):
    app.button(key="compare:1:remove").click().run()
    app.selectbox(key="compare_repeats").set_value(3)
    runs = compare(app)
    assert len(runs) == 3
    assert len(graphs(app)) == 1
    look_by(app, "Stability")
    assert app.dataframe[-1].value["same answer"][0] == 100


def test_one_method_with_other_parameters(app):
    app.selectbox(key="compare:0:method").set_value("react").run()
    app.selectbox(key="compare:1:method").set_value("react").run()
    app.button(key="compare_button").click().run()
    assert "change a parameter" in text(app)
    app.number_input(key="compare1:react:steps").set_value(3).run()
    compare(app)
    assert len(graphs(app)) == 2


@pytest.mark.parametrize("question", ["", "🤔", "x" * 20_000])
def test_a_question_that_cannot_be_read_starts_nothing(app, question):
    app.text_input(key="compare_question").set_value(question)
    app.button(key="compare_button").click().run()
    assert not app.exception
    assert app.error
    assert not session.runs().store.recent()


def test_what_was_compared_before_is_said_to_be_so_below_a_refusal(app):
    compare(app)
    line = f"Below is what was asked before: “{QUESTION}”"
    assert line not in text(app)
    app.text_input(key="compare_question").set_value("🤔")
    app.button(key="compare_button").click().run()
    assert app.error
    assert line in text(app)


def test_a_link_to_no_run_says_so(app):
    app.query_params["runs"] = "<b>no</b>,nothing"
    app.run()
    assert not app.exception
    assert "2 of the runs of this link are not here" in text(app)


@pytest.mark.parametrize(
    ("count", "apart", "first"),
    [(4, 1, 0), (6, 5, 0), (20, None, 0), (20, 0, 0), (20, 6, 4), (20, 19, 14)],
)
def test_few_steps_are_drawn_and_those_where_runs_part_are_among_them(count, apart, first):
    assert together.begin_of(count, apart) == first


def test_equal_methods_share_a_place():
    assert panes.places_of([(0, -3), (0, -3), (1, -1), (3, 0)]) == ["1", "1", "3", "–"]


def test_what_one_method_read_of_a_thing_shows_in_every_pane(app):
    """Compass reads who won, ReAct all around the cup: that it is an event is told to one only."""
    for slot in (0, 1):
        app.selectbox(key=f"compare:{slot}:graph").set_value("known")
    compare(app, "Who won the Champions League in 2019?")
    pictures = [json.loads(g)[0]["svg"] for g in graphs(app)]
    cup = re.compile(r'<g class="(node [^"]*)"[^>]* data-title="2019 UEFA Champions League')
    assert [set(cup.search(p)[1].split()) & SORTS.keys() for p in pictures] == [{"event"}] * 2
