"""Several benchmarks side by side: the table, the pairs, the grid of questions.

A benchmark is a folder; here it is a column (what was asked: question set, selection, graph) and
a row (who was asked: method, parameters, model). Everything is a fold over the stored results.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from statistics import fmean

from kgqa_core.evaluation import results
from kgqa_core.evaluation.metrics import HEADLINE, lower_is_better
from kgqa_core.evaluation.published import OURS, Published, published
from kgqa_core.evaluation.results import Config, Row
from kgqa_core.evaluation.statistics import Comparison, Estimate, compare, estimate, holm
from kgqa_core.evaluation.summary import scores
from kgqa_core.methods import METHODS
from kgqa_core.places import ASSETS
from kgqa_core.text import listed

LEVEL = 0.05  # of significance
SHIPPED = ASSETS / "benchmarks"
_LISTED = 3  # members of a parameter that are named
VERDICTS = ("right", "wrong", "abstained", "failed")
WRONG_BUT_CERTAIN = "wrong but certain"  # those of the wrong ones that were no guess
CAUSES = {
    "linking": "the entity was not found",
    "relation choice": "no fact with the answer was read",
    "reading": "the fact was read, the answer is another",
    "ungrounded": "the answer came from the model alone",
    "budget": "the budget of the question was used up",
    "format": "the model's reply could not be read",
    "source error": "the graph or the model did not answer",
    "defect": "an error of the program",
}


@dataclass(frozen=True)
class Bench:
    """A benchmark as far as it is: what was run, and a row for every question asked."""

    folder: Path
    config: Config
    rows: tuple[Row, ...]

    @property
    def what(self) -> tuple[object, ...]:
        """Equal for benchmarks that asked the same questions of the same graph."""
        c = self.config
        drawn = (c.sample, c.seed) if c.sample is not None else None
        return (
            c.dataset_sha256 or c.dataset,
            c.limit,
            drawn,
            tuple(sorted(c.where.items())),
            c.gold_entities,
            c.graph_fingerprint,
        )

    @property
    def seen(self) -> bool:
        """Whether it ships: of questions that the built-in reader was made with."""
        return self.folder.is_relative_to(SHIPPED)

    @property
    def who(self) -> tuple[object, ...]:
        c = self.config
        return c.method, tuple(sorted((k, str(v)) for k, v in c.params.items())), c.model

    @property
    def planned(self) -> int:
        return self.config.questions * self.config.repeat

    @property
    def complete(self) -> bool:
        return len(self.rows) >= self.planned

    def scores(self, metric: str, *, trivial: bool = True) -> dict[str, float]:
        """The metric by question, over repeats the mean."""
        return scores((r for r in self.rows if trivial or not r.trivial), metric)

    @cached_property
    def by_question(self) -> dict[str, tuple[Row, ...]]:
        """The runs of each question, in the order of the question set."""
        found: dict[str, list[Row]] = {}
        for row in self.rows:
            found.setdefault(row.id, []).append(row)
        return {name: tuple(some) for name, some in found.items()}

    def each(self, field: str) -> float:
        """What a question cost on average: `seconds`, `llm_calls`, `tokens`, `kg_requests`."""
        if not self.rows:
            return 0.0
        if field == "tokens":
            return fmean(r.cost.prompt_tokens + r.cost.completion_tokens for r in self.rows)
        return fmean(float(getattr(r.cost, field)) for r in self.rows)


def read(folders: Iterable[Path]) -> list[Bench]:
    """The benchmarks in these folders. Raises SettingsError for a folder that holds none."""
    found = []
    for folder in folders:
        for one in results.find(folder) or [folder]:
            config, rows = results.read(one)
            found.append(Bench(one, config, tuple(rows)))
    return found


def newest(benches: Iterable[Bench]) -> list[Bench]:
    """Of benchmarks that are the same but for their time, the one begun last."""
    last: dict[tuple[object, ...], Bench] = {}
    for bench in benches:
        key = (bench.what, bench.who)
        if key not in last or last[key].config.started_at <= bench.config.started_at:
            last[key] = bench
    return list(last.values())


# -- names ---------------------------------------------------------------------------------


def columns(benches: Sequence[Bench]) -> dict[tuple[object, ...], str]:
    """A title for each question set, told apart by what differs."""
    firsts: dict[tuple[object, ...], Config] = {}
    for bench in benches:
        firsts.setdefault(bench.what, bench.config)
    return _told_apart(
        firsts,
        lambda c: c.title or _stem(c.dataset),
        (
            lambda c: ", ".join(f"{k} {v}" for k, v in c.where.items()),
            lambda c: f"first {c.limit:,}" if c.limit else "",
            lambda c: f"{c.sample:,} at random, seed {c.seed}" if c.sample else "",
            lambda c: "gold entities" if c.gold_entities else "",
            lambda c: f"on {c.graph}",
            lambda c: f"graph {c.graph_fingerprint[:6]}",
            lambda c: f"file {c.dataset_sha256[:6]}",
        ),
    )


def lines(benches: Sequence[Bench]) -> dict[tuple[object, ...], str]:
    """A title for each method, with model and parameters where those tell it apart.

    Parameters that differ only from one question set to the next stay unsaid.
    """
    firsts: dict[tuple[object, ...], Config] = {}
    asked: dict[tuple[object, ...], set[object]] = {}
    for bench in benches:
        firsts.setdefault(bench.who, bench.config)
        asked.setdefault(bench.who, set()).add(bench.what)

    def clash(keys: Sequence[tuple[object, ...]]) -> bool:
        return any(asked[a] & asked[b] for a, b in combinations(keys, 2))

    return _told_apart(firsts, title_of, (lambda c: c.model, _params), clash)


def title_of(config: Config) -> str:
    return METHODS[config.method].title if config.method in METHODS else config.method


def _params(config: Config) -> str:
    """The parameters that are not the method's defaults."""
    method = METHODS.get(config.method)
    usual = method.params().model_dump(mode="json") if method else {}
    return ", ".join(f"{k} {_brief(v)}" for k, v in config.params.items() if usual.get(k) != v)


