"""An app that is open to strangers: whose runs are listed, and how much anybody may ask."""

import re
import threading
from hashlib import blake2b

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from kgqa_core.history.run_file import exported
from kgqa_core.screens import session, visitor
from tests.patience import PATIENCE_S
from tests.places import APP
from tests.servers.openai import OpenAIServer

QUESTION = "Is Berlin the capital of Germany?"


@pytest.fixture
def visit(tmp_path, monkeypatch):
    """Opens the app as another visitor each time."""
    environment = {
        "KGQA_HOSTED": "1",
        "KGQA_DATA_DIR": str(tmp_path),
        "KGQA_VISITOR_RUNS": "2",
        "KGQA_MAX_LLM_CALLS": "50",
        "KGQA_OPERATOR_PASSWORD": "open sesame",
    }
    for name, value in environment.items():
        monkeypatch.setenv(name, value)

    def opened():
        return AppTest.from_file(APP, default_timeout=PATIENCE_S).run()

    session.environment.clear()
    session.runs.clear()
    yield opened
    session.runs.clear()
    session.environment.clear()


def ask(app):
    app.switch_page("pages/ask.py").run()
    app.text_input(key="question").set_value(QUESTION)
    app.button(key="ask_button").click()
    app.run()
    assert not app.exception


def said(app, page):
    app.switch_page(f"pages/{page}.py").run()
    assert not app.exception
    return " ".join(c.value for c in app.caption)


def enter(app, password):
    app.switch_page("pages/settings.py").run()
    app.text_input(key="operator_word").set_value(password)
    app.button(key="operator_enter").click()
    app.run()
    assert not app.exception


def ended(app):
    run = session.runs().get(app.session_state["run"])
    assert run.wait(PATIENCE_S)
    return run


def test_a_visitor_sees_their_own_runs_and_the_operator_all(visit):
    one, other = visit(), visit()
    ask(one)
    ask(other)
    first, second = ended(one), ended(other)
    assert first.header.visitor != second.header.visitor
    for app in (one, other):
        assert "These are your runs." in said(app, "runs")
        assert re.search(r"\b1 run\b", said(app, "runs"))
    enter(one, "open sesam")
    assert "This is not the operator's password." in [e.value for e in one.error]
    assert "These are your runs." in said(one, "runs")
    enter(one, "open sesame")
    assert "the runs of all visitors" in said(one, "runs")
    assert re.search(r"\b2 runs\b", said(one, "runs"))


def test_nobody_asks_more_than_the_operator_allows(visit):
    app = visit()
    for _ in range(2):
        ask(app)
        ended(app)
    ask(app)
    assert "You have asked 2 questions within an hour" in app.error[0].value
    other = visit()
    ask(other)
    assert not other.error


def test_the_operators_model_has_so_many_tokens_a_day_for_each_and_for_all(visit, monkeypatch):
    monkeypatch.setenv("KGQA_MODEL", "test-model")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        for limit, who in (("VISITOR", "Your questions"), ("VISITORS", "all visitors")):
            monkeypatch.setenv(f"KGQA_{limit}_TOKENS", "2")
            session.environment.clear()
            app = visit()
            app.selectbox(key="method").set_value("io").run()
            app.selectbox(key="model").set_value("openai").run()
            ask(app)
            if not app.error:  # the first of all
                ended(app)
                ask(app)
            assert who in app.error[0].value
            assert "the 2 tokens" in app.error[0].value
        asked = len(server.requests)
    assert asked == 1


def test_questions_that_are_asked_at_once_share_the_tokens_of_a_day(visit, monkeypatch):
    monkeypatch.setenv("KGQA_MODEL", "test-model")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-test")
    monkeypatch.setenv("KGQA_VISITORS_TOKENS", "500")  # a call takes 110
    with OpenAIServer() as server:
        monkeypatch.setenv("OPENAI_BASE_URL", server.url)
        all_asked = threading.Event()
        server.always = lambda exchange: (all_asked.wait(PATIENCE_S), server._stand_in(exchange))
        session.environment.clear()
        apps = [visit() for _ in range(3)]
        for app in apps:
            app.selectbox(key="method").set_value("react").run()
            app.selectbox(key="model").set_value("openai").run()
        for app in apps:
            ask(app)
            assert not app.error
        all_asked.set()
        ends = [ended(app).records[-1].event for app in apps]
        asked = len(server.requests)
    assert all("the 500 tokens" in getattr(end, "message", "") for end in ends), ends
    assert 5 <= asked < 12  # one run alone would ask eleven times


def test_an_operators_graph_is_in_the_list_without_its_login(visit, monkeypatch):
    monkeypatch.setenv("KGQA_GRAPH", "http://me:hush@127.0.0.1:9/sparql?apikey=hush")
    session.environment.clear()
    app = visit()
    assert not app.error
    assert not any("hush" in title for title in app.selectbox(key="graph").options)
    assert "hush" not in said(app, "ask") + said(app, "graphs")


def test_an_operators_graph_that_cannot_be_opened_is_told_without_its_login(visit, monkeypatch):
    monkeypatch.setenv("KGQA_GRAPH", "http://me:hush@127.0.0.1:none/sparql?apikey=hush")
    session.environment.clear()
    shown = " ".join(e.value for e in visit().error)
    assert shown.startswith("KGQA_GRAPH names “")
    assert "hush" not in shown


def test_a_proxy_says_who_is_asking_and_who_sees_all(visit, monkeypatch):
    monkeypatch.setenv("KGQA_VISITOR_HEADER", "X-User")
    monkeypatch.setenv("KGQA_OPERATORS", "root, ada")
    headers = {}
    monkeypatch.setattr(type(st.context), "headers", property(lambda context: headers))
    headers["X-User"] = "bob"
    one = visit()
    ask(one)
    assert "bob" not in ended(one).header.visitor
    assert re.search(r"\b1 run\b", said(visit(), "runs"))  # another session of his
    headers["X-User"] = "eve"
    assert "1 run" not in said(visit(), "runs")
    headers["X-User"] = "ada"
    assert "the runs of all visitors" in said(visit(), "runs")


def test_a_strangers_budget_is_at_most_the_operators(visit):
    app = visit()
    app.session_state["settings"] = {"max_llm_calls": 9_000, "max_tokens": 100}
    app.switch_page("pages/settings.py").run()
    shown = {box.label: box.value for box in app.number_input}
    assert (shown["Model calls"], shown["Tokens"]) == (50, 100)


def test_what_all_visitors_share_only_the_operator_changes(visit):
    source = "http://127.0.0.1:9/sparql"
    session.graphs().add(source, "endpoint", "Somebody's")
    app = visit()

    def offered(page):
        app.switch_page(f"pages/{page}.py").run()
        if page == "graphs":
            mark = blake2b(source.encode(), digest_size=6).hexdigest()
            app.session_state[f"graph:{mark}:more"] = True
            app.run()
        assert not app.exception
        return " ".join(str(button.key) for button in app.button)

    for page in ("graphs", "templates"):
        assert not re.search(r":(remove|keep|delete|merge)", offered(page)), page
        assert visitor.FOR_ALL in [c.value for c in app.caption]
    enter(app, "open sesame")
    assert re.search(r":keep .*:remove:yes", offered("graphs"))
    assert visitor.FOR_ALL not in [c.value for c in app.caption]
    offered("templates")
    assert visitor.FOR_ALL not in [c.value for c in app.caption]


def test_who_asked_is_in_no_file(visit):
    app = visit()
    ask(app)
    run = ended(app)
    assert run.header.visitor
    assert run.header.visitor not in exported(run.header, list(run.records))
