"""The Benchmarks page: results that ship, a benchmark from start to end, the grid of questions."""

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.evaluation import jobs, own, results, sets
from kgqa_core.evaluation.benchmark import Options, run_benchmark
from kgqa_core.history.store import RunStore
from kgqa_core.render import charts
from kgqa_core.screens import session
from kgqa_core.screens.benchmarks import results as ui_bench
from kgqa_core.screens.benchmarks import start as ui_bench_start
from tests.evaluation.test_benchmark import questions, setup
from tests.patience import PATIENCE_S
from tests.places import APP


@pytest.fixture
def page(tmp_path, monkeypatch):
    monkeypatch.setenv("KGQA_DATA_DIR", str(tmp_path))
    for clear in (session.environment, session.runs, ui_bench.all_jobs):
        clear.clear()  # but not what was read of results that ship: that takes seconds
    app = AppTest.from_file(APP, default_timeout=PATIENCE_S).run()
    yield app
    for job in ui_bench.all_jobs():
        job.stop()
        job.wait(PATIENCE_S)
    for clear in (session.environment, session.runs, ui_bench.all_jobs, ui_bench_start.fetches):
        clear.clear()


def opened(app, tab="Results"):
    app.switch_page("pages/benchmarks.py")
    app.session_state["bench:tab"] = tab
    app.run()
    assert not app.exception, app.exception
    return app


def said(app) -> str:
    blocks = (app.caption, app.error, app.warning, app.info, app.markdown)
    return " ".join(e.value for block in blocks for e in block)


def measured(folder, *words, title="Numbers", traces=False, lucky=0.5):
    options = Options(title=title, dataset_sha256="a" * 64)
    run_benchmark(questions(*words), setup(lucky=lucky), folder, options, traces=traces)


def mine(tmp_path, name="mine"):
    return jobs.folder_of(tmp_path) / name


def test_two_benchmarks_of_one_name_have_a_card_each(page, tmp_path):
    (tmp_path / "one.csv").write_text("question,answers\nright 1,1\n")
    plan = jobs.Plan(
        dataset=tmp_path / "one.csv", format="csv", methods={"io": {}}, graph="starter"
    )
    for recipe in ("table1", "table2"):
        out = tmp_path / recipe / "io"
        made = jobs.Job(plan, out, lambda method: setup(), session.environment())
        made.wait(PATIENCE_S)
        ui_bench.all_jobs().append(made)
    opened(page)
    assert [b.label for b in page.button].count("Hide") == 2


def test_the_shipped_results_are_there_at_once(page):
    opened(page)
    rows = page.table[0].value
    assert "**ReAct**" in set(rows[" "])
    assert any("Starter questions" in str(name) for name in rows.columns)
    assert all("seen" in str(name) for name in rows.columns if name != " ")
    assert not any("**" in str(cell) for name in rows.columns if name != " " for cell in rows[name])
    assert "95 % interval" in said(page)
    above = next(c.value for c in page.caption if "Read by" in c.value)
    assert "every sentence grounded in the graph. Read by: built" in above
    assert "–: not measured." in above
    assert "made with these questions" in said(page)
    assert [b.proto.label for b in page.get("download_button")] == ["CSV", "LaTeX", "PNG"]


def test_ones_own_results_stand_beside_them(page, tmp_path):
    measured(mine(tmp_path), "right", "wrong", "right")
    opened(page)
    assert any("Numbers" in str(name) for name in page.table[0].value.columns)
    page.multiselect(key="bench:sets").set_value(["Numbers"]).run()
    assert not page.exception
    (column,) = [c for c in page.table[0].value.columns if c != " "]
    assert "(3)" in column
    assert page.table[0].value[column][0].startswith("**0.67**")


def test_a_growing_result_is_shown_as_far_as_it_is(page, tmp_path):
    measured(mine(tmp_path), "right", "wrong", "right")
    path = mine(tmp_path) / "results.jsonl"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:2]))
    opened(page)
    page.multiselect(key="bench:sets").set_value(["Numbers"]).run()
    (column,) = [c for c in page.table[0].value.columns if c != " "]
    assert "2 so far" in page.table[0].value[column][0]


def _chart(page):
    """The first chart as it is sent: its points travel beside its form, which need not change."""
    return page.get("vega_lite_chart")[0].proto.SerializeToString(deterministic=True)