def _brief(value: object) -> object:
    """A long list, such as a pool of entities, by its length."""
    return f"of {len(value):,}" if isinstance(value, list) and len(value) > _LISTED else value


def _told_apart(
    configs: Mapping[tuple[object, ...], Config],
    title: Callable[[Config], str],
    marks: Iterable[Callable[[Config], str]],
    clash: Callable[[Sequence[tuple[object, ...]]], bool] = lambda keys: len(keys) > 1,
) -> dict[tuple[object, ...], str]:
    names = {key: title(config) for key, config in configs.items()}
    for mark in marks:
        groups: dict[str, list[tuple[object, ...]]] = {}
        for key, name in names.items():
            groups.setdefault(name, []).append(key)
        for name, keys in groups.items():
            said = {key: mark(configs[key]) for key in keys}
            if clash(keys) and len(set(said.values())) > 1:
                names |= {key: f"{name} · {said[key]}" if said[key] else name for key in keys}
    return names


def _stem(name: str) -> str:
    return name.removesuffix(".gz").rsplit(".", 1)[0]


# -- the table -----------------------------------------------------------------------------


@dataclass(frozen=True)
class Cell:
    """A method on a question set. `p` against the best of the column, Holm-corrected."""

    bench: Bench
    estimate: Estimate
    best: bool = False
    p: float | None = None

    @property
    def bold(self) -> bool:
        """The best of its column, where that says how good it is on what nobody had seen."""
        return self.best and not self.bench.seen

    @property
    def worse(self) -> bool:
        """Significantly worse than the best of its column."""
        return self.p is not None and self.p < LEVEL


