"""Examples that the small layers are fitted on: questions, the programs of a graph, what they find.

The graphs are the slice with the facts of these sets' answers (not QALD-10's), so that many have
an answer there, and the starter graph. A program is right when it finds what the question's query
gives on the graph. `kept`: a folder where examples are kept, and read again.
"""

from __future__ import annotations

import pickle
import random
import sys
import tempfile
from collections import defaultdict
from collections.abc import Iterator
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import numpy as np

from kgqa_core.ask.run import Toolkit, drain
from kgqa_core.errors import KGQAError
from kgqa_core.kg.embedded import EmbeddedGraph
from kgqa_core.kg.folder import open_folder
from kgqa_core.kg.lines import Options
from kgqa_core.kg.load import load as load_graph
from kgqa_core.kg.starter import starter_graph
from kgqa_core.llm.offline import Offline
from kgqa_core.methods.linking import link_question
from kgqa_core.reader import evidence as r
from kgqa_core.reader.meaning import Meaning
from kgqa_core.reader.programs import Name, Program
from kgqa_core.reader.ranker import Ranker, named, unfit
from kgqa_core.reader.views import GraphView
from kgqa_core.settings import load_settings
from tests.measure.public_questions import ask, questions
from tests.measure.starter_questions import _key
from tests.training import sources

_TRIED = 12  # programs carried out to find the right one
_KEPT = 150  # programs of a question
_WIDTH = 60  # members of a set that are gone on from
_SHARDS = 4  # jobs for a part of the questions and a graph
_EMPTY = 30  # questions without an answer for every hundred with one

START = dict.fromkeys(r.FEATURES, 0.0) | {
    "cosine": 20.0, "words shared": 0.5, "alias shared": 0.5, "lexicon": 0.5, "words unread": -0.5,
    "hops": -1.5, "joined": -1.0, "stated": -1.0, "detail": -0.5, "names unused": -1.0,
    "kind fits": 0.5, "kind differs": -1.5, "name words": 1.0, "name exact": 0.5,
    "name within": -1.0,
}  # fmt: skip


@dataclass(frozen=True)
class Job:
    """One in _SHARDS questions of a part, from `at` on, asked of a graph."""

    graph: str
    part: str
    at: int
    most: int
    kept: Path | None

    @property
    def file(self) -> Path | None:
        return self.kept and self.kept / f"{self.graph}-{self.part}-{self.at}.pickle"


@dataclass(frozen=True)
class Heard:
    """What the second opinion on a reading of the rules is of."""

    called: list[Name]
    mine: r.Ranked
    ranked: list[r.Ranked]
    more: bool
    guess: bool


@dataclass(frozen=True)
class Ruled:
    """What the rules alone made of a question, and what an opinion on it is of."""

    answered: bool
    certain: bool
    f1: float
    heard: Heard | None


class Listening(Ranker):
    """Answers nothing and doubts nothing, but keeps what its opinion would be of."""

    kept: Heard | None = None

    def solve(self, *_: Any, **__: Any) -> str:
        return "Not asked."

    def opinion(self, *given: Any, guess: bool) -> None:
        if heard := self.heard(*given, guess=guess):
            asked, mine, ranked, more = heard
            self.kept = Heard(list(asked.called), mine, ranked, more, guess)


@dataclass(frozen=True)
class Done:
    """A program as it was carried out, and what it found; `fit`: that this may be an answer."""

    program: Program
    f1: float
    size: int
    fit: bool


@dataclass
class Example:
    """A question's programs: their features, and what each of the first of them finds.

    `done`: by the place among all programs.
    """

    source: str
    id: str
    question: str
    gold: frozenset[str]
    called: list[Name]
    ranked: list[r.Ranked]
    done: dict[int, Done]
    ruled: Ruled

    @property
    def answerable(self) -> bool:
        return bool(self.gold)

    @property
    def f1(self) -> np.ndarray:  # type: ignore[type-arg]
        found = np.zeros(len(self.ranked))
        for at, one in self.done.items():
            found[at] = one.f1
        return found


