"""Benchmarks side by side: the table, its tests, the grid of questions, the exports."""

import csv
import gzip
import io
import json
from collections import Counter
from dataclasses import replace

import pytest

from kgqa_core.errors import SettingsError
from kgqa_core.evaluation import exports, report, results
from kgqa_core.evaluation.benchmark import Options, run_benchmark
from kgqa_core.evaluation.metrics import METRICS
from kgqa_core.evaluation.published import OURS, family, figures
from kgqa_core.evaluation.report import Shelf
from kgqa_core.evaluation.statistics import holm
from kgqa_core.methods import METHODS
from tests.evaluation.test_benchmark import METHOD, Params, Setup, questions, setup

MANY = 40


def words(right, count=MANY):
    return ["right"] * right + ["wrong"] * (count - right)


@pytest.fixture
def three(tmp_path):
    """A set that three configurations were asked: 36, 34 and 10 of 40 right."""
    for name, right, lucky in (("a", 36, 0.5), ("b", 34, 0.6), ("c", 10, 0.7)):
        options = Options(title="Numbers", dataset_sha256="f" * 64)
        run_benchmark(questions(*words(right)), setup(lucky=lucky), tmp_path / name, options)
    return report.read([tmp_path])


def test_the_table_marks_the_best_and_what_is_worse_for_certain(three):
    table = report.table(three, "exact")
    assert table.columns == ("Numbers",)
    assert len(table.rows) == 3
    best, close, worse = (table.get(row, "Numbers") for row in table.rows)
    assert (best.estimate.value, best.best, best.p) == (0.9, True, None)
    assert (close.estimate.value, close.best, close.worse) == (0.85, False, False)
    assert (worse.estimate.value, worse.worse) == (0.25, True)
    assert best.estimate.low < 0.9 < best.estimate.high
    assert worse.p < 0.001 < close.p


def test_fewer_wrong_but_certain_answers_are_better(tmp_path):
    for name, lucky, asked in (("a", 0.5, "wrong"), ("b", 0.6, "guess")):
        data = questions("right", *[asked] * 12)
        options = Options(title="Numbers", dataset_sha256="f" * 64)
        run_benchmark(data, setup(lucky=lucky), tmp_path / name, options)
    found = report.read([tmp_path])
    table = report.table(found, "wrong_but_certain")
    guessing, sure = (table.get(row, "Numbers") for row in table.rows)
    assert (guessing.estimate.value, guessing.best) == (0, True)
    assert (sure.estimate.value, sure.best, sure.worse) == (pytest.approx(12 / 13), False, True)
    (pair,) = report.pairs(found, "wrong_but_certain")
    assert (pair.ours, pair.theirs) == table.rows
    assert report.WRONG_BUT_CERTAIN in report.grid(found)[1].verdicts


def test_pairs_are_tested_on_the_same_questions(three):
    pairs = report.pairs(three, "exact")
    assert len(pairs) == 3
    first = pairs[0]
    assert first.comparison.test == "McNemar"
    assert first.comparison.gap.value == pytest.approx(0.05)
    assert (len(first.comparison.ours_only), len(first.comparison.theirs_only)) == (2, 0)
    assert first.p >= first.comparison.p_value


def test_holm_by_hand():
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([0.9, 0.8]) == [1.0, 1.0]
    assert holm([]) == []


def test_parameters_models_and_selections_tell_benchmarks_apart(three, tmp_path):
    expected = {f"by-number · pause_s 0.0, lucky {lucky}" for lucky in (0.5, 0.6, 0.7)}
    assert set(report.lines(three).values()) == expected
    one = Options(title="Numbers", dataset_sha256="f" * 64, limit=2)
    run_benchmark(questions("right", "wrong"), setup(), tmp_path / "d", one)
    names = set(report.columns(report.read([tmp_path])).values())
    assert names == {"Numbers", "Numbers · first 2"}


def test_parameters_that_only_go_with_the_question_set_stay_unsaid(tmp_path):
    for name, lucky in (("a", 0.1), ("b", 0.2)):
        options = Options(title=name, dataset_sha256=name)
        run_benchmark(questions("right"), setup(lucky=lucky), tmp_path / name, options)
    table = report.table(report.read([tmp_path]), "exact")
    assert (table.rows, table.columns) == (("by-number",), ("a", "b"))


