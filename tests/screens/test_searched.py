"""The line about what is searched of a graph too large to be indexed unasked, and its button."""

from types import SimpleNamespace

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.screens import searched, session
from kgqa_core.search.index import SMALL, Index, Progress
from tests.patience import PATIENCE_S, wait_until
from tests.search.build_index import MadeUp
from tests.search.test_index import popular_graph
from tests.servers.chroma import word_encoder


def page():
    import streamlit as st

    from kgqa_core.methods import METHODS
    from kgqa_core.screens.searched import searched_line

    searched_line(METHODS[st.session_state["method"]], "popular")


@pytest.fixture
def shown(monkeypatch):
    def show(index: Index, method: str = "rag-triples") -> AppTest:
        monkeypatch.setattr(session, "index", lambda _: index)
        monkeypatch.setattr(session, "encoder", lambda: SimpleNamespace(ready=True))
        at = AppTest.from_function(page, default_timeout=PATIENCE_S)
        at.session_state["method"] = method
        at.run()
        assert not at.exception
        return at

    yield show
    for build in session.builds().values():
        build.wait(PATIENCE_S)
    session.builds().clear()


def said(at: AppTest) -> str:
    return " ".join(element.value for element in at.caption)


def bar(at: AppTest) -> str:
    (progress,) = at.get("progress")
    return progress.proto.text


def test_it_says_what_is_searched_and_one_click_indexes_the_rest(shown, tmp_path, monkeypatch):
    monkeypatch.setattr("kgqa_core.search.index.FIRST", 100)
    monkeypatch.setattr("kgqa_core.search.chroma._LOOKS", 1)  # nothing here is torn
    index = Index(popular_graph(SMALL)[0], word_encoder(tmp_path), tmp_path / "index")
    assert "searches all facts of “popular” around what the question names." in said(shown(index))
    index.build(most=100, first=True)
    at = shown(index)
    words = "searches the 100 best-known facts of “popular”, and all facts around what the question"
    assert words in said(at)
    assert at.button(key=searched.KEY).label == "Index all 230 facts"
    at.button(key=searched.KEY).click().run()
    wait_until(lambda: index.triples_reach() == ("all", ""))
    assert "All 230 facts of “popular” are indexed" in said(at.run())
    assert not at.button
    assert not said(shown(index))  # of another session


def test_why_a_build_has_ended_is_told(shown, tmp_path, monkeypatch):
    index = Index(MadeUp(SMALL + 1), word_encoder(tmp_path), tmp_path / "index")
    over = SimpleNamespace(running=False, error="The disk is full.", wait=lambda _: None)
    monkeypatch.setitem(session.builds(), index, over)
    at = shown(index)
    assert at.error[0].value == "The disk is full\\."
    assert at.button(key=searched.KEY)


def test_while_it_is_indexed_it_says_so_without_a_button(shown, tmp_path, monkeypatch):
    index = Index(MadeUp(SMALL + 1), word_encoder(tmp_path), tmp_path / "index")
    going = SimpleNamespace(running=True, error="", wait=lambda _: None)
    monkeypatch.setitem(session.builds(), index, going)
    at = shown(index)
    assert "searches what is indexed so far of “made up”, and all facts around" in said(at)
    assert not at.button
    assert bar(at) == "Indexing: it begins"  # a build is watched from the click on
    index.queued = True
    assert bar(shown(index)) == "Indexing: it waits until another index is built"
    index.progress = Progress("triples", 100, 201, 50.0, 2.0)
    assert bar(shown(index)) == "Indexing: 100 of 201 triples · 50 a second · 2 s left"


def test_methods_that_search_no_triples_are_not_told_of_them(shown, tmp_path):
    index = Index(MadeUp(SMALL + 1), word_encoder(tmp_path), tmp_path / "index")
    assert not said(shown(index, "compass"))
    assert said(shown(index, "pgakv"))