def examples(kg: EmbeddedGraph, job: Job) -> Iterator[Example]:
    """Of one in so many questions of a part; a question that fails is left out.

    Which programs are carried out must not depend on what was fitted before, so START ranks them.
    """
    meaning, weights = Meaning(), tuple(START[name] for name in r.FEATURES)
    ranker, listening = Ranker(meaning, weights), Listening(meaning, weights)
    llm = Offline(None, listening)
    every = questions(kg, job.part, set(), job.most, _EMPTY)
    random.Random(17).shuffle(every)
    for row, gold in every[job.at :: _SHARDS]:
        try:
            yield from _example(kg, row, gold, ranker, llm, listening)
        except KGQAError as error:
            print(f"{row.question}: {error}", file=sys.stderr)


def ruled(
    kg: EmbeddedGraph, row: sources.Row, gold: frozenset[str], llm: Offline, listening: Listening
) -> Ruled:
    listening.kept = None
    told = ask(kg, llm, row, gold)
    return Ruled(told["answered"], told["certain"], told["f1"], listening.kept)


def _example(
    kg: EmbeddedGraph,
    row: sources.Row,
    gold: frozenset[str],
    ranker: Ranker,
    llm: Offline,
    listening: Listening,
) -> Iterator[Example]:
    anchors, _ = drain(link_question(row.question, Toolkit(kg, llm)))
    view, resolver = GraphView(kg, _WIDTH), llm.reader.resolver
    for mention, entity in anchors:
        view.know(mention, entity)
    nouns = [m for m, _ in anchors if not resolver.lex.is_verb(m.casefold())]
    called = named(row.question, nouns, view)
    asked = r.Asked(row.question, resolver, called)
    ranked = ranker.every(asked, view) if called else []
    if not ranked:
        return
    done: dict[int, Done] = {}
    for at, one in enumerate(ranked[:_TRIED]):
        program, found = ranker.finished(asked, one.program, view)
        members = view.sets[found.name].members if found.name and found.size else ()
        values = frozenset(map(_key, members))
        both = len(values & gold)
        f1 = 2 * both / (len(values) + len(gold)) if values and gold else 0.0
        fit = not unfit(asked, replace(one, program=program), found)
        done[at] = Done(program, f1, found.size, fit)
    name = f"{row.source} {row.id}"
    told = ruled(kg, row, gold, llm, listening)
    yield Example(row.source, name, row.question, gold, called, ranked[:_KEPT], done, told)


def _made(job: Job) -> list[Example]:
    """The examples of a job, kept where that is asked for."""
    import torch  # here, in each process: what only reads examples waits for no seconds

    torch.set_num_threads(1)  # one process for each core
    kg = starter_graph() if job.graph == "starter" else open_folder(_graph())
    found = list(examples(kg, job))
    print(f"{job.graph} {job.part} {job.at}: {len(found)}", file=sys.stderr, flush=True)
    if job.file:
        job.file.parent.mkdir(parents=True, exist_ok=True)
        job.file.write_bytes(pickle.dumps(found))
    return found


def every(most: int, kept: Path | None) -> dict[str, list[Example]]:
    """All examples of the two parts. Each job is a process of its own, so that its result does
    not depend on what was asked before it."""
    _graph()
    jobs = [
        Job(graph, part, at, most, kept)
        for part in ("weights", "thresholds")
        for graph in ("slice", "starter")
        for at in range(_SHARDS)
    ]
    found: dict[str, list[Example]] = defaultdict(list)
    with ProcessPoolExecutor(2, get_context("spawn"), max_tasks_per_child=1) as pool:
        new = {
            job: pool.submit(_made, job) for job in jobs if not (job.file and job.file.is_file())
        }
        for job in jobs:
            known = job.file if job not in new else None
            found[job.part] += pickle.loads(known.read_bytes()) if known else new[job].result()
    return found


def _graph() -> Path:
    """The slice, with what was read from the answers of all sets but QALD-10.

    The triples of SimpleQuestions' training questions are added where both ends have a name.
    """
    folder = load_settings().data_dir / "benchmarks" / "fitting" / "slice"
    if not folder.is_dir():
        names = sources.DATA / "wikidata_properties" / "properties.jsonl.gz"
        with tempfile.TemporaryDirectory() as home:
            simple = Path(home) / "simple.tsv"
            head = "subject\tproperty\tobject\tsources\n"
            simple.write_text(head + "".join(sources.simple_triples()), encoding="utf-8")
            files = [sources.DATA / "wikidata_slice", names, simple]
            options = Options(leave_out=("qald10_gold",))
            load_graph(files, folder, name="Wikidata slice, to fit on", options=options)
    return folder
