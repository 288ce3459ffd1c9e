"""How methods fare with a model of middle size (`tests/servers/sloppy.py`), beside a careful one.

    python -m tests.measure.sloppy [--every N] [--methods react,tog] [--seed S] [--into FILE]
    python -m tests.measure.sloppy --qald GRAPH [--every N] …
    python -m tests.measure.sloppy --crlt GRAPH --methods r3 [--every N]
    python -m tests.measure.sloppy --recipes GRAPH [--only kgir-table3,…] [--rows N]

Questions are those of the starter graph, QALD-10's whose answer is on the slice (GRAPH: the slice,
loaded; *seen*: rules were made with some of them), or CR-LT's (its graph, loaded; *seen*). Each
method is asked twice: with the reader as the model, and with the same replies as such models write
them. What was right and is no more should come from wrong choices: it is asked a third time, as
carelessly, but without any. `unexplained` counts what is lost even so, and what was lost without a
wrong choice. With `--into FILE` every question is a line there as soon as it is answered, and the
next call goes on from it. `--recipes` asks each method of papers' tables, as published, the first N
rows of ../shared/data.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from kgqa_core.ask.events import Answer, status_of
from kgqa_core.ask.outcome import answer_of
from kgqa_core.ask.run import Budget, Toolkit, run
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
class Asked:
    """One question put to one method: what came of it with the careful and the sloppy model."""

    method: str
    question: str
    careful: bool
    sloppy: bool
    formal: bool | None  # careless in form alone; asked where `sloppy` lost it
    wrong: dict[str, int]  # choices of the sloppy model, by skill
    refusals: int
    calls: int  # of the sloppy model
    failed: tuple[str, ...]
    said: tuple[str, ...]  # by the careful model, then by the sloppy one

    @property
    def unexplained(self) -> bool:
        """Right before, wrong now, and not for a wrong choice."""
        return self.careful and not self.sloppy and (not self.wrong or not self.formal)


@dataclass(frozen=True)
class Row:
    """One method: questions right with a careful and with a sloppy model, and why not."""

    method: str
    asked: int
    careful: int
    sloppy: int
    wrong: int  # questions in which a choice was wrong
    unexplained: tuple[str, ...]
    failed: tuple[str, ...]
    refusals: int
    calls: float  # of the sloppy model, a question

    @property
    def line(self) -> str:
        return (
            f"{self.method} | {self.asked} | {self.careful} | {self.sloppy} | {self.wrong} | "
            f"{self.refusals} | {len(self.unexplained)} | {len(self.failed)} | {self.calls:.1f}"
        )


def folded(method: str, asked: Sequence[Asked]) -> Row:
    return Row(
        method,
        len(asked),
        sum(one.careful for one in asked),
        sum(one.sloppy for one in asked),
        sum(bool(one.wrong) for one in asked),
        tuple(one.question for one in asked if one.unexplained),
        tuple(f"{one.question}: {why}" for one in asked for why in one.failed),
        sum(one.refusals for one in asked),
        sum(one.calls for one in asked) / max(1, len(asked)),
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


_PATIENT = Budget(seconds=10**6)  # a busy machine is slow


@dataclass
class Pair:
    """A method with both models; nothing but the sloppy one's server is on the network."""

    kg: KnowledgeGraph
    index: Index | None
    method: str
    server: SloppyServer
    client: OpenAIChat

    def put(self, question: str, is_right: Right, manner: Manner) -> tuple[bool, str, str, int]:
        """Whether it is right, what is said, why it failed, and calls."""
        self.server.manner = manner
        self.server.wrong.clear()
        self.server.refusals = 0
        llm = self.server.told(self.client)
        tools = Toolkit(self.kg, llm, index=self.index, budget=_PATIENT)
        chosen = METHODS[self.method]
        records = list(run(question, chosen.solve, tools, chosen.params()))
        answer, status = answer_of(records), status_of(records)
        last: Any = records[-1].event
        failed = last.message if status == "failed" else ""
        said = answer.text or answer.reason
        return is_right(answer, status), said, failed, tools.meter.total.llm_calls

    def ask(self, question: str, is_right: Right, sloppy: Manner) -> Asked:
        careful, said, failure, _ = self.put(question, is_right, Manner(0, 0, 0))
        right, says, fails, calls = self.put(question, is_right, sloppy)
        wrong, refusals = dict(+self.server.wrong), self.server.refusals
        lost = careful and not right
        formal = self.put(question, is_right, replace(sloppy, wrong=0))[0] if lost else None
        failed = tuple(one for one in (failure, fails) if one)
        both = (said, says)
        return Asked(
            self.method, question, careful, right, formal, wrong, refusals, calls, failed, both
        )


def compare(
    kg: KnowledgeGraph,
    index: Index | None,
    method: str,
    rows: Sequence[tuple[str, Right]],
    seed: int = 0,
    manner: Manner | None = None,
    into: Path | None = None,
) -> Row:
    """A method with both models, over all rows; what `into` holds is not asked again."""
    done = _answered(into, method)
    with SloppyServer(memory_of(kg), plans=Planner(kg, index=index), seed=seed) as server:
        client = OpenAIChat("sloppy", base_url=server.url)
        pair = Pair(kg, index, method, server, client)
        for question, is_right in rows:
            if question in done:
                continue
            done[question] = pair.ask(question, is_right, manner or Manner())
            if into:
                with into.open("a", encoding="utf-8") as lines:
                    lines.write(json.dumps(asdict(done[question]), ensure_ascii=False) + "\n")
        client.close()
    return folded(method, [done[question] for question, _ in rows])


def _answered(into: Path | None, method: str) -> dict[str, Asked]:
    """What earlier calls wrote of this method, by question."""
    if into is None or not into.exists():
        return {}
    lines = map(json.loads, into.read_text(encoding="utf-8").splitlines())
    asked = (Asked(**{**o, "failed": tuple(o["failed"]), "said": tuple(o["said"])}) for o in lines)
    return {one.question: one for one in asked if one.method == method}


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
    parser.add_argument("--into", type=Path, metavar="FILE", help="go on from what it holds")
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
        row = compare(kg, index, method, rows, args.seed, into=args.into)
        print(row.line, flush=True)
        for text in (*row.unexplained, *row.failed):
            print(f"    {text}", flush=True)


if __name__ == "__main__":
    main()
