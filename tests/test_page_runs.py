"""The runs page under AppTest, nothing patched."""

from pathlib import Path

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core import ui
from kgqa_core.store import Search
from tests.test_store import full_run, header

APP = Path(__file__).parents[1] / "app.py"


@pytest.fixture
def app(tmp_path, monkeypatch):
    for name in ("OPENAI_API_KEY", "OPENAI_BASE_URL", "KGQA_MODEL"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    ui.environment.clear()
    ui.runs.clear()
    yield AppTest.from_file(APP, default_timeout=60).run()
    ui.runs.clear()
    ui.environment.clear()


def keep(*questions):
    store = ui.runs().store
    for i, question in enumerate(questions):
        this = header(f"r{i}", f"2026-01-0{i + 1}T12:00:00").model_copy(
            update={"question": question}
        )
        store.begin(this)
        store.append(this.id, full_run(), "answered")


def opened(app):
    app.switch_page("pages/runs.py").run()
    assert not app.exception
    return app


def questions(app):
    return list(app.dataframe[0].value["question"])


def text(app):
    kinds = (app.markdown, app.caption, app.info, app.warning)
    return "\n".join(e.value for kind in kinds for e in kind)


def test_without_runs_it_says_what_to_do(app):
    opened(app)
    assert "Every question you ask is kept here" in text(app)


def test_runs_are_listed_newest_first_and_searched(app):
    keep("Where is Ulm?", "<script>alert(1)</script>?")
    opened(app)
    assert questions(app) == ["<script>alert(1)</script>?", "Where is Ulm?"]
    app.text_input(key="runs_text").set_value("ULM where").run()
    assert questions(app) == ["Where is Ulm?"]
    app.text_input(key="runs_text").set_value("nothing like it").run()
    assert "No run fits" in text(app)


def test_filters_stay_over_a_page_switch(app):
    keep("Where is Ulm?")
    opened(app)
    app.multiselect(key="runs_outcome").set_value(["failed"]).run()
    assert "No run fits" in text(app)
    app.switch_page("pages/settings.py").run()
    opened(app)
    assert "No run fits" in text(app)
    app.multiselect(key="runs_outcome").set_value(["grounded"]).run()
    assert questions(app) == ["Where is Ulm?"]


def test_a_run_cut_off_by_the_end_of_its_process_is_marked(app):
    ui.runs().store.begin(header())
    opened(app)
    assert list(app.dataframe[0].value["outcome"]) == ["interrupted"]


def test_many_runs_are_shown_in_part(app):
    store = ui.runs().store
    for i in range(205):
        store.begin(header(f"r{i}", f"2026-01-01T00:00:00.{i:03}"))
        store.append(f"r{i}", full_run(), "answered")
    opened(app)
    assert len(questions(app)) == 200
    assert "The newest 200 of 205" in text(app)
    app.button(key="runs_show_more").click().run()
    assert len(questions(app)) == 205


def test_nothing_can_be_done_without_a_selection(app):
    keep("Where is Ulm?")
    opened(app)
    assert all(app.button(key=f"runs_{what}").disabled for what in ("open", "compare", "delete"))
    assert ui.runs().store.find(Search())[1] == 1
