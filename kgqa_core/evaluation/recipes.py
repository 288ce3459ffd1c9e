"""Tables of papers, measured anew by one command: `bench --recipe NAME`.

A recipe names a table of `assets/benchmarks/published.tsv`. Its lines are the rows of that table,
each a method as published with the parameters of the row; its columns the question sets. Lines that
no method here stands for are printed as they are. What cannot be had or run says so in a sentence,
and does not keep the rest from being measured.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fnmatch import fnmatch
from functools import lru_cache
from itertools import islice
from pathlib import Path
from statistics import fmean
from typing import Any

from kgqa_core.ask.audit import Auditing
from kgqa_core.errors import KGQAError, SettingsError
from kgqa_core.evaluation import catalogue, report, results
from kgqa_core.evaluation.anchors import located
from kgqa_core.evaluation.catalogue import CATALOGUE
from kgqa_core.evaluation.jobs import Plan
from kgqa_core.evaluation.published import OURS, Published, figures
from kgqa_core.evaluation.report import Bench
from kgqa_core.evaluation.sets import SHIPPED
from kgqa_core.evaluation.statistics import Estimate
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.methods import METHODS, presets

_DEPTH = 4  # folders below the one with data in which files are looked for
_FILES = 20_000  # there, at most
_PROMPT, _REPLY = 1500, 150  # tokens of a call: what prompts here have on average, and replies
_CALLS = 6.0  # of a method that no shipped result tells of


@dataclass(frozen=True)
class Recipe:
    """Tables of one source. `graph` is what its questions are about, unless another is given.

    `audit`: for columns that people judged there. `gold_entities`: the paper hands them over.
    """

    name: str
    title: str
    source: str
    tables: tuple[str, ...]
    graph: str = "wikidata"
    gold_entities: bool = False
    audit: Auditing = "off"


RECIPES: dict[str, Recipe] = {
    recipe.name: recipe
    for recipe in (
        Recipe("kgir-table3", "F1 of seven ways to ask GPT-3.5", "KGIR", ("Table 3",)),
        Recipe("kgir-table4", "Questions of which an entity is found", "KGIR", ("Table 4",)),
        Recipe("kgir-table5", "F1 with GPT-4", "KGIR", ("Table 5",)),
        Recipe(
            "r3-table1",
            "Questions and claims, as they were and long-tail",
            "Toroghi et al. 2024",
            ("Table 2",),
            audit="reader",
        ),
        Recipe(
            "r3-preferences",
            "Choosing a recipe for somebody",
            "Toroghi et al. 2024",
            ("Table 4",),
            graph="starter",
        ),
        Recipe(
            "r3-ablation",
            "Entities, pruning and depth",
            "Toroghi et al. 2024",
            ("Table 5", "Table 6", "Table 7", "Table 8"),
        ),
        Recipe("pgakv-table2", "Against methods without verification", "PG&AKV", ("Table II",)),
        Recipe("pgakv-table3", "The same questions over two graphs", "PG&AKV", ("Table III",)),
        Recipe("pgakv-table4", "Drafts, with and without verification", "PG&AKV", ("Table IV",)),
        Recipe("pgakv-table5", "The same with GPT-4", "PG&AKV", ("Table V",)),
        Recipe("pgakv-scripts", "Drafts that can be read", "PG&AKV", ("§III-A",)),
        Recipe(
            "keqing-metaqa",
            "One, two and three hops over films",
            "Wang et al. 2024",
            ("Table 3",),
            graph="",
            gold_entities=True,
        ),
        Recipe(
            "keqing-webqsp", "Questions of web users", "Wang et al. 2024", ("Table 4",), graph=""
        ),
        Recipe(
            "keqing-figure5",
            "Templates matched to each sub-question",
            "Wang et al. 2024",
            ("Figure 5",),
            graph="",
        ),
        Recipe(
            "keqing-figure6",
            "Sub-questions against logical chains",
            "Wang et al. 2024",
            ("Figure 6",),
            graph="",
            gold_entities=True,
        ),
        Recipe(
            "tog-table1",
            "Think-on-Graph and the model alone",
            "Sun et al. 2024",
            ("Table 1",),
            gold_entities=True,
        ),
    )
}


# -- the lines ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Line:
    """A row of a table: a method, and what sets the row apart. `method` empty: only printed."""

    title: str
    method: str
    params: str

    @property
    def slug(self) -> str:
        return re.sub(r"[^a-z0-9]+", "-", f"{self.method} {self.params}".casefold()).strip("-")

    @property
    def cannot(self) -> str:
        """Why it cannot be measured here; empty: it can."""
        if not self.method:
            return "no method of this program"
        if "over Freebase" in self.title:
            return "Freebase cannot be asked any more: load a subset and give it as --graph"
        return ""

    def settings(self, preset: str, pool: Sequence[str] = ()) -> tuple[dict[str, Any], str]:
        """The method's parameters and the encoder: those of the preset, then what the row says."""
        said = dict(part.split("=", 1) for part in self.params.split(",") if part)
        encoder = said.pop("encoder", "")
        method = METHODS[self.method]
        known = preset in presets.names(method)  # a method of no paper has but its defaults
        params = presets.values(method, preset if known else presets.OURS) | said
        if params.get("linking") == "pool":
            params["pool"] = list(pool)
        return method.params.model_validate(params).model_dump(mode="json"), encoder


