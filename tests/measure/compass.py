"""Compass beside its parents, and with one part left out, with the built-in reader.

    python -m tests.measure.compass METHOD[/JSON],… SET[:N|@A-B],… [WHO]

WHO: reader, played, vague, half-vague, unlisted, sloppy or model.

SET is one of `tests.measure.results`, N asks every Nth row only, A-B those of the rows that no N
has met, in an order that is always the same; `qald-10+GRAPH` asks QALD-10 over that graph,
`public+GRAPH:N` N public questions of the part that nobody trains on (`report` in
`tests/training/sources.py`; drawn here, and told in sum only). JSON gives parameters of the method.
Who reads: the built-in reader; the reader in the place of a model, with the prompts a model would
be sent; the same on loopback, careless in form and wrong in one choice of ten
(`tests/servers/sloppy.py`); for both Compass's plans are those of `planning.py`; the former with
vague words for relations, and beliefs that are all right, or half of them (`vague`, `half-vague`),
or with vague words for what no prompt lists, and no belief that is right (`unlisted`);
or the model of the settings, which is asked several questions at once. Prints a line for
each: right and supported with its interval (open questions: ROUGE-L), abstained, wrong but
certain, calls, prompt tokens, and seconds with one second for each call; for every method after the
first also the p that it differs from the first (McNemar; paired t for ROUGE-L, and for calls).
Rows that the rules were made with are *seen*. MetaQA's templates are learned from its even half, in
the data folder: set KGQA_DATA_DIR to keep them out of yours.
"""

from __future__ import annotations

import json
import random
import re
import sys
import tempfile
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial
from pathlib import Path
from statistics import fmean
from typing import Any

from kgqa_core.ask.audit import Auditor, audited
from kgqa_core.ask.events import Answered, Cost
from kgqa_core.ask.method import learning
from kgqa_core.ask.run import Budget, Toolkit, run
from kgqa_core.errors import KGQAError
from kgqa_core.evaluation.benchmark import as_row
from kgqa_core.evaluation.datasets import load
from kgqa_core.evaluation.datasets.base import Example, Gold
from kgqa_core.evaluation.results import Row
from kgqa_core.evaluation.statistics import estimate, mcnemar, paired_t
from kgqa_core.facts.terms import Entity, short_id
from kgqa_core.kg.union import from_rows, overlay
from kgqa_core.llm import prompt
from kgqa_core.llm.offline import Offline
from kgqa_core.llm.openai_chat import OpenAIChat
from kgqa_core.methods import METHODS
from kgqa_core.opening import open_graph
from kgqa_core.reader.ranker import Ranker
from kgqa_core.search.encoder import Encoder
from kgqa_core.search.index import Index
from kgqa_core.settings import load_settings
from tests.measure import results
from tests.measure.calls import Played, counter, memory_of
from tests.measure.planning import Planner
from tests.servers.sloppy import SloppyServer, Told
from tests.training import sources

_BUDGET = Budget(llm_calls=500, seconds=3600)
_AT_ONCE = 16  # questions to a real model
_MET = {  # of each set every so manieth row was asked before
    "starter": (3, 8),
    "open": (2,),
    "qald-10": (3, 4),
    "cr-lt-questions": (2, 5, 7),
    "cr-lt-claims": (3, 4),
    "recipe-mpr-personas": (4, 10),
}


def task(name: str, work: Path) -> results.Task:
    name, _, graph = name.partition("+")
    makers: dict[str, Any] = {
        "metaqa": partial(results.metaqa, sample=0),
        "qald": results.qald10,
        "cr-lt": results.commonsense,
        "recipe": results.recipes,
        "starter": results.own_questions,
        "open": results.own_questions,
    }
    make = next(make for start, make in makers.items() if name.startswith(start))
    found: Iterator[results.Task] = make(work)
    chosen = next(t for t in found if t.name == name)
    return replace(chosen, graph=graph) if graph else chosen


@dataclass
class Reading:
    """Who reads for a method on a graph, and what prompts it was sent."""

    graph: Any
    index: Index
    who: str

    def __post_init__(self) -> None:
        encoder = self.index.encoder
        sees = self.who == "unlisted"
        vague = sees or self.who.endswith("vague")
        knows = {"half-vague": 0.5, "unlisted": 0.0}.get(self.who, 1.0)
        how = {"vague": vague, "sees": sees, "knows": knows}
        self.plans = Planner(self.graph, encoder, self.index, **how)
        self.tokenizer = counter()
        self.reader = Offline(encoder, Ranker() if self.who == "reader" else None)  # as a visitor
        self.memory = memory_of(self.graph)

    @contextmanager
    def model(self) -> Iterator[Any]:
        if self.who == "reader":
            yield self.reader
        elif self.who == "model":
            client = OpenAIChat.from_settings(load_settings())
            yield client
            client.close()
        elif self.who in ("played", "vague", "half-vague", "unlisted"):
            yield Played(self.memory, self.reader, self.tokenizer, self.plans)
        else:
            with SloppyServer(self.memory, plans=self.plans) as server:
                client = OpenAIChat("sloppy", base_url=server.url)
                yield Counted(server.told(client), self.tokenizer)
                client.close()


@dataclass
class Counted:
    """A careless model, and what tokens its prompts have."""

    told: Told
    tokenizer: Any
    tokens: int = 0

    @property
    def name(self) -> str:
        return self.told.name

    def ask(self, skill: Any, given: Any, **more: Any) -> Any:
        chat = prompt.messages(skill, given, more.get("complaint"), "prompt")
        self.tokens += sum(len(self.tokenizer.encode(m["content"]).ids) for m in chat)
        return self.told.ask(skill, given, **more)