@dataclass(frozen=True)
class Table:
    """Methods × question sets. Rows are in order of their sum, so that a gap counts as nothing."""

    metric: str
    columns: tuple[str, ...]
    rows: tuple[str, ...]
    cells: Mapping[tuple[str, str], Cell]  # (row, column)

    def get(self, row: str, column: str) -> Cell | None:
        return self.cells.get((row, column))

    def seen(self, column: str) -> bool:
        """Whether a column is of questions that the built-in reader was made with."""
        return any(cell.bench.seen for (_, at), cell in self.cells.items() if at == column)


def table(benches: Sequence[Bench], metric: str = HEADLINE, *, trivial: bool = True) -> Table:
    """The metric of every benchmark; without those it does not apply to."""
    benches = newest(benches)
    sets, methods = columns(benches), lines(benches)
    cells: dict[tuple[str, str], Cell] = {}
    by_column: dict[str, list[Bench]] = {name: [] for name in sets.values()}
    for bench in benches:
        by_column[sets[bench.what]].append(bench)
    for column, some in by_column.items():
        found = {b.who: b.scores(metric, trivial=trivial) for b in some}
        for bench, cell in _column(some, found, metric):
            cells[methods[bench.who], column] = cell
    rows = sorted(
        dict.fromkeys(row for row, _ in cells),
        key=lambda row: -sum(_credit(metric, c) for (r, _), c in cells.items() if r == row),
    )
    kept = [column for column in by_column if any(c == column for _, c in cells)]
    return Table(metric, tuple(kept), tuple(rows), cells)


def _credit(metric: str, cell: Cell) -> float:
    """What a cell speaks for its method: the more, the better, whatever the metric."""
    value = cell.estimate.value
    return 1 - value if lower_is_better(metric) else value


def _column(
    benches: Sequence[Bench],
    found: Mapping[tuple[object, ...], Mapping[str, float]],
    metric: str,
) -> Iterator[tuple[Bench, Cell]]:
    cells = [
        (bench, Cell(bench, estimate(list(values.values()), bench.config.seed)))
        for bench in benches
        if (values := found[bench.who])
    ]
    if not cells:
        return
    best, top = max(cells, key=lambda pair: _credit(metric, pair[1]))
    others = [
        (bench, cell)
        for bench, cell in cells
        if bench is not best and set(found[bench.who]) & set(found[best.who])
    ]
    p_values = holm([compare("", found[best.who], found[bench.who]).p_value for bench, _ in others])
    corrected = {bench.who: p for (bench, _), p in zip(others, p_values, strict=True)}
    for bench, cell in cells:
        equal = _credit(metric, cell) == _credit(metric, top) > 0
        yield bench, replace(cell, best=equal, p=corrected.get(bench.who))


@dataclass(frozen=True)
class Pair:
    """Two methods on one question set. `p` is Holm-corrected over the set's pairs."""

    column: str
    ours: str
    theirs: str
    comparison: Comparison
    p: float


def pairs(benches: Sequence[Bench], metric: str = HEADLINE, *, trivial: bool = True) -> list[Pair]:
    """Every two methods that were asked the same questions, best first."""
    benches = newest(benches)
    sets, methods = columns(benches), lines(benches)
    found: list[Pair] = []
    for what, column in sets.items():
        some = [
            (bench, values)
            for bench in benches
            if bench.what == what and (values := bench.scores(metric, trivial=trivial))
        ]
        some.sort(key=lambda pair: fmean(pair[1].values()), reverse=not lower_is_better(metric))
        both = [
            (methods[a.who], methods[b.who], compare(metric, ours, theirs, a.config.seed))
            for (a, ours), (b, theirs) in combinations(some, 2)
            if set(ours) & set(theirs)
        ]
        p_values = holm([c.p_value for _, _, c in both])
        found += [Pair(column, *one, p) for one, p in zip(both, p_values, strict=True)]
    return found


@dataclass(frozen=True)
class Beside:
    """A published figure and ours for the same method, in the nearest metric."""

    column: str
    figure: Published
    ours: Estimate | None