def test_of_equal_benchmarks_the_newest_counts(tmp_path):
    for name, right, when in (("old", 4, "2026-01-01"), ("new", 8, "2026-02-01")):
        run_benchmark(questions(*words(right, 10)), setup(), tmp_path / name)
        path = tmp_path / name / "config.json"
        config = json.loads(path.read_text()) | {"started_at": when}
        path.write_text(json.dumps(config))
    table = report.table(report.read([tmp_path]), "exact")
    assert [cell.estimate.value for cell in table.cells.values()] == [0.8]


def test_the_grid_says_where_methods_differ_and_why(tmp_path):
    run_benchmark(questions("right", "unknown", "broken"), setup(), tmp_path / "a")
    run_benchmark(questions("right", "right", "broken"), setup(lucky=0.9), tmp_path / "b")
    grid = report.grid(report.read([tmp_path]))
    assert [(one.id, one.differs) for one in grid] == [("q0", False), ("q1", True), ("q2", False)]
    assert grid[1].verdicts == {"abstained", "right"}
    assert grid[2].causes == {"defect"}
    assert grid[0].gold == "0"
    assert report.ends(report.read([tmp_path / "a"])[0]) == {
        "right": 1,
        "abstained": 1,
        "defect": 1,
    }


def test_classes_are_measured_each(tmp_path):
    data = questions("right", "wrong", classes=("count",))
    data.examples += questions("x", "x", "right", classes=("look-up",)).examples[2:]
    run_benchmark(data, setup(), tmp_path)
    found = report.by_class(report.read([tmp_path])[0], "exact")
    assert {name: e.value for name, e in found.items()} == {"count": 0.5, "look-up": 1.0}


def test_trivial_questions_can_be_left_out(tmp_path):
    data = questions("wrong", "wrong")
    data.examples += questions("x", "x", "right", trivial=True).examples[2:]
    run_benchmark(data, setup(), tmp_path)
    found = report.read([tmp_path])
    (with_them,) = report.table(found, "exact").cells.values()
    (without,) = report.table(found, "exact", trivial=False).cells.values()
    assert (with_them.estimate.value, without.estimate.value) == (pytest.approx(1 / 3), 0.0)


def test_csv_has_all_it_takes_and_no_formula(three, tmp_path):
    rows = list(csv.DictReader(io.StringIO(exports.as_csv(three, "exact"))))
    assert [row["value"] for row in rows] == ["0.9000", "0.8500", "0.2500"]
    assert rows[0]["questions"] == "40"
    assert rows[0]["llm_calls"] == "2.000"
    assert (rows[0]["p_against_best"], rows[2]["failed"]) == ("", "0")
    run_benchmark(
        questions("right"), setup(), tmp_path / "evil", Options(title='=HYPERLINK("http://x")')
    )
    assert "\n'=HYPER" not in exports.as_csv(three)
    text = exports.as_csv(report.read([tmp_path / "evil"]), "exact")
    assert "'=HYPERLINK" in text
    grid = exports.questions_csv(report.grid(three))
    assert grid.splitlines()[0].startswith("id,question,class,gold,")
    assert len(grid.splitlines()) == MANY + 1


def test_latex_is_escaped_and_marked(tmp_path):
    for name, right, lucky in (("a", 36, 0.5), ("c", 5, 0.7)):
        options = Options(title=r"50 % of_A & B \input{x}", dataset_sha256="f")
        run_benchmark(questions(*words(right)), setup(lucky=lucky), tmp_path / name, options)
    text = exports.as_latex(report.read([tmp_path]), "exact")
    assert r"50 \% of\_A \& B \textbackslash\{\}input\{x\}" in text.replace(
        r"\textbackslash{}", r"\textbackslash\{\}"
    )
    assert r"\textbf{0.900}" in text
    assert r"0.125$^\dagger$" in text
    assert text.count(r"\begin{tabular}{lc}") == 1


def test_markdown_is_a_table(three):
    head, rule, *rows = exports.as_markdown(three, "exact").splitlines()
    assert head == "| method | Numbers (40) |"
    assert rule.count("---") == 2
    assert "**0.90** [" in rows[0]
    assert "0.25 † [" in rows[2]