@dataclass
class Found:
    """A method on a set: a score for each question, and a line that says the rest."""

    scores: list[float]
    calls: list[int]
    told: str


def asked(
    examples: list[Example],
    reading: Reading,
    method: str,
    params: dict[str, Any],
    metric: str = "supported_accuracy",
) -> Found:
    chosen = METHODS[method]
    scores: list[float] = []
    silent = wrong = tokens = most = 0
    seconds = 0.0
    calls: list[int] = []
    solve = chosen.solve
    if params.get("learn"):  # a second time the same method is asked, it knows what it kept
        solve = learning(audited(solve, Auditor(reading.reader)), chosen.learns)
    with reading.model() as llm, ThreadPoolExecutor(_AT_ONCE) as pool:

        def one(example: Example) -> tuple[Row, bool, Cost, int, float]:
            kg = reading.graph
            if example.facts:  # of the person who chooses, and of the options
                kg = overlay(from_rows(example.facts, kg), kg)
            tools = Toolkit(kg, llm, index=reading.index, budget=_BUDGET)
            began, before = time.monotonic(), getattr(llm, "tokens", 0)
            records = list(run(example.asked, solve, tools, chosen.params(**params)))
            last = records[-1].event
            sure = isinstance(last, Answered) and last.answer.certain
            spent = getattr(llm, "tokens", 0) - before
            taken = time.monotonic() - began
            return as_row(0, example, 0, records), sure, tools.meter.total, spent, taken

        asking = pool.map if reading.who == "model" else map
        for row, sure, cost, spent, taken in asking(one, examples):
            spent = cost.prompt_tokens if reading.who == "model" else spent
            seconds += taken
            scores.append(row.scores.get(metric, float(row.verdict == "right")))
            silent += row.status == "abstained"
            wrong += row.verdict == "wrong" and sure
            calls.append(cost.llm_calls)
            tokens += spent
            most = max(most, spent)
    each = seconds / len(examples)
    mean = fmean(calls)
    if reading.who == "reader":
        cost = f"{mean:.1f} replies | {each:.2f} s"
    else:
        cost = f"{mean:.2f} calls, at most {max(calls)} | {each + mean:.2f} s"
        cost += f" | {tokens / len(examples):,.0f} tokens, at most {most:,}" if tokens else ""
    return Found(scores, calls, f"{silent} abstained | {wrong} wrong but certain | {cost}")


def fresh(examples: list[Example], name: str, part: str) -> list[Example]:
    """The rows `A-B` of those that were not met, in an order that is always the same."""
    met = _MET[name]
    left = [e for n, e in enumerate(examples) if all(n % every for every in met)]
    random.Random(19).shuffle(left)
    first, _, last = part.partition("-")
    return left[int(first) : int(last)]


def public(graph: Any, most: int) -> list[Example]:
    """Public questions of the part that is kept apart, which the graph answers."""
    rows = [row for row in sources.rows() if row.part == "report"]
    random.Random(1947).shuffle(rows)
    found: list[Example] = []
    for row in rows:
        try:
            table = graph.query(row.sparql, 200)
        except KGQAError:
            continue
        values = [line[0] for line in table.rows if line and line[0] is not None]
        said = [v.id if isinstance(v, Entity) else v.value for v in values]
        if 0 < len(said) < 200 and said not in (["0"], ["false"]):
            gold = tuple(
                Gold(id=short_id(v.id)) if isinstance(v, Entity) else Gold(names=(v.value,))
                for v in values
            )
            found.append(Example(f"{row.source} {row.id}", row.question, {"gold": gold}))
        if len(found) == most:
            break
    return found


def p_of(ours: Found, theirs: Found) -> float:
    """That the two differ: McNemar for right and wrong, paired t for graded scores."""
    if all(score in (0.0, 1.0) for score in (*ours.scores, *theirs.scores)):
        return mcnemar([s == 1 for s in ours.scores], [s == 1 for s in theirs.scores])
    return paired_t(ours.scores, theirs.scores)


def main() -> None:
    methods, sets = (re.split(r",(?![^{]*\})", argument) for argument in sys.argv[1:3])
    who = sys.argv[3] if len(sys.argv) > 3 else "reader"
    settings = load_settings()
    encoder, work = Encoder(settings), settings.data_dir / "benchmarks" / "shipping"
    work.mkdir(parents=True, exist_ok=True)
    for spec in sets:
        name, _, part = spec.partition("@")
        name, _, every = name.partition(":")
        params_of: dict[str, dict[str, Any]] = {}
        if name.startswith("public+"):
            graph = open_graph(name.partition("+")[2], settings)
            examples = public(graph, int(every or 100))
        else:
            of = task(name, work)
            graph, params_of = open_graph(of.graph, settings), of.params
            where = {"where": of.options["where"]} if "where" in of.options else {}
            examples = list(load(of.path, of.format, **where).examples)
            examples = fresh(examples, name, part) if part else examples[:: int(every or 1)]
        first: Found | None = None
        with tempfile.TemporaryDirectory() as folder:
            reading = Reading(graph, Index(graph, encoder, folder), who)
            for entry in methods:
                method, _, given = entry.partition("/")
                params = {**params_of.get(method, {}), **(json.loads(given) if given else {})}
                metric = "rouge_l" if name == "open" else "supported_accuracy"
                found = asked(examples, reading, method, params, metric)
                share = estimate(found.scores)
                line = f"{name} | {who} | {entry} | {share.value:.3f} of {share.n} "
                line += f"[{share.low:.2f}, {share.high:.2f}] | {found.told}"
                if first:
                    of_calls = paired_t(first.calls, found.calls)
                    line += f" | p {p_of(found, first):.2f}, of the calls {of_calls:.3f}"
                first = first or found
                print(line, flush=True)


if __name__ == "__main__":
    main()