def rows(recipe: Recipe) -> tuple[Published, ...]:
    """The printed figures of a recipe; of a figure that is only drawn, its points without values.

    Keqing's figures 5 and 6 are drawings: how high a point lies cannot be read off the text.
    """
    found = [f for f in figures() if f.source == recipe.source and f.table in recipe.tables]
    return tuple(found) or _DRAWN[recipe.name]


def _drawn(table: str, metric: str, sets: Iterable[str], params: Iterable[str]) -> Iterator[Any]:
    for dataset in sets:
        for one in params:
            yield Published(
                dataset, "keqing", one, f"Keqing, {one.replace('_', ' ').replace('=', ' ')}",
                "ChatGPT", metric, float("nan"), "drawn, not printed", "Wang et al. 2024", table,
            )  # fmt: skip


_METAQA = ("MetaQA 1-hop", "MetaQA 2-hop", "MetaQA 3-hop")
_DRAWN = {
    "keqing-figure5": tuple(
        _drawn("Figure 5", "F1", ("WebQSP",), (f"top_k={k}" for k in (1, 2, 3, 4, 5)))
    ),
    "keqing-figure6": tuple(
        _drawn("Figure 6", "Hits@1", _METAQA, ("plan=sub-questions", "plan=chain"))
    ),
}


def lines(recipe: Recipe) -> list[Line]:
    """The rows of its tables, each once, in their order."""
    found = (Line(f.system, f.method, f.params) for f in rows(recipe))
    return list(dict.fromkeys(found))


# -- the data -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Source:
    """Where the questions of a column are: in the catalogue, or in a file of such a name.

    `files`: patterns of paths and the format of what they match, the best first.
    """

    entry: str = ""
    files: tuple[tuple[str, str], ...] = ()
    where: tuple[tuple[str, str], ...] = ()
    missing: str = ""


def _r3(entry: str, file: str, which: str) -> Source:
    return Source(entry, ((f"*{file}_Modified_new.csv*", "r3"),), (("class", which),))


def _hops(count: int) -> Source:
    return Source(
        "metaqa",
        tuple(
            (f"*{count}-hop*{file}.txt*", "metaqa")
            for file in ("vanilla/qa_test", "qa_test", "qa_dev")
        ),
    )


