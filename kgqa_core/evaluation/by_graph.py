"""The same questions over several graphs: what each graph is worth to a method.

PG&AKV, Table III: a set of questions asked over Freebase and over Wikidata, and the gain of each
over the model that answers alone. Benchmarks that differ in nothing but their graph are a row.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from statistics import fmean

from kgqa_core.evaluation.metrics import lower_is_better
from kgqa_core.evaluation.report import Bench, Cell, columns, lines, newest
from kgqa_core.evaluation.statistics import compare, estimate, holm
from kgqa_core.methods import METHODS

_ALONE = ("cot", "cot-few-shot", "sc", "io")  # the first that was measured is the baseline


@dataclass(frozen=True)
class ByGraph:
    """A question set and the graphs that it was asked over.

    `cells` by method and graph; `best` and `p` are those of the row: of the same method over its
    best graph. `baseline`: a method without a graph on these questions, and its score.
    """

    title: str
    graphs: tuple[str, ...]
    methods: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]
    baseline: tuple[str, float] | None = None

    def gain(self, method: str, graph: str) -> float | None:
        """What the method has over the baseline there."""
        cell = self.cells.get((method, graph))
        if cell is None or self.baseline is None:
            return None
        return cell.estimate.value - self.baseline[1]


def by_graph(benches: Sequence[Bench], metric: str, *, trivial: bool = True) -> list[ByGraph]:
    """A table for each question set that some method was asked over two graphs or more."""
    found = []
    benches = newest(benches)
    for questions in dict.fromkeys(_questions(bench) for bench in benches):
        some = [bench for bench in benches if _questions(bench) == questions]
        using = [b for b in some if _uses_graph(b)]
        rows = {b.who: [one for one in using if one.who == b.who] for b in using}
        rows = {who: own for who, own in rows.items() if len(own) > 1}
        measured = [bench for own in rows.values() for bench in own]
        names = _graph_names(measured)
        said = lines(measured)
        cells = {
            (said[who], names[_graph(bench)]): cell
            for who, own in rows.items()
            for bench, cell in _row(own, metric, trivial)
        }
        if not cells:
            continue
        graphs = tuple(name for name in names.values() if any(g == name for _, g in cells))
        methods = tuple(dict.fromkeys(method for method, _ in cells))
        title = next(iter(columns(some[:1]).values()))
        alone = [bench for bench in some if not _uses_graph(bench)]
        found.append(ByGraph(title, graphs, methods, cells, _baseline(alone, metric, trivial)))
    return found


def _questions(bench: Bench) -> tuple[object, ...]:
    return bench.what[:-1]  # all of what was asked but the graph


def _graph(bench: Bench) -> tuple[str, str]:
    return bench.config.graph, bench.config.graph_fingerprint


def _uses_graph(bench: Bench) -> bool:
    method = METHODS.get(bench.config.method)
    return method is None or method.uses_graph


def _graph_names(benches: Sequence[Bench]) -> dict[tuple[str, str], str]:
    """Graphs by name; versions of one are told apart by their fingerprints."""
    keys = dict.fromkeys(_graph(bench) for bench in benches)
    names = [name for name, _ in keys]
    return {
        (name, print_): f"{name} · {print_[:6]}" if names.count(name) > 1 else name
        for name, print_ in keys
    }


def _row(benches: Sequence[Bench], metric: str, trivial: bool) -> list[tuple[Bench, Cell]]:
    """One method over several graphs: its best, and the tests of the others against that."""
    scores = {_graph(b): values for b in benches if (values := b.scores(metric, trivial=trivial))}
    measured = [b for b in benches if _graph(b) in scores]
    if len(measured) < 2:
        return []
    cells = [Cell(b, estimate(list(scores[_graph(b)].values()), b.config.seed)) for b in measured]
    sign = -1 if lower_is_better(metric) else 1
    top = max(cells, key=lambda cell: sign * cell.estimate.value)
    best = scores[_graph(top.bench)]
    others = [c for c in cells if c is not top and set(scores[_graph(c.bench)]) & set(best)]
    tests = holm([compare("", best, scores[_graph(c.bench)]).p_value for c in others])
    p_values = {_graph(c.bench): p for c, p in zip(others, tests, strict=True)}
    value = top.estimate.value
    return [
        (
            cell.bench,
            replace(cell, best=cell.estimate.value == value, p=p_values.get(_graph(cell.bench))),
        )
        for cell in cells
    ]


def _baseline(alone: Sequence[Bench], metric: str, trivial: bool) -> tuple[str, float] | None:
    for name in _ALONE:
        for bench in alone:
            values = bench.scores(metric, trivial=trivial) if bench.config.method == name else {}
            if values:
                return METHODS[name].title, fmean(values.values())
    return None
