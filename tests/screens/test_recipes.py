"""Recipes on the Benchmarks page."""

import json

from tests.patience import wait_until
from tests.screens.pages import app

__all__ = ["app"]

ASKED = {"id": 0, "question": "Who directed Inception?", "gold": ["Q25191"]}


def opened(app):
    app.switch_page("pages/benchmarks.py")
    app.session_state["bench:tab"] = "Recipes"
    return app.run()


def of(kind, key):
    return next(one for one in kind if one.key == key)


def rows(page):
    (frame,) = page.dataframe
    return {row["system"]: row for row in frame.value.to_dict("records")}


def rows_of(page, column):
    (frame,) = page.dataframe
    return list(frame.value[column])


def test_a_table_is_measured_and_stands_beside_the_printed_one(app, tmp_path):
    (tmp_path / "qald_10_en_offline.jsonl").write_text(json.dumps(ASKED) + "\n")
    page = opened(app)
    (lacking,) = page.info
    assert "download QALD\\-10, test under “Question sets”" in lacking.value
    assert set(rows_of(page, "note")) >= {"questions not here"}
    of(page.selectbox, "bench:recipe").select("kgir-table5").run()
    of(page.text_input, "bench:recipe-data").input(str(tmp_path)).run()
    of(page.selectbox, "graph").select("starter").run()
    assert not page.exception
    assert rows(page)["ReACT"]["published"] == 0.627
    assert any("3 lines, 3 questions left to ask" in one.value for one in page.caption)
    of(page.button, "bench:recipe-start").click().run()
    wait_until(lambda: rows(page.run())["ReACT + Answer Entity Linking"]["n"] == 1)
    assert rows(page)["ReACT"]["ours"] == 1.0
    assert rows(page)["ReACT"]["interval"] == "1.000 … 1.000"
    wait_until(lambda: of(page.run().button, "bench:recipe-start").disabled)  # all are asked
    assert not page.exception
