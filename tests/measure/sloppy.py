"""How methods fare with a model of middle size (`tests/servers/sloppy.py`), beside a careful one.

    python -m tests.measure.sloppy [--every N] [--methods react,tog] [--seed S]
    python -m tests.measure.sloppy --qald GRAPH [--every N] …
    python -m tests.measure.sloppy --crlt GRAPH --methods r3 [--every N]
    python -m tests.measure.sloppy --recipes GRAPH [--only kgir-table3,…] [--rows N]

Questions are those of the starter graph, QALD-10's whose answer is on the slice (GRAPH: the slice,
loaded; *seen*: rules were made with some of them), or CR-LT's (its graph, loaded; *seen*). Each
method is asked twice: with the reader as the model, and with the same replies as such models write
them. What was right and is no more should come from wrong choices: `unexplained` counts those where
none was made. `--recipes` asks each method of papers' tables, as published, the first N rows of
../shared/data.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgqa_core.ask.events import Answer, status_of
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Toolkit, run
from kgqa_core.ask.setup import Setup
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation import jobs, recipes, results
from kgqa_core.evaluation.recipes import RECIPES, Choices, Column, Recipe
from kgqa_core.kg.base import KnowledgeGraph
from kgqa_core.kg.starter import load_starter
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph, open_index
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import Settings, load_settings
from tests.measure import starter_questions as starter
from tests.measure.calls import memory_of
from tests.measure.planning import Planner
from tests.places import DATA
from tests.servers.sloppy import Manner, SloppyServer

Right = Callable[[Answer, str], bool]


@dataclass(frozen=True)
class Row:
    """One method: questions right with a careful and with a sloppy model, and why not."""

    method: str
    asked: int
    careful: int
    sloppy: int
    wrong: int  # questions in which a choice was wrong
    unexplained: tuple[str, ...]  # right before, wrong now, and no choice was
    failed: tuple[str, ...]
    refusals: int
    calls: float  # of the sloppy model, a question

    @property
    def line(self) -> str:
        return (
            f"{self.method} | {self.asked} | {self.careful} | {self.sloppy} | {self.wrong} | "
            f"{self.refusals} | {len(self.unexplained)} | {len(self.failed)} | {self.calls:.1f}"
        )


HEAD = (
    "method | asked | careful | sloppy | with a wrong choice | refusals | unexplained | failed | "
    "calls"
)


def starter_rows(kg: Any, every: int) -> Iterator[tuple[str, Right]]:
    import csv

    with starter.FILE.open(encoding="utf-8", newline="") as lines:
        rows = list(csv.DictReader(lines, delimiter="\t", quoting=csv.QUOTE_NONE))
    for row in rows[::every]:
        gold = starter._gold(kg, row["sparql"])

        def right(answer: Answer, status: str, gold: frozenset[str] = gold) -> bool:
            found = frozenset(starter._key(v) for v in answer.values)
            return found == gold and status in ("answered", "abstained")

        yield row["question"], right


def qald_rows(every: int) -> Iterator[tuple[str, Right]]:
    from tests.measure.bulk import qald_questions

    for question, score in qald_questions(every):
        yield question, lambda answer, _, score=score: score(answer) == 1.0  # type: ignore[misc]


def crlt_rows(every: int) -> Iterator[tuple[str, Right]]:
    from kgqa_core.evaluation import metrics
    from tests.measure.calls import crlt_examples

    for example in crlt_examples(every):
        yield (
            example.asked,
            lambda answer, _, e=example: metrics.score(e, answer)["accuracy"] == 1.0,  # type: ignore[misc]
        )


@dataclass(frozen=True)
class Stage:
    """A line of a recipe on one question set: questions asked, and what failed."""

    place: str
    asked: int
    failed: int
    why: str


def recipe_stages(
    recipe: Recipe,
    columns: Sequence[Column],
    graph: str,
    out: Path,
    rows: int,
    settings: Settings,
    seed: int = 0,
) -> Iterator[Stage]:
    """The first line of each method, as published, over the first rows of each question set."""
    done = set[tuple[str, str]]()
    with SloppyServer(seed=seed) as server:
        client = OpenAIChat("sloppy", base_url=server.url)
        for task in recipes.tasks(recipe, columns, Choices(graph=graph, limit=rows, workers=1)):
            ((method, params),) = task.plan.methods.items()
            if (method, task.column.dataset) in done:
                continue
            done.add((method, task.column.dataset))

            def opener(name: str, given: Any = params) -> Setup:
                setup = jobs.opened({name: given}, graph, "offline", settings, name)
                server.memory = memory_of(setup.kg)
                return replace(setup, llm=server.told(client))

            plan = task.plan.model_copy(update={"encoder": "", "traces": True})
            try:
                summary = jobs.run_plan(plan, out / task.place, opener, settings)[method]
            except KGQAError as error:  # questions about what the graph has not, for example
                yield Stage(f"{recipe.name}/{task.place}", 0, 0, f"not asked: {error}")
                continue
            stored = results.read(out / task.place)[1]
            why = "; ".join(row.reason for row in stored if row.status == "failed")
            yield Stage(f"{recipe.name}/{task.place}", summary["runs"], summary["failed"], why)
        client.close()


def compare(
    kg: KnowledgeGraph,
    index: Index | None,
    method: str,
    rows: Sequence[tuple[str, Right]],
    seed: int = 0,
    manner: Manner | None = None,
) -> Row:
    """A method with both models; nothing but the sloppy one's server is on the network."""
    chosen = METHODS[method]
    memory = memory_of(kg)
    right = {True: 0, False: 0}
    wrong, refusals, calls = 0, 0, 0
    unexplained, failed = [], []
    careful = Manner(wrong=0, refused=0, careless=0)
    plans = Planner(kg, index=index)
    with SloppyServer(memory, plans=plans, seed=seed, manner=manner) as server:
        sloppy = server.manner
        client = OpenAIChat("sloppy", base_url=server.url)
        llm = server.told(client)
        for question, is_right in rows:
            outcome = {}
            for careless in (False, True):
                server.manner = sloppy if careless else careful
                server.wrong.clear()
                server.refusals = 0
                tools = Toolkit(kg, llm, index=index)
                records = list(run(question, chosen.solve, tools, chosen.params()))
                status = status_of(records)
                calls += careless * tools.meter.total.llm_calls
                outcome[careless] = is_right(answer_of(records), status)
                right[careless] += outcome[careless]
                if status == "failed":
                    failed.append(f"{question}: {records[-1].event.message}")  # type: ignore[attr-defined]
            wrong += bool(server.wrong)
            refusals += server.refusals
            if outcome[False] and not outcome[True] and not server.wrong:
                unexplained.append(question)
        client.close()
    return Row(
        method,
        len(rows),
        right[False],
        right[True],
        wrong,
        tuple(unexplained),
        tuple(failed),
        refusals,
        calls / len(rows),
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else "")
    parser.add_argument("--qald", metavar="GRAPH", default="")
    parser.add_argument("--crlt", metavar="GRAPH", default="")
    parser.add_argument("--recipes", metavar="GRAPH", default="")
    parser.add_argument("--only", default=",".join(RECIPES), help="recipes by their names")
    parser.add_argument("--rows", type=int, default=2, help="of each question set of a recipe")
    parser.add_argument("--every", type=int, default=8, help="ask every Nth question")
    parser.add_argument("--methods", default=",".join(METHODS))
    parser.add_argument("--seed", type=int, default=0)
    args = parser.parse_args()
    settings = load_settings()
    if args.recipes:
        for name in args.only.split(","):
            columns = recipes.columns(RECIPES[name], settings.data_dir, DATA)
            with TemporaryDirectory() as out:
                given = (RECIPES[name], columns, args.recipes, Path(out), args.rows, settings)
                for stage in recipe_stages(*given, args.seed):
                    print(f"{stage.place} | {stage.asked} | {stage.failed} {stage.why}", flush=True)
        return
    if args.crlt:
        kg: Any = open_graph(f"starter,{args.crlt}", settings)
        rows = list(crlt_rows(args.every))
    elif args.qald:
        kg = open_graph(args.qald, settings)
        rows = list(qald_rows(args.every))
    else:
        kg = load_starter()
        rows = list(starter_rows(kg, args.every))
    index = open_index(kg, Encoder(settings), settings)
    print(HEAD, flush=True)
    for method in args.methods.split(","):
        row = compare(kg, index, method, rows, args.seed)
        print(row.line, flush=True)
        for text in (*row.unexplained, *row.failed):
            print(f"    {text}", flush=True)


if __name__ == "__main__":
    main()