_NOWHERE = "it is in no public file that is known: put one into the --data folder"
SOURCES: dict[str, Source] = {
    "QALD-10": Source(
        "qald-10", (("*qald_10_en_offline.jsonl*", "kgqa-jsonl"), ("*qald_10.json*", "qald"))
    ),
    "QALD-10 train": Source(
        files=(
            ("*qald_10_train*_final*.json*", "lcquad2"),
            ("*qald_10_train*.json*", "qald"),
        ),
        missing="fetch original_datasets/qald_10_train_short.json by hand from "
        "https://github.com/marca116/IFT6759 into the --data folder",
    ),
    "QALD-9-plus train": Source(
        "qald-9-plus",
        (
            ("*qald_9_plus_train_wikidata*.json*", "qald"),
            ("*qald9plus*train_with_answers*.json*", "lcquad2"),
            ("*qald_9_plus_train_final*.json*", "lcquad2"),
        ),
    ),
    "QALD-9-plus test": Source("qald-9-plus", (("*qald_9_plus_test_wikidata*.json*", "qald"),)),
    "SimpleQuestions": Source(
        "simplequestions",
        tuple(
            (pattern, "simplequestions")
            for pattern in (
                "*annotated_wd_data_test_answerable*",
                "*simplequestions*test_answerable*",
                "*simplequestions*valid_answerable*",
            )
        ),
    ),
    "Nature Questions": Source(files=(("*nature_questions*.csv*", "csv"),), missing=_NOWHERE),
    "WebQSP": Source("webqsp", (("*WebQSP.test*.json*", "webqsp"),)),
    "MetaQA 1-hop": _hops(1),
    "MetaQA 2-hop": _hops(2),
    "MetaQA 3-hop": _hops(3),
    "CR-LT questions": _r3("r3-questions", "StrategyQA", "long-tail"),
    "CR-LT claims": _r3("r3-claims", "Creak", "long-tail"),
    "R3 questions, original": _r3("r3-questions", "StrategyQA", "original"),
    "R3 claims, original": _r3("r3-claims", "Creak", "original"),
    "Recipe-MPR personas": Source(
        "recipe-mpr-personas", (("*commonsense_dict_final*.json*", "recipe-mpr"),)
    ),
    "any": Source(),
}


@dataclass(frozen=True)
class Column:
    """The questions of a column, or why they are not here."""

    dataset: str
    path: Path | None = None
    format: str = ""
    where: tuple[tuple[str, str], ...] = ()
    missing: str = ""


Fetch = Callable[[catalogue.Entry], catalogue.Download]


def columns(
    recipe: Recipe, data_dir: Path, folder: Path | None = None, fetch: Fetch | None = None
) -> list[Column]:
    """Its question sets: in `folder`, else downloaded before, else with `fetch` downloaded now."""
    names = dict.fromkeys(f.dataset for f in rows(recipe))
    return [_column(name, data_dir, folder, fetch) for name in names]


def _column(dataset: str, data_dir: Path, folder: Path | None, fetch: Fetch | None) -> Column:
    source = SOURCES[dataset]
    if dataset == "any":
        path = SHIPPED / "questions" / "open.jsonl"  # which ones is not stated
        return Column(dataset, path, "kgqa-jsonl")
    if folder is not None and (found := _file(source, folder)) is not None:
        return Column(dataset, *found, source.where)
    entry = CATALOGUE.get(source.entry)
    if entry is None:
        return Column(dataset, missing=f"{dataset}: {source.missing}.")
    here = catalogue.downloaded(entry, catalogue.folder_of(data_dir))
    try:
        if here is None and fetch is not None and entry.url:
            here = fetch(entry)
    except KGQAError as error:
        by_hand = f"By hand it is at {entry.home}: put it into a folder and give --data."
        return Column(dataset, missing=f"{dataset}: {error} {by_hand}")
    if here is None:
        how = (
            f"`kgqa datasets {entry.name}` downloads it"
            if entry.url
            else f"fetch it by hand from {entry.home} into the --data folder. {entry.by_hand}"
        )
        return Column(dataset, missing=f"{dataset}: {how.rstrip('.')}.")
    return Column(dataset, here.path, entry.format, source.where)


