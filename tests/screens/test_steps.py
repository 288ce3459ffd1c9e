"""The list of steps: what somebody opened stays open."""

import pytest
from streamlit.proto.WidgetStates_pb2 import WidgetState, WidgetStates
from streamlit.testing.v1 import AppTest

from kgqa_core.ask import events
from kgqa_core.render.steps import steps
from kgqa_core.screens.run import _status
from kgqa_core.screens.widgets import value_rows
from tests.patience import PATIENCE_S
from tests.screens.graph_story import recorded
from tests.small_graph import STATEMENTS


def listed():
    from types import SimpleNamespace

    import streamlit as st

    from kgqa_core.ask import events
    from kgqa_core.render.steps import steps
    from kgqa_core.screens.run import _steps
    from tests.screens.graph_story import recorded

    told = []
    for number in range(st.session_state["steps"]):
        told.append(events.Step(title=f"Step {number}"))
        told += [events.Noted(text=f"line {number} {n}") for n in range(9)]
    records = recorded(told)
    header = SimpleNamespace(id="long")
    _steps(SimpleNamespace(header=header, records=records, status="running"), steps(records))


def said(page):
    return " ".join(part.value for part in page.markdown)


def click(page, number, *, opens):
    """What the browser sends when somebody opens or closes a step."""
    step = page.expander[number].proto.id
    page._run(WidgetStates(widgets=[WidgetState(id=step, bool_value=opens)]))


def test_an_opened_step_stays_open_when_it_ends_and_when_the_run_grows_long():
    page = AppTest.from_function(listed, default_timeout=PATIENCE_S)
    page.session_state["steps"] = 5
    page.run()
    click(page, 4, opens=True)
    for count in (5, 6, 14, 15, 16, 20):  # of 15 steps there are 150 events
        page.session_state["steps"] = count
        page.run()
        assert page.expander[4].proto.expanded, count
        assert not page.expander[3].proto.expanded
        assert "line 4 8" in said(page)
    assert "line 3 8" not in said(page)  # closed ones of a long run are not drawn
    click(page, 4, opens=False)
    page.session_state["steps"] = 21
    page.run()
    assert not page.expander[4].proto.expanded
    assert not page.exception


@pytest.mark.parametrize(
    ("last", "mark"),
    [
        (events.Answered(answer=events.Answer()), "check_circle"),
        (events.Abstained(answer=events.Answer(reason="no such fact")), "help"),
        (events.Cancelled(), "stop_circle"),
        (events.Failed(error="KGQAError", message="gone"), "error"),
    ],
)
def test_the_mark_of_the_last_step_says_how_the_run_ended(last, mark):
    found = steps(recorded([events.Step(title="Look"), last]))
    assert _status(found[-1], current=False) == f":material/{mark}:"
    assert _status(found[0], current=False) == ":material/check_circle:"


def test_a_table_of_facts_has_no_column_that_says_nothing():
    plain = [fact for fact in STATEMENTS if not fact.qualifiers]
    qualified = [fact for fact in STATEMENTS if fact.qualifiers]
    assert plain
    assert qualified
    assert all("qualifiers" not in row for row in value_rows(plain))
    assert all("qualifiers" in row for row in value_rows([*plain, *qualified]))