def test_charts_are_made_again_only_when_something_was_added(page, tmp_path, monkeypatch):
    made = []
    for name in ("against", "endings"):
        draw = getattr(charts, name)
        monkeypatch.setattr(
            charts, name, lambda *a, draw=draw, **k: made.append(draw) or draw(*a, **k)
        )
    ui_bench._made.clear()
    measured(mine(tmp_path), "right", "wrong", "right")
    opened(page)
    page.multiselect(key="bench:sets").set_value(["Numbers"]).run()
    path = mine(tmp_path) / "results.jsonl"
    lines = path.read_text().splitlines(keepends=True)
    path.write_text("".join(lines[:2]))
    ui_bench.shelf.clear()
    page.run()
    before, shown = len(made), _chart(page)
    page.run()
    assert len(made) == before
    assert _chart(page) == shown
    path.write_text("".join(lines))
    page.run()
    assert len(made) > before
    assert _chart(page) != shown


def test_a_damaged_folder_is_said_and_the_others_shown(page, tmp_path):
    measured(mine(tmp_path), "right")
    path = mine(tmp_path) / "results.jsonl"
    path.write_text("{}\n" + path.read_text())
    opened(page)
    assert "is damaged" in page.error[0].value
    assert len(page.table[0].value) > 0


def test_names_from_files_are_text(page, tmp_path):
    measured(mine(tmp_path), "right", title="<b>x</b> | [y](http://z)")
    opened(page)
    (column,) = [c for c in page.table[0].value.columns if "x" in str(c)]
    assert "\\<b\\>" in column
    assert "\\[y\\]" in column


def test_a_benchmark_is_started_watched_and_its_run_opened(page, tmp_path):
    own.add(tmp_path, own.typed("Who directed Inception?", "Q25191"))
    opened(page, "New benchmark")
    page.selectbox(key="bench:set").set_value("starter").run()
    assert any(c.value.startswith("264 questions · ships with") for c in page.caption)
    page.selectbox(key="bench:set").set_value("own").run()
    page.button(key="bench:start").click().run()
    assert not page.exception
    (job,) = ui_bench.all_jobs()
    assert job.wait(PATIENCE_S)
    opened(page)
    assert page.get("progress")[0].proto.text.startswith("1 of 1 · 1 right")
    (folder,) = results.find(jobs.folder_of(tmp_path))
    assert results.stored_summary(folder)["metrics"]["supported_accuracy"]["value"] == 1.0
    opened(page, "Questions")
    page.selectbox(key="bench:grid-set").set_value("Your own questions").run()
    grid = next(d for d in page.dataframe if "Compass" in d.value.columns)
    assert list(grid.value["question"]) == ["Who directed Inception?"]
    assert [list(v) for v in grid.value["Compass"]] == [["right"]]


def test_the_graph_that_questions_are_about_is_chosen_with_them(page, tmp_path):
    own.add(tmp_path, own.typed("Who directed Inception?", "Q25191"))
    page.selectbox(key="graph").set_value("known").run()
    opened(page, "New benchmark")
    assert page.selectbox(key="bench:set").value == "starter"
    assert page.selectbox(key="bench:graph").value == "starter"  # not the one that is asked here
    assert "These questions are about" not in said(page)
    page.selectbox(key="bench:graph").set_value("known").run()
    assert "These questions are about “starter”, and “well\\-known things” is chosen." in said(page)
    page.button(key="bench:its-graph").click().run()
    assert page.selectbox(key="bench:graph").value == "starter"
    assert "These questions are about" not in said(page)
    page.selectbox(key="bench:graph").set_value("known").run()
    page.selectbox(key="bench:set").set_value("own").run()  # about nobody knows which
    assert page.selectbox(key="bench:graph").value == "known"
    page.selectbox(key="bench:set").set_value("open").run()
    assert page.selectbox(key="bench:graph").value == "starter"
    page.switch_page("pages/ask.py").run()
    assert page.selectbox(key="graph").value == "known"
    assert not page.exception


def test_only_questions_where_methods_differ(page, tmp_path):
    measured(mine(tmp_path, "a"), "right", "wrong", "unknown")
    measured(mine(tmp_path, "b"), "right", "right", "unknown", lucky=0.9)
    opened(page, "Questions")
    page.selectbox(key="bench:grid-set").set_value("Numbers").run()
    assert "3 of 3 questions" in said(page)
    page.toggle(key="bench:differ").set_value(True).run()
    assert "1 of 3 questions" in said(page)
    page.toggle(key="bench:differ").set_value(False).run()
    page.multiselect(key="bench:outcome").set_value(["abstained"]).run()
    assert "1 of 3 questions" in said(page)
    page.text_input(key="bench:find").set_value("nothing like it").run()
    assert "No question fits" in said(page)


