"""The Templates page: look, edit, merge, delete, add, learn, import."""

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.methods.keqing import templates
from kgqa_core.screens import session
from tests.patience import PATIENCE_S
from tests.places import APP

SMALL = "who directed [mask]\n    → director (P57)\n\nwho made [mask]\n    → director (P57)\n"


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    session.environment.clear()
    path = tmp_path / "templates" / "small.txt"
    path.parent.mkdir()
    path.write_text(SMALL, encoding="utf-8")
    app = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    yield app.switch_page("pages/templates.py").run()
    session.environment.clear()


def said(app) -> str:
    return " ".join(e.value for e in [*app.caption, *app.error, *app.warning, *app.info])


def open_library(app, name):
    app.selectbox(key="library").set_value(name)
    return app.run()


def test_it_shows_the_library_with_chains(page):
    open_library(page, "starter")
    assert not page.exception
    rows = page.dataframe[0].value
    assert "→ director (P57)" in set(rows["chains"])
    assert "comes with the app" in said(page)


def test_a_library_of_another_graph_is_named_as_such(page):
    open_library(page, "metaqa")
    assert "lacks" in said(page)
    assert "has tags" in said(page)


def test_a_question_is_read_by_its_template(page):
    open_library(page, "small")
    page.text_input(key="templates:find").set_value("Who directed Inception?").run()
    assert "about “Inception”" in said(page).replace("\\", "")


def test_what_was_added_or_kept_elsewhere_stands_first(page):
    open_library(page, "small")
    page.text_area(key="templates:new").set_value("who shot [mask]\n    → screenwriter (P58)")
    page.button(key="templates:add_button").click().run()
    assert page.dataframe[0].value["template"][0] == "who shot [mask]"
    page.query_params["library"] = "small"
    page.query_params["template"] = "who made [mask]"
    page.selectbox(key="library").set_value("starter")
    page.run()
    assert page.selectbox(key="library").value == "small"
    assert page.dataframe[0].value["template"][0] == "who made [mask]"
    assert not page.query_params


def test_a_template_is_added_by_hand(page):
    open_library(page, "small")
    page.text_area(key="templates:new").set_value("who shot [mask]\n    → screenwriter (P58)")
    page.button(key="templates:add_button").click().run()
    assert not page.exception
    assert "who shot [mask]" in set(page.dataframe[0].value["template"])


def test_a_wrong_line_is_named(page):
    open_library(page, "small")
    page.text_area(key="templates:new").set_value("who shot [mask]\n    director of film")
    page.button(key="templates:add_button").click().run()
    assert "line 2" in page.error[0].value
    page.text_area(key="templates:new").set_value("who shot [mask]\n    → no such relation")
    page.button(key="templates:add_button").click().run()
    assert "no such relation" in page.error[0].value


def test_editing_a_shipped_library_leaves_it_as_it_is(page, tmp_path):
    before = (templates.SHIPPED / "starter.txt").read_text(encoding="utf-8")
    open_library(page, "starter")
    page.text_area(key="templates:new").set_value("who shot [mask]\n    → screenwriter (P58)")
    page.button(key="templates:add_button").click().run()
    assert (templates.SHIPPED / "starter.txt").read_text(encoding="utf-8") == before
    assert "who shot [mask]" in (tmp_path / "templates" / "starter.txt").read_text("utf-8")


def test_a_library_is_deleted(page, tmp_path):
    open_library(page, "small")
    page.button(key="templates:remove").click().run()
    assert not page.exception
    assert not (tmp_path / "templates" / "small.txt").exists()


def test_a_broken_file_is_said_with_its_line(page, tmp_path):
    (tmp_path / "templates" / "small.txt").write_text("no template here\n", encoding="utf-8")
    open_library(page, "small")
    assert not page.exception
    assert "line 1" in page.error[0].value