def _file(source: Source, folder: Path) -> tuple[Path, str] | None:
    seen = islice(_below(folder, _DEPTH), _FILES)
    paths = sorted(path for path in seen if "_qtype" not in path.name)
    for pattern, form in source.files:
        for path in paths:
            if fnmatch(path.as_posix().casefold(), pattern.casefold()):
                return path, form
    return None


def _below(folder: Path, depth: int) -> Iterator[Path]:
    for path in folder.iterdir() if folder.is_dir() else ():
        if path.is_dir() and depth and not path.name.startswith("."):
            yield from _below(path, depth - 1)
        elif path.is_file():
            yield path


# -- the plan -------------------------------------------------------------------------------


@dataclass(frozen=True)
class Choices:
    """What is the same for all lines: given by who runs the recipe."""

    graph: str = ""
    llm: str = "offline"
    limit: int | None = None
    sample: int | None = None
    seed: int = 0
    workers: int = 0
    traces: bool = False
    regold: bool = False
    preset: str = presets.PUBLISHED


@dataclass(frozen=True)
class Task:
    """One line on one question set, and where its results go, in the recipe's folder."""

    line: Line
    column: Column
    plan: Plan
    place: str


def tasks(
    recipe: Recipe, found: Sequence[Column], choices: Choices, kg: KnowledgeGraph | None = None
) -> list[Task]:
    """Every line that can be run on every question set that is here and that has a figure for it.

    `kg`: the graph in use, for the pool of entities that some lines link to. Raises SettingsError
    where no graph is given for questions over one that has to be loaded.
    """
    graph = choices.graph or recipe.graph
    if not graph:
        raise SettingsError(
            f"The recipe {recipe.name} is about a graph of its own (MetaQA's kb.txt, a subset of "
            "Freebase): load it with `kgqa load FILE --into DIR`, and give --graph DIR."
        )
    made, done = [], set[str]()
    for figure in rows(recipe):
        line = Line(figure.system, figure.method, figure.params)
        column = next(c for c in found if c.dataset == figure.dataset)
        place = _place(figure)
        if line.cannot or column.path is None:
            continue
        plan = _plan(recipe, line, column, choices, graph, kg)
        if (same := plan.model_dump_json()) not in done:  # as other rows, measured once
            done.add(same)
            made.append(Task(line, column, plan, place))
    return made


def _plan(
    recipe: Recipe,
    line: Line,
    column: Column,
    choices: Choices,
    graph: str,
    kg: KnowledgeGraph | None,
) -> Plan:
    assert column.path is not None
    pool: list[str] = []
    base = Plan(
        title=column.dataset if column.dataset != "any" else "Open questions",
        dataset=column.path,
        format=column.format,
        methods={line.method: {}},
        graph=graph,
        llm=choices.llm,
        limit=choices.limit,
        sample=choices.sample,
        where=dict(column.where),
        seed=choices.seed,
        workers=choices.workers,
        traces=choices.traces,
        gold_entities=recipe.gold_entities,
        audit=recipe.audit,
        regold=choices.regold,
    )
    if "linking=pool" in line.params and kg is not None:
        every = base.model_copy(update={"limit": None, "sample": None}).load()
        there = located(every.examples, kg)
        pool = sorted({entity.id for some in there.values() for _, entity in some})
    params, encoder = line.settings(choices.preset, pool)
    return base.model_copy(update={"methods": {line.method: params}, "encoder": encoder})


def _place(figure: Published) -> str:
    line = Line(figure.system, figure.method, figure.params)
    return f"{_slug(figure.dataset)}/{line.slug}"


def _slug(text: str) -> str:
    return re.sub(r"[^a-z0-9]+", "-", text.casefold()).strip("-")


# -- what it costs --------------------------------------------------------------------------


@dataclass(frozen=True)
class Bill:
    """What is still to be asked, about."""

    questions: int
    calls: int

    @property
    def tokens(self) -> tuple[int, int]:
        """Prompt and completion tokens."""
        return self.calls * _PROMPT, self.calls * _REPLY


