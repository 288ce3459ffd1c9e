"""Charts of benchmarks: names that do not cover each other, whatever the methods score."""

import random
from itertools import pairwise

import pytest

from kgqa_core.evaluation import report
from kgqa_core.render import charts
from tests.evaluation.test_benchmark import Options, questions, run_benchmark, setup


@pytest.mark.parametrize(
    ("values", "gap", "expected"),
    [
        ([], 0.1, []),
        ([0.5], 0.1, [0.5]),
        ([0.2, 0.8], 0.1, [0.2, 0.8]),
        ([0.5, 0.5], 0.1, [0.45, 0.55]),
        ([0.0, 0.0, 0.3], 0.1, [0.0, 0.1, 0.3]),
        ([1.0, 0.98, 0.2], 0.1, [1.0, 0.9, 0.2]),
        ([0.5, 0.4, 0.48], 0.1, [0.56, 0.36, 0.46]),
    ],
)
def test_names_are_moved_apart_by_hand(values, gap, expected):
    assert charts.apart(values, gap) == pytest.approx(expected)


def test_names_never_meet_and_keep_their_order():
    rng = random.Random(5)
    for count in range(2, 21):
        values = [rng.choice([0.0, 1.0, rng.random(), 0.52]) for _ in range(count)]
        places = charts.apart(values, 1 / 20)
        ordered = sorted(zip(values, places, strict=True))
        gaps = [b - a for (_, a), (_, b) in pairwise(ordered)]
        assert min(gaps) >= 1 / 20 - 1e-9
        assert 0 <= ordered[0][1] <= ordered[-1][1] <= 1


@pytest.mark.parametrize("dark", [False, True])
def test_every_method_is_named_beside_the_plot(tmp_path, dark):
    for name, lucky in (("a", 0.5), ("b", 0.6), ("c", 0.7)):
        options = Options(title="Numbers", dataset_sha256="f" * 64)
        run_benchmark(questions("right", "wrong"), setup(lucky=lucky), tmp_path / name, options)
    table = report.table(report.read([tmp_path]), "exact")
    chart = charts.against(table, "Numbers", "llm_calls", dark=dark).to_dict()
    (rows,) = [layer["data"]["values"] for layer in chart["layer"] if "data" in layer][:1] or [
        chart["data"]["values"]
    ]
    assert {row["method"] for row in rows} == set(table.rows)
    assert len({row["place"] for row in rows}) == 3
    assert charts.png(charts.against(table, "Numbers", "seconds")).startswith(b"\x89PNG")