# -- published -----------------------------------------------------------------------------


def test_every_published_figure_names_its_base_and_a_metric_of_ours():
    for row in figures():
        assert row.base
        assert row.source
        assert row.table
        assert 0 < row.value <= 1
        assert OURS[row.metric] in METRICS
        assert family(row.dataset) == row.dataset or row.dataset == "any"


def test_every_figure_of_the_papers_tables_is_there_once():
    papers = Counter((row.source, row.table) for row in figures())
    assert papers["KGIR", "Table 2"] == 7
    assert papers["KGIR", "Table 3"] + papers["KGIR", "Table 5"] == 31
    assert papers["KGIR", "Table 4"] == 8
    # of Table II the text has lost the QALD-10 figures of IO, CoT, SC and RAG
    assert [papers["PG&AKV", f"Table {n}"] for n in ("II", "III", "IV", "V")] == [26, 6, 6, 6]
    assert [papers["Wang et al. 2024", f"Table {n}"] for n in (3, 4)] == [33, 12]
    r3 = [papers["Toroghi et al. 2024", f"Table {n}"] for n in range(2, 9)]
    assert r3 == [64, 0, 4, 12, 12, 8, 8]  # Table 3 shows what the questions are like
    assert papers["Sun et al. 2024", "Table 1"] == 11
    assert papers["Sun et al. 2024 (ODA)", "Table 4"] == 5
    what = [
        (f.dataset, f.system, f.model, f.metric, f.params, f.base, f.source, f.table)
        for f in figures()
    ]
    assert len(set(what)) == len(what)


def test_every_figure_was_held_against_its_source_and_one_that_was_not_would_say_so():
    assert {f.checked for f in figures()} == {""}
    assert {f.place for f in figures() if f.source == "KGIR"} >= {"KGIR, Table 3"}
    one = figures()[0]
    assert replace(one, checked="copy").place == f"{one.place} (from a copy of the table)"
    assert replace(one, checked="no").place == f"{one.place} (not checked)"


def test_a_figure_names_parameters_that_its_method_has():
    for row in figures():
        known = set(METHODS[row.method].params.model_fields) if row.method else set()
        for pair in filter(None, row.params.split(",")):
            assert pair.partition("=")[0] in known | {"encoder"}, row


@pytest.mark.parametrize(
    ("params", "system"),
    [
        ({"linking": "pool"}, "Added KG properties"),
        ({"linking": "direct"}, "Added KG properties (Wikidata directly)"),
    ],
)
def test_pool_and_direct_are_rows_of_their_own(params, system):
    rows = [f for f in figures() if f.is_of("one-hop", params)]
    assert {f.system for f in rows if f.metric == "macro F1"} == {system}


def test_two_worked_examples_are_not_set_beside_six():
    rows = [f for f in figures() if f.is_of("cot-few-shot", {"shots": 2})]
    assert {f.source for f in rows} == {"Toroghi et al. 2024"}


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("qald_10_en_offline.jsonl", "QALD-10"),
        ("QALD-10, test", "QALD-10"),
        ("MetaQA 2-hop, odd half of dev", "MetaQA 2-hop"),
        ("CR-LT-ClaimVerification.json", "CR-LT claims"),
        ("CR-LT-QA.json", "CR-LT questions"),
        ("StrategyQA_Modified_new.csv long-tail", "CR-LT questions"),
        ("Creak_Modified_new.csv original", "R3 claims, original"),
        ("Creak_Modified_new.csv", ""),
        ("train_en_sparql.json", "QALD-9-plus train"),
        ("commonsense_dict_final.json", "Recipe-MPR personas"),
        ("my questions.csv", ""),
    ],
)
def test_a_question_set_is_known_by_its_name(name, expected):
    assert family(name) == expected


class Pooled(Params):
    pool: tuple[str, ...] = ()


def test_a_long_parameter_is_told_by_its_length(tmp_path):
    method, base = replace(METHOD, params=Pooled), setup()
    options = Options(title="Numbers", dataset_sha256="f" * 64)
    for name, pool in (("a", ["Q1"]), ("b", [f"Q{n}" for n in range(400)])):
        one = Setup(method, Pooled(pool=pool), base.kg, base.llm)
        run_benchmark(questions("right"), one, tmp_path / name, options)
    said = set(report.lines(report.read([tmp_path])).values())
    assert any(line.endswith("pool of 400") for line in said)
    assert any(line.endswith("pool ['Q1']") for line in said)