def bill(some: Sequence[Task], out: Path) -> Bill:
    """Questions that no stored result answers yet, and the model calls that they take, about.

    Calls by method are those of the results that ship.
    """
    questions, calls = 0, 0.0
    for task in some:
        left = len(task.plan.load().examples) * task.plan.repeat - _stored(out / task.place)
        questions += max(0, left)
        calls += max(0, left) * _calls().get(task.line.method, _CALLS)
    return Bill(questions, round(calls))


def _stored(folder: Path) -> int:
    return len(results.read(folder)[1]) if results.find(folder, 0) else 0


@lru_cache(maxsize=1)
def _calls() -> dict[str, float]:
    """Model calls a question, by method, in the results that ship; of the model alone, one."""
    found: dict[str, list[float]] = {"io": [1], "cot": [1], "cot-few-shot": [1], "sc": [3]}
    for folder in results.find(SHIPPED / "results"):
        path = folder / "summary.json"
        if path.is_file():
            summary = json.loads(path.read_text(encoding="utf-8"))
            each = summary["cost"]["per_question"].get("llm_calls", 0)
            found.setdefault(summary["config"]["method"], []).append(each)
    return {name: fmean(values) for name, values in found.items()}


# -- the table ------------------------------------------------------------------------------


@dataclass(frozen=True)
class Beside:
    """A printed figure and ours in the same place; `why` says why there is none."""

    figure: Published
    ours: Estimate | None
    why: str = ""

    def document(self) -> dict[str, Any]:
        f = self.figure
        printed = None if f.value != f.value else f.value
        return {
            "dataset": f.dataset,
            "system": f.system,
            "method": f.method,
            "params": f.params,
            "model": f.model,
            "metric": f.metric,
            "published": printed,
            "ours": self.ours.document() if self.ours else None,
            "our_metric": OURS[f.metric],
            "why": self.why,
            "base": f.base,
            "source": f.place,
        }


_UNCOUNTED = {"entities found": "its questions do not say which entities they name"}


def table(
    recipe: Recipe,
    found: Sequence[Column],
    benches: Sequence[Bench],
    preset: str = presets.PUBLISHED,
    refused: Mapping[str, str] | None = None,
) -> list[Beside]:
    """The paper's table with ours beside it, as far as it was measured with this preset.

    `refused`: why lines could not be measured, by their places.
    """
    made = []
    for figure in rows(recipe):
        line = Line(figure.system, figure.method, figure.params)
        column = next((c for c in found if c.dataset == figure.dataset), None)
        title = "Open questions" if figure.dataset == "any" else figure.dataset
        some = [b for b in benches if b.config.title == title and _is_of(b, line, preset)]
        mine = report.ours(figure, some)
        missing = column.missing if column is not None else ""
        why = line.cannot or missing or (refused or {}).get(_place(figure), "")
        if some and not why:
            why = _UNCOUNTED.get(figure.metric, "no answer says what could be counted")
        made.append(Beside(figure, mine, "" if mine else why))
    return made


def _is_of(bench: Bench, line: Line, preset: str) -> bool:
    """Whether it measured this line, at all its settings; which pool was linked to may differ."""
    if line.cannot or bench.config.method != line.method:
        return False
    params, encoder = line.settings(preset)
    theirs = {**bench.config.params, **({"pool": []} if "pool" in params else {})}
    return params == theirs and encoder in ("", bench.config.environment.get("encoder"))


def read(out: Path) -> list[Bench]:
    """What was measured into a recipe's folder so far."""
    return report.read(results.find(out)) if results.find(out) else []


def find(name: str) -> Recipe:
    """Raises SettingsError for a name that is none."""
    if name not in RECIPES:
        raise SettingsError(f"There is no recipe “{name}”. Choose one of: {', '.join(RECIPES)}.")
    return RECIPES[name]


def check(found: Sequence[Column]) -> None:
    """Raises SettingsError where no question set of a recipe is here."""
    if not any(column.path for column in found):
        raise SettingsError(" ".join(column.missing for column in found))
