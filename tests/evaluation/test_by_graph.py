"""The same questions over several graphs: which benchmarks belong together, best, tests, gains."""

from __future__ import annotations

import json

import pytest
from streamlit.testing.v1 import AppTest

from kgqa_core.evaluation import report
from kgqa_core.evaluation.benchmark import Options, run_benchmark
from kgqa_core.evaluation.by_graph import by_graph
from tests.evaluation.test_benchmark import questions, setup
from tests.patience import PATIENCE_S

MANY = 40


@pytest.fixture
def asked(tmp_path):
    """Measures the test method; `as_if` says how the configuration reads."""

    def measure(name, right, **as_if):
        words = ["right"] * right + ["wrong"] * (MANY - right)
        options = Options(title="Numbers", dataset_sha256="f" * 64)
        run_benchmark(questions(*words), setup(), tmp_path / name, options)
        path = tmp_path / name / "config.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | as_if))
        return report.read([tmp_path])

    return measure


def test_one_graph_makes_no_table(asked):
    assert by_graph(asked("a", 30, graph="starter", graph_fingerprint="1"), "exact") == []


def test_each_graph_is_a_column_with_its_gain_over_the_model_alone(asked):
    asked("a", 36, graph="slice", graph_fingerprint="1")
    asked("b", 10, graph="starter", graph_fingerprint="2")
    asked("c", 34, graph="slice + starter", graph_fingerprint="3")
    benches = asked("d", 4, graph="slice", graph_fingerprint="1", method="cot", params={})
    (one,) = by_graph(benches, "exact")
    assert one.title == "Numbers"
    assert one.graphs == ("slice", "starter", "slice + starter")
    assert one.methods == ("by-number",)
    cells = [one.cells["by-number", graph] for graph in one.graphs]
    assert [c.estimate.value for c in cells] == [0.9, 0.25, 0.85]
    assert [c.best for c in cells] == [True, False, False]
    assert [c.worse for c in cells] == [False, True, False]
    assert one.baseline == ("Chain of thought", pytest.approx(0.1))
    assert one.gain("by-number", "slice") == pytest.approx(0.8)


def test_other_questions_or_parameters_are_no_row(asked):
    asked("a", 36, graph="slice", graph_fingerprint="1")
    asked("b", 10, graph="starter", graph_fingerprint="2", dataset_sha256="e" * 64)
    assert not by_graph(asked("c", 3, graph="s", graph_fingerprint="3", params={"lucky": 1}), "f1")


def test_without_a_model_alone_there_is_no_gain(asked):
    asked("a", 3, graph="g", graph_fingerprint="aaaaaaaa")
    (one,) = by_graph(asked("b", 3, graph="g", graph_fingerprint="bbbbbbbb"), "wrong_but_certain")
    assert one.graphs == ("g · aaaaaa", "g · bbbbbb")  # versions of one graph
    assert one.gain("by-number", "g · aaaaaa") is None
    assert all(cell.best for cell in one.cells.values())


def view(folder):
    import streamlit as st

    from kgqa_core.evaluation import report
    from kgqa_core.screens.benchmarks.by_graph import graphs_view

    graphs_view(report.read([folder]), "exact", True)
    st.caption("end")


def test_the_table_is_drawn_and_names_stay_text(asked, tmp_path):
    asked("a", 36, graph="<b>x</b> **y**", graph_fingerprint="1")
    asked("b", 10, graph="starter", graph_fingerprint="2")
    asked("c", 4, graph="starter", graph_fingerprint="2", method="cot", params={})
    page = AppTest.from_function(view, args=(tmp_path,), default_timeout=PATIENCE_S).run()
    assert not page.exception
    shown = str(page.table[0].value.to_dict())
    assert "**0.90**" in shown
    assert "0.25 †" in shown
    assert "+0.80" in shown
    assert "<b>" not in shown
    assert "**y**" not in shown
    assert "gain over Chain of thought" in page.caption[0].value