class Linking(Params):
    answer_linking: bool = True


def test_ours_stand_beside_the_row_with_their_parameters(tmp_path):
    method, base = replace(METHOD, name="react"), setup()
    for linking, asked in ((True, ("right", "wrong")), (False, ("right", "right"))):
        one = Setup(method, Linking(answer_linking=linking), base.kg, base.llm)
        options = Options(title="QALD-10, test", dataset_sha256="f" * 64)
        run_benchmark(questions(*asked), one, tmp_path / str(linking), options)
    rows = report.beside(report.read([tmp_path]))
    ours = {
        row.figure.system: row.ours.value
        for row in rows
        if row.figure.method == "react" and row.ours
    }
    assert ours == {"ReACT": 1.0, "ReACT + Answer Entity Linking": 0.5}
    assert {row.ours for row in rows if row.figure.system == "SPINACH"} == {None}


def test_folders_are_found_inside_folders(three, tmp_path):
    assert [f.name for f in results.find(tmp_path)] == ["a", "b", "c"]
    assert results.find(tmp_path / "a") == [tmp_path / "a"]
    assert results.find(tmp_path / "nothing") == []
    with pytest.raises(SettingsError, match="holds no benchmark"):
        report.read([tmp_path / "nothing"])


def test_a_growing_folder_is_read_as_it_grows(tmp_path):
    shelf = Shelf()
    first = run_benchmark(questions(*words(3, 5)), setup(), tmp_path)
    before = shelf.open(tmp_path)
    assert shelf.open(tmp_path) is before
    lines = (tmp_path / "results.jsonl").read_text().splitlines(keepends=True)
    last = next(line for line in lines if '"q4"' in line)
    more = last.replace('"q4"', '"q5"').replace('"position":4', '"position":5')
    with (tmp_path / "results.jsonl").open("a") as stream:
        stream.write(more + '{"id": "half a li')
    grown = shelf.open(tmp_path)
    assert [row.id for row in grown.rows] == ["q0", "q1", "q2", "q3", "q4", "q5"]
    assert len(before.rows) == first["n"] == 5
    run_benchmark(questions("right"), setup(lucky=0.1), tmp_path, resume=False)
    path = tmp_path / "config.json"
    path.write_text(path.read_text().replace('"started_at": "2', '"started_at": "3'))
    assert len(shelf.open(tmp_path).rows) == 1


def test_packed_results_read_the_same_and_can_leave_the_words_out(tmp_path):
    run_benchmark(questions("right", "unknown", "broken"), setup(), tmp_path / "a")
    results.pack(tmp_path / "a", tmp_path / "b")
    assert results.read(tmp_path / "b") == results.read(tmp_path / "a")
    assert Shelf().open(tmp_path / "b").rows == tuple(results.read(tmp_path / "a")[1])
    results.pack(tmp_path / "a", tmp_path / "c", words=False)
    packed = gzip.decompress((tmp_path / "c" / "results.jsonl.gz").read_bytes()).decode()
    assert "right 0" not in packed
    before, after = report.read([tmp_path / "a"])[0], report.read([tmp_path / "c"])[0]
    assert after.scores("exact") == before.scores("exact")
    assert {row.question for row in after.rows} == {""}
    assert [row.verdict for row in after.rows] == [row.verdict for row in before.rows]
    first = (tmp_path / "c" / "results.jsonl.gz").read_bytes()
    results.pack(tmp_path / "a", tmp_path / "c", words=False)
    assert (tmp_path / "c" / "results.jsonl.gz").read_bytes() == first


def test_damaged_packed_results_say_so(tmp_path):
    run_benchmark(questions("right"), setup(), tmp_path / "a")
    results.pack(tmp_path / "a", tmp_path / "b")
    (tmp_path / "b" / "results.jsonl.gz").write_bytes(b"\x1f\x8bno")
    with pytest.raises(SettingsError, match="is damaged"):
        results.read(tmp_path / "b")