def test_a_question_is_looked_at_without_a_mouse(page, tmp_path):
    measured(mine(tmp_path), "right", "wrong", traces=True)
    opened(page, "Questions")
    page.selectbox(key="bench:grid-set").set_value("Numbers").run()
    page.selectbox(key="bench:look:2:q0").set_value("q1").run()
    assert "**wrong 1**" in said(page)
    assert "said as certain" in said(page)
    (open_it,) = [b for b in page.button if b.label == "Open the run"]
    open_it.click().run()
    assert not page.exception
    assert page.text_input(key="question").value == "wrong 1"


def test_a_benchmark_that_was_killed_is_offered_again(page, tmp_path):
    own.add(tmp_path, own.typed("Who directed Inception?", "Q25191"))
    out = jobs.new_folder(tmp_path, "Mine")
    out.mkdir(parents=True)
    plan = jobs.Plan(
        title="Mine",
        dataset=own.path_of(tmp_path),
        format=own.FORMAT,
        methods={"react": {}},
        graph="starter",
    )
    (out / "plan.json").write_text(plan.model_dump_json())
    opened(page)
    page.button(key=f"bench:resume:{out.name}").click().run()
    assert not page.exception
    (job,) = ui_bench.all_jobs()
    assert job.wait(PATIENCE_S)
    assert (job.error, results.stored_summary(out)["complete"]) == ("", True)


def test_a_wrong_selection_is_one_sentence(page, tmp_path):
    opened(page, "New benchmark")
    page.text_input(key="bench:where").set_value("count")
    page.button(key="bench:start").click().run()
    assert "write FIELD=VALUE" in page.error[0].value
    page.text_input(key="bench:where").set_value("class=no such class")
    page.button(key="bench:start").click().run()
    (job,) = ui_bench.all_jobs()
    job.wait(PATIENCE_S)
    opened(page)
    assert "No question in starter.jsonl" in page.warning[0].value.replace("\\", "")


def test_parameters_reach_the_plan(page):
    opened(page, "New benchmark")
    page.multiselect(key="bench:methods").set_value(["react", "one-hop"]).run()
    page.session_state["bench:params"] = True
    page.number_input(key="bench:count").set_value(2)
    page.number_input(key="bench:calls").set_value(1)
    page.button(key="bench:start").click().run()
    assert not page.exception
    (job,) = ui_bench.all_jobs()
    assert list(job.plan.methods) == ["react", "one-hop"]
    assert (job.plan.limit, job.plan.calls) == (2, 1)
    job.wait(PATIENCE_S)
    assert job.stopped == "The budget of 1 model call is used up."


def test_question_sets_can_be_looked_at(page, tmp_path):
    own.add(tmp_path, own.typed("Who?", "x"))
    opened(page, "Question sets")
    assert "licence: MIT" in said(page).replace("\\", "")
    page.selectbox(key="bench:public").set_value("metaqa").run()
    assert "fetched by hand" in said(page)
    page.selectbox(key="bench:public").set_value("r3-claims").run()
    assert "licence: not stated" in said(page)
    assert not page.exception


def test_a_stored_trace_becomes_a_run(page, tmp_path):
    from kgqa_core.evaluation import report
    from kgqa_core.screens.benchmarks import questions as ui_bench_questions

    measured(mine(tmp_path), "right", "wrong", traces=True)
    bench = report.read([mine(tmp_path)])[0]
    (asked, _) = report.grid([bench])
    run_id = ui_bench_questions.stored_run(asked, bench)
    store = RunStore(tmp_path)
    header, records = store.load(run_id)
    assert header.question == "right 0"
    assert records[-1].event.kind == "answered"
    assert ui_bench_questions.stored_run(asked, bench) == run_id
    assert len(store.recent()) == 1
    store.close()


def test_without_any_results_it_says_what_to_do(page, tmp_path, monkeypatch):
    monkeypatch.setattr(ui_bench, "SHIPPED", tmp_path / "none")
    opened(page)
    assert "No results yet" in said(page)
    monkeypatch.setattr(sets, "SHIPPED", tmp_path / "none")
    opened(page, "New benchmark")
    assert "There is no question set yet" in said(page)