def beside(benches: Sequence[Bench], only: str = "") -> list[Beside]:
    """The published figures for these question sets, or for `only` one of their titles."""
    benches = newest(benches)
    found = []
    for what, column in columns(benches).items():
        if only and column != only:
            continue
        some = [bench for bench in benches if bench.what == what]
        first = some[0].config
        for figure in published(first.dataset, first.title, *first.where.values()):
            found.append(Beside(column, figure, ours(figure, some)))
    return found


def ours(figure: Published, benches: Sequence[Bench]) -> Estimate | None:
    """Our score in that row; of several with its parameters, of the one begun last."""
    for bench in sorted(benches, key=lambda b: b.config.started_at, reverse=True):
        c = bench.config
        if figure.is_of(c.method, {**c.environment, **c.params}):
            values = bench.scores(OURS[figure.metric])
            if values:
                return estimate(list(values.values()), c.seed)
    return None


# -- one question set ----------------------------------------------------------------------


def ends(bench: Bench) -> dict[str, int]:
    """How its questions ended: right, abstained, or the class of the failure."""
    counted: dict[str, int] = {}
    for row in bench.rows:
        how = row.verdict if row.verdict in ("right", "abstained") else row.cause or row.verdict
        counted[how] = counted.get(how, 0) + 1
    return counted


def by_class(bench: Bench, metric: str) -> dict[str, Estimate]:
    """The metric for each class of questions, largest first."""
    groups: dict[str, list[Row]] = {}
    for row in bench.rows:
        for name in row.classes:
            groups.setdefault(name, []).append(row)
    by_size = sorted(groups.items(), key=lambda pair: (-len(pair[1]), pair[0]))
    return {
        name: estimate(list(values.values()), bench.config.seed)
        for name, some in by_size
        if (values := scores(some, metric))
    }


@dataclass(frozen=True)
class Asked:
    """A question and what became of it, by method: a verdict for each repeat."""

    id: str
    question: str
    classes: tuple[str, ...]
    gold: str
    runs: Mapping[str, tuple[Row, ...]]

    @property
    def differs(self) -> bool:
        """Whether the methods do not all end alike."""
        return len({tuple(r.verdict for r in rows) for rows in self.runs.values()}) > 1

    @property
    def causes(self) -> frozenset[str]:
        return frozenset(r.cause for rows in self.runs.values() for r in rows if r.cause)

    @property
    def verdicts(self) -> frozenset[str]:
        return frozenset(
            verdict
            for rows in self.runs.values()
            for r in rows
            for verdict in (r.verdict, *([WRONG_BUT_CERTAIN] if r.wrong_but_certain else ()))
        )


def grid(benches: Sequence[Bench]) -> list[Asked]:
    """The questions of one set, in its order, with the outcome of each method."""
    methods = lines(benches)
    names: dict[str, Row] = {}
    for bench in benches:
        for name, rows in bench.by_question.items():
            names.setdefault(name, rows[0])
    return [
        Asked(
            id=name,
            question=first.question,
            classes=first.classes,
            gold=gold_text(first),
            runs={methods[b.who]: b.by_question[name] for b in benches if name in b.by_question},
        )
        for name, first in sorted(names.items(), key=lambda pair: pair[1].position)
    ]


def gold_text(row: Row, most: int = 8) -> str:
    """The first gold set in words."""
    answers = next(iter(row.gold.values()), ())
    named = listed((answer["label"] or answer["id"] for answer in answers), most)
    return named or ("(nothing)" if row.gold else "")


class Shelf:
    """Benchmarks held open: each look reads only what was added since the last one."""

    def __init__(self) -> None:
        self._open: dict[Path, tuple[results.Reader, tuple[str, int], Bench]] = {}
        self._lock = threading.Lock()

    def open(self, folder: Path) -> Bench:
        """The same object as long as nothing was added. Raises SettingsError as `read` does."""
        with self._lock:
            reader, seen, before = self._open.get(folder, (results.Reader(folder), None, None))
            config, rows = reader.look()
            if before is not None and seen == reader.seen:
                return before
            bench = Bench(folder, config, tuple(rows))
            self._open[folder] = reader, reader.seen, bench
            return bench
