"""The runs page under AppTest, nothing patched."""

import re
from io import BytesIO
from zipfile import ZipFile

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.evaluation import own
from kgqa_core.history.gallery import EXAMPLES, recorded
from kgqa_core.history.run_file import exported, imported
from kgqa_core.history.store import Search
from kgqa_core.screens import runs, session
from tests.history.test_store import full_run, header
from tests.patience import PATIENCE_S
from tests.screens.pages import APP


def keep(*questions):
    store = session.runs().store
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
    """The questions of the list, as they read."""
    shown = [b.label for b in app.button if (b.key or "").startswith("runs_open:")]
    return [re.sub(r"\\(.)", r"\1", label) for label in shown]


def ticked(app, *run_ids):
    for run_id in run_ids:
        box = app.checkbox(key=f"runs_tick:{run_id}")
        assert box.label.startswith("Select the run of 2")  # a screen reader says which
        box.check()
    return app.run()


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
    session.runs().store.begin(header())
    opened(app)
    assert "[interrupted]" in text(app)


def test_many_runs_are_shown_in_part(app):
    store = session.runs().store
    for i in range(30):
        store.begin(header(f"r{i}", f"2026-01-01T00:00:00.{i:03}"))
        store.append(f"r{i}", full_run(), "answered")
    opened(app)
    assert len(questions(app)) == 25
    assert "The newest 25 of 30" in text(app)
    app.button(key="runs_show_more").click().run()
    assert len(questions(app)) == 30


def test_headings_sort_all_runs_and_turn_the_order_round(app):
    keep("b?", "A?", "c?")
    opened(app)
    app.button(key="runs_sort:question").click().run()
    assert questions(app) == ["A?", "b?", "c?"]
    app.button(key="runs_sort:question").click().run()
    assert questions(app) == ["c?", "b?", "A?"]
    assert "Question ▼" in app.button(key="runs_sort:question").label
    app.button(key="runs_sort:started_at").click().run()
    assert questions(app) == ["c?", "A?", "b?"]


def test_columns_are_chosen_and_their_text_is_inert(app):
    store = session.runs().store
    store.begin(header("r0").model_copy(update={"graph": "<b>graph</b>"}))
    store.append("r0", full_run(), "answered")
    opened(app)
    (cells,) = [one for one in app.get("html") if "cells" in one.proto.body]
    assert "&lt;b&gt;graph&lt;/b&gt;" in cells.proto.body
    app.pills(key="runs_columns").set_value(["tokens"]).run()
    assert "runs_sort:tokens" in {b.key for b in app.button}
    assert "runs_sort:graph" not in {b.key for b in app.button}


def test_a_graph_is_called_by_its_title(app):
    session.runs().store.begin(header("r0").model_copy(update={"graph": "known"}))
    opened(app)
    (cells,) = [one for one in app.get("html") if "cells" in one.proto.body]
    assert ">well-known things<" in cells.proto.body


def test_nothing_can_be_done_without_a_selection(app):
    keep("Where is Ulm?")
    opened(app)
    for what in ("compare", "delete", "benchmark"):
        assert app.button(key=f"runs_{what}").disabled
    assert session.runs().store.find(Search())[1] == 1


def test_ticked_runs_are_deleted_and_brought_back(app):
    keep("one?", "two?", "three?")
    opened(app)
    ticked(app, "r0", "r2")
    assert "2 selected of 3 runs" in text(app)
    app.button(key="runs_delete").click().run()
    assert questions(app) == ["two?"]
    app.button(key="runs_undo").click().run()
    assert questions(app) == ["three?", "two?", "one?"]
    assert "selected" not in text(app)


def test_ticked_runs_are_exported_and_each_can_be_imported_again(app):
    keep("one?", "two?", "three?")
    assert imported(runs._exported(["r1"]))[0].question == "two?"
    with ZipFile(BytesIO(runs._exported(["r0", "r2", "gone"]))) as archive:
        told = [imported(archive.read(name))[0] for name in archive.namelist()]
    assert [header.question for header in told] == ["one?", "three?"]


def test_what_is_brought_back_at_once_is_not_selected_though_the_browser_still_has_the_tick(app):
    keep("one?")
    opened(app)
    ticked(app, "r0")
    app.button(key="runs_delete").click().run()
    app.session_state["runs_tick:r0"] = True
    app.button(key="runs_undo").click().run()
    assert questions(app) == ["one?"]
    assert "selected" not in text(app)


def test_two_tabs_delete_the_same_run(app):
    keep("one?", "two?")
    opened(app)
    other = opened(AppTest.from_file(APP, default_timeout=PATIENCE_S).run())
    ticked(app, "r0")
    ticked(other, "r0")
    app.button(key="runs_delete").click().run()
    other.button(key="runs_delete").click().run()
    assert not other.exception
    assert questions(other) == questions(app.run()) == ["two?"]
    app.button(key="runs_undo").click().run()
    assert questions(other.run()) == ["two?", "one?"]


def test_a_click_on_the_question_opens_the_run(app):
    keep("Where is Ulm?")
    opened(app)
    app.button(key="runs_open:r0").click().run()
    assert not app.exception
    assert app.text_input(key="question").value == "Where is Ulm?"


def test_rating_tags_and_note_of_the_ticked_run_are_kept(app):
    keep("Where is Ulm?")
    opened(app)
    ticked(app, "r0")
    app.text_area(key="runs:note:r0").set_value("odd").run()
    assert session.runs().store.find(Search(text="odd"))[1] == 1


def test_answers_of_ticked_runs_become_questions_of_ones_own(app, tmp_path):
    keep("Where is Ulm?")
    opened(app)
    ticked(app, "r0")
    app.button(key="runs_benchmark").click().run()
    assert "1 question added; there are 1 now" in text(app)
    (found,) = own.read(tmp_path)
    assert (found.question, found.gold, found.run) == ("Where is Ulm?", ("Q183", "12"), "r0")
    app.button(key="runs_benchmark").click().run()
    assert len(own.read(tmp_path)) == 1


def upload(app, data):
    app.file_uploader(key="runs_file").upload("run.json", data, "application/json").run()
    assert not app.exception
    return app


def test_a_run_from_another_machine_is_imported_and_opened(app):
    opened(app)
    elsewhere = header("far").model_copy(update={"question": "<b>Far</b> away?"})
    upload(app, exported(elsewhere, full_run()).encode())
    assert questions(app) == ["<b>Far</b> away?"]
    app.button(key="runs_open_imported").click().run()
    assert not app.exception
    assert "Imported from a file" in text(app)
    assert app.text_input(key="question").value == "<b>Far</b> away?"


@pytest.mark.parametrize("data", [b"{", b"[]", b"\0\xff"])
def test_a_file_that_is_no_run_is_named(app, data):
    opened(app)
    upload(app, data)
    assert len(app.error) == 1
    assert app.error[0].value.startswith("The file ")
    assert session.runs().store.find(Search())[1] == 0


def test_of_the_recorded_examples_one_list_is_open_and_the_others_fold(app):
    opened(app)
    lists = [e for e in app.expander if "run" in e.label]
    assert [e.proto.expanded for e in lists] == [True, *[False] * (len(lists) - 1)]
    assert len(lists) == len({header.model for header, _ in recorded().values()}) > 1


def test_a_recorded_example_plays_without_anything_stored(app):
    opened(app)
    example = EXAMPLES[0]
    app.button(key=f"gallery:{example.id}").click().run()
    assert not app.exception
    assert "Recorded with the built" in text(app)
    assert app.text_input(key="question").value == example.question
    assert session.runs().store.find(Search())[1] == 0
